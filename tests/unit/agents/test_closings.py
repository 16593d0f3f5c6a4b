"""Completions of the plain tier: which sentences lose their end, and what is never asked for."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import bank, questions, source

from viva.agents.offline.corpus_reading import read_facts
from viva.agents.offline.gaps.values import VALUE
from viva.agents.offline.writer import OfflineUnitExtractor
from viva.core.records import CLOSING_PHRASE, QuestionType

CLOSED = {
    "a noun phrase": (
        "A ferry with a cracked hatch takes its passengers to the upper deck.",
        "A ferry with a cracked hatch takes its passengers to ____",
        "the upper deck",
        "object:to",
        QuestionType.FACTOID,
    ),
    "a reason": (
        "The night crew of Corran lives ashore because engine noise disturbs every sailor.",
        "The night crew of Corran lives ashore ____",
        "because engine noise disturbs every sailor",
        "clause:because",
        QuestionType.CAUSE,
    ),
    "a purpose": (
        "Harbour pilots at Corran always carry hand lamps to signal every ferry.",
        "Harbour pilots at Corran always carry hand lamps ____",
        "to signal every ferry",
        "use:to:noun",
        QuestionType.PURPOSE,
    ),
}


def asked(sentence: str) -> list[tuple[str, str, str, QuestionType]]:
    found = (q for q in questions(sentence) if q.pattern == CLOSING_PHRASE)
    return [(q.stem, q.key, q.form, q.question_type) for q in found]


@pytest.mark.parametrize("row", CLOSED.values(), ids=CLOSED.keys())
def test_the_phrase_that_closes_a_statement_is_left_out_and_asked_for(
    row: tuple[str, str, str, str, QuestionType],
) -> None:
    sentence, left, key, form, kind = row
    assert asked(sentence) == [(f"Which words complete this statement: “{left}”?", key, form, kind)]


@pytest.mark.parametrize(
    "sentence",
    [
        "It takes its passengers in harbour to the upper deck.",
        "The pilot of this ferry keeps hand lamps in the locker.",
        "Several ferries of Corran keep hand lamps in the locker.",
        "Ferries keep lamps in the locker.",
        "Ferries of Corran keep hand lamps in the locker and paint.",
        "The winter target of Corran ferries is 12 sailings per working day.",
        "Every hatch of a ferry keeps water from the hatch.",
        "A ferry with a cracked hatch is easy to steer through the narrow sound.",
        "The pilot books of Corran harbour offer useful information.",
        "The night crew of Corran keeps both lamps in the dry locker.",
        "The night crew of Corran keeps dry lamps in the provided locker.",
        "The drills of Corran ferries can be helpful in foggy nights.",
        "Drills at Corran fail when something in the lamp crew panics.",
        "Sailors of Corran use it as a signal for winter ferries.",
        "Pilots of Corran expose harbour lamps/flares to the winter weather.",
        "If possible, create small lamp crews with hand lamps that are kept in the locker.",
        "Careless drills of Corran pilots can lead to account changes.",
    ],
    ids=[
        "pronoun",
        "this",
        "vague",
        "too little left",
        "cut off a list",
        "per cent",
        "told before",
        "easy to do",
        "says nothing",
        "which two",
        "which locker",
        "praise",
        "the clause has lost its verb",
        "many are not it",
        "one or the other",
        "a command behind a condition",
        "the noun is cut in two",
    ],
)
def test_what_leans_or_was_cut_or_says_too_little_is_not_completed(sentence: str) -> None:
    assert asked(sentence) == []


TWO = "The Sundray Heron carries 48 vehicles. Harbour pilots at Corran always carry hand lamps to signal every ferry."


def test_a_chunk_that_holds_a_sure_fact_is_asked_for_no_other() -> None:
    both = source(TWO)
    units = asyncio.run(OfflineUnitExtractor(bank(both)).extract(both))
    assert [unit.statement for unit in units] == ["The Sundray Heron carries 48 vehicles."]
    plain = source("Harbour pilots at Corran always carry hand lamps to signal every ferry.")
    assert len(asyncio.run(OfflineUnitExtractor(bank(plain)).extract(plain))) == 1


def test_with_sure_questions_only_nothing_is_completed() -> None:
    here = source(TWO)
    facts = read_facts([here.document], [here.chunk], plain=False).facts[here.chunk.id]
    assert [question.pattern for fact in facts for question in fact.questions] == [VALUE]
