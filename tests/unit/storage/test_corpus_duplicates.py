"""Repeated documents are left out, repeated chunks marked; the figures add up."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest

from viva.core.records import Chunk, Document, ExclusionReason
from viva.storage.corpus.duplicates import mark_near_duplicates
from viva.storage.corpus.read import read_corpus
from viva.storage.corpus.statistics import corpus_statistics

read = partial(
    read_corpus,
    max_file_mb=1,
    max_documents=None,
    chunk_tokens=64,
    chunk_overlap=8,
    count_tokens=lambda text: len(text.split()),
)


def chunks(*texts: str) -> list[Chunk]:
    documents = [Document.of(text, path=f"{n}.md", title="T", format="md") for n, text in enumerate(texts)]
    # equal texts would share an id: each chunk is told apart by its token count
    made = [Chunk.of(d, 0, len(d.text), n) for n, d in enumerate(documents)]
    return [chunk.model_copy(update={"id": str(n)}) for n, chunk in enumerate(made)]


def marks(*texts: str) -> list[str | None]:
    return [chunk.duplicate_of for chunk in mark_near_duplicates(chunks(*texts))]


def prose(seed: int, length: int = 150) -> list[str]:
    random = Random(seed)
    return [f"w{random.randrange(5000)}" for _ in range(length)]


def test_a_copy_of_a_document_is_left_out_naming_the_first(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\n\nThe same  text.\n")
    (tmp_path / "b.txt").write_text("# One\nThe same text.")
    corpus = read(tmp_path)
    assert [d.path for d in corpus.documents] == ["a.md"]
    (exclusion,) = corpus.exclusions
    assert (exclusion.path, exclusion.reason) == ("b.txt", ExclusionReason.EXACT_DUPLICATE)
    assert "a.md" in exclusion.detail


def test_a_nearly_equal_chunk_names_the_first() -> None:
    first = prose(1)
    second = [*first[:75], "changed", *first[76:]]
    third = [*first[:30], "altered", *first[31:]]
    assert marks(" ".join(first), " ".join(prose(2)), " ".join(second), " ".join(third)) == [None, None, "0", "0"]


def test_case_and_punctuation_do_not_hide_a_repeat() -> None:
    words = prose(3)
    assert marks(" ".join(words), ", ".join(words).upper()) == [None, "0"]


def test_half_a_repeat_is_none() -> None:
    words = prose(4)
    assert marks(" ".join(words), " ".join([*words[:75], *prose(5, 75)])) == [None, None]


@pytest.mark.parametrize(
    ("first", "second", "repeats"),
    [
        ("A short note.", "a short note", True),
        ("A short note.", "A short vote.", False),
        ("***", "---", False),
        ("***", "***", True),
        ("...", "!!!", False),
        ("-5 °C", "5 °C", False),
        ("C++", "C#", False),
        ("x < 5", "x > 5", False),
        ("Open: at 5, daily!", "open at  5 daily", True),
    ],
)
def test_short_chunks_repeat_only_when_equal(first: str, second: str, repeats: bool) -> None:
    assert marks(first, second) == [None, "0" if repeats else None]


def test_the_figures_add_up(tmp_path: Path) -> None:
    (tmp_path / "law").mkdir()
    (tmp_path / "law" / "a.md").write_text("One two three two.")
    (tmp_path / "b.txt").write_text("One Four.")
    (tmp_path / "c.txt").write_text("One  Four.")
    (tmp_path / "d.xyz").write_text("x")
    (tmp_path / "e.csv").write_text("text\nfive six\nseven\n")
    (tmp_path / "f.txt").write_text("Seven!")
    figures = corpus_statistics(read(tmp_path))
    assert figures.model_dump() == {
        "documents": 5,
        "chunks": 5,
        "words": 10,
        "vocabulary": 7,
        "median_chunk_tokens": 2.0,
        "mean_chunk_tokens": 2.0,
        "max_chunk_tokens": 4,
        "mean_document_words": 2.0,
        "exact_duplicates": 1,
        "near_duplicate_chunks": 1,
        "exclusions_by_reason": {"exact duplicate": 1, "unknown type": 1},
        "topics": {"": 4, "law": 1},
        "formats": {"csv": 2, "md": 1, "txt": 2},
    }
