"""A grid over components: each combination of levels is an examinee, and each level changes the system."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any
from urllib.parse import quote

from viva.core.ids import content_hash
from viva.examinees.specs.records import Json, Scalar, level_text

MOST_EXAMINEES = 500
"""The most examinees in one panel file."""
Levels = Mapping[str, Scalar]
# {{NAME}} is the literal {NAME}, ${NAME} a variable of the environment
PLACEHOLDER = re.compile(r"(?<![\${])\{([A-Za-z_]\w*)\}(?!\})")
_ADDRESSES = ("url", "base_url")
_LONGEST_LABEL = 24


def size(grid: Mapping[str, Sequence[Scalar]]) -> int:
    """The number of combinations; 1 without a grid."""
    return prod(len(levels) for levels in grid.values())


def combinations(grid: Mapping[str, Sequence[Scalar]]) -> Iterator[dict[str, Scalar]]:
    """All combinations of one level of each component; the last component varies fastest."""
    for levels in product(*grid.values()):
        yield dict(zip(grid, levels, strict=True))


def member_name(name: str, levels: Levels) -> str:
    """'ours' with k=3 is 'ours,k=3'."""
    return ",".join([name, *(f"{component}={label(level)}" for component, level in levels.items())])


def label(level: Scalar) -> str:
    """A level as a name: short, on one line, and different for different levels."""
    text = level_text(level)
    if len(text) <= _LONGEST_LABEL and text.isprintable() and "," not in text:
        return text
    begin = re.sub(r"[^\w.-]+", " ", text)[: _LONGEST_LABEL - 8].strip()
    return f"{begin}…{content_hash('level', text)[:4]}"


class Filler:
    """Replaces {NAME} by the level: a placeholder alone by the level itself, one within a text by its text."""

    def __init__(self, levels: Levels) -> None:
        self._levels = levels
        self.used: set[str] = set()
        self.left: set[str] = set()
        """names in braces that are not components"""

    def fill(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The description of a system, filled in; levels in an address are percent-encoded."""
        return {key: self._filled(value, address=key in _ADDRESSES) for key, value in told.items()}

    def _filled(self, value: Json, *, address: bool = False) -> Json:
        if isinstance(value, dict):
            return {key: self._filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        if not isinstance(value, str):
            return value
        alone = PLACEHOLDER.fullmatch(value)
        if alone and alone.group(1) in self._levels and not address:
            self.used.add(alone.group(1))
            return self._levels[alone.group(1)]
        return PLACEHOLDER.sub(lambda found: self._text(found, address=address), value)

    def _text(self, found: re.Match[str], *, address: bool) -> str:
        name = found.group(1)
        if name not in self._levels:
            self.left.add(name)
            return found.group()
        self.used.add(name)
        text = level_text(self._levels[name])
        return quote(text, safe="") if address else text
