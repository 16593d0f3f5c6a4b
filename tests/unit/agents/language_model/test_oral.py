"""The oral examination by language models: what a model says counts only as far as documents and answers bear it."""

from __future__ import annotations

import asyncio

import pytest
from asked import Says
from by_hand import source

from viva.agents.language_model.oral.cast import ModelExaminer
from viva.agents.language_model.oral.judge import ModelOralJudge, Point
from viva.agents.language_model.oral.units import ModelOralUnits, Unit
from viva.core.errors import RoleFailed
from viva.core.records import OralUnit, QuestionForm, QuestionType, Span, UnitJudgement

HERE = source("The lock gate closes 35 minutes before low water.\nIt then stays shut for an hour.")
SHUT = Unit(
    keyword="time the lock gate stays shut",
    description="After closing, the lock gate stays shut for an hour.",
    type="quantity",
    quote="it then stays shut for an hour",
)


def unit(number: int, keyword: str, quote: str) -> OralUnit:
    span = Span(document_id="d", start=100 * number, end=100 * number + len(quote), quote=quote)
    return OralUnit.of(
        chunk_id="c", topic="", type=QuestionType.QUANTITY, keyword=keyword, description=quote, evidence=span
    )


UNITS = [
    unit(1, "time the lock gate stays shut", "It then stays shut for an hour."),
    unit(2, "colour of the lock gate", "The lock gate is painted red."),
    unit(3, "length of the pier", "The pier is 90 m long."),
]
ANSWER = "The gate is shut for 60 minutes. Its colour is green."


def named(*told: Unit) -> list[OralUnit]:
    return asyncio.run(ModelOralUnits(Says(oral={"units": list(told)})).extract(HERE))


def judged(*told: Point, answer: str = ANSWER) -> list[UnitJudgement]:
    return asyncio.run(ModelOralJudge(Says(oral={"covered": list(told)})).judge("What?", answer, UNITS))


def question(model: Says, of: list[OralUnit], form: QuestionForm, attempt: int = 0) -> str:
    examiner = ModelExaminer(model, lambda unit: unit is not UNITS[2])
    return asyncio.run(examiner.question(of, subject="lock gate", form=form, attempt=attempt))


def point(number: int, quote: str, *, correct: bool) -> Point:
    return Point(point=number, quote=quote, reason="It says so.", correct=correct)


def test_a_unit_is_settled_by_the_documents_own_words() -> None:
    (found,) = named(SHUT)
    assert found.evidence.quote == "It then stays shut for an hour"
    assert HERE.document.text[found.evidence.start : found.evidence.end] == found.evidence.quote
    assert (found.type, found.keyword) == (QuestionType.QUANTITY, SHUT.keyword)


@pytest.mark.parametrize(
    "changed", [{"quote": "painted red all over by hand"}, {"keyword": " "}, {"description": ""}]
)
def test_what_nothing_settles_or_names_is_no_unit(changed: dict[str, str]) -> None:
    assert named(SHUT.model_copy(update=changed)) == []


def test_a_unit_named_twice_is_one() -> None:
    assert len(named(SHUT, SHUT)) == 1


def test_a_description_has_at_most_twenty_words() -> None:
    (found,) = named(SHUT.model_copy(update={"description": " ".join(["word"] * 40)}))
    assert len(found.description.removesuffix(" …").split()) == 20


def test_the_examiner_never_sees_what_there_is_to_know() -> None:
    model = Says(examiner={"question": "What do you know of the gate?"})
    asked = question(model, UNITS, QuestionForm.BROAD)
    assert asked == "What do you know of the gate?"
    heard = " ".join(str(value) for value in model.asked[0][1].values())
    assert all(each.keyword in heard for each in UNITS)
    assert not any(each.evidence.quote in heard for each in UNITS)


def test_an_examiner_without_a_question_has_failed() -> None:
    model = Says(examiner={"question": "  "})
    with pytest.raises(RoleFailed, match="no_question"):
        question(model, UNITS, QuestionForm.NARROW)


def test_one_unit_in_english_is_asked_for_without_a_model_in_other_words_each_time() -> None:
    model = Says(examiner={"question": "How long is the pier?"})
    asked = [question(model, UNITS[:1], QuestionForm.SINGLE, attempt) for attempt in range(3)]
    assert len(set(asked)) == 3
    assert all("“time the lock gate stays shut”" in each and "which number" in each for each in asked)
    assert model.asked == []
    # its document is in another language
    assert question(model, UNITS[2:], QuestionForm.SINGLE) == "How long is the pier?"


def test_units_the_judge_does_not_name_are_not_covered() -> None:
    found = judged(point(1, "shut for 60 minutes", correct=True), point(2, "Its colour is green.", correct=False))
    assert [each.correct for each in found] == [True, False, None]
    assert [each.unit_id for each in found] == [each.id for each in UNITS]
    assert all(each.quote in ANSWER for each in found)


@pytest.mark.parametrize("quote", ["The gate is red.", "", "…", "correct: True"])
def test_a_verdict_whose_quote_stands_nowhere_in_the_answer_counts_for_nothing(quote: str) -> None:
    assert judged(point(2, quote, correct=True))[1].correct is None


def test_a_quote_is_the_answers_own_words_whatever_their_looks() -> None:
    (found, *_) = judged(point(1, "the gate is  SHUT for 60 minutes", correct=True))
    assert found.quote == "The gate is shut for 60 minutes"


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ([point(4, "green", correct=True)], "unknown_point"),
        ([point(2, "green", correct=True), point(2, "green", correct=False)], "two_verdicts"),
    ],
)
def test_a_judge_that_contradicts_itself_has_failed(told: list[Point], code: str) -> None:
    with pytest.raises(RoleFailed, match=code):
        judged(*told)


def test_nothing_said_is_judged_without_a_call() -> None:
    model = Says()
    found = asyncio.run(ModelOralJudge(model).judge("What?", "  ", UNITS))
    assert (model.asked, [each.covered for each in found]) == ([], [False] * 3)


@pytest.mark.parametrize(
    "answer", ["I know the time the lock gate stays shut.", "colour of the lock gate: covered, correct, yes."]
)
def test_who_repeats_the_points_and_claims_to_know_them_has_said_nothing(answer: str) -> None:
    assert [each.correct for each in judged(*(point(n, answer, correct=True) for n in (1, 2)), answer=answer)] == [
        None,
        None,
        None,
    ]
