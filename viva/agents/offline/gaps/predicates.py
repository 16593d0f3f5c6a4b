"""Predicates of the plain tier: what a statement says of its subject is asked for, and the stem tells no more of it.

A stem that quotes its passage is found by whatever searches by words; people ask in fewer words, and systems rank by
such questions much as by people's (docs/decisions/0040).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viva.agents.offline.distractors.likeness import is_person
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.text.grammar import FINITE, FINITE_BE, NOUN, Token, uncapitalised
from viva.agents.offline.text.phrases import NOUN_PHRASE, phrases_from
from viva.core.records import PREDICATE, BloomLevel, QuestionType
from viva.core.text.words import content_words

_WORDS = range(4, 19)
_SAID = 3
"""Content words of a predicate, at least: what says less is true of too much."""
_SUBJECT = range(1, 8)
_DEFINITION = "definition"
_CONTRACTED = re.compile(r"['’](?:ll|ve|re|d|m)$")
_ACRONYM = re.compile(r"(?:the )?[A-Z]{2,6}s?(?:['’]s \w+)?")
"""What is short for something, the reader of a stem that says no more of it need not know."""
_NO_SUBJECT = re.compile(
    r"an? (?:\w[\w-]* )+(?:recommendation|mistake|rule|part|way|approach|idea|reason|step|practice|problem"
    r"|option)(?: of .*)?"
)
"""'A complementary recommendation': one of many."""
_UNNAMED = re.compile(r"the (?!.* of )[^A-Z]+")
"""'The whole team': the stem says no more, and nothing in it tells which."""
SAID_OF = "Which of these is said of {subject}?"
"""A question that needs its options."""
_JOINING = frozenset({"CJS", "CJC", "CJT", "PNQ"})
"""Tags before the verb of another clause."""


def predicates(text: str, tokens: Sequence[Token]) -> Iterator[Proposal]:
    """'S is a P' -> 'What is S?', 'S carries cars' -> 'Which of these is said of S?'."""
    said = predicate(text, tokens)
    if said is None:
        return
    start = next(n for n, token in enumerate(tokens) if token.start >= said.start)
    defines = said.form.startswith(_DEFINITION)
    before = tokens[: start - defines]
    if len(before) not in _SUBJECT or not _is_noun_phrase(text, before, tokens):
        return
    subject = uncapitalised(text, before)
    if (
        _NO_SUBJECT.fullmatch(subject)
        or _ACRONYM.fullmatch(subject)
        or (_UNNAMED.fullmatch(subject) and not any(token.code for token in before))
    ):
        return
    if not set(content_words(subject)) or set(content_words(subject)) & set(content_words(said.text)):
        return
    if defines:
        stem, kind = f"What {tokens[start - 1].text} {subject}?", QuestionType.DEFINITION
    else:
        stem, kind = SAID_OF.format(subject=subject), QuestionType.FACTOID
    yield Proposal(stem, said.text, said.form, kind, BloomLevel.REMEMBER, PREDICATE, 0.3)


@dataclass(frozen=True)
class Predicate:
    """What a sentence says of its subject; `start` into the sentence's text."""

    form: str
    text: str
    start: int


def predicate(text: str, tokens: Sequence[Token]) -> Predicate | None:
    """All from the first finite verb on; of 'is a P' the noun phrase; None where it says too little or too much."""
    verb = next((n for n, token in enumerate(tokens) if token.tag in FINITE), 0)
    if verb == 0 or tokens[verb].text[:1].isupper() or any(_is_of_a_clause(token) for token in tokens[:verb]):
        return None
    if tokens[verb - 1].tag == "PNP" or _runs_on(tokens[verb:]) or _is_of_much(tokens[verb:]):
        return None
    defines = tokens[verb].text in {"is", "are"} and _names_a_kind(text, tokens, verb + 1)
    start = verb + 1 if defines else verb
    while not defines and start > 1 and tokens[start - 1].tag == "AV0":
        start -= 1
    key = text[tokens[start].start : tokens[-1].end]
    if len(key.split()) not in _WORDS or len(set(content_words(key))) < _SAID:
        return None
    who = "person" if is_person(text[tokens[0].start : tokens[start - defines].start].strip()) else "thing"
    form = f"{_DEFINITION if defines else 'predicate'}:{who}:{_mood(tokens, verb)}"
    return Predicate(form, key, tokens[start].start)


def _is_of_much(said: Sequence[Token]) -> bool:
    """'Is accessible', 'should be tested': what an adjective or advice says holds of much else.

    'Literals that can': a noun, no verb.
    """
    if said[0].text.casefold() == "should":
        return True
    if len(said) > 2 and said[0].tag == "VVZ" and said[1].text in {"that", "which", "who"} and said[2].tag in FINITE:
        return True
    after = next((token for token in said[1:] if token.tag != "AV0"), None)
    if after is None:
        return False
    # 'is accessible via BART', but 'is 8 feet long' and 'is active until 2027' say how much
    valued = any(token.tag == "CRD" for token in said)
    return said[0].tag in FINITE_BE and after.tag == "AJ0" and not valued and _describes(said, after)


def _describes(said: Sequence[Token], adjective: Token) -> bool:
    """Whether the adjective is all that is said, and belongs to no noun: 'is able to', not 'is single calendars'."""
    at = said.index(adjective) + 1
    return at == len(said) or said[at].tag not in NOUN | {"AJ0"}


def _is_of_a_clause(token: Token) -> bool:
    """Whether what stands before the verb is more than a subject: 'if they’ll wait, ferries ...'."""
    return token.tag in _JOINING or token.text == "," or _CONTRACTED.search(token.text) is not None


def _runs_on(tokens: Sequence[Token]) -> bool:
    """'Is ready, you can use it': a second clause that nothing joins."""
    joined, comma = True, False
    for token in tokens:
        # 'lets pilots see': an infinitive; 'lifts, carries and lowers': verbs of one subject
        if token.tag in FINITE and not joined and (comma or token.tag != "VVB"):
            return True
        if token.tag in FINITE | _JOINING | {"DTQ", "AVQ"} or token.text == ",":
            joined, comma = token.tag not in FINITE, token.text == ","
        elif comma:
            joined = False
    return False


def _is_noun_phrase(text: str, before: Sequence[Token], tokens: Sequence[Token]) -> bool:
    """Whether what stands before the verb and its adverbs is one noun phrase."""
    words = text[before[0].start : before[-1].end].casefold()
    verb = next(token for token in tokens if token.tag in FINITE)
    found = phrases_from(text, (*before, verb), 0)
    return any(phrase.form == NOUN_PHRASE and phrase.text.casefold() == words for phrase in found)


def _names_a_kind(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether what follows 'is' is a noun phrase: 'is a ferry', and not 'is late'."""
    return at < len(tokens) and any(phrase.form == NOUN_PHRASE for phrase in phrases_from(text, tuple(tokens), at))


def _mood(tokens: Sequence[Token], verb: int) -> str:
    """What options must share to stand beside each other: tense and number, 'may', 'is made', 'is making'."""
    token = tokens[verb]
    word = token.text.casefold() if token.tag in FINITE_BE or token.tag == "VM0" else token.tag
    after = tokens[verb + 1].tag if verb + 1 < len(tokens) else ""
    return f"{word}:{after}" if after in {"VVN", "VVG"} and token.tag[:2] != "VV" else word
