"""An adaptive sitting in a run: who may sit, what is asked, what is kept, and what the leaderboard makes of it."""

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
from viva.core.records import Exam, Examinee, Response
from viva.core.scores import Scores
from viva.core.settings import Settings
from viva.graphs import results
from viva.graphs.context import RunContext
from viva.graphs.engines.local import LocalEngine
from viva.graphs.sitting import administer
from viva.graphs.sitting.adaptive import AdaptiveOutcome, Aims, sit_adaptively, topics
from viva.metrics.irt import probability_3pl
from viva.metrics.irt.adaptive.bank import ENOUGH_EXAMINEES

ITEMS = 40
EXAM = exam(ITEMS)
AIMS = Aims(target_se=0.3, budget=12)
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


def make_run(folder: Path, panel: int = ENOUGH_EXAMINEES, copies: int = 0) -> Path:
    """A run whose exam a panel has sat, and nobody has scored; so many of it answer as the first does."""
    context = RunContext(folder, Settings())
    context.bind(folder.parent, "fingerprint")
    context.store.add_exam(EXAM)
    examinees, given = panel_answers(EXAM, panel - copies)
    for n in range(copies):
        copy = Examinee(id=f"copy {n}", name=f"copy {n}", spec=f"c{n}")
        of_first = [response(copy.id, shown, given[j].choice) for j, shown in enumerate(EXAM.items)]
        examinees, given = [*examinees, copy], [*given, *of_first]
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

    def adaptively(self, aims: Aims = AIMS, watch: Any = None) -> AdaptiveOutcome:
        context = self.context()
        if watch:
            context.watch = watch
        (outcome,) = sit_adaptively(context, aims)
        return outcome

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
    """A run that is calibrated. Do not change it."""
    folder = make_run(tmp_path_factory.mktemp("scored") / "run")
    context = RunContext(folder, Settings())
    results.score(context)
    context.close()
    return folder


@pytest.fixture
def room(scored: Path, tmp_path: Path) -> Room:
    return Room(scored, tmp_path)


def test_accuracy_on_the_whole_exam_is_estimated_from_a_few_questions(room: Room) -> None:
    outcome = room.adaptively()
    score = outcome.score
    assert (score.asked, score.items, score.drawn, score.reason) == (12, ITEMS, 6, "budget")
    assert score.accuracy is not None
    # the system is right on 25 of 40
    assert score.accuracy.low <= 25 / ITEMS <= score.accuracy.high
    assert abs(score.accuracy.value - 25 / ITEMS) < 0.15
    assert score.ability is not None
    assert score.ability.low < score.ability.value < score.ability.high
    assert len(outcome.path) == len(outcome.responses) == 12
    assert outcome.path[-1] == pytest.approx((score.ability.value, score.ability_se))


def test_it_ends_when_the_ability_is_known_well_enough(room: Room) -> None:
    score = room.adaptively(Aims(target_se=0.6, budget=30)).score
    assert score.reason == "precise"
    assert score.asked < 30
    assert score.ability_se is not None
    assert score.ability_se < 0.6


def test_who_answers_as_another_does_is_not_counted_among_those_who_calibrated(tmp_path: Path) -> None:
    room = Room(make_run(tmp_path / "made", panel=ENOUGH_EXAMINEES, copies=1), tmp_path)
    room.score()
    assert set(room.adaptively().phases) == {"random"}


def test_where_too_few_calibrated_the_exam_every_question_is_drawn_at_random(tmp_path: Path) -> None:
    room = Room(make_run(tmp_path / "made", panel=ENOUGH_EXAMINEES - 1), tmp_path)
    room.score()
    outcome = room.adaptively()
    assert set(outcome.phases) == {"random"}
    assert (outcome.score.asked, outcome.score.drawn) == (12, 12)
    topic = {shown.item.id: shown.item.topic for shown in EXAM.items}
    counts = Counter(topic[response.item_id] for response in outcome.responses)
    assert abs(counts["topic 0"] - counts["topic 1"]) <= 2
    accuracy = outcome.score.accuracy
    assert accuracy is not None
    assert accuracy.low <= 25 / ITEMS <= accuracy.high


def test_topics_are_asked_in_the_shares_of_the_exam(room: Room) -> None:
    outcome = room.adaptively(Aims(target_se=0.0, budget=24))
    topic = {shown.item.id: shown.item.topic for shown in EXAM.items}
    chosen = [
        topic[r.item_id] for r, phase in zip(outcome.responses, outcome.phases, strict=True) if phase == "adaptive"
    ]
    assert abs(chosen.count("topic 0") - chosen.count("topic 1")) <= 1


def test_topics_too_small_for_a_question_of_their_own_are_balanced_as_one() -> None:
    own = [
        shown.model_copy(update={"item": shown.item.model_copy(update={"topic": "large" if n < 20 else f"own {n}"})})
        for n, shown in enumerate(EXAM.items)
    ]
    counts = Counter(topics(Exam(id="many topics", items=tuple(own)), 15))
    assert sorted(counts.values()) == [20, 20]
    assert counts["large"] == 20


def test_an_interrupted_sitting_goes_on_where_it_was_and_asks_nothing_twice(room: Room, scored: Path) -> None:
    def strike(stage: str, done: int, total: int, note: str = "") -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        room.adaptively(watch=strike)
    assert room.calls == 5
    resumed = room.adaptively()
    assert (room.calls, resumed.asked_now) == (12, 7)
    assert room.adaptively().asked_now == 0
    shutil.rmtree(room.folder)
    shutil.copytree(scored, room.folder)
    undisturbed = room.adaptively()
    assert [r.item_id for r in resumed.responses] == [r.item_id for r in undisturbed.responses]
    assert resumed.path == undisturbed.path


def test_a_sitting_goes_on_over_the_bank_it_was_begun_with(room: Room) -> None:
    before = room.adaptively()
    context = room.context()
    more, given = panel_answers(EXAM, 6, seed=5)
    for each in more:
        context.store.add_examinee(
            each.model_copy(update={"id": f"panel more {each.id}", "name": f"more {each.name}"})
        )
    context.store.add_responses(
        [
            response(f"panel more {r.examinee_id}", shown, r.choice)
            for r in given
            for shown in EXAM.items
            if shown.item.id == r.item_id
        ]
    )
    context.close()
    room.score()
    assert room.adaptively().path == before.path
    longer = room.adaptively(Aims(target_se=0.3, budget=16))
    assert [r.item_id for r in longer.responses[:6]] == [r.item_id for r in before.responses[:6]]
    # of the twelve asked before, six were chosen, and are again
    assert room.calls == len(room.own) <= 16 + 6


def test_who_sat_adaptively_is_beside_the_leaderboard_and_in_no_figure(room: Room) -> None:
    context = room.context()
    alone = results.scores_of(context.store, context.folder)
    context.close()
    outcome = room.adaptively()
    scores = room.score()
    assert scores.model_copy(update={"adaptive": (), "notes": alone.notes}) == alone
    assert scores.adaptive == (outcome.score,)
    (note,) = set(scores_notes(scores)) - set(scores_notes(alone))
    assert note.startswith("new sat adaptively and is not on the leaderboard.")
    assert "12 of 40" in note
    assert f"{outcome.score.accuracy.value:.0%}" in note


def test_an_unfinished_sitting_is_left_off_the_leaderboard_too(room: Room) -> None:
    def strike(stage: str, done: int, total: int, note: str = "") -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        room.adaptively(watch=strike)
    scores = room.score()
    assert "new" not in {row.examinee.name for row in scores.examinees}
    assert Note(code=NoteCode.ADAPTIVE_UNFINISHED, examinees=("new",)) in scores.notes


def test_a_whole_sitting_later_asks_only_the_rest_and_is_on_the_leaderboard(room: Room) -> None:
    room.adaptively()
    room.whole()
    assert room.calls == ITEMS
    scores = room.score()
    (row,) = [row for row in scores.examinees if row.examinee.name == "new"]
    assert (row.asked, row.correct) == (ITEMS, 25)
    assert scores.adaptive == ()
    assert not any("adaptive" in note.code for note in scores.notes)


def test_who_sat_the_exam_already_is_measured_by_the_others_questions_and_asked_nothing(room: Room) -> None:
    room.whole()
    room.score()
    outcome = room.adaptively()
    assert (outcome.asked_now, room.calls) == (0, ITEMS)
    assert "new" not in outcome.record.calibrated_by
    assert "new" in {row.examinee.name for row in room.score().examinees}


def test_a_failure_is_counted_and_tells_nothing(tmp_path: Path, scored: Path) -> None:
    room = Room(scored, tmp_path, body="if number % 2: raise ValueError('no index')\n    return 'A'")
    outcome = room.adaptively()
    failed = sum(r.failure is not None for r in outcome.responses)
    assert outcome.score.ungraded == failed > 0
    assert [right is None for right in outcome.right] == [r.failure is not None for r in outcome.responses]
    first = next(n for n, right in enumerate(outcome.right) if right is not None)
    assert [known is None for known in outcome.path] == [n < first for n in range(len(outcome.path))]
    assert outcome.score.failures == {"raised": failed}


def test_an_answer_that_means_no_option_is_wrong_and_counted(tmp_path: Path, scored: Path) -> None:
    room = Room(scored, tmp_path, body="return 'I do not know'")
    outcome = room.adaptively()
    assert (outcome.score.no_choice, outcome.score.ungraded, set(outcome.right)) == (12, 0, {False})


def test_a_system_that_fails_on_and_on_is_not_asked_on_and_nothing_is_said_of_it(
    tmp_path: Path, scored: Path
) -> None:
    room = Room(scored, tmp_path, body="raise ValueError('no index')")
    told: list[str] = []
    outcome = room.adaptively(watch=lambda _stage, _done, _total, note="": told.append(note))
    score = outcome.score
    assert room.calls == administer.WITHDRAWN_AFTER == score.asked == score.ungraded
    assert (score.ability, score.ability_se, score.accuracy) == (None, None, None)
    assert score.failures == {"raised": 5}
    # the prior is no measurement of anybody
    assert outcome.path == (None,) * 5
    assert [note for note in told if note] == [f"nothing measured, {n} failed" for n in range(1, 6)]
    assert "failures in a row" in score.reason
    assert room.adaptively().asked_now == 0
    (note,) = [note for note in scores_notes(room.score()) if "adaptively" in note]
    assert "None of its 5 responses could be graded (5 raised): nothing was measured." in note


def test_few_examinees_do_not_calibrate_an_exam(tmp_path: Path) -> None:
    room = Room(make_run(tmp_path / "made", panel=4), tmp_path)
    room.score()
    with pytest.raises(UsageError, match=r"4 other examinees.*viva sit .* -e panel, viva score"):
        room.adaptively()
    assert (room.calls, room.own) == (0, [])


def test_an_exam_that_is_not_scored_is_not_calibrated(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no scores yet.*viva score"):
        Room(make_run(tmp_path / "made"), tmp_path).adaptively()


def test_scores_of_another_exam_do_not_calibrate_this_one(room: Room) -> None:
    context = room.context()
    context.store.add_exam(exam(30))
    context.close()
    with pytest.raises(UsageError, match="scores are of another exam"):
        room.adaptively()


def test_a_standard_error_that_needs_no_question_is_refused(room: Room) -> None:
    with pytest.raises(UsageError, match="needs no question"):
        room.adaptively(Aims(target_se=9.0))
    assert room.calls == 0


def test_after_the_exam_was_changed_an_earlier_adaptive_sitting_is_still_no_sitting_of_the_whole(room: Room) -> None:
    room.adaptively()
    context = room.context()
    context.store.add_exam(Exam(id="shorter", items=EXAM.items[:30]))
    context.close()
    scores = room.score()
    assert "new" not in {row.examinee.name for row in scores.examinees}
    assert scores.adaptive == ()
    assert room.adaptively().record.exam_id == "shorter"
