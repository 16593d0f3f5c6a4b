"""Excel workbooks and PowerPoint slides, by openpyxl and python-pptx (the extra 'office')."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import islice
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
    one_line,
)
from viva.storage.corpus.types.archives import refuse_bomb

_UNRECKONED = re.compile(rb"<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>)?</c>")
_MOST_ROWS, _MOST_COLUMNS = 200_000, 1_000


def _lacking(what: str) -> Excluded:
    detail = f"Reading {what} takes the extra 'office'. {how_to_install('office')}"
    return Excluded(ExclusionReason.UNREADABLE, detail)


# --- workbooks --------------------------------------------------------------------------------------------


def load_xlsx(source: SourceFile) -> Iterator[Loaded]:
    """A document a sheet: rows of cells, of formulas their values; hidden sheets, rows and columns are left out."""
    try:
        import openpyxl
    except ImportError as error:
        raise _lacking("an Excel workbook") from error
    refuse_bomb(source, "an Excel workbook")
    try:
        book = openpyxl.load_workbook(BytesIO(source.data), data_only=True)
        sheets = [(sheet.title, _sheet_text(source, sheet)) for sheet in book.worksheets]
        _note_unreckoned(source)
    except (BadZipFile, *PARSER_FAULTS) as error:
        why = fault_in_words(error)
        raise Excluded(ExclusionReason.UNREADABLE, f"The workbook cannot be parsed: {why}.") from error
    written = [(title, text) for title, text in sheets if text]
    if not written:
        raise Excluded(ExclusionReason.EMPTY, "The workbook holds no values.")
    for number, (title, text) in enumerate(written, start=1):
        row = number if len(written) > 1 else None
        name = f"{source.stem}: {title}" if len(written) > 1 or not title.startswith("Sheet") else ""
        yield document_of(source, text, format="xlsx", title=name, metadata={"sheet": title}, row=row)


def _note_unreckoned(source: SourceFile) -> None:
    """A formula whose value no program has stored has none to read."""
    with ZipFile(BytesIO(source.data)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")]
        count = sum(sum(1 for _ in _UNRECKONED.finditer(archive.read(name))) for name in sheets)
    if count:
        detail = f"{count} formulas have no stored value: open the workbook in a spreadsheet program and save it."
        source.note(ExclusionReason.PART_LEFT_OUT, detail)


def _sheet_text(source: SourceFile, sheet: Any) -> str:
    from openpyxl.utils import get_column_letter

    spans = {(area.min_row, area.min_col): area for area in sheet.merged_cells.ranges}
    covered = {
        (row, column)
        for area in islice(spans.values(), _MOST_COLUMNS)
        for row in range(area.min_row, min(area.max_row, area.min_row + _MOST_COLUMNS) + 1)
        for column in range(area.min_col, min(area.max_col, area.min_col + _MOST_COLUMNS) + 1)
        if (row, column) != (area.min_row, area.min_col)
    }
    hidden = {name for name, column in sheet.column_dimensions.items() if column.hidden}
    rows: list[list[TableCell]] = []
    last_row, last_column = min(sheet.max_row, _MOST_ROWS), min(sheet.max_column, _MOST_COLUMNS)
    for cells in sheet.iter_rows(max_row=last_row, max_col=last_column):
        told = [_cell(cell, spans) for cell in cells if (cell.row, cell.column) not in covered]
        if sheet.sheet_state != "visible" or (cells and sheet.row_dimensions[cells[0].row].hidden):
            source.leave_out("hidden text", " ".join(cell.text for cell in told))
            continue
        shown = [cell for cell in cells if get_column_letter(cell.column) not in hidden] if hidden else cells
        if len(shown) < len(cells):
            unseen = (_value(cell) for cell in cells if get_column_letter(cell.column) in hidden)
            source.leave_out("hidden text", " ".join(unseen))
            told = [_cell(cell, spans) for cell in shown if (cell.row, cell.column) not in covered]
        rows.append(told)
    return table_text(_trimmed(rows), source.bounded)


def _trimmed(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """The rows without empty columns at their right, and a title above the table as one cell."""
    width = max((n for row in rows for n, cell in enumerate(row, start=1) if cell.text), default=0)
    cut = [row[:width] for row in rows]
    return [[row[0]] if row and row[0].text and not any(cell.text for cell in row[1:]) else row for row in cut]


def _cell(cell: Any, spans: dict[tuple[int, int], Any]) -> TableCell:
    area = spans.get((cell.row, cell.column))
    if area is None:
        return TableCell(_value(cell))
    return TableCell(_value(cell), area.max_col - area.min_col + 1, area.max_row - area.min_row + 1)


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


# --- slides -----------------------------------------------------------------------------------------------


def load_pptx(source: SourceFile) -> Iterator[Loaded]:
    """One document: each slide under its title, its text and tables, and what the speaker notes say."""
    try:
        import pptx
        from pptx.exc import PythonPptxError
    except ImportError as error:
        raise _lacking("PowerPoint slides") from error
    refuse_bomb(source, "PowerPoint slides")
    try:
        slides = pptx.Presentation(BytesIO(source.data))
        parts = [_slide(source, slide, number) for number, slide in enumerate(slides.slides, start=1)]
        title = slides.core_properties.title or next((_title(slide) for slide in slides.slides if _title(slide)), "")
    except (BadZipFile, PythonPptxError, *PARSER_FAULTS) as error:
        why = fault_in_words(error)
        raise Excluded(ExclusionReason.UNREADABLE, f"The slides cannot be parsed: {why}.") from error
    text = "\n\n".join(part for part in parts if part)
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The slides hold no text.")
    source.bounded(len(text))
    yield document_of(source, text, format="pptx", title="" if title == "PowerPoint Presentation" else title)


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return one_line(shape.text_frame.text) if shape is not None and shape.has_text_frame else ""


def _slide(source: SourceFile, slide: Any, number: int) -> str:
    title = _title(slide)
    blocks = [block for shape in _in_order(slide.shapes) if (block := _shape(source, shape, slide))]
    if slide._element.get("show") == "0":  # noqa: SLF001 - no public name tells it
        source.leave_out("hidden text", " ".join([title, *blocks]))
        return ""
    notes = slide.notes_slide.notes_text_frame.text.strip() if slide.has_notes_slide else ""
    head = f"# {title or number}" if title or blocks or notes else ""
    told = [head, *blocks, f"Notes: {notes}" if notes else ""]
    return "\n\n".join(block for block in told if block)


def _in_order(shapes: Any) -> Iterator[Any]:
    """Shapes from top to bottom, those of groups too."""
    placed: Sequence[Any] = sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    for shape in placed:
        if hasattr(shape, "shapes"):
            yield from _in_order(shape.shapes)
        else:
            yield shape


def _shape(source: SourceFile, shape: Any, slide: Any) -> str:
    if getattr(shape, "has_table", False):
        rows = [
            [
                TableCell(" ".join(cell.text.split()), max(cell.span_width, 1), max(cell.span_height, 1))
                for cell in row.cells
                if not cell.is_spanned
            ]
            for row in shape.table.rows
        ]
        return table_text(rows, source.bounded)
    is_title = slide.shapes.title is not None and shape.shape_id == slide.shapes.title.shape_id
    if is_title or not getattr(shape, "has_text_frame", False) or _is_furniture(shape):
        return ""
    paragraphs = shape.text_frame.paragraphs
    lines = [(int(each.level), str(each.text).replace("\v", " ").strip()) for each in paragraphs]
    written = [(level, line) for level, line in lines if line]
    if len(written) == 1:
        return written[0][1]
    return "\n".join(f"{'  ' * level}- {line}" for level, line in written)


def _is_furniture(shape: Any) -> bool:
    """Whether it is the number, date or foot of each slide."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    kinds = {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER}
    return bool(shape.is_placeholder) and shape.placeholder_format.type in kinds
