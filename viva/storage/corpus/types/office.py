"""Excel workbooks by openpyxl (the extra 'office'): a document a sheet."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from viva.core.errors import how_to_install
from viva.core.records import ExclusionReason
from viva.storage.corpus.grid import TableCell, table_text
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
)
from viva.storage.corpus.types.archives import refuse_bomb

_MERGED = re.compile(rb"<mergeCell\b[^>]{0,100}\bref=[\"']([A-Za-z]{1,3}\d{1,7}:[A-Za-z]{1,3}\d{1,7})[\"']")
_UNRECKONED = re.compile(rb"<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>)?</c>")
Place = tuple[int, int]
"""Row and column."""
_MOST_PLACES, _MOST_HIDDEN = 2_000_000, 20_000


def lacking(what: str) -> Excluded:
    """The exclusion of a file whose reader is not installed."""
    detail = f"Reading {what} takes the extra 'office'. {how_to_install('office')}"
    return Excluded(ExclusionReason.UNREADABLE, detail)


# --- workbooks --------------------------------------------------------------------------------------------


def load_xlsx(source: SourceFile) -> Iterator[Loaded]:
    """A document a sheet: rows of cells, of formulas their values; hidden sheets, rows and columns are left out."""
    try:
        import openpyxl
    except ImportError as error:
        raise lacking("an Excel workbook") from error
    refuse_bomb(source, "an Excel workbook")
    try:
        _check_sheets(source)
        book = openpyxl.load_workbook(BytesIO(source.data), data_only=True)
        sheets = [(sheet.title, _sheet_text(source, sheet)) for sheet in book.worksheets]
    except (BadZipFile, *PARSER_FAULTS) as error:
        why = fault_in_words(error)
        raise Excluded(ExclusionReason.UNREADABLE, f"The workbook cannot be parsed: {why}.") from error
    written = [(title, text) for title, text in sheets if text]
    if not written:
        raise Excluded(ExclusionReason.EMPTY, "The workbook holds no values.")
    for number, (title, text) in enumerate(written, start=1):
        row = number if len(written) > 1 else None
        sheet = ((0, f"sheet {title}"),)
        name = f"{source.stem}: {title}" if len(written) > 1 or not title.startswith("Sheet") else ""
        yield document_of(source, text, format="xlsx", title=name, metadata={"sheet": title}, row=row, parts=sheet)


def _check_sheets(source: SourceFile) -> None:
    """Note formulas whose value no program has stored, and refuse merged cells without end: openpyxl makes each."""
    unreckoned = area = 0
    with ZipFile(BytesIO(source.data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                data = archive.read(name)
                unreckoned += sum(1 for _ in _UNRECKONED.finditer(data))
                area += sum(map(_area, _MERGED.finditer(data)))
    if area > _MOST_PLACES:
        raise Excluded(ExclusionReason.OVERSIZED, f"Its merged cells cover over {_MOST_PLACES:,} places.")
    if unreckoned:
        detail = (
            f"{unreckoned} formulas have no stored value: open the workbook in a spreadsheet program and save it."
        )
        source.note(ExclusionReason.PART_LEFT_OUT, detail)


def _area(merged: re.Match[bytes]) -> int:
    from openpyxl.utils import range_boundaries

    left, top, right, bottom = (edge or 1 for edge in range_boundaries(merged.group(1).decode()))
    return (right - left + 1) * (bottom - top + 1)


def _sheet_text(source: SourceFile, sheet: Any) -> str:
    """Rows and columns that hold a value; far from each other they are near in the text."""
    cells = {place: cell for place, cell in sheet._cells.items() if cell.value is not None}  # noqa: SLF001
    hidden_columns, hidden_rows = _hidden(sheet.column_dimensions), _hidden(sheet.row_dimensions)
    seen: dict[tuple[int, int], Any] = {}
    for place, cell in cells.items():
        if sheet.sheet_state != "visible" or place[0] in hidden_rows or place[1] in hidden_columns:
            source.leave_out("hidden text", _value(cell))
        elif cell.has_style and cell.font.strike:
            source.leave_out("struck-out text", _value(cell))
        else:
            seen[place] = cell
        if cell.comment is not None:
            source.leave_out("comments", str(cell.comment.text))
    rows, columns = sorted({row for row, _ in seen}), sorted({column for _, column in seen})
    if len(rows) * len(columns) > _MOST_PLACES:
        raise Excluded(ExclusionReason.OVERSIZED, f"A sheet spans over {_MOST_PLACES:,} cells; split the workbook.")
    spans, covered = _merged(sheet, rows, columns)
    told = [
        [
            TableCell(_value(seen[row, column]) if (row, column) in seen else "", *spans.get((row, column), (1, 1)))
            for column in columns
            if (row, column) not in covered
        ]
        for row in rows
    ]
    return table_text(_titled(told), source.bounded)


def _hidden(dimensions: Any) -> set[int]:
    """Numbers of hidden rows or columns; of columns one entry may stand for several."""
    from openpyxl.utils import column_index_from_string

    found: set[int] = set()
    for name, each in dimensions.items():
        if each.hidden:
            first = name if isinstance(name, int) else column_index_from_string(name)
            last = max(getattr(each, "max", None) or first, first)
            found |= set(range(first, min(last, first + _MOST_HIDDEN) + 1))
    return found


def _merged(
    sheet: Any, rows: list[int], columns: list[int]
) -> tuple[dict[tuple[int, int], tuple[int, int]], set[Any]]:
    """(columns, rows) that a cell spans of those with values, by its place; and the places that it covers."""
    spans: dict[Place, tuple[int, int]] = {}
    covered: set[Place] = set()
    for area in sheet.merged_cells.ranges:
        across = columns[bisect_left(columns, area.min_col) : bisect_right(columns, area.max_col)]
        down = rows[bisect_left(rows, area.min_row) : bisect_right(rows, area.max_row)]
        if len(covered) + len(across) * len(down) > _MOST_PLACES:
            break
        if across and down:
            spans[area.min_row, area.min_col] = len(across), len(down)
            covered |= {(row, column) for row in down for column in across} - {(area.min_row, area.min_col)}
    return spans, covered


def _titled(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """The rows; of one with a text in its first cell alone that cell, for it is a title or a note."""
    alone = [bool(row) and bool(row[0].text) and not any(cell.text for cell in row[1:]) for row in rows]
    return [[row[0]] if lone and row[0].rows == 1 else row for row, lone in zip(rows, alone, strict=True)]


def _value(cell: Any) -> str:
    """As a sheet shows it, in the plainest form: 0.19 with a format of per cent is 19%."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    if isinstance(value, int | float):
        form = str(getattr(cell, "number_format", "") or "")
        percent = "%" in form
        told = f"{value * 100 if percent else value:.10g}"
        sign = next((sign for sign in "€$£¥" if sign in form), "")
        return f"{told}%" if percent else f"{told} {sign}".rstrip()
    return " ".join(str(value).split())
