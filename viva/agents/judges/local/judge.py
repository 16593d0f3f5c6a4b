"""The local judge: a trained cross-encoder beside figures of the comparison; nothing in a case is obeyed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from viva.agents.judges.local.blend import Blend, columns, kinds_of
from viva.agents.judges.local.network import Tensors, logits, merge, new_network, put_tensors, threads_bounded
from viva.agents.judges.local.reading import TextPair, pairs_of, support_pair
from viva.agents.judges.local.storing import load, shipped
from viva.agents.judges.offline.pairs import PairJudge
from viva.agents.judges.offline.vetoes import vetoed
from viva.core.errors import UsageError
from viva.core.records.judging import Case, JudgeCard, Quality
from viva.llm.embeddings import Embedder
from viva.metrics.text.cosines import cosine

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class LocalJudge(PairJudge[TextPair]):
    """Judges by trained weights. Thread-safe; `threads` bounds torch's, None leaves them.

    The embedder is that of the bundled weights: the cosine of the two texts is one of the figures.
    """

    def __init__(
        self, card: JudgeCard, tensors: Tensors, blend: Blend, embedder: Embedder, *, threads: int | None = None
    ) -> None:
        super().__init__(card.judges)
        self._card, self._tensors, self._blend = card, tensors, blend
        self._embedder, self._threads = embedder, threads
        self._lock = Lock()

    @classmethod
    def load(cls, folder: Path, embedder: Embedder, *, threads: int | None = None) -> LocalJudge:
        """The judge installed in the folder. UsageError unless its stamp fits."""
        return cls(*load(folder), embedder, threads=threads)

    @classmethod
    def shipped(cls, quality: Quality, embedder: Embedder, *, threads: int | None = None) -> LocalJudge:
        """The judge that comes with viva. UsageError where none does."""
        return cls.load(shipped(quality), embedder, threads=threads)

    @property
    def card(self) -> JudgeCard:
        return self._card

    def support(self, claims: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
        """The probability (n,) that each passage supports the claim beside it. UsageError for different numbers.

        Only a judge of faithfulness knows it. Where the sentences of the passage that speak of the claim deny it, or
        have another number or date in its place, it is below one half.
        """
        if self._quality is not Quality.FAITHFULNESS:
            raise UsageError(f"{self._card.name} judges {self._quality}, not what a passage supports.")
        if len(claims) != len(passages):
            raise UsageError(f"{len(claims)} claims beside {len(passages)} passages.", allowed="One for each.")
        return self._scores([support_pair(claim, [text]) for claim, text in zip(claims, passages, strict=True)])

    def _pairs(self, case: Case) -> tuple[TextPair, ...]:
        return pairs_of(case, self._quality)

    def _scores(self, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
        if not pairs:
            return np.empty(0)
        with self._lock, threads_bounded(self._threads):
            raw = logits(self._network, pairs)
        table = columns(raw, cosines(self._embedder, pairs), pairs)
        scores = self._blend.scores(table, kinds_of(pairs))
        if self._quality is Quality.ANSWERABILITY:
            return scores  # a question states nothing that could be contradicted
        answers = self._quality is Quality.CORRECTNESS
        return vetoed(scores, [pair.comparison for pair in pairs], answers=answers)

    @cached_property
    def _network(self) -> CrossEncoder:
        network = new_network(0)
        put_tensors(network, self._tensors)
        merge(network)
        # in double precision, as texts are embedded: a score is the same in any batch and on any machine
        return network.double()


def cosines(embedder: Embedder, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
    """Of the two texts of each pair, shape (n,)."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.given, pair.said)))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    return np.array([cosine(vectors[pair.given], vectors[pair.said]) for pair in pairs])
