"""Pairs of items that a model judges: the nearest, few; a pair that could not be judged stays, and is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from asked import Says
from by_hand import WordEmbedder, distractors, item

from viva.agents.language_model.critics.pair_judge import PairJudge
from viva.agents.roles import ItemPairVerdict
from viva.core.errors import BudgetReached, RoleFailed
from viva.core.records import Item, Trial, Turn
from viva.graphs.assembly.assemble import assemble_exam
from viva.graphs.assembly.deduplication import GIVES_AWAY
from viva.graphs.assembly.pair_judging import PAIRS_PER_CALL, judged_pairs, near_pairs

EMBED = WordEmbedder().embed


def asked(number: int, stem: str, key: str, wrong: Sequence[str] = ("nought", "nil")) -> Item:
    return item(number, stem=stem).model_copy(update={"key": key, "distractors": distractors(*wrong)})


ARM = asked(1, "Why did the charging arm at Castle Haven fail on 8 June?", "a pallet bent its pin")
TURNROUND = asked(2, "How long is the turnround of the ship that the arm at Castle Haven charges?", "8 minutes")
FORM = asked(3, "Which form must a purser file?", "Form 118", ("Form 7", "Form 9"))
WAGE = asked(4, "What does a diver earn in a week?", "900 crowns")


class Critic:
    """Gives all pairs one verdict, or fails."""

    def __init__(self, verdict: ItemPairVerdict | Exception) -> None:
        self.verdict = verdict
        self.calls: list[int] = []

    async def judge(self, pairs: Sequence[tuple[Item, Item]]) -> list[ItemPairVerdict | None]:
        self.calls.append(len(pairs))
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return [self.verdict] * len(pairs)


def test_those_that_share_rare_words_are_near_and_others_are_not_asked_about() -> None:
    assert near_pairs([WAGE, TURNROUND, FORM, ARM], EMBED) == near_pairs([ARM, FORM, TURNROUND, WAGE], EMBED)
    (pair,) = near_pairs([WAGE, TURNROUND, FORM, ARM], EMBED)
    assert {each.id for each in pair} == {ARM.id, TURNROUND.id}
    assert near_pairs([ARM], EMBED) == near_pairs([], EMBED) == []


def test_however_near_all_are_there_are_no_more_pairs_than_items_and_several_to_a_call() -> None:
    alike = [asked(n, f"How heavy is the anchor of the ferry {n}?", f"{n} tons") for n in range(20)]
    critic = Critic(ItemPairVerdict.NONE)
    found = asyncio.run(judged_pairs(critic, alike, EMBED))
    assert (len(found.asked), found.failed, found.apart, found.notes) == (20, 0, {}, ())
    assert sorted(critic.calls, reverse=True) == [PAIRS_PER_CALL, PAIRS_PER_CALL, 4]


def test_no_pair_is_judged_twice_and_what_was_found_is_kept() -> None:
    near = [ARM, TURNROUND, FORM, WAGE]
    first = asyncio.run(judged_pairs(Critic(ItemPairVerdict.SAME_FACT), near, EMBED))
    critic = Critic(ItemPairVerdict.NONE)
    assert asyncio.run(judged_pairs(critic, near, EMBED, first)) == first
    assert critic.calls == []
    assert len(first.apart) == 1


@pytest.mark.parametrize(
    "verdict", [ItemPairVerdict.GIVES_AWAY, ItemPairVerdict.SAME_FACT, ItemPairVerdict.SAME_EVENT]
)
def test_of_two_that_do_not_go_together_the_better_is_in_the_exam_and_another_in_the_place_of_the_other(
    verdict: ItemPairVerdict,
) -> None:
    better = ARM.model_copy(update={"trials": (Trial(reader="lexical", with_evidence=True, picked=3, tried=3),)})
    items = [TURNROUND, better, FORM, WAGE]
    judged = asyncio.run(judged_pairs(Critic(verdict), items, EMBED))
    made = assemble_exam(items, [], size=3, examples=0, seed=0, embed=EMBED, judged=judged.apart)
    assert {shown.item.id for shown in made.exam.items} == {better.id, FORM.id, WAGE.id}
    assert made.left_out == dict.fromkeys(judged.apart.values(), 1)
    assert (set(judged.apart.values()) == {GIVES_AWAY}) is (verdict is ItemPairVerdict.GIVES_AWAY)


@pytest.mark.parametrize("stops", [RoleFailed("model_refused", "no"), BudgetReached("spent", next_step="more")])
def test_a_pair_that_could_not_be_judged_stays_and_is_told_of(stops: Exception) -> None:
    judged = asyncio.run(judged_pairs(Critic(stops), [ARM, TURNROUND, FORM, WAGE], EMBED))
    assert (judged.apart, len(judged.asked), judged.failed) == ({}, 1, 1)
    assert judged.notes[0].startswith("1 pair of 1, of questions that are near each other, could not be judged")


def test_the_judge_reads_conversation_options_and_key_and_what_it_does_not_say_clearly_counts_for_nothing() -> None:
    history = (Turn(role="user", text="Where is the arm?"), Turn(role="assistant", text="At Castle Haven."))
    follows = ARM.model_copy(update={"history": history})
    given = [
        (1, "A_tells_B"),
        (2, "none"),
        (3, "perhaps"),
        (4, "same_fact"),
        (4, "none"),
        (9, "none"),
        (6, "Same_Event"),
    ]
    verdicts = [type("Judged", (), {"pair": pair, "why": "", "verdict": verdict}) for pair, verdict in given]
    model = Says(pairs={"verdicts": verdicts})
    found = asyncio.run(PairJudge(model).judge([(follows, TURNROUND)] * 6))
    verdict = ItemPairVerdict
    assert found == [verdict.GIVES_AWAY, verdict.NONE, None, None, None, verdict.SAME_EVENT]
    assert model.roles == ["judge.pairs"]
    heard = model.heard("pairs")
    for words in ("Pair 6", "At Castle Haven.", "key: 8 minutes", "other options: nought; nil"):
        assert words in heard
