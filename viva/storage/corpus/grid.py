"""Tables as lines of text: merged cells wherever they span, the header above each piece of a long table."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from viva.storage.corpus.source import one_line

MAX_REPEATED = 1_000
"""Characters of a merged cell that are repeated."""
_WIDEST = 1_000
"""Columns that one cell may span, as browsers read it."""
_PIECE = 600
"""Characters of rows under one header: a chunk holds them with it."""
_LONGEST_HEADER, _LONGEST_NAME = 300, 60
_FIGURES = re.compile(r"\W*\d[\d\W]*\Z")


@dataclass(frozen=True)
class TableCell:
    """A cell, with the columns and rows that it spans."""

    text: str
    columns: int = 1
    rows: int = 1
    is_header: bool = False


def table_text(rows: Sequence[Sequence[TableCell]], bounded: Callable[[int], None]) -> str:
    """The rows as lines of cells parted by bars; empty cells are kept. `bounded` is told the length as it grows."""
    lines: list[str] = []
    length = 0
    for row, cells in zip(rows, _placed(rows), strict=True):
        if any(cells):
            # what one cell says of all columns is no value of each
            lines.append(cells[0] if len(row) == 1 and row[0].columns >= len(cells) else " | ".join(cells))
            length += len(lines[-1]) + 1
            bounded(length)
    return _pieces(lines, _header_lines(rows))


def _width(rows: Sequence[Sequence[TableCell]]) -> int:
    """Columns of the table: what one cell alone spans says nothing of it."""
    several = [sum(min(cell.columns, _WIDEST) for cell in row) for row in rows if len(row) > 1]
    return max(several, default=1)


def _placed(rows: Sequence[Sequence[TableCell]]) -> list[list[str]]:
    width = _width(rows)
    # column -> text that stands there in the rows below, and in how many of them
    below: dict[int, tuple[str, int]] = {}
    placed: list[list[str]] = []
    for row in rows:
        found: dict[int, str] = {}
        left: dict[int, tuple[str, int]] = {}
        for column, (text, more) in below.items():
            found[column] = text
            if more > 1:
                left[column] = text, more - 1
        column = 0
        for cell in row:
            while column in found:
                column += 1
            short = one_line(cell.text, MAX_REPEATED)
            for nth in range(max(1, min(cell.columns, width - column))):
                if column + nth not in found:
                    found[column + nth] = short if nth else cell.text
                if cell.rows > 1:
                    left[column + nth] = short, cell.rows - 1
            column += max(1, min(cell.columns, width - column))
        placed.append([found.get(at, "") for at in range(max(found, default=-1) + 1)])
        below = left
    return placed


def _header_lines(rows: Sequence[Sequence[TableCell]]) -> int:
    """Lines of the header: those marked as one; else the first if it names all its columns and no figures."""
    marked = 0
    for row in rows:
        if not row or not all(cell.is_header or not cell.text for cell in row):
            break
        marked += any(cell.text for cell in row)
    if marked:
        return marked
    first = rows[0] if rows else ()
    is_named = all(cell.text and len(cell.text) <= _LONGEST_NAME and not _FIGURES.match(cell.text) for cell in first)
    return int(len(first) > 1 and is_named)


def _pieces(lines: list[str], header: int) -> str:
    """A blank line and the header again where the rows under it are many: a long table is cut there."""
    above = lines[:header]
    if not above or header == len(lines) or sum(map(len, above)) > _LONGEST_HEADER:
        return "\n".join(lines)
    parts, length = list(above), 0
    for line in lines[header:]:
        if length and length + len(line) > _PIECE:
            parts += ["", *above]
            length = 0
        parts.append(line)
        length += len(line) + 1
    return "\n".join(parts)


_LISTED_ROW, _LISTED_CELL = re.compile(r"(\s*)[*+-](\s+)[*+-](?:\s+|\Z)"), re.compile(r"(\s*)[*+-](?:\s+|\Z)")


def directive_table(
    name: str, title: str, options: Sequence[str], rows: Sequence[str], bounded: Callable[[int], None]
) -> list[str]:
    """Give the lines of a list-table or csv-table of reStructuredText, under its title."""
    stated = {key: value.strip() for _, key, value in (option.strip().split(":", 2) for option in options)}
    if name == "list-table":
        text = _listed_table(rows, bounded)
    else:
        delimiter = {"tab": "\t", "space": " "}.get(stated.get("delim", ","), stated.get("delim", ","))
        text = _comma_table(rows, stated.get("header", ""), delimiter[:1] or ",", bounded)
    return [*([title, ""] if title else []), *text.split("\n"), ""]


def _listed_table(lines: Sequence[str], bounded: Callable[[int], None]) -> str:
    """Give the rows of a list-table of reStructuredText: an item a row, in which an item is a cell."""
    rows: list[list[str]] = []
    inner = -1
    for line in lines:
        if row := _LISTED_ROW.match(line):
            inner = len(row.group(1)) + 1 + len(row.group(2))
            rows.append([line[row.end() :].strip()])
        elif rows and (cell := _LISTED_CELL.match(line)) and len(cell.group(1)) == inner:
            rows[-1].append(line[cell.end() :].strip())
        elif rows and line.strip():
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}".strip()
    return table_text([[TableCell(cell) for cell in row] for row in rows], bounded)


def _comma_table(lines: Sequence[str], header: str, delimiter: str, bounded: Callable[[int], None]) -> str:
    """Give the rows of a csv-table of reStructuredText; of one that is no CSV the lines as they are written."""
    written = [line.strip() for line in (header, *lines) if line.strip()]
    try:
        # strict, as docutils: otherwise a quote that is never closed joins the rest of the table
        rows = list(csv.reader(written, delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error:
        return "\n".join(written)
    return table_text([[TableCell(" ".join(cell.split())) for cell in row] for row in rows], bounded)
