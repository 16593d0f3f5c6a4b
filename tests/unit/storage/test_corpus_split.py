"""Chunks: exact offsets, full cover, tokens within the limit, boundaries a reader would choose."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from viva.core.errors import UsageError
from viva.core.records import Chunk, Document
from viva.storage.corpus.split import Splitter


def words(text: str) -> int:
    return len(text.split())


def framed(text: str) -> int:
    """Words, and two tokens around any text, as many tokenizers count."""
    return len(text.split()) + 2


def characters(text: str) -> int:
    return len(text)


def printable(text: str) -> int:
    """Characters, as tokenizers count that drop control characters."""
    return sum(character.isprintable() for character in text)


def document(text: str) -> Document:
    return Document.of(text, path="a.md", title="A", format="md")


def split(
    text: str, tokens: int = 40, overlap: int = 8, count: Callable[[str], int] = words, *, exact: bool = True
) -> list[Chunk]:
    chunks = Splitter(tokens, overlap, count).split(document(text))
    if exact:
        assert all(chunk.text == text[chunk.start : chunk.end] == chunk.text.strip() for chunk in chunks)
    return chunks


PIECES = st.sampled_from(
    [
        "# Head\n",
        "Title\n=====\n",
        "\n\n",
        "\n",
        " ",
        "word",
        "A sentence ends. ",
        "Why? ",
        "- item\n",
        "a | b\n",
        "。",
        "\x1b",
        "```\n",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=120).map("".join))


@settings(max_examples=150, deadline=None)
@example(text="0000000\x1b0", tokens=8, overlap=1, count=printable)
@given(
    text=TEXTS,
    tokens=st.integers(4, 40),
    overlap=st.integers(0, 30),
    count=st.sampled_from([words, framed, characters, printable]),
)
def test_any_text_is_covered_exactly_and_within_the_limit(
    text: str, tokens: int, overlap: int, count: Callable[[str], int]
) -> None:
    overlap %= tokens
    chunks = split(text, tokens, overlap, count)
    covered = {offset for chunk in chunks for offset in range(chunk.start, chunk.end)}
    assert all(character.isspace() or offset in covered for offset, character in enumerate(text))
    assert all(chunk.tokens == count(chunk.text) <= tokens for chunk in chunks)
    assert [c.start for c in chunks] == sorted({c.start for c in chunks})
    assert [c.end for c in chunks] == sorted({c.end for c in chunks})


def test_a_short_text_is_one_chunk() -> None:
    assert [c.text for c in split("\n  One short text.  \n")] == ["One short text."]


def test_sections_begin_chunks() -> None:
    body = "A sentence of five words. " * 6
    text = "\n\n".join(f"## Part {n}\n\n{body}" for n in range(3))
    assert [c.text.split("\n")[0] for c in split(text, overlap=0)] == ["## Part 0", "## Part 1", "## Part 2"]


@pytest.mark.parametrize("line", ["=", "-", "~"])
def test_restructured_sections_begin_chunks(line: str) -> None:
    body = "A sentence of five words. " * 6
    text = "\n\n".join(f"Part {n}\n{line * 6}\n\n{body}" for n in range(3))
    assert [c.text.split("\n")[0] for c in split(text, overlap=0)] == ["Part 0", "Part 1", "Part 2"]


def test_a_heading_stays_with_what_it_heads() -> None:
    text = f"{'Before it all. ' * 9}\n\n## Outer\n\n### Inner\n\n{'A sentence of five words. ' * 20}"
    first = next(c for c in split(text) if "Inner" in c.text)
    assert first.text.startswith("## Outer\n\n### Inner\n\nA sentence")


def test_chunks_end_with_sentences() -> None:
    chunks = split("This sentence has exactly six words. " * 30)
    assert all(c.text.endswith("words.") and c.text.startswith("This") for c in chunks)


def test_chunks_share_whole_sentences_within_the_overlap() -> None:
    chunks = split("".join(f"Sentence number {n} is here. " for n in range(30)), tokens=40, overlap=12)
    for before, after in pairwise(chunks):
        shared = before.text[after.start - before.start :]
        assert 0 < words(shared) <= 12
        assert shared.startswith("Sentence number")


def test_a_section_takes_no_tail_of_the_one_before() -> None:
    text = f"{'Some words of the first part. ' * 5}\n\n# Second\n\n{'More words. ' * 15}"
    assert [c.text.startswith("# Second") for c in split(text)] == [False, True]


def test_tokens_around_each_text_do_not_shrink_the_chunks() -> None:
    text = "word " * 400
    assert len(split(text, 42, 8, framed)) == len(split(text, 40, 8, words))


def test_one_endless_word_is_cut() -> None:
    """Tokenizers give one token for any word they cannot read."""
    chunks = split("x" * 50_000)
    assert max(len(c.text) for c in chunks) <= 40 * 16


def test_a_presplit_document_is_one_chunk_where_it_is_no_longer_than_one_may_be() -> None:
    text = " # One\n\n" + "word " * 15 + "\n\n# Two\n\n" + "word " * 18
    own = Document.of(text, path="c.jsonl#1", title="C", format="jsonl", presplit=True)
    (chunk,) = Splitter(40, 8, words).split(own)
    assert (chunk.text, chunk.start, chunk.tokens) == (text.strip(), 1, 37)


def test_a_longer_presplit_document_is_split_with_offsets_into_its_text() -> None:
    text = " " + " ".join(f"Word number {n} is said here." for n in range(100))
    own = Document.of(text, path="c.jsonl#1", title="C", format="jsonl", presplit=True)
    chunks = Splitter(40, 8, words).split(own)
    assert all(chunk.tokens <= 40 and chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
    assert (chunks[0].start, chunks[-1].end) == (1, len(text))


@pytest.mark.parametrize("overlap", [40, 41, -1])
def test_an_overlap_that_leaves_no_room_is_refused(overlap: int) -> None:
    with pytest.raises(UsageError, match="chunk_overlap"):
        Splitter(40, overlap, words)


def test_the_tokenizer_is_asked_little() -> None:
    """Tokenizers read about a megabyte per second: each text is to be read about once."""
    asked = 0

    def counting(text: str) -> int:
        nonlocal asked
        asked += len(text)
        return words(text)

    text = "".join(f"## Part {n}\n\n{'A sentence of five words. ' * 40}\n\n" for n in range(50))
    split(text, 60, 8, counting)
    assert asked < 1.5 * len(text)


def test_hard_texts_take_linear_time() -> None:
    """Patterns and merges that are quadratic turn one of these into minutes."""
    for text in ("word " * 30_000, "a" * 100_000, "# \n" * 20_000, "a" + " " * 100_000 + "b", "T\n===\n" * 5_000):
        assert split(text, 200, 20, exact=False)
