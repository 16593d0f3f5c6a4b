"""Word documents by python-docx, in document order, as markdown-like text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from viva.core.records import ExclusionReason
from viva.storage.corpus.formulas import omml, with_raised
from viva.storage.corpus.grid import MAX_REPEATED, TableCell, table_text
from viva.storage.corpus.plain import markdown_title
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    UNSHOWN,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
    one_line,
    symbol,
)
from viva.storage.corpus.types.archives import refuse_bomb

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARAGRAPH, _RUN, _TABLE, _ROW, _CELL, _BOX, _SYMBOL = (
    f"{_W}{name}" for name in "p r tbl tr tc txbxContent sym".split()
)
_TEXTS = {f"{_W}{name}" for name in "t tab ptab br cr noBreakHyphen".split()}
_WRAPPERS = {f"{_W}{name}" for name in "ins moveTo sdt sdtContent customXml smartTag tbl tr tc".split()}
_UNREAD = {f"{_W}{name}" for name in "del moveFrom pPr rPr sdtPr sdtEndPr rt".split()} | {
    # what it holds is in the choice beside it
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
}
_NOTE_MARKS = {f"{_W}{kind}Reference": kind for kind in ("footnote", "endnote")}
_FORMULA = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_UNSEEN = {"hidden text": ("vanish", "webHidden"), "struck-out text": ("strike", "dstrike")}
_PAGE_NUMBER = re.compile(r"\W*(?:\w+\s+)?\d{0,5}(?:\s*(?:/|\w+)\s*\d{1,5})?\W*")
"""Where a field counts the pages; without one it is a number alone, or behind a word for a page."""
_PLAIN_NUMBER = re.compile(
    r"\W*(?:(?:page|seite|página|pagina|sida|side|strona|s|p)\b\W*)?\d{0,5}(?:\s*(?:/|\w{1,3})\s*\d{1,5})?\W*",
    re.IGNORECASE,
)
MAX_BEFORE = 50
"""Empty columns before the first cell of a row."""
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def load_docx(source: SourceFile) -> Iterator[Loaded]:
    """One document; title from its properties, else its first heading."""
    from docx.exceptions import PythonDocxError
    from docx.opc.exceptions import OpcError
    from docx.oxml.exceptions import XmlchemyError

    refuse_bomb(source, "a Word document")
    try:
        title, text = _title_and_text(source)
    except (BadZipFile, OpcError, PythonDocxError, XmlchemyError, *PARSER_FAULTS) as error:
        raise Excluded(
            ExclusionReason.UNREADABLE, f"The Word document cannot be parsed: {_in_words(error)}."
        ) from error
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The Word document holds no text.")
    source.bounded(len(text))
    yield document_of(source, text, format="docx", title=title)


def _title_and_text(source: SourceFile) -> tuple[str, str]:
    import docx

    document = docx.Document(BytesIO(source.data))
    if document.element.getroottree().docinfo.internalDTD is not None:
        # what its entities stand for would be missing from the text, and no Word document has any
        raise ValueError("it declares entities of its own")
    text = _Reading(source, document).text()
    title = document.core_properties.title
    # python-docx gives this one to a document without properties
    return title if title and title != "Word Document" else markdown_title(text), text


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


class _Reading:
    """One document: its styles, its notes, and what of it is left out."""

    def __init__(self, source: SourceFile, document: Any) -> None:
        self.source = source
        self._document = document
        self._styles = _styles(document)
        self._unread_styles = {
            style.style_id: what
            for style in document.styles
            if style.style_id and (what := _unread(style.element.find(f"{_W}rPr")))
        }
        self._due: list[str] = []
        """texts of notes whose marks were passed"""
        self._notes: dict[str, str] = {}
        self._notes = {**self._read_notes("footnote"), **self._read_notes("endnote")}

    def text(self) -> str:
        """Page headers, the body with each note behind its paragraph, page footers."""
        parts: list[str] = []
        previous = ""
        for kind, text in self._everything():
            if text:
                separator = "\n" if kind == previous == "item" else "\n\n"
                parts.append(f"{separator}{text}" if parts else text)
                previous = kind
        return "".join(parts)

    def _everything(self) -> Iterator[tuple[str, str]]:
        yield from self._edges("header")
        yield from self._blocks(self._document.element.body)
        yield from (("text", note) for note in self._notes.values())
        yield from self._edges("footer")
        for part in self._parts("comments"):
            self.source.leave_out("comments", " ".join(str(text) for text in part.iter(f"{_W}t")))

    def pass_note(self, mark: str) -> None:
        """The mark of a note: its text follows the paragraph."""
        if text := self._notes.pop(mark, ""):
            self._due.append(text)

    def left_out(self, run: Any) -> str:
        """What a run is whose text is struck out or hidden; "" for any other."""
        properties = run.find(f"{_W}rPr")
        if properties is None:
            return ""
        style = properties.find(f"{_W}rStyle")
        own = _unread(properties)
        return own or ("" if style is None else self._unread_styles.get(style.get(f"{_W}val"), ""))

    def _read_notes(self, kind: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for part in self._parts(f"{kind}s"):
            for note in part.iter(f"{_W}{kind}"):
                text = " ".join(" ".join(_lines(note, self)).split())
                if text and note.get(f"{_W}type") is None:
                    found[f"{kind} {note.get(f'{_W}id')}"] = text
        return found

    def _parts(self, kind: str) -> Iterator[Any]:
        """The parts of this kind; some writers name them nowhere."""
        from docx.oxml import parse_xml

        with ZipFile(BytesIO(self.source.data)) as archive:
            for name in sorted(archive.namelist()):
                if re.fullmatch(rf"word/{kind}\d*\.xml", name, re.IGNORECASE):
                    yield parse_xml(archive.read(name))

    def _edges(self, kind: str) -> list[tuple[str, str]]:
        """What stands at the head or foot of pages, once each; a page's number is left out."""
        found: dict[str, None] = {}
        for part in self._parts(kind):
            number = _PAGE_NUMBER if _counts_pages(part) else _PLAIN_NUMBER
            found |= dict.fromkeys(text for _, text in self._blocks(part) if not number.fullmatch(text))
        return [("text", text) for text in found]

    def _blocks(self, container: Any) -> Iterator[tuple[str, str]]:
        """Kind and text of each paragraph and table; text boxes and notes follow the paragraph that holds them."""
        for block in _within(container, _PARAGRAPH, _TABLE):
            if block.tag == _TABLE:
                yield "table", self._table(block)
            else:
                line = _Line(block, self)
                yield _paragraph(block, line.text, self._styles)
                for box in line.boxes:
                    yield from self._blocks(box)
            due, self._due = self._due, []
            yield from (("text", note) for note in due)

    def _table(self, table: Any) -> str:
        rows: list[list[TableCell]] = []
        above: dict[int, str] = {}
        for row in _within(table, _ROW):
            cells = list(self._cells(row, above))
            rows.append([*(TableCell("") for _ in range(min(row.grid_before, MAX_BEFORE))), *cells])
        return table_text(rows, self.source.bounded)

    def _cells(self, row: Any, above: dict[int, str]) -> Iterator[TableCell]:
        """The cells of a row; one that goes on from the row above has its text. `above` is told what is here."""
        column = row.grid_before
        for cell in _within(row, _CELL):
            if cell.vMerge == "continue" and column in above:
                above[column] = text = one_line(above[column], MAX_REPEATED)
            else:
                above[column] = text = " ".join(" ".join(_lines(cell, self)).translate(UNSHOWN).split())
            span = max(cell.grid_span, 1)
            yield TableCell(text, span)
            column += span


def _unread(properties: Any) -> str:
    """What text with these properties of a run is, if a reader does not see it or sees it struck out."""
    for what, names in _UNSEEN.items():
        for name in names:
            mark = None if properties is None else properties.find(f"{_W}{name}")
            if mark is not None and mark.get(f"{_W}val", "true") not in {"0", "false", "off", "none"}:
                return what
    return ""


def _within(container: Any, *tags: str) -> Iterator[Any]:
    """The elements of these kinds, also those in insertions and content controls, in order; none within another."""
    waiting = list(reversed(container))
    while waiting:
        element = waiting.pop()
        if element.tag in tags:
            yield element
        elif element.tag in _WRAPPERS and not _is_contents(element):
            waiting.extend(reversed(element))


def _counts_pages(part: Any) -> bool:
    fields = (*part.iter(f"{_W}instrText"), *part.iter(f"{_W}fldSimple"))
    return any("PAGE" in f"{field.text or ''}{field.get(f'{_W}instr') or ''}" for field in fields)


def _is_contents(control: Any) -> bool:
    """Whether it is the list of contents that Word makes of the headings."""
    gallery = control.find(f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery")
    return gallery is not None and gallery.get(f"{_W}val") == "Table of Contents"


class _Line:
    """What is written in a paragraph, with all tracked changes made, and the text boxes in it."""

    def __init__(self, paragraph: Any, reading: _Reading) -> None:
        self.boxes: list[Any] = []
        self._reading = reading
        self._is_cut = False
        self._parts: list[tuple[bool, str]] = []
        self._read(paragraph, raised=False)

    def _read(self, element: Any, *, raised: bool) -> None:
        for part in element:
            if part.tag in _TEXTS:
                self._parts.append((raised, str(part)))
            elif part.tag == _SYMBOL:
                self._parts.append((raised, symbol(int(part.get(f"{_W}char", "0"), 16), part.get(f"{_W}font", ""))))
            elif part.tag == _BOX:
                self.boxes.append(part)
            elif part.tag in _NOTE_MARKS:
                self._reading.pass_note(f"{_NOTE_MARKS[part.tag]} {part.get(f'{_W}id')}")
            elif part.tag == _FORMULA:
                self._parts.append((False, omml(part)))
            elif part.tag == _RUN and (what := self._reading.left_out(part)):
                self._is_cut = True
                self._reading.source.leave_out(what, "".join(str(text) for text in part.iter(f"{_W}t")))
            elif part.tag not in _UNREAD:
                self._read(part, raised=part.tag == _RUN and _is_raised(part))

    @property
    def text(self) -> str:
        text = with_raised(self._parts)
        # of the spaces around what is left out one stays
        return re.sub(r" {2,}", " ", text) if self._is_cut else text


def _is_raised(run: Any) -> bool:
    align = run.find(f"{_W}rPr/{_W}vertAlign")
    return align is not None and align.get(f"{_W}val") == "superscript"


def _paragraph(paragraph: Any, text: str, styles: Mapping[str | None, str]) -> tuple[str, str]:
    text = text.replace("\xa0", " ").translate(UNSHOWN).strip()
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


def _lines(container: Any, reading: _Reading) -> Iterator[str]:
    """The text of each paragraph in a cell or note, and in the tables and text boxes in it."""
    for paragraph in _within(container, _PARAGRAPH):
        line = _Line(paragraph, reading)
        yield line.text
        for box in line.boxes:
            yield from _lines(box, reading)
