"""A sentence is reduced to the one plain statement in it; its place stays that of the whole sentence."""

from __future__ import annotations

import pytest

from viva.agents.offline.statements import statement
from viva.core.text.prose import Sentence, sentences


@pytest.mark.parametrize(
    ("sentence", "plain"),
    [
        ("The pump (a spare one) moves water.", "The pump moves water."),
        ("However, pumps move water.", "Pumps move water."),
        ("Note that pumps move water.", "Pumps move water."),
        ("The bilge pump moves clean water, which is then filtered.", "The bilge pump moves clean water."),
        ("The bilge pump moves clean water; the other one rests.", "The bilge pump moves clean water."),
        ("The bilge pump moves clean water – at least by day.", "The bilge pump moves clean water."),
        ("The bilge pump moves clean water, but slowly.", "The bilge pump moves clean water, but slowly."),
        ('The function is called "flush" in the plan.', "The function is called flush in the plan."),
        ("Pumps move water.", "Pumps move water."),
        ("The `f(x)` call moves water.", "The f(x) call moves water."),
    ],
)
def test_a_sentence_becomes_a_plain_statement(sentence: str, plain: str) -> None:
    (found,) = sentences(sentence)
    stated = statement(found)
    assert stated.text == plain
    assert (stated.start, stated.end) == (found.start, found.end)


def test_code_is_still_found_where_it_stands() -> None:
    (found,) = sentences('Note that this plan (a draft) names `open` and "close" so.')
    stated = statement(found)
    assert [stated.text[a:b] for a, b in stated.code] == ["open", "close"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "Red cells, which are normally round, take the form of a sickle.",
            "Red cells take the form of a sickle.",
        ),
        (
            "Crewboard is the rostering system of the fleet, supplied by Kestrow.",
            "Crewboard is the rostering system of the fleet.",
        ),
        (
            "Rust is a fault caused when cracks, which let in salt, oil, and water, grow.",
            "Rust is a fault caused when cracks, which let in salt, oil, and water, grow.",
        ),
    ],
)
def test_what_is_inserted_is_left_off_and_never_half_of_it(text: str, plain: str) -> None:
    assert statement(Sentence(text, 0, len(text), ())).text == plain
