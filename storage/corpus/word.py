"""Word documents by python-docx, in document order, as markdown-like text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from viva.core.records import ExclusionReason
from viva.storage.corpus.plain import markdown_title
from viva.storage.corpus.source import PARSER_FAULTS, Excluded, Loaded, Source, document_of, one_line

MAX_EXPANSION = 10  # times the largest file
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def load_docx(source: Source) -> Iterator[Loaded]:
    """One document; title from its properties, else its first heading."""
    if source.data.startswith(_OLD_OFFICE):
        raise Excluded(
            ExclusionReason.ENCRYPTED,
            "Protected by a password (or an old .doc under another name); save a copy as .docx without one.",
        )
    _refuse_bomb(source)
    try:
        title, text = _title_and_text(source.data)
    except (BadZipFile, *PARSER_FAULTS) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"The Word document cannot be parsed: {error}.") from error
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The Word document holds no text.")
    source.bounded(len(text))
    yield document_of(source, text, format="docx", title=title)


def _refuse_bomb(source: Source) -> None:
    try:
        with ZipFile(BytesIO(source.data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (BadZipFile, *PARSER_FAULTS) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"Not a Word document: {error}.") from error
    if unpacked > MAX_EXPANSION * source.max_bytes:
        raise Excluded(
            ExclusionReason.OVERSIZED,
            f"Unpacks to {unpacked / 1e6:.0f} MB, more than {MAX_EXPANSION} times max_file_mb.",
        )


def _title_and_text(data: bytes) -> tuple[str, str]:
    import docx
    from docx.opc.exceptions import OpcError

    try:
        document = docx.Document(BytesIO(data))
    except OpcError as error:
        raise ValueError(str(error)) from error
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
    previous = None
    for cell in row.cells:
        # a merged cell is given once per column it spans
        if previous is None or cell._tc is not previous:  # noqa: SLF001 - identity has no public name
            yield " ".join(cell.text.split())
        previous = cell._tc  # noqa: SLF001
