"""Files made to break a parser: each is listed with a reason in words, and the folder is read."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from docx.styles.styles import Styles

from viva.core.records import Document, Exclusion, ExclusionReason
from viva.storage.corpus.listing import FoundFile
from viva.storage.corpus.read import load

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from hostile_files import body, docx_with, laughs, paragraph, pdf_with

LEVELS = range(900, 1001)
"""around the depth at which Python refuses to recurse"""


def loaded(folder: Path, name: str, data: bytes) -> Document | Exclusion:
    """What becomes of the file's first document."""
    (folder / name).write_bytes(data)
    return load(FoundFile(folder / name, name), max_file_mb=5)[0]


def unreadable(folder: Path, name: str, data: bytes, words: str) -> None:
    """It is left out as unreadable, with these words."""
    found = loaded(folder, name, data)
    assert isinstance(found, Exclusion)
    assert (found.reason, words in found.detail) == (ExclusionReason.UNREADABLE, True), found.detail


# --- Word ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    [
        "[Content_Types].xml",
        "_rels/.rels",
        "docProps/core.xml",
        "word/document.xml",
        "word/styles.xml",
        "word/_rels/document.xml.rels",
    ],
)
def test_a_word_document_with_a_malformed_part_is_unreadable(part: str, tmp_path: Path) -> None:
    unreadable(
        tmp_path, "torn.docx", docx_with({part: b"<a><b></a>"}), "its XML is malformed (Opening and ending tag"
    )


@pytest.mark.parametrize("levels", [256, 100_000])
def test_a_word_document_that_is_nested_too_deeply_is_unreadable(levels: int, tmp_path: Path) -> None:
    deep = body("<w:p>" * levels + "</w:p>" * levels)
    unreadable(tmp_path, "deep.docx", docx_with(deep), "nested too deeply")


@pytest.mark.parametrize(
    "bomb",
    [
        body(paragraph("&j;"), laughs()),
        body('<w:p w:x="&j;"/>', laughs()),
        body(paragraph("&a;" * 20_000), f'<!ENTITY a "{"x" * 20_000}">'),
    ],
    ids=["in a text", "in an attribute", "one long one"],
)
def test_a_word_document_with_an_entity_bomb_is_unreadable(bomb: dict[str, bytes], tmp_path: Path) -> None:
    unreadable(tmp_path, "bomb.docx", docx_with(bomb), "entities that grow without end")


@pytest.mark.parametrize("entity", ['<!ENTITY a "six">', '<!ENTITY a SYSTEM "file:///etc/hostname">'])
def test_a_word_document_with_entities_is_unreadable_rather_than_read_without_them(
    entity: str, tmp_path: Path
) -> None:
    document = docx_with(body(paragraph("The gate opens at &a;."), entity))
    unreadable(tmp_path, "entity.docx", document, "declares entities of its own")


def test_a_cell_that_spans_a_hundred_million_columns_is_not_made_so_often(tmp_path: Path) -> None:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="100000000"/></w:tcPr>{paragraph("x")}</w:tc>'
    table = f"<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>"
    found = loaded(tmp_path, "wide.docx", docx_with(body(table)))
    assert isinstance(found, Document)
    assert found.text == "x"


def table_of_one_cell_beside(rows: int, columns: int, text: str) -> bytes:
    """A Word document whose table has the text in each column once, beside all rows."""
    cell = "<w:tc><w:tcPr><w:vMerge{}/></w:tcPr>{}</w:tc>"
    first, rest = cell.format(' w:val="restart"', paragraph(text)), cell.format("", "<w:p/>")
    others = f"<w:tr>{rest * columns}</w:tr>" * (rows - 1)
    return docx_with(body(f"<w:tbl><w:tblGrid/><w:tr>{first * columns}</w:tr>{others}</w:tbl>"))


@pytest.mark.timeout(20)
def test_cells_that_stand_beside_many_rows_are_in_each_row_and_read_once(tmp_path: Path) -> None:
    found = loaded(tmp_path, "tall.docx", table_of_one_cell_beside(200, 60, "x"))
    assert isinstance(found, Document)
    assert [line for line in found.text.splitlines() if line][-200:] == [" | ".join(["x"] * 60)] * 200


def test_a_long_text_beside_many_rows_is_whole_in_the_first_and_cut_in_the_others(tmp_path: Path) -> None:
    found = loaded(tmp_path, "tall.docx", table_of_one_cell_beside(3, 1, "word " * 1_000))
    assert isinstance(found, Document)
    assert [len(line) for line in found.text.splitlines()] == [4_999, 1_000, 1_000]


def test_the_styles_of_a_word_document_are_read_once_however_many_paragraphs_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    default = Styles.default
    monkeypatch.setattr(Styles, "default", lambda styles, kind: read.append(kind) or default(styles, kind))
    loaded(tmp_path, "long.docx", docx_with(body(paragraph("x") * 20 + "<w:p/>" * 20)))
    assert len(read) == 1


def test_a_word_document_that_lacks_an_attribute_it_must_have_is_unreadable(tmp_path: Path) -> None:
    table = f"<w:tbl><w:tblGrid/><w:tr><w:tc><w:tcPr><w:gridSpan/></w:tcPr>{paragraph('x')}</w:tc></w:tr></w:tbl>"
    unreadable(tmp_path, "lacking.docx", docx_with(body(table)), "required 'w:val' attribute not present")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", docx_with({"word/document.xml": b"<x/>"})),
        ("a.docx", docx_with({"[Content_Types].xml": b"<x/>"})),
        ("a.pdf", pdf_with(b"BT /F 9 Tf (x) Tj ET", page=b"[1 2]")),
        ("a.pdf", b"%PDF-1.7\ntrailer<</Root 5>>\n%%EOF"),
    ],
)
def test_what_is_said_of_a_broken_file_names_no_object_of_pythons(name: str, data: bytes, tmp_path: Path) -> None:
    found = loaded(tmp_path, name, data)
    assert isinstance(found, Exclusion)
    assert "object" not in found.detail
    assert not re.search(r"NoneType|_element|attribute|<class|\w\.\w", found.detail)


def test_a_word_document_whose_zip_asks_for_a_password_is_encrypted(tmp_path: Path) -> None:
    data = bytearray(docx_with({}))
    for mark, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = data.find(mark)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(mark, at + 1)
    found = loaded(tmp_path, "locked.docx", bytes(data))
    assert isinstance(found, Exclusion)
    assert (found.reason, "password" in found.detail) == (ExclusionReason.ENCRYPTED, True)


# --- text ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        *("!!timestamp never", '!!int ""', "!!bool perhaps", '!!float ""', "!!int many", "2001-13-45"),
        *(f"0x{'f' * 5000}", "[" * 2000, "{a: " * 2000),
    ],
    ids=lambda value: value[:20],
)
def test_front_matter_with_a_value_that_is_none_stays_in_the_text(value: str, tmp_path: Path) -> None:
    text = f"---\ntitle: {value}\n---\nThe gate opens at six.\n"
    found = loaded(tmp_path, "odd.md", text.encode())
    assert isinstance(found, Document)
    assert (found.text, found.metadata) == (text, {})


@pytest.mark.parametrize("form", ["{{<<: [{}]}}", "[{}]"])
def test_front_matter_whose_aliases_grow_without_end_stays_in_the_text(form: str, tmp_path: Path) -> None:
    grown = [f"a{n}: &a{n} " + form.format(", ".join([f"*a{n - 1}"] * 10)) for n in range(1, 10)]
    lines = ["---", "a0: &a0 {k: v}", *grown, "---", "The gate opens at six."]
    found = loaded(tmp_path, "bomb.md", "\n".join(lines).encode())
    assert isinstance(found, Document)
    assert (found.text, found.metadata) == ("\n".join(lines), {})


def test_front_matter_may_say_a_word_again_by_an_alias(tmp_path: Path) -> None:
    text = "---\ntitle: &t The harbour\ntopic: *t\n---\nThe gate opens at six.\n"
    found = loaded(tmp_path, "again.md", text.encode())
    assert found.metadata == {"title": "The harbour", "topic": "The harbour"}  # type: ignore[union-attr]


@pytest.mark.parametrize("heading", ["[" * 200_000, "![a](" * 50_000, f"a{' ' * 200_000}b"])
def test_a_heading_of_many_thousand_characters_takes_no_longer_than_a_short_one(heading: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, "long.md", f"# {heading}\n\nThe gate opens at six.\n".encode())
    assert isinstance(found, Document)
    assert len(found.title) <= 201


@pytest.mark.parametrize("never_ends", ["x<a ", "x<a b='>'", "x</a ", "x<!--a> ", "x<![CDATA[ >"])
def test_html_of_tags_that_never_end_is_unreadable_and_with_a_few_of_them_it_is_read(
    never_ends: str, tmp_path: Path
) -> None:
    torn = loaded(tmp_path, "torn.html", f"{never_ends * 12} c='".encode())
    # later versions of Python pass over all of them at once
    told = torn.detail if isinstance(torn, Exclusion) else torn.text
    assert told in {"The HTML cannot be parsed: over 10 of its tags and comments have no end.", "x"}
    cut = loaded(tmp_path, "cut.html", f"<p>six</p>{never_ends * 5} c='".encode())
    assert isinstance(cut, Document)
    assert cut.text.startswith("six\n\nx")


def test_html_with_a_declaration_that_python_does_not_know_is_no_fault_of_the_others(tmp_path: Path) -> None:
    found = loaded(tmp_path, "odd.html", b"<p>six</p><![gate open]>")
    assert isinstance(found, Document) or "a declaration that HTML does not know" in found.detail


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "page",
    ["x<h1><a href='#'>" * 10_000, "<h1>" + "x<a href='#'>#</a>" * 30_000, "<br>" * 35_000 + "x</p>" * 35_000],
    ids=["links in headings", "links beside each other", "lines"],
)
def test_no_part_of_html_is_read_again_for_each_that_stands_before_it(page: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, "long.html", page.encode())
    assert isinstance(found, Document)
    assert found.text.count("x") == page.count("x")


def test_items_of_lists_in_lists_are_moved_to_the_right_by_no_more_than_some_levels(tmp_path: Path) -> None:
    found = loaded(tmp_path, "deep.html", b"<ul><li>x" * 5_000)
    assert isinstance(found, Document)
    assert found.text.endswith(f"\n{'  ' * 20}- x")


def test_html_in_an_encoding_that_decodes_nothing_is_of_bad_encoding(tmp_path: Path) -> None:
    found = loaded(tmp_path, "odd.html", b'<meta charset="undefined"><p>caf\xe9</p>')
    assert isinstance(found, Exclusion)
    assert (found.reason, "undefined" in found.detail) == (ExclusionReason.BAD_ENCODING, True)


# --- records ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opened", ["[", '{"a":'])
def test_a_line_of_json_that_is_nested_deeply_is_read_or_a_bad_record(opened: str, tmp_path: Path) -> None:
    closed = {"[": "]", '{"a":': "1}"}[opened]
    lines = [f'{{"text": "x", "m": {opened * n}{closed[:-1]}{closed[-1] * n}}}' for n in (*LEVELS, 100_000)]
    (tmp_path / "deep.jsonl").write_text("\n".join(lines))
    found = load(FoundFile(tmp_path / "deep.jsonl", "deep.jsonl"), max_file_mb=5)
    assert len(found) == len(lines)
    last = found[-1]
    assert isinstance(last, Exclusion)
    assert (last.reason, "nested too deeply" in last.detail) == (ExclusionReason.BAD_RECORD, True)
    assert {each.reason for each in found if isinstance(each, Exclusion)} == {ExclusionReason.BAD_RECORD}


def test_a_table_of_a_hundred_thousand_columns_is_read(tmp_path: Path) -> None:
    header = ",".join(f"c{n}" for n in range(100_000))
    found = loaded(tmp_path, "wide.csv", f"{header}\n{'1,' * 99_999}1\n".encode())
    assert isinstance(found, Document)
    assert found.metadata["c99999"] == "1"


def test_the_column_of_the_text_is_looked_for_once_however_many_rows_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    class Counted(tuple[str, ...]):
        def __contains__(self, name: object) -> bool:
            asked.append(name)
            return super().__contains__(name)

    monkeypatch.setattr("viva.storage.corpus.jsonl._TEXT_COLUMNS", Counted(("text",)))
    loaded(tmp_path, "long.csv", b"a,b,c\n" + b"1,2,3\n" * 100)
    assert asked == ["a", "b", "c"]


def test_columns_that_are_named_like_renamed_ones_lose_no_value(tmp_path: Path) -> None:
    found = loaded(tmp_path, "names.csv", b"a (3),a,a\n1,2,3\n")
    assert isinstance(found, Document)
    assert sorted(found.metadata.values()) == ["1", "2", "3"]


def test_a_field_longer_than_the_csv_module_reads_by_itself_is_read(tmp_path: Path) -> None:
    found = loaded(tmp_path, "long.csv", b'a,b\n"' + b"x" * 900_000 + b'",1\n')
    assert isinstance(found, Document)
    assert len(found.text) > 900_000


@pytest.mark.parametrize("row", [f"{'x' * 200_000}, 1", 'West, "8\n   East, 9'])
def test_a_table_of_restructured_text_that_is_no_csv_stays_as_it_is_written(row: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, "gates.rst", f".. csv-table:: Gates\n\n   {row}\n\nEnd.\n".encode())
    assert isinstance(found, Document)
    assert found.text == f"Gates\n\n{row.replace('   ', '')}\n\nEnd.\n"


# --- PDF -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        pdf_with(b"[" * 100_000),
        pdf_with(b"<</a " * 100_000),
        pdf_with(b"x", page=b"<</Type/Page/A " + b"[" * 100_000 + b"]" * 100_000 + b">>"),
        pdf_with(b"x", page=b"3 0 R"),
    ],
    ids=["arrays in the content", "dictionaries in the content", "arrays in the page", "a page that is itself"],
)
def test_a_pdf_that_nests_without_end_is_left_out(data: bytes, tmp_path: Path) -> None:
    found = loaded(tmp_path, "deep.pdf", data)
    assert isinstance(found, Exclusion)
    assert found.reason in {ExclusionReason.UNREADABLE, ExclusionReason.EMPTY}
