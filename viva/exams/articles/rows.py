"""What all files of EXAM mode share: rows of JSON or CSV with the names that others give to their columns."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from viva.core.errors import UsageError
from viva.core.tables import MAX_BYTES, BadRow, Form, Row, read_text, table_rows
from viva.storage.corpus.source import storable

T = TypeVar("T")
HELP = "docs/articles.md describes the files."


def rows_of(path: Path) -> Iterator[tuple[str, Row]]:
    """(where, row) of a JSONL, JSON (a list), CSV or TSV file. UsageError, in words, where it is none of these."""
    forms: dict[str, Form] = {".csv": "csv", ".tsv": "tsv", ".json": "json"}
    form = forms.get(inner_suffix(path), "jsonl")
    try:
        found = list(table_rows(text_of(path), form, quoted=False, column=lambda name: name.strip().casefold()))
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: {error}", next_step=HELP) from error
    for where, row in found:
        if isinstance(row, BadRow):
            raise UsageError(f"{path}, {where} {row.reason}.", allowed="An object with fields.", next_step=HELP)
        yield where, row


def text_of(path: Path) -> str:
    """The text of a file, unpacked where it ends in .gz. UsageError as `read_text`, and for what does not unpack."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", allowed="A file.", next_step=HELP)
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", next_step=HELP)
    if path.suffix.casefold() != ".gz":
        return read_text(path)
    try:
        with gzip.open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"{path} holds more than {MAX_BYTES // 2**20} MiB.", next_step="Split it.")
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be unpacked: {error}.", next_step=HELP) from error


def inner_suffix(path: Path) -> str:
    """The suffix that says what the file holds, '.gz' aside; folded."""
    named = path.with_suffix("") if path.suffix.casefold() == ".gz" else path
    return named.suffix.casefold()


def text_in(row: Mapping[str, object], *names: str) -> str:
    """The first of these fields that holds something, as text; '' for none. TypeError where it is no text."""
    for name in names:
        value = row.get(name)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise TypeError(f"its {name} is no text")
        return storable(str(value)).strip()
    return ""


def texts_in(row: Row, name: str) -> list[str]:
    """A field that is a list of texts. TypeError where it is none."""
    value = row.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TypeError(f"its {name} are no list of texts")
    return [storable(each).strip() for each in value]


def read_rows(path: Path, read: Callable[[Row], T]) -> list[T]:
    """Each row as `read` takes it. UsageError names the file, the place and what is wrong there."""
    found: list[T] = []
    for where, row in rows_of(path):
        try:
            found.append(read(row))
        except (ValueError, TypeError) as error:
            raise UsageError(f"{path}, {where}: {error}.", next_step=HELP) from error
    return found


def refuse_repeats(names: Sequence[str], what: str, path: Path | str) -> None:
    """UsageError where a name comes twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"{path}: {what} “{name}” comes twice.", allowed="Each once.")
        seen.add(name)
