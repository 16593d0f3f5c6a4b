"""What readers found in texts, one JSON line each, appended: a killed reading loses at most what was in flight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.articles import BankQuestion, QuestionFound
from viva.core.records.base import Record

FILE = "readings.jsonl"


class _Line(Record):
    key: str
    found: QuestionFound


class FindingLog:
    """The readings of a folder. Use it under the folder's lock.

    A line that is no reading (the last one of a killed process) is passed over, and read again from the text.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._found: dict[str, QuestionFound] = {}
        self.torn = 0
        for line in _lines(self._path):
            try:
                kept = _Line.model_validate_json(line)
            except ValidationError:
                self.torn += 1
                continue
            self._found[kept.key] = kept.found

    def find(self, key: str) -> QuestionFound | None:
        """What was found under this key before."""
        return self._found.get(key)

    def add(self, found: Sequence[tuple[str, QuestionFound]]) -> None:
        """Append these. UsageError where the file cannot be written."""
        self._found.update(found)
        text = "".join(_Line(key=key, found=each).model_dump_json() + "\n" for key, each in found)
        try:
            with room_for(self._path), self._path.open("a", encoding="utf-8", newline="") as file:
                # a torn last line is closed first
                file.write(("\n" if self.torn else "") + text)
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror or error}.") from error
        self.torn = 0


def reading_key(roles: Iterable[str], question: BankQuestion, text: str) -> str:
    """The key of a reading: who reads and checks, and all that they are shown."""
    shown = (question.stem, question.key, question.reference, *question.options)
    return content_hash("reading", *roles, "|", *shown, "|", text)


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8", errors="replace").split("\n") if line.strip()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
