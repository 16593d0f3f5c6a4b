"""What the exam covers, by topic and by cluster of chunks, and how its blueprint was filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.accounts import Coverage
from viva.core.blueprint import Facet, LevelFill
from viva.core.wording import counted

NAMES = {
    Facet.TOPIC: "topic",
    Facet.TYPE: "question type",
    Facet.BLOOM: "Bloom level",
    Facet.DIFFICULTY: "expected difficulty",
    Facet.KIND: "kind",
}


@dataclass(frozen=True)
class Covered:
    """The topics, or the clusters, of the corpus; `untouched` counts those without a question."""

    label: str
    rows: tuple[Coverage, ...]
    untouched: int

    @property
    def told(self) -> str:
        """How many of them the exam asks about, in words."""
        asked = len(self.rows) - self.untouched
        return f"{asked} of {counted(len(self.rows), self.label)}"

    @property
    def most(self) -> int:
        """Chunks of the largest, 1 at least."""
        return max((row.chunks for row in self.rows), default=1) or 1


def covered(rows: Sequence[Coverage]) -> tuple[Covered, ...]:
    """Topics, then clusters; neither where the corpus has but one."""
    found = []
    for by in ("topic", "cluster"):
        own = tuple(row for row in rows if row.by == by)
        if len(own) > 1:
            found.append(Covered(by, own, sum(not row.in_exam for row in own)))
    return tuple(found)


def missed(fill: Sequence[LevelFill]) -> int:
    """Shares of the blueprint that were missed."""
    return sum(bool(level.reason) for level in fill)
