"""Several judges grade a run's open answers: each once, the verdict theirs together; and are asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest
from exams_by_hand import exam_item
from judges_by_hand import Says

from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.errors import BudgetReached, UsageError
from viva.core.ids import rng
from viva.core.records import (
    Case,
    Exam,
    Examinee,
    Grade,
    GradeResult,
    JudgeCard,
    Judgement,
    Make,
    Quality,
    Response,
    Run,
    Ungraded,
    Unjudged,
)
from viva.core.scores import Scores
from viva.core.scores_open import JuryFinding, RepeatsFinding
from viva.core.settings import Settings
from viva.graphs import results
from viva.graphs.context import RunContext
from viva.graphs.grading import grade_open
from viva.graphs.grading.graders import announced, judges_of
from viva.graphs.grading.judge_reliability import SAMPLE
from viva.storage.runs import RunStore

OPEN = [exam_item(f"How many litres does pump {n} hold?", [f"{n} litres"], document=f"log {n}") for n in range(24)]
EXAM = Exam.of(OPEN)
SYSTEMS = [Examinee(id=name, name=name, spec=name) for name in ("good", "fair", "poor")]
LOST = Unjudged(code="model_refused", reason="It would not.")


def response(system: str, n: int) -> Response:
    shown, right = EXAM.items[n], (n * 7) % 24 < {"good": 20, "fair": 12, "poor": 4}[system]
    text = f"{shown.item.key}, says {system}" if right else f"none, says {system}"
    return Response(id=Response.id_of(system, shown), examinee_id=system, item_id=shown.item.id, text=text)


ANSWERS = [response(system.id, n) for system in SYSTEMS for n in range(24)]


def right(case: Case) -> float:
    return float(case.reference.split()[0] in case.answer.split())


class Wavers:
    """A judge as a model is one: another score each time it is asked."""

    def __init__(self, name: str, noise: float = 0.2, repeat: int = 0) -> None:
        self.card = JudgeCard(name=name, judges=Quality.CORRECTNESS, make=Make.BASE, model="fake:any")
        self.noise, self.repeat, self.asked = noise, repeat, list[Case]()

    def repeated(self, repeat: int) -> Self:
        return type(self)(self.card.name, self.noise, repeat)

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        self.asked += cases
        return [Judgement(reason="by feeling", score=self._score(case)) for case in cases]

    def _score(self, case: Case) -> float:
        own = rng(0, "waver", case.id, self.card.name, self.repeat).gauss(0, self.noise)
        return min(1.0, max(0.0, 0.2 + 0.6 * right(case) + own))


class Spent(Wavers):
    """Can be asked once; for more the budget does not reach."""

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        if self.repeat:
            raise BudgetReached("spent")
        return await super().judge(cases, progress)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    with RunStore.create_or_open(tmp_path / "run", database_url=None, run=run) as store:
        store.add_exam(EXAM)
        for system in SYSTEMS:
            store.add_examinee(system)
        store.add_responses(ANSWERS)
    return tmp_path / "run"


def scored(
    folder: Path, judges: Sequence[Judge], monkeypatch: pytest.MonkeyPatch, **how: object
) -> tuple[Scores, RunContext]:
    """The scores after these judges graded the run, and the run context as it was left."""
    monkeypatch.setattr("viva.graphs.grading.grade_open.judges_of", lambda context: list(judges))
    context = RunContext(folder, Settings(**how))  # type: ignore[arg-type]
    try:
        asyncio.run(grade_open.grade_exam(context))
        results.score(context)
        return results.scores_of(context.store, context.folder), context
    finally:
        context.close()


def jury_of(scores: Scores) -> JuryFinding:
    assert scores.judge is not None
    assert scores.judge.jury is not None
    return scores.judge.jury


def repeats_of(scores: Scores) -> RepeatsFinding:
    assert scores.judge is not None
    assert scores.judge.repeats is not None
    return scores.judge.repeats


def verdicts(folder: Path) -> list[GradeResult | None]:
    with RunStore.open(folder, None) as store:
        found = grade_open.judged(store, ANSWERS)
    return [found.get(answer.id) for answer in ANSWERS]


def by(name: str, says: object = right) -> Says:
    return Says(Quality.CORRECTNESS, says, name)  # type: ignore[arg-type]


def test_a_jury_gives_the_mean_each_judge_is_asked_once_and_all_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict, mild = by("strict"), by("mild", lambda case: 0.5 + right(case) / 2)
    scores, _ = scored(folder, [strict, mild], monkeypatch)
    again, _ = scored(folder, [strict, mild], monkeypatch)
    assert again == scores
    assert len(strict.asked) == len(mild.asked) == len(ANSWERS)
    found = verdicts(folder)
    assert [each.score for each in found if isinstance(each, Grade)] == [
        0.25 + 0.75 * right(Case(answer=a.text, reference=a.text.partition(",")[0])) for a in ANSWERS
    ]
    first = found[0]
    assert isinstance(first, Grade)
    assert "strict: 1" in first.reason
    assert "mild: 1" in first.reason
    jury = jury_of(scores)
    assert [each.card.name for each in jury.judges] == ["strict", "mild"]
    assert (jury.answers, jury.hung, jury.quorum, jury.rule) == (72, 0, 2, "mean")
    assert jury.alpha is not None
    assert jury.alpha.low < jury.alpha.value < jury.alpha.high < 1
    assert scores.judge is not None
    assert (scores.judge.card.name, scores.judge.graded) == ("jury", 72)


def test_below_the_quorum_an_answer_is_ungraded_with_its_reason_counted_and_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure, deaf = by("sure"), by("deaf", lambda case: LOST if "poor" in case.answer else right(case))
    scores, _ = scored(folder, [sure, deaf], monkeypatch)
    lost = [each for each in verdicts(folder) if isinstance(each, Ungraded)]
    assert len(lost) == 24
    assert "judge jury: hung: 1 of 2 judges gave a grade" in lost[0].reason
    assert "deaf: no judgement (model_refused)" in lost[0].reason
    jury = jury_of(scores)
    assert (jury.hung, [each.ungraded for each in jury.judges]) == (24, [0, 24])
    healed = by("deaf")
    scores, _ = scored(folder, [sure, healed], monkeypatch)
    assert (jury_of(scores).hung, len(sure.asked), len(healed.asked)) == (0, 72, 24)


def test_of_three_judges_one_may_fail_and_the_contrary_one_stands_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = [by("one"), by("two", lambda case: LOST if "poor" in case.answer else right(case))]
    scores, _ = scored(folder, [*bench, by("contrary", lambda case: 1 - right(case) / 2)], monkeypatch)
    jury = jury_of(scores)
    assert (jury.hung, jury.quorum, jury.odd_one_out) == (0, 2, "contrary")


def test_an_empty_answer_is_nobodys_to_judge_and_no_agreement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mute = Examinee(id="mute", name="mute", spec="mute")
    with RunStore.open(folder, None) as store:
        store.add_examinee(mute)
        store.add_responses(
            [
                ANSWERS[0].model_copy(
                    update={"id": Response.id_of("mute", OPEN[0]), "examinee_id": "mute", "text": " "}
                )
            ]
        )
    judges = [by("one"), by("two")]
    scores, _ = scored(folder, judges, monkeypatch)
    assert jury_of(scores).answers == len(judges[0].asked) == 72
    assert scores.judge is not None
    assert scores.judge.graded == 73


def test_a_judge_alone_after_a_jury_has_its_own_grades_again_and_no_jury_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = by("one"), by("two", lambda case: 0.5)
    scored(folder, [one, two], monkeypatch)
    scores, _ = scored(folder, [two], monkeypatch)
    assert scores.judge is not None
    assert (scores.judge.card.name, scores.judge.jury, len(two.asked)) == ("two", None, 72)
    assert {each.score for each in verdicts(folder) if isinstance(each, Grade)} == {0.5}


def test_a_judge_asked_again_shows_how_often_it_moved_and_where_the_variance_lies(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, _ = scored(folder, [Wavers("model")], monkeypatch, judge_repeats=3)
    found = repeats_of(scores)
    assert (found.times, found.answers) == (3, SAMPLE)
    assert [(each.judge, each.asks_a_model, each.compared, each.unjudged) for each in found.judges] == [
        ("model", True, SAMPLE, 0)
    ]
    assert found.judges[0].moved > SAMPLE / 2
    shares = {part.source: part for part in found.shares}
    assert shares["run"].share > 0.1
    assert shares["run"].variance.low < 0.03 < shares["run"].variance.high
    assert sum(part.share for part in found.shares) == pytest.approx(1)
    assert "judge" in found.left_out


def test_a_judge_without_a_model_moves_nothing_and_is_told_to_ask_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = repeats_of(scored(folder, [by("rules")], monkeypatch, judge_repeats=2)[0])
    assert [(each.moved, each.compared, each.asks_a_model) for each in found.judges] == [(0, SAMPLE, False)]
    assert "It is 0" in found.left_out["run"]


def test_repeats_of_a_jury_tell_its_judges_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = repeats_of(scored(folder, [Wavers("first"), Wavers("second", 0.0)], monkeypatch, judge_repeats=3)[0])
    assert {each.judge: each.moved > 0 for each in found.judges} == {"first": True, "second": False}
    assert {"item", "system", "judge", "run"} <= {*(part.source for part in found.shares), *found.left_out}


def test_repeats_are_told_only_of_the_judge_exam_and_number_they_were_asked_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = scored(folder, [Wavers("model")], monkeypatch, judge_repeats=2)
    assert repeats_of(first).times == 2
    for judge, repeats in (("model", 0), ("other", 0)):
        scores, _ = scored(folder, [Wavers(judge)], monkeypatch, judge_repeats=repeats)
        assert scores.judge is not None
        assert scores.judge.repeats is None
    assert repeats_of(scored(folder, [Wavers("model")], monkeypatch, judge_repeats=3)[0]).times == 3


def test_a_budget_that_ends_in_the_repeats_leaves_all_grades_and_tells_no_half_sample(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, context = scored(folder, [Spent("model")], monkeypatch, judge_repeats=2)
    assert scores.judge is not None
    assert (scores.judge.graded, scores.judge.repeats) == (72, None)
    assert context.stopped is not None
    assert "asking the judges again" in context.stopped.allowed


def test_a_budget_that_ends_within_the_jury_leaves_what_was_graded_and_the_rest_is_asked_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def until(case: Case) -> float:
        if len(second.asked) > 40:
            raise BudgetReached("spent")
        return right(case)

    first, second = by("first"), by("second", until)
    scores, context = scored(folder, [first, second], monkeypatch, judge_repeats=2)
    assert context.stopped is not None
    assert "not graded yet" in context.stopped.allowed
    assert (jury_of(scores).hung, len(first.asked)) == (72 - grade_open.RECORDED_EVERY, 72)
    assert any("second: no judgement (not_asked)" in each.reason for each in verdicts(folder) if each)
    rest = by("second")
    scores, _ = scored(folder, [first, rest], monkeypatch)
    assert (jury_of(scores).hung, len(first.asked), len(rest.asked)) == (0, 72, 72 - grade_open.RECORDED_EVERY)


def test_where_nothing_was_graded_nothing_is_judged_again_and_that_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, _ = scored(folder, [by("deaf", lambda case: LOST)], monkeypatch, judge_repeats=2)
    found = repeats_of(scores)
    assert (found.answers, found.shares) == (0, ())
    assert "nothing to judge again" in found.reason


def test_further_answers_exchange_none_that_were_judged_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[set[str]] = []

    class Heard(Wavers):
        async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
            if self.repeat:
                heard.append({case.id for case in cases})
            return await super().judge(cases, progress)

    scored(folder, [Heard("model")], monkeypatch, judge_repeats=2)
    late = Examinee(id="late", name="late", spec="late")
    with RunStore.open(folder, None) as store:
        store.add_examinee(late)
        further = [
            a.model_copy(update={"id": f"late {n}", "examinee_id": "late"}) for n, a in enumerate(ANSWERS[:24])
        ]
        ids = [Response.id_of("late", shown) for shown in EXAM.items]
        store.add_responses([r.model_copy(update={"id": i}) for r, i in zip(further, ids, strict=True)])
    scored(folder, [Heard("model")], monkeypatch, judge_repeats=2)
    before, after = heard
    assert len(before & after) > 0.5 * SAMPLE


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("offline", "correctness-offline"), "Two judges of the jury have one name"),
        (("offline", "nobody"), "no judge called 'nobody'"),
    ],
)
def test_a_jury_that_is_none_is_refused_in_words(
    names: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    with pytest.raises(UsageError, match=words):
        judges_of(RunContext(tmp_path / "run", Settings(judge=names)))


def test_the_bill_of_a_jury_and_of_repeats_is_told_beforehand(tmp_path: Path) -> None:
    def told(**how: object) -> str:
        return " ".join(announced(RunContext(tmp_path, Settings(items=20, **how)), written=False))  # type: ignore[arg-type]

    named = {"judge": ("correctness", "offline"), "model": ("fake:any",)}
    assert told(open_share=0.5) == ""
    assert "nothing to do" in told(judge_repeats=3)
    assert "up to 10 judgements for each system, of 10 answers" in told(open_share=0.5, **named)
    assert "--judge-repeats 3 up to 100 more" in told(open_share=0.5, judge_repeats=3, **named)
    # who asks no model sends no bill
    assert told(open_share=0.5, judge_repeats=3) == ""
