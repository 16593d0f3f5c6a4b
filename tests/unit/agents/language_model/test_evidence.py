"""A quote is found where it stands, to the character, however the model changed its looks; else it is not found."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from by_hand import document, source
from hypothesis import given
from hypothesis import strategies as st

from viva.agents.language_model.asks import passage
from viva.agents.language_model.context import plain_quote
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.roles import Source
from viva.core.records import Chunk, Span

TEXT = """\
Before the chunk stands this.

The outer basin of “Quillon Ness” holds **46** fishing boats – more than any other. The
lock gate closes 35 minutes before low water. It then stays shut for an hour.

- Berth A is 85 metres long.
- Berth B is 140 metres long.

Das Café öffnet um 6:30. 鍵は三つある。窓は二つある。

After the chunk stands this, about the lock gate."""


def middle() -> Source:
    """A chunk that is neither the beginning nor the end of its document."""
    whole = document(TEXT)
    return Source(Chunk.of(whole, TEXT.index("The outer"), TEXT.index("\n\nAfter"), 80), whole)


HERE = middle()
EVIDENCE = EvidenceFinder(HERE)


def found(quote: str) -> Span:
    span = EVIDENCE.find(quote)
    assert span is not None
    assert span.quote == HERE.document.text[span.start : span.end] != ""
    assert HERE.chunk.start <= span.start < span.end <= HERE.chunk.end
    return span


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("It then stays shut for an hour.", "It then stays shut for an hour."),
        ("The lock gate closes 35 minutes", "The\nlock gate closes 35 minutes"),
        ("the LOCK  gate closes 35 minutes", "The\nlock gate closes 35 minutes"),
        (
            'basin of "Quillon Ness" holds 46 fishing boats - more',
            "basin of “Quillon Ness” holds **46** fishing boats – more",
        ),
        ("'It then stays shut for an hour.'", "It then stays shut for an hour."),
        ("Das Cafe o\u0308ffnet um 6:30.", "Das Café öffnet um 6:30."),
        ("It then\u200b stays shut for an hour.", "It then stays shut for an hour."),
    ],
)
def test_a_quote_is_found_whatever_its_white_space_case_and_marks(quote: str, stands: str) -> None:
    assert found(quote).quote == stands


@pytest.mark.parametrize(
    ("quote", "sentence"),
    [
        ("35 minutes", "The\nlock gate closes 35 minutes before low water."),
        ("140 metres", "- Berth B is 140 metres long."),
        ("窓は二つ", "窓は二つある。"),
    ],
)
def test_a_quote_of_a_few_words_is_widened_to_its_sentence(quote: str, sentence: str) -> None:
    assert found(quote).quote == sentence


def test_a_quote_that_was_reworded_finds_the_sentences_with_its_words() -> None:
    assert found("The lock gate closes 35 minutes before the low water").quote.startswith("The\nlock gate closes")
    two = found("The lock gate closes 35 minutes before low water, then stays shut for an hour.")
    assert two.quote.startswith("The\nlock gate")
    assert two.quote.endswith("for an hour.")


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "  \n",
        "“”",
        "...",
        "NONE",
        "The harbour master has a red beard.",
        "After the chunk stands this, about the lock gate.",
        "Before the chunk stands this.",
    ],
)
def test_what_does_not_stand_in_the_chunk_is_not_found(quote: str) -> None:
    assert EVIDENCE.find(quote) is None


def test_no_evidence_is_the_empty_span_at_the_chunks_start() -> None:
    nothing = EVIDENCE.nothing()
    assert (nothing.start, nothing.end, nothing.quote) == (HERE.chunk.start, HERE.chunk.start, "")


MARKED = """\
# Rules

The **outer** basin of [Quillon Ness](https://x.org/a_b) holds `46` boats &amp; 2 \\*rafts\\*. *It then stays shut*
for an hour, says the [harbour master](m.md).

| Berth | Length |
|-------|--------|
| **A** | 85 metres at low water |

```
gate = open(*args)
```
"""


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        (
            "The outer basin of Quillon Ness holds 46 boats & 2 *rafts*.",
            "The **outer** basin of [Quillon Ness](https://x.org/a_b) holds `46` boats &amp; 2 \\*rafts\\*.",
        ),
        ("outer basin of Quillon Ness", "**outer** basin of [Quillon Ness](https://x.org/a_b)"),
        ("then stays shut for an hour", "*It then stays shut*\nfor an hour"),
        ("says the harbour master", "says the [harbour master](m.md)"),
        ("A | 85 metres at low water", "**A** | 85 metres at low water"),
        ("gate = open(*args)", "gate = open(*args)"),
    ],
)
def test_what_a_model_was_shown_is_found_where_the_document_marks_it_up(quote: str, stands: str) -> None:
    here = source(MARKED)
    assert quote in passage(here)["passage"].replace("\n", " ")
    span = EvidenceFinder(here).find(quote)
    assert span is not None
    assert MARKED[span.start : span.end] == span.quote
    assert stands in span.quote
    assert quote in " ".join(plain_quote(span).split())


marked = st.lists(
    st.sampled_from(
        [
            "boat",
            "gate",
            "**low** water",
            "`shut`",
            "*two words*",
            "[the pier](p.md)",
            "a\\_b",
            "x &lt; y",
            "<b>c</b>",
        ]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(marked, st.data())
def test_any_words_of_a_shown_passage_are_found_and_read_alone_say_the_same(text: str, data: st.DataObject) -> None:
    here = source(text)
    told = passage(here)["passage"]
    cuts = [0, *(n for n, char in enumerate(told) if char == " "), len(told)]
    a, b = sorted(data.draw(st.lists(st.sampled_from(cuts), min_size=2, max_size=2, unique=True)))
    span = EvidenceFinder(here).find(told[a:b])
    assert span is not None
    assert told[a:b].strip() in plain_quote(span)


words = st.text(st.sampled_from("abÅéßﬁ 12.,'’\"“-–\n\t*_`İ鍵가"), min_size=1, max_size=80)
mangled = st.sampled_from(
    [
        lambda t: t,
        str.upper,
        lambda t: re.sub(r"\s+", " ", t),
        lambda t: re.sub(r"\s", "\n  ", t),
        lambda t: t.replace("’", "'").replace("“", '"').replace("–", "-"),
        lambda t: t.replace("*", "").replace("`", ""),
    ]
)


@given(words, st.data(), mangled)
def test_any_part_of_a_chunk_is_found_and_the_span_is_the_documents_own_text(
    text: str, data: st.DataObject, change: Callable[[str], str]
) -> None:
    here = source(text)
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    span = EvidenceFinder(here).find(change(quote))
    if any(char.isalnum() for char in quote):
        assert span is not None
        assert span.quote != ""
    if span is not None:
        assert span.quote == text[span.start : span.end]


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_and_no_quote_brings_it_down(text: str, quote: str) -> None:
    span = EvidenceFinder(source(text)).find(quote)
    assert span is None or span.quote == text[span.start : span.end]
