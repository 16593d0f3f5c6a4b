"""Texts found by their content words: BM25, built from one text at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from viva.core.text.words import search_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def indexed_words(text: str) -> list[str]:
    """By which a text is found: one at least."""
    return search_words(text) or ["-"]


class WordIndex:
    """An index of texts, which it does not keep."""

    def __init__(self, texts: Iterable[str]) -> None:
        import bm25s

        vocabulary: dict[str, int] = {}
        words = map(indexed_words, texts)
        numbered = [array("i", [vocabulary.setdefault(word, len(vocabulary)) for word in own]) for own in words]
        self._index = bm25s.BM25()
        self._index.index((numbered, vocabulary), show_progress=False)

    def scores(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Of every text for these words, of which there must be one; 0 where it has none of them."""
        found: NDArray[np.float32] = self._index.get_scores(list(words))
        return found
