"""What each format becomes: text, title, topic, metadata."""

from __future__ import annotations

import codecs
import re
import sys
import zipfile
from functools import partial
from io import BytesIO
from pathlib import Path

import docx
import pytest

from viva.core.markup import dialect_of, headings_above
from viva.core.records import Document, ExclusionReason
from viva.storage.corpus.read import Corpus, read_corpus

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from hostile_files import body, docx_with, paragraph

read = partial(
    read_corpus,
    max_file_mb=1,
    max_documents=None,
    chunk_tokens=64,
    chunk_overlap=8,
    count_tokens=lambda text: len(text.split()),
)


def corpus(folder: Path, name: str, content: str | bytes) -> Corpus:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(folder)


def document(folder: Path, name: str, content: str | bytes) -> Document:
    (only,) = corpus(folder, name, content).documents
    return only


def test_text_is_kept_but_for_line_ends_and_the_byte_order_mark(tmp_path: Path) -> None:
    text = document(tmp_path, "a.txt", b"\xef\xbb\xbfOne\r\ntwo\rthree  \n\n  four\n").text
    assert text == "One\ntwo\nthree  \n\n  four\n"


@pytest.mark.parametrize(
    ("mark", "encoding"), [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]
)
def test_utf16_with_a_mark_is_decoded(tmp_path: Path, mark: bytes, encoding: str) -> None:
    assert document(tmp_path, "a.md", mark + "Grüße\r\n".encode(encoding)).text == "Grüße\n"


def test_front_matter_becomes_metadata_and_leaves_the_text(tmp_path: Path) -> None:
    found = document(
        tmp_path,
        "folder/a.md",
        "---\ntitle: The Title\ntopic: Law\ndate: 2024-05-01\ndraft: true\ntags: [a, b]\n"
        "nested: {a: 1}\n---\n\n# Other\n",
    )
    assert (found.title, found.topic, found.text) == ("The Title", "Law", "# Other\n")
    assert found.metadata == {
        "title": "The Title",
        "topic": "Law",
        "date": "2024-05-01",
        "draft": "true",
        "tags": "a, b",
    }


def test_nested_front_matter_stays_text_where_it_holds_sentences(tmp_path: Path) -> None:
    lists = "questions:\n  - q: How large is a plot?\n    a: A plot has 180 square metres.\n"
    found = corpus(
        tmp_path, "a.md", f"---\ntitle: Plots\n{lists}menu: {{left: [{{a: one two}}]}}\n---\nOpen at nine.\n"
    )
    assert found.documents[0].text == f"{lists}\nOpen at nine.\n"
    assert found.documents[0].metadata == {"title": "Plots"}
    assert [(each.reason, each.detail) for each in found.exclusions] == [
        (ExclusionReason.PART_LEFT_OUT, "5 of 22 words are left out: front matter (5).")
    ]


def test_front_matter_in_toml_is_read_as_that_in_yaml(tmp_path: Path) -> None:
    found = document(
        tmp_path, "a.md", '+++\ntitle = "Ferry"\n[faq]\na = "It takes 40 whole minutes."\n+++\n\nAt nine.\n'
    )
    assert (found.title, found.text) == ("Ferry", "faq:\n  a: It takes 40 whole minutes.\n\nAt nine.\n")


def test_a_sentence_between_two_rules_is_no_front_matter(tmp_path: Path) -> None:
    slide = "---\nWarning: The pump runs dry in 40 seconds.\n---\n\n# Starting\n"
    assert document(tmp_path, "a.md", slide).text == slide


@pytest.mark.parametrize("block", ["a: [1, 2", "- just\n- a list", "when: 2024-99-99", "a: " + "[" * 3000])
def test_a_front_matter_that_is_no_mapping_stays_in_the_text(tmp_path: Path, block: str) -> None:
    found = document(tmp_path, "a.md", f"---\n{block}\n---\n\n# Title\n")
    assert (found.text, found.metadata, found.title) == (f"---\n{block}\n---\n\n# Title\n", {}, "Title")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Intro.\n\n## The *first* `head` ##\n\n# Second\n", "The first head"),
        ("```\n# a comment\n```\n# Real\n", "Real"),
        ("# See [the docs](http://x) now\n", "See the docs now"),
        ("Under\n=====\n\ntext", "Under"),
        ("no heading", "My long name"),
    ],
)
def test_a_markdown_title_is_the_first_heading(tmp_path: Path, text: str, title: str) -> None:
    assert document(tmp_path, "my_long-name.md", text).title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "PEP: 289\nTitle: Generator\n  Expressions\nStatus: Final\n\nAbstract\n========\n",
            "PEP 289: Generator Expressions",
        ),
        ("Title: Just Fields\nAuthor: Me\n\nText.\n", "Just Fields"),
        ("======\nOver\n======\n\n:author: Me\n\nText.\n", "Over"),
        (":Title: From a field\n:Date: today\n\nText\n----\n", "From a field"),
        (".. note:: x\n\nSection *one*\n-------------\n\nText.", "Section one"),
        ("Nothing here.", "A"),
    ],
)
def test_a_restructured_title_comes_from_fields_else_the_first_section(tmp_path: Path, text: str, title: str) -> None:
    found = document(tmp_path, "a.rst", text)
    assert (found.title, found.text) == (title, text.replace(".. note:: x", "Note: x"))


RST = """.. |port| replace:: Alma
.. nobody reads this

.. note::
   :class: big

   See :ref:`the rules <rules>` of |port| and :pep:`8`; ``|port|`` stays.

.. code-block:: python

   x = :ref:`y`

.. image:: a.png
   :alt: x

Press :kbd:`Ctrl` in :func:`~os.path.join`, with H\\ :sub:`2`\\ O.

.. toctree::

   start
"""


def test_directives_roles_and_substitutions_of_restructured_text_are_read_as_readers_see_them(tmp_path: Path) -> None:
    assert re.sub(r"\n{2,}", "\n\n", document(tmp_path, "a.rst", RST).text).lstrip() == (
        "Note:\n\n   See the rules of Alma and PEP 8; ``|port|`` stays.\n\n.. code-block:: python\n\n"
        "   x = :ref:`y`\n\nPress Ctrl in join, with H2O.\n"
    )


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        (
            "a.adoc",
            ":days: 30\n= Guide\n\n[NOTE]\nWithin *{days}* days.\n\n|===\n|Plan |Limit\n\n|Free |500\n|===\n",
            "# Guide\n\nNOTE:\nWithin 30 days.\n\nPlan | Limit\nFree | 500\n",
        ),
        (
            "a.tex",
            "x\\begin{document}\\section{Method}\n% no\nUse \\textbf{12}, $\\frac{1}{2}$ of $10^{3}$: \\$9.\n",
            "# Method\n\nUse 12, 1/2 of 10^3: $9.\n",
        ),
        (
            "a.tex",
            (
                '\\newcommand{\\most}{45}Die \\"Ubung: \\most{} s\\footnote{Not \\emph{now}.}.\n'
                "\\begin{tabular}{l|rr}\\hline A & \\multicolumn{2}{c}{B}\\\\ 1 &  & 9\\end{tabular}\n"
                "\\begin{itemize}\\item x \\item y\\end{itemize}\n\\begin{verbatim}\na % b\n\\end{verbatim}\n"
            ),
            "Die Übung: 45 s (Not now.).\n\nA | B | B\n1 |  | 9\n\n- x\n- y\n\n```\na % b\n```\n",
        ),
        ("a.mdx", "<Tabs>\n<Tab title='Linux'>4 GB.</Tab>\n</Tabs>\n", "Linux: 4 GB.\n\n"),
        (
            "a.mdx",
            'import X from "./x"\n\n# Limits\n\n<Note>It is 500.</Note>\n\n```jsx\n<Note>\n```\n',
            "# Limits\n\nIt is 500.\n\n```jsx\n<Note>\n```\n",
        ),
        (
            "a.adoc",
            '[cols="1,1,1"]\n|===\n|A\n|B\n|C\n\n2+|wide |x\n.2+|tall |b |c\n|d |e\n|===\n',
            "A | B | C\nwide | wide | x\ntall | b | c\ntall | d | e\n",
        ),
        ("a.log", "09:15 \x1b[31mERROR\x1b[0m disk full\n", "09:15 ERROR disk full\n"),
        ("a.html", "<p>co&shy;operate</p>", "cooperate"),
    ],
)
def test_other_plain_types_are_text_without_markup(tmp_path: Path, name: str, data: str, text: str) -> None:
    assert document(tmp_path, name, data).text == text


def test_struck_text_of_asciidoc_is_left_out_and_told(tmp_path: Path) -> None:
    found = corpus(tmp_path, "a.adoc", "It costs [.line-through]#25# 30 euros, [.big]#net#.footnote:[Not now.]\n")
    assert found.documents[0].text == "It costs 30 euros, net. (Not now.)\n"
    assert found.exclusions[0].detail == "1 of 8 words are left out: struck-out text (1)."


def test_header_fields_become_metadata(tmp_path: Path) -> None:
    found = document(tmp_path, "a.txt", "Title: T\nPost-History: one,\n  two\n\nBody.\n")
    assert found.metadata == {"title": "T", "post-history": "one, two"}


def test_a_paragraph_with_a_colon_is_no_header(tmp_path: Path) -> None:
    assert document(tmp_path, "a.txt", "Note: this is prose.\nIt goes on.\n\nBody.\n").metadata == {}


def test_html_keeps_what_a_reader_reads(tmp_path: Path) -> None:
    page = """<html><head><title>A  Page</title><style>p {}</style></head><body><nav>menu</nav><header>top</header>
    <h1>Head <em>line</em></h1><p>One&nbsp;two<br>three <a href="x">link</a>.</p>
    <ul><li>first<ul><li>inner</li></ul></li><li><p>second</p></li></ul>
    <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><p>2</p><p>3</p></td></tr></table>
    <pre>code  x\n  y</pre><!-- note --><script>bad()</script><aside>ad</aside><footer>foot</footer></body></html>"""
    found = document(tmp_path, "a.html", page)
    assert found.title == "A Page"
    assert found.text == (
        "# Head line\n\nOne two\nthree link.\n\n- first\n  - inner\n- second\n\nA | B\n1 | 2 3\n\ncode  x\n  y"
    )


def test_what_is_furniture_of_a_page_is_content_inside_its_article(tmp_path: Path) -> None:
    page = """<body><header>Site</header><nav>Home</nav><main><article><header><h1>Boiler</h1>
    <p>For the K200.</p></header>
    <aside><p>Never open it above 65 degrees.</p></aside><h2><button>How long?</button></h2><div>Nine days.</div>
    <pre>x = 1<button class="copy">Copy</button></pre><blockquote>Replace it.<footer>EN 12828</footer></blockquote>
    </article></main><aside>Ads</aside><footer>Imprint</footer></body>"""
    found = corpus(tmp_path, "a.html", page)
    assert found.documents[0].text == (
        "# Boiler\n\nFor the K200.\n\nNever open it above 65 degrees.\n\n## How long?\n\nNine days.\n\nx = 1\n\n"
        "Replace it.\n\nEN 12828"
    )
    (note,) = found.exclusions
    assert note.reason is ExclusionReason.PART_LEFT_OUT
    assert note.detail.startswith("5 of 25 words are left out: page header (1), navigation (1)")


def test_a_question_that_is_opened_and_a_warning_are_content_on_a_page_without_an_article(tmp_path: Path) -> None:
    page = """<body><aside class="callout warning">Never above 65.</aside><button class="accordion">How long?</button>
    <div style="display:none">Nine days.</div>
    <p>Area <script type="math/tex">a^2</script>.</p><aside>Ads</aside></body>"""
    assert document(tmp_path, "a.html", page).text == "Never above 65.\n\nHow long?\n\nNine days.\n\nArea a^2."


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            "<h3><a role=button>How long?</a></h3><p style='display:none'>Nine days.</p>",
            "### How long?\n\nNine days.",
        ),
        ("<main><h2>Fees<button class=copy-link>Copy</button></h2></main>", "## Fees"),
        ("<main><button>Linux</button><button>Mac</button></main>", "Linux Mac"),
        ("<p>E<span style='vertical-align: super'>2</span></p>", "E^2"),
        ("<p>E<span style='margin-top: -0.5em'>2</span></p>", "E2"),
        (
            (
                "<style>p.up, .up{vertical-align:super} .was{text-decoration: line-through}</style>"
                "<p>E<i class=up>2</i> is <i class=was>8</i> 9</p>"
            ),
            "E^2 is 9",
        ),
    ],
)
def test_buttons_and_raised_signs_are_told_by_what_they_are_for(tmp_path: Path, page: str, text: str) -> None:
    assert document(tmp_path, "a.html", page).text == text


def test_struck_and_hidden_text_is_left_out_and_counted(tmp_path: Path) -> None:
    page = """<main><p>It costs <del>25</del> <ins>30</ins> euros, the sauna <s>8</s> 9.</p><p hidden>Draft: 99.</p>
    <p style="display: none">Draft: 77.</p><button aria-controls="a">Fees?</button>
    <div id="a" hidden>Ten euros.</div></main>"""
    found = corpus(tmp_path, "a.html", page)
    assert found.documents[0].text == "It costs 30 euros, the sauna 9.\n\nFees?\n\nTen euros."
    assert found.exclusions[0].detail == "6 of 16 words are left out: hidden text (4), struck-out text (2)."
    run = "<w:r><w:rPr><w:{}/></w:rPr><w:t>{}</w:t></w:r>"
    line = f"<w:p>{run.format('b', 'It costs 30 ')}{run.format('strike', '25')}{run.format('b', ' euros.')}</w:p>"
    found = corpus(tmp_path / "word", "a.docx", docx_with(body(line + f"<w:p>{run.format('vanish', 'Draft')}</w:p>")))
    assert found.documents[0].text == "It costs 30 euros."
    assert found.exclusions[0].detail == "2 of 6 words are left out: struck-out text (1), hidden text (1)."


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        ("<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "2 1/2"),
        ("<msup><mn>10</mn><mn>3</mn></msup>", "10^3"),
        ("<msup><mi>x</mi><mrow><mn>2</mn><mo>&#x2062;</mo><mi>k</mi></mrow></msup>", "x^(2k)"),
        (
            "<msub><mi>x</mi><mi>i</mi></msub><mo>=</mo><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>",
            "x_i = √(a + b)",
        ),
        ("<semantics><mi>b</mi><annotation encoding='application/x-tex'>\\beta</annotation></semantics>", "b"),
    ],
)
def test_a_formula_is_told_on_one_line_and_once(tmp_path: Path, formula: str, text: str) -> None:
    twice = f"<span class='katex-mathml'><math>{formula}</math></span><span class='katex-html'>1x2</span>"
    assert document(tmp_path, "a.html", f"<p>Mix {twice} litre.</p>").text == f"Mix {text} litre."


def test_merged_cells_are_in_each_row_and_column_that_they_span_and_empty_ones_are_kept(tmp_path: Path) -> None:
    rows = """<tr><th>Route<th>Season<th>Car<th>Bike<tr><td rowspan=2>North<td>Summer<td><td>6
    <tr><td>Winter<td colspan=2>free<tr><td colspan=4>From May"""
    text = "Route | Season | Car | Bike\nNorth | Summer |  | 6\nNorth | Winter | free | free\nFrom May"
    assert document(tmp_path, "a.html", f"<table>{rows}</table>").text == text


def test_a_table_that_only_places_blocks_is_none_and_one_by_roles_is_one(tmp_path: Path) -> None:
    inner = "<table><tr><td>Plan<td>Fee<tr><td>Free<td>0</table>"
    page = (
        f"<table><tr><td>Menu<td><h1>Rates</h1><p>One.</p>{inner}</table><table><tr><td><p>Two.</p><p>Three.</table>"
    )
    text = "Menu\n\n# Rates\n\nOne.\n\nPlan | Fee\nFree | 0\n\nTwo.\n\nThree."
    assert document(tmp_path, "a.html", page).text == text
    cells = "<div role=row><span role=cell>{}</span><span role=cell>{}</span></div>"
    page = f"<div role=table>{cells.format('Plan', 'Fee')}{cells.format('Free', 0)}</div>"
    assert document(tmp_path / "b", "b.html", page).text == "Plan | Fee\nFree | 0"


def test_each_piece_of_a_long_table_has_the_header(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>Boat of class {n}<td>{n} euros a night" for n in range(60))
    (tmp_path / "a.html").write_text(f"<table><tr><th>Boat<th>Fee{rows}</table>")
    chunks = read(tmp_path, chunk_tokens=254).chunks
    assert len(chunks) > 2
    assert all("Boat | Fee\n" in chunk.text for chunk in chunks)


def test_html_drops_the_link_from_a_heading_to_itself_and_no_other(tmp_path: Path) -> None:
    page = """<html><body><h1>Cranes <a href="#cranes">#</a></h1><p>See <a href="#masts">masts</a> and
    <a href="#hash">#</a>.</p><h2>Masts <a href="#masts">¶</a></h2><h2>C#</h2></body></html>"""
    found = document(tmp_path, "a.html", page)
    assert found.title == "Cranes"
    assert found.text == "# Cranes\n\nSee masts and #.\n\n## Masts\n\n## C#"


def test_a_comment_in_the_code_of_a_page_is_no_heading(tmp_path: Path) -> None:
    page = "<html><body><h1>Reports</h1><pre># apt-get update\n0 17 * * fri</pre><p>End.</p></body></html>"
    found = document(tmp_path, "a.html", page)
    assert "# apt-get update" in found.text
    assert headings_above(found.text, dialect_of("html"), found.text.index("End")) == ["Reports"]


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("10<sup>6</sup> cells", "10^6 cells"),
        ("10<sup>−3</sup> m<sup>2</sup> of Ca<sup>2+</sup>", "10^−3 m^2 of Ca^2+"),
        ("(1 + r)<sup>n <i>− 1</i></sup>", "(1 + r)^(n − 1)"),
        ("the 5<sup>th</sup>, Foo<sup>TM</sup>, Bar<sup>®</sup>", "the 5th, FooTM, Bar®"),
        (
            "XX<sup>e</sup> siècle, M<sup>me</sup> Curie, n<sup>o</sup> 5, art. 3<sup>bis</sup>",
            "XXe siècle, Mme Curie, no 5, art. 3bis",
        ),
        ("x<sup>n</sup>, 2<sup>n</sup> and Model<sup>Plus</sup>", "x^n, 2^n and ModelPlus"),
        ("See <sup><a href='#ref'>Section 2</a></sup>.", "See Section 2."),
        ("3<sup>1</sup>/<sub>2</sub> g", "3 1/2 g"),
        ("in 1998<a href='#fn1'><sup>1</sup></a> and 1999<sup>[<a href='#fn2'>2</a>]</sup>", "in 1998 and 1999"),
        ("<a href='#cells'>10<sup>6</sup> cells</a>", "10^6 cells"),
    ],
)
def test_html_tells_what_stands_raised_and_drops_the_marks_of_footnotes(
    tmp_path: Path, raised: str, told: str
) -> None:
    assert document(tmp_path, "a.html", f"<p>{raised}</p>").text == told


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("<tr><td>a<td>b<tr><th>c<td>d", "a | b\nc | d"),
        ("<thead><tr><th>A<tbody><tr><td><p>1<tfoot><tr><td>2", "A\n1\n2"),
        ("<tr><td>a<td><table><tr><td>x<td>y<tr><td>z</table><td>b<tr><td>c", "a | x y z | b\nc"),
    ],
)
def test_html_tables_may_leave_out_end_tags(tmp_path: Path, table: str, text: str) -> None:
    assert document(tmp_path, "a.html", f"<table>{table}</table><p>After").text == f"{text}\n\nAfter"


@pytest.mark.parametrize(
    "empty", ["<h2><img></h2>", "<ul><li><img></li></ul>", "<table><tr><td><h2>a</h2></td></tr></table>"]
)
def test_prose_behind_a_heading_or_an_item_without_text_is_neither(tmp_path: Path, empty: str) -> None:
    assert document(tmp_path, "a.html", f"{empty}<p>Prose</p>").text.removeprefix("a\n\n") == "Prose"


def test_html_in_a_declared_encoding_is_decoded(tmp_path: Path) -> None:
    page = '<meta charset="iso-8859-1"><h1>Grüße</h1>'.encode("latin-1")
    found = document(tmp_path, "a.htm", page)
    assert (found.text, found.title, found.format) == ("# Grüße", "Grüße", "html")


@pytest.mark.parametrize(
    ("declared", "data", "text"),
    [
        *((name, b"\x93caf\xe9\x94 \x80 5", "“café” € 5") for name in ("iso-8859-1", "latin1", "us-ascii")),
        ("windows-1252", b"caf\xe9 \x81", "café \ufffd"),
        ("iso-8859-9", b"\x93\xfe\x94", "“ş”"),
        ("gb2312", "镕".encode("gb18030"), "镕"),
        *((name, "①".encode("cp932"), "①") for name in ("shift_jis", "x-sjis")),
        *((name, "똠".encode("cp949"), "똠") for name in ("euc-kr", "ks_c_5601-1987", "windows-949")),
    ],
)
def test_an_encoding_that_html_declares_means_what_browsers_take_it_for(
    tmp_path: Path, declared: str, data: bytes, text: str
) -> None:
    page = f'<meta charset="{declared}"><p>'.encode() + data
    assert document(tmp_path, "a.html", page).text == text


def test_docx_gives_headings_lists_and_tables_in_order(tmp_path: Path) -> None:
    word = docx.Document()
    word.add_heading("Report", level=1)
    word.add_paragraph("Some prose.")
    word.add_paragraph("one", style="List Bullet")
    word.add_paragraph("two", style="List Bullet")
    table = word.add_table(rows=2, cols=3)
    for row, texts in zip(table.rows, (("wide", "", "c"), ("1", "2", "3")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.rows[0].cells[0].merge(table.rows[0].cells[1])
    word.add_paragraph("After.")
    buffer = BytesIO()
    word.save(buffer)
    found = document(tmp_path, "a.docx", buffer.getvalue())
    assert found.title == "Report"
    assert found.text == "# Report\n\nSome prose.\n\n- one\n- two\n\nwide | wide | c\n1 | 2 | 3\n\nAfter."


SPACE = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
RAISED = "<w:rPr><w:vertAlign w:val='superscript'/></w:rPr>"


def run(text: str, properties: str = "") -> str:
    return f"<w:r>{properties}<w:t xml:space='preserve'>{text}</w:t></w:r>"


def control(content: str, gallery: str = "") -> str:
    """A content control of Word's."""
    kind = f"<w:docPartObj><w:docPartGallery w:val='{gallery}'/></w:docPartObj>" if gallery else ""
    return f"<w:sdt><w:sdtPr>{kind}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def table(content: str) -> str:
    return f"<w:tbl><w:tblGrid/>{content}</w:tbl>"


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (f"<w:ins>{run('five')}</w:ins><w:del><w:r><w:delText>six</w:delText></w:r></w:del>", "five"),
        (f"<w:moveTo>{run('five')}</w:moveTo><w:moveFrom>{run('six')}</w:moveFrom>", "five"),
        (control(control(run("five"))), "five"),
        (f"<w:smartTag><w:fldSimple>{run('five')}</w:fldSimple></w:smartTag>", "five"),
        (run("10") + run("1", RAISED) + run("2", RAISED), "10^12"),
        (run("3") + run("1", RAISED) + run("/2"), "3 1/2"),
        ("<w:r><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>", "☑"),
        ("<w:r><w:sym w:font='Symbol' w:char='F0B1'/><w:sym w:font='Symbol' w:char='F071'/></w:r>", "±θ"),
    ],
    ids=["insertion", "move", "content control", "field", "superscript", "fraction", "tick", "Symbol"],
)
def test_docx_gives_what_a_reader_sees_within_a_sentence(tmp_path: Path, changed: str, text: str) -> None:
    word = docx_with(body(f"<w:p>{run('Rent for ')}{changed}{run(' years.')}</w:p>"))
    assert document(tmp_path, "a.docx", word).text == f"Rent for {text} years."


def test_docx_gives_what_stands_in_content_controls_around_blocks_rows_and_cells(tmp_path: Path) -> None:
    cell, row = (f"<w:{name}>{{}}</w:{name}>" for name in ("tc", "tr"))
    first = row.format(cell.format(control(paragraph("a"))) + control(cell.format(paragraph("b"))))
    second = row.format(cell.format(table(row.format(cell.format(paragraph("c")) * 2)) + paragraph("d")))
    contents = control(paragraph("Heat 7"), gallery="Table of Contents")
    word = docx_with(body(contents + control(paragraph("Heat")) + table(first + control(second))))
    assert document(tmp_path, "a.docx", word).text == "Heat\n\na | b\nc c d"


def test_docx_gives_a_text_box_once_behind_its_paragraph(tmp_path: Path) -> None:
    box = f"<w:pict><w:txbxContent>{paragraph('in the box')}</w:txbxContent></w:pict>"
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    both = f"<m:Choice>{box}</m:Choice><m:Fallback>{box}</m:Fallback>"
    drawn = f"<w:r><m:AlternateContent xmlns:m='{space}'>{both}</m:AlternateContent></w:r>"
    held = f"<w:p>{run('Be')}{drawn}{run('fore')}</w:p>"
    word = docx_with(body(held + table(f"<w:tr><w:tc>{held}</w:tc></w:tr>")))
    assert document(tmp_path, "a.docx", word).text == "Before\n\nin the box\n\nBefore in the box"


def test_docx_gives_notes_behind_their_paragraph_and_the_heads_of_pages(tmp_path: Path) -> None:
    mark = "<w:r><w:footnoteReference w:id='2'/></w:r>"
    parts = body(f"<w:p>{run('It is 38 euros')}{mark}{run(' a day.')}</w:p>{paragraph('End.')}")
    note, page = paragraph("In Norway it is 61 euros."), paragraph("Page 1 of 3") + paragraph("Draft 7")
    more = {
        "word/footnotes.xml": f"<w:footnotes {SPACE}><w:footnote w:id='2'>{note}</w:footnote></w:footnotes>",
        "word/header1.xml": f"<w:hdr {SPACE}>{paragraph('Valid from 1 March 2025')}{page}</w:hdr>",
    }
    written = BytesIO(docx_with(parts))
    with zipfile.ZipFile(written, "a") as archive:
        for name, content in more.items():
            archive.writestr(name, content)
    assert document(tmp_path, "a.docx", written.getvalue()).text == (
        "Valid from 1 March 2025\n\nDraft 7\n\nIt is 38 euros a day.\n\nIn Norway it is 61 euros.\n\nEnd."
    )


@pytest.mark.parametrize(
    ("table", "texts"),
    [
        (
            "Artikel;Preis, brutto, netto\nRöhre;19,90\nFilter;89,00\n",
            ["Artikel: Röhre\nPreis, brutto, netto: 19,90", "Artikel: Filter\nPreis, brutto, netto: 89,00"],
        ),
        ("sep=;\nArtikel;Preis\nRöhre;1,20\n", ["Artikel: Röhre\nPreis: 1,20"]),
        ("Preise 2025,,\n,,\nArtikel,Preis,\nRöhre,12.50\n", ["Preise 2025\nArtikel: Röhre\nPreis: 12.50"]),
        (
            "Preise\nStand:;Mai\n\nA;B;C\n1;2;3\n4;;\n",
            [f"Preise\nStand: Mai\nA: {row}" for row in ("1\nB: 2\nC: 3", "4")],
        ),
        ('"",B,C\n1,2,3\n', ["column 1: 1\nB: 2\nC: 3"]),
    ],
)
def test_a_table_of_excels_is_read_by_its_columns(tmp_path: Path, table: str, texts: list[str]) -> None:
    assert [row.text for row in corpus(tmp_path, "t.csv", table.encode("cp1252")).documents] == texts


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("Düse „für“ 4 €".encode("cp1252"), "read as Windows-1252"),
        ("Grüße aus Ort".encode("utf-16-le"), "read as UTF-16-LE"),
        (("Поезд отправляется в девять часов утра. " * 5).encode("cp1251"), "read as cp1251"),
    ],
)
def test_a_text_in_another_encoding_is_read_with_a_note(tmp_path: Path, data: bytes, said: str) -> None:
    found = corpus(tmp_path, "a.txt", data)
    assert re.match("Düse „für“ 4 €|Grüße aus Ort|Поезд отправляется", found.documents[0].text)
    assert [(each.reason, said in each.detail) for each in found.exclusions] == [
        (ExclusionReason.ENCODING_ASSUMED, True)
    ]


def test_each_row_of_a_table_is_a_document(tmp_path: Path) -> None:
    rows = corpus(tmp_path, "t.csv", 'kind;name;note\nx;Ann;"a; b"\n\ny;Bob;\n').documents
    assert [(d.path, d.title, d.text, d.metadata) for d in rows] == [
        ("t.csv#1", "Ann", "kind: x\nname: Ann\nnote: a; b", {"kind": "x", "name": "Ann", "note": "a; b"}),
        ("t.csv#2", "Bob", "kind: y\nname: Bob", {"kind": "y", "name": "Bob"}),
    ]


def test_a_text_column_is_the_text_and_the_rest_metadata(tmp_path: Path) -> None:
    long = "word " * 40_000
    found = document(tmp_path, "t.tsv", f"ID\tTopic\tContent\n7\tLaw\t{long}\n")
    assert (found.text, found.metadata) == (long.strip(), {"ID": "7", "Topic": "Law"})
    assert (found.title, found.topic, found.format) == ("7", "Law", "tsv")


def test_rows_that_do_not_fit_the_header_are_listed(tmp_path: Path) -> None:
    found = corpus(tmp_path, "t.csv", 'a,text\n1,one\n2,two,three\n3,\n4,"never closed\n5,five\n')
    assert [d.path for d in found.documents] == ["t.csv#1"]
    assert [(e.path, e.reason) for e in found.exclusions] == [
        ("t.csv#2", ExclusionReason.BAD_RECORD),
        ("t.csv#3", ExclusionReason.EMPTY),
        ("t.csv#4", ExclusionReason.BAD_RECORD),
    ]
    assert "Line 5" in found.exclusions[2].detail


def test_jsonl_records_are_the_users_own_chunks(tmp_path: Path) -> None:
    long = "word " * 30
    found = corpus(
        tmp_path,
        "c.jsonl",
        '{"id": 5, "text": "One.", "metadata": {"topic": "Law", "title": "T", "n": [1, 2]}}\n'
        f'{{"doc_id": "d/1", "focus": "Gout", "text": "{long}", "url": "u"}}\n',
    )
    first, second = found.documents
    assert (first.title, first.topic, first.metadata["id"], first.metadata["n"]) == ("T", "Law", "5", "[1, 2]")
    assert (second.title, second.metadata["id"], second.metadata["url"]) == ("Gout", "d/1", "u")
    assert [d.presplit for d in found.documents] == [True, True]
    assert [(c.document_id, c.tokens) for c in found.chunks] == [(first.id, 1), (second.id, 30)]


def test_bad_lines_of_jsonl_are_listed_and_the_others_read(tmp_path: Path) -> None:
    lines = ["{bad", "[1]", '{"id": 1}', '{"text": 7}', '{"text": " "}', "[" * 100_000, '{"text": "Good."}']
    found = corpus(tmp_path, "c.jsonl", "\n".join(lines))
    assert [d.path for d in found.documents] == ["c.jsonl#7"]
    assert [e.path for e in found.exclusions] == [f"c.jsonl#{n}" for n in range(1, 7)]
    assert {e.reason for e in found.exclusions} == {ExclusionReason.BAD_RECORD}


def test_text_no_database_takes_is_made_storable(tmp_path: Path) -> None:
    found = document(tmp_path, "c.jsonl", '{"text": "a\\u0000b \\ud800 \\u2028 c"}')
    assert found.text == "a\ufffdb \ufffd \u2028 c"
    found.model_dump_json()


def test_tables_of_restructured_text_that_are_lists_or_commas_are_rows(tmp_path: Path) -> None:
    (tmp_path / "fees.rst").write_text(
        ".. list-table:: Fees\n   :header-rows: 1\n\n   * - Berth\n     - Price\n   * - North\n     -\n"
        "   * - South\n     - 41 crowns\n       a night\n\n"
        '.. csv-table::\n   :header: Gate, Hours\n\n   West, "8, 9"\n\nEnd.\n'
    )
    (only,) = read(tmp_path).documents
    assert "Fees\n\nBerth | Price\nNorth |\nSouth | 41 crowns a night\n" in only.text.replace("| \n", "|\n")
    assert "Gate | Hours\nWest | 8, 9\n" in only.text


def test_furniture_by_role_and_banners_of_consent_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        "<body><div role=navigation>Menu</div><div id=cookie-banner>We use cookies.</div>"
        "<div role=main><p>Cookies are baked at nine.</p></div><div role=contentinfo>Imprint</div></body>"
    )
    (only,) = read(tmp_path).documents
    assert only.text == "Cookies are baked at nine."
