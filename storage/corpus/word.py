"""Word documents by python-docx, in document order, as markdown-like text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from viva.core.records import ExclusionReason
from viva.storage.corpus.plain import markdown_title
from viva.storage.corpus.source import PARSER_FAULTS, Excluded, Loaded, SourceFile, document_of, one_line

MAX_EXPANSION = 10  # times the largest file
MAX_SPAN = 1000  # columns under one cell; Word makes 63 at most
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
    parts: list[str] = []
    previous = ""
    for block in document.iter_inner_content():
        kind, text = _table(block) if hasattr(block, "rows") else _paragraph(block)
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


def _paragraph(paragraph: Any) -> tuple[str, str]:
    text = paragraph.text.replace("\xa0", " ").strip()
    style = paragraph.style.name or "" if paragraph.style is not None else ""
    if not text:
        return "", ""
    if heading := _HEADING.match(style):
        return "heading", f"{'#' * min(int(heading.group(1)), 6)} {one_line(text)}"
    if style == "Title":
        return "heading", f"# {one_line(text)}"
    properties = paragraph.paragraph_format.element.pPr
    if style.startswith("List") or (properties is not None and properties.numPr is not None):
        return "item", f"- {text}"
    return "text", text


def _table(table: Any) -> tuple[str, str]:
    rows = (" | ".join(_cells(row)) for row in table.rows)
    return "table", "\n".join(row for row in rows if row.strip(" |"))


def _cells(row: Any) -> Iterator[str]:
    for tc in row._tr.tc_lst:  # noqa: SLF001 - `cells` makes a cell for each column before it can be counted
        if tc.grid_span > MAX_SPAN:
            raise ValueError(f"a cell of a table spans {tc.grid_span:,} columns")
    previous = None
    for cell in row.cells:
        # a merged cell is given once per column it spans
        if previous is None or cell._tc is not previous:  # noqa: SLF001 - identity has no public name
            yield " ".join(cell.text.split())
        previous = cell._tc  # noqa: SLF001
