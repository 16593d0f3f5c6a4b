"""Embeddings: the protocol, and models of sentences behind it. Importing this loads no model and no torch."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.llm.embedding_models import content_fingerprint, find_model
from viva.metrics.text.cosines import VECTOR_DECIMALS, Vectors

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

# texts after which the vectors are in the cache and safe from a kill
BLOCK = 256
# characters and texts that the model reads at once: more only wait for the memory
_CHARACTERS, _TEXTS = 1200, 64
_MOST_THREADS = 4
# tokenizers are not made for several threads at once, and embedders share them
_ONE_AT_A_TIME = RLock()
Precision = Literal["float64", "float32"]


class VectorCache(Protocol):
    """Where vectors are kept between runs, by model fingerprint and text hash."""

    def get_many(self, fingerprint: str, keys: Sequence[str]) -> dict[str, Vectors]:
        """Those of the keys that are known, each with its vector of shape (d,)."""

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these, all or none."""


class Embedder(Protocol):
    """Texts to vectors. `fingerprint` changes when the same text would get another vector."""

    @property
    def name(self) -> str:
        """As the person gave it."""

    @property
    def fingerprint(self) -> str:
        """Name and content hash of the model."""

    @property
    def dimensions(self) -> int:
        """d, the length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), d), rows of length 1, in the order of the texts."""

    def count_tokens(self, text: str) -> int:
        """Tokens of the text itself, without those the model puts around it."""


@runtime_checkable
class RoughEmbedder(Protocol):
    """An embedder that has cheaper vectors too."""

    def embed_roughly(self, texts: Sequence[str]) -> Vectors:
        """Embed the texts; the cosine of two is within ROUGH_COSINE_ERROR of that of exact ones."""


class SentenceTransformerEmbedder:
    """A sentence-transformers model on the CPU, from the machine alone: nothing is downloaded.

    It computes in double precision: what depends on the batch, the threads and the machine's instructions then lies
    nine digits beyond those that are kept, so that a text has one vector everywhere (docs/decisions/0005).
    `threads` sets torch's number of threads for the whole process.
    """

    def __init__(self, model: str, cache: VectorCache | None = None, *, threads: int | None = None) -> None:
        """UsageError if the model is not on this machine."""
        self.name = model
        self._path = find_model(model)
        self._cache = cache
        self._threads = threads

    @cached_property
    def fingerprint(self) -> str:
        """Model name and a hash of its files' content; the same on every machine."""
        return f"{self._path.name if Path(self.name).is_dir() else self.name}-{content_fingerprint(self._path)}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector, found by embedding one word."""
        return int(self.embed(["viva"]).shape[1])

    def count_tokens(self, text: str) -> int:
        """Tokens of the text itself; loads the tokenizer, not the model."""
        with _ONE_AT_A_TIME:
            return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), d), float32, rows of length 1 rounded to 6 decimals."""
        return self._embedded(texts, "float64")

    def embed_roughly(self, texts: Sequence[str]) -> Vectors:
        """Embed in single precision, in half the time: the sixth decimal depends on machine, threads and batch."""
        return self._embedded(texts, "float32")

    def _embedded(self, texts: Sequence[str], precision: Precision) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        text_of = {content_hash("text", text): text for text in texts}
        kept_under = f"{self.fingerprint}-{precision}"
        known = self._cache.get_many(kept_under, list(text_of)) if self._cache else {}
        missing = sorted(text_of.keys() - known.keys(), key=lambda key: (len(text_of[key]), key))
        for start in range(0, len(missing), BLOCK):
            block = missing[start : start + BLOCK]
            fresh = dict(zip(block, self._encode([text_of[key] for key in block], precision), strict=True))
            if self._cache:
                self._cache.put_many(kept_under, fresh)
            known |= fresh
        return np.stack([known[content_hash("text", text)] for text in texts])

    def _encode(self, texts: Sequence[str], precision: Precision) -> Vectors:
        """Of texts in order of their length."""
        with _ONE_AT_A_TIME:
            model = self._model(precision)
        computed = np.concatenate(list(_threads().map(lambda batch: _encoded(model, batch), _batches(texts))))
        exact = computed.astype(np.float64)
        exact /= np.maximum(np.linalg.norm(exact, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        # adding 0 turns -0.0 into 0.0
        return (np.round(exact, VECTOR_DECIMALS) + 0.0).astype(np.float32)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from tokenizers import Tokenizer

        file = self._path / "tokenizer.json"
        if not file.is_file():
            raise UsageError(
                f"The embedding model {self.name} has no tokenizer.json.",
                allowed="A model with a 'fast' tokenizer.",
                next_step="Take --embedding-model minilm, or save the model's tokenizer in the fast form.",
            )
        tokenizer = Tokenizer.from_file(str(file))
        # the file may say to pad and to cut, for batches: a count wants neither
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def _model(self, precision: Precision) -> SentenceTransformer:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import torch

        if self._threads is not None:
            torch.set_num_threads(self._threads)
        return _loaded(self._path, self.fingerprint, precision)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in their order, as many at once as are worth it."""
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) == _TEXTS or (len(batch) + 1) * len(text) > _CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def _encoded(model: SentenceTransformer, batch: list[str]) -> Vectors:
    """Compute the vectors of texts that are read at once."""
    import torch

    prompt = model.prompts.get(model.default_prompt_name or "")
    with _ONE_AT_A_TIME:
        features = model.preprocess(batch, prompt=prompt)
    with torch.inference_mode():
        vectors: Vectors = model(features)["sentence_embedding"].numpy()
    return vectors


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    """Threads that encode batches: one that waits for a busy core delays none of the others."""
    return ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS), "embedding")


@lru_cache(maxsize=4)
def _loaded(folder: Path, _fingerprint: str, precision: Precision) -> SentenceTransformer:
    """Load the model in this folder, with these files: once in a process, however many embedders ask for it."""
    import torch
    from sentence_transformers import SentenceTransformer

    with quiet():
        try:
            model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
            return model.to(getattr(torch, precision)).eval()
        except (OSError, ValueError, KeyError) as error:
            raise UsageError(
                f"The embedding model in {folder} cannot be loaded: {error}.",
                next_step="Take --embedding-model minilm, or put the model there again.",
            ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and warnings while a model loads; afterwards as before, for it is the whole process's."""
    from transformers.utils import logging as transformers_logging

    hf: Any = transformers_logging  # its functions carry no annotations
    level, bars = hf.get_verbosity(), hf.is_progress_bar_enabled()
    sentence_logger = logging.getLogger("sentence_transformers")
    sentence_level = sentence_logger.level
    hf.set_verbosity_error()
    hf.disable_progress_bar()
    sentence_logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        hf.set_verbosity(level)
        sentence_logger.setLevel(sentence_level)
        if bars:
            hf.enable_progress_bar()
