"""Reference retrievers: what they find, in which order, and how ties are settled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from by_hand import WordEmbedder, document, item, shown
from by_id import by_id
from qdrant_client import QdrantClient

from viva.core.records import Chunk, Document, ExamItem, Item, Span
from viva.core.settings import Settings
from viva.examinees.answering import Answer
from viva.examinees.reference import ReferenceCandidate
from viva.examinees.retrievers import ChunkIndex, as_passages
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import ReferenceSpec
from viva.metrics.text.cosines import Vectors
from viva.storage.vectors import VectorStore

TEXTS = [
    "The bilge pump moves water out of the hull.",
    "The fire pump moves foam to the deck.",
    "The galley serves warm soup at noon.",
    "The galley serves warm soup at noon.",
    "The chart table holds maps of the sound.",
    "Rust eats old pipes.",
]
DOCUMENTS = [document(text, f"{n}.md") for n, text in enumerate(TEXTS)]


def chunks_of(documents: list[Document]) -> list[Chunk]:
    return [Chunk.of(d, 0, len(d.text), 9) for d in documents]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    with VectorStore.open(tmp_path) as vectors:
        yield vectors


@pytest.fixture
def index(store: VectorStore) -> ChunkIndex:
    # two documents of one text share their id: give their chunks other places, so that they differ
    twin = Chunk.of(DOCUMENTS[3], 1, len(TEXTS[3]), 9)
    chunks = chunks_of(DOCUMENTS)
    both = [*chunks[:3], twin.model_copy(update={"text": TEXTS[3]}), *chunks[4:]]
    return ChunkIndex(by_id(both), WordEmbedder(), store)


@pytest.mark.filterwarnings("ignore:Local mode performs exact")
def test_a_server_of_vectors_finds_the_same_by_words_by_meaning_and_fused(index: ChunkIndex) -> None:
    # the client's own engine in memory, as a server is used: words and vectors lie there, and it fuses
    with VectorStore(QdrantClient(":memory:"), None) as vectors:
        there = ChunkIndex(index.chunks, WordEmbedder(), vectors)
        for query in ("pump moves water", "fire on the deck", "old maps", "soup"):
            for k in (1, 3, 6):
                assert there.bm25(query, k) == index.bm25(query, k)
                assert there.dense(query, k) == index.dense(query, k)
            assert {c.id for c, _ in there.hybrid(query, 6)} == {c.id for c, _ in index.hybrid(query, 6)}
            assert there.hybrid(query, 1) == index.hybrid(query, 1)


def texts(ranked: list[tuple[Chunk, float]]) -> list[str]:
    return [chunk.text for chunk, _ in ranked]


def asked(quote: str, text: str) -> ExamItem:
    of = document(text)
    start = text.index(quote)
    base: Item = item(1, of=of)
    evidence = Span(document_id=of.id, start=start, end=start + len(quote), quote=quote)
    return shown(base.model_copy(update={"evidence": (evidence,)}))


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid", "hybrid_reranked"])
def test_every_retriever_finds_the_chunk_that_shares_the_questions_words(index: ChunkIndex, name: str) -> None:
    found = getattr(index, name)("What does the fire pump move to the deck?", 3)
    assert texts(found)[0] == TEXTS[1]
    assert 1 <= len(found) <= 3
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid", "hybrid_reranked"])
def test_ties_are_settled_the_same_way_each_time(index: ChunkIndex, name: str) -> None:
    first, again = (
        [c.id for c, _ in getattr(index, name)("When is warm soup served in the galley?", 4)] for _ in "ab"
    )
    assert first == again
    assert {c.text for c in index.chunks.values() if c.id in first[:2]} == {TEXTS[2]}


@pytest.mark.parametrize("name", ["bm25", "dense"])
def test_a_tie_is_parted_by_id(index: ChunkIndex, name: str) -> None:
    found = [c.id for c, _ in getattr(index, name)("warm soup", 2)]
    assert found == sorted(c.id for c in list(index.chunks.values())[2:4])


class Elsewhere(WordEmbedder):
    """The same words on another machine: the seventh decimal of a vector is another one, whenever it is asked."""

    def __init__(self, seed: int) -> None:
        self._draw = np.random.default_rng(seed)

    def embed(self, texts: Sequence[str]) -> Vectors:
        exact = np.round(super().embed(texts), 6).astype(np.float64)
        return (exact + self._draw.uniform(-2e-7, 2e-7, size=exact.shape)).astype(np.float32)


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid", "hybrid_reranked"])
def test_the_last_digits_of_vectors_change_no_passage_no_score_and_no_order(tmp_path: Path, name: str) -> None:
    # texts of nearly the same words in many orders: a cosine for each share of them
    words = "the bilge pump moves water out of a hull and foam to decks".split()
    texts = [" ".join(words[start:] + words[: start // 2]) for start in range(1, 12)]
    chunks = chunks_of([document(f"{text} {n}.", f"{n}.md") for n, text in enumerate(texts * 3)])
    found = []
    for seed in range(3):
        with VectorStore.open(tmp_path / str(seed)) as vectors:
            searched = ChunkIndex(by_id(chunks), Elsewhere(seed), vectors)
            asked_for = (" ".join(words[n : n + 4]) for n in range(9))
            found.append([as_passages(getattr(searched, name)(query, 9)) for query in asked_for])
    assert found[0] == found[1] == found[2]
    assert all(passage.score == round(passage.score, 4) for passages in found[0] for passage in passages)


def test_words_that_stand_nowhere_find_nothing_by_words(index: ChunkIndex) -> None:
    assert index.bm25("zebra xylophone", 5) == []
    assert index.bm25("the of and", 5) == []


@pytest.mark.filterwarnings("ignore:Local mode performs exact")
@pytest.mark.parametrize("server", [False, True])
@pytest.mark.parametrize(
    ("text", "query"),
    [
        (normalize("NFD", "Hélène dirige le musée."), normalize("NFC", "Hélène")),
        ("Die Do\u00adnau\u00addampf\u00adschiff\u00adfahrt beginnt.", "Donaudampfschifffahrt"),
        ("Le débit d’eau est faible.", "Combien passe de l'eau ?"),
        ("Il parle d'Hélène.", "Hélène"),
        ("The pump’s warranty ends.", "pump's"),
        ("हिन्दी किताब", "किताब"),
    ],
)
def test_words_are_found_in_every_form_of_unicode_and_without_their_elided_articles(
    tmp_path: Path, text: str, query: str, server: bool
) -> None:
    chunks = chunks_of([document(text, "a.md"), document("Rust eats old pipes. क ब", "b.md")])
    with VectorStore(QdrantClient(":memory:"), None) if server else VectorStore.open(tmp_path) as vectors:
        searched = ChunkIndex(by_id(chunks), WordEmbedder(), vectors)
        assert texts(searched.bm25(query, 2)) == [text]


def test_the_hybrid_fuses_by_rank(index: ChunkIndex) -> None:
    query = "Which pump moves water?"
    ranks: dict[str, float] = {}
    for ranked in (index.bm25(query, 20), index.dense(query, 20)):
        for rank, (chunk, _) in enumerate(ranked, start=1):
            ranks[chunk.id] = ranks.get(chunk.id, 0) + 1 / (60 + rank)
    found = index.hybrid(query, 6)
    assert {c.id: score for c, score in found} == {name: round(score, 4) for name, score in ranks.items()}
    assert texts(found)[0] == TEXTS[0]


@pytest.mark.filterwarnings("ignore:Local mode performs exact")
@pytest.mark.parametrize("name", ["hybrid", "hybrid_reranked"])
@pytest.mark.parametrize("server", [False, True])
def test_as_many_passages_are_fused_and_re_ranked_as_are_asked_for(tmp_path: Path, name: str, server: bool) -> None:
    chunks = chunks_of([document(f"Pump {n} moves water.", f"{n}.md") for n in range(60)])
    with VectorStore(QdrantClient(":memory:"), None) if server else VectorStore.open(tmp_path) as vectors:
        searched = ChunkIndex(by_id(chunks), WordEmbedder(), vectors)
        assert [len(getattr(searched, name)("Which pump moves water?", k)) for k in (20, 50)] == [20, 50]


def test_re_ranking_looks_for_one_sentence_that_holds_the_question(store: VectorStore) -> None:
    scattered = document("The pump rests. Water stands in the hull. Rust eats pipes. Foam fills the deck.", "s.md")
    whole = document("Soup is warm. The pump moves water from the hull to the deck. Maps lie about.", "w.md")
    searched = ChunkIndex(by_id(chunks_of([scattered, whole, *DOCUMENTS[2:3]])), WordEmbedder(), store)
    found = searched.hybrid_reranked("Does the pump move water from the hull to the deck?", 2)
    assert [c.document_id for c, _ in found] == [whole.id, scattered.id]


def test_the_oracle_is_given_the_chunk_that_holds_most_of_the_evidence() -> None:
    text = "Soup is warm. The pump moves water. Maps lie about."
    of = document(text)
    chunks = [Chunk.of(of, 0, 20, 4), Chunk.of(of, 14, len(text), 8), *chunks_of(DOCUMENTS)]
    searched = ChunkIndex(by_id(chunks), WordEmbedder(), None)  # type: ignore[arg-type]
    found = searched.holding(asked("The pump moves water.", text))
    assert [c.id for c, _ in found] == [chunks[1].id]


def test_evidence_that_no_chunk_holds_gives_the_oracle_nothing() -> None:
    searched = ChunkIndex(by_id(chunks_of(DOCUMENTS)), WordEmbedder(), None)  # type: ignore[arg-type]
    assert searched.holding(asked("pump", "Another pump altogether.")) == []


def test_passages_carry_their_place_in_the_corpus(index: ChunkIndex) -> None:
    (passage,) = as_passages(index.bm25("rust", 1))
    of = DOCUMENTS[5]
    assert (passage.text, passage.document_id, passage.start, passage.end) == (of.text, of.id, 0, len(of.text))


def test_a_rare_word_tells_more_than_a_common_one(index: ChunkIndex) -> None:
    assert 0 < index.weight("pump") < index.weight("rust") < index.weight("zebra") <= 1


OPTIONS = ("foam", "soup", "maps", "rust")


def answered(index: ChunkIndex, spec: str, stem: str, seed: int = 0) -> Answer:
    parsed = parse_spec(spec, Settings())
    assert isinstance(parsed, ReferenceSpec)
    system = ReferenceCandidate(parsed, index, WordEmbedder(), (), seed)
    shown_item = asked(TEXTS[1], TEXTS[1])
    put = shown_item.model_copy(
        update={"item": shown_item.item.model_copy(update={"stem": stem}), "options": OPTIONS}
    )
    return asyncio.run(system.answer_item(put))


@pytest.mark.parametrize("spec", ["oracle", "bm25,k=1", "dense,k=2", "hybrid,k=2", "hybrid-rerank,k=1"])
def test_a_reference_system_answers_from_what_it_retrieves(index: ChunkIndex, spec: str) -> None:
    answer = answered(index, spec, "What does the fire pump move to the deck?")
    assert (answer.choice, answer.text) == (0, "foam")
    assert answer.passages[0].text == TEXTS[1]


def test_the_closed_book_shows_no_passages(index: ChunkIndex) -> None:
    assert answered(index, "closed-book", "What does the fire pump move to the deck?").passages == ()


def test_only_the_first_k_passages_are_read(index: ChunkIndex) -> None:
    # what is asked stands in the second best chunk
    stem = "Which pipes does the bilge pump of the hull move water out of, and what eats them?"
    assert [p.text for p in answered(index, "bm25,k=5", stem).passages[:2]] == [TEXTS[0], TEXTS[5]]
    assert {answered(index, "bm25,k=5", stem, seed).text for seed in range(8)} == {"rust"}
    assert len({answered(index, "bm25,k=1", stem, seed).text for seed in range(8)}) > 1
