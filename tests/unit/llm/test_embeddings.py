"""The bundled embedding model: lazy, offline, and the same vector for a text whatever it is asked with."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from vectors import recorded

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.llm.embedding_models import content_fingerprint, find_model
from viva.llm.embeddings import SentenceTransformerEmbedder, VectorCache, Vectors, _loaded
from viva.metrics.text.cosines import ROUGH_COSINE_ERROR
from viva.storage.embedding_cache import EmbeddingCache

TEXTS = [
    "The pump moves forty litres of water per minute.",
    "no",
    "The pump moves forty litres of water per minute. " * 6,
    "A librarian counts books.",
    "",
]


class CountingCache(EmbeddingCache):
    """The real cache, remembering how many vectors each call brought."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.puts: list[int] = []

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        self.puts.append(len(vectors))
        super().put_many(fingerprint, vectors)


@pytest.fixture(scope="module")
def embedder() -> Iterator[SentenceTransformerEmbedder]:
    # the model loads once, with every way to a network shut
    with pytest.MonkeyPatch.context() as patch:

        def no_network(*_: object, **__: object) -> None:
            raise AssertionError("the network was asked")

        patch.setattr(socket.socket, "connect", no_network)
        patch.setattr(socket, "getaddrinfo", no_network)
        _loaded.cache_clear()
        yield SentenceTransformerEmbedder("minilm", threads=1)


def test_constructing_and_counting_import_nothing_heavy() -> None:
    code = (
        "import sys; from viva.llm.embeddings import SentenceTransformerEmbedder as S\n"
        "e = S('minilm'); assert 'tokenizers' not in sys.modules\n"
        "e.fingerprint; print(e.count_tokens('The hydraulic press.'))\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "4\n"


def test_tokens_are_counted_beyond_what_the_model_reads(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("word " * 1000) == 1000


def test_rows_are_float32_of_length_one_in_the_order_asked(embedder: SentenceTransformerEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-4)
    backwards = embedder.embed(TEXTS[::-1])
    assert np.array_equal(backwards[::-1], vectors)


def test_a_rough_vector_has_nearly_the_cosines_of_an_exact_one(embedder: SentenceTransformerEmbedder) -> None:
    exact, rough = embedder.embed(TEXTS).astype(np.float64), embedder.embed_roughly(TEXTS).astype(np.float64)
    assert not np.array_equal(exact, rough)
    assert np.abs(exact @ exact.T - rough @ rough.T).max() < ROUGH_COSINE_ERROR


def test_a_text_alone_has_the_vector_it_has_among_others(embedder: SentenceTransformerEmbedder) -> None:
    together = embedder.embed(TEXTS)
    assert all(np.array_equal(embedder.embed([text])[0], row) for text, row in zip(TEXTS, together, strict=True))


@pytest.mark.slow
def test_threads_and_company_change_no_digit_of_a_vector(embedder: SentenceTransformerEmbedder) -> None:
    import torch

    texts = [f"{text} {number}" for number in range(8) for text in TEXTS]
    alone = np.stack([embedder.embed([text])[0] for text in texts])
    try:
        torch.set_num_threads(2)
        assert np.array_equal(embedder.embed(texts), alone)
    finally:
        torch.set_num_threads(1)


def test_vectors_of_single_precision_in_an_older_run_are_not_taken_for_ours(
    tmp_path: Path, embedder: SentenceTransformerEmbedder
) -> None:
    cache = EmbeddingCache(tmp_path)
    key = content_hash("text", TEXTS[0])
    cache.put_many(embedder.fingerprint, {key: np.zeros(384, dtype=np.float32)})
    assert np.array_equal(SentenceTransformerEmbedder("minilm", cache).embed(TEXTS[:1]), embedder.embed(TEXTS[:1]))
    # and stay as they are
    assert not cache.get_many(embedder.fingerprint, [key])[key].any()


def test_the_vectors_that_commands_under_test_are_given_are_the_models_own(
    embedder: SentenceTransformerEmbedder,
) -> None:
    fingerprint, vectors = recorded()
    assert fingerprint == embedder.fingerprint
    some = list(vectors)[::100]
    assert np.array_equal(embedder.embed(some), np.stack([vectors[text] for text in some]))


def test_meaning_is_nearer_than_another_subject(embedder: SentenceTransformerEmbedder) -> None:
    near, base, far = embedder.embed(["A pump moves water.", TEXTS[0], TEXTS[3]])
    assert base @ near > base @ far + 0.3


def test_nothing_asked_gives_no_rows_of_the_right_width(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)
    assert embedder.dimensions == 384


def test_a_text_is_computed_once_however_often_it_is_asked(
    tmp_path: Path, embedder: SentenceTransformerEmbedder
) -> None:
    cache = CountingCache(tmp_path)
    cached = SentenceTransformerEmbedder("minilm", cache)
    first = cached.embed([TEXTS[1], TEXTS[3], TEXTS[1]])
    assert cache.puts == [2]
    assert np.array_equal(first[0], first[2])
    cached.embed([TEXTS[3], TEXTS[4]])
    assert cache.puts == [2, 1]


def test_a_full_cache_needs_no_model(tmp_path: Path, embedder: SentenceTransformerEmbedder) -> None:
    cache: VectorCache = EmbeddingCache(tmp_path)
    warm = SentenceTransformerEmbedder("minilm", cache)
    expected = warm.embed(TEXTS)
    _loaded.cache_clear()
    cold = SentenceTransformerEmbedder("minilm", cache)
    assert np.array_equal(cold.embed(TEXTS), expected)
    assert not _loaded.cache_info().currsize


def test_a_model_is_loaded_once_in_a_process_and_again_where_its_files_changed(tmp_path: Path) -> None:
    alike = [SentenceTransformerEmbedder("minilm") for _ in range(2)]
    assert alike[0]._model("float64") is alike[1]._model("float64")
    copy = tmp_path / "minilm"
    shutil.copytree(find_model("minilm"), copy)
    before = SentenceTransformerEmbedder(str(copy))._model("float64")
    with (copy / "model.safetensors").open("r+b") as stream:
        stream.seek(-1000, 2)
        stream.write(bytes(1000))
    assert SentenceTransformerEmbedder(str(copy))._model("float64") is not before


def test_loading_is_silent_and_leaves_the_progress_bars_of_others_alone(capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils import logging

    _loaded.cache_clear()
    SentenceTransformerEmbedder("minilm", threads=1).embed(["a"])
    assert capfd.readouterr() == ("", "")
    assert logging.is_progress_bar_enabled()


def test_rough_vectors_are_near_the_exact_ones(embedder: SentenceTransformerEmbedder) -> None:
    assert np.abs(embedder.embed_roughly(TEXTS) - embedder.embed(TEXTS)).max() < 2e-6


@pytest.mark.parametrize("name", ["no-such/model", "no-such-model", "not a name", "../elsewhere/x/y", ""])
def test_an_unknown_model_says_how_to_get_one(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        SentenceTransformerEmbedder(name)
    assert "minilm" in caught.value.allowed
    assert "hf download" in caught.value.next_step


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no sentence-transformers model"):
        SentenceTransformerEmbedder(str(tmp_path))


def test_a_copy_in_another_folder_has_the_same_fingerprint_and_changed_weights_another(tmp_path: Path) -> None:
    copy = tmp_path / "minilm"
    shutil.copytree(find_model("minilm"), copy)
    assert SentenceTransformerEmbedder(str(copy)).fingerprint == SentenceTransformerEmbedder("minilm").fingerprint
    before = content_fingerprint(copy)
    weights = copy / "model.safetensors"
    with weights.open("r+b") as stream:
        stream.seek(-1000, 2)
        stream.write(bytes(1000))
    assert content_fingerprint(copy) != before
