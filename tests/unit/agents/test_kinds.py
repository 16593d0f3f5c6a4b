"""The cast that writes all kinds: each kind by its own roles, single-hop items as before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from by_hand import WordEmbedder, bank, document

from viva.agents.offline.bank_building import build_bank
from viva.agents.offline.cast import offline_cast
from viva.agents.offline.kinds import with_all_kinds
from viva.agents.roles import Cast, Source
from viva.core.records import Chunk, Distractor, Draft, ExpertAnswer, ItemKind, Verdict
from viva.core.settings import Settings
from viva.graphs.chunk import walk_chunk
from viva.graphs.item_state import Committee
from viva.llm.embeddings import Embedder, SentenceTransformerEmbedder

TEXTS = {
    "fleet.md": "The Corran Wren is a tug that tows the coal barges of Ardle Quay. Two cooks share one galley.",
    "ships.md": "The Corran Wren carries 46 passengers. The Ellery Gull carries 75 passengers."
    " The Tarsay Rook carries 80 passengers. The Varn Skua carries 58 passengers.",
    "built.md": "The Corran Wren was built in 1987. The Ellery Gull is a tug that works at Skerrow."
    " The dock opened in 1931."
    " The crew of the Ellery Gull eats at noon. The bell was cast in 1902. The quay was widened in 1956.",
}


def sources() -> list[Source]:
    made = [document(text, path, path.partition(".")[0].title()) for path, text in TEXTS.items()]
    return [Source(Chunk.of(d, 0, len(d.text), len(d.text.split())), d) for d in made]


FLEET, SHIPS, BUILT = sources()
PAIR = replace(FLEET, kind=ItemKind.MULTI_HOP, second=SHIPS)
ABSENT = replace(BUILT, kind=ItemKind.UNANSWERABLE)


class Refusing:
    """A critic that passes nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def judge(self, draft: Draft, of: ExpertAnswer | Sequence[Distractor] | None, source: Source) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason="never", code="never")


def cast(single: Cast | None = None, embedder: Embedder | None = None) -> Cast:
    parts = (FLEET, SHIPS, BUILT)
    documents, chunks = [s.document for s in parts], [s.chunk for s in parts]
    embedder = embedder or WordEmbedder()
    single = single or offline_cast(build_bank(documents, chunks), embedder, Settings())
    return with_all_kinds(single, bank(*parts), documents, embedder, Settings())


def walked(source: Source, by: Cast) -> list[str]:
    walk = asyncio.run(walk_chunk(source, Committee(by, items_per_chunk=2, revisions=2, redos=2)))
    return [item.stem for item in walk.items if item.kind is source.kind]


def test_each_kind_of_source_gives_units_of_its_own() -> None:
    by = cast()
    for source in (FLEET, PAIR, ABSENT):
        units = asyncio.run(by.units.extract(source))
        assert units
        assert {unit.chunk_id for unit in units} == {source.id}
        assert {len(unit.spans) for unit in units} == {2 if source is PAIR else 1}


def test_a_pair_of_chunks_becomes_a_multi_hop_item() -> None:
    assert "How many passengers does the tug that tows the coal barges of Ardle Quay carry?" in walked(PAIR, cast())


def test_a_chunk_becomes_an_unanswerable_item(minilm: SentenceTransformerEmbedder) -> None:
    assert "In which year was the Ellery Gull built?" in walked(ABSENT, cast(embedder=minilm))


def test_critics_of_single_hop_items_judge_no_other_kind() -> None:
    by = cast()
    refusing = replace(by, screen=(), draft_critics=(), option_critics=(), solvers=())
    strict = cast(replace(refusing, screen=((Refusing("stand-alone"),),), solvers=(Refusing("solvable"),)))
    draft = asyncio.run(by.writer.write(asyncio.run(by.units.extract(PAIR))[0], PAIR, None, None))
    assert draft is not None
    assert asyncio.run(strict.screen[0][0].judge(draft, None, PAIR)) == ()
    assert asyncio.run(strict.solvers[0].judge(draft, (), PAIR)).passed
    assert not asyncio.run(strict.solvers[0].judge(draft, (), SHIPS)).passed
