"""What systems know, unit by unit, for the page: one part for each examinee that was examined orally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.records import OralTurn, OralUnit, UnitJudgement, UnitStatus
from viva.core.scores_oral import OralRow, OralScore, UnitOutcome
from viva.graphs.oral_exam.record import OralExaminations
from viva.reports.data import ReportData
from viva.reports.plots.oral import MapPoint, cluster_bars, convergence, unit_map
from viva.reports.plots.style import Figure
from viva.reports.sections.oral_words import FLAGS, FORMS, headline

LISTED = 30
"""Units that are shown one by one, of each kind; the rest is counted."""
PARTS = 8
"""Examinees with a part of their own; of the rest only the finding is told."""
_COVERED = (UnitStatus.CORRECT, UnitStatus.INCORRECT)
_Z95 = 1.959964


@dataclass(frozen=True)
class UnitRow:
    """One unit with what was asked and found; the texts are as documents, examinees and judges wrote them."""

    unit: OralUnit
    path: str
    outcome: UnitOutcome
    question: str
    quote: str
    reason: str


@dataclass(frozen=True)
class OralPart:
    """What the page tells of one examinee. `place` tells its figures from those of others."""

    place: int
    score: OralScore
    headline: str
    clusters: tuple[OralRow, ...]
    """least known first"""
    wrong: tuple[UnitRow, ...]
    uncovered: tuple[UnitRow, ...]
    """given up, then those left open"""
    forms: tuple[tuple[str, int, str], ...]
    flags: tuple[tuple[str, int, str], ...]
    contradicted: tuple[UnitRow, ...]

    @property
    def joined_se(self) -> float | None:
        """Standard error of the ability by exam and oral examination together."""
        ability = self.score.ability
        return None if ability is None else (ability.joined.high - ability.joined.low) / (2 * _Z95)


def oral_parts(data: ReportData) -> tuple[OralPart, ...]:
    """One for each of the first examinees, by name."""
    found = data.oral
    if found is None or found.plan is None:
        return ()
    return tuple(_part(place, score, found) for place, score in enumerate(found.scores[:PARTS]))


def oral_context(data: ReportData, parts: Sequence[OralPart]) -> dict[str, Any]:
    """The same for the page, with what holds for all of them."""
    found = data.oral
    return {
        "orals": parts,
        "oral_rest": [(score.examinee.name, headline(score)) for score in found.scores[PARTS:]] if found else [],
        "oral_problem": found.problem if found else "",
        "oral_limit": LISTED,
    }


def oral_figures(data: ReportData, parts: Sequence[OralPart]) -> dict[str, Figure]:
    """For each part: its curve, its clusters and its map."""
    if data.oral is None:
        return {}
    made: dict[str, Figure | None] = {}
    for part in parts:
        made[f"oral-curve-{part.place}"] = convergence(part.score)
        made[f"oral-clusters-{part.place}"] = cluster_bars(part.clusters)
        made[f"oral-map-{part.place}"] = unit_map(_points(part.score, data.oral))
    return {name: figure for name, figure in made.items() if figure is not None}


def _part(place: int, score: OralScore, found: OralExaminations) -> OralPart:
    rows = _unit_rows(score, found)
    uncovered = [row for row in rows if row.outcome.status not in _COVERED]
    return OralPart(
        place=place,
        score=score,
        headline=headline(score),
        clusters=tuple(
            sorted(score.by_cluster, key=lambda r: (r.known.value if r.known else 2.0, -r.units, r.level))
        ),
        wrong=tuple(row for row in rows if row.outcome.status is UnitStatus.INCORRECT),
        uncovered=tuple(
            sorted(uncovered, key=lambda row: (row.outcome.status is UnitStatus.OPEN, -row.outcome.asked))
        ),
        forms=tuple((form, score.forms[form], told) for form, told in FORMS.items() if form in score.forms),
        flags=tuple((flag, count, FLAGS.get(flag, "")) for flag, count in score.flags.items()),
        contradicted=tuple(row for row in rows if row.outcome.contradicted),
    )


def _unit_rows(score: OralScore, found: OralExaminations) -> list[UnitRow]:
    units = {unit.id: unit for unit in found.plan.units} if found.plan else {}
    turns = found.turns.get(score.examinee.id, ())
    by_number, last = {turn.number: turn for turn in turns}, _last_judged(turns)
    rows = []
    for outcome in score.outcomes:
        turn = last.get(outcome.unit_id) if outcome.turn is None else by_number.get(outcome.turn)
        judgement = _judgement(turn, outcome.unit_id)
        unit = units[outcome.unit_id]
        rows.append(
            UnitRow(
                unit=unit,
                path=found.paths.get(unit.evidence.document_id, ""),
                outcome=outcome,
                question=turn.question if turn else "",
                quote=judgement.quote if judgement else "",
                reason=judgement.reason if judgement else "",
            )
        )
    return rows


def _last_judged(turns: Sequence[OralTurn]) -> dict[str, OralTurn]:
    return {judgement.unit_id: turn for turn in turns for judgement in turn.judgements}


def _judgement(turn: OralTurn | None, unit_id: str) -> UnitJudgement | None:
    given: Mapping[str, UnitJudgement] = {each.unit_id: each for each in turn.judgements} if turn else {}
    return given.get(unit_id)


def _points(score: OralScore, found: OralExaminations) -> list[MapPoint]:
    if found.plan is None:
        return []
    cluster = {unit_id: each.name for each in found.plan.clusters for unit_id in each.unit_ids}
    units = {unit.id: unit for unit in found.plan.units}
    return [
        MapPoint(
            x=found.plan.map[outcome.unit_id][0],
            y=found.plan.map[outcome.unit_id][1],
            status=outcome.status,
            keyword=units[outcome.unit_id].keyword,
            description=units[outcome.unit_id].description,
            cluster=cluster.get(outcome.unit_id, ""),
            round=outcome.round,
        )
        for outcome in score.outcomes
        if outcome.unit_id in found.plan.map
    ]
