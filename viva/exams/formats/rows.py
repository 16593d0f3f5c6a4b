"""Formats whose questions are records: JSON Lines, a JSON array, or a table of CSV or TSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from viva.core.errors import UsageError
from viva.core.records import Exam, ExamItem
from viva.core.tables import BadRow, Form, Row, form_of, likely_delimiter, parse_json, read_text, table_rows
from viva.exams.file import compact, write_file
from viva.exams.formats.base import Carried, Read, Seen, carried_of, carry, original_of

Placed = Iterator[tuple[str, Row | BadRow]]
"""Rows, each with where it is in its file."""
_MOST_YAML = 2**22
"""Characters: 3,000 questions of promptfoo, which take 17 s to read."""
TABLES = frozenset[Form]({"csv", "tsv"})
"""Forms in which all that a record holds is text."""
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
        return self.take(read_records(text, form, likely_delimiter(text) if form == "csv" else ","), form)

    def take(self, rows: Iterable[tuple[str, Row | BadRow]], form: Form) -> Read:
        """The questions of records, each with where it stands."""
        found = Read()
        for where, row in rows:
            if isinstance(row, BadRow):
                found.refuse(where, row.reason)
                continue
            try:
                record = self.decode(row) if form in TABLES else row
                carried, record = _taken(record, self.carrier)
                # deepeval's JSON Lines hold contexts as its tables do
                ways = (partial(self._again, form), partial(self._again, "csv"))
                same = carried is not None and record == self.show(carried.item)
                found.settle(where, None if same else self.see(record), record, self.name, carried, *ways)
            except ValueError as error:
                found.refuse(where, error)
        return found

    def write(self, exam: Exam, form: Form) -> str:
        """The exam as a file."""
        rows = self.rows(exam, form)
        return write_rows([self.encode(row) for row in rows] if form in TABLES else rows, form)

    def rows(self, exam: Exam, form: Form = "jsonl") -> list[Row]:
        """A record per item; those that were imported from such a file and not changed go out as they came."""
        rows = []
        for shown, value in carry(exam):
            row = original_of(shown, self.name, self._see)
            if not isinstance(row, dict) or (form in TABLES and not self._is_same_as_cells(row)):
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
        return self.see(self._as_cells(record) if form in TABLES else record)

    def _as_cells(self, record: Row) -> Row:
        return self.decode({key: _cell_text(_cell(value)) for key, value in self.encode(record).items()})

    def _is_same_as_cells(self, record: Row) -> bool:
        """Tell whether a table, whose cells are texts, shows the same question."""
        try:
            return self.see(self._as_cells(record)) == self.see(record)
        except ValueError:
            return False


def read_records(text: str, form: Form, delimiter: str = ",") -> Placed:
    """Yield (place, record) of each record. ValueError where the text is not of `form` at all."""
    rows = table_rows(text, form, delimiter=delimiter, column=lambda cell: _cell_text(cell.strip()), strict=False)
    for where, row in rows:
        if form in TABLES and not isinstance(row, BadRow):
            yield where, {name: _cell_text(str(cell)) for name, cell in row.items()}
        else:
            yield where, row


class _PlainYaml(yaml.SafeLoader):
    """Refuses references: a few lines of them unfold to gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("references are not read")
        return super().compose_node(parent, index)


def plain_yaml(text: str, named: str, next_step: str) -> Any:
    """The value of a text in YAML, read without what could run or unfold. UsageError where it is none or too long."""
    if len(text) > _MOST_YAML:
        raise UsageError(f"{named} is longer than {_MOST_YAML:,} characters.", next_step=next_step)
    try:
        value = yaml.load(text, Loader=_PlainYaml)  # noqa: S506 - a safe loader made safer
        # dates and the like as text: an item's record is JSON
        return json.loads(json.dumps(value, default=str))
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        reason = str(getattr(error, "problem", "") or error).partition("\n")[0]
        raise UsageError(f"{named} is no plain YAML: {reason}.", next_step=next_step) from error


def write_rows(rows: Sequence[Row], form: Form) -> str:
    """Records as a text."""
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, indent=4) + "\n"
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter="\t" if form == "tsv" else ",")
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def read_table(path: Path, written_by: str, columns: str) -> Iterator[tuple[str, Row]]:
    """(file and line, row) of a table that a command wrote and a person filled in. UsageError names a wrong row."""
    text = read_text(path, named=f"Name the file that {written_by} wrote.")
    try:
        for where, row in read_records(text, form_of(path.suffix.casefold(), text), likely_delimiter(text)):
            if isinstance(row, BadRow):
                raise UsageError(f"{where.capitalize()} of {path} {row.reason}.", allowed=columns)
            yield f"{path}, {where}", row
    except ValueError as error:
        raise UsageError(f"{path} is not a table: {error}", allowed=columns) from error


def check_table(path: Path) -> None:
    """UsageError for a file that `write_table` does not write."""
    if path.suffix.casefold() not in {".csv", ".jsonl"}:
        raise UsageError(f"{path} is neither .csv nor .jsonl.", next_step="Name a .csv or .jsonl file.")


def write_table(rows: Sequence[Row], path: Path) -> None:
    """Write the whole file or nothing. UsageError for another ending, and if it cannot be written."""
    check_table(path)
    write_file(write_rows(rows, "csv" if path.suffix.casefold() == ".csv" else "jsonl"), path)


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
