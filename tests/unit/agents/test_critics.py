"""Each critic passes what is right and fails what is wrong, under the name it is counted by."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import bank, distractors, draft, source

from viva.agents.offline.critics import (
    OfflineAnswerabilityCritic,
    OfflineFaithfulnessCritic,
    SolvableCritic,
    StandAloneCritic,
    UniquenessCritic,
)
from viva.agents.readers.option_reading import EmbeddingReader, LexicalReader
from viva.core.records import CLOSING_PHRASE, Draft, ExpertAnswer, Verdict
from viva.llm.embeddings import SentenceTransformerEmbedder

FACT = "The Corran bilge pump moves 40 litres of water per minute."
HERE = source(FACT + " Rust eats old pipes.", "bilge.md", "Bilge pumps")
OTHER = source("The Ellery fire pump moves 75 litres of foam per minute.", "fire.md", "Fire pumps")
KNOWN = bank(HERE, OTHER)
STEM = "How many litres of water does the Corran bilge pump move per minute?"


def about(stem: str = STEM, key: str = "40 litres", **more: str) -> Draft:
    return draft(HERE, FACT, stem, key, **more)


def stands_alone(asked: Draft) -> Verdict:
    return asyncio.run(StandAloneCritic(KNOWN).judge(asked, None, HERE))


def test_a_stem_that_names_its_subject_stands_alone() -> None:
    assert stands_alone(about()).passed


def test_a_stem_that_names_its_documents_title_stands_alone() -> None:
    assert stands_alone(about("In the context of “Bilge pumps”, how many litres are moved?")).passed


@pytest.mark.parametrize(
    "stem",
    [
        "How many litres does the document give for the Corran pump?",
        "How many litres does the pump move per minute?",
        "How many litres does the table above give for Corran?",
    ],
)
def test_a_stem_without_a_subject_or_about_the_document_does_not(stem: str) -> None:
    verdict = stands_alone(about(stem))
    assert (verdict.passed, verdict.code) == (False, "not_stand_alone")


def test_a_stem_that_fits_another_sentence_as_well_does_not() -> None:
    rival = source("Each day the Corran bilge pump moves water, many litres per minute, up to the deck.", "rival.md")
    verdict = asyncio.run(StandAloneCritic(bank(HERE, OTHER, rival)).judge(about(), None, HERE))
    assert (verdict.passed, verdict.code) == (False, "not_stand_alone")
    assert "scope" in verdict.reason


@pytest.mark.parametrize(
    ("key", "passed"), [("40 litres", True), ("75 litres", False), ("forty gallons of oil", False)]
)
def test_a_key_is_faithful_only_if_the_evidence_states_it(key: str, passed: bool) -> None:
    verdict = asyncio.run(OfflineFaithfulnessCritic().judge(about(key=key), None, HERE))
    assert (verdict.passed, verdict.code) == (passed, "" if passed else "unfaithful")


@pytest.mark.parametrize(
    ("said", "passed"),
    [("40 litres", True), ("The 40 litres of water", True), ("old pipes", False), (None, False)],
)
def test_the_expert_must_arrive_at_the_key(said: str | None, passed: bool) -> None:
    answer = ExpertAnswer(text=said, reference=said) if said else None
    verdict = asyncio.run(OfflineAnswerabilityCritic().judge(about(), answer, HERE))
    assert (verdict.passed, verdict.code) == (passed, "" if passed else "expert_disagrees")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (("50 litres", "60 litres", "75 gallons"), ""),
        (("50 litres", "50 Litres", "60 litres"), "options_overlap"),
        (("50 litres", "the 40 litres", "60 litres"), "options_overlap"),
        (("50 litres", "60 litres", "40 litres of oil"), "options_overlap"),
    ],
)
def test_no_option_repeats_or_contains_another(wrong: tuple[str, ...], code: str) -> None:
    verdict = asyncio.run(UniquenessCritic(KNOWN).judge(about(), distractors(*wrong), HERE))
    assert (verdict.passed, verdict.code) == (not code, code)
    assert verdict.blames == ("options" if code else "question")


def test_an_option_that_the_corpus_supports_is_a_second_key() -> None:
    second = source("In spring the Corran bilge pump moves 55 litres of water per minute.", "spring.md")
    options = distractors("50 litres", "55 litres", "60 litres")
    verdict = asyncio.run(UniquenessCritic(bank(HERE, OTHER, second)).judge(about(), options, HERE))
    assert (verdict.passed, verdict.code) == (False, "second_key")
    assert "55 litres" in verdict.reason


def test_what_the_words_before_the_gap_say_elsewhere_is_a_second_key() -> None:
    here = source("People of other agencies join the night crews as guests of the Corran office.", "crew.md")
    second = source("Sailors are guests of the Ellery yard.", "yard.md")
    stem = "Which words complete this statement: “People of other agencies join the night crews as guests of ____”?"
    asked = draft(here, here.text, stem, "the Corran office", "object:of", CLOSING_PHRASE)
    options = distractors("the Ellery yard", "the foam tank", "the lamp locker")
    verdict = asyncio.run(UniquenessCritic(bank(here, OTHER, second)).judge(asked, options, here))
    assert (verdict.passed, verdict.code) == (True, "")
    third = source("Guests join the crew of the Ellery yard.", "join.md")
    verdict = asyncio.run(UniquenessCritic(bank(here, OTHER, third)).judge(asked, options, here))
    assert (verdict.passed, verdict.code) == (False, "second_key")


def test_options_that_the_chunk_decides_are_solvable(minilm: SentenceTransformerEmbedder) -> None:
    readers = (LexicalReader(KNOWN.weight), EmbeddingReader(minilm))
    verdict = asyncio.run(
        SolvableCritic(readers, 0).judge(about(), distractors("50 litres", "60 litres", "75 litres"), HERE)
    )
    assert verdict.passed
    assert "lexical" in verdict.reason
    tried = {(trial.reader, trial.with_evidence): (trial.picked, trial.tried) for trial in verdict.trials}
    # the one who picks the key is enough; without documents all try
    assert set(tried) == {("lexical", True), ("lexical", False), ("embedding", False)}
    assert tried["lexical", True] == (3, 3)
    assert all(times == 3 for _, times in tried.values())


def test_options_that_the_chunk_does_not_decide_are_refused() -> None:
    asked = about("How many pipes were laid in Corran?", key="12 pipes")
    # the chunk holds words of a wrong option only
    options = distractors("old pipes", "red pipes", "blue pipes")
    verdict = asyncio.run(SolvableCritic((LexicalReader(KNOWN.weight),), 0).judge(asked, options, HERE))
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "not_solvable", "key")
    assert [(t.with_evidence, t.picked) for t in verdict.trials if t.with_evidence] == [(True, 0)]


def test_where_one_reader_misses_the_key_the_next_one_reads() -> None:
    asked = about("How many pipes were laid in Corran?", key="12 pipes")
    options = distractors("old pipes", "red pipes", "blue pipes")
    first, second = LexicalReader(KNOWN.weight), LexicalReader(lambda _: 1.0)
    verdict = asyncio.run(SolvableCritic((first, second), 0).judge(asked, options, HERE))
    assert [trial.picked for trial in verdict.trials if trial.with_evidence] == [0, 0]


def test_a_key_that_the_wording_gives_away_is_refused(minilm: SentenceTransformerEmbedder) -> None:
    asked = about("What does the Corran bilge pump move out of a flooded ship?", key="Water of the bilge")
    options = distractors("A wedding cake", "Opera singers", "The price of tea")
    verdict = asyncio.run(SolvableCritic((EmbeddingReader(minilm),), 0).judge(asked, options, HERE))
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "guessable", "options")


def test_within_the_drafts_document_its_title_is_taken_as_said() -> None:
    # the rival sentence names no pump: its document is about the one that the stem names
    text = f"{FACT} Rust eats old pipes. In spring 55 litres of water are moved per minute."
    here = source(text, "bilge.md", "Corran bilge pump")
    asked = draft(
        here,
        FACT,
        "In the context of “Corran bilge pump”, how many litres of water are moved per minute?",
        "40 litres",
    )
    options = distractors("50 litres", "55 litres", "60 litres")
    verdict = asyncio.run(UniquenessCritic(bank(here, OTHER)).judge(asked, options, here))
    assert (verdict.passed, verdict.code) == (False, "second_key")
