"""Documents in other languages get questions in their own."""

from __future__ import annotations

import asyncio

from by_hand import WordEmbedder, bank, source

from viva.agents.offline.cast import offline_cast
from viva.core.records import Item
from viva.core.settings import Settings
from viva.graphs.authoring.state import Committee
from viva.graphs.chunk import walk_chunk

GERMAN = source(
    "Die Fähre Morven befördert 350 Fahrgäste auf der Strecke nach Quillon. Die Reederei hat das Schiff im Jahr 1998"
    " in Leer gebaut. Sie fährt täglich 12 Mal zwischen den beiden Häfen der Insel. Die Ausfahrt bleibt nach einem"
    " Sturm 48 Stunden lang gesperrt."
)


def items() -> tuple[Item, ...]:
    cast = offline_cast(bank(GERMAN), WordEmbedder(), Settings())
    return asyncio.run(walk_chunk(GERMAN, Committee(cast, 8, 2, 2))).items


def test_a_german_document_is_asked_about_in_german() -> None:
    found = items()
    assert {item.key for item in found} <= {"350 Fahrgäste", "1998", "48 Stunden"}
    assert len(found) >= 2
    assert {item.language for item in found} == {"de"}
    assert all(item.stem.startswith("Welche Angabe ergänzt diese Aussage: „") for item in found)


def test_a_sentence_that_leans_on_the_one_before_is_not_asked_about() -> None:
    assert not any("12 Mal" in item.key for item in items())
