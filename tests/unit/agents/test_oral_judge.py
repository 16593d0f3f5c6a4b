"""The offline judge quotes what an answer says of each unit, and compares it with the source."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import WordEmbedder, bank, source
from oral_by_hand import KNOWN, QUESTION, UNITS

from viva.agents.offline.oral.judge import OfflineOralJudge
from viva.agents.offline.oral.units import OfflineOralUnits
from viva.core.records import OralUnit, UnitJudgement
from viva.llm.embeddings import Embedder, SentenceTransformerEmbedder


def unit(words: str) -> OralUnit:
    return next(u for u in UNITS if words in u.description)


def judged(
    answer: str, *units: OralUnit, question: str = QUESTION, embedder: Embedder | None = None
) -> list[UnitJudgement]:
    judge = OfflineOralJudge(embedder or WordEmbedder(), KNOWN)
    return asyncio.run(judge.judge(question, answer, units or UNITS))


CASES = [
    ("passengers", "The Morven Tern carries 148 passengers and 22 cars.", True),
    (
        "passengers",
        "It is the Morven Tern that carries one hundred and forty-eight passengers and twenty-two cars.",
        True,
    ),
    ("passengers", "The Morven Tern carries 150 passengers and 22 cars.", False),
    ("passengers", "The Morven Tern carries 22 passengers and 148 cars.", False),
    ("passengers", "The Morven Tern carries no passengers and no cars.", False),
    ("passengers", "Does the Morven Tern carry 148 passengers and 22 cars?", None),
    ("passengers", "I do not know how many passengers and cars the Morven Tern carries.", None),
    ("passengers", "The documents do not say that the Morven Tern carries 148 passengers and 22 cars.", None),
    ("passengers", "Perhaps the Morven Tern carries 148 passengers and 22 cars.", None),
    ("passengers", "The Sundray Heron carries 120 passengers and 8 cars.", None),
    ("passengers", "The Morven Tern carries passengers and cars.", None),
    ("passengers", "It is not true that the Morven Tern carries 148 passengers and 22 cars.", False),
    ("Hallowmere", "The Morven Tern was built by Hallowmere Shipyard in 2004 for £4,600,000.", True),
    ("Hallowmere", "The Morven Tern was built by Ardrossan Shipyard in 2004 for £4.6 million.", False),
    ("Hallowmere", "Hallowmere Shipyard built the Morven Tern in 2005 for £4.6 million.", False),
    ("Hallowmere", "Hallowmere Shipyard built the Morven Tern in 2004 for £5.2 million.", False),
    ("upper deck", "Dogs are forbidden on the upper deck of the Morven Tern.", True),
    ("upper deck", "Dogs are allowed on the upper deck of the Morven Tern.", False),
    ("upper deck", "Dogs: the upper deck of the Morven Tern.", None),
    ("upper deck", "Dogs can't be allowed on the upper deck of the Morven Tern.", True),
    ("hatches", "Because spray floods the forward store, deck hatches are closed before departure.", True),
    ("hatches", "Deck hatches are closed after departure because spray floods the forward store.", False),
    ("hatches", "Deck hatches are opened before departure because spray floods the forward store.", False),
    ("hatches", "Deck hatches are never closed before departure, although spray floods the forward store.", False),
    ("engineer", "The chief engineer of the Morven Tern is Della Marchbank.", True),
    ("engineer", "The chief engineer of the Morven Tern is Moira Denholt.", False),
    ("rest", "Between duties, crews rest for no less than eleven hours.", True),
    ("rest", "Between duties, crews rest for at most 11 hours.", False),
    ("rest", "Between duties, crews rest for at least 660 minutes.", True),
    ("fares", "By card, passengers pay 50 percent of all fares.", True),
    ("fares", "Passengers pay 60 % of all fares by card.", False),
    ("Lantern", "The Lantern Fund pays retired deckhands a grant of one thousand pounds.", True),
    ("Lantern", "The Lantern Fund pays retired deckhands a grant of £1000.", True),
    ("Lantern", "The Lantern Fund pays retired deckhands a grant of 10,000 pounds.", False),
]


WORKS = source(
    "Phase 1 of the harbour works closes the north quay. The bilge tank takes between 5 and 50 litres of oil.",
    "works.md",
    "Harbour works",
)


@pytest.mark.parametrize(
    ("answer", "correct"),
    [
        ("Phase 1 of the harbour works closes the north quay.", [True, None]),
        ("Phase 3 of the harbour works closes the north quay.", [None, None]),
        ("The bilge tank takes between 5000 and 50000 millilitres of oil.", [None, True]),
    ],
)
def test_a_numbered_thing_is_no_other_and_both_ends_of_a_range_have_its_unit(
    answer: str, correct: list[bool | None]
) -> None:
    known = bank(WORKS)
    units = asyncio.run(OfflineOralUnits(known).extract(WORKS))
    found = asyncio.run(OfflineOralJudge(WordEmbedder(), known).judge(QUESTION, answer, units))
    assert [each.correct for each in found] == correct


def test_two_sentences_that_state_a_fact_together_are_one_statement() -> None:
    (found,) = judged("The Lantern Fund helps retired deckhands. It pays a grant of £1000.", unit("Lantern"))
    assert found.correct is True, found.reason


SAID = "The Morven Tern carries 148 passengers and 22 cars."


@pytest.mark.parametrize("mark", ["```", "~~~~", "```text"])
def test_what_stands_in_a_code_block_is_said(mark: str) -> None:
    (found,) = judged(f"{mark}\n{SAID}\n{mark[:4].rstrip('t')}\n", unit("passengers"))
    assert found.correct is True, found.reason
    assert found.quote == SAID


@pytest.mark.parametrize(
    "hidden", ["<scr\u200bipt>{}</script>", "<!\u200b-- {} -->", "<style>{}</st\u2060yle>", "<!--\n\n{}\n\n-->"]
)
def test_what_is_hidden_is_not_said_though_an_unseen_sign_parts_its_mark(hidden: str) -> None:
    (found,) = judged(hidden.format(SAID), unit("passengers"))
    assert found.correct is None, found.reason


@pytest.mark.parametrize(("words", "answer", "correct"), CASES)
def test_what_is_said_is_compared_with_the_source(words: str, answer: str, correct: bool | None) -> None:
    (found,) = judged(answer, unit(words))
    assert found.correct is correct, found.reason
    assert found.quote == (answer if found.covered else "")


def test_every_unit_is_judged_in_its_order_and_only_what_is_told_is_covered() -> None:
    answer = "Crews rest for at least 11 hours between duties.\n\nDogs are allowed on the upper deck."
    found = judged(answer)
    assert [j.unit_id for j in found] == [u.id for u in UNITS]
    assert {u.description[:4]: j.correct for u, j in zip(UNITS, found, strict=True) if j.covered} == {
        "Crew": True,
        "Dogs": False,
    }


def test_one_sentence_can_cover_several_units() -> None:
    answer = "The Morven Tern, built by Hallowmere Shipyard in 2004, carries 148 passengers and 22 cars."
    found = {u.description: j for u, j in zip(UNITS, judged(answer), strict=True)}
    covered = [words for words, j in found.items() if j.correct]
    assert [words.split()[0] for words in covered] == ["The", "Hallowmere"]


def test_a_unit_told_in_two_sentences_is_quoted_as_one_stretch() -> None:
    answer = (
        "I looked it up. Deck hatches are closed. That is before departure, for spray floods the forward store. Bye."
    )
    (found,) = judged(answer, unit("hatches"))
    assert found.correct is True
    assert found.quote in answer


def test_an_answer_that_says_two_things_about_one_unit_is_wrong_and_told_why() -> None:
    answer = "The Morven Tern carries 148 passengers and 22 cars. The Morven Tern carries 150 passengers and 22 cars."
    (found,) = judged(answer, unit("passengers"))
    assert found.correct is False
    assert "contradicts itself" in found.reason
    assert "148" in found.reason
    assert "150" in found.reason


def test_what_is_said_of_another_thing_contradicts_nothing() -> None:
    answer = (
        "The Morven Tern carries 148 passengers and 22 cars. The Sundray Heron carries 120 passengers and 8 cars."
    )
    assert judged(answer, unit("passengers"))[0].correct is True


@pytest.mark.parametrize(
    ("answer", "correct"), [("148 passengers.", True), ("150.", False), ("It is 22.", True), ("Yes.", None)]
)
def test_to_a_question_for_one_number_the_number_is_an_answer(answer: str, correct: bool | None) -> None:
    (found,) = judged(answer, unit("passengers"), question="How many does the Morven Tern carry?")
    assert (found.correct, found.quote) == (correct, answer if correct is not None else "")


@pytest.mark.parametrize("said", ["Yes.", "No.", "True.", "Sure."])
def test_a_capital_at_the_start_makes_no_name_of_a_word_of_assent(said: str) -> None:
    (found,) = judged(said, unit("upper deck"), question="Which name do the documents give?")
    assert found.correct is None


@pytest.mark.parametrize(
    "said",
    [
        "Crews the of hatches rest 11 duties hours salt the between at.",
        "Fund spray Lantern Tern grant the a passengers pays store deckhands 1,000 pounds the.",
    ],
)
def test_words_in_no_order_state_nothing(said: str) -> None:
    assert not any(each.covered for each in judged(said))


def test_words_of_a_unit_that_stand_far_apart_are_no_statement_of_it() -> None:
    between = " ".join(f"alder{n} birch{n}" for n in range(10))
    assert (
        judged(f"Crews {between} rest {between} for at least 11 hours {between} duties.", unit("rest"))[0].correct
        is None
    )


def test_a_reason_names_what_was_compared() -> None:
    (right,) = judged("The Morven Tern carries 148 passengers and 22 cars.", unit("passengers"))
    (wrong,) = judged("The Morven Tern carries 150 passengers and 22 cars.", unit("passengers"))
    assert "148 passengers" in right.reason
    assert "150 passengers where the source has 148 passengers" in wrong.reason


def test_what_is_said_in_other_words_is_covered_by_its_meaning(minilm: SentenceTransformerEmbedder) -> None:
    answer = "Money from the Lantern Fund goes to former deckhands: they receive 1,000 pounds."
    assert judged(answer, unit("Lantern"), embedder=minilm)[0].correct is True
    unrelated = "The Lantern Fund was set up by members."
    assert judged(unrelated, unit("Lantern"), embedder=minilm)[0].correct is None


@pytest.mark.parametrize(
    "answer", ["", " \n\t", "\u200b", "?", "...", "<p></p>", "1" * 20_000, "a " * 10_000, "\ud800"]
)
def test_an_answer_that_says_nothing_covers_nothing(answer: str) -> None:
    assert not any(j.covered for j in judged(answer))


def test_no_units_give_no_judgements() -> None:
    assert asyncio.run(OfflineOralJudge(WordEmbedder(), KNOWN).judge(QUESTION, "Anything.", [])) == []
