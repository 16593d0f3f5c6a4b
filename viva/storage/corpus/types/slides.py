"""PowerPoint slides by python-pptx (the extra 'office')."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

from viva.core.records import ExclusionReason
from viva.storage.corpus.formulas import with_raised
from viva.storage.corpus.grid import TableCell, table_text
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
    joined_parts,
    one_line,
)
from viva.storage.corpus.types.archives import refuse_bomb, xml_root
from viva.storage.corpus.types.office import lacking


def load_pptx(source: SourceFile) -> Iterator[Loaded]:
    """One document: each slide under its title, its text and tables, and what the speaker notes say."""
    try:
        import pptx
        from pptx.exc import PythonPptxError
    except ImportError as error:
        raise lacking("PowerPoint slides") from error
    refuse_bomb(source, "PowerPoint slides")
    try:
        slides = pptx.Presentation(BytesIO(source.data))
        each = enumerate(slides.slides, start=1)
        text, parts = joined_parts((f"slide {number}", _slide(source, slide, number)) for number, slide in each)
        title = slides.core_properties.title or next((_title(slide) for slide in slides.slides if _title(slide)), "")
    except (BadZipFile, PythonPptxError, *PARSER_FAULTS) as error:
        why = fault_in_words(error)
        raise Excluded(ExclusionReason.UNREADABLE, f"The slides cannot be parsed: {why}.") from error
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The slides hold no text.")
    source.bounded(len(text))
    title = "" if title == "PowerPoint Presentation" else title
    yield document_of(source, text, format="pptx", title=title, parts=parts)


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
    if getattr(shape, "has_chart", False):
        return _chart_text(source, shape.chart)
    if not getattr(shape, "has_text_frame", False):
        return _diagram_text(shape, slide)
    is_title = slide.shapes.title is not None and shape.shape_id == slide.shapes.title.shape_id
    if is_title or _is_furniture(shape):
        return ""
    paragraphs = shape.text_frame.paragraphs
    lines = [(int(each.level), _line(source, each)) for each in paragraphs]
    written = [(level, line) for level, line in lines if line]
    if len(written) == 1:
        return written[0][1]
    return "\n".join(f"{'  ' * level}- {line}" for level, line in written)


def _line(source: SourceFile, paragraph: Any) -> str:
    """The words of a paragraph; raised signs are marked, struck-out text is left out."""
    parts: list[tuple[bool, str]] = []
    for part in paragraph._p:  # noqa: SLF001 - its fields and line breaks have no public name
        name = part.tag.rpartition("}")[2]
        text = "".join(each.text or "" for each in part.iter("{*}t")) if name in {"r", "fld"} else ""
        run = part.find("{*}rPr")
        style = {} if run is None else run.attrib
        if style.get("strike", "noStrike") != "noStrike":
            source.leave_out("struck-out text", text)
        else:
            raised = style.get("baseline", "0").rstrip("%")
            parts.append((raised.isdigit() and int(raised) > 0, " " if name == "br" else text))
    return " ".join(with_raised(parts).split())


def _chart_text(source: SourceFile, chart: Any) -> str:
    """A chart as the table that it draws, under its title; one without categories, or in 3D, is left out."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    tables: list[str] = [title.strip()]
    try:
        plots = [plot for plot in chart.plots if len(plot.categories)]
    except ValueError:
        plots = []
    if not plots:
        values = chart._chartSpace.iter("{*}v")  # noqa: SLF001 - no public name gives it
        source.leave_out("charts of kinds that are not read", " ".join(value.text or "" for value in values))
    for plot in plots:
        series = list(plot.series)
        rows = [["", *(each.name for each in series)]]
        columns = [list(each.values) for each in series]
        rows += [[str(name), *(_number(each, at) for each in columns)] for at, name in enumerate(plot.categories)]
        tables.append(table_text([[TableCell(cell) for cell in row] for row in rows], source.bounded))
    return "\n\n".join(filter(None, tables))


def _number(values: Sequence[Any], at: int) -> str:
    return f"{values[at]:.10g}" if at < len(values) and values[at] is not None else ""


def _diagram_text(shape: Any, slide: Any) -> str:
    """The texts of a diagram (SmartArt), which are in a part of their own."""
    lines: list[str] = []
    for each in shape._element.iter("{*}relIds"):  # noqa: SLF001 - python-pptx knows no diagrams
        names = (value for name, value in each.attrib.items() if name.endswith("}dm"))
        for part in map(slide.part.related_part, names):
            paragraphs = xml_root(part.blob).iter("{http://schemas.openxmlformats.org/drawingml/2006/main}p")
            lines += ["".join(text.text or "" for text in line.iter("{*}t")).strip() for line in paragraphs]
    return "\n".join(f"- {line}" for line in lines if line)


def _is_furniture(shape: Any) -> bool:
    """Tell whether it is the number, date or foot of each slide."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    kinds = {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER}
    return bool(shape.is_placeholder) and shape.placeholder_format.type in kinds
