"""The expert answers with words that stand in the source, or not at all."""

from __future__ import annotations

import asyncio
from itertools import accumulate, pairwise
from typing import Any

import pytest
from asked import Says
from by_hand import source
from by_id import by_id

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.expert import ModelExpert
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import Chunk, ExpertAnswer, ItemKind, Verdict

HERE = source("The lock gate closes 35 minutes before low water. It then stays shut for an hour.")
NOBODY = CorpusSearch({}, {})
QUOTE = "The lock gate closes 35 minutes before low water."
REPLY = {"quote": QUOTE, "answerable": True, "answer": "35 minutes.", "reference": QUOTE, "groundedness": 4}


def answered(
    at: Source = HERE, dispute: Verdict | None = None, corpus: CorpusSearch = NOBODY, **more: Any
) -> tuple[ExpertAnswer | None, Says]:
    model = Says(expert={**REPLY, **more})
    return asyncio.run(ModelExpert(model, corpus).answer("How long?", "a number of minutes", at, dispute)), model


def test_an_answer_says_what_it_rests_on_and_how_clear_that_is() -> None:
    answer, _ = answered()
    assert answer is not None
    assert (answer.text, answer.reference, answer.groundedness) == ("35 minutes", QUOTE, 4)
    assert [span.quote for span in answer.evidence] == [QUOTE]


def test_a_quote_in_other_marks_and_white_space_still_stands_in_the_source() -> None:
    answer, _ = answered(quote="“the lock gate  closes 35 minutes before low water”")
    assert answer is not None


def test_a_quote_is_found_in_either_of_two_linked_chunks() -> None:
    other = source("The bridge opens at noon.", "bridge.md")
    both = Source(other.chunk, other.document, ItemKind.MULTI_HOP, HERE)
    answer, model = answered(both, second_quote="NONE")
    assert answer is not None
    assert answer.evidence[0].document_id == HERE.document.id
    assert "Part 2 of 2" in model.heard("passage")


def test_of_two_linked_chunks_the_words_of_both_are_wanted() -> None:
    other = source("The bridge opens at noon.", "bridge.md")
    both = Source(HERE.chunk, HERE.document, ItemKind.MULTI_HOP, other)
    answer, _ = answered(both, second_quote="The bridge opens at noon.")
    assert answer is not None
    assert [span.document_id for span in answer.evidence] == [HERE.document.id, other.document.id]
    alone, _ = answered(both, second_quote="NONE")
    assert alone is not None
    assert len(alone.evidence) == 1


ABSENT = Source(HERE.chunk, HERE.document, ItemKind.UNANSWERABLE)
WINTER = source("In winter it closes an hour before low water.", "winter.md", "Winter")
CORPUS = CorpusSearch(by_id([HERE.document, WINTER.document]), by_id([HERE.chunk, WINTER.chunk]))


def test_what_nothing_should_answer_is_looked_for_in_the_passages_that_a_search_finds_too() -> None:
    model = Says(expert={**REPLY, "quote": WINTER.chunk.text})
    expert = ModelExpert(model, CORPUS)
    answer = asyncio.run(expert.answer("When does it close in winter?", "a number of minutes", ABSENT))
    assert answer is not None
    assert answer.evidence[0].document_id == WINTER.document.id
    assert len(model.asked) == 1
    assert WINTER.chunk.text in model.heard("passage")
    assert HERE.chunk.text in model.heard("passage")


def test_what_nothing_should_answer_counts_as_answered_even_where_the_quote_stands_nowhere() -> None:
    answer, model = answered(ABSENT, quote="The gate opens at noon on every other Sunday.")
    assert answer is not None
    assert answer.evidence == ()
    # nor is the expert told what is hoped for
    assert set(model.asked[0][1]) == {"source", "passage", "question", "answer_form"}
    assert answered(ABSENT, answerable=False)[0] is None


def test_what_stands_before_and_after_a_passage_is_read_and_cannot_be_quoted() -> None:
    text = (
        "There are two gates. The lock gate closes 35 minutes before low water. In winter it closes an hour before."
    )
    document = source(text, "lock.md", "Lock").document
    cuts = [0, 21, 71, len(text)]
    chunks = [
        Chunk(id=f"c{n}", document_id=document.id, start=a, end=b, text=text[a:b], tokens=9)
        for n, (a, b) in enumerate(pairwise(cuts))
    ]
    corpus, here = CorpusSearch(by_id([document]), by_id(chunks)), Source(chunks[1], document)
    answer, model = answered(here, corpus=corpus)
    assert answer is not None
    around = model.heard("around")
    assert text[:20] in around
    assert text[71:] in around
    assert QUOTE not in around
    assert answered(here, corpus=corpus, quote=text[71:])[0] is None


def beside(before: str, here: str, after: str) -> list[str]:
    """What the expert reads before and after a passage."""
    document = source(before + here + after).document
    cuts = list(accumulate(map(len, (before, here, after)), initial=0))
    chunks = [
        Chunk(id=f"c{n}", document_id=document.id, start=a, end=b, text=document.text[a:b], tokens=9)
        for n, (a, b) in enumerate(pairwise(cuts))
    ]
    told = CorpusSearch(by_id([document]), by_id(chunks)).beside(Source(chunks[1], document))
    return told.removeprefix("Before it:\n").split("\n\nAfter it:\n")


def test_the_expert_reads_300_characters_before_and_after_the_passage_in_whole_words() -> None:
    told = beside("far before " * 60, "The lock gate closes early. ", "just after " * 60)
    assert [set(part.split()) for part in told] == [{"far", "before"}, {"just", "after"}]
    assert [290 <= len(part) <= 300 for part in told] == [True, True]
    assert (told[0].endswith("far before"), told[1].startswith("just after")) == (True, True)


def test_of_a_script_without_spaces_the_expert_reads_300_characters_too() -> None:
    assert list(map(len, beside("水門" * 300, "閉まる。", "干潮" * 300))) == [300, 300]


@pytest.mark.parametrize("quote", ["NONE", "", "The gate opens at noon on every other Sunday."])
def test_an_answer_without_words_of_the_source_is_none(quote: str) -> None:
    assert answered(quote=quote)[0] is None


@pytest.mark.parametrize("said", [{"answerable": False}, {"answer": "NONE"}, {"answer": " "}])
def test_what_cannot_be_answered_is_none_whatever_else_is_said(said: dict[str, Any]) -> None:
    assert answered(**said)[0] is None


def test_without_a_sentence_the_short_answer_stands_for_it() -> None:
    answer, _ = answered(reference="NONE")
    assert answer is not None
    assert answer.reference == "35 minutes"


@pytest.mark.parametrize(
    ("reference", "kept"),
    [
        (QUOTE, True),
        ("It closes 35 minutes before low water.", True),
        ("In the pumps room, the lock gate closes 35 minutes before low water.", False),
        ("The gate does not close later than 35 minutes before low water.", False),
        ("The lock gate closes 40 minutes before low water.", False),
    ],
)
def test_a_reference_with_words_of_its_own_gives_way_to_the_answer(reference: str, *, kept: bool) -> None:
    answer, _ = answered(reference=reference)
    assert answer is not None
    assert answer.reference == (reference if kept else "35 minutes")


@pytest.mark.parametrize("rating", [0, 6])
def test_a_rating_off_the_scale_is_no_rating(rating: int) -> None:
    with pytest.raises(RoleFailed):
        answered(groundedness=rating)


def test_the_expert_sees_neither_key_nor_options_and_of_a_doubt_only_its_reason() -> None:
    _, model = answered()
    assert set(model.asked[0][1]) == {"source", "passage", "question", "answer_form"}
    doubt = Verdict(
        critic="options", passed=False, reason="It goes by other words.", code="key_disputed", blames="key"
    )
    _, model = answered(dispute=doubt)
    assert set(model.asked[0][1]) == {"source", "passage", "question", "answer_form", "doubt"}
    assert "It goes by other words." in model.heard("doubt")
    assert model.heard("doubt").startswith("<<<doubt ")
