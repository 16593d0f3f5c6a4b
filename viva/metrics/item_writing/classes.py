"""Which classes a question belongs to, by its words."""

from __future__ import annotations

import re

from viva.core.records import BloomLevel, QuestionWord
from viva.core.text.languages.phrase_lookup import phrases
from viva.core.text.languages.phrases import Phrases
from viva.core.text.overlap import plain

_SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=[\"“«¿]?[^\W\d_])")
_CLAUSE = re.compile(r"[,;:–—] ?(?:[¿“\"] ?)?")
_READ = 1000
"""Characters, from the end, that are looked at."""
_LEAD_IN = 3
"""Words that may stand before the question word: "in exactly which year"."""
_SUBORDINATE = frozenset({QuestionWord.WHEN, QuestionWord.WHERE})
_HIGHER = tuple(level for level in BloomLevel if level is not BloomLevel.REMEMBER)


def question_word(stem: str, language: str) -> QuestionWord:
    """The interrogative that the asking clause leads with, by its form: "in which year" asks with "which".

    auto-rag-eval (arXiv 2405.13622) counts the word that leads the question; here one before which a preposition
    stands is that too, and so is one after a clause that sets the scene ("When a lock is full, what opens?").
    "Whom" and "whose" count as "who", "how many" as "how". OTHER: for yes or no, or in a language without rules.
    """
    known = phrases(language)
    if known is None:
        return QuestionWord.OTHER
    asked = _last_question(stem, known)
    if known.yes_no.search(asked.lstrip("¿ ")):
        return QuestionWord.OTHER
    lead, _ = _first(asked, known, _LEAD_IN)
    if lead in _SUBORDINATE or lead is QuestionWord.OTHER:
        for clause in _CLAUSE.split(asked)[1:]:
            later, _ = _first(clause, known, _LEAD_IN)
            if later is not QuestionWord.OTHER:
                return later
    return lead if lead is not QuestionWord.OTHER else _first(asked, known, None)[0]


def bloom_levels(stem: str, language: str) -> tuple[BloomLevel, ...]:
    """The levels that the stem asks for, lowest first; several where its words are signs of several.

    Source: the revised taxonomy (Anderson & Krathwohl 2001): the verbs given there for its nineteen cognitive
    processes where the stem sets a task, and forms of question where it asks: why and how are explaining
    (understand), a difference is comparing and differentiating (understand, analyze), what to do in a case is
    executing (apply). What shows no sign of a higher level, or has a language without rules, asks to remember.
    """
    known = phrases(language)
    asked = _last_question(stem, known).lstrip("¿ ") if known else ""
    found = tuple(level for level in _HIGHER if known and known.bloom[level].search(asked))
    return found or (BloomLevel.REMEMBER,)


def _last_question(stem: str, known: Phrases) -> str:
    """The sentence that asks: the last one, where others set the scene. "St. Paul?" alone asks nothing."""
    sentences = _SENTENCE_END.split(plain(stem)[-_READ:])
    for n in range(len(sentences) - 1, 0, -1):
        asked = " ".join(sentences[n:])
        if _first(asked, known, None)[1] >= 0 or known.yes_no.search(asked.lstrip("¿ ")):
            return asked
    return " ".join(sentences)


def _first(text: str, known: Phrases, within: int | None) -> tuple[QuestionWord, int]:
    """The interrogative that stands first, and where; OTHER and -1 where none stands within so many words."""
    found = [(match.start(), word) for word, words in known.question_words.items() if (match := words.search(text))]
    at, word = min(found, default=(-1, QuestionWord.OTHER))
    if at < 0 or (within is not None and len(text[:at].split()) > within):
        return QuestionWord.OTHER, -1
    return word, at
