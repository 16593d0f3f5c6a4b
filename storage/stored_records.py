"""Records of a run by id, read from its store when they are asked for: a corpus may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, ValuesView
from functools import cached_property, lru_cache
from typing import Generic, Protocol

from sqlalchemy import Table

from viva.storage.rows import R


class RecordStore(Protocol):
    """What of a run store they are read from."""

    def find(self, kind: type[R], table: Table, id_: str) -> R | None: ...
    def page(self, kind: type[R], table: Table, after: int) -> tuple[list[R], int]: ...
    def ids(self, table: Table) -> list[str]: ...
    def count(self, table: Table) -> int: ...


class StoredRecords(Mapping[str, R], Generic[R]):
    """The records of one table, which must not change. The `held` that were asked for last stay in memory."""

    def __init__(self, store: RecordStore, kind: type[R], table: Table, *, held: int) -> None:
        self._store = store
        self._kind = kind
        self._table = table
        self._found = lru_cache(maxsize=held)(self._find)

    def __getitem__(self, id_: str) -> R:
        return self._found(id_)

    def __iter__(self) -> Iterator[str]:
        return iter(self._store.ids(self._table))

    def __len__(self) -> int:
        return self._length

    def values(self) -> ValuesView[R]:
        """All, a page at a time."""
        return _Pages(self)

    def pages(self) -> Iterator[list[R]]:
        """All in order; what was read is given up for the next page."""
        page, last = self._store.page(self._kind, self._table, 0)
        while page:
            yield page
            page, last = self._store.page(self._kind, self._table, last)

    @cached_property
    def _length(self) -> int:
        return self._store.count(self._table)

    def _find(self, id_: str) -> R:
        found = self._store.find(self._kind, self._table, id_)
        if found is None:
            raise KeyError(id_)
        return found


class _Pages(ValuesView[R]):
    _mapping: StoredRecords[R]

    def __iter__(self) -> Iterator[R]:
        for page in self._mapping.pages():
            yield from page
