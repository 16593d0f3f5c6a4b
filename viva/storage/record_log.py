"""Records under keys, one JSON line each, appended: a killed process loses at most what was in flight."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.core.records.base import Record
from viva.core.tables import json_lines, parse_python_json

Kept = TypeVar("Kept", bound=Record)


class RecordLog(Generic[Kept]):
    """The records of a file. Use it under the folder's lock.

    A line that is no such record (the last one of a killed process) is passed over.
    """

    def __init__(self, path: Path, kind: type[Kept]) -> None:
        """UsageError where the file cannot be read."""
        self._path = path
        self._found: dict[str, Kept] = {}
        text = _text(path)
        self._torn = bool(text) and not text.endswith("\n")
        for _, row in json_lines(text, parse=parse_python_json):
            if isinstance(row, dict) and isinstance(key := row.get("key"), str):
                with suppress(ValueError):
                    self._found[key] = kind.model_validate(row.get("found"))

    def find(self, key: str) -> Kept | None:
        """What was kept under this key."""
        return self._found.get(key)

    def add(self, found: Iterable[tuple[str, Kept]]) -> None:
        """Append these. UsageError where the file cannot be written."""
        fresh = dict(found)
        self._found.update(fresh)
        rows = ({"key": key, "found": each.model_dump(mode="json")} for key, each in fresh.items())
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        try:
            with room_for(self._path), self._path.open("a", encoding="utf-8", newline="") as file:
                # a torn last line is closed first
                file.write(("\n" if self._torn else "") + text)
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror or error}.") from error
        self._torn = False


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
