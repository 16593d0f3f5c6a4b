"""LangChain's retrievers and vector stores as retrievers of reference systems."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from by_id import by_id

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

import own_retrievers
from by_hand import WordEmbedder, document

from viva.core.errors import UsageError
from viva.core.records import Chunk
from viva.core.settings import Settings
from viva.examinees.answering import Answer
from viva.examinees.langchain_retriever import LangChainRetriever, check_retriever
from viva.examinees.reference import ReferenceCandidate
from viva.examinees.retrievers import ChunkIndex
from viva.examinees.specs.parse import parse_specs
from viva.examinees.specs.records import ReferenceSpec
from viva.storage.vectors import VectorStore

OWN = own_retrievers.__file__
COMMUNITY = "langchain_community.retrievers"
TEXTS = (
    "The ferry to Brack leaves at nine.",
    "The lighthouse burns whale oil in winter.",
    "A pilot keeps watch on channel seventy one.",
    "Harbour dues are paid on form twelve.",
    "The fog horn sounds every ninety seconds.",
    "Berth four is kept for the lifeboat.",
    "The tide turns twice a day.",
)
CHUNKS = [Chunk.of(whole, 0, len(whole.text), 8) for whole in map(document, TEXTS)]
QUESTION = "What does the lighthouse burn in winter?"


def retriever(name: str, depth: int = 5) -> LangChainRetriever:
    return LangChainRetriever(name, CHUNKS, WordEmbedder(), depth)


def panel(folder: Path, **reference: Any) -> list[ReferenceSpec]:
    import yaml

    file = folder / "panel.yaml"
    file.write_text(yaml.safe_dump({"examinees": [{"name": "own", "reference": reference}]}), encoding="utf-8")
    return [spec for spec in parse_specs(str(file), Settings()) if isinstance(spec, ReferenceSpec)]


@pytest.mark.parametrize(
    "name",
    [
        f"{COMMUNITY}:TFIDFRetriever",
        f"{COMMUNITY}:KNNRetriever",
        "langchain_core.vectorstores:InMemoryVectorStore",
        f"{OWN}:store",
    ],
)
def test_a_retriever_is_made_of_the_run_s_chunks_and_its_passages_are_chunks_in_their_places(name: str) -> None:
    passages = retriever(name).passages(QUESTION)
    assert len(passages) == 5
    assert (passages[0].text, passages[0].document_id, passages[0].start, passages[0].end) == (
        TEXTS[1],
        CHUNKS[1].document_id,
        0,
        len(TEXTS[1]),
    )
    assert {each.document_id for each in passages} <= {chunk.document_id for chunk in CHUNKS}


def test_a_passage_whose_text_is_not_the_chunk_s_keeps_its_text_and_the_id() -> None:
    passages = retriever(f"{OWN}:first_words", depth=2).passages(QUESTION)
    assert [(each.text, each.source_id, each.document_id) for each in passages] == [
        ("The ferry to", CHUNKS[0].id, None),
        ("The lighthou", CHUNKS[1].id, None),
    ]


def test_a_retriever_that_was_made_elsewhere_is_asked_as_it_is() -> None:
    passages = retriever(f"{OWN}:elsewhere").passages(QUESTION)
    assert [(each.text, each.source_id) for each in passages] == [
        ("What the tide brought.", None),
        ("And took.", "7"),
    ]
    assert retriever(f"{OWN}:elsewhere", depth=1).passages(QUESTION) == passages[:1]
    assert retriever(f"{OWN}:elsewhere_store").passages(QUESTION) == ()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no.such:Retriever", "cannot be imported"),
        (f"{COMMUNITY}:TFIDFRetreiver", "Did you mean TFIDFRetriever"),
        (f"{OWN}:of_nothing", "makes a dict, which retrieves nothing"),
        (f"{OWN}:breaks", "cannot be made of the run's chunks: RuntimeError: no room for 7 texts and 7 places"),
        (f"{OWN}:wants_more", "documents, texts, metadatas, embeddings, k"),
    ],
)
def test_what_makes_no_retriever_is_told_in_a_sentence(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        retriever(name)


def test_what_can_be_no_retriever_is_told_before_an_exam_is_written() -> None:
    check_retriever(f"{COMMUNITY}:TFIDFRetriever")
    check_retriever(f"{OWN}:elsewhere")
    for name in (f"{OWN}:number", f"{OWN}:absent"):
        with pytest.raises(UsageError):
            check_retriever(name)


# --- in a panel file -------------------------------------------------------------------------------------


def test_a_panel_file_names_a_retriever_by_module_or_by_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def make(documents): ...\n")
    grid = panel(tmp_path, retriever=f"{COMMUNITY}:TFIDFRetriever", reader="lexical", k=2)
    assert (grid[0].retriever, grid[0].k) == (f"{COMMUNITY}:TFIDFRetriever", 2)
    assert grid[0].examinee.components["retriever"] == f"{COMMUNITY}:TFIDFRetriever"
    (own,) = panel(tmp_path, retriever="mine.py:make")
    assert own.retriever == f"{tmp_path}/mine.py:make"
    assert own.examinee.components["retriever"] == "mine:make"
    (tmp_path / "mine.py").write_text("def make(documents, k): ...\n")
    (edited,) = panel(tmp_path, retriever="mine.py:make")
    assert edited.examinee.id != own.examinee.id


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ({"retriever": "absent.py:make"}, "names the file absent.py, which does not exist"),
        ({"retriever": "bm52"}, "a retriever must be closed-book, oracle, bm25, .*or MODULE:NAME"),
        ({"retriever": f"{COMMUNITY}:TFIDFRetriever", "encoder": "lsa"}, "an encoder"),
    ],
)
def test_what_names_no_retriever_in_a_panel_file_is_told(
    tmp_path: Path, reference: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        panel(tmp_path, **reference)


def test_a_reference_system_reads_the_first_k_of_its_passages_and_shows_all_of_them(tmp_path: Path) -> None:
    (spec,) = panel(tmp_path, retriever=f"{COMMUNITY}:TFIDFRetriever", reader="lexical", k=1)
    store = VectorStore.open(tmp_path)
    try:
        index = ChunkIndex(by_id(CHUNKS), WordEmbedder(), store)
        candidate = ReferenceCandidate(spec, index, WordEmbedder(), (), 0)
        answer: Answer = asyncio.run(candidate.answer(QUESTION, ["peat", "coal", "whale oil", "tallow"]))
    finally:
        store.close()
    assert answer.choice == 2
    assert answer.passages[0].text == TEXTS[1]
    assert len(answer.passages) == 5


def test_a_retriever_that_raises_is_a_failure_of_that_question_alone(tmp_path: Path) -> None:
    (spec,) = panel(tmp_path, retriever=f"{OWN}:elsewhere")
    store = VectorStore.open(tmp_path)
    try:
        candidate = ReferenceCandidate(spec, ChunkIndex(by_id(CHUNKS), WordEmbedder(), store), WordEmbedder(), (), 0)
        with pytest.raises(ConnectionError, match="went away"):
            asyncio.run(candidate.answer("Does it fail?", ["yes", "no"]))
        assert asyncio.run(candidate.answer(QUESTION, ["peat", "coal"])).passages
    finally:
        store.close()
