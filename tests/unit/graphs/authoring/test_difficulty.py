"""How hard an item is expected to be grows with what makes items hard, and an exam has all three levels."""

from __future__ import annotations

from by_hand import distractors, document, item

from viva.core.records import Difficulty, Item, ItemKind, Trial
from viva.graphs.authoring.accept import expected_difficulty, hardness

TEXT = document("The fuel bunker at Port Ellery holds 42,000 litres and is filled by the tanker on Mondays.")


def asked(stem: str, key: str = "42,000 litres", wrong: tuple[str, ...] = ("by hand", "in May", "a mile")) -> Item:
    return item(1, of=TEXT, stem=stem).model_copy(update={"key": key, "distractors": distractors(*wrong)})


NEAR = asked("How much does the fuel bunker at Port Ellery hold?")


def tried(picked: int, with_evidence: bool = True) -> Item:
    trial = Trial(reader="lexical", with_evidence=with_evidence, picked=picked, tried=3)
    return NEAR.model_copy(update={"trials": (trial,)})


def test_an_item_is_the_harder_the_oftener_readers_miss_it_with_its_evidence() -> None:
    assert hardness(tried(3)) < hardness(tried(2)) < hardness(tried(0))
    assert hardness(tried(0, with_evidence=False)) == hardness(NEAR)


def test_words_that_the_evidence_does_not_use_make_it_harder() -> None:
    assert hardness(NEAR) < hardness(asked("What quantity can be stored for ships before resupply?"))


def test_options_near_the_key_make_it_harder() -> None:
    near = asked(NEAR.stem, wrong=("42,500 litres", "24,000 litres", "a mile"))
    assert hardness(NEAR) < hardness(near)


def test_two_stretches_of_text_and_none_are_harder_than_one() -> None:
    levels = [hardness(NEAR.model_copy(update={"kind": kind})) for kind in ItemKind]
    assert levels[0] == hardness(NEAR) < min(levels[1:])


def test_all_three_levels_are_given() -> None:
    hard = asked("What quantity can be stored for ships?", wrong=("42,500 litres",))
    medium = asked("What quantity can be stored for ships?")
    assert [expected_difficulty(i) for i in (NEAR, medium, hard)] == list(Difficulty)


def test_an_open_or_unanswerable_item_has_a_difficulty_too() -> None:
    bare = NEAR.model_copy(update={"distractors": (), "evidence": (), "kind": ItemKind.UNANSWERABLE})
    assert expected_difficulty(bare) in Difficulty
