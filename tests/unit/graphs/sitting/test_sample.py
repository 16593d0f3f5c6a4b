"""A sitting of a sample in a run: what is asked, what is kept, and what the leaderboard makes of it."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from by_hand import exam, response

from viva.core.errors import UsageError
from viva.core.note_words import scores_notes
from viva.core.notes import Note, NoteCode
from viva.core.records import Exam, Examinee, ExamItem, Response
from viva.core.scores import SampleScore, Scores
from viva.core.settings import Settings
from viva.graphs import results
from viva.graphs.context import RunContext
from viva.graphs.engines.local import LocalEngine
from viva.graphs.sitting import administer
from viva.graphs.sitting.sample import kept, sit_sample
from viva.metrics.irt import probability_3pl

ITEMS = 40
EXAM = exam(ITEMS)
SAMPLE = 12
PANEL = 16
# right on what its question's pump number says: the numbers are difficulties
SYSTEM = """
import pathlib, re
def answer(question):
    with pathlib.Path({log!r}).open("a") as log:
        log.write("x")
    number = int(re.search(r"pump (\\d+)", question)[1])
    {body}
"""
MIDDLING = "return 'ABCD'[number % 4 if number < 25 else (number + 1) % 4]"


def panel_answers(of: Exam, count: int, seed: int = 0) -> tuple[list[Examinee], list[Response]]:
    """Examinees of evenly spread ability; later questions are harder."""
    rng = np.random.default_rng(seed)
    theta, b = np.linspace(-1.5, 1.5, count), np.linspace(-2, 2, len(of.items))
    right = rng.random((count, len(of.items))) < probability_3pl(theta, np.full(len(b), 1.5), b, np.full(len(b), 0.2))
    panel = [Examinee(id=f"panel {n}", name=f"panel {n}", spec=f"p{n}") for n in range(count)]
    given = [
        response(each.id, shown, shown.key_position if right[i, j] else (shown.key_position + 1) % 4)
        for i, each in enumerate(panel)
        for j, shown in enumerate(of.items)
    ]
    return panel, given


def make_run(folder: Path, panel: int = PANEL) -> Path:
    """A run whose exam a panel has sat, and which is not scored."""
    context = RunContext(folder, Settings())
    context.bind(folder.parent, "fingerprint")
    context.store.add_exam(EXAM)
    examinees, given = panel_answers(EXAM, panel)
    for each in examinees:
        context.store.add_examinee(each)
    context.store.add_responses(given)
    context.close()
    return folder


class Room:
    """A run folder of one's own, and a system that is new to it."""

    def __init__(self, run: Path, folder: Path, body: str = MIDDLING) -> None:
        self.folder, self.log, self.file = folder / "run", folder / "calls", folder / "system.py"
        self.log.touch()
        self.file.write_text(SYSTEM.format(log=str(self.log), body=body))
        shutil.copytree(run, self.folder)

    def context(self) -> RunContext:
        return RunContext(self.folder, Settings(examinees=(f"new={self.file}:answer",)))

    def score(self) -> Scores:
        context = self.context()
        results.score(context)
        scores = results.scores_of(context.store, context.folder)
        context.close()
        return scores

    def sample(self, size: int = SAMPLE, watch: Any = None) -> SampleScore:
        context = self.context()
        if watch:
            context.watch = watch
        (score,) = sit_sample(context, size)
        return score

    def whole(self) -> None:
        context = self.context()
        asyncio.run(LocalEngine(context).sit(0))
        context.close()

    @property
    def calls(self) -> int:
        return len(self.log.read_text())

    @property
    def own(self) -> list[Response]:
        context = self.context()
        found = [r for r in context.store.responses() if not r.examinee_id.startswith("panel")]
        context.close()
        return found


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is scored. Do not change it."""
    folder = make_run(tmp_path_factory.mktemp("scored") / "run")
    context = RunContext(folder, Settings())
    results.score(context)
    context.close()
    return folder


@pytest.fixture
def room(scored: Path, tmp_path: Path) -> Room:
    return Room(scored, tmp_path)


def test_accuracy_on_the_whole_exam_is_estimated_from_a_few_questions(room: Room) -> None:
    score = room.sample()
    assert (score.asked, score.items, room.calls) == (12, ITEMS, 12)
    assert score.by_model
    assert score.accuracy is not None
    # the system is right on 25 of 40
    assert score.accuracy.low <= 25 / ITEMS <= score.accuracy.high
    assert abs(score.accuracy.value - 25 / ITEMS) < 0.15
    topic = {shown.item.id: shown.item.topic for shown in EXAM.items}
    counts = Counter(topic[each.item_id] for each in room.own)
    assert abs(counts["topic 0"] - counts["topic 1"]) <= 2


@pytest.mark.parametrize("panel", [0, 4])
def test_where_few_have_taken_the_exam_it_is_the_share_of_right_answers(tmp_path: Path, panel: int) -> None:
    room = Room(make_run(tmp_path / "made", panel=panel), tmp_path)
    if panel:
        room.score()
    score = room.sample()
    assert not score.by_model
    assert score.accuracy is not None
    right = sum(each.choice == shown_of(each).key_position for each in room.own)
    assert score.accuracy.value == pytest.approx(right / 12)


def shown_of(response: Response) -> ExamItem:
    return next(shown for shown in EXAM.items if shown.item.id == response.item_id)


def test_an_interrupted_sitting_goes_on_with_the_same_questions_and_asks_none_twice(room: Room, scored: Path) -> None:
    def strike(stage: str, done: int, total: int, note: str = "") -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        room.sample(24, watch=strike)
    asked = len(room.own)
    assert 0 < asked < 24
    assert [each.asked for each in room.score().sampled] == [asked]
    resumed = room.sample(24)
    assert (resumed.asked, len(room.own)) == (24, 24)
    # what was under way when it was interrupted may be asked again
    calls = room.calls
    assert calls <= 24 + 2
    assert room.sample(24) == resumed
    assert room.calls == calls
    questions = {each.item_id for each in room.own}
    shutil.rmtree(room.folder)
    shutil.copytree(scored, room.folder)
    assert room.sample(24) == resumed
    assert {each.item_id for each in room.own} == questions


def test_a_larger_sample_goes_on_where_a_smaller_one_ended(room: Room) -> None:
    room.sample(8)
    assert room.sample(20).asked == room.calls == 20
    # and a smaller one leaves it as it is
    assert room.sample(8).asked == 20
    assert room.sample(1000).asked == room.calls == ITEMS
    assert "new" in {row.examinee.name for row in room.score().examinees}


def test_systems_are_asked_other_questions(room: Room) -> None:
    def order(name: str) -> tuple[str, ...]:
        context = RunContext(room.folder, Settings(examinees=(f"{name}={room.file}:answer",)))
        (spec,) = context.candidates.specs
        sit_sample(context, 3)
        context = room.context()
        record = kept(context.store, spec.examinee.id)
        context.close()
        assert record is not None
        return record.order

    # a system's draw hangs on its id, and that on where this test's folder lies: two of 40 may well begin alike
    assert len({order(name) for name in "abcdef"}) > 1


def test_who_took_a_sample_is_not_on_the_leaderboard_and_in_no_figure(room: Room) -> None:
    context = room.context()
    alone = results.scores_of(context.store, context.folder)
    context.close()
    score = room.sample()
    scores = room.score()
    assert scores.model_copy(update={"sampled": (), "notes": alone.notes}) == alone
    assert scores.sampled == (score,)
    (note,) = set(scores_notes(scores)) - set(scores_notes(alone))
    assert note.startswith("new was asked 12 of 40 questions and is not on the leaderboard.")
    assert score.accuracy is not None
    assert f"{score.accuracy.value:.0%}" in note


def test_a_whole_sitting_later_asks_only_the_rest_and_is_on_the_leaderboard(room: Room) -> None:
    room.sample()
    room.whole()
    assert room.calls == ITEMS
    scores = room.score()
    (row,) = [row for row in scores.examinees if row.examinee.name == "new"]
    assert (row.asked, row.correct) == (ITEMS, 25)
    assert scores.sampled == ()
    assert not any("sampled" in note.code for note in scores.notes)


def test_who_sat_the_exam_already_is_asked_nothing_and_stays_on_the_leaderboard(room: Room) -> None:
    room.whole()
    room.score()
    room.sample()
    assert room.calls == ITEMS
    assert "new" in {row.examinee.name for row in room.score().examinees}


def test_a_failure_is_counted_and_not_graded(tmp_path: Path, scored: Path) -> None:
    room = Room(scored, tmp_path, body="if number % 2: raise ValueError('no index')\n    return 'A'")
    score = room.sample()
    failed = sum(each.failure is not None for each in room.own)
    assert score.ungraded == failed > 0
    assert score.failures == {"raised": failed}


def test_an_answer_that_means_no_option_is_wrong_and_counted(tmp_path: Path, scored: Path) -> None:
    score = Room(scored, tmp_path, body="return 'I do not know'").sample()
    assert (score.no_choice, score.ungraded) == (12, 0)
    assert score.accuracy is not None
    assert score.accuracy.value < 0.3


def test_a_system_that_fails_on_and_on_is_withdrawn_and_not_measured(tmp_path: Path, scored: Path) -> None:
    room = Room(scored, tmp_path, body="raise ValueError('no index')")
    score = room.sample()
    assert room.calls == administer.WITHDRAWN_AFTER
    assert (score.asked, score.ungraded, score.accuracy) == (12, 12, None)
    assert score.failures == {"raised": 5, "withdrawn": 7}
    (note,) = [note for note in scores_notes(room.score()) if "new was asked" in note]
    assert "None of its responses could be graded (5 raised, 7 withdrawn): nothing was measured." in note


def test_where_only_samples_were_taken_there_is_nothing_to_score(tmp_path: Path) -> None:
    room = Room(make_run(tmp_path / "made", panel=0), tmp_path)
    room.sample()
    with pytest.raises(UsageError, match=r"whole of this exam yet, only parts.*viva sit"):
        room.score()


def test_after_the_exam_was_changed_an_earlier_sample_is_still_no_sitting_of_the_whole(room: Room) -> None:
    room.sample()
    context = room.context()
    context.store.add_exam(Exam(id="shorter", items=EXAM.items[:30]))
    context.close()
    scores = room.score()
    assert "new" not in {row.examinee.name for row in scores.examinees}
    assert scores.sampled == ()
    assert Note(code=NoteCode.SAMPLED_UNFINISHED, examinees=("new",)) in scores.notes
    assert room.sample().items == 30


def test_an_adaptive_sitting_of_an_earlier_version_is_off_the_leaderboard_until_a_sample_is_drawn(room: Room) -> None:
    context = room.context()
    (spec,) = context.candidates.specs
    context.store.add_examinee(spec.examinee)
    context.store.add_responses([response(spec.examinee.id, shown, 0) for shown in EXAM.items[:9]])
    context.store.add_result(f"adaptive {spec.examinee.id}", {"exam_id": EXAM.id, "a": [1.0], "outcome": None})
    context.close()
    scores = room.score()
    assert "new" not in {row.examinee.name for row in scores.examinees}
    assert Note(code=NoteCode.SAMPLED_UNFINISHED, examinees=("new",)) in scores.notes
    assert room.sample().asked == 12
    assert [each.asked for each in room.score().sampled] == [12]
