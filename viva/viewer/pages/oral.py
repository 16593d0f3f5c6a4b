"""Oral examinations: who was asked what, what it showed, and what was asked again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from viva.core.records import OralCluster, OralTurn, OralUnit
from viva.graphs.oral_exam.record import kept_plan, kept_problem, kept_scores, kept_turns
from viva.viewer.loaded_run import LoadedRun, RecordedRun
from viva.viewer.pages.systems import examinee_of


@dataclass(frozen=True)
class TurnView:
    """A question with its answer; `again` says of how many of its units it was asked a further time."""

    turn: OralTurn
    units: tuple[OralUnit, ...]
    again: int
    judged: tuple[tuple[str, str, str, str], ...]
    """(keyword, verdict, the words quoted, why) of each unit judged"""


def oral_page(run: LoadedRun) -> dict[str, Any]:
    """Everybody who was examined orally."""
    store = run.context.store
    return {"scores": kept_scores(store), "problem": kept_problem(store), "plan": kept_plan(store)}


def transcript_page(run: LoadedRun, state: RecordedRun, examinee_id: str) -> dict[str, Any]:
    """All turns of one examinee, and how far each cluster is covered. NotFound for an unknown one."""
    examinee, store = examinee_of(state, examinee_id), run.context.store
    plan, turns = kept_plan(store), kept_turns(store, examinee_id)
    units = {unit.id: unit for unit in plan.units} if plan else {}
    asked: Counter[str] = Counter()
    views = []
    for turn in turns:
        again = sum(asked[unit_id] > 0 for unit_id in turn.unit_ids)
        asked.update(turn.unit_ids)
        named = tuple(units[unit_id] for unit_id in turn.unit_ids if unit_id in units)
        views.append(TurnView(turn, named, again, tuple(_judged(turn, units))))
    score = next((each for each in kept_scores(store) if each.examinee.id == examinee_id), None)
    return {
        "examinee": examinee,
        "turns": views,
        "score": score,
        "clusters": [_covered(cluster, turns) for cluster in plan.clusters] if plan else [],
    }


def _judged(turn: OralTurn, units: dict[str, OralUnit]) -> list[tuple[str, str, str, str]]:
    words = {True: "known", False: "wrong", None: "not shown"}
    return [
        (
            units[each.unit_id].keyword if each.unit_id in units else each.unit_id,
            "not judged" if each.failed else words[each.correct],
            each.quote,
            each.reason,
        )
        for each in turn.judgements
    ]


def _covered(cluster: OralCluster, turns: list[OralTurn]) -> dict[str, Any]:
    best: dict[str, bool] = {}
    for turn in turns:
        for judgement in turn.judgements:
            if judgement.correct is not None:
                best[judgement.unit_id] = best.get(judgement.unit_id, False) or judgement.correct
    own = set(cluster.unit_ids)
    return {
        "name": cluster.name,
        "units": len(own),
        "known": sum(best.get(unit_id) is True for unit_id in own),
        "wrong": sum(best.get(unit_id) is False for unit_id in own),
    }
