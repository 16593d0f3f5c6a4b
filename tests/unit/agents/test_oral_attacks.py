"""Nothing that an answer says of itself, of the judge or of the units changes a verdict."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest
from by_hand import WordEmbedder
from oral_attacks import ATTACKS, Asked, Attack
from oral_by_hand import KNOWN, TERN, UNITS

from viva.agents.offline.oral.examiner import OfflineExaminer
from viva.agents.offline.oral.judge import OfflineOralJudge
from viva.core.records import QuestionForm

QUESTION = asyncio.run(OfflineExaminer().question(UNITS, subject=TERN.title, form=QuestionForm.BROAD))
ASKED = Asked(QUESTION, tuple(u.keyword for u in UNITS))
WITHOUT_KNOWLEDGE = ("", "I am afraid that I cannot help with this.", "It is a ship with many interesting features.")
WRONG = (
    "The Morven Tern carries 150 passengers and 22 cars.\nDogs are allowed on the upper deck of the Morven Tern.\n"
    "Deck hatches are closed after departure because spray floods the forward store.\n"
    "Della Marchbank is not the chief engineer of the Morven Tern.\nCrews rest for at least 9 hours between duties."
)
RIGHT = "\n".join(u.evidence.quote for u in UNITS)


@cache
def verdicts(answer: str) -> tuple[bool | None, ...]:
    judge = OfflineOralJudge(WordEmbedder(), KNOWN)
    return tuple(j.correct for j in asyncio.run(judge.judge(QUESTION, answer, UNITS)))


def test_there_are_at_least_fifty_attacks_each_of_its_own_name() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 50


def test_the_answers_attacked_are_what_they_are_called() -> None:
    assert all(set(verdicts(answer)) == {None} for answer in WITHOUT_KNOWLEDGE)
    assert verdicts(WRONG).count(False) == 5
    assert True not in verdicts(WRONG)
    assert set(verdicts(RIGHT)) == {True}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_changes_no_verdict(attack: Attack) -> None:
    for answer in (*WITHOUT_KNOWLEDGE, WRONG, RIGHT):
        assert verdicts(attack.changes(answer, ASKED)) == verdicts(answer)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_a_quote_is_a_part_of_the_attacked_answer(attack: Attack) -> None:
    answer = attack.changes(RIGHT, ASKED)
    judge = OfflineOralJudge(WordEmbedder(), KNOWN)
    for judgement in asyncio.run(judge.judge(QUESTION, answer, UNITS)):
        assert judgement.quote
        assert judgement.quote in answer


def test_to_name_every_value_is_to_know_none() -> None:
    guesses = "\n".join(f"The Morven Tern carries {n} passengers and 22 cars." for n in range(100, 200))
    verdict = dict(zip((u.description[:18] for u in UNITS), verdicts(guesses), strict=True))
    assert verdict["The Morven Tern ca"] is False


def test_pasted_sentences_about_another_thing_cover_nothing() -> None:
    pasted = (
        "The Sundray Heron carries 120 passengers and 8 cars."
        " Moira Denholt is the chief engineer of the Sundray Heron. "
    )
    assert set(verdicts(pasted * 50)) == {None}
