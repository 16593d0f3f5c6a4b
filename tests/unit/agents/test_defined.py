"""Wrong terms are other terms of the glossary: of the key's sort and matter, and of no definition like its own."""

from __future__ import annotations

import pytest
from by_hand import WordEmbedder, all_near, bank, draft, source

from viva.agents.offline.bank import DEFINED, Bank
from viva.agents.offline.defined import DefinedTerms
from viva.agents.offline.genus import DOING, FORM_OF, HAPPENING, QUOTED, UNSORTED, is_broad, sort_of
from viva.agents.offline.grammar import capitalised
from viva.agents.offline.pool import Wrong
from viva.agents.roles import Source
from viva.core.records import Draft

KEY = "A drogue is a tool that slows a lifeboat in heavy seas."
FAIRLEAD = "A fairlead is a tool that guides a rope over a deck."
CAPSTAN = "A capstan is a tool that winds wet ropes onto a steel drum."


def asked(of: Source, known: Bank) -> Draft:
    """The draft that asks for the term that the source's first line defines."""
    line = of.document.text.split("\n")[0]
    what = next(e.definition for e in known.defined if e.definition.term.lower() in line.lower())
    return draft(of, line, what.stem, capitalised(what.term), DEFINED, "term-for")


def gathered(*sources: Source, most: int = 9) -> list[Wrong]:
    known = bank(*sources)
    return DefinedTerms(known, WordEmbedder().embed).gather(asked(sources[0], known), most)


def beside(*others: str, key: str = KEY, elsewhere: str = "") -> list[str]:
    """The terms gathered for the key where these sentences stand in its document, and these in another."""
    here = source("\n\n".join((key, *others)), "gear.md", "Gear")
    there = [source(elsewhere, "quay.md", "Quay")] if elsewhere else []
    return [wrong.text for wrong in gathered(here, *there)]


def test_another_term_of_the_sort_and_matter_stands_beside_the_key() -> None:
    assert beside(FAIRLEAD) == ["Fairlead"]
    assert beside(elsewhere=FAIRLEAD) == ["Fairlead"]


REFUSED = {
    "the same thing": "A riding sail is a tool that slows a raft in heavy seas.",
    "another matter": "An oracle is an odd tool whose pages print crossword winners.",
    "another sort": "A bosun is a worker that slows a winch in a gale.",
    "another number": "Fairleads are tools that guide a rope over a deck.",
    "a kind of it": "A cone drogue is a tool that guides a rope over a deck.",
    "defined by it": "A fairlead is a tool that guides a drogue over a deck.",
    "what its definition speaks of": "A lifeboat is a tool that guides a crew over a bar.",
}


@pytest.mark.parametrize("other", REFUSED.values(), ids=REFUSED.keys())
def test_a_term_that_may_be_right_or_that_nobody_would_take_is_left_out(other: str) -> None:
    known = bank(source(f"{KEY}\n\n{other}"))
    assert len(known.defined) == 2
    assert beside(other, FAIRLEAD) == ["Fairlead"]
    assert beside(other) == []


def test_what_a_term_is_a_kind_of_is_left_out() -> None:
    whole = "A cone drogue is a tool that slows a lifeboat in heavy seas."
    assert beside("A drogue is a tool that guides a rope over a deck.", key=whole) == []
    assert beside(FAIRLEAD, key=whole) == ["Fairlead"]


def test_a_term_that_is_once_defined_like_the_key_is_left_out_wherever_else_it_is_defined() -> None:
    again = "A fairlead is a tool that slows a raft in heavy seas."
    assert beside(FAIRLEAD, again) == []
    assert beside(FAIRLEAD, elsewhere=again) == []


def test_a_term_is_taken_once_with_the_definition_that_stands_nearest() -> None:
    farther = "A fairlead is a tool that winds wet ropes onto a steel drum."
    found = gathered(source(f"{KEY}\n\n{farther}\n\n{FAIRLEAD}", title="Gear"))
    assert [(wrong.text, wrong.reason) for wrong in found] == [
        ("Fairlead", "It is a tool that guides a rope over a deck (“Gear”).")
    ]


@pytest.mark.parametrize(("noun", "found"), [("pole", []), ("device", [])], ids=["narrow", "broad"])
def test_of_a_noun_for_everything_only_terms_of_one_matter_stand_beside_one_another(
    noun: str, found: list[str]
) -> None:
    key = f"A drogue is a {noun} that slows a lifeboat in heavy seas."
    assert beside(f"An otterboard is a {noun} which spreads nets below trawlers offshore at dawn.", key=key) == found
    assert beside(f"A fairlead is a {noun} that guides a rope over a deck.", key=key) == ["Fairlead"]


def test_a_term_of_another_noun_stands_beside_no_key_in_its_document_or_elsewhere() -> None:
    ring = "A fairlead is a ring that guides a rope over a deck."
    assert beside(ring) == []
    assert beside(elsewhere=ring) == []


def test_nouns_that_mean_the_same_are_one_sort() -> None:
    assert beside("A fairlead is a utility that guides a rope over a deck.") == ["Fairlead"]


def test_the_nearest_definition_comes_first() -> None:
    assert beside(CAPSTAN, FAIRLEAD) == beside(FAIRLEAD, CAPSTAN) == ["Fairlead", "Capstan"]


def test_forms_of_one_term_are_one_option() -> None:
    assert beside(
        "A warping end is a tool that guides a rope over a quay.", "A warped end is a tool that bends a wet rope."
    ) == ["Warping end"]


def test_terms_of_the_same_document_come_before_those_of_others() -> None:
    alike = "A warping end is a tool that guides a rope over a quay."
    assert beside(FAIRLEAD, elsewhere=alike) == ["Fairlead", "Warping end"]
    assert beside(alike, elsewhere=FAIRLEAD) == ["Warping end", "Fairlead"]


def test_no_more_are_gathered_than_are_wanted() -> None:
    whole = source(f"{KEY}\n\n{FAIRLEAD}\n\n{CAPSTAN}")
    assert [len(gathered(whole, most=most)) for most in (0, 1, 2, 3)] == [0, 1, 2, 2]


def test_a_wrong_term_says_what_the_corpus_calls_by_it() -> None:
    found = gathered(
        source("Leeway happens when a ferry drifts sideways because wind pushes its funnel.\n\n"
               "Hull squat happens when a ferry sinks sideways because water leaves its keel.", title="Seas")
    )  # fmt: skip
    assert [wrong.reason for wrong in found] == [
        "It is when a ferry sinks sideways because water leaves its keel (“Seas”)."
    ]


@pytest.mark.parametrize(
    "change",
    [{"key": "Fairlead"}, {"stem": "What is the term for a rope?"}],
    ids=["another key", "another stem"],
)
def test_nothing_is_gathered_for_what_is_not_the_glossarys_own_question(change: dict[str, str]) -> None:
    here = source(f"{KEY}\n\n{FAIRLEAD}")
    known = bank(here)
    terms, own = DefinedTerms(known, WordEmbedder().embed), asked(here, known)
    assert terms.gather(own, 9)
    assert terms.gather(own.model_copy(update=change), 9) == []


def test_a_stem_may_name_its_scope_first() -> None:
    here = source(f"{KEY}\n\n{FAIRLEAD}")
    known = bank(here)
    own = asked(here, known)
    scoped = own.model_copy(update={"stem": f"In “Gear”, {own.stem[0].lower()}{own.stem[1:]}"})
    assert [w.text for w in DefinedTerms(known, WordEmbedder().embed).gather(scoped, 9)] == ["Fairlead"]


SIGNALS = """- **Leading light**: Marking the deep channel for pilots at night.
- **Tide sphere**: Showing ferries with a black balloon how deep the bar is.
- **Storm cone**: Canvas shape hoisted by the crew to warn ketches of gales.
- **Bell buoy**: Floating drum that rings in a swell to keep vessels off shoals."""
GATES = """- **Sluice bolt**: Marking the deep channel of a lock for barges.
- **Sill board**: Showing lock keepers with a painted scale how full a basin is.
- **Paddle rack**: Iron comb lifted by a crank to drain basins of silt.
- **Stop log**: Timber beam that slides in a groove to keep water off gates."""
SAME_LIST = ["Bell buoy", "Storm cone", "Tide sphere"]


def listed(*more: str, elsewhere: str = "") -> list[str]:
    here = source("\n".join((SIGNALS, *more)), "signals.md", "Signals")
    there = [source(elsewhere, "gates.md", "Gates")] if elsewhere else []
    return sorted(wrong.text for wrong in gathered(here, *there))


def test_labels_of_a_list_stand_beside_one_another_whatever_their_definitions_sort_them_as() -> None:
    assert listed() == SAME_LIST


def test_labels_of_another_list_or_document_and_terms_of_prose_stand_beside_no_label() -> None:
    assert listed(f"\n## Gates\n\n{GATES}") == SAME_LIST
    assert listed(elsewhere=GATES) == SAME_LIST
    assert listed(f"\n## Gear\n\n{FAIRLEAD}") == SAME_LIST


def test_what_a_list_says_of_a_label_is_quoted_where_it_is_no_clause() -> None:
    reasons = {wrong.text: wrong.reason for wrong in gathered(source(SIGNALS, title="Signals"))}
    assert reasons["Storm cone"] == "It is “Canvas shape hoisted by the crew to warn ketches of gales” (“Signals”)."


def test_labels_stand_beside_no_term_of_prose() -> None:
    assert beside(FAIRLEAD, f"## Signals\n\n{SIGNALS}") == ["Fairlead"]


@pytest.mark.parametrize(
    ("noun", "other"),
    [("disease", "disorder"), ("method", "technique"), ("flaw", "attack"), ("lifeboat", "lifeboat")],
)
def test_nouns_that_mean_the_same_have_one_sort_and_others_their_own(noun: str, other: str) -> None:
    assert sort_of(noun) == sort_of(other)
    assert sort_of(noun) != sort_of("drogue")


@pytest.mark.parametrize(
    ("noun", "broad"),
    [("device", True), ("method", True), (DOING, True), (HAPPENING, True), ("lifeboat", False), (QUOTED, False)],
)
def test_a_sort_that_holds_things_of_many_matters_is_broad(noun: str, broad: bool) -> None:
    assert is_broad(sort_of(noun)) is broad


def test_words_that_only_stand_for_another_noun_sort_nothing() -> None:
    assert FORM_OF.isdisjoint(UNSORTED)


def likely(*sources: Source) -> list[str]:
    """What stands beside the term that the first source defines, where all texts are equally near."""
    return [wrong.text for wrong in DefinedTerms(bank(*sources), all_near).beside(0)]


def test_of_terms_of_one_noun_the_corpus_need_define_none_but_the_key() -> None:
    key = "A genoa sail is a triangle of canvas that pulls ketches before wind."
    assert likely(source(f"{key} Crews mend the storm sail in port. The storm sail is small.")) == ["Storm sail"]
    assert likely(source(f"{key} Crews mend a storm sail in port. Pilots buy cheap paint.")) == []


def test_a_term_that_everybody_knows_is_not_asked_for_by_its_meaning() -> None:
    others = [source(f"The drogue of deck {n} is wet.", f"{n}.md", f"Deck {n}") for n in range(9)]
    here = source(f"{KEY}\n\n{FAIRLEAD}", title="Gear")
    assert gathered(here, *others[:2])
    assert gathered(here, *others) == []


MERALGIA = source("Meralgia refers to a burning of the nerves along a thigh in winter.", "m.md", "Meralgia")
SYNCOPE = "Syncope refers to a swelling of the veins along a shin after work."


def test_titles_that_their_documents_define_stand_beside_one_another() -> None:
    assert likely(MERALGIA, source(SYNCOPE, "s.md", "Syncope")) == ["Syncope"]
    assert likely(MERALGIA, source(SYNCOPE, "s.md", "Legs")) == []


def test_what_another_document_says_of_its_subject_too_is_no_wrong_option() -> None:
    more = "It brings burning to nerves of the thigh in winter."
    assert likely(MERALGIA, source(f"{SYNCOPE} {more}", "s.md", "Syncope")) == []


@pytest.mark.parametrize(
    ("term", "asked_for"),
    [("drogue", True), ("DRG", False), ("Dragues", False), ("Schnlgard", False)],
    ids=["a word", "initials", "as a title spells it otherwise", "misspelt"],
)
def test_a_term_that_no_reader_could_know_is_not_asked_for(term: str, asked_for: bool) -> None:
    key = f"A {term} is a tool that slows a lifeboat in heavy seas."
    known = bank(source(f"{key}\n\n{FAIRLEAD}", title="Gear"), source("It is wet.", "d.md", "Dragueb"))
    assert bool(DefinedTerms(known, WordEmbedder().embed).beside(0)) is asked_for
