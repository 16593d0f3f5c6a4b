"""Dense encoders beside the run's own, and cross-encoders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from by_hand import WordEmbedder, document
from by_id import by_id
from tiny_models import tiny_cross_encoder

from viva.core.errors import UsageError
from viva.core.records import Chunk
from viva.examinees.encoders import CrossEncoderRanker, LatentEmbedder, encoder_of
from viva.examinees.retrievers import ChunkIndex
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.storage.vectors import VectorStore

TEXTS = [
    "The ferry carries cars. The ferry sails at noon.",
    "The vessel sails at noon with cars on board.",
    "The vessel is painted white.",
    "Soup is cooked in the galley. The galley is warm.",
    "The cook serves soup and bread.",
    "Rust eats old pipes.",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    with VectorStore.open(tmp_path) as vectors:
        yield vectors


def chunks() -> list[Chunk]:
    return [Chunk.of(d, 0, len(d.text), 9) for n, text in enumerate(TEXTS) if (d := document(text, f"{n}.md"))]


def nearness(question: str, texts: list[str] = TEXTS) -> list[float]:
    lsa = LatentEmbedder(texts)
    return [float(x) for x in lsa.embed(texts) @ lsa.embed([question])[0]]


def test_latent_vectors_have_length_one_and_are_the_same_each_time() -> None:
    texts = [*TEXTS, "", "zebra", "ferry ferry ferry"]
    first, again = (LatentEmbedder(TEXTS) for _ in "ab")
    assert first.fingerprint == again.fingerprint != LatentEmbedder(TEXTS[:5]).fingerprint
    vectors = first.embed(texts)
    assert vectors.shape == (len(texts), first.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(vectors, again.embed(texts))
    # a text has its vector whatever it is asked with
    assert np.array_equal(vectors[:1], first.embed(texts[:1]))


def test_words_of_the_same_texts_lie_near_to_each_other() -> None:
    # "board" stands in the second text alone, and the first sails at noon with cars as well
    found = nearness("board")
    assert int(np.argmax(found)) == 1
    assert found[0] > max(found[3:]) + 0.1


def test_words_that_stand_nowhere_are_near_to_nothing() -> None:
    assert nearness("zebra xylophone") == [0.0] * len(TEXTS)


@pytest.mark.parametrize("texts", [["the ferry"], ["ferry", "ferry"], ["the of"], [""], ["ferry boat", "soup"]])
def test_the_smallest_corpora_can_be_searched(texts: list[str]) -> None:
    assert all(np.isfinite(nearness("ferry", texts)))


@pytest.mark.parametrize("name", ["dense", "hybrid", "hybrid_reranked"])
def test_a_retriever_searches_with_the_encoder_it_is_given(name: str, store: VectorStore) -> None:
    index = ChunkIndex(by_id(chunks()), encoder_of("lsa", TEXTS), store)
    found = getattr(index, name)("Who serves bread?", 3)
    assert found[0][0].text == TEXTS[4]


def test_two_encoders_of_one_corpus_do_not_share_their_vectors(store: VectorStore) -> None:
    by_words = ChunkIndex(by_id(chunks()), WordEmbedder(), store).dense("board", 6)
    latent = ChunkIndex(by_id(chunks()), encoder_of("lsa", TEXTS), store).dense("board", 6)
    assert [score for _, score in by_words] != [score for _, score in latent]


def test_any_model_on_this_machine_is_an_encoder(store: VectorStore) -> None:
    assert isinstance(encoder_of("minilm", TEXTS), SentenceTransformerEmbedder)
    with pytest.raises(UsageError, match="not on this machine"):
        encoder_of("nobody/has-this-model", TEXTS)


# --- cross-encoders -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_cross_encoder(tmp_path_factory.mktemp("cross"))


def test_a_cross_encoder_scores_question_and_text_together(model: Path) -> None:
    ranker = CrossEncoderRanker(str(model))
    texts = ["the lamp of the galley", "a pump moves water", "", "the lamp of the galley"]
    found = ranker.scores("which pump moves water", texts)
    assert found[0] == found[3]
    assert len(set(found)) == 3
    assert found == ranker.scores("which pump moves water", texts)
    assert found != ranker.scores("which ferry", texts)
    # in whatever company it is asked
    assert ranker.scores("which pump moves water", texts[1:2]) == found[1:2]


def test_a_text_longer_than_the_model_takes_is_cut(model: Path) -> None:
    assert len(CrossEncoderRanker(str(model)).scores("pump " * 500, ["water " * 500])) == 1


def test_the_fused_list_is_ranked_anew_by_the_cross_encoder(model: Path, store: VectorStore) -> None:
    index, ranker = ChunkIndex(by_id(chunks()), WordEmbedder(), store), CrossEncoderRanker(str(model))
    question = "The galley moves water and the ferry sails at noon"
    fused = {chunk.text for chunk, _ in index.hybrid(question, 20)}
    found = index.hybrid_reranked(question, 20, ranker)
    assert {chunk.text for chunk, _ in found} == fused
    assert [score for _, score in found] == sorted(ranker.scores(question, sorted(fused)), reverse=True)
    assert [c.id for c, _ in found] != [c.id for c, _ in index.hybrid_reranked(question, 20)]


def test_a_model_that_is_no_cross_encoder_is_refused(tmp_path: Path) -> None:
    two = tiny_cross_encoder(tmp_path / "two", outputs=2)
    with pytest.raises(UsageError, match="2 outputs"):
        CrossEncoderRanker(str(two)).scores("pump", ["water"])
    with pytest.raises(UsageError, match="cross-encoder"):
        CrossEncoderRanker(str(tmp_path))
