"""What editions of a document state differently is not asked about; what they state in the same words, once."""

from __future__ import annotations

import pytest
from by_hand import document

from viva.core.records import Chunk, Document, KnowledgeUnit, Span
from viva.graphs.authoring.editions import DIFFERS, REPEATS, EditionMarks, edition_sentences
from viva.storage.corpus.editions.finding import find_editions

RULES = (
    "# Guest rules\n\nThe island hostel opens its gate on 2 April. Dogs are welcome in the hall. "
    "Bed linen is changed on Monday. Breakfast is served in the kitchen until ten."
)
FIRST, SECOND = document(RULES, "2024/rules.md"), document(RULES.replace("2 April", "9 April"), "2025/rules.md")
NEWS = document("The gate of the island hostel opens on 9 April. The mail boat comes on 9 April.", "news.md")
PAIRS = find_editions([FIRST, SECOND, NEWS])
MARKS = EditionMarks.of(PAIRS)


def unit(of: Document, words: str, second: str = "") -> KnowledgeUnit:
    spans = []
    for quote in filter(None, (words, second)):
        start = of.text.index(quote)
        spans.append(Span(document_id=of.id, start=start, end=start + len(quote), quote=quote))
    return KnowledgeUnit.of(Chunk.of(of, 0, len(of.text), 9), words, *spans)


def codes(*units: KnowledgeUnit) -> list[str]:
    return [rejection.verdict.code for rejection in MARKS.not_asked(units)]


@pytest.mark.parametrize("edition", [FIRST, SECOND])
def test_a_fact_that_differs_is_asked_of_neither_edition(edition: Document) -> None:
    opens = unit(edition, "opens its gate on")
    (rejection,) = MARKS.not_asked([opens])
    assert rejection.verdict.code == DIFFERS
    assert "2 April" in rejection.verdict.reason
    assert "9 April" in rejection.verdict.reason
    assert codes(unit(edition, "Dogs are welcome in the hall.", "opens its gate on")) == [DIFFERS]


def test_an_equal_fact_is_asked_of_the_first_edition_alone() -> None:
    linen = "Bed linen is changed on Monday."
    assert (codes(unit(FIRST, linen)), codes(unit(SECOND, linen))) == ([], [REPEATS])


def test_a_page_that_states_one_side_of_a_difference_is_not_asked_for_it() -> None:
    assert codes(unit(NEWS, "The gate of the island hostel opens on 9 April.")) == [DIFFERS]
    assert codes(unit(NEWS, "The mail boat comes on 9 April.")) == []


def test_a_chunk_that_an_earlier_edition_has_is_not_read() -> None:
    chunks = [Chunk.of(each, 0, len(each.text), 9) for each in (FIRST, SECOND, NEWS)]
    assert [MARKS.covers(chunk) for chunk in chunks] == ["", REPEATS, ""]


def test_editions_are_named_with_both_sentences() -> None:
    head, differing = edition_sentences(PAIRS)
    assert "1 pair of documents" in head
    assert "differ: 1;" in head
    assert differing == [
        (
            "2024/rules.md: “The island hostel opens its gate on 2 April.” / "
            "2025/rules.md: “The island hostel opens its gate on 9 April.”"
        )
    ]
    assert edition_sentences([]) == ("", [])
