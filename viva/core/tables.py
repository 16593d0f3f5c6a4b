"""Tables that others wrote, read within bounds: CSV, TSV, JSON Lines and JSON, each row with its place.

What is wrong with a file or a row is a sentence, never a crash. What a column means is for the caller to say.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal, NoReturn, TypeVar

from viva.core.errors import UsageError
from viva.core.wording import counted

MAX_BYTES = 256 * 2**20
"""of a whole file: an exam of 50,000 questions with their texts is far below"""
MAX_LINE = 8 * 2**20
"""characters of one line of JSON, or of one question"""

Form = Literal["json", "jsonl", "csv", "tsv"]
Row = dict[str, object]
_T = TypeVar("_T")


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be read. The reason goes on after its place: 'is no JSON object'."""

    reason: str


# --- whole files --------------------------------------------------------------------------------------------


def read_text(
    path: Path | str,
    *,
    most: int | None = None,
    named: str = "Name another file.",
    smaller: str = "Split it into several files.",
) -> str:
    """The text of a file in UTF-8 (or UTF-16 with its mark), line ends as they are. UsageError where it has none.

    It says `named` of a file that cannot be read, `smaller` of one of more than `most` bytes (MAX_BYTES).
    """
    most = most or MAX_BYTES
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{path} cannot be read: {reason}.", next_step=named) from error
    if len(data) > most:
        raise UsageError(f"{path} is larger than {most // 2**20} MiB.", next_step=smaller)
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not text in UTF-8: byte {error.start}.", next_step="Save it as UTF-8."
        ) from error


def parse_json(text: str, *, constants: bool = False) -> object:
    """The value a text of JSON holds. ValueError, in words, where it holds none.

    NaN and Infinity are no JSON, but Python and pandas write them: with `constants` they are read.
    """
    try:
        return json.loads(text) if constants else json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"no JSON ({error.msg}, {line}character {error.colno})") from error
    except RecursionError as error:
        raise ValueError("JSON nested too deeply") from error
    except ValueError as error:
        # int() refuses thousands of digits
        raise ValueError("JSON with a number that cannot be read") from error


def parse_python_json(text: str) -> object:
    """As `parse_json`, with NaN and Infinity."""
    return parse_json(text, constants=True)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


# --- rows, each with the number of its line, from 1 ---------------------------------------------------------


def json_lines(
    text: str | Iterable[str], *, parse: Callable[[str], object] = parse_json, longest: int | None = None
) -> Iterator[tuple[int, object]]:
    """Yield the value of each line that is not blank, or a BadRow.

    `parse` raises ValueError for a line that it cannot read. Lines of a file are read one at a time.
    """
    # JSON strings may hold U+2028 and the like: only line feeds end a line
    lines = text.split("\n") if isinstance(text, str) else text
    longest = longest or MAX_LINE
    for number, line in enumerate(lines, start=1):
        if len(line) > longest:
            yield number, BadRow(f"is longer than {longest:,} characters")
        elif line.strip():
            try:
                yield number, parse(line)
            except ValueError as error:
                yield number, BadRow(f"is {error}")


def csv_lines(
    text: str, delimiter: str = ",", *, longest: int | None = None, blank: bool = False
) -> Iterator[tuple[int, list[str] | BadRow]]:
    """Yield the cells of each row, or a BadRow. Rows of empty cells alone are left out, unless `blank`."""
    # the csv module keeps one limit for the whole process
    before = csv.field_size_limit(longest or MAX_LINE)
    try:
        # strict: otherwise a quote that is never closed silently swallows the rest of the file
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, BadRow(f"is no valid row of CSV ({error})")
                continue
            if any(cell.strip() for cell in cells) or (blank and cells):
                yield line, cells
    finally:
        csv.field_size_limit(before)


def tab_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line that is not blank, of tab-separated text in which a quote may begin any cell."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, [cell.strip().strip('"') for cell in line.rstrip("\r").split("\t")]


def sound(rows: Iterable[tuple[int, _T | BadRow]]) -> Iterator[tuple[int, _T]]:
    """Yield the rows. ValueError names the line of the first that cannot be read."""
    for number, row in rows:
        if isinstance(row, BadRow):
            raise ValueError(f"Line {number} {row.reason}.")  # noqa: TRY004 - the file is wrong, not our call
        yield number, row


def likely_delimiter(text: str) -> str:
    """The delimiter of a table: the one of , ; tab | that parts most of its first rows into as many cells, over one.

    Where none does, the one that the first line that is not blank holds most of.
    """
    start = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
    head = text[start : start + _PROBED]
    # a cut last row says nothing
    head = head[: head.rfind("\n")] if len(text) - start > _PROBED and "\n" in head else head
    first = head.partition("\n")[0]
    # a first line without any is a title
    signs = [sign for sign in _DELIMITERS if sign in first] or _DELIMITERS
    return max(signs, key=lambda each: (*_evenness(head, each), first.count(each)))


_DELIMITERS = (",", ";", "\t", "|")
_PROBED = 20_000
"""Characters of a table by which its delimiter is told."""


def _evenness(head: str, delimiter: str) -> tuple[float, int]:
    """The share of rows with as many cells as most have, if these are over one; and that number."""
    if delimiter not in head:
        return 0, 0
    try:
        rows = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if any(row)]
    except csv.Error:
        return 0, 0
    # one cell is what every other delimiter gives: a row of a title
    cells, count = max(Counter(rows).items(), key=lambda each: (each[0] > 1, each[1], each[0]), default=(0, 0))
    share = round(count / len(rows), 1) if rows else 0
    return (share, cells) if cells > 1 and share > 0.5 else (0, 0)


# --- rows with named fields ---------------------------------------------------------------------------------


def form_of(suffix: str, text: str) -> Form:
    """The form of a file, by its name or, where that says nothing, its first character."""
    start = text.lstrip()[:1]
    match suffix:
        case ".csv":
            return "csv"
        case ".tsv" | ".tab":
            return "tsv"
    # whatever the name says: a JSON array is no JSON Lines
    if start == "[":
        return "json"
    if start != "{":
        return "csv"
    first, _, more = text.lstrip().partition("\n")
    if suffix in {".jsonl", ".ndjson"} or (first.rstrip().endswith("}") and (more.strip() or suffix != ".json")):
        return "jsonl"
    return "json"


def table_rows(
    text: str,
    form: Form,
    *,
    delimiter: str = ",",
    column: Callable[[str], str] = str.strip,
    quoted: bool = True,
    padded: bool = True,
    strict: bool = True,
    parse: Callable[[str], object] = parse_json,
) -> Iterator[tuple[str, Row | BadRow]]:
    """Yield (place, row) of each row, such as ("line 3", {...}); a BadRow for one that is no record.

    `column` makes the name of a column of its heading. `quoted`: whether quotes in TSV are those of CSV. Cells that a
    row lacks are empty, if `padded`. ValueError where the text is not of this form, and where two columns have the
    same name; if `strict`, also for a line that cannot be read, which is a BadRow otherwise.
    """
    checked = sound if strict else iter
    match form:
        case "csv":
            yield from _table(checked(csv_lines(text, delimiter)), column, padded)
        case "tsv":
            yield from _table(checked(csv_lines(text, "\t")) if quoted else tab_lines(text), column, padded)
        case "jsonl":
            for number, value in checked(json_lines(text, parse=parse)):
                yield f"line {number}", value if isinstance(value, BadRow) else _record(value)
        case "json":
            for number, value in enumerate(_listed(_whole(text, parse)), start=1):
                yield f"record {number}", _record(value)


def _whole(text: str, parse: Callable[[str], object]) -> object:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"It is {error}.") from error


def _listed(value: object) -> list[object]:
    """The records of a JSON text: an array, the one array of objects that an object holds, or an object alone."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or not value:
        raise ValueError("It is no JSON array of records.")
    arrays = {name: each for name, each in value.items() if _holds_objects(each)}
    if len(arrays) > 1:
        raise ValueError(f"It has {len(arrays)} arrays of records: {', '.join(arrays)}.")
    return next(iter(arrays.values()), [value])


def _holds_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _record(value: object) -> Row | BadRow:
    return value if isinstance(value, dict) else BadRow("is no JSON object")


def _table(
    rows: Iterator[tuple[int, list[str] | BadRow]], column: Callable[[str], str], padded: bool
) -> Iterator[tuple[str, Row | BadRow]]:
    line, header = next(rows, (1, []))
    if isinstance(header, BadRow):
        raise ValueError(f"Line {line} {header.reason}.")  # noqa: TRY004 - the file is wrong, not our call
    columns = [column(cell) for cell in header]
    twice = next((name for name, times in Counter(columns).items() if name and times > 1), None)
    if twice is not None:
        raise ValueError(f"Two of its columns have the same name, “{twice}”.")
    for line, cells in rows:
        if isinstance(cells, BadRow):
            yield f"line {line}", cells
        elif len(cells) > len(columns) or (len(cells) < len(columns) and not padded):
            yield (
                f"line {line}",
                BadRow(f"has {counted(len(cells), 'cell')}, but the header names {counted(len(columns), 'column')}"),
            )
        else:
            missing = [""] * (len(columns) - len(cells))
            yield f"line {line}", dict(zip(columns, [*cells, *missing], strict=True))


def is_parquet(path: Path) -> bool:
    """Tell whether the file says so, by its name or its first bytes."""
    if path.suffix.casefold() == ".parquet":
        return True
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except (OSError, ValueError):
        return False


def parquet_rows(path: Path) -> Iterator[tuple[str, Row]]:
    """Yield (place, row) of a Parquet file, by pyarrow where it is installed. UsageError for what cannot be read."""
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(
            f"{path} is a Parquet file, and pyarrow, which reads it, is not installed.",
            next_step="pip install pyarrow, or save the table as .csv or .jsonl.",
        ) from None
    try:
        rows = parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", next_step="Name a Parquet file.") from error
    for number, row in enumerate(rows, start=1):
        yield f"record {number}", as_json(row)


def as_json(row: Row) -> Row:
    """The row as JSON would hold it: dates, decimals and bytes are texts, tuples are lists."""
    found: Row = json.loads(json.dumps(row, default=str))
    return found
