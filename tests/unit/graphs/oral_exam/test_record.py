"""What is kept of an oral examination in the run store: every turn, in order, as it was told last."""

from __future__ import annotations

from pathlib import Path

from oral_hall import Hall, knows

from viva.core.records import Run
from viva.core.scores import OralFinding
from viva.graphs.oral_exam.record import (
    findings,
    keep_plan,
    keep_score,
    keep_turn,
    kept_plan,
    kept_scores,
    kept_turns,
)
from viva.storage.runs import RunStore


def opened(folder: Path) -> RunStore:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    return RunStore.create_or_open(folder, database_url=None, run=run)


def test_turns_come_back_in_order_each_as_it_was_logged_last(tmp_path: Path) -> None:
    hall = Hall(knows(*range(12)))
    hall.examine()
    with opened(tmp_path) as store:
        for turn in hall.log:
            keep_turn(store, "e", turn)
        keep_turn(store, "other", hall.log[0])
    with opened(tmp_path) as store:
        assert kept_turns(store, "e") == hall.turns
        assert len(store.results("oral e")) == len(hall.log) > len(hall.turns)
        assert kept_turns(store, "nobody") == []


def test_what_an_earlier_version_stored_besides_is_ignored(tmp_path: Path) -> None:
    hall = Hall(knows(*range(12)))
    score = hall.scored()
    plan, kept = hall.plan.model_dump(mode="json"), score.model_dump(mode="json")
    for unit in plan["units"]:
        unit["question"] = "How many litres?"
    kept["chance"] = {"value": 0.1, "low": 0.0, "high": 0.2}
    with opened(tmp_path) as store:
        store.add_result("oral plan", plan)
        store.add_examinee(hall.examinee)
        store.add_result(f"oral score {hall.examinee.id}", kept)
        assert kept_plan(store) == hall.plan
        assert kept_scores(store) == [score]
    found = findings([score])[0]
    assert OralFinding.model_validate({**found.model_dump(mode="json"), "chance": None}) == found


def test_plan_and_scores_come_back_as_they_were(tmp_path: Path) -> None:
    hall = Hall(knows(*range(12)))
    score = hall.scored()
    with opened(tmp_path) as store:
        assert kept_plan(store) is None
        keep_plan(store, hall.plan)
        store.add_examinee(hall.examinee)
        assert kept_scores(store) == []
        keep_score(store, score)
        assert kept_plan(store) == hall.plan
        assert kept_scores(store) == [score]
