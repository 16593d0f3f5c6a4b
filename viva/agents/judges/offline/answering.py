"""What tells passages that answer a question from others: a logistic regression on four figures."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from viva.agents.judges.offline.comparison import TextComparison
from viva.core.ids import content_hash
from viva.core.records.base import Record

FILE = Path(__file__).parent / "answering.json"
FIGURES = ("passage", "window", "held", "names")
"""Cosine of the question with the nearest passage and with the window of sentences that share its words; the share of
its content words, and of its names, that the window has."""


class Answering(Record):
    """The regression, fitted by `python benchmarks/judges/judges.py answering`."""

    version: Literal[1] = 1
    embedder: str = Field(description="fingerprint of the embedding model whose cosines it was fitted to")
    sources: tuple[str, ...] = Field(default=(), description="the labels, with their licences")
    weights: tuple[float, float, float, float] = Field(description="in the order of FIGURES")
    intercept: float

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change with any weight."""
        return content_hash("answering", self.version, self.embedder, self.intercept, *self.weights)

    def of(self, row: tuple[float, float, float, float]) -> float:
        """The probability that the passages answer the question."""
        said = sum(weight * figure for weight, figure in zip(self.weights, row, strict=True)) + self.intercept
        return 1 / (1 + math.exp(-said))


def row_of(passage: float, window: float, compared: TextComparison) -> tuple[float, float, float, float]:
    """The figures of a question, in the order of FIGURES."""
    return max(0.0, passage), max(0.0, window), compared.held, compared.names_held


@lru_cache(maxsize=1)
def shipped_answering() -> Answering:
    """The regression that comes with viva."""
    return Answering.model_validate_json(FILE.read_text("utf-8"))
