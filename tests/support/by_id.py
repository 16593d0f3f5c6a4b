"""Documents and chunks as a run hands them out: by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from viva.core.records import Chunk, Document

R = TypeVar("R", Chunk, Document)


def by_id(records: Iterable[R]) -> dict[str, R]:
    """In their order."""
    return {record.id: record for record in records}
