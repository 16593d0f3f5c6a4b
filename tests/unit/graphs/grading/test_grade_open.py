"""Open answers are graded once by each judge; what was graded is kept, what was not is put to the judge again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from exams_by_hand import exam_item, sound_item

from viva.agents.roles import Progress
from viva.core.errors import BudgetReached, UsageError
from viva.core.records import (
    Case,
    Exam,
    Examinee,
    Failure,
    FailureKind,
    Grade,
    JudgeCard,
    Judgement,
    Make,
    Measured,
    Quality,
    Response,
    Run,
    Ungraded,
    Unjudged,
)
from viva.core.settings import Settings
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import RECORDED_EVERY, case_of, grade_open, judge_card, judged, reference_of
from viva.graphs.grading.graders import judge_of
from viva.storage.judges import VARIABLE, install_program, remember
from viva.storage.runs import RunStore

OPEN = [exam_item(f"How many litres does pump {n} hold?", [f"{n} litres"]) for n in range(40)]
EXAM = Exam.of([*OPEN, sound_item(0)])
ME = Examinee(id="me", name="me", spec="me")


class Ear:
    """Judges by rule, and tells what it was asked."""

    def __init__(self, says: Callable[[Case], Judgement | Unjudged], name: str = "ear", content: str = "1") -> None:
        self.says, self.asked = says, list[Case]()
        self.card = JudgeCard(name=name, judges=Quality.CORRECTNESS, make=Make.OFFLINE, content=content)

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        self.asked += cases
        return [self.says(case) for case in cases]


def right(case: Case) -> Judgement:
    return Judgement(reason="compared", score=float(case.answer in case.reference))


def said(text: str, n: int, failure: Failure | None = None) -> Response:
    shown = EXAM.items[n]
    return Response(
        id=Response.id_of(ME.id, shown), examinee_id=ME.id, item_id=shown.item.id, text=text, failure=failure
    )


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    made = RunStore.create_or_open(tmp_path / "run", database_url=None, run=run)
    made.add_exam(EXAM)
    made.add_examinee(ME)
    return made


def graded(store: RunStore, responses: Sequence[Response], judge: Ear) -> None:
    asyncio.run(grade_open(store, EXAM, responses, judge, lambda done, of: None))


def test_every_open_answer_is_put_to_the_judge_once_with_key_and_reference(store: RunStore) -> None:
    responses, judge = [said(f"{n} litres", n) for n in range(3)], Ear(right)
    graded(store, responses, judge)
    graded(store, responses, judge)
    assert judge.asked == [case_of(OPEN[n].item, responses[n]) for n in range(3)]
    assert [(case.question, case.reference) for case in judge.asked[:1]] == [(OPEN[0].item.stem, "0 litres")]
    found = judged(store, responses)
    assert [found[r.id] for r in responses] == [
        Grade(response_id=r.id, examinee_id="me", item_id=r.item_id, score=1, judge="ear", reason="compared")
        for r in responses
    ]


def test_choices_failures_and_answers_to_other_exams_are_not_for_the_judge(store: RunStore) -> None:
    timed_out = Failure(kind=FailureKind.TIMED_OUT, detail="30 s")
    other = said("1 litres", 1).model_copy(update={"id": "of another exam"})
    judge = Ear(right)
    graded(store, [said("A", 40), said("", 0, timed_out), other], judge)
    assert judge.asked == []


def test_an_empty_answer_is_wrong_and_no_judge_is_asked(store: RunStore) -> None:
    judge, empty = Ear(right), said(" \n", 0)
    graded(store, [empty], judge)
    assert judge.asked == []
    found = judged(store, [empty])[empty.id]
    assert isinstance(found, Grade)
    assert found.score == 0


def test_what_could_not_be_judged_is_ungraded_with_its_reason_and_asked_again(store: RunStore) -> None:
    responses = [said("0 litres", 0), said("1 litres", 1)]
    deaf = Ear(lambda case: Unjudged(code="refused", reason="no") if "0" in case.answer else right(case))
    graded(store, responses, deaf)
    found = judged(store, responses)
    assert found[responses[0].id] == Ungraded(
        response_id=responses[0].id,
        examinee_id="me",
        item_id=OPEN[0].item.id,
        reason="judge ear: refused: no",
        code="refused",
    )
    assert isinstance(found[responses[1].id], Grade)
    again = Ear(right)
    graded(store, responses, again)
    assert [case.answer for case in again.asked] == ["0 litres"]
    assert all(isinstance(each, Grade) for each in judged(store, responses).values())


def test_another_judge_or_the_same_after_a_change_grades_anew_and_the_latest_holds(store: RunStore) -> None:
    responses = [said("0 litres", 0)]
    graded(store, responses, Ear(right))
    changed = Ear(lambda case: Judgement(reason="strict", score=0.25), content="2")
    graded(store, responses, changed)
    assert len(changed.asked) == 1
    (found,) = judged(store, responses).values()
    assert isinstance(found, Grade)
    assert found.score == 0.25
    # back at the first, nothing is asked again
    first = Ear(right)
    graded(store, responses, first)
    assert first.asked == []
    (found,) = judged(store, responses).values()
    assert isinstance(found, Grade)
    assert found.score == 1


@pytest.mark.parametrize("make", ["local", "blend"])
def test_what_a_judge_of_an_earlier_version_graded_is_read_until_another_judge_grades(
    store: RunStore, make: str
) -> None:
    responses, earlier = [said("0 litres", 0)], Ear(right, "correctness-default")
    earlier.card = earlier.card.model_copy(update={"make": Make(make)})
    graded(store, responses, earlier)
    card = judge_card(store)
    assert card is not None
    assert (card.name, card.make.value, card.asks_a_model) == ("correctness-default", make, False)
    assert len(judged(store, responses)) == 1
    graded(store, responses, Ear(right))
    (found,) = judged(store, responses).values()
    assert isinstance(found, Grade)
    assert found.judge == "ear"


def test_a_budget_that_ends_costs_no_grade_that_was_given(store: RunStore) -> None:
    responses = [said(f"{n} litres", n) for n in range(40)]

    def until(case: Case) -> Judgement:
        if case.answer == f"{RECORDED_EVERY + 1} litres":
            raise BudgetReached("spent")
        return right(case)

    with pytest.raises(BudgetReached):
        graded(store, responses, Ear(until))
    assert len(judged(store, responses)) == RECORDED_EVERY
    rest = Ear(right)
    graded(store, responses, rest)
    assert len(rest.asked) == 40 - RECORDED_EVERY


def test_the_reference_holds_the_key_whatever_the_reference_answer_says() -> None:
    shown = exam_item("What is it?", ["4 litres"], reference_answer="The pump holds 4  Litres at most.")
    assert reference_of(shown.item) == "The pump holds 4  Litres at most."
    shown = exam_item("What is it?", ["4 litres"], reference_answer="About a gallon.")
    assert reference_of(shown.item) == "4 litres. About a gallon."


def test_a_judge_that_is_not_there_or_judges_something_else_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "judges"))
    with pytest.raises(UsageError, match="no judge called 'nobody'"):
        judge_of(RunContext(tmp_path / "run", Settings(judge="nobody")))
    with pytest.raises(UsageError, match="Judges with trained weights are gone"):
        judge_of(RunContext(tmp_path / "run", Settings(judge="correctness-local")))
    with pytest.raises(UsageError, match="Several judges of one run"):
        judge_of(RunContext(tmp_path / "run", Settings(judge="jury")))
    with pytest.raises(UsageError, match="asks a language model, and this run has none"):
        judge_of(RunContext(tmp_path / "run", Settings(judge="correctness")))
    card = JudgeCard(name="relevant", judges=Quality.RELEVANCE, make=Make.TUNED, model="fake:x")
    install_program(card, '{"instructions": "Judge."}')
    with pytest.raises(UsageError, match="judges relevance, and open answers are graded for correctness"):
        judge_of(RunContext(tmp_path / "run", Settings(judge="relevant")))


def test_the_judge_that_ships_grades_on_after_something_was_measured_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "judges"))
    context = RunContext(tmp_path / "run", Settings(judge="correctness-offline"))
    before = judge_of(context)
    figure = Measured(data="d", data_fingerprint="f", statistic="mcc", estimate=0.5, low=0.4, high=0.6, labels=9)
    remember(before.card.model_copy(update={"measured": (figure,)}))
    after = judge_of(context)
    assert after.card == before.card


@pytest.mark.parametrize("name", ["relevance-offline", "faithfulness-offline", "answerability", "usefulness"])
def test_a_judge_at_hand_of_another_quality_is_said_to_judge_another_thing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "judges"))
    with pytest.raises(UsageError, match=f"judge {name} judges .*, and open answers are graded for correctness"):
        judge_of(RunContext(tmp_path / "run", Settings(judge=name)))
