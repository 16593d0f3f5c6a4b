"""Formats whose questions are records: JSON Lines, a JSON array, or a table of CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from viva.core.errors import UsageError
from viva.core.records import Exam, ExamItem
from viva.exams.file import compact, write_file
from viva.exams.formats.base import Carried, Read, Seen, carried_of, carry, original_of
from viva.exams.reading import csv_records, json_lines, parse_json, read_text

Row = dict[str, object]
Form = Literal["json", "jsonl", "csv"]

# what a spreadsheet would run, whether or not quotes are before it; plain numbers are harmless
_FORMULA = re.compile(r"'*\s*(?![+-]?\d+([.,]\d+)?$)[=+\-@＝＋－＠\t\r]", re.DOTALL)


@dataclass(frozen=True)
class RowFormat:
    """A format, by how a record shows a question."""

    name: str
    see: Callable[[Row], Seen]
    """ValueError, in words, where the record shows no question that can be graded"""
    show: Callable[[ExamItem], Row]
    carrier: tuple[str, ...]
    """path of the field that carries the whole item"""
    decode: Callable[[Row], Row] = dict
    """a row of CSV cells to a record"""
    encode: Callable[[Row], Row] = dict
    """a record to a row of CSV cells"""

    def read(self, text: str, form: Form) -> Read:
        """The questions of a file. ValueError where it is not of this form at all."""
        return self.take(read_rows(text, form), form)

    def take(self, rows: Iterable[tuple[str, object]], form: Form) -> Read:
        """The questions of records, each with where it stands."""
        found = Read()
        for where, row in rows:
            if not isinstance(row, dict):
                found.refuse(where, row if isinstance(row, str) else "no record")
                continue
            try:
                record = self.decode(row) if form == "csv" else row
                carried, record = _taken(record, self.carrier)
                # deepeval's JSON Lines hold contexts as its tables do
                ways = (partial(self._again, form), partial(self._again, "csv"))
                found.settle(where, self.see(record), record, self.name, carried, *ways)
            except ValueError as error:
                found.refuse(where, error)
        return found

    def write(self, exam: Exam, form: Form) -> str:
        """The exam as a file."""
        rows = self.rows(exam)
        return write_rows([self.encode(row) for row in rows] if form == "csv" else rows, form)

    def rows(self, exam: Exam) -> list[Row]:
        """A record per item; those that were imported from such a file and not changed go out as they came."""
        rows = []
        for shown, value in carry(exam):
            row = original_of(shown, self.name, self._see)
            if not isinstance(row, dict):
                row = _given(self.show(shown), self.carrier, value)
            elif "examples" in value:
                row = _given(row, self.carrier, value)
            rows.append(row)
        return rows

    def _see(self, record: object) -> Seen:
        if not isinstance(record, dict):
            raise ValueError("no record")  # noqa: TRY004 - the file is wrong, not our call
        return self.see(record)

    def _again(self, form: Form, shown: ExamItem) -> Seen:
        record = self.show(shown)
        if form == "csv":
            record = self.decode({key: _cell_text(_cell(value)) for key, value in self.encode(record).items()})
        return self.see(record)


def form_of(suffix: str, text: str) -> Form:
    """The form of a file, by its name or, where that says nothing, its first character."""
    start = text.lstrip()[:1]
    if suffix == ".csv":
        return "csv"
    # whatever the name says: a JSON array is no JSON Lines
    if start == "[":
        return "json"
    return "jsonl" if start == "{" else "csv"


def read_rows(text: str, form: Form) -> Iterator[tuple[str, object]]:
    """(where, record) of each record; in its place a sentence, where it is none. ValueError: not of `form` at all."""
    if form == "jsonl":
        for number, value in json_lines(text):
            yield f"line {number}", value
    elif form == "json":
        yield from _array(text)
    else:
        yield from _table(text)


def write_rows(rows: Sequence[Row], form: Form) -> str:
    """Records as a text."""
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, indent=4) + "\n"
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def read_table(path: Path, written_by: str, columns: str) -> Iterator[tuple[str, Row]]:
    """(file and line, row) of a table that a command wrote and a person filled in. UsageError names a wrong row."""
    text = read_text(path, named=f"Name the file that {written_by} wrote.")
    try:
        for where, row in read_rows(text, form_of(path.suffix.casefold(), text)):
            if not isinstance(row, dict):
                reason = row if isinstance(row, str) else "not a record"
                raise UsageError(f"{path}, {where}: {reason}.", allowed=columns)
            yield f"{path}, {where}", row
    except ValueError as error:
        raise UsageError(f"{path} is not a table: {error}", allowed=columns) from error


def write_table(rows: Sequence[Row], path: Path) -> None:
    """Write the whole file or nothing. UsageError for another ending, and if it cannot be written."""
    suffix = path.suffix.casefold()
    if suffix not in {".csv", ".jsonl"}:
        raise UsageError(f"{path} is neither .csv nor .jsonl.", next_step="Name a .csv or .jsonl file.")
    write_file(write_rows(rows, "csv" if suffix == ".csv" else "jsonl"), path)


def text_of(row: Mapping[str, object], *names: str) -> str:
    """The first of these fields that holds text; '' where none does. ValueError: it holds something else."""
    for name in names:
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"its {name} is no text")
        if value:
            return value
    return ""


def texts_of(row: Mapping[str, object], *names: str) -> tuple[str, ...]:
    """The texts of the first of these fields that holds a list; () where none does."""
    value = next((row[name] for name in names if row.get(name)), ())
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"its {' or '.join(names)} is no list of texts")
    return tuple(value)


def _array(text: str) -> Iterator[tuple[str, object]]:
    value = parse_json(text)
    if not isinstance(value, list):
        raise ValueError("It is no JSON array of records.")  # noqa: TRY004 - the file is wrong, not our call
    for number, record in enumerate(value, start=1):
        yield f"record {number}", record


def _table(text: str) -> Iterator[tuple[str, object]]:
    records = csv_records(text)
    _, header = next(records, (1, []))
    columns = [_cell_text(cell.strip()) for cell in header]
    if len(set(columns)) < len(columns):
        raise ValueError("Two of its columns have the same name.")
    for line, cells in records:
        if len(cells) > len(columns):
            yield f"line {line}", f"{len(cells)} cells, but the header names {len(columns)} columns"
        else:
            texts = [_cell_text(cell) for cell in cells] + [""] * (len(columns) - len(cells))
            yield f"line {line}", dict(zip(columns, texts, strict=True))


def _cell(value: object) -> str:
    """A value as a cell that no spreadsheet runs."""
    text = "" if value is None else value if isinstance(value, str) else compact(value)
    return f"'{text}" if _FORMULA.match(text) else text


def _cell_text(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _taken(record: Row, path: Sequence[str]) -> tuple[Carried | None, Row]:
    """What the record carries, and the record without it."""
    if len(path) > 1:
        inner = record.get(path[0])
        if not isinstance(inner, dict) or path[1] not in inner:
            return None, record
        carried, rest = _taken(inner, path[1:])
        kept = {**record, path[0]: rest}
        return carried, kept if rest else {key: value for key, value in record.items() if key != path[0]}
    value = record.get(path[0])
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError:
            value = None
    return carried_of(value), {key: field for key, field in record.items() if key != path[0]}


def _given(record: Row, path: Sequence[str], value: object) -> Row:
    if len(path) == 1:
        return {**record, path[0]: value}
    inner = record.get(path[0])
    return {**record, path[0]: _given(inner if isinstance(inner, dict) else {}, path[1:], value)}
