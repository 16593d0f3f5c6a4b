"""What judges and people said of answers stays in the run as it was said."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.records import Grade, Run
from viva.core.records.labels import Label, standing
from viva.storage.runs import RunStore


def grade(response: str, score: float, judge: str = "ear") -> Grade:
    return Grade(response_id=response, examinee_id="e", item_id="i", score=score, judge=judge, reason="compared")


def label(response: str, score: float | None, by: str = "ada") -> Label:
    return Label(response_id=response, by=by, at="2026-01-01T00:00:00Z", score=score, seed=0)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    return RunStore.create_or_open(tmp_path, database_url=None, run=run)


def test_a_grade_stays_as_it_was_given_and_each_judge_has_its_own(store: RunStore) -> None:
    store.add_grades("first", [grade("a", 1.0), grade("b", 0.2)])
    store.add_grades("first", [grade("a", 0.0)])
    store.add_grades("second", [grade("a", 0.5, "eye")])
    assert store.grades("first") == {"a": grade("a", 1.0), "b": grade("b", 0.2)}
    assert store.grades("second") == {"a": grade("a", 0.5, "eye")}
    assert store.grades("nobody") == {}


def test_every_label_is_kept_in_order_the_same_one_twice_too(store: RunStore, tmp_path: Path) -> None:
    said = [label("a", 1.0), label("b", None), label("a", 0.0), label("a", 1.0), label("a", 0.5, "bob")]
    for each in said:
        store.add_labels([each])
    store.close()
    with RunStore.open(tmp_path) as again:
        assert again.labels() == said
        assert [each.score for each in standing(again.labels()).values()] == [1.0, None, 0.5]
