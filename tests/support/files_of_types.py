"""A small file of each type that is read, with a fact in each of the forms that the type has, and its place there."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table  # type: ignore[import-untyped]


@dataclass(frozen=True)
class Fact:
    """Words of the text of a document that a question can rest on."""

    words: str
    place: str = ""
    """what people who look for them are shown: a page, a slide, a line"""
    path: str = ""
    """of the document within the file, behind the file's own"""


def prose(type_: str) -> str:
    """The sentence of a type."""
    return f"The {type_} pump holds 41 litres of oil."


def listed(type_: str) -> str:
    """An entry of a list."""
    return f"the {type_} filter lasts 250 hours"


def noted(type_: str) -> str:
    """The text of a footnote."""
    return f"In winter the {type_} pump holds 39 litres."


def rows(type_: str) -> list[list[str]]:
    """A table; its second column is empty once."""
    return [["Part", "Price", "Delay"], [f"{type_} valve", "", "3 days"], [f"{type_} hose", "17 euros", "5 days"]]


def cells(type_: str, place: str = "", path: str = "") -> list[Fact]:
    """The rows of the table as most types are read."""
    return [Fact(f"{type_} valve |  | 3 days", place, path), Fact(f"{type_} hose | 17 euros | 5 days", place, path)]


def piped(type_: str) -> str:
    """The table in Markdown."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows(type_))
    return "\n".join([head, "|---|---|---|", *body])


# --- plain text -------------------------------------------------------------------------------------------


def _markdown(type_: str, above: str = "") -> str:
    table_and_list = f"{piped(type_)}\n\n- {listed(type_)}\n- end"
    return f"{above}# Manual\n\n{prose(type_)}[^1]\n\n{table_and_list}\n\n[^1]: {noted(type_)}\n"


def _markdown_facts(type_: str, above: int) -> list[Fact]:
    """With so many lines of the file above the heading."""
    facts = {3: prose(type_), 8: f"{type_} hose | 17 euros | 5 days", 10: listed(type_), 13: noted(type_)}
    return [Fact(words, f"line {line + above}") for line, words in facts.items()]


def _plain(type_: str) -> str:
    return f"Manual\n\n{prose(type_)}\n{noted(type_)}\n"


def _restructured(type_: str) -> str:
    listing = "\n".join("   * - " + "\n     - ".join(row) for row in rows(type_))
    return (
        f"Manual\n======\n\n{prose(type_)} [1]_\n\n.. list-table:: Parts\n   :header-rows: 1\n\n{listing}\n\n"
        f"- {listed(type_)}\n\n.. [1] {noted(type_)}\n"
    )


def _asciidoc(type_: str) -> str:
    table = "\n".join(f"|{' |'.join(row)}" for row in rows(type_))
    return f"= Manual\n\n{prose(type_)}footnote:[{noted(type_)}]\n\n|===\n{table}\n|===\n\n* {listed(type_)}\n"


def _latex(type_: str) -> str:
    table = " \\\\\n".join(" & ".join(row) for row in rows(type_))
    return (
        "\\documentclass{article}\n\\begin{document}\n\\section{Manual}\n"
        f"{prose(type_)}\\footnote{{{noted(type_)}}}\n\n\\begin{{tabular}}{{lll}}\n{table} \\\\\n\\end{{tabular}}\n\n"
        f"\\begin{{itemize}}\n\\item {listed(type_)}\n\\end{{itemize}}\n\\end{{document}}\n"
    )


def _page(type_: str) -> str:
    table = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows(type_))
    return (
        "<html><head><title>Manual</title></head><body><main><h1>Manual</h1>"
        f"<p>{prose(type_)}<sup><a href='#n'>1</a></sup></p><table>{table}</table><ul><li>{listed(type_)}</li></ul>"
        f"<p id='n'>{noted(type_)}</p></main></body></html>"
    )


# --- office -----------------------------------------------------------------------------------------------


def _saved(made: Any) -> bytes:
    buffer = BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def _packed(parts: Mapping[str, str], base: bytes = b"") -> bytes:
    """An archive of these parts, with those of the base."""
    buffer = BytesIO(base)
    with zipfile.ZipFile(buffer, "a") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _word(type_: str) -> bytes:
    document = docx.Document()
    document.add_heading("Manual", 1)
    mark = docx.oxml.parse_xml(f"<w:r {_W}><w:footnoteReference w:id='2'/></w:r>")
    document.add_paragraph(prose(type_))._p.append(mark)
    table = document.add_table(rows=3, cols=3)
    for line, row in zip(table.rows, rows(type_), strict=True):
        for cell, text in zip(line.cells, row, strict=True):
            cell.text = text
    document.add_paragraph(listed(type_), style="List Bullet")
    note = f"<w:footnote w:id='2'><w:p><w:r><w:t>{noted(type_)}</w:t></w:r></w:p></w:footnote>"
    return _packed({"word/footnotes.xml": f"<w:footnotes {_W}>{note}</w:footnotes>"}, _saved(document))


_W = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"


def _open_document(type_: str) -> bytes:
    names = ("text", "table", "office")
    space = " ".join(f"xmlns:{name}='urn:oasis:names:tc:opendocument:xmlns:{name}:1.0'" for name in names)
    note = f"<text:note><text:note-body><text:p>{noted(type_)}</text:p></text:note-body></text:note>"
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    lines = (f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>" for row in rows(type_))
    body = (
        f"<text:p>{prose(type_)}{note}</text:p><table:table>{''.join(lines)}</table:table>"
        f"<text:list><text:list-item><text:p>{listed(type_)}</text:p></text:list-item></text:list>"
    )
    return _packed({"content.xml": f"<office:a {space}><office:body>{body}</office:body></office:a>"})


def _book(type_: str) -> bytes:
    package = "<item id='a' href='a.xhtml'/><item id='b' href='b.xhtml'/><itemref idref='b'/><itemref idref='a'/>"
    return _packed(
        {
            "META-INF/container.xml": "<container><rootfile full-path='p.opf'/></container>",
            "p.opf": f"<package><title>Pumps</title>{package}</package>",
            "b.xhtml": "<html><head><title>Preface</title></head><body><p>All begins with oil.</p></body></html>",
            "a.xhtml": _page(type_),
        }
    )


def _workbook(type_: str) -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["Nothing", "here"])
    sheet = book.create_sheet("Parts & prices")
    for row in rows(type_):
        sheet.append(row)
    sheet.append([])
    sheet.append([prose(type_)])
    return _saved(book)


def _slides(type_: str) -> bytes:
    slides = pptx.Presentation()
    for title in ("Welcome", "Manual"):
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = title
    slide.placeholders[1].text = f"{prose(type_)}\n{listed(type_)}"
    table = slide.shapes.add_table(3, 3, 0, 5_000_000, 10, 10).table
    for at, row in enumerate(rows(type_)):
        for column, text in enumerate(row):
            table.cell(at, column).text = text
    slide.notes_slide.notes_text_frame.text = noted(type_)
    return _saved(slides)


def _print(type_: str) -> bytes:
    buffer, style = BytesIO(), getSampleStyleSheet()["Normal"]
    first = [Paragraph(f"Preface. {prose(type_)}<super size=6>1</super>", style), PageBreak()]
    table = Table(rows(type_), style=[("GRID", (0, 0), (-1, -1), 1, "black")])
    last = [table, Paragraph(f"• {listed(type_)}", style), Paragraph(f"<super>1</super> {noted(type_)}", style)]
    SimpleDocTemplate(buffer, invariant=1).build([*first, *last])
    return buffer.getvalue()


# --- data, notebooks, mails -------------------------------------------------------------------------------


def _table(type_: str, delimiter: str = ",") -> str:
    return "".join(f"{delimiter.join(row)}\n" for row in rows(type_))


def _rows_as_documents(type_: str) -> list[Fact]:
    valve, hose = f"Part: {type_} valve\nDelay: 3 days", f"Part: {type_} hose\nPrice: 17 euros\nDelay: 5 days"
    return [Fact(valve, "row 1", "#1"), Fact(hose, "row 2", "#2")]


def _notebook(type_: str) -> str:
    texts = (("markdown", "# Manual"), ("code", "oil = 41"), ("markdown", f"{prose(type_)}\n\n{piped(type_)}"))
    return json.dumps({"cells": [{"cell_type": kind, "source": text} for kind, text in texts]})


def _mail(type_: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ada <ada@a.example>", "Manual"
    mail.set_content(prose(type_))
    mail.add_attachment(_markdown(type_).encode(), maintype="text", subtype="markdown", filename="manual.md")
    return mail.as_bytes()


Made = tuple[Callable[[str], bytes | str], Callable[[str], list[Fact]]]


def _all_of(type_: str) -> list[Fact]:
    return [Fact(prose(type_)), *cells(type_), Fact(listed(type_)), Fact(noted(type_))]


def _with_attachment(type_: str) -> list[Fact]:
    below = (Fact(each.words, each.place, "/manual.md") for each in _markdown_facts(type_, 0)[1:])
    return [Fact(prose(type_)), *below]


TYPES: dict[str, Made] = {
    ".md": (lambda t: _markdown(t, "---\ntitle: Manual\n---\n\n"), lambda t: _markdown_facts(t, 4)),
    ".markdown": (_markdown, lambda t: _markdown_facts(t, 0)),
    ".txt": (_plain, lambda t: [Fact(prose(t), "line 3"), Fact(noted(t), "line 4")]),
    ".log": (_plain, lambda t: [Fact(prose(t), "line 3"), Fact(noted(t), "line 4")]),
    ".rst": (_restructured, _all_of),
    ".adoc": (_asciidoc, _all_of),
    ".asciidoc": (_asciidoc, _all_of),
    ".mdx": (
        lambda t: _markdown(t, 'import X from "./x"\n\n'),
        lambda t: [Fact(each.words) for each in _markdown_facts(t, 0)],
    ),
    ".tex": (_latex, _all_of),
    ".html": (_page, _all_of),
    ".htm": (_page, _all_of),
    ".docx": (_word, _all_of),
    ".odt": (_open_document, _all_of),
    ".epub": (_book, lambda t: [Fact(each.words, "chapter Manual", "#2") for each in _all_of(t)]),
    ".pdf": (
        _print,
        lambda t: [
            Fact(prose(t), "page 1"),
            *cells(t, "page 2"),
            Fact(listed(t), "page 2"),
            Fact(noted(t), "page 2"),
        ],
    ),
    ".xlsx": (_workbook, lambda t: [Fact(each.words, "sheet Parts & prices", "#2") for each in _sheet_of(t)]),
    ".xlsm": (_workbook, lambda t: [Fact(each.words, "sheet Parts & prices", "#2") for each in _sheet_of(t)]),
    ".pptx": (_slides, lambda t: [Fact(each.words, "slide 2") for each in _all_of(t)]),
    ".csv": (_table, _rows_as_documents),
    ".tsv": (lambda t: _table(t, "\t"), _rows_as_documents),
    ".jsonl": (
        lambda t: "".join(json.dumps({"text": each}) + "\n" for each in ("Preface.", prose(t))),
        lambda t: [Fact(prose(t), "line 2", "#2")],
    ),
    ".json": (lambda t: json.dumps({"a": [{"b": prose(t)}]}), lambda t: [Fact(f"a[0].b: {prose(t)}")]),
    ".yaml": (lambda t: f"a:\n- b: {prose(t)}\n", lambda t: [Fact(f"a[0].b: {prose(t)}")]),
    ".yml": (lambda t: f"a:\n- b: {prose(t)}\n", lambda t: [Fact(f"a[0].b: {prose(t)}")]),
    ".ipynb": (
        _notebook,
        lambda t: [Fact("oil = 41", "cell 2"), Fact(prose(t), "cell 3"), *_cell_of(t)],
    ),
    ".eml": (_mail, _with_attachment),
}


def _sheet_of(type_: str) -> list[Fact]:
    return [*cells(type_), Fact(prose(type_))]


def _cell_of(type_: str) -> list[Fact]:
    return [Fact(f"{type_} hose | 17 euros | 5 days", "cell 3")]


def written(folder: Path) -> dict[str, list[Fact]]:
    """The files in the folder, each with its facts, by their paths."""
    found: dict[str, list[Fact]] = {}
    for suffix, (made, facts) in TYPES.items():
        type_, name = suffix[1:], f"manual{suffix}"
        data = made(type_)
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        found[name] = facts(type_)
    return found
