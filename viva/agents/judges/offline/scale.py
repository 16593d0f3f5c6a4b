"""From the likeness that the offline judges count to what people would say: a smooth curve for each form of case.

The curves are logistic regressions of people's labels. They are data, fitted by
`python benchmarks/judges/judges.py scale`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from viva.agents.judges.offline.forms import ClaimForm, Form
from viva.core.ids import content_hash
from viva.core.records.base import Record
from viva.core.records.judging import Quality

FILE = Path(__file__).parent / "scale.json"
Share = Annotated[float, Field(ge=0, le=1)]


class LikenessCurve(Record):
    """A logistic curve: strictly increasing and smooth, so that no two likenesses become one score."""

    intercept: float
    slope: float = Field(gt=0)

    def of(self, score: float) -> float:
        """What people would say, of one score in [0, 1]."""
        return 1 / (1 + math.exp(-(self.intercept + self.slope * score)))


class Scale(Record):
    """People's scale of a quality, for the scores that one embedding model gives."""

    version: Literal[2] = 2
    embedder: str = Field(description="fingerprint of the embedding model whose cosines were in the scores")
    sources: tuple[str, ...] = Field(default=(), description="the labels, with their licences")
    maps: Mapping[Form | ClaimForm, LikenessCurve]

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change with any knot."""
        curves = [(form.value, self.maps[form].intercept, self.maps[form].slope) for form in sorted(self.maps)]
        return content_hash("people's scale", self.version, self.embedder, *(str(each) for each in curves))

    def of(self, scores: NDArray[np.float64], forms: Sequence[Form | ClaimForm]) -> NDArray[np.float64]:
        """Scores (n,) on people's scale; of a form (n,) without a map, as they are."""
        pairs = zip(scores.tolist(), forms, strict=True)
        return np.array([self.maps[form].of(raw) if form in self.maps else raw for raw, form in pairs])


SCALES = TypeAdapter(dict[Quality, Scale])
"""What the file holds."""


@lru_cache(maxsize=1)
def shipped_scales() -> Mapping[Quality, Scale]:
    """The scales that come with viva, by quality."""
    return SCALES.validate_json(FILE.read_text("utf-8"))
