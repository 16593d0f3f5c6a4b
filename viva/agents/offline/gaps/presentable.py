"""Whether a question and its answer can be shown to anybody, and whether the question stands alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.text.grammar import FINITE, NOUN, Token
from viva.core.records import QuestionType
from viva.core.text.words import roots

_TORN_STEM = re.compile(
    r"\b(\w+) \1\b|____\w|\w____|\(\s*\)\s*\w*\($"
    r"|\b(?:and|or|but|the|a|an|are|is|who|that|which|when|than|described|mentioned|listed|shown|discussed|referenced)\?$"
)
_VAGUE_KEY = re.compile(
    r"^(?:\w+ )?another \w+$"
    r"|\b(?:things?|a (?:variety|number|range|series|lot|host|wealth) of|various|several|great deal)\b",
    re.IGNORECASE,
)
_DANGLING = frozenset(
    "and or of the a an to not in on at by for with from as that which but than into if when its their is are"
    " be".split()
)
_BARE = frozenset(
    "things thing people solutions metrics mechanism mechanisms factors changes problems issues information data"
    " ways way methods method techniques events effects others results result evidence research studies"
    " something".split()
)
_GIVEN = 0.6
"""A key of which so many words stand in the stem is told."""
_TORN_KEY = re.compile(r"^(?:1|one|a|an) (?!million|billion|hundred|thousand)[a-z]+$|[a-z]\.\d", re.IGNORECASE)
"""'1 year' stands beside '3 year' only by breaking grammar; 'vehicles.2 Tickets' are two sentences, run together."""


def presentable(proposal: Proposal) -> bool:
    """Whether the question is of readable length, does not speak of the document, and does not give its key away."""
    words = proposal.stem.split()
    if not 3 <= len(words) <= 36 or leaning.mentions_place_in_document(f"{proposal.stem} {proposal.key}"):
        return False
    if _TORN_STEM.search(proposal.stem):
        return False
    if _VAGUE_KEY.search(proposal.key):
        return False
    if proposal.key.count("(") != proposal.key.count(")") or _TORN_KEY.search(proposal.key):
        return False
    key_words = proposal.key.split()
    if len(key_words) > 20 or key_words[-1].lower() in _DANGLING or _is_empty(key_words):
        return False
    return proposal.key.lower() not in proposal.stem.lower() and not _is_given_away(proposal)


def _is_given_away(proposal: Proposal) -> bool:
    """'The data encryption key is used ____' / 'to encrypt the data': the key repeats the stem's words."""
    if proposal.question_type is not QuestionType.PURPOSE:
        return False
    asked, answered = roots(proposal.stem), roots(proposal.key)
    return bool(answered) and len(answered & asked) >= _GIVEN * len(answered)


def _is_empty(words: Sequence[str]) -> bool:
    """'Solutions', 'useful information', 'Tools like X', 'One of the ...': an answer that names no one thing."""
    content = [w.lower() for w in words if w.lower() not in {"a", "an", "the"}]
    if not content or content[0] in {"one", "some", "tools", "things", "packages", "solutions", "something", "part"}:
        return True
    return len(content) <= 2 and content[-1] in _BARE and content[0].isalpha()


# --- standing alone -----------------------------------------------------------------------------------------


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
_FOR_ONE = frozenset({"it", "its", "itself"})
_FOR_A_NOUN = _FOR_ONE | {"they", "them", "their", "themselves"}
_ONE = NOUN - {"NN2"}
_NOT = re.compile(r"n['’]t$|^(?:never|not|cannot)$", re.IGNORECASE)
_MARKS = re.compile(
    r"https?:|www\.|@|[?{}|<>\[\]=→⇒•§©®]|\.\.\.|…|--|(?<!\d)[:;]|[:;](?!\d)|\s[-–—]\s|—|[a-z]\.[A-Z][a-z]"
    r"|[\"“”‘*]|\bNOT\b|'\s|\s'|[a-z)]\.\d|,[A-Za-z]|[a-z]{2}/[a-z]{2}"
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
        and not _commands(tokens)
        and not any(token.text.casefold().startswith(("we'", "we’")) for token in tokens)
        and not any(_NOT.search(token.text) or token.tag == "XX0" for token in tokens)
    )


def _commands(tokens: Sequence[Token]) -> bool:
    """'If possible, create ...': a command behind a condition."""
    comma = next((n for n, token in enumerate(tokens) if token.text == ","), len(tokens))
    return tokens[0].tag in {"CJS", "PRP"} and comma + 1 < len(tokens) and tokens[comma + 1].tag == "VVI"


def _without_own(tokens: Sequence[Token]) -> list[Token]:
    """The words that could point out of the sentence: not 'you', who reads, nor 'it' for a noun told in it before.

    'Attackers use it' is no such: they are many, and it is one.
    """

    def told(n: int) -> bool:
        word = tokens[n].text.casefold()
        nouns = _ONE if word in _FOR_ONE else NOUN
        return word in _FOR_A_NOUN and tokens[n - 1].text != "," and any(token.tag in nouns for token in tokens[:n])

    return [token for n, token in enumerate(tokens) if token.text.casefold() not in _READER and not told(n)]
