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
        (QuestionType.QUANTITY, "how many"),
        (QuestionType.DATE, "When"),
        (QuestionType.DEFINITION, "What is “deck hatches”?"),
        (QuestionType.CAUSE, "why"),
        (QuestionType.FACTOID, "What is known about “deck hatches”?"),
    ],
)
def test_a_single_question_asks_by_the_type_of_the_fact(kind: QuestionType, words: str) -> None:
    unit = next(u for u in UNITS if u.keyword == "deck hatches").model_copy(update={"type": kind})
    assert words in asked([unit], QuestionForm.SINGLE)


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
