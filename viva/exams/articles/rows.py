"""What all files of EXAM mode share: rows of JSON or CSV with the names that others give to their columns."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from viva.core.errors import UsageError
from viva.exams.reading import MAX_BYTES, csv_records, json_lines, parse_json, read_text
from viva.storage.corpus.source import storable

Row = Mapping[str, object]
T = TypeVar("T")
HELP = "docs/articles.md describes the files."


def rows_of(path: Path) -> Iterator[tuple[str, Row]]:
    """(where, row) of a JSONL, JSON (a list), CSV or TSV file. UsageError, in words, where it is none of these."""
    text = text_of(path)
    try:
        match inner_suffix(path):
            case ".csv":
                found = list(_table(csv_records(text)))
            case ".tsv":
                found = list(_table(tab_records(text)))
            case ".json":
                found = [(f"entry {n}", row) for n, row in enumerate(_listed(parse_json(text)), start=1)]
            case _:
                found = [(f"line {n}", row) for n, row in json_lines(text)]
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", next_step=HELP) from error
    for where, row in found:
        if not isinstance(row, dict):
            raise UsageError(f"{path}, {where} is no object.", allowed="An object with fields.", next_step=HELP)
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


def tab_records(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line number from 1, cells) of each line of tab-separated text that is not blank."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, [cell.strip().strip('"') for cell in line.rstrip("\r").split("\t")]


def _table(rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[str, object]]:
    _, head = next(rows, (0, []))
    names = [name.strip().casefold() for name in head]
    for line, cells in rows:
        if len(cells) > len(names):
            raise ValueError(f"Line {line} has {len(cells)} cells, the first line names {len(names)}.")
        yield f"line {line}", dict(zip(names, cells, strict=False))


def _listed(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("it is no list")
    return value


def text_in(row: Row, *names: str) -> str:
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
