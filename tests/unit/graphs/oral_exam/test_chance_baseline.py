"""What words of the documents in no order would earn at the same questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random

from by_hand import WordEmbedder
from oral_by_hand import KNOWN, TERN, UNITS
from oral_hall import Hall, Judge, fact, knows

from viva.agents.offline.oral.judge import OfflineOralJudge
from viva.core.errors import RoleFailed
from viva.core.records import OralUnit, UnitJudgement
from viva.graphs.oral_exam.chance_baseline import chance_level, scrambled
from viva.graphs.oral_exam.state import Limits


class Believing:
    """Takes every answer for right that holds a word of the unit besides 'pump'."""

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]:
        held = set(answer.split())
        return [
            UnitJudgement(unit_id=unit.id, quote=answer, correct=True)
            if unit.description.split()[1] in held
            else UnitJudgement(unit_id=unit.id)
            for unit in units
        ]


def examined(**more: object) -> Hall:
    hall = Hall(knows(*range(8)), limits=Limits(questions=6))
    hall.examine()
    return hall


def level(judge: object, hall: Hall, seed: int = 0) -> tuple[float, float, float]:
    found = asyncio.run(chance_level(judge, hall.plan, hall.turns, seed))  # type: ignore[arg-type]
    assert found is not None
    return found.low, found.value, found.high


def test_a_judge_that_believes_any_word_has_a_high_level_and_one_to_the_letter_none() -> None:
    hall = examined()
    low, believed, high = level(Believing(), hall)
    assert 0.2 < believed < 1
    assert low < believed < high
    assert level(Judge(), hall)[1] == 0


def test_the_level_is_the_seeds_and_asks_as_many_words_as_the_examinee_used() -> None:
    hall = examined()
    assert level(Believing(), hall) == level(Believing(), hall)
    short = [turn.model_copy(update={"answer": "No."}) for turn in hall.turns]
    talkative = [turn.model_copy(update={"answer": fact(1) * 60}) for turn in hall.turns]
    levels = [asyncio.run(chance_level(Believing(), hall.plan, turns, 0)) for turns in (short, talkative)]
    assert levels[0] is not None
    assert levels[1] is not None
    assert levels[0].value < levels[1].value == 1


def test_what_was_never_answered_has_no_level() -> None:
    hall = examined()
    silent = [turn.model_copy(update={"judgements": ()}) for turn in hall.turns]
    assert asyncio.run(chance_level(Judge(), hall.plan, silent, 0)) is None
    assert asyncio.run(chance_level(Judge(), hall.plan, [], 0)) is None


def test_a_judge_that_cannot_do_its_work_takes_nothing_for_known() -> None:
    class Failing:
        async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]:
            raise RoleFailed("refused", "No.")

    assert level(Failing(), examined())[1] == 0


def test_the_offline_judge_takes_few_scrambled_words_for_knowledge() -> None:
    judge = OfflineOralJudge(WordEmbedder(), KNOWN)
    words = TERN.document.text.split()
    known = 0
    for seed in range(20):
        answer = scrambled(words, 120, Random(seed))
        found = asyncio.run(judge.judge("What do you know?", answer, UNITS))
        known += sum(bool(each.correct) for each in found)
    assert known <= 0.1 * 20 * len(UNITS)


def test_scrambled_words_are_the_given_ones_in_sentences() -> None:
    said = scrambled(["one,", "two.", "three"], 30, Random(1))
    assert said.count(".") == 3
    assert set(said.replace(".", "").split()) <= {"one", "two", "three"}
    assert scrambled([], 5, Random(1)) == ""
