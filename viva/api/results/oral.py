"""What an oral examination found, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viva.api.result import Column, Kind, Result, Table
from viva.api.text import shortened
from viva.core.estimates import Estimate
from viva.core.note_words import note_sentence, worded
from viva.core.records import UnitStatus
from viva.core.scores_oral import OralScore
from viva.reports.sections.oral_words import headline, types_in_words

if TYPE_CHECKING:
    from viva.graphs.oral_exam.conduct import Examination

_TITLE, _ROUNDS = "Oral examination", "Rounds"
_COVERED = (UnitStatus.CORRECT, UnitStatus.INCORRECT)
_UNITS_SHOWN, _CLUSTERS_SHOWN = 12, 12


def _numbers(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, Kind.NUMBER) for name in names)


_OF_SYSTEMS = (Column("system"), *_numbers("questions", "correct", "incorrect", "given up", "open"))
_OF_ROUNDS = _numbers("round", "questions", "units asked about", "covered", "correct", "given up")
_OF_CLUSTERS = (
    Column("cluster"),
    *_numbers("units", "correct", "incorrect", "given up", "open"),
    Column("known", Kind.SHARE),
)


def oral_result(found: Sequence[Examination], more: Mapping[str, Any] | None = None) -> Result:
    """Put examinations into a table of systems, and print for each its rounds, clusters and what it never covered."""
    scores = [each.score for each in found]
    cells = tuple((s.examinee.name, s.questions, s.correct, s.incorrect, s.given_up, s.open) for s in scores)
    notes = tuple(f"{s.examinee.name}: ended because {s.reason}." for s in scores)
    record = {
        **(more or {}),
        "plan": found[0].plan.model_dump(mode="json"),
        "examinations": [
            {**each.score.model_dump(mode="json", context=worded()), "asked_now": each.asked_now} for each in found
        ],
    }
    parts = tuple(part for each in found for part in _of_system(each))
    return Result(_TITLE, (Table(_TITLE, _OF_SYSTEMS, cells),), notes, record, parts=parts)


def _of_system(found: Examination) -> tuple[Result, ...]:
    score = found.score
    rounds = tuple(
        (row.round, row.questions, row.asked, row.covered, row.correct, row.given_up) for row in score.rounds
    )
    ranked = sorted(score.by_cluster, key=lambda row: (row.known.value if row.known else 1.0, row.level))
    clusters = tuple(
        (row.level, row.units, row.correct, row.incorrect, row.given_up, row.open, row.known)
        for row in ranked[:_CLUSTERS_SHOWN]
    )
    tables = (Table(_ROUNDS, _OF_ROUNDS, rounds), Table("Clusters, least known first", _OF_CLUSTERS, clusters))
    more = len(ranked) - len(clusters)
    told = [f"  and {more} more clusters (--json shows all)"] if more else []
    told += [*_of_roles(score), *_of_ability(score), *_uncovered(found)]
    return (
        Result(score.examinee.name, (), tuple(f"  {each}" for each in _coverage(found))),
        Result(_ROUNDS, tables, tuple(told)),
    )


def _coverage(found: Examination) -> Iterator[str]:
    score = found.score
    yield headline(score)
    yield (
        f"Correct: {score.correct}. Incorrect: {score.incorrect}. Given up (asked about alone, and not in the "
        f"answer): {score.given_up}. Open: {score.open}."
    )
    yield score.how_clustered
    yield f"Ended: {score.reason}."
    earlier = score.questions - found.asked_now
    before = f"; {earlier} of them were asked before" if earlier > 0 else ""
    yield f"Questions: {score.questions} ({_listed(score.forms)}){before}."
    yield types_in_words(score)
    for label, counts in (("Answers", score.flags), ("Failed", score.failures)):
        if counts:
            yield f"{label}: {_listed(counts)}."
    if score.contradictions or score.unjudged:
        yield f"Units contradicted later: {score.contradictions}. Answers not judged: {score.unjudged}."


def _of_roles(score: OralScore) -> Iterator[str]:
    for use in score.roles:
        tokens = "tokens not counted" if use.tokens is None else f"{use.tokens:,} tokens"
        cost = f", ${use.cost:.4f}" if use.cost is not None else ""
        yield f"  {use.role}: {use.calls:,} calls, {tokens}{cost}"


def _of_ability(score: OralScore) -> Iterator[str]:
    ability = score.ability
    if ability is None:
        yield f"  {score.why_no_ability}"
        return
    alone = _interval(ability.alone) if ability.alone else "not measured"
    scale = "" if ability.linked or ability.alone is None else " (each on a scale of its own)"
    yield f"  Ability by the exam alone: {alone}; with the oral examination: {_interval(ability.joined)}{scale}."
    yield from (f"    {note_sentence(note)}" for note in ability.notes)


def _uncovered(found: Examination) -> Iterator[str]:
    covered = {each.unit_id for each in found.score.outcomes if each.status in _COVERED}
    never = [f"  {unit.description}" for unit in found.plan.units if unit.id not in covered]
    if never:
        yield f"  Never covered ({len(never)}):"
    yield from shortened(never, _UNITS_SHOWN)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _interval(found: Estimate) -> str:
    return f"{found.value:+.1f} (95%: {found.low:+.1f} to {found.high:+.1f})"
