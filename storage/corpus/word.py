"""Word documents by python-docx, in document order, as markdown-like text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from viva.core.records import ExclusionReason
from viva.storage.corpus.plain import markdown_title
from viva.storage.corpus.source import PARSER_FAULTS, Excluded, Loaded, SourceFile, document_of, one_line

MAX_EXPANSION = 10  # times the largest file
MAX_REPEATED = 1000  # characters of a cell that stands beside several rows, in those after the first
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_LOCKED = 1  # the bit of a ZIP entry's flags
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
        raise Excluded(ExclusionReason.UNREADABLE, f"Not a Word document: {error}.") from error
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
    for block in document.iter_inner_content():
        kind, text = _table(block) if hasattr(block, "rows") else _paragraph(block, styles)
        if text:
            separator = "\n" if kind == previous == "item" else "\n\n"
            parts.append(f"{separator}{text}" if parts else text)
            previous = kind
    text = "".join(parts)
    return document.core_properties.title or markdown_title(text), text


def _in_words(error: Exception) -> str:
    from lxml import etree

    if not isinstance(error, etree.XMLSyntaxError):
        return str(error)
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


def _paragraph(paragraph: Any, styles: Mapping[str | None, str]) -> tuple[str, str]:
    text = paragraph.text.replace("\xa0", " ").strip()
    if not text:
        return "", ""
    style = styles[paragraph._p.style]  # noqa: SLF001 - the id has no public name
    if heading := _HEADING.match(style):
        return "heading", f"{'#' * min(int(heading.group(1)), 6)} {one_line(text)}"
    if style == "Title":
        return "heading", f"# {one_line(text)}"
    properties = paragraph.paragraph_format.element.pPr
    if style.startswith("List") or (properties is not None and properties.numPr is not None):
        return "item", f"- {text}"
    return "text", text


def _table(table: Any) -> tuple[str, str]:
    lines: list[str] = []
    cells: dict[int, str] = {}
    for row in table.rows:
        cells = _cells(row._tr, cells)  # noqa: SLF001 - of the public `cells`, each looks for its own beginning anew
        lines.append(" | ".join(cells.values()))
    return "table", "\n".join(line for line in lines if line.strip(" |"))


def _cells(row: Any, above: Mapping[int, str]) -> dict[int, str]:
    """The text of each cell by the column in which it begins; what stands beside several rows, in each of them."""
    cells: dict[int, str] = {}
    column = row.grid_before
    for cell in row.tc_lst:
        if cell.vMerge == "continue" and column in above:
            cells[column] = one_line(above[column], MAX_REPEATED)
        else:
            cells[column] = " ".join(" ".join(paragraph.text for paragraph in cell.p_lst).split())
        column += max(cell.grid_span, 1)
    return cells
