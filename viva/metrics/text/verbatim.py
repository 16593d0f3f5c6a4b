"""How much of a text is copied: its words that stand in known texts, in runs of eight and more."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

RUN = 8
"""Shorter runs of equal words happen by chance, and in every answer that names things as their source does."""

# scripts without spaces between words give their characters
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
_BASE = np.uint64(0x9E3779B97F4A7C15)


def words_of(text: str) -> list[str]:
    """Its words, case-folded; of Chinese and Japanese the characters."""
    return _WORD.findall(text.casefold())


def first_words(text: str, count: int) -> str:
    """The text up to and with its `count`-th word; the whole text where there are no more."""
    for number, word in enumerate(_WORD.finditer(text), start=1):
        if number > count:
            return text[: word.start()].rstrip()
    return text


class Verbatim:
    """Knows the runs of words of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._numbers: dict[str, int] = {}
        runs = [_runs(self._numbered(text, learn=True)) for text in texts]
        self._known = np.unique(np.concatenate(runs)) if runs else np.empty(0, dtype=np.uint64)

    def copied_words(self, text: str) -> int:
        """How many words of the text stand within a run that is in the known texts."""
        numbers = self._numbered(text, learn=False)
        found = np.isin(_runs(numbers), self._known)
        copied = np.zeros(len(numbers), dtype=np.bool_)
        for shift in range(RUN if len(found) else 0):
            copied[shift : shift + len(found)] |= found
        return int(copied.sum())

    def _numbered(self, text: str, *, learn: bool) -> NDArray[np.uint64]:
        known = self._numbers
        # 0 is a word that no known text holds
        each = (known.setdefault(w, len(known) + 1) if learn else known.get(w, 0) for w in words_of(text))
        return np.fromiter(each, dtype=np.uint64)


def _runs(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A number for every run of words; two different runs share one hardly ever (1 in 2^64)."""
    length = len(numbers) - RUN + 1
    if length <= 0:
        return np.empty(0, dtype=np.uint64)
    total = np.zeros(length, dtype=np.uint64)
    for shift in range(RUN):
        # wraps around at 2^64, as is meant
        total = total * _BASE + numbers[shift : shift + length]
        total ^= total >> np.uint64(29)
    return total
