"""Files that others wrote, read within bounds: whatever is wrong with one is a sentence, never a crash."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from viva.core.errors import UsageError

MAX_BYTES = 256 * 2**20
"""of a whole file: an exam of 50,000 questions with their texts is far below"""
MAX_LINE = 8 * 2**20
"""characters of one line of JSON, or of one cell"""


def read_text(
    path: Path | str,
    *,
    most: int | None = None,
    named: str = "Name a file that holds an exam.",
    smaller: str = "Split it into several exams.",
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


def parse_json(text: str) -> object:
    """The value a text of JSON holds. ValueError, in words, where it holds none (NaN and Infinity are no JSON)."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON ({error.msg}, character {error.pos + 1})") from error
    except RecursionError as error:
        raise ValueError("JSON nested too deep") from error
    except ValueError as error:
        # int() refuses thousands of digits
        raise ValueError("JSON with a number that cannot be read") from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def json_lines(text: str) -> Iterator[tuple[int, object]]:
    """(line number from 1, value) of each line that is not blank. ValueError names the line."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_LINE:
            raise ValueError(f"Line {number} is longer than {MAX_LINE:,} characters.")
        if line.strip():
            try:
                yield number, parse_json(line)
            except ValueError as error:
                raise ValueError(f"Line {number} is {error}.") from error


def csv_records(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line number from 1, cells) of each row that is not blank. ValueError names the line."""
    before = csv.field_size_limit(MAX_LINE)
    try:
        # strict: otherwise a quote that is never closed silently swallows the rest of the file
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        line = 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"Line {line} is no valid row of CSV ({error}).") from error
    finally:
        csv.field_size_limit(before)
