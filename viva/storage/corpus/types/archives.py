"""EPUB and OpenDocument, which are archives of pages and XML; and archives that unpack to too much."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile

from viva.core.records import ExclusionReason
from viva.storage.corpus.formulas import with_raised
from viva.storage.corpus.grid import TableCell, table_text
from viva.storage.corpus.markup import html_text
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    UNSHOWN,
    Excluded,
    Loaded,
    SourceFile,
    count_words,
    document_of,
    fault_in_words,
)

MAX_EXPANSION = 10  # times the largest file
_LOCKED = 1  # the bit of a ZIP entry's flags
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"


def refuse_bomb(source: SourceFile, what: str) -> None:
    """Raise `Excluded` for a file that is no archive, asks for a password, or unpacks to too much."""
    if source.data.startswith(_OLD_OFFICE):
        raise Excluded(
            ExclusionReason.ENCRYPTED,
            "Protected by a password (or an old file of Office under another name); save a copy in the new form.",
        )
    try:
        with ZipFile(BytesIO(source.data)) as archive:
            entries = archive.infolist()
    except (BadZipFile, *PARSER_FAULTS) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"Not {what}: {fault_in_words(error)}.") from error
    if any(entry.flag_bits & _LOCKED for entry in entries):
        raise Excluded(ExclusionReason.ENCRYPTED, "Its parts ask for a password; save a copy without one.")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_EXPANSION * source.max_bytes:
        raise Excluded(
            ExclusionReason.OVERSIZED,
            f"Unpacks to {unpacked / 1e6:.0f} MB, more than {MAX_EXPANSION} times max_file_mb.",
        )


def xml_root(data: bytes) -> Any:
    """The root of a part; what its entities stand for is not read."""
    from lxml import etree

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def _first(root: Any, name: str) -> Any:
    for each in root.iter(f"{{*}}{name}"):
        return each
    raise ValueError(f"it has no {name}")


# --- EPUB -------------------------------------------------------------------------------------------------


def load_epub(source: SourceFile) -> Iterator[Loaded]:
    """A document a chapter, in the order of reading."""
    refuse_bomb(source, "an EPUB")
    try:
        with ZipFile(BytesIO(source.data)) as archive:
            title, pages = _chapters(archive)
            sheets = (name for name in archive.namelist() if name.lower().endswith(".css"))
            styles = "".join(archive.read(name).decode("utf-8", "replace") for name in sheets)
            texts = [
                html_text(source, archive.read(page).decode("utf-8", "replace"), styles=styles, is_chapter=True)
                for page in pages
            ]
    except (BadZipFile, SyntaxError, *PARSER_FAULTS) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"The EPUB cannot be parsed: {fault_in_words(error)}.") from error
    written = [(name, text) for name, text in texts if text]
    if not written:
        raise Excluded(ExclusionReason.EMPTY, "The EPUB holds no text.")
    source.bounded(sum(len(text) for _, text in written))
    for number, (name, text) in enumerate(written, start=1):
        told = name if name and name != title else f"{title} {number}".strip()
        part = ((0, f"chapter {told}"),)
        yield document_of(source, text, format="epub", title=told, metadata={"book": title}, row=number, parts=part)


def _chapters(archive: ZipFile) -> tuple[str, list[str]]:
    names = archive.namelist()
    container = xml_root(archive.read("META-INF/container.xml"))
    root = str(_first(container, "rootfile").get("full-path"))
    package = xml_root(archive.read(root))
    title = next((str(each.text or "") for each in package.iter("{*}title")), "")
    items = {
        each.get("id"): str(each.get("href")) for each in package.iter("{*}item") if each.get("properties") != "nav"
    }
    found = []
    for each in package.iter("{*}itemref"):
        if href := items.get(each.get("idref")):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(href)))
            found += [path] if path in names else []
    return title, found


# --- OpenDocument -----------------------------------------------------------------------------------------


_OASIS = "{{urn:oasis:names:tc:opendocument:xmlns:{}:1.0}}"
_TEXT, _TABLE, _STYLE = (_OASIS.format(name) for name in ("text", "table", "style"))
_MOST_REPEATED, _MOST_EMPTY = 1_000, 50
_UNSHOWN = ("}annotation", "}bookmark-start", "}page-number", "}page-count", "}title", "}desc")
"""What no reader of a paragraph sees there, and numbers of pages."""


def load_odt(source: SourceFile) -> Iterator[Loaded]:
    """One document of headings, paragraphs, lists and tables; notes follow their paragraph."""
    refuse_bomb(source, "an OpenDocument text")
    try:
        with ZipFile(BytesIO(source.data)) as archive:
            content = xml_root(archive.read("content.xml"))
            meta = xml_root(archive.read("meta.xml")) if "meta.xml" in archive.namelist() else None
            styles = xml_root(archive.read("styles.xml")) if "styles.xml" in archive.namelist() else None
            text = _OpenDocument(source, content, styles).text()
    except (BadZipFile, SyntaxError, *PARSER_FAULTS) as error:
        raise Excluded(
            ExclusionReason.UNREADABLE, f"The OpenDocument text cannot be parsed: {fault_in_words(error)}."
        ) from error
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The OpenDocument text holds no text.")
    source.bounded(len(text))
    title = "" if meta is None else next((str(each.text or "") for each in meta.iter("{*}title")), "")
    heading = re.search(r"^#+ (.*)$", text, re.MULTILINE)
    yield document_of(source, text, format="odt", title=title or (heading.group(1) if heading else ""))


class _OpenDocument:
    def __init__(self, source: SourceFile, content: Any, styles: Any) -> None:
        self._source = source
        self._content = content
        self._styles = styles
        named = [style for root in (styles, content) if root is not None for style in root.iter(f"{_STYLE}style")]
        # where both parts have a style of one name the body's counts
        last = {style.get(f"{_STYLE}name"): style for style in named}
        self._unread = {name: what for name, style in last.items() if (what := _unseen(style))}
        self._raised = {name for name, style in last.items() if _is_raised(style)}
        self._due: list[tuple[str, str]] = []
        """notes and text boxes, which follow their paragraph"""

    def text(self) -> str:
        parts: list[str] = []
        previous = ""
        for kind, text in self._everything():
            due, self._due = self._due, []
            for each, told in ((kind, text), *due):
                if told:
                    parts.append(told if not parts else ("\n" if each == previous == "item" else "\n\n") + told)
                    previous = each
        return "".join(parts)

    def _everything(self) -> Iterator[tuple[str, str]]:
        """Heads of pages once, the body, feet of pages once."""
        yield from self._edges("header", "header-first", "header-left")
        yield from self._blocks(_first(self._content, "body"), 0)
        yield from self._edges("footer", "footer-first", "footer-left")

    def _edges(self, *names: str) -> Iterator[tuple[str, str]]:
        if self._styles is not None:
            parts = self._styles.iter(*(f"{_STYLE}{name}" for name in names))
            found: dict[str, None] = {}
            for part in parts:
                # what is left next to the number of a page: 'Page', 'of'
                fewest = 3 if part.find(f".//{_TEXT}page-number") is not None else 1
                blocks = [text for _, text in self._blocks(part, 0)]
                found |= dict.fromkeys(text for text in blocks if count_words(text) >= fewest)
            yield from (("text", text) for text in found)

    def _blocks(self, container: Any, lists: int) -> Iterator[tuple[str, str]]:
        for part in container:
            if part.tag == f"{_TEXT}h":
                level = str(part.get(f"{_TEXT}outline-level", "1"))
                text = self._line(part)
                yield "heading", f"{'#' * min(int(level) if level.isdigit() else 1, 6)} {text}" if text else ""
            elif part.tag == f"{_TEXT}p":
                text = self._line(part)
                yield ("item", f"{'  ' * (lists - 1)}- {text}") if lists and text else ("text", text)
            elif part.tag == f"{_TABLE}table":
                yield "table", self._table(part)
            elif part.tag not in {f"{_TEXT}tracked-changes", f"{_TEXT}table-of-content", f"{_TEXT}sequence-decls"}:
                yield from self._blocks(part, min(lists + (part.tag == f"{_TEXT}list"), 20))

    def _line(self, part: Any) -> str:
        return " ".join(with_raised(self._words(part)).translate(UNSHOWN).split())

    def _words(self, part: Any, *, raised: bool = False) -> Iterator[tuple[bool, str]]:
        """The words of a paragraph, each with whether it is raised."""
        yield raised, part.text or ""
        for each in part:
            if what := self._unread.get(each.get(f"{_TEXT}style-name")):
                self._source.leave_out(what, "".join(each.itertext()))
            elif each.tag == f"{_TEXT}note":
                body = next(each.iter(f"{_TEXT}note-body"), None)
                if body is not None:
                    self._due.append(("text", " ".join(self._line(line) for line in body)))
            elif each.tag in {f"{_TEXT}tab", f"{_TEXT}line-break", f"{_TEXT}s"}:
                yield raised, " "
            elif isinstance(each.tag, str) and each.tag.endswith("}text-box"):
                self._due += list(self._blocks(each, 0))
            elif isinstance(each.tag, str) and not each.tag.endswith(_UNSHOWN):
                yield from self._words(each, raised=raised or each.get(f"{_TEXT}style-name") in self._raised)
            yield raised, each.tail or ""

    def _table(self, table: Any) -> str:
        rows: list[list[TableCell]] = []
        made = 0
        for row in table.iter(f"{_TABLE}table-row"):
            cells: list[TableCell] = []
            for cell in row.iterchildren(f"{_TABLE}table-cell"):
                columns, below = (_number(cell, f"number-{kind}-spanned") for kind in ("columns", "rows"))
                text = " ".join(self._line(line) for line in cell.iter(f"{_TEXT}p", f"{_TEXT}h"))
                repeated = _number(cell, "number-columns-repeated")
                cells += [TableCell(text, columns, below)] * (repeated if text else min(repeated, _MOST_EMPTY))
            made += len(cells)
            self._source.bounded(made)
            rows.append(cells)
        return table_text(rows, self._source.bounded)


def _number(cell: Any, name: str) -> int:
    told = str(cell.get(f"{_TABLE}{name}", "1"))
    return min(int(told), _MOST_REPEATED) if told.isdigit() and int(told) else 1


def _is_raised(style: Any) -> bool:
    properties = style.find(f"{_STYLE}text-properties")
    position = "" if properties is None else str(properties.get(f"{_STYLE}text-position", ""))
    first = position.partition(" ")[0].rstrip("%")
    return first == "super" or (first.isdigit() and int(first) > 0)


def _unseen(style: Any) -> str:
    properties = style.find(f"{_STYLE}text-properties")
    if properties is None:
        return ""
    if properties.get(f"{_STYLE}text-line-through-style", "none") != "none":
        return "struck-out text"
    return "hidden text" if properties.get(f"{_TEXT}display") == "none" else ""
