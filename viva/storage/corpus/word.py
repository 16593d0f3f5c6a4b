"""Word documents by python-docx, in document order, as markdown-like text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any
from zipfile import BadZipFile, ZipFile

from viva.core.records import ExclusionReason
from viva.storage.corpus.markup import around_raised
from viva.storage.corpus.plain import markdown_title
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
    one_line,
)

MAX_EXPANSION = 10  # times the largest file
MAX_REPEATED = 1000  # characters of a cell that stands beside several rows, in those after the first
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_LOCKED = 1  # the bit of a ZIP entry's flags
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARAGRAPH, _RUN, _TABLE, _ROW, _CELL, _BOX = (f"{_W}{name}" for name in "p r tbl tr tc txbxContent".split())
_TEXTS = {f"{_W}{name}" for name in "t tab ptab br cr noBreakHyphen".split()}
_WRAPPERS = {f"{_W}{name}" for name in "ins moveTo sdt sdtContent customXml smartTag tbl tr tc".split()}
_UNREAD = {f"{_W}{name}" for name in "del moveFrom pPr rPr sdtPr sdtEndPr rt".split()} | {
    # what it holds is in the choice beside it
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
}
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def load_docx(source: SourceFile) -> Iterator[Loaded]:
    """One document; title from its properties, else its first heading."""
    from docx.exceptions import PythonDocxError
    from docx.opc.exceptions import OpcError
    from docx.oxml.exceptions import XmlchemyError

    if source.data.startswith(_OLD_OFFICE):
        raise Excluded(
            ExclusionReason.ENCRYPTED,
            "Protected by a password (or an old .doc under another name); save a copy as .docx without one.",
        )
    _refuse_bomb(source)
    try:
        title, text = _title_and_text(source.data)
    except (BadZipFile, OpcError, PythonDocxError, XmlchemyError, *PARSER_FAULTS) as error:
        raise Excluded(
            ExclusionReason.UNREADABLE, f"The Word document cannot be parsed: {_in_words(error)}."
        ) from error
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The Word document holds no text.")
    source.bounded(len(text))
    yield document_of(source, text, format="docx", title=title)


def _refuse_bomb(source: SourceFile) -> None:
    try:
        with ZipFile(BytesIO(source.data)) as archive:
            entries = archive.infolist()
    except (BadZipFile, *PARSER_FAULTS) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"Not a Word document: {fault_in_words(error)}.") from error
    if any(entry.flag_bits & _LOCKED for entry in entries):
        raise Excluded(ExclusionReason.ENCRYPTED, "Its parts ask for a password; save a copy without one.")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_EXPANSION * source.max_bytes:
        raise Excluded(
            ExclusionReason.OVERSIZED,
            f"Unpacks to {unpacked / 1e6:.0f} MB, more than {MAX_EXPANSION} times max_file_mb.",
        )


def _title_and_text(data: bytes) -> tuple[str, str]:
    import docx

    document = docx.Document(BytesIO(data))
    if document.element.getroottree().docinfo.internalDTD is not None:
        # what its entities stand for would be missing from the text, and no Word document has any
        raise ValueError("it declares entities of its own")
    styles = _styles(document)
    parts: list[str] = []
    previous = ""
    for kind, text in _blocks(document.element.body, styles):
        if text:
            separator = "\n" if kind == previous == "item" else "\n\n"
            parts.append(f"{separator}{text}" if parts else text)
            previous = kind
    text = "".join(parts)
    return document.core_properties.title or markdown_title(text), text


def _in_words(error: Exception) -> str:
    from lxml import etree

    if not isinstance(error, etree.XMLSyntaxError):
        return fault_in_words(error)
    if error.code in {etree.ErrorTypes.ERR_RESOURCE_LIMIT, etree.ErrorTypes.ERR_ENTITY_LOOP}:
        return f"its XML is nested too deeply, or has entities that grow without end ({error.msg})"
    return f"its XML is malformed ({error.msg})"


def _styles(document: Any) -> Mapping[str | None, str]:
    """The name of each style of paragraphs by its id: python-docx reads all of them to find one."""
    from docx.enum.style import WD_STYLE_TYPE

    default = document.styles.default(WD_STYLE_TYPE.PARAGRAPH)
    names: defaultdict[str | None, str] = defaultdict(lambda: default.name or "" if default is not None else "")
    for style in document.styles:
        if style.type == WD_STYLE_TYPE.PARAGRAPH and style.style_id:
            names.setdefault(style.style_id, style.name or "")
    return names


def _blocks(container: Any, styles: Mapping[str | None, str]) -> Iterator[tuple[str, str]]:
    """Kind and text of each paragraph and table; what stands in a text box follows the paragraph that holds it."""
    for block in _within(container, _PARAGRAPH, _TABLE):
        if block.tag == _TABLE:
            yield "table", _table(block)
            continue
        line = _Line(block)
        yield _paragraph(block, line.text, styles)
        for box in line.boxes:
            yield from _blocks(box, styles)


def _within(container: Any, *tags: str) -> Iterator[Any]:
    """The elements of these kinds, also those in insertions and content controls, in order; none within another."""
    waiting = list(reversed(container))
    while waiting:
        element = waiting.pop()
        if element.tag in tags:
            yield element
        elif element.tag in _WRAPPERS and not _is_contents(element):
            waiting.extend(reversed(element))


def _is_contents(control: Any) -> bool:
    """Whether it is the list of contents that Word makes of the headings."""
    gallery = control.find(f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery")
    return gallery is not None and gallery.get(f"{_W}val") == "Table of Contents"


class _Line:
    """What is written in a paragraph, with all tracked changes made, and the text boxes in it."""

    def __init__(self, paragraph: Any) -> None:
        self.boxes: list[Any] = []
        self._parts: list[tuple[bool, str]] = []
        self._read(paragraph, raised=False)

    def _read(self, element: Any, *, raised: bool) -> None:
        for part in element:
            if part.tag in _TEXTS:
                self._parts.append((raised, str(part)))
            elif part.tag == _BOX:
                self.boxes.append(part)
            elif part.tag not in _UNREAD:
                self._read(part, raised=part.tag == _RUN and _is_raised(part))

    @property
    def text(self) -> str:
        text: list[str] = []
        for raised, parts in groupby(self._parts, itemgetter(0)):
            told = "".join(part for _, part in parts)
            before, behind = around_raised("".join(text[-1:]), told.strip()) if raised else ("", "")
            text.append(f"{before}{told}{behind}")
        return "".join(text)


def _is_raised(run: Any) -> bool:
    align = run.find(f"{_W}rPr/{_W}vertAlign")
    return align is not None and align.get(f"{_W}val") == "superscript"


def _paragraph(paragraph: Any, text: str, styles: Mapping[str | None, str]) -> tuple[str, str]:
    text = text.replace("\xa0", " ").strip()
    if not text:
        return "", ""
    style = styles[paragraph.style]
    if heading := _HEADING.match(style):
        return "heading", f"{'#' * min(int(heading.group(1)), 6)} {one_line(text)}"
    if style == "Title":
        return "heading", f"# {one_line(text)}"
    if style.startswith("List") or (paragraph.pPr is not None and paragraph.pPr.numPr is not None):
        return "item", f"- {text}"
    return "text", text


def _table(table: Any) -> str:
    lines: list[str] = []
    cells: dict[int, str] = {}
    for row in _within(table, _ROW):
        cells = _cells(row, cells)
        lines.append(" | ".join(cells.values()))
    return "\n".join(line for line in lines if line.strip(" |"))


def _cells(row: Any, above: Mapping[int, str]) -> dict[int, str]:
    """The text of each cell by the column in which it begins; what stands beside several rows, in each of them."""
    cells: dict[int, str] = {}
    column = row.grid_before
    for cell in _within(row, _CELL):
        if cell.vMerge == "continue" and column in above:
            cells[column] = one_line(above[column], MAX_REPEATED)
        else:
            cells[column] = " ".join(" ".join(_lines(cell)).split())
        column += max(cell.grid_span, 1)
    return cells


def _lines(container: Any) -> Iterator[str]:
    """The text of each paragraph in a cell, and in the tables and text boxes in it."""
    for paragraph in _within(container, _PARAGRAPH):
        line = _Line(paragraph)
        yield line.text
        for box in line.boxes:
            yield from _lines(box)
