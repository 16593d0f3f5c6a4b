"""What people do in the viewer is recorded once, as what it is, and overwrites nobody's decision."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from view_run import made_run

from viva.core.records.labels import Label, standing
from viva.exams.review import Overtaken
from viva.viewer import acts
from viva.viewer.loaded_run import LoadedRun
from viva.viewer.pages.items import item_page
from viva.viewer.pages.judges import draw, label_page
from viva.viewer.pages.judges import seen as seen_label


@pytest.fixture
def run(tmp_path: Path) -> LoadedRun:
    return LoadedRun(made_run(tmp_path / "run", units=8, items=4, open_items=3))


def seen(run: LoadedRun) -> str:
    return run.state().standing[0].seen


def first(run: LoadedRun) -> str:
    return run.state().standing[0].shown.item.id


def test_who_saw_a_decision_that_was_exchanged_for_another_is_told(run: LoadedRun) -> None:
    acts.review(run, first(run), {"decision": "reject", "seen": "0"}, "Ada")
    before = seen(run)
    acts.review(run, first(run), {"decision": "undo", "seen": before}, "Bo")
    acts.review(run, first(run), {"decision": "accept", "seen": "0"}, "Bo")
    with pytest.raises(Overtaken, match="Bo decided"):
        acts.review(run, first(run), {"decision": "undo", "seen": before}, "Ada")
    assert run.state().standing[0].settled == "accept"


def test_what_is_part_of_the_exam_already_cannot_be_taken_back(run: LoadedRun) -> None:
    acts.review(run, first(run), {"decision": "accept", "seen": "0"}, "Ada")
    assert acts.finish(run) == 4
    with pytest.raises(acts.UsageError, match="no decision about this question"):
        acts.review(run, first(run), {"decision": "undo", "seen": seen(run)}, "Ada")


def last_of(run: LoadedRun, by: str) -> tuple[int, str] | None:
    """What the key u takes back on every page: number and decision."""
    state, told = run.state(), list[tuple[int, str] | None]()
    for each in state.standing:
        found = item_page(run, state, each.shown.item.id, by)["last"]
        told.append((found.row.number, found.decision) if found else None)
    assert len(set(told)) == 1
    return told[0]


def decide(run: LoadedRun, number: int, decision: str, by: str, **more: str) -> None:
    progress = run.state().standing[number - 1]
    acts.review(run, progress.shown.item.id, {"decision": decision, "seen": progress.seen, **more}, by)


def test_u_takes_back_the_person_s_last_decision_on_whichever_page_and_never_another_one(run: LoadedRun) -> None:
    assert last_of(run, "Ada") is None
    decide(run, 2, "reject", "Ada")
    decide(run, 1, "accept", "Ada")
    decide(run, 3, "accept", "Bo")
    assert (last_of(run, "Ada"), last_of(run, "Bo"), last_of(run, "Cy")) == ((1, "accept"), (3, "accept"), None)
    decide(run, 1, "undo", "Ada")
    assert last_of(run, "Ada") == (2, "reject")
    stem = run.state().standing[1].shown.item.stem
    decide(run, 2, "edit", "Ada", field="stem", before=stem, after="How long before low water does it close?")
    assert last_of(run, "Ada") == (2, "edit")
    decide(run, 2, "accept", "Bo")
    # somebody has decided after it, and an older one is not the last
    assert last_of(run, "Ada") is None
    acts.finish(run)
    assert last_of(run, "Bo") is None


def test_a_label_of_the_next_answer_is_a_random_draw_and_one_of_a_picked_answer_is_none(run: LoadedRun) -> None:
    order = [each.response.id for each in draw(run, run.state())]
    drawn = {"score": "n", "seen": "none", "drawn": "1"}
    acts.label(run, order[0], drawn, "Ada")
    # the next of the draw, picked from the list
    acts.label(run, order[1], {"score": "y", "seen": "none"}, "Ada")
    # no longer the next
    acts.label(run, order[-1], drawn, "Ada")
    held = standing(run.context.store.labels())
    assert [held[order[n], "Ada"].seed for n in (0, 1, -1)] == [0, None, None]


@pytest.mark.parametrize("seed", [None, 7])
def test_a_label_that_is_corrected_stays_the_draw_that_it_was(seed: int | None, run: LoadedRun) -> None:
    first = draw(run, run.state())[0].response.id
    given = Label(response_id=first, by="Ada", at="2026-01-01", score=1.0, seed=seed)
    run.context.store.add_labels([given])
    acts.label(run, first, {"score": "n", "seen": seen_label(given)}, "Ada")
    held = standing(run.context.store.labels())[first, "Ada"]
    assert (held.score, held.seed) == (0.0, seed)


def test_an_answer_labelled_by_hand_comes_up_in_the_draw_all_the_same(run: LoadedRun) -> None:
    first = draw(run, run.state())[0].response.id
    acts.label(run, first, {"score": "n", "seen": "none"}, "Ada")
    for said, expected in (("undo", (None, None)), ("y", (1.0, 0))):
        page = label_page(run, run.state(), "", "Ada")
        assert (page["each"].response.id, page["drawn"]) == (first, True)
        acts.label(run, first, {"score": said, "seen": page["seen"], "drawn": "1"}, "Ada")
        held = standing(run.context.store.labels())[first, "Ada"]
        assert (held.score, held.seed) == expected
    assert label_page(run, run.state(), "", "Ada")["each"].response.id != first


def test_a_wording_that_changes_nothing_is_no_edit(run: LoadedRun) -> None:
    stem = run.state().standing[0].shown.item.stem
    form = {"decision": "edit", "field": "stem", "before": stem, "after": stem, "seen": "0"}
    with pytest.raises(acts.UsageError, match="as it was"):
        acts.review(run, first(run), form, "Ada")
