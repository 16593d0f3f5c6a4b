"""What is kept of an oral examination: its plan, every turn as it happens, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from viva.core.records import OralPlan, OralTurn
from viva.core.scores import OralFinding
from viva.core.scores_oral import OralScore
from viva.storage.runs import RunStore

_PLAN, _PROBLEM = "oral plan", "oral problem"


@dataclass(frozen=True)
class OralExaminations:
    """Who was examined orally on a plan, with the turns by examinee id; `paths` are those of the units' documents."""

    plan: OralPlan | None
    """None where there is none, and `problem` says why"""
    scores: tuple[OralScore, ...]
    turns: Mapping[str, tuple[OralTurn, ...]]
    paths: Mapping[str, str]
    problem: str = ""
    """why it was not made within the run, or not to its end"""


def kept_plan(store: RunStore) -> OralPlan | None:
    """What is examined in this run, the same for everybody; None while nobody was examined."""
    found = store.latest_result(_PLAN)
    return None if found is None else OralPlan.model_validate(found)


def keep_plan(store: RunStore, plan: OralPlan) -> None:
    """Make it the run's plan."""
    store.add_result(_PLAN, plan.model_dump(mode="json"))


def keep_turn(store: RunStore, examinee_id: str, turn: OralTurn) -> None:
    """Log a turn: once when it is answered, once more when it is judged."""
    store.add_result(f"oral {examinee_id}", turn.model_dump(mode="json"))


def kept_turns(store: RunStore, examinee_id: str) -> list[OralTurn]:
    """The examinee's turns in order, each as it was logged last."""
    logged = (OralTurn.model_validate(each) for each in store.results(f"oral {examinee_id}"))
    latest = {turn.number: turn for turn in logged}
    return [latest[number] for number in sorted(latest)]


def keep_score(store: RunStore, score: OralScore) -> None:
    """Make it the examinee's latest."""
    store.add_result(f"oral score {score.examinee.id}", score.model_dump(mode="json"))


def kept_scores(store: RunStore) -> list[OralScore]:
    """The latest of everybody who was examined orally, by name."""
    found = (store.latest_result(f"oral score {examinee.id}") for examinee in store.examinees())
    scores = [OralScore.model_validate(each) for each in found if each is not None]
    return sorted(scores, key=lambda score: (score.examinee.name, score.examinee.id))


def findings(scores: Iterable[OralScore]) -> tuple[OralFinding, ...]:
    """The same in short."""
    return tuple(
        OralFinding(
            examinee=score.examinee,
            units=score.units,
            examined=score.examined,
            known=score.known,
            known_low=score.known_low,
            known_high=score.known_high,
            questions=score.questions,
            reason=score.reason,
            ability=score.ability.joined if score.ability else None,
        )
        for score in scores
    )


def keep_problem(store: RunStore, problem: str) -> None:
    """Why the oral examination of a run was not made, or not to its end; '' where nothing stood in its way."""
    store.add_result(_PROBLEM, problem)


def kept_problem(store: RunStore) -> str:
    """The latest; '' where there is none."""
    return str(store.latest_result(_PROBLEM) or "")


def examinations(store: RunStore, paths: Mapping[str, str]) -> OralExaminations | None:
    """All that is known of the oral examinations; None where there was none. `paths` of documents, by id."""
    plan, problem = kept_plan(store), kept_problem(store)
    scores = tuple(score for score in kept_scores(store) if plan and score.plan_id == plan.id)
    if plan is None or not scores:
        return OralExaminations(None, (), {}, {}, problem) if problem else None
    turns = {score.examinee.id: tuple(kept_turns(store, score.examinee.id)) for score in scores}
    documents = sorted({unit.evidence.document_id for unit in plan.units})
    return OralExaminations(plan, scores, turns, {i: paths[i] for i in documents}, problem)
