"""What becomes of PDF files."""

from __future__ import annotations

import logging
import re
import shutil
import unicodedata
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfReader, PdfWriter
from pypdf.generic import StreamObject
from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table  # type: ignore[import-untyped]

from viva.core.errors import UsageError
from viva.core.records import Document, Exclusion, ExclusionReason
from viva.storage.corpus.pdf import _garbled, paragraphs
from viva.storage.corpus.read import read_corpus

read = partial(
    read_corpus,
    max_file_mb=1,
    max_documents=None,
    chunk_tokens=64,
    chunk_overlap=8,
    count_tokens=lambda text: len(text.split()),
)

PROSE = (
    "The examiner reads the document from the first page to the last and writes",
    "down every fact that can be checked. A fact that stands alone makes a ques-",
    "tion; a well-known opinion does not. Then the critics read each question and",
    "throw out those that give the answer away. What is left is the exam.",
)


def pdf(*pages: tuple[str, ...], raw: str = "", title: str = "") -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    if title:
        canvas.setTitle(title)
    for lines in pages:
        for number, line in enumerate(lines):
            canvas.drawString(72, 760 - 14 * number, line)
        if raw:
            canvas._code.append(raw)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def encrypted(data: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    writer.encrypt(password, "owner", algorithm="AES-256")
    buffer = BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def document(folder: Path, data: bytes) -> Document:
    (folder / "a_file.pdf").write_bytes(data)
    (only,) = read(folder).documents
    return only


def exclusion(folder: Path, data: bytes) -> Exclusion:
    (folder / "a_file.pdf").write_bytes(data)
    (folder / "good.md").write_text("A readable document.")
    (only,) = read(folder).exclusions
    return only


def test_lines_of_a_paragraph_are_joined_and_hyphens_mended(tmp_path: Path) -> None:
    text = document(tmp_path, pdf(PROSE)).text
    assert "writes down every fact that can be checked." in text
    assert "makes a question; a well-known opinion" in text


def test_pages_are_joined_by_a_blank_line(tmp_path: Path) -> None:
    assert document(tmp_path, pdf(("First page.",), ("Second page.",))).text == "First page.\n\nSecond page."


def test_the_title_comes_from_the_properties_else_from_the_name(tmp_path: Path) -> None:
    assert document(tmp_path, pdf(PROSE, title="A Good Title")).title == "A Good Title"
    assert document(tmp_path, pdf(PROSE)).title == "A file"


def test_an_encrypted_pdf_is_listed(tmp_path: Path) -> None:
    assert exclusion(tmp_path, encrypted(pdf(PROSE), "secret")).reason is ExclusionReason.ENCRYPTED


def test_a_pdf_that_opens_with_the_empty_password_is_read(tmp_path: Path) -> None:
    assert "checked" in document(tmp_path, encrypted(pdf(PROSE), "")).text


def scan(*lines: str) -> bytes:
    """A PDF whose one page is a picture of these lines."""
    picture = Image.new("L", (1240, 400), 255)
    for number, line in enumerate(lines):
        ImageDraw.Draw(picture).text((60, 60 + 70 * number), line, fill=0, font=ImageFont.load_default(40))
    buffer = BytesIO()
    picture.save(buffer, "PDF", resolution=150)
    return buffer.getvalue()


def test_a_page_without_text_or_pictures_is_empty(tmp_path: Path) -> None:
    assert exclusion(tmp_path, pdf(())).reason is ExclusionReason.EMPTY


def test_a_scanned_pdf_is_left_out_where_ocr_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    found = exclusion(tmp_path, scan("The ferry leaves at nine."))
    assert (found.reason, "1 of 1 pages" in found.detail, ".[ocr]" in found.detail) == ("scanned", True, True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed")
def test_a_scanned_page_is_read_by_ocr_with_a_note(tmp_path: Path) -> None:
    pytest.importorskip("pytesseract", reason="the extra 'ocr' is not installed")
    (tmp_path / "scan.pdf").write_bytes(scan("The ferry leaves at nine.", "It takes 45 minutes to the island."))
    corpus = read(tmp_path)
    assert "The ferry leaves at nine." in corpus.documents[0].text
    assert "45 minutes to the island" in corpus.documents[0].text
    assert corpus.exclusions[0].reason is ExclusionReason.READ_BY_OCR


def test_a_broken_font_encoding_is_garbled(tmp_path: Path) -> None:
    shifted = tuple("".join(chr(ord(c) - 29) for c in line if c.isalpha()) for line in PROSE)
    found = exclusion(tmp_path, pdf(shifted))
    assert (found.reason, "do not make words" in found.detail) == (ExclusionReason.GARBLED, True)


def test_words_without_spaces_are_garbled(tmp_path: Path) -> None:
    found = exclusion(tmp_path, pdf(tuple(line.replace(" ", "") for line in PROSE)))
    assert (found.reason, "run together" in found.detail) == (ExclusionReason.GARBLED, True)


def test_words_set_apart_by_narrow_gaps_are_told_apart(tmp_path: Path) -> None:
    """TeX writes no space characters, only gaps."""
    lines = (" ".join(PROSE[n].split()) for n in (0, 0, 3, 3))
    shown = " ".join(f"0 -14 Td [({line.replace(' ', ')-232(')})] TJ" for line in lines)
    text = document(
        tmp_path, pdf((), raw=f"BT /F1 12 Tf 72 700 Td {shown} ET").replace(b"/Helvetica", b"/Courier")
    ).text
    assert "reads the document from the first page" in text


@pytest.mark.parametrize("keep", [20, 400, -200])
def test_a_torn_pdf_is_a_value_not_a_crash_and_nothing_is_logged(
    tmp_path: Path, keep: int, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torn.pdf").write_bytes(pdf(PROSE)[:keep])
    (tmp_path / "good.md").write_text("A readable document.")
    with caplog.at_level(logging.DEBUG):
        corpus = read(tmp_path)
    assert corpus.documents[0].path == "good.md"
    assert len(corpus.documents) + len(corpus.exclusions) == 2
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_a_text_file_named_pdf_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be parsed"):
        document(tmp_path, b"Just some text, no PDF at all. " * 20)


def test_running_heads_and_page_numbers_are_dropped() -> None:
    pages = [f"Annual Report\nFact number {'abcdef'[n] * 3} stands here.\nPage {n}" for n in range(6)]
    text = "".join(paragraphs(pages))
    assert "Annual Report" not in text
    assert "Page" not in text
    assert text.count("stands here.") == 6


def test_lines_that_differ_in_more_than_the_number_of_the_page_are_no_running_heads() -> None:
    pages = [
        f"Model {n}0\nTank: {30 * n} litres\nPressure: {n}.5 bar\nWarranty: {n} years\nPrice: {n}90 euros"
        for n in range(1, 6)
    ]
    assert "".join(paragraphs(pages)).split() == " ".join(pages).split()


def test_a_number_is_the_pages_where_it_counts_with_them_and_stands_at_their_edge() -> None:
    heads = [("Rev. 7, 2024", f"Page {n} of 8", f"Level {n % 3}") for n in range(1, 9)]
    pages = ["\n".join((*head, f"Fact {'abcdefghi'[n] * 3}.", str(9 + n))) for n, head in enumerate(heads, 1)]
    assert "".join(paragraphs(pages)).split("\n\n")[:2] == ["Level 1 Fact bbb.", "Level 2 Fact ccc."]


def test_a_pages_number_that_begins_anew_in_each_chapter_is_dropped() -> None:
    pages = [f"Fact {'abcdefghijkl'[n] * 3} stands alone.\n{1 + n // 4}-{1 + n % 4}" for n in range(12)]
    assert "".join(paragraphs(pages)).split("\n\n")[:2] == ["Fact aaa stands alone.", "Fact bbb stands alone."]


def test_a_compound_keeps_its_hyphen_when_the_document_writes_it_so() -> None:
    page = "This is a state-\nment about long-\nterm plans. A long-term plan is long. No statement is."
    assert "a statement about long-term plans" in "".join(paragraphs([page]))


@pytest.mark.parametrize("page", [f"{'a' * 1_000_000}\nb", f"{'word ' * 12}\n" * 10_000], ids=["word", "paragraph"])
def test_the_end_of_a_line_is_found_whatever_stands_before_it(page: str) -> None:
    assert "\n" not in "".join(paragraphs([page]))


def test_bullets_stay_on_lines_of_their_own() -> None:
    page = "The plan has these parts, which are all needed to see it through\n• first part\n• second part\n1. number"
    assert "".join(paragraphs([page])).splitlines()[1:] == ["• first part", "• second part", "1. number"]


# --- what the places of words say ---------------------------------------------------------------------------


def built(*parts: object) -> bytes:
    buffer = BytesIO()
    SimpleDocTemplate(buffer, invariant=1).build(list(parts))
    return buffer.getvalue()


def prose(text: str) -> Paragraph:
    return Paragraph(text, getSampleStyleSheet()["BodyText"])


def test_raised_signs_of_notes_are_no_part_of_a_number_and_powers_are_told(tmp_path: Path) -> None:
    line = "It is 38<super>1</super> euros on 5<super>2</super> June for 10<super>6</super> cells."
    text = document(tmp_path, built(prose(line), prose("<super>1</super> 61 euros in Norway."))).text
    assert text == "It is 38 euros on 5 June for 10^6 cells.\n(1) 61 euros in Norway."


def test_cells_of_a_table_stay_in_their_columns_where_some_are_empty(tmp_path: Path) -> None:
    rows = [["Pump", "Power", "Flow", "Warranty"], ["P10", "", "12 l/min", "2 years"], ["P20", "450 W", "", ""]]
    text = document(
        tmp_path, built(prose("The pumps."), Table([*rows, rows[1]], colWidths=90), prose("All run."))
    ).text
    assert text == (
        "The pumps.\n\nPump | Power | Flow | Warranty\nP10 |  | 12 l/min | 2 years\nP20 | 450 W |  | \n"
        "P10 |  | 12 l/min | 2 years\n\nAll run."
    )


def test_fractions_ordinals_and_what_follows_a_sign_are_written_as_on_the_page(tmp_path: Path) -> None:
    line = "Mix 1<super>1</super>/2 l at 5 km<super>2</super>/h, the 2<super>nd</super> day of 38<super>1</super>."
    assert document(tmp_path, built(prose(line))).text == "Mix 1 1/2 l at 5 km^2/h, the 2nd day of 38."
    line = "It is 10<super>-6</super> m, 2<super>16</super> bytes, Fe<super>3+</super>."
    assert document(tmp_path, built(prose(line))).text == "It is 10^-6 m, 2^16 bytes, Fe^3+."


def test_struck_out_words_of_a_pdf_are_left_out_and_underlined_ones_are_not(tmp_path: Path) -> None:
    line = "It costs <strike>25 crowns</strike> 30 euros <u>a night</u>."
    (tmp_path / "a.pdf").write_bytes(built(prose(line)))
    found = read(tmp_path)
    assert found.documents[0].text == "It costs 30 euros a night."
    assert found.exclusions[0].detail == "2 of 8 words are left out: struck-out text (2)."


def placed(*words: tuple[float, int, str]) -> bytes:
    """A page with these texts, each at its place from the left in its line."""
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for left, line, text in words:
        canvas.drawString(left, 780 - 14 * line, text)
    canvas.save()
    return buffer.getvalue()


def test_columns_are_told_by_what_is_free_in_all_lines_and_leaders_of_a_contents_are_none(tmp_path: Path) -> None:
    heads = ((60, 0, "Pump"), (97, 0, "Power"), (137, 0, "Flow"), (168, 0, "Staff"))
    rows = ((60, 1, "P10"), (137, 1, "12 l"), (168, 1, "2"), (60, 2, "P20"), (97, 2, "450 W"), (168, 2, "3"))
    last = ((60, 3, "P30"), (97, 3, "90 W"), (137, 3, "7 l"), (168, 3, "4"))
    assert document(tmp_path, placed(*heads, *rows, *last)).text == (
        "Pump | Power | Flow | Staff\nP10 |  | 12 l | 2\nP20 | 450 W |  | 3\nP30 | 90 W | 7 l | 4"
    )
    contents = [(60.0 + 12 * n, line, "." if n else "Oil") for line in range(4) for n in range(9)]
    assert "|" not in document(tmp_path, placed(*contents)).text


def test_columns_of_prose_that_were_written_one_by_one_stay_so(tmp_path: Path) -> None:
    columns = (
        ("The north pier opens", "at eight o'clock on", "working days."),
        ("The south pier opens", "at nine and has no", "crane."),
    )
    words = [
        (60 + 170 * n, line, text)
        for n, column in enumerate((*columns, columns[0]))
        for line, text in enumerate(column)
    ]
    found = document(tmp_path, placed(*words)).text.replace("\n", " ")
    assert found.startswith("The north pier opens at eight o'clock on working days. The south pier opens at nine")


def test_cells_between_lines_keep_their_columns_whatever_is_merged_or_wrapped(tmp_path: Path) -> None:
    rows = [
        ["Berth", "Price", ""],
        ["", "Summer", "Winter"],
        ["North", prose("41 crowns, and 6 for the crew"), ""],
        ["", "27", "4"],
    ]
    spans = [((1, 0), (2, 0)), ((0, 0), (0, 1)), ((0, 2), (0, 3))]
    style = [("GRID", (0, 0), (-1, -1), 0.5, "black"), *(("SPAN", *span) for span in spans)]
    text = document(tmp_path, built(Table(rows, colWidths=90, style=style))).text
    assert text == (
        "Berth | Price | Price\nBerth | Summer | Winter\nNorth | 41 crowns, and 6 for the crew | \nNorth | 27 | 4"
    )


def test_two_columns_that_were_written_line_by_line_are_read_one_by_one(tmp_path: Path) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    left = (
        "The harbour office is open",
        "from eight to sixteen, on",
        "working days only. Boats",
        "longer than it pay more.",
    )
    right = (
        "Guests may stay for two",
        "nights without a permit, if",
        "they pay 14 euros a night",
        "at the machine outside.",
    )
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        canvas.drawString(60, 780 - 14 * number, one)
        canvas.drawString(320, 780 - 14 * number, other)
    canvas.save()
    text = " ".join(document(tmp_path, buffer.getvalue()).text.split())
    assert text == " ".join((*left, *right))


def test_a_head_of_two_pages_is_dropped_and_a_sentence_goes_on_over_the_page() -> None:
    pages = [
        "Survey of 2024\nThe rooms are cleaned on each day and not\n1",
        "Survey of 2024\non Sundays, as before.\n2",
    ]
    assert "".join(paragraphs(pages)) == "The rooms are cleaned on each day and not on Sundays, as before."


def test_a_numbered_heading_that_begins_each_page_is_no_running_head() -> None:
    pages = [f"Survey of 2024, page {n}\nLesson {n}\nFact {'abc'[n - 1] * 3} is new." for n in (1, 2, 3)]
    assert "".join(paragraphs(pages)).startswith("Lesson 1 Fact aaa is new.\n\nLesson 2 Fact")


PRINTED = Path(__file__).parents[2] / "data" / "leftward"
ARABIC = """قواعد الميناء
يفتح المكتب من الساعة 9 صباحا إلى الساعة 18:30 مساء في أيام العمل، والرسم 45% من 1,250.75 يورو.
لا يسمح بالأطفال خلال الأسبوع، السلام عليكم، مرحبًا بكم (بدون كهرباء).
رقم الهاتف 030-1234 والبريد info@port.example متاحان منذ 12/03/2024.
يستعمل نظام 5.4 Open Source Linux هنا، و USB-C أيضا. الغرف من 10-15 فقط.
المساحة ١٢٣ مترا و ٤٫٥ لترا."""
HEBREW = """כללי הנמל
המשרד פתוח משעה 9:30 עד שעה 18 בימי חול, והתשלום 45% מתוך 1,250.75 יורו.
העגינה (ללא חשמל) עולה 45 יורו ללילה לסירות שאורכן מעל 12 מטרים.
טלפון 030-1234 ודואר info@port.example מאז 12/03/2024.
מערכת 5.4 Open Source Linux כאן, וגם USB-C. חדרים 10-15 בלבד.
שלום עליכם, ילדים וזקנים ללא תשלום ₪20."""


@pytest.mark.parametrize("printer", ["chromium", "libreoffice"])
@pytest.mark.parametrize(("language", "text"), [("arabic", ARABIC), ("hebrew", HEBREW)])
def test_a_page_from_right_to_left_is_read_in_order(tmp_path: Path, printer: str, language: str, text: str) -> None:
    assert document(tmp_path, (PRINTED / f"{printer}-{language}.pdf").read_bytes()).text == text


def test_letters_named_by_their_forms_are_read_as_the_letters_that_they_are(tmp_path: Path) -> None:
    writer = PdfWriter(PRINTED / "libreoffice-arabic.pdf")
    changed = 0
    for letters in filter(None, (each.get_object() for each in writer._objects)):
        if isinstance(letters, StreamObject) and b"beginbfchar" in letters.get_data():
            named = re.sub(rb"<(06[24].)>(?=\s*(?:<|endbfchar))", with_form, letters.get_data())
            changed += named != letters.get_data()
            letters.set_data(named)
    buffer = BytesIO()
    writer.write(buffer)
    assert changed
    assert document(tmp_path, buffer.getvalue()).text == ARABIC


def with_form(code: re.Match[bytes]) -> bytes:
    """The code of a letter's form in the place of its own."""
    letter = chr(int(code.group(1), 16))
    forms = (form for form in range(0xFE80, 0xFEFD) if unicodedata.normalize("NFKC", chr(form)) == letter)
    return b"<%04X>" % next(forms, ord(letter))


def test_columns_from_right_to_left_and_words_of_unknown_order_are_left_out(tmp_path: Path) -> None:
    found = exclusion(tmp_path, (PRINTED / "chromium-columns.pdf").read_bytes())
    assert (found.reason, "columns from right to left" in found.detail) == (ExclusionReason.GARBLED, True)
    assert "right to left" in _garbled(HEBREW[::-1])
