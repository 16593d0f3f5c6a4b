"""Marks go, words and code stay, every character knows where it stood; hostile text takes no longer than other."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.core.markup import Dialect, dialect_of, first_sentences, headings_above, plain_line, unmarked, unmarked_part

MARKDOWN, RESTRUCTURED = Dialect.MARKDOWN, Dialect.RESTRUCTURED


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("The gate holds **46** boats, _not_ 40.", "The gate holds 46 boats, not 40."),
        ("***Both*** and __strong__", "Both and strong"),
        ("call `f(*args)` or ``a`b``", "call f(*args) or a`b"),
        ("see [the `rules` page](https://x.org/a_(b) 'Rules') first", "see the rules page first"),
        ("see [the rules][rules] and rows[i][j]", "see the rules and rows[i][j]"),
        ("![a crane](crane.png) lifts", "a crane lifts"),
        ("<https://x.org/a*b*c> it is", "https://x.org/a*b*c it is"),
        (r"1\. not \*this\* and snake\_case", "1. not *this* and snake_case"),
        ("snake_case_name and 2 * 3 * 4 stay", "snake_case_name and 2 * 3 * 4 stay"),
        ("10 Usability <a name='u'></a>", "10 Usability "),
        ("a &amp; b &lt; c &nosuch; d", "a & b < c &nosuch; d"),
        ("first<br/>second, <name> stays", "first second, <name> stays"),
        ("one<!-- a\nnote --> two", "one two"),
        ("## Hashing ##", "Hashing"),
        ("Hashing\n=======\nText", "Hashing\n\nText"),
        ("> quoted\n> twice", "quoted\ntwice"),
        ("| a | b |\n|---|:-:|\n| *1* | 2 |", "| a | b |\n\n| 1 | 2 |"),
        ("```py\nx = a*b*c  # **no**\n```\n*yes*", "```py\nx = a*b*c  # **no**\n```\nyes"),
        ("Text\n\n    x = '*a*'\n\n*yes*", "Text\n\n    x = '*a*'\n\nyes"),
        ("- an entry\n\n    its *second* paragraph", "- an entry\n\n    its second paragraph"),
        ("- *an entry\n- another*", "- *an entry\n- another*"),
    ],
)
def test_marks_of_markdown_go_and_words_and_code_stay(marked: str, plain: str) -> None:
    assert unmarked(marked, MARKDOWN).text == plain


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("The ``x = *y*`` of :pep:`8` and :ref:`this <there>`.", "The x = *y* of 8 and this."),
        ("See `the docs <https://x.org>`_ for **more** of *it*.", "See the docs for more of it."),
        ("Hashing\n=======\n\nText", "Hashing\n\n\nText"),
        ("As here::\n\n    a = *b*\n\nand *there*", "As here::\n\n    a = *b*\n\nand there"),
        (".. code-block:: c\n\n   *p = *q;\n\n*after*", ".. code-block:: c\n\n   *p = *q;\n\nafter"),
        (".. note::\n   It *matters*.", ".. note::\n   It matters."),
        (r"\*\*kwargs and re\ ``x``", "**kwargs and rex"),
    ],
)
def test_marks_of_restructured_text_go_and_words_and_code_stay(marked: str, plain: str) -> None:
    assert unmarked(marked, RESTRUCTURED).text == plain


def test_extracted_text_loses_the_marks_of_its_headings_alone_and_plain_text_nothing() -> None:
    text = "# Tags\n\nWrite `<b>` for **bold**."
    assert unmarked(text, dialect_of("html")).text == "Tags\n\nWrite `<b>` for **bold**."
    assert unmarked(text, dialect_of("txt")).text == text


def test_a_part_that_begins_inside_a_code_block_is_code_to_the_blocks_end() -> None:
    text = "Before.\n\n```\na*b*c\nd*e*f\n```\n\n*after*"
    assert unmarked_part(text, text.index("d*e"), len(text), MARKDOWN).text == "d*e*f\n```\n\nafter"


marked_up = st.lists(
    st.sampled_from(
        [
            "*",
            "**",
            "_",
            "`",
            "``",
            "[",
            "](u)",
            "][r]",
            "![",
            "<b>",
            "</b>",
            "<br>",
            "<x",
            "&amp;",
            "\\*",
            "\\",
            "\n",
            "\n\n",
            "# ",
            "> ",
            "- ",
            "    ",
            "```\n",
            "|",
            "|---|\n",
            "a",
            "bc ",
            "é",
            ". ",
            " ",
            ":r:`",
            "`_",
            "::\n",
            "==",
        ]
    ),
    max_size=40,
).map("".join)


@given(marked_up, st.sampled_from(Dialect), st.data())
def test_any_stretch_of_plain_text_is_a_stretch_of_the_source_that_reads_so(
    text: str, dialect: Dialect, data: st.DataObject
) -> None:
    shown = unmarked(text, dialect)
    assert len(shown.places) == len(shown.text)
    assert list(shown.places) == sorted(set(shown.places))
    if not shown.text:
        return
    start = data.draw(st.integers(0, len(shown.text) - 1))
    end = data.draw(st.integers(start + 1, len(shown.text)))
    begun, ended = shown.stretch(start, end)
    assert 0 <= begun < ended <= len(text)
    assert shown.within(begun, ended) == shown.text[start:end]
    first, last = shown.whole(begun, ended)
    assert first <= begun < ended <= last
    assert shown.text[start:end] in shown.within(first, last)


words = st.lists(st.text("abcé", min_size=1, max_size=6), min_size=1, max_size=3).map(" ".join)
inline = st.one_of(
    words,
    words.map("**{}**".format),
    words.map("*{}*".format),
    words.map("`{}`".format),
    words.map("[{}](https://x.org)".format),
    words.map("<b>{}</b>".format),
)


@given(st.lists(inline, min_size=1, max_size=8), st.data())
def test_a_quote_of_whole_words_stands_where_a_reading_of_it_alone_gives_it_back(
    parts: list[str], data: st.DataObject
) -> None:
    shown = unmarked(" ".join(parts), MARKDOWN)
    cuts = [0, *(n for n, char in enumerate(shown.text) if char == " "), len(shown.text)]
    a, b = sorted(data.draw(st.lists(st.sampled_from(cuts), min_size=2, max_size=2, unique=True)))
    quote = shown.text[a:b].strip()
    start = shown.text.index(quote, a)
    first, last = shown.whole(*shown.stretch(start, start + len(quote)))
    assert quote in unmarked(shown.source[first:last], MARKDOWN).text


@pytest.mark.parametrize(
    "piece", ["[", "*", "<", "`", "](", "<!--", "![a](", "_a ", "&#", "\\", "<a href='", "> ", "```\n"]
)
def test_a_million_characters_of_hostile_text_take_a_moment(piece: str) -> None:
    text = (piece * 1_000_000)[:1_000_000]
    for dialect in (MARKDOWN, RESTRUCTURED):
        before = time.process_time()
        unmarked.__wrapped__(text, dialect)
        first_sentences(text, dialect)
        # a square of the length would take hours; a busy machine is given its share
        assert time.process_time() - before < (1 if piece in "[*<" else 4)


def test_a_title_is_one_line_without_marks() -> None:
    assert plain_line("The `walk`\n of [a _fork_](f.md) <a name=x></a>") == "The walk of a fork"


HANDBOOK = """\
[![CI](https://x.org/badge.svg)](https://x.org)

# Fork *identifiers*

| a | b |
|---|---|

This note says how nodes tell forks apart. It is for whoever runs a node, at whatever height of the chain it may \
stand, and wherever its peers are to be found, or not found, as the case may be. More follows.

Rules
-----

```
# no heading
```

## 3. Hashing

Text one.

### Deeper

## 4. Peers

Text two.
"""


def test_the_headings_above_a_place_are_those_that_hold_it() -> None:
    def above(words: str) -> list[str]:
        return headings_above(HANDBOOK, MARKDOWN, HANDBOOK.index(words))

    assert above("Text one") == ["Fork identifiers", "3. Hashing"]
    assert above("## 3. Hashing") == ["Fork identifiers", "3. Hashing"]
    assert above("### Deeper") == ["Fork identifiers", "3. Hashing", "Deeper"]
    assert above("Text two") == ["Fork identifiers", "4. Peers"]
    assert above("# no heading") == ["Fork identifiers", "Rules"]
    assert above("[![CI]") == []


def test_the_levels_of_underlined_titles_are_told_by_their_order() -> None:
    text = "=====\nTitle\n=====\n\nPart\n----\n\nDeep\n~~~~\n\nx\n\nOther\n-----\n\ny"
    assert headings_above(text, RESTRUCTURED, text.index("\nx\n") + 1) == ["Title", "Part", "Deep"]
    assert headings_above(text, RESTRUCTURED, text.index("\ny") + 1) == ["Title", "Other"]
    assert headings_above("<h2>A <b>b</b></h2>\ntext", MARKDOWN, 20) == ["A b"]
    assert headings_above("# Read\ntext", Dialect.NONE, 8) == []


def test_a_documents_first_sentences_pass_over_badges_tables_fields_and_lists() -> None:
    place, told = first_sentences(HANDBOOK, MARKDOWN)
    assert HANDBOOK[place:].startswith("This note says")
    assert told.startswith("This note says how nodes tell forks apart. It is")
    assert told.endswith("as the case may be.")
    fields = (
        "PEP: 1\nTitle: X y\n\n.. note:: This is a note, and no sentence of it.\n\nIt tells *all* there is to tell."
    )
    assert first_sentences(fields, RESTRUCTURED)[1] == "It tells all there is to tell."
    assert first_sentences("- One is a list.\n- Two is as well, and more.\n", MARKDOWN) == (0, "")
    assert len(first_sentences("word " * 100 + ".", Dialect.NONE)[1]) <= 203
