"""Of questions that ask the same the better is kept; questions that are only worded alike are not the same."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import document, item

from viva.core.records import Item, ItemKind, Review, Trial
from viva.graphs.assembly.deduplication import count_different, quality, without_repeats
from viva.llm.embeddings import SentenceTransformerEmbedder

TEXT = document("The bunker at Port Ellery holds 42,000 litres. " * 20)
OTHER = document("At Port Ellery 42,000 litres fit into the bunker. " * 20)


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder("minilm", threads=1)


def asked(stem: str, key: str, at: tuple[int, int] = (0, 40), number: int = 0, of: object = TEXT) -> Item:
    base = item(number, of=of, stem=stem)  # type: ignore[arg-type]
    span = base.evidence[0].model_copy(update={"start": at[0], "end": at[1]})
    return base.model_copy(update={"key": key, "evidence": (span,)})


HOW = asked("How many litres does the fuel bunker at Port Ellery hold?", "42,000 litres")


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (asked("how many  litres does the fuel bunker at Port Ellery HOLD?", "42000 litres"), "repeats another item"),
        (asked("What is kept there?", "42,000 litres", (10, 45)), "asks nearly the same as another item"),
        (
            asked("The fuel bunker at Port Ellery holds how many litres?", "42,000", of=OTHER),
            "asks nearly the same as another item",
        ),
        (
            asked("How many litres can the fuel bunker at Port Ellery hold?", "36 tonnes", (500, 600)),
            "asks nearly the same as another item",
        ),
    ],
)
def test_one_of_two_questions_that_ask_the_same_is_kept(
    minilm: SentenceTransformerEmbedder, other: Item, why: str
) -> None:
    kept, left = without_repeats([HOW, other], minilm.embed)
    assert len(kept) == 1
    assert {reason: n for reason, n in left.items() if n} == {why: 1}


@pytest.mark.parametrize(
    "other",
    [
        asked("How many litres does the fuel bunker at Varnholm hold?", "42,000 litres", (500, 600)),
        asked("In which year was the fuel bunker at Port Ellery built?", "1984", (0, 40)),
        asked("How many litres does a car need?", "42,000 litres", (500, 600)),
    ],
)
def test_what_asks_of_another_thing_or_for_another_fact_is_no_repeat(
    minilm: SentenceTransformerEmbedder, other: Item
) -> None:
    assert len(without_repeats([HOW, other], minilm.embed)[0]) == 2


IN_LEAVE, LEAVE = "In the context of “Leave policy”, ", "How many days of leave has everybody?"


def test_a_question_to_which_the_documents_give_two_answers_is_not_asked() -> None:
    contradicted = [
        asked(IN_LEAVE + LEAVE, "27 days"),
        asked(IN_LEAVE + LEAVE.upper(), "27 days", of=OTHER),
        asked(f"{IN_LEAVE} {LEAVE}", "29 days", (500, 600)),
        asked(IN_LEAVE + LEAVE, "It is not said.", number=9).model_copy(update={"kind": ItemKind.UNANSWERABLE}),
    ]
    for given in (contradicted, contradicted[::-1]):
        kept, left = without_repeats([HOW, *given], None)
        assert kept == [HOW]
        assert {reason: n for reason, n in left.items() if n} == {"the documents give another answer too": 4}
    # they ask one thing all the same
    assert count_different([HOW, *contradicted]) == 2


def test_what_two_documents_answer_differently_each_within_its_own_scope_asks_nearly_the_same() -> None:
    years = [
        asked(f"In the context of “Leave in {year}”, {LEAVE}", key, of=of)
        for year, key, of in (("2023", "27 days", TEXT), ("2024", "29 days", OTHER))
    ]
    kept, left = without_repeats(years, None)
    assert len(kept) == 1
    assert {reason: n for reason, n in left.items() if n} == {"asks nearly the same as another item": 1}


@pytest.mark.parametrize(
    ("stem", "keys", "pattern"),
    [
        ("How long does the pump run?", ("2 hours", "120 minutes"), "ask-quantity"),
        ("Who built the pier?", ("the council", "The council of Varnholm"), "ask-agent"),
        ("How much fuel does the bunker hold?", ("42,000", "42,000 litres"), "ask-quantity"),
        ("Which of these is said of pumps?", ("move oil", "need filters"), "predicate"),
        ("Which statement about pumps is right?", ("They move oil.", "They need filters."), ""),
    ],
)
def test_keys_that_say_the_same_and_questions_with_several_right_statements_contradict_nothing(
    stem: str, keys: tuple[str, str], pattern: str
) -> None:
    both = [asked(stem, key, (400 * n, 400 * n + 40)) for n, key in enumerate(keys)]
    cast = "offline" if pattern else "language-model"
    both = [
        one.model_copy(update={"provenance": one.provenance.model_copy(update={"pattern": pattern, "cast": cast})})
        for one in both
    ]
    kept, left = without_repeats(both, None)
    assert not left["the documents give another answer too"]
    assert len(kept) >= 1


STRUCK = asked("Why did the tide gauge at Varnholm stop on 5 September 2024?", "lightning struck its mast")


@pytest.mark.parametrize("n", [0, 1])
def test_of_two_questions_one_of_which_tells_the_others_key_one_is_kept(n: int) -> None:
    telling = asked(
        "When was the tide gauge installed that stopped on 5 September 2024 after lightning struck its mast?",
        "2006",
        (500, 600),
    )
    better = [STRUCK, telling][n].model_copy(
        update={"trials": (Trial(reader="lexical", with_evidence=True, picked=3, tried=3),)}
    )
    kept, left = without_repeats([better, [STRUCK, telling][1 - n]], None)
    assert kept == [better]
    assert {reason: n for reason, n in left.items() if n} == {"gives another item away, or is given away": 1}


@pytest.mark.parametrize(
    "other",
    [
        # the same fact turned round
        asked("Whose mast had lightning struck by 5 September?", "the tide gauge of Varnholm", (500, 600)),
        # an option that states it
        asked(
            "Which of these is true?",
            "on 5 September lightning struck its mast: the tide gauge fell silent",
            (500, 600),
        ),
    ],
)
def test_the_key_of_a_question_is_told_by_one_turned_round_and_by_an_option_too(other: Item) -> None:
    kept, left = without_repeats([STRUCK, other], None)
    assert len(kept) == 1
    assert {reason: n for reason, n in left.items() if n} == {"gives another item away, or is given away": 1}


def test_what_a_question_names_first_and_the_words_of_its_pattern_give_no_key_away() -> None:
    telling, told = (
        asked(f"In the context of “{place}”, which words complete this statement: “{gap}”?", key, (at, at + 40))
        for place, gap, key, at in (
            ("Memory and Gauges", "Rust calls drop at ____", "the closing bracket", 0),
            ("Ownership", "Rules govern how a program manages ____", "memory", 500),
        )
    )
    assert len(without_repeats([telling, told], None)[0]) == 2


def test_one_fact_is_not_asked_alone_and_after_a_conversation_but_what_it_leaves_out_may_be_asked_in_vain() -> None:
    alone = asked("When was the pier built?", "1984", number=7)
    kinds = {
        kind: asked("And who paid?", "the council", (500, 600), 7).model_copy(update={"kind": kind})
        for kind in (ItemKind.FOLLOW_UP, ItemKind.UNANSWERABLE)
    }
    assert {kind: len(without_repeats([alone, other], None)[0]) for kind, other in kinds.items()} == {
        ItemKind.FOLLOW_UP: 1,
        ItemKind.UNANSWERABLE: 2,
    }


@pytest.mark.parametrize(
    "other",
    [
        # the words of the key, of another matter
        asked("What was mended after lightning struck the mast of the Brannoch?", "the radar", (500, 600)),
        # nothing is asked about but what the key says
        asked("What stopped when lightning struck its mast on the Brannoch?", "the radar", (500, 600)),
        # the same matter, and not all of the key
        asked("Who saw the tide gauge at Varnholm stop on 5 September 2024 after lightning?", "nobody", (500, 600)),
    ],
)
def test_a_question_that_shares_words_with_anothers_key_gives_nothing_away(other: Item) -> None:
    assert len(without_repeats([STRUCK, other], None)[0]) == 2


def test_which_one_is_kept_hangs_on_what_is_known_of_them_and_not_on_their_order() -> None:
    plain = asked("What is kept there?", "42,000 litres")
    trial = Trial(reader="lexical", with_evidence=True, picked=2, tried=3)
    review = Review(decision="accept", by="a person", at="2026-01-01T00:00:00Z")
    dull = plain.model_copy(
        update={"id": "a", "provenance": plain.provenance.model_copy(update={"pattern": "closing-phrase"})}
    )
    revised = plain.model_copy(update={"id": "b", "provenance": plain.provenance.model_copy(update={"attempts": 3})})
    guessed = plain.model_copy(update={"id": "c", "trials": (trial.model_copy(update={"with_evidence": False}),)})
    solved = plain.model_copy(update={"id": "e", "trials": (trial,)})
    reviewed = plain.model_copy(
        update={"id": "f", "provenance": plain.provenance.model_copy(update={"reviews": (review,)})}
    )
    ranked = [guessed, dull, revised, plain, solved, reviewed]
    assert sorted([reviewed, solved, plain, revised, dull, guessed], key=quality) == ranked
    for better in range(1, len(ranked)):
        for given in (ranked[: better + 1], ranked[better::-1]):
            assert [i.id for i in without_repeats(given, None)[0]] == [ranked[better].id]


def test_the_place_that_a_question_names_first_makes_no_other_question_of_it(
    minilm: SentenceTransformerEmbedder,
) -> None:
    gap = "which words complete this statement: “Pilots wait for ____”?"
    places = ("Quays in the North", "Rules of Low Water")
    same = [
        asked(f"In the context of “{place}”, {gap}", "high water", of=of)
        for place, of in zip(places, (TEXT, OTHER), strict=True)
    ]
    assert [len(without_repeats(same, embed)[0]) for embed in (minilm.embed, None)] == [1, 1]
    assert count_different(same) == 1


def test_without_an_embedder_words_alone_are_compared() -> None:
    near = asked("How many litres does the fuel bunker at Port Ellery now hold?", "40,000 litres", (500, 600))
    assert len(without_repeats([HOW, near], None)[0]) == 1


def test_no_item_and_one_item_are_left_as_they_are() -> None:
    def nothing(_: object) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        raise AssertionError("there is nothing to compare")

    assert without_repeats([], nothing)[0] == []
    assert without_repeats([HOW], nothing)[0] == [HOW]


def test_questions_that_no_document_answers_are_compared_by_their_words() -> None:
    one, two = (
        HOW.model_copy(update={"id": f"u{n}", "evidence": (), "stem": stem, "key": "It is not said."})
        for n, stem in enumerate(["Who built the bunker?", "When was the pier painted?"])
    )
    assert len(without_repeats([one, two], None)[0]) == 2
