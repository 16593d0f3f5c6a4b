"""Workbooks, slides, notebooks, mails, books and data: what each becomes."""

from __future__ import annotations

import copy
import json
import sys
import zipfile
from datetime import date
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pptx
import pytest
from openpyxl.comments import Comment
from openpyxl.styles import Font
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml

from viva.core.records import Document, Exclusion, ExclusionReason
from viva.storage.corpus.listing import FoundFile
from viva.storage.corpus.read import load


def loaded(folder: Path, name: str, data: bytes | str) -> list[Document | Exclusion]:
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return load(FoundFile(folder / name, name), max_file_mb=1)


def saved(made: Any) -> bytes:
    buffer = BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def packed(parts: dict[str, str]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_each_sheet_of_a_workbook_is_a_document_of_its_values(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    fees, staff, secret = book.active, book.create_sheet("Staff"), book.create_sheet("Secret")
    rows = [
        ["Fees 2025"],
        ["Route", "Car", "Share", "From"],
        ["North", 41.5, 0.19, date(2025, 3, 1)],
        [None, None, 0.2],
    ]
    for row in rows:
        fees.append(row)
    fees.title, fees["C3"].number_format, fees["C4"].number_format = "Fees", "0%", "0%"
    fees.merge_cells("A3:A4")
    fees.append(["=1+1", "old"])
    fees["B5"].font, fees["B2"].comment = Font(strike=True), Comment("By whom?", "Ada")
    for row in (["Name", "Room"], ["Ada", 5]):
        staff.append(row)
    secret.append(["Draft"])
    secret.sheet_state = "hidden"
    first, second, *notes = loaded(tmp_path, "a.xlsx", saved(book))
    assert isinstance(first, Document)
    assert first.text == "Fees 2025\nRoute | Car | Share | From\nNorth | 41.5 | 19% | 2025-03-01\nNorth |  | 20% | "
    assert (first.path, first.title) == ("a.xlsx#1", "a: Fees")
    assert isinstance(second, Document)
    assert second.text == "Name | Room\nAda | 5"
    assert [each.detail for each in notes if isinstance(each, Exclusion)] == [
        "1 formulas have no stored value: open the workbook in a spreadsheet program and save it.",
        "4 of 23 words are left out: comments (2), struck-out text (1), hidden text (1).",
    ]


@pytest.mark.timeout(20)
def test_cells_at_the_ends_of_a_sheet_take_no_more_than_others(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "first", "last"
    (found,) = loaded(tmp_path, "a.xlsx", saved(book))
    assert isinstance(found, Document)
    assert found.text == "first\n | last"


@pytest.mark.timeout(20)
def test_merged_cells_without_end_are_refused_before_they_are_made(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "first"
    merged, endless = BytesIO(saved(book)), BytesIO()
    with zipfile.ZipFile(merged) as old, zipfile.ZipFile(endless, "w") as new:
        for name in old.namelist():
            end = b'</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
            new.writestr(name, old.read(name).replace(b"</sheetData>", end))
    (found,) = loaded(tmp_path, "a.xlsx", endless.getvalue())
    assert isinstance(found, Exclusion)
    assert found.reason is ExclusionReason.OVERSIZED


def test_slides_are_read_with_their_tables_and_speaker_notes(tmp_path: Path) -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Limits"
    slide.placeholders[1].text = "500 requests\n20 users"
    table = slide.shapes.add_table(2, 2, 0, 5_000_000, 10, 10).table
    for at, text in enumerate(("Plan", "Fee", "Free", "")):
        table.cell(at // 2, at % 2).text = text
    slide.notes_slide.notes_text_frame.text = "Say that fees rise in May."
    (found,) = loaded(tmp_path, "a.pptx", saved(slides))
    assert isinstance(found, Document)
    assert found.title == "Limits"
    assert found.text == (
        "# Limits\n\n- 500 requests\n- 20 users\n\nPlan | Fee\nFree | \n\nNotes: Say that fees rise in May."
    )


def test_charts_and_diagrams_of_slides_are_read_and_struck_text_is_left_out(tmp_path: Path) -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, 9, 9).text_frame.paragraphs[0]
    for text, name, value in (("25 ", "strike", "sngStrike"), ("10", "lang", "en"), ("3", "baseline", "30000")):
        run = paragraph.add_run()
        run.text = text
        run._r.get_or_add_rPr().set(name, value)
    data = CategoryChartData()
    data.categories = ["2023", "2024"]
    data.add_series("Guests", (1200, 1350))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 10, 9, 9, data)
    drawing, diagram = "http://schemas.openxmlformats.org/drawingml/2006/main", "x://diagram"
    blob = f"<d xmlns:a='{drawing}'><a:p><a:r><a:t>Open at nine</a:t></a:r></a:p></d>".encode()
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/xml", slide.part.package, blob)
    frame = copy.deepcopy(slide.shapes[1]._element)
    inner = parse_xml(f"<d:relIds xmlns:d='{diagram}' d:dm='{slide.part.relate_to(part, 'x://data')}'/>")
    frame.graphic.graphicData.set("uri", diagram)
    frame.graphic.graphicData[0].getparent().replace(frame.graphic.graphicData[0], inner)
    slide.shapes._spTree.append(frame)
    found, noted = loaded(tmp_path, "a.pptx", saved(slides))
    assert isinstance(found, Document)
    assert found.text == "# 1\n\n10^3\n\n | Guests\n2023 | 1200\n2024 | 1350\n\n- Open at nine"
    assert isinstance(noted, Exclusion)
    assert "struck-out text (1)" in noted.detail


def test_charts_in_3d_and_without_categories_are_left_out_and_the_slides_are_read(tmp_path: Path) -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "Open at nine"
    data, points = CategoryChartData(), XyChartData()
    data.categories = ["2024"]
    data.add_series("Guests", (1350,))
    points.add_series("Depth").add_data_point(3, 4)
    chart = slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 10, 9, 9, data).chart
    for drawn in chart._chartSpace.iter("{*}pieChart"):
        drawn.tag = drawn.tag.replace("pieChart", "pie3DChart")
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 20, 9, 9, points)
    found, noted = loaded(tmp_path, "a.pptx", saved(slides))
    assert isinstance(found, Document)
    assert found.text == "# Open at nine"
    assert isinstance(noted, Exclusion)
    assert "charts of kinds that are not read (6)" in noted.detail


@pytest.mark.parametrize(("name", "package"), [("a.xlsx", "openpyxl"), ("a.pptx", "pptx")])
def test_without_the_extra_a_file_is_left_out_naming_it(
    name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    (found,) = loaded(tmp_path, name, b"PK")
    assert isinstance(found, Exclusion)
    assert "takes the extra 'office'. In viva's folder: pip install -e '.[office]'" in found.detail


def test_cells_of_a_notebook_are_text_and_code(tmp_path: Path) -> None:
    outputs = [{"text": ["done\n"]}, {"data": {"text/plain": "64"}}]
    cells = [
        {"cell_type": "markdown", "source": ["# Load\n", "It reads 64 rows."]},
        {"cell_type": "code", "source": "rows = 64", "outputs": outputs},
    ]
    (found,) = loaded(tmp_path, "a.ipynb", json.dumps({"cells": cells}))
    assert isinstance(found, Document)
    assert found.text == "# Load\nIt reads 64 rows.\n\n```python\nrows = 64\n```\n\n```\ndone\n```\n\n```\n64\n```"
    assert (found.title, found.format) == ("Load", "ipynb")


def test_a_mail_and_its_attachments_are_documents(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ada <ada@a.example>", "Treffen für alle"
    mail.set_content("Am Freitag um 14:30.")
    mail.add_alternative("<p>Am <b>Freitag</b></p>", subtype="html")
    mail.add_attachment(b"# Rules\n\nAt six.", maintype="text", subtype="markdown", filename="../rules.md")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="a.png")
    inner = EmailMessage()
    inner["Subject"] = "Inner"
    inner.set_content("At seven.")
    mail.add_attachment(inner)
    more = EmailMessage()
    more.set_content("And a second text.")
    mail.attach(more)
    malformed = b"Reply-To: undisclosed-recipients:;" + 90 * b"x"
    written = mail.as_bytes().replace(b"Subject: Inner", malformed + b"\nSubject: Inner")
    first, second, third, fourth = loaded(tmp_path, "a.eml", written)
    assert isinstance(first, Document)
    assert (
        first.text
        == "From: Ada <ada@a.example>\nSubject: Treffen für alle\n\nAm Freitag um 14:30.\n\nAnd a second text.\n"
    )
    assert isinstance(second, Document)
    assert (second.path, second.text) == ("a.eml/rules.md", "# Rules\n\nAt six.")
    assert (third.path, isinstance(third, Exclusion)) == ("a.eml/a.png", True)
    assert isinstance(fourth, Document)
    assert (fourth.path, fourth.text) == ("a.eml/mail-3.eml", "Subject: Inner\n\nAt seven.\n")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (
            "a.json",
            '{"info": {"title": "Limits"}, "plans": [{"name": "Free", "calls": 500, "days": [1, 2]}], "x": null}',
        ),
        ("a.yaml", "info: {title: Limits}\nplans:\n- name: Free\n  calls: 500\n  days: [1, 2]\n"),
    ],
)
def test_data_is_read_by_paths(name: str, data: str, tmp_path: Path) -> None:
    (found,) = loaded(tmp_path, name, data)
    assert isinstance(found, Document)
    assert found.title == "Limits"
    assert found.text == "info.title: Limits\nplans[0].name: Free\nplans[0].calls: 500\nplans[0].days: 1, 2"


def test_numbers_and_words_of_yaml_are_as_they_are_written(tmp_path: Path) -> None:
    (found,) = loaded(tmp_path, "a.yaml", "opens: 9:30\nversion: 1.10\ncountry: NO\nday: 2025-02-30\n")
    assert isinstance(found, Document)
    assert found.text == "opens: 9:30\nversion: 1.10\ncountry: NO\nday: 2025-02-30"


def test_chapters_of_a_book_are_documents_in_the_order_of_reading(tmp_path: Path) -> None:
    items = "<item id='b' href='b.xhtml'/><item id='a' href='a%20a.xhtml'/>"
    book = {
        "META-INF/container.xml": "<container><rootfile full-path='O/p.opf'/></container>",
        "O/p.opf": f"<package><title>Boats</title>{items}<itemref idref='a'/><itemref idref='b'/></package>",
        "O/b.xhtml": "<html><body><h1>Two</h1><p>At six.</p></body></html>",
        "O/a a.xhtml": "<html><body><h1>One</h1><p>At <i class='w'>8</i> nine.</p><aside>Note.</aside></body></html>",
        "O/s.css": "/* old */ .w { text-decoration: line-through }",
    }
    found = loaded(tmp_path, "a.epub", packed(book))
    texts = [(each.path, each.title, each.text) for each in found if isinstance(each, Document)]
    assert texts == [("a.epub#1", "One", "# One\n\nAt nine.\n\nNote."), ("a.epub#2", "Two", "# Two\n\nAt six.")]


def test_a_text_of_opendocument_is_read_with_notes_lists_and_merged_cells(tmp_path: Path) -> None:
    names = ("text", "table", "style", "office")
    space = " ".join(f"xmlns:{name}='urn:oasis:names:tc:opendocument:xmlns:{name}:1.0'" for name in names)
    line = "<style:text-properties style:text-line-through-style='solid'/>"
    raised = "<style:text-properties style:text-position='super 58%'/>"
    box = "<text:text-box><text:p>In the box.</text:p></text:text-box>"
    note = "<text:note><text:note-body><text:p>61 in Norway.</text:p></text:note-body></text:note>"
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    twice = cell.format(" table:number-columns-repeated='2'", "x")
    row = "<table:table-row>{}</table:table-row>"
    rows = row.format(cell.format("", "A") + cell.format("", "B")) + row.format(twice)
    body = (
        "<text:h text:outline-level='1'>Fees</text:h>"
        f"<text:p>It is <text:span text:style-name='T1'>25</text:span> 38{note} euros for 10"
        f"<text:span text:style-name='T2'>3</text:span>.{box}</text:p>"
        f"<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list><table:table>{rows}</table:table>"
    )
    style = f"<style:style style:name='T1'>{line}</style:style><style:style style:name='T2'>{raised}</style:style>"
    head = "<style:header><text:p>Valid from May</text:p></style:header>"
    foot = "<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>"
    content = f"<office:a {space}>{style}<office:body><office:text>{body}</office:text></office:body></office:a>"
    other = f"<style:style style:name='T2'>{line}</style:style>"
    parts = {"content.xml": content, "styles.xml": f"<office:a {space}>{other}{foot}{head}</office:a>"}
    found, noted = loaded(tmp_path, "a.odt", packed(parts))
    assert isinstance(found, Document)
    assert found.text == (
        "Valid from May\n\n# Fees\n\nIt is 38 euros for 10^3.\n\n61 in Norway.\n\nIn the box.\n\n- one\n\n"
        "A | B\nx | x"
    )
    assert isinstance(noted, Exclusion)
    assert "struck-out text (1)" in noted.detail


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", "[" * 100_000),
        ("a.yaml", "a: &a [1]\nb: [*a, *a]"),
        ("a.ipynb", "[1]"),
        ("a.xlsx", packed({"x": "y"})),
        ("a.pptx", packed({"x": "y"})),
        ("a.odt", packed({"content.xml": "<x/>"})),
        ("a.epub", packed({"META-INF/container.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"})),
    ],
)
def test_a_broken_file_is_left_out_in_words(name: str, data: bytes | str, tmp_path: Path) -> None:
    (found,) = loaded(tmp_path, name, data)
    assert isinstance(found, Exclusion)
    assert found.reason in {ExclusionReason.UNREADABLE, ExclusionReason.EMPTY}
    assert "object" not in found.detail
