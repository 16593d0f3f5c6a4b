"""Records kept in a file while they are too many to hold: read again in order, or by their place."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from tempfile import TemporaryFile, gettempdir
from typing import Generic, TypeVar, overload

from viva.core.disk_space import room_for
from viva.core.records import Record

R = TypeVar("R", bound=Record)


class Spool(Sequence[R], Generic[R]):
    """A sequence of records of one kind, in a file without a name. Raises DiskFull where there is no room for it."""

    def __init__(self, kind: type[R]) -> None:
        self._kind = kind
        self._ends = array("Q", [0])
        self._file = TemporaryFile()  # noqa: SIM115 - it lasts as long as the sequence

    def append(self, record: R) -> None:
        """Add one at the end."""
        with room_for(gettempdir()):
            self._file.seek(self._ends[-1])
            self._ends.append(self._ends[-1] + self._file.write(record.model_dump_json().encode()))

    def extend(self, records: Iterable[R]) -> None:
        """Add all at the end."""
        for _ in self.passing(records):
            pass

    def passing(self, records: Iterable[R]) -> Iterator[R]:
        """The same records, each added at the end before it is handed on."""
        for record in records:
            self.append(record)
            yield record

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> R: ...
    @overload
    def __getitem__(self, place: slice) -> list[R]: ...
    def __getitem__(self, place: int | slice) -> R | list[R]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        start, end = self._ends[range(len(self))[place]], self._ends[range(1, len(self) + 1)[place]]
        with room_for(gettempdir()):
            self._file.seek(start)
            return self._kind.model_validate_json(self._file.read(end - start))

    def __iter__(self) -> Iterator[R]:
        return (self[place] for place in range(len(self)))
