"""Chunks without a fact are told by their shape; whatever may hold one is read."""

from __future__ import annotations

import pytest

from viva.agents.rules.nothing_to_ask import CODE, CONTENTS, LICENCE, LINKS, REFERENCES, nothing_to_ask
from viva.core.records import Chunk, Document


def told(text: str, format: str = "md", start: int = 0) -> str:  # noqa: A002 - the field's name
    whole = Document.of(text, path="x", title="X", format=format)
    return nothing_to_ask(Chunk.of(whole, start, len(text), 50), whole)


LITERATURE = """\
Adams, J. K., & Smith, R. (1999). The role of tides in harbours of the north. Tides, 12, 1-20.

Brown, A. (2004). How locks were built before the war. Gate Press.

[3] C. D. Grey. On keels and on how they rot. Oslo, 1987.
"""
EMPTY = {
    "a list of links": (
        LINKS,
        "## Siehe auch\n\n- [Der Kai am Hafen](kai.md)\n- [Die Schleuse](schleuse.md)\n",
        "md",
    ),
    "addresses": (LINKS, "Références\n==========\n\n.. [1] https://x.org/a/b\n.. _quai: https://x.org/quai\n", "rst"),
    "a literature list": (REFERENCES, LITERATURE, "md"),
    "leaders": (
        CONTENTS,
        "Vorwort ........ 3\nDie Geschichte des Hafens von Husum ........ 7\nKai ....... 21\n",
        "pdf",
    ),
    "numbered sections": (CONTENTS, "1.1 Kai\n1.2 Schleuse und Tor\n1.3 Boote\n2.1 Gezeiten\n", "txt"),
    "owners": (LICENCE, "Copyright 2019 Quillon Ness\n\n(c) 2020-2024 The Harbour Board\n", "md"),
    "a disclaimer": (LICENCE, "THE SOFTWARE IS PROVIDED AS IS, WITHOUT WARRANTY OF ANY KIND TO ANYBODY. " * 5, "md"),
    "code": (CODE, "```py\nfor gate in gates:\n    # It is shut.\n    gate.open(35)\n```\n", "md"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_chunk_that_holds_nothing_to_ask_is_told_and_why(name: str) -> None:
    why, text, of = EMPTY[name]
    assert told(text, of) == why


@pytest.mark.parametrize(
    "text",
    [
        "The lock gate closes 35 minutes before low water.",
        "| Berth | Length |\n|---|---|\n| A | 85 m |\n| B | 140 m |\n",
        "- a lock\n- two piers\n- a crane that lifts four tonnes\n- a slipway\n",
        "1. Open the lid\n2. Turn the valve to the left\n3. Wait for the light\n",
        "- [The pier](p.md): it is 90 metres long, and boats of up to 40 tonnes may berth there for a night.\n",
        "In 1972 the U.S. harbour closed, as J. K. Adams found. A study of 1974 by R. Smith told why it had.",
        "鍵は三つある。窓は二つある。門は夜に閉まる。",
        "The gate is opened so:\n\n```\ngate.open(35)\n```\n",
        "```\n# a boat of more than 40 tonnes waits for the tide\ngate.open(35)\n```\n",
        "| Berth | Pilot |\n|---|---|\n| A | [Ellery Gannet](e.md) |\n| B | [Morven Tern](m.md) |\n",
        "THE GATE IS SHUT AT NIGHT.",
        "Port\n22\nTimeout\n30 s\n",
        "",
    ],
)
def test_a_chunk_that_may_hold_a_fact_is_read(text: str) -> None:
    assert told(text) == told(text, "txt") == ""


def test_a_chunk_that_begins_inside_a_code_block_is_code() -> None:
    text = "The gate opens at noon, and it shuts at six.\n\n```\na = 1\nb = gate(a)\nc = b\n```\n"
    assert told(text, start=text.index("b =")) == CODE
    assert told(text) == ""
