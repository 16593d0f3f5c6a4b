"""The test set's Word documents, slides and workbooks."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from zipfile import ZipFile

import docx
import openpyxl
import pptx
from content import KINDS, Block, Draw, Span, Wanted, WrittenTable, blocks_of, wanted_of
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx.util import Emu
from text_files import Made


def docx_file(kind: str) -> Made:
    """A Word document with headers and numbered pages, footnotes, merged cells, struck-out and hidden runs."""
    draw = Draw(f"docx {kind}")
    blocks = blocks_of(kind, draw)
    head = f"Paper {draw.number()} of the harbour office"
    return word(blocks, head), wanted_of(blocks, anywhere=[head])


def word(blocks: Sequence[Block], head: str, *, columns: int = 0) -> bytes:
    """The blocks as a Word document with this page header; if printed, in so many columns, one of them on A5."""
    document = docx.Document()
    section = document.sections[0]
    if columns == 1:
        section.page_width, section.page_height = docx.shared.Mm(148), docx.shared.Mm(210)
        section.left_margin = section.right_margin = docx.shared.Mm(15)
    section.header.paragraphs[0].text = head
    _field(section.footer.paragraphs[0], "PAGE")
    if columns > 1:
        section._sectPr.find(qn("w:cols")).set(qn("w:num"), str(columns))  # noqa: SLF001 - python-docx has no setter
    for block in blocks:
        if block.table is not None:
            _word_table(document, block.table, columns)
        elif block.kind != "note":
            style = {
                "h": f"Heading {block.level}",
                "li": f"List Bullet{f' {block.level}' if block.level > 1 else ''}",
                "aside": "Intense Quote",
                "code": "No Spacing",
            }.get(block.kind)
            paragraph = document.add_paragraph(style=style)
            for span in block.spans:
                _run(paragraph, *span)
    return _with_footnotes(_saved(document.save), [block.text for block in blocks if block.kind == "note"])


def _run(paragraph: Any, words: str, how: str) -> None:
    run = paragraph.add_run("" if how == "mark" else words)
    run.bold, run.italic = how == "bold" or None, how == "italic" or None
    run.font.strike, run.font.hidden = how == "struck" or None, how == "hidden" or None
    run.font.superscript = how in {"power", "mark"} or None
    if how == "mark":
        mark = OxmlElement("w:footnoteReference")
        mark.set(qn("w:id"), words)
        run._r.append(mark)  # noqa: SLF001


def _field(paragraph: Any, name: str) -> None:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), name)
    paragraph._p.append(field)  # noqa: SLF001


def _word_table(document: Any, table: WrittenTable, columns: int) -> None:
    if table.title:
        document.add_paragraph(table.title, style="Caption")
    covered = table.covered()
    grid = document.add_table(rows=len(table.rows), cols=len(table.rows[0]), style="Table Grid")
    places = [list(row.cells) for row in grid.rows]
    if columns > 1:
        for each in (*grid.columns, *(cell for row in places for cell in row)):
            each.width = docx.shared.Mm(68 / len(table.rows[0]))
    for (row, column), (columns, below) in table.spans.items():
        places[row][column].merge(places[row + below - 1][column + columns - 1])
    for at, row in enumerate(table.rows):
        for column, text in enumerate(row):
            if (at, column) not in covered:
                places[at][column].text = text


_PART = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


def _with_footnotes(data: bytes, notes: Sequence[str]) -> bytes:
    """The document with a part of footnotes, which python-docx cannot write."""
    if not notes:
        return data
    namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    written = "".join(
        f'<w:footnote w:id="{number}"><w:p><w:r><w:footnoteRef/></w:r>'
        f'<w:r><w:t xml:space="preserve"> {text}</w:t></w:r></w:p></w:footnote>'
        for number, text in enumerate(notes, start=1)
    )
    rules = '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    out = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as old, ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "[Content_Types].xml":
                part = part.replace(
                    b"</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{_PART}"/></Types>'.encode()
                )
            if name == "word/_rels/document.xml.rels":
                part = part.replace(
                    b"</Relationships>",
                    f'<Relationship Id="rIdN" Type="{_RELATION}" Target="footnotes.xml"/></Relationships>'.encode(),
                )
            new.writestr(name, part)
        new.writestr(
            "word/footnotes.xml", f"<?xml version='1.0'?><w:footnotes {namespace}>{rules}{written}</w:footnotes>"
        )
    return out.getvalue()


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


# --- slides -----------------------------------------------------------------------------------------------


def pptx_file(kind: str) -> Made:
    """A slide a heading: texts, nested items, tables with merged cells, a text in a group, speaker notes."""
    draw = Draw(f"pptx {kind}")
    blocks = [Block(each.kind, _plain(each.spans), each.level, each.table) for each in blocks_of(kind, draw)]
    slides = pptx.Presentation()
    spoken: list[str] = []
    for part in _parts(blocks):
        slide = slides.slides.add_slide(slides.slide_layouts[5])
        slide.shapes.title.text = part[0].text
        _fill(slide, part[1:])
        spoken.append(draw.sentence())
        slide.notes_slide.notes_text_frame.text = spoken[-1]
    return _saved(slides.save), wanted_of(blocks, anywhere=spoken)


def _plain(spans: list[Span]) -> list[Span]:
    return [
        (words if how != "power" else f"^{words}", "")
        for words, how in spans
        if how not in {"struck", "hidden", "mark"}
    ]


def _parts(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    part: list[Block] = []
    for block in blocks:
        if block.kind == "h" and part:
            yield part
            part = []
        part.append(block)
    yield part


def _fill(slide: Any, blocks: Sequence[Block]) -> None:
    top = Emu(1_400_000)
    frame = None
    for block in blocks:
        if block.table is not None:
            if block.table.title:
                box = slide.shapes.add_textbox(Emu(500_000), top, Emu(8_000_000), Emu(300_000))
                box.text_frame.text = block.table.title
            _slide_table(slide, block.table, top + 300_000)
            frame, top = None, Emu(top + 2_000_000)
        elif block.kind == "aside":
            group = slide.shapes.add_group_shape()
            group.shapes.add_textbox(Emu(500_000), top, Emu(8_000_000), Emu(300_000)).text_frame.text = block.text
            frame, top = None, Emu(top + 400_000)
        else:
            if frame is None:
                frame = slide.shapes.add_textbox(Emu(500_000), top, Emu(8_000_000), Emu(900_000)).text_frame
                paragraph, top = frame.paragraphs[0], Emu(top + 1_000_000)
            else:
                paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = block.text, block.level - 1 if block.kind == "li" else 0


def _slide_table(slide: Any, table: WrittenTable, top: int) -> None:
    covered = table.covered()
    grid = slide.shapes.add_table(
        len(table.rows), len(table.rows[0]), Emu(500_000), Emu(top), Emu(8_000_000), Emu(900_000)
    ).table
    for (row, column), (columns, below) in table.spans.items():
        grid.cell(row, column).merge(grid.cell(row + below - 1, column + columns - 1))
    for at, row in enumerate(table.rows):
        for column, text in enumerate(row):
            if (at, column) not in covered:
                grid.cell(at, column).text = text


# --- workbooks --------------------------------------------------------------------------------------------


def xlsx_file(kind: str) -> Made:
    """Sheets of tables: numbers as numbers, title rows, merged cells, a hidden sheet, remarks under the table."""
    draw = Draw(f"xlsx {kind}")
    at = KINDS.index(kind)
    tables = [each.table for each in blocks_of(kind, draw) if each.table] or [draw.table(15, 3 + at % 3, empty=0.2)]
    book = openpyxl.Workbook()
    book.remove(book.active)
    remarks, secret = [draw.sentence() for _ in tables], f"Draft figures {draw.number()}"
    for number, (table, remark) in enumerate(zip(tables, remarks, strict=True), start=1):
        table.title = table.title or (f"Overview {draw.number()}" if at % 2 else "")
        _sheet(book.create_sheet(f"Part {number}"), table, remark)
    hidden = book.create_sheet("Notes")
    hidden.sheet_state, hidden["A1"] = "hidden", secret
    titles = [table.title for table in tables if table.title]
    return _saved(book.save), Wanted(remarks, titles, [table.rows for table in tables], [secret])


def _sheet(sheet: Any, table: WrittenTable, remark: str) -> None:
    above = 1
    if table.title:
        sheet.cell(1, 1, table.title)
        sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=len(table.rows[0]))
        above = 3
    covered = table.covered()
    for at, row in enumerate(table.rows):
        for column, text in enumerate(row):
            if text and (at, column) not in covered:
                sheet.cell(above + at, column + 1, int(text) if text.lstrip("-").isdigit() else text)
    for (row, column), (columns, below) in table.spans.items():
        sheet.merge_cells(
            start_row=above + row,
            end_row=above + row + below - 1,
            start_column=column + 1,
            end_column=column + columns,
        )
    sheet.cell(above + len(table.rows) + 2, 1, remark)


OFFICE_FILES: dict[str, Callable[[str], Made]] = {"docx": docx_file, "pptx": pptx_file, "xlsx": xlsx_file}
