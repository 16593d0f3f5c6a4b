"""Passages count by the characters of the evidence they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.core.errors import UsageError
from viva.core.records import Passage, Span
from viva.metrics.retrieval.evidence_recall import MIN_CUT, evidence_recall_at, reciprocal_rank

TEXT = "Intro. The pump must be flushed with clean water before each start. Outro follows here."
START, END = TEXT.index("The pump"), TEXT.index(" Outro")
EVIDENCE = Span(document_id="d", start=START, end=END, quote=TEXT[START:END])
LENGTH = END - START


def at(start: int, end: int, document: str = "d") -> Passage:
    return Passage(text=TEXT[start:end], document_id=document, start=start, end=end)


def text_only(text: str) -> Passage:
    return Passage(text=text)


def test_a_passage_that_holds_the_evidence_covers_it() -> None:
    assert evidence_recall_at(1, [at(0, len(TEXT))], EVIDENCE) == 1.0


def test_overlapping_passages_are_counted_once() -> None:
    passages = [at(START, START + 20), at(START + 10, START + 30), at(START, START + 20)]
    assert evidence_recall_at(3, passages, EVIDENCE) == pytest.approx(30 / LENGTH)


def test_only_the_first_k_passages_count() -> None:
    passages = [at(0, 3), at(START, END)]
    assert evidence_recall_at(1, passages, EVIDENCE) == 0.0
    assert evidence_recall_at(2, passages, EVIDENCE) == 1.0
    assert evidence_recall_at(9, passages, EVIDENCE) == 1.0


def test_the_same_offsets_in_another_document_cover_nothing() -> None:
    other = Passage(text="Gates are shut by night.", document_id="other", start=START, end=END)
    assert evidence_recall_at(1, [other], EVIDENCE) == 0.0


def test_the_sentence_in_another_edition_or_another_place_of_the_document_is_a_hit() -> None:
    edition = Passage(text=TEXT, document_id="another edition", start=90, end=90 + len(TEXT))
    again = Passage(text=TEXT, document_id="d", start=900, end=900 + len(TEXT))
    for passage in (edition, again):
        assert evidence_recall_at(1, [passage], EVIDENCE) == 1.0
        assert reciprocal_rank([passage], EVIDENCE) == 1.0


def test_no_passages_are_not_a_recall_of_zero() -> None:
    assert evidence_recall_at(5, [], EVIDENCE) is None
    assert reciprocal_rank([], EVIDENCE) is None


def test_a_text_that_contains_the_quote_covers_it_whatever_its_white_space_and_case() -> None:
    wrapped = "  INTRO.\n\nthe PUMP must be\tflushed with clean\nwater before each start.  "
    assert evidence_recall_at(1, [text_only(wrapped)], EVIDENCE) == 1.0
    foreign = Passage(text=TEXT, document_id="a foreign name")
    assert evidence_recall_at(1, [foreign], EVIDENCE) == 1.0


def test_a_text_inside_the_quote_covers_its_share() -> None:
    part = "flushed with clean water"
    assert evidence_recall_at(1, [text_only(f" {part} ")], EVIDENCE) == pytest.approx(len(part) / LENGTH)


def test_a_text_cut_inside_the_quote_covers_the_part_it_holds() -> None:
    head, tail = TEXT[: START + 30], TEXT[START + 25 :]
    assert evidence_recall_at(1, [text_only(head)], EVIDENCE) == pytest.approx(30 / LENGTH, abs=1 / LENGTH)
    assert evidence_recall_at(2, [text_only(head), text_only(tail)], EVIDENCE) == pytest.approx(1.0)


def test_a_short_agreement_at_the_border_is_chance() -> None:
    assert evidence_recall_at(1, [text_only(TEXT[: START + MIN_CUT - 5])], EVIDENCE) == 0.0


def test_unrelated_and_empty_texts_cover_nothing() -> None:
    assert evidence_recall_at(2, [text_only("Nothing of the sort."), text_only(" \n")], EVIDENCE) == 0.0


def test_letters_that_grow_when_folded_are_measured_in_the_quote() -> None:
    quote = "Straße und Maß"
    evidence = Span(document_id="d", start=0, end=len(quote), quote=quote)
    assert evidence_recall_at(1, [text_only("STRASSE")], evidence) == pytest.approx(6 / len(quote))


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("The **pump** holds `30` litres\\.", "The pump holds 30 litres."),
        ("The [pump](tank.md) holds [30 litres](https://x.org/a_b).", "The pump holds 30 litres."),
        ("Pump | 30 litres &amp; more", "Pump 30 litres & more"),
        ("| Part | Price |\n|---|---|\n| Pump | 30 euros |", "Part Price Pump 30 euros"),
        ("He said “don’t open it” – never.", 'He said "don\'t open it" - never.'),
        ("Der Donau\u00addampfer fährt\u200b um zehn.", "Der Donaudampfer fährt um zehn."),
        ("Die Gro\u0308ße der Tu\u0308r", "Die Größe der Tür"),
    ],
)
def test_a_text_covers_the_quote_whatever_its_marks_and_its_form_of_unicode(quote: str, shown: str) -> None:
    evidence = Span(document_id="d", start=0, end=len(quote), quote=quote)
    assert evidence_recall_at(1, [text_only(f"Before it. {shown} After it.")], evidence) == 1.0
    assert evidence_recall_at(1, [text_only(quote)], evidence) == 1.0
    assert evidence_recall_at(1, [text_only(f"{shown} not".replace("30", "31").replace("e", "i"))], evidence) == 0.0


def test_parts_of_a_quote_with_marks_are_measured_in_its_own_characters() -> None:
    quote = "**The pump** must be [flushed](water.md) with clean water before *each start*."
    evidence = Span(document_id="d", start=0, end=len(quote), quote=quote)
    head, tail = "Intro. The pump must be flushed with", "flushed with clean water before each start. Outro"
    assert evidence_recall_at(1, [text_only(head)], evidence) == (quote.index("with") + 4) / len(quote)
    assert evidence_recall_at(2, [text_only(head), text_only(tail)], evidence) == 1.0


def test_rank_is_that_of_the_first_passage_that_covers_enough() -> None:
    passages = [at(0, 3), at(START, START + LENGTH // 4), at(START, END)]
    assert reciprocal_rank(passages, EVIDENCE) == pytest.approx(1 / 3)
    assert reciprocal_rank(passages, EVIDENCE, threshold=0.2) == pytest.approx(1 / 2)
    assert reciprocal_rank(passages[:2], EVIDENCE) == 0.0


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(UsageError):
        evidence_recall_at(0, [], EVIDENCE)
    with pytest.raises(UsageError):
        reciprocal_rank([], EVIDENCE, threshold=0)
    with pytest.raises(UsageError, match="no characters"):
        evidence_recall_at(1, [], Span(document_id="d", start=3, end=3, quote=""))


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))), min_size=1, max_size=6))
def test_recall_is_the_share_of_characters_seen_and_grows_with_k(bounds: list[tuple[int, int]]) -> None:
    passages = [at(min(pair), max(pair)) for pair in bounds]
    seen = {c for low, high in bounds for c in range(min(low, high), max(low, high))} & set(range(START, END))
    recalls = [evidence_recall_at(k, passages, EVIDENCE) or 0.0 for k in range(1, len(passages) + 1)]
    assert recalls[-1] == pytest.approx(len(seen) / LENGTH)
    assert recalls == sorted(recalls)
