"""From what the offline judge counts to what people would say: a monotone map for each form of answer.

The maps are isotonic regressions of people's labels, their blocks joined by straight lines, with a small slope
throughout so that no order is lost. They are data, fitted by `python benchmarks/judges/judges.py scale`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from viva.agents.judges.offline.forms import Form
from viva.core.ids import content_hash
from viva.core.records.base import Record

FILE = Path(__file__).parent / "scale.json"
Share = Annotated[float, Field(ge=0, le=1)]


class Knots(Record):
    """A strictly increasing map of [0, 1] into itself, by the points that straight lines join."""

    raw: tuple[Share, ...] = Field(description="scores of the judge, from 0 to 1")
    people: tuple[Share, ...] = Field(description="what people say of cases with that score, on average")

    @model_validator(mode="after")
    def _increasing(self) -> Self:
        sound = len(self.raw) == len(self.people) >= 2 and (self.raw[0], self.raw[-1]) == (0, 1)
        if not sound or min(*np.diff(self.raw), *np.diff(self.people)) <= 0:
            raise ValueError("knots rise strictly, from 0 to 1")
        return self

    def of(self, score: float) -> float:
        """What people would say, of one score in [0, 1]."""
        return float(np.interp(score, self.raw, self.people))


class Scale(Record):
    """People's scale of correctness, for the scores that one embedding model gives."""

    version: Literal[1] = 1
    embedder: str = Field(description="fingerprint of the embedding model whose cosines were in the scores")
    sources: tuple[str, ...] = Field(default=(), description="the labels, with their licences")
    maps: Mapping[Form, Knots]

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change with any knot."""
        knots = [(form.value, *self.maps[form].raw, *self.maps[form].people) for form in sorted(self.maps)]
        return content_hash("people's scale", self.version, self.embedder, *(str(each) for each in knots))

    def of(self, scores: NDArray[np.float64], forms: list[Form]) -> NDArray[np.float64]:
        """Scores (n,) on people's scale; of a form (n,) without a map, as they are."""
        pairs = zip(scores.tolist(), forms, strict=True)
        return np.array([self.maps[form].of(raw) if form in self.maps else raw for raw, form in pairs])


@lru_cache(maxsize=1)
def shipped_scale() -> Scale:
    """The scale that comes with viva."""
    return Scale.model_validate_json(FILE.read_text("utf-8"))
