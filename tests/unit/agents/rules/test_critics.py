"""The critics say what the rules found, of whose work, in the language of the draft."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import distractors, draft, source

from viva.agents.rules.critics import KeyCritic, LanguageCritic, OptionFormCritic, WordingCritic
from viva.core.records import Draft, ExpertAnswer, Verdict

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)


def about(stem: str, key: str = "35 minutes", language: str = "en") -> Draft:
    return draft(HERE, FACT, stem, key).model_copy(update={"language": language})


def worded(stem: str, key: str = "35 minutes", language: str = "en") -> Verdict:
    return asyncio.run(WordingCritic().judge(about(stem, key, language), None, HERE))


@pytest.mark.parametrize(
    ("stem", "language", "code"),
    [
        ("How long before low water does the lock gate close?", "en", ""),
        ("According to the text, when does the gate close?", "en", "speaks_of_document"),
        ("Laut dem Text, wann schließt das Tor?", "de", "speaks_of_document"),
        ("Laut dem Text, wann schließt das Tor?", "nl", ""),
    ],
)
def test_the_screen_judges_the_stem_by_the_rules_of_its_language(stem: str, language: str, code: str) -> None:
    verdict = worded(stem, language=language)
    assert (verdict.critic, verdict.passed, verdict.code) == ("wording", not code, code)
    assert verdict.reason


def test_the_screen_knows_no_key() -> None:
    assert worded("Why do 35 minutes pass before low water?").passed
    assert worded("Why does the lock gate close?", key="").passed


GERMAN = "Wie viele Minuten vor Niedrigwasser schließt das Tor der Schleuse?"


@pytest.mark.parametrize(
    ("stem", "language", "passes"),
    [
        (GERMAN, "de", True),
        (GERMAN, "en", False),
        (GERMAN, "und", True),
        ("How long before low water does the lock gate close?", "en", True),
        ("How long before low water does the lock gate close?", "fr", False),
        ("Who runs the Deutsche Bahn AG?", "en", True),
    ],
)
def test_a_question_in_another_language_than_its_source_goes_back_to_the_writer(
    stem: str, language: str, passes: bool
) -> None:
    verdict = asyncio.run(LanguageCritic().judge(about(stem, language=language), None, HERE))
    assert (verdict.passed, verdict.blames) == (passes, "question")
    assert passes or f"“{language}”" in verdict.reason


def test_an_answer_in_another_language_goes_back_to_the_expert() -> None:
    answer = ExpertAnswer(text="35", reference="Das Tor der Schleuse schließt 35 Minuten vor Niedrigwasser.")
    verdict = asyncio.run(LanguageCritic().judge(about("How long before?"), answer, HERE))
    assert (verdict.code, verdict.blames) == ("another_language", "key")


@pytest.mark.parametrize(
    ("stem", "key", "code"),
    [
        ("How long before low water does the gate close?", "35 minutes", ""),
        ("Why do 35 minutes pass before low water?", "35 minutes", "key_in_stem"),
        ("How long before low water does the gate close?", "", "no_key"),
    ],
)
def test_the_key_is_judged_beside_the_stem(stem: str, key: str, code: str) -> None:
    answer = ExpertAnswer(text=key, reference=key)
    verdict = asyncio.run(KeyCritic().judge(about(stem, key), answer, HERE))
    assert (verdict.critic, verdict.passed, verdict.code) == ("key", not code, code)


@pytest.mark.parametrize(
    ("others", "code"),
    [(("15 minutes", "45 minutes"), ""), (("15 minutes", "15 Minutes."), "options_overlap")],
)
def test_options_that_fail_are_their_writers_fault(others: tuple[str, ...], code: str) -> None:
    stem = "How long before low water does the gate close?"
    verdict = asyncio.run(OptionFormCritic().judge(about(stem), distractors(*others), HERE))
    assert (verdict.critic, verdict.passed, verdict.code) == ("option form", not code, code)
    assert verdict.passed or verdict.blames == "options"
