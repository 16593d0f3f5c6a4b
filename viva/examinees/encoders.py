"""Dense encoders and cross-encoders beside the run's own embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.text.words import content_words
from viva.examinees.retrievers import SCORE_DECIMALS
from viva.llm.embedding_models import LSA, find_local
from viva.llm.embeddings import Embedder, SentenceTransformerEmbedder, VectorCache, quiet
from viva.metrics.text.cosines import VECTOR_DECIMALS, Vectors

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

LATENT = 128
"""Dimensions of the latent space, where the corpus has as many."""


def encoder_of(name: str, texts: Sequence[str], cache: VectorCache | None = None) -> Embedder:
    """The encoder of this name; 'lsa' is made of the texts. UsageError for a model that is not on this machine."""
    return LatentEmbedder(texts) if name == LSA else SentenceTransformerEmbedder(name, cache, threads=1)


class LatentEmbedder:
    """Latent semantic analysis (Deerwester et al. 1990): the truncated SVD of the texts' TF-IDF matrix.

    An encoder that needs no download: words that occur in the same texts lie near to each other. A last dimension
    takes texts without any known word, which are thus near to none that has some.
    """

    name = LSA

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(texts)

    @cached_property
    def fingerprint(self) -> str:
        """Of the texts that it is made of."""
        return f"{LSA}-{content_hash('lsa', LATENT, *self._texts)}"

    @property
    def dimensions(self) -> int:
        """At most LATENT, one for each text or word at most, and the last."""
        return int(self._axes.shape[0]) + 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), d), float32, rows of length 1 rounded to 6 decimals."""
        known = np.zeros((len(texts), self.dimensions))
        if texts and self._words is not None:
            known[:, :-1] = self._words.transform(texts) @ self._axes.T
        lengths = np.linalg.norm(known, axis=1)
        known[lengths < 10.0**-VECTOR_DECIMALS] = np.eye(self.dimensions)[-1]
        known /= np.linalg.norm(known, axis=1, keepdims=True)
        return (np.round(known, VECTOR_DECIMALS) + 0.0).astype(np.float32)

    def count_tokens(self, text: str) -> int:
        """Words that it looks at."""
        return len(content_words(text))

    @cached_property
    def _words(self) -> TfidfVectorizer | None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        if not any(content_words(text) for text in self._texts):
            return None
        return TfidfVectorizer(analyzer=content_words, sublinear_tf=True).fit(self._texts)

    @cached_property
    def _axes(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """Shape (d - 1, words)."""
        if self._words is None:
            return np.zeros((0, 0))
        from sklearn.decomposition import TruncatedSVD

        matrix = self._words.transform(self._texts)
        most = min(LATENT, *(side - 1 for side in matrix.shape))
        if most < 1:
            # one text or one word leaves nothing to be reduced
            return np.eye(matrix.shape[1])
        return np.asarray(TruncatedSVD(most, random_state=0).fit(matrix).components_)


class CrossEncoderRanker:
    """Scores a passage together with the question, by a sentence-transformers cross-encoder on the CPU.

    In double precision, as texts are embedded: what depends on the machine lies beyond what is kept.
    """

    def __init__(self, name: str) -> None:
        """UsageError if the model is not on this machine."""
        self._path = find_local(name, "cross-encoder")
        self._lock = RLock()
        self._known: dict[tuple[str, str], float] = {}

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One for each text, the higher the better, to four decimals."""
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if (question, text) not in self._known]
            if missing:
                import torch

                # before the sigmoid, which makes many scores of a sure model equal; one by one: a batch of passages
                # only waits for the memory
                raw = self._model.predict(
                    [(question, text) for text in missing],
                    batch_size=1,
                    show_progress_bar=False,
                    activation_fn=torch.nn.Identity(),
                )
                for text, score in zip(missing, np.asarray(raw, dtype=np.float64).reshape(-1), strict=True):
                    self._known[question, text] = round(float(score), SCORE_DECIMALS)
            return [self._known[question, text] for text in texts]

    @cached_property
    def _model(self) -> Any:
        import torch
        from sentence_transformers import CrossEncoder

        torch.set_num_threads(1)
        with quiet():
            try:
                model = CrossEncoder(str(self._path), device="cpu", local_files_only=True).double()
            except (OSError, ValueError, KeyError) as error:
                raise UsageError(f"The cross-encoder in {self._path} cannot be loaded: {error}.") from error
        if model.num_labels != 1:
            raise UsageError(
                f"The model in {self._path} has {model.num_labels} outputs.",
                allowed="A cross-encoder with one output, the relevance.",
            )
        return model
