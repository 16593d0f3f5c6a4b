"""The examiner asks about what units are about, in other words each time, and never tells what is to be known."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from by_hand import bank, source
from oral_by_hand import TERN, UNITS

from viva.agents.offline.oral.examiner import MOST_KEYWORDS, OfflineExaminer, told
from viva.agents.offline.oral.units import OfflineOralUnits
from viva.core.records import OralUnit, QuestionForm, QuestionType


def asked(
    units: Sequence[OralUnit],
    form: QuestionForm = QuestionForm.BROAD,
    missed: Sequence[OralUnit] = (),
    attempt: int = 0,
    subject: str = TERN.title,
) -> str:
    examiner = OfflineExaminer()
    return asyncio.run(examiner.question(units, subject=subject, form=form, missed=missed, attempt=attempt))


def test_a_broad_question_names_the_subject_and_the_keywords_and_invites_more() -> None:
    question = asked(UNITS)
    assert question.startswith("What do the documents say about “MV Morven Tern”? Please cover “Morven Tern”, ")
    assert question.endswith(" Please tell whatever else you know about it.")
    assert "“Lantern Fund”" in question


def test_a_narrow_question_names_what_was_missed_first() -> None:
    missed = [UNITS[-1]]
    assert asked(UNITS[:2], QuestionForm.NARROW, missed).startswith("You have not yet spoken of “Lantern Fund”")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (QuestionType.QUANTITY, "Which number"),
        (QuestionType.DATE, "Which date or time"),
        (QuestionType.NAME, "Which name"),
        (QuestionType.IDENTIFIER, "Which number, code or label"),
        (QuestionType.CONDITION, "Which condition"),
        (QuestionType.DEFINITION, "Which definition"),
        (QuestionType.CAUSE, "Which reason"),
        (
            QuestionType.FACTOID,
            "Which fact do the documents state about “deck hatches”, in connection with “closed before",
        ),
    ],
)
def test_a_single_question_asks_by_the_type_of_the_fact(kind: QuestionType, words: str) -> None:
    unit = next(u for u in UNITS if u.keyword == "deck hatches").model_copy(update={"type": kind})
    assert words in asked([unit], QuestionForm.SINGLE)


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("148", "How many passengers do the documents give for “Morven Tern”, in connection with “carries”?"),
        ("11 hours", "How many hours do the documents give for “crews (MV Morven Tern)”, in connection with “rest”?"),
        (
            "50%",
            "Which quantity completes this statement: “Passengers pay ____ of all fares by card”?",
        ),
        ("£4.6", "How much money do the documents give for “Hallowmere Shipyard”, in connection with “built the"),
    ],
)
def test_a_single_question_names_the_sort_of_value_and_what_stands_beside_it(words: str, question: str) -> None:
    assert asked([next(u for u in UNITS if words in u.description)], QuestionForm.SINGLE).startswith(question)


def test_a_question_that_the_writer_found_is_asked_first_then_templates() -> None:
    unit = UNITS[0].model_copy(update={"question": "How many people fit on the Morven Tern?"})
    first, second = (asked([unit], QuestionForm.SINGLE, attempt=attempt) for attempt in (0, 1))
    assert first == unit.question
    assert second.startswith("Please say, of “Morven Tern”")
    telling = unit.model_copy(update={"question": "Does the Morven Tern carry 148 passengers?"})
    assert "148" not in asked([telling], QuestionForm.SINGLE)


SHARED = source(
    "The Ellery Gannet burns 210 litres of fuel an hour. The Ellery Gannet entered service on 4 May 2011."
    " The Ellery Gannet turns within 90 metres. The Ellery Gannet reports to the harbour office at Quill.",
    title="Ellery Gannet",
)


def test_units_about_one_thing_are_asked_for_in_different_words_each() -> None:
    units = asyncio.run(OfflineOralUnits(bank(SHARED)).extract(SHARED))
    assert {unit.keyword for unit in units} == {"Ellery Gannet"}
    for attempt in range(3):
        assert len({asked([unit], QuestionForm.SINGLE, attempt=attempt) for unit in units}) == len(units) == 4


def test_a_question_for_several_units_about_one_thing_names_the_sort_of_each() -> None:
    units = asyncio.run(OfflineOralUnits(bank(SHARED)).extract(SHARED))
    question = asked(units, QuestionForm.NARROW, units, subject="Ellery Gannet")
    assert question.count("“Ellery Gannet”") == 1
    assert "(how many litres, “burns”; which date, “entered service”; how many metres, “turns”" in question
    assert not told(question, units)


@pytest.mark.parametrize("form", QuestionForm)
def test_a_second_and_third_attempt_use_other_words(form: QuestionForm) -> None:
    assert len({asked(UNITS[:2], form, UNITS[2:3], attempt) for attempt in range(3)}) == 3


@pytest.mark.parametrize("form", QuestionForm)
@pytest.mark.parametrize("attempt", range(6))
def test_no_question_tells_a_value(form: QuestionForm, attempt: int) -> None:
    for unit in UNITS:
        assert not told(asked([unit], form, [unit], attempt), [unit])
    assert not told(asked(UNITS, QuestionForm.BROAD, UNITS, attempt), UNITS)


def test_a_subject_or_keyword_that_is_the_fact_of_another_unit_is_not_named() -> None:
    here = source(
        "The owner of the Limpet is Ada Brannoch. Ada Brannoch was born in Port Ellery in 1952.", title="Limpet"
    )
    units = asyncio.run(OfflineOralUnits(bank(here)).extract(here))
    named = units[0].model_copy(update={"type": QuestionType.NAME, "keyword": "owner of the Limpet"})
    question = asked([named, *units[1:]], subject="Ada Brannoch")
    assert "Brannoch" not in question


def test_a_question_names_a_bounded_number_of_things_each_once_and_shortened() -> None:
    many = [UNITS[0].model_copy(update={"keyword": f"pump {'x' * n} {'very ' * 60}"}) for n in range(40)]
    question = asked([*many, *many])
    assert question.count("“pump") == MOST_KEYWORDS
    assert len(question) < 1500


@pytest.mark.parametrize("form", QuestionForm)
def test_without_any_keyword_a_question_is_still_asked(form: QuestionForm) -> None:
    bare = [unit.model_copy(update={"keyword": ""}) for unit in UNITS]
    assert asked(bare, form, subject="").strip().endswith((".", "?"))


@pytest.mark.parametrize("question", ["What does {0} hold?", "Which port has {x}?", "Who owns {keyword.__class__}?"])
def test_a_question_of_a_unit_is_asked_as_it_stands(question: str) -> None:
    unit = next(u for u in UNITS if u.keyword == "deck hatches").model_copy(update={"question": question})
    assert asked([unit], QuestionForm.SINGLE) == question
