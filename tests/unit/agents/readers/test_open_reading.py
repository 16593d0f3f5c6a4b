"""Reference systems answer open questions in the words of the passages that they read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from by_hand import WordEmbedder, document, item
from by_id import by_id
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.agents.readers.open_reading import (
    DOES_NOT_KNOW,
    MOST_CHARACTERS,
    MOST_SENTENCES,
    EmbeddingOpenReader,
    LexicalOpenReader,
    points_of,
    told,
)
from viva.core.errors import UsageError
from viva.core.records import Chunk, ExamItem
from viva.core.settings import Settings
from viva.examinees.answering import Answer
from viva.examinees.reference import ReferenceCandidate
from viva.examinees.retrievers import ChunkIndex
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import ReferenceSpec
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.storage.vectors import VectorStore

GATE = (
    "The lock gate closes 35 minutes before low water. Its keeper lives in the white cottage. "
    "The lock gate is painted red. The pier is 90 metres long. Tickets are sold on the quay."
)
OTHER = "The galley serves warm soup at noon."


def even(word: str) -> float:
    return 1.0


def lexical(question: str, *passages: str) -> str:
    return told(LexicalOpenReader(even), question, passages)


@pytest.mark.parametrize(
    "question",
    [
        "When does the lock gate close before low water?",
        "What do the documents say about “lock gate closes”?",
        "Please tell all you know: when does the gate close before low water?",
    ],
)
def test_the_sentence_that_speaks_to_the_question_is_the_answer(question: str) -> None:
    assert "The lock gate closes 35 minutes before low water." in lexical(question, OTHER, GATE)
    assert "Tickets" not in lexical(question, OTHER, GATE)


def test_each_of_several_points_asked_is_spoken_to() -> None:
    answer = lexical("What do the documents say about the pier? Please cover ticket sales, red paint.", GATE, OTHER)
    assert answer == "The lock gate is painted red. The pier is 90 metres long. Tickets are sold on the quay."


def test_what_no_sentence_speaks_to_is_not_known() -> None:
    assert lexical("Who founded the harbour museum?", GATE, OTHER) == DOES_NOT_KNOW
    assert lexical("What do the documents say about that? Please tell.", GATE) == DOES_NOT_KNOW
    assert lexical("Who?") == DOES_NOT_KNOW


def test_the_points_of_a_question_are_what_it_quotes_and_what_it_lists() -> None:
    assert points_of("What of “the lock gate”? Please cover its colour, the pier and soup.")[1:] == [
        "the lock gate",
        "Please cover its colour",
        "the pier",
        "soup",
    ]


def test_the_embedding_reader_understands_what_is_asked_in_other_words(minilm: SentenceTransformerEmbedder) -> None:
    question = "Where does the person who looks after the gate have their house?"
    passages = (GATE.replace("Its keeper", "The gatekeeper"), OTHER)
    assert "white cottage" in told(EmbeddingOpenReader(minilm), question, passages)
    assert "white cottage" not in lexical(question, *passages)
    assert told(EmbeddingOpenReader(minilm), "What is the capital of Peru?", passages) == DOES_NOT_KNOW


@given(st.lists(st.text(max_size=400), max_size=8), st.text(max_size=300))
@settings(deadline=None, max_examples=60)
def test_an_answer_is_bounded_and_copied_whatever_is_read(passages: list[str], question: str) -> None:
    answer = told(LexicalOpenReader(even), question, passages)
    assert 0 < len(answer) <= MOST_CHARACTERS


def test_a_flood_of_sentences_that_all_fit_is_bounded() -> None:
    flood = " ".join(f"The gate number {n} is red." for n in range(500))
    answer = lexical("Which gate is red?", flood)
    assert answer.count("gate") == MOST_SENTENCES
    table = "gate " * 5000
    assert 0 < len(lexical("Which gate?", table)) <= MOST_CHARACTERS


# --- the systems --------------------------------------------------------------------------------------------


@pytest.fixture
def index(tmp_path: Path) -> Iterator[ChunkIndex]:
    documents = [document(text, f"{n}.md") for n, text in enumerate((GATE, OTHER, "Rust eats old pipes."))]
    chunks = [Chunk.of(d, 0, len(d.text), 40) for d in documents]
    with VectorStore.open(tmp_path) as vectors:
        yield ChunkIndex(by_id(chunks), WordEmbedder(), vectors)


def system(spec: str, index: ChunkIndex) -> ReferenceCandidate:
    parsed = parse_spec(spec, Settings())
    assert isinstance(parsed, ReferenceSpec)
    return ReferenceCandidate(parsed, index, WordEmbedder(), (), 0)


def asked(spec: str, index: ChunkIndex, question: str) -> Answer:
    return asyncio.run(system(spec, index).answer(question))


@pytest.mark.parametrize("retriever", ["bm25", "dense", "hybrid", "hybrid-rerank"])
@pytest.mark.parametrize("reader", ["lexical", "embedding"])
def test_a_reference_system_answers_an_open_question_from_what_it_retrieves(
    retriever: str, reader: str, index: ChunkIndex
) -> None:
    answer = asked(
        f"{retriever}+{reader}", index, "What do the documents say about the galley? Please cover warm soup."
    )
    assert (answer.text, answer.choice) == (OTHER, None)
    assert answer.passages[0].text == OTHER


def test_only_the_first_k_passages_are_read(index: ChunkIndex) -> None:
    question = "What warm soup serves the galley at noon, and what eats pipes?"
    assert asked("bm25,k=1", index, question).text == OTHER
    assert "Rust" in asked("bm25,k=3", index, question).text


@pytest.mark.parametrize("reader", ["lexical", "embedding"])
def test_a_closed_book_does_not_know(reader: str, index: ChunkIndex) -> None:
    answer = asked(f"closed-book+{reader}", index, "What does the galley serve?")
    assert (answer.text, answer.passages) == (DOES_NOT_KNOW, ())


def test_the_oracle_answers_open_items_of_the_exam_and_no_other_question(index: ChunkIndex) -> None:
    with pytest.raises(UsageError, match="does not know the evidence"):
        asked("oracle", index, "What does the galley serve?")
    of = item(1, of=document(OTHER, "1.md"), stem="What does the galley serve at noon?", wrong=0)
    shown = ExamItem(item=of, options=(), key_position=0)
    assert asyncio.run(system("oracle", index).answer_item(shown)).text == OTHER


def test_passages_that_are_handed_over_are_read_instead(index: ChunkIndex) -> None:
    passages = index.bm25("rust pipes", 1)[0][0]
    handed = [p for p in asked("bm25", index, "Which rust?").passages if p.text == passages.text]
    answer = asyncio.run(system("closed-book", index).answer_from("What eats old pipes?", None, handed))
    assert answer.text == "Rust eats old pipes."
