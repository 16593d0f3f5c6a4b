"""What an address asks of a page: words and numbers that are checked, never believed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

from viva.core.errors import UsageError
from viva.reports.sections.drafts import by_count

T = TypeVar("T")
PAGE_SIZE = 50
_LONGEST = 200


class NotFound(UsageError):
    """The address names something that is not on record."""


@dataclass(frozen=True)
class Query:
    """The part of an address behind '?'."""

    values: Mapping[str, str]

    def value(self, name: str) -> str:
        """What was given, to be compared with what is on record; "" where nothing was."""
        return self.values.get(name, "")

    def text(self, name: str) -> str:
        """What was typed, cut to a length that a search takes; "" where nothing was."""
        return self.value(name).strip()[:_LONGEST]

    def one_of(self, name: str, allowed: Sequence[str]) -> str:
        """One of these words; "" where none was given. UsageError for another."""
        said = self.text(name)
        if said and said not in allowed:
            raise UsageError(f"{name} is {said!r}.", allowed=f"{', '.join(allowed)}.")
        return said

    @property
    def page(self) -> int:
        """Counted from 1. UsageError for what is no page."""
        said = self.text("page") or "1"
        if not said.isascii() or not said.isdigit() or not 1 <= int(said) <= 100_000:
            raise UsageError(f"page is {said!r}.", allowed="A number from 1.")
        return int(said)

    def with_(self, **changes: str | int) -> str:
        """The same with some of it changed, to follow '?'; what is empty is left out."""
        values = {**self.values, **{name: str(value) for name, value in changes.items()}}
        return urlencode({name: value for name, value in sorted(values.items()) if value})


@dataclass(frozen=True)
class Slice(Generic[T]):
    """One page of a list."""

    rows: Sequence[T]
    total: int
    page: int
    pages: int

    @classmethod
    def of(cls, rows: Sequence[T], page: int, size: int = PAGE_SIZE) -> Slice[T]:
        """The page, or the last one there is."""
        pages = max(1, -(-len(rows) // size))
        page = min(page, pages)
        return cls(rows[(page - 1) * size : page * size], len(rows), page, pages)


def options_of(values: Sequence[str]) -> list[tuple[str, int]]:
    """What a list can be filtered by, each with how often it occurs, the most frequent first; "" is none."""
    return by_count(Counter(filter(None, values)))
