"""What a sentence counts and then names can be asked for by its number, if the names bear it out."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import WordEmbedder, bank, draft, questions, source

from viva.agents.offline.distractors import OfflineDistractorWriter

COUNTED = {
    "There are three kinds of mooring: chain, rope, and pole moorings.": (
        "How many kinds of mooring are there?",
        "three",
    ),
    "The Corran ferry has two ballast tanks: the bow tank and the stern tank.": (
        "How many ballast tanks does the Corran ferry have?",
        "two",
    ),
    "The Brannoch hull is composed of four layers: primer, paint, wax, and foil.": (
        "How many layers is the Brannoch hull composed of?",
        "four",
    ),
}


def asked(text: str) -> list[tuple[str, str]]:
    return [(q.stem, q.key) for q in questions(text, "ferry hull") if q.pattern == "ask-number"]


@pytest.mark.parametrize(("text", "found"), COUNTED.items(), ids=[stem for stem, _ in COUNTED.values()])
def test_what_is_counted_out_is_asked_for_by_its_number(text: str, found: tuple[str, str]) -> None:
    assert asked(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "There are three kinds of mooring: chain and rope moorings.",  # two are named
        "There are two kinds of mooring: a chain is used in winter and a rope is used in summer.",  # no names
        "The Corran ferry can be divided into two parts: the bow and the stern.",  # and otherwise as well
        "They also have two ballast tanks: the bow tank and the stern tank.",  # who
        "There are two things: chain and rope.",  # of what
    ],
)
def test_a_number_that_the_names_do_not_bear_out_is_not_asked_for(text: str) -> None:
    assert asked(text) == []


def test_the_number_is_not_always_the_least_option() -> None:
    below = set()
    for what in "mooring sail rope winch lamp pump hose drum gauge tank boat deck".split():
        text = f"There are two types of {what}."
        here = source(f"{text} The crew paints it in spring.")
        own = draft(here, text, f"How many types of {what} are there?", "two", "number")
        writer = OfflineDistractorWriter(bank(here), WordEmbedder(), options=4, seed=7)
        found = asyncio.run(writer.write(own, here, 0, None))
        assert found is not None
        below.add("one" in {wrong.text for wrong in found})
    assert below == {True, False}
