"""Which sentences are fit to have something left out: plain statements that hold without their neighbours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.text.grammar import FINITE, NOUN, Token

_TOKENS = range(5, 35)
_OF_A_COURSE = frozenset(
    "recall next then again already still even too instead further chapter chapters listing figure section"
    " lesson step following preceding latter former first second last say says said earlier later same far addition"
    " thus therefore hence another fortunately unfortunately alternatively phase stage".split()
)
"""Words of a statement that is one of a course of statements, or speaks of its text."""
_READER = frozenset({"you", "your", "yours", "yourself"})
_SEVERAL = frozenset({"different", "multiple", "many", "some", "other"})
"""Vague in an answer, not in what is said of a subject."""
_FOR_A_NOUN = frozenset({"it", "its", "itself", "they", "them", "their", "themselves"})
_NOT = re.compile(r"n['’]t$|^(?:never|not|cannot)$", re.IGNORECASE)
_MARKS = re.compile(
    r"https?:|www\.|@|[?{}|<>\[\]=→⇒•§©®]|\.\.\.|…|--|(?<!\d)[:;]|[:;](?!\d)|\s[-–—]\s|—|[a-z]\.[A-Z][a-z]"
    r"|[\"“”‘*]|\bNOT\b|'\s|\s'|[a-z)]\.\d|,[A-Za-z]"
)
"""Of code, of quotes, and of what extraction tore."""


def stands_alone(text: str, tokens: Sequence[Token], known: frozenset[str] = frozenset()) -> bool:
    """Whether it is one plain sentence that says what is so, in words that need no other sentence.

    `known`: nouns of which the corpus knows one thing each.
    """
    if len(tokens) not in _TOKENS or leaning.leans_at_start(tokens) or _is_marked(text, tokens):
        return False
    said = [token for token in tokens if token.text.casefold() not in _SEVERAL]
    if leaning.leans(_without_own(tokens), known) or leaning.is_vague(said) or not _asserts(tokens):
        return False
    return not any(token.text.casefold() in _OF_A_COURSE for token in tokens)


def _is_marked(text: str, tokens: Sequence[Token]) -> bool:
    if any(a.tag == b.tag == "CRD" and (a.text + b.text).isdigit() for a, b in pairwise(tokens)):
        return True  # '5 50 years': a range that lost its dash
    prose = text
    for token in tokens:
        if token.code:
            prose = prose.replace(token.text, "X")
    return bool(_MARKS.search(prose)) or any(token.text in {"(", ")", "/", "\\"} for token in tokens)


def _asserts(tokens: Sequence[Token]) -> bool:
    """Whether it says what is so in general.

    A command has no truth, what is not so has a hundred completions, "we've" and "we'll" tell the course of a text.
    """
    return (
        any(token.tag in FINITE for token in tokens)
        and not tokens[0].tag.startswith("VV")
        and not any(token.text.casefold().startswith(("we'", "we’")) for token in tokens)
        and not any(_NOT.search(token.text) or token.tag == "XX0" for token in tokens)
    )


def _without_own(tokens: Sequence[Token]) -> list[Token]:
    """The words that could point out of the sentence: not 'you', who reads, nor 'it' for a noun told in it before."""
    nouns = next((n for n, token in enumerate(tokens) if token.tag in NOUN), len(tokens))
    return [
        token
        for n, token in enumerate(tokens)
        if token.text.casefold() not in _READER
        and not (n > nouns and token.text.casefold() in _FOR_A_NOUN and tokens[n - 1].text != ",")
    ]
