"""How a unit is worded: its type, what it is about, what may not be told beforehand, and a short description."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.scope import bare_title
from viva.agents.offline.text.expressions import expressions
from viva.agents.offline.text.grammar import FINITE, NOUN, Token, text_of, uncapitalised
from viva.agents.offline.text.phrases import NOUN_PHRASE, phrases
from viva.core.records import QuestionType
from viva.core.records.oral import LONGEST_DESCRIPTION
from viva.core.text.words import content_words

_IN_SUBJECT = NOUN | {"AT0", "AJ0", "AJC", "AJS", "CRD", "ORD", "PRF", "PRP", "POS", "VVN", "AJ0-VVN", "DT0"}
_LONGEST_KEYWORD = 8
_FEWEST_WORDS = 5
"""Words of a description that still says something."""
_BOUNDARY = re.compile(
    r",? (?=(?:because|so that|when|where|which|while|although|unless|until|after|before|if|since|whereas"
    r"|in order to)\b)"
    r"|[,;:] | (?:–|—|-{1,3}) |,? (?=(?:and|but|or) )| (?=(?:to|for|with|by|in|on|at|from|during|of) )"
)
_HALF = re.compile(
    r"(?: (?:an?|the|of|to|in|on|at|by|for|from|with|and|or|but|that|which|who|as|than|not|is|are|was|were|be|been"
    r"|its|their|more|less|least|most|about|over|under|up|also|so|such|had|has|have|per|each|every|no|can|may|must|should|will|would))+$",
    re.IGNORECASE,
)
_TYPES: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    (
        QuestionType.DEFINITION,
        re.compile(
            r"^(?:\S+ ){0,6}(?:is|are) (?:an?|the) \w+(?: \w+){0,4} (?:that|which|who|of|for|used)\b"
            r"|\brefers? to\b|\bis called\b"
        ),
    ),
    (
        QuestionType.CAUSE,
        re.compile(r"\bbecause\b|\b(?:due|owing) to\b|\bas a result of\b|\bcaused? by\b|\bleads? to\b"),
    ),
    (QuestionType.PURPOSE, re.compile(r"\bso that\b|\bin order to\b|\bused (?:to|for)\b|\bthe purpose\b")),
    (QuestionType.CONDITION, re.compile(r"\b(?:if|when|unless|until|whenever|once)\b", re.IGNORECASE)),
    (QuestionType.COMPARISON, re.compile(r"\b(?:(?!rather|other|whether)\w{3,}er|more|less|fewer) than\b")),
)
_OF_FORM = {
    "date": QuestionType.DATE,
    "quantity": QuestionType.QUANTITY,
    "money": QuestionType.QUANTITY,
    "time": QuestionType.DATE,
    "version": QuestionType.IDENTIFIER,
    "id": QuestionType.IDENTIFIER,
    "code": QuestionType.IDENTIFIER,
}
_TORN = re.compile(
    r"^[^\w.\"“]|[:;()\[\]{}]|n['’]t$|['’]$|^(?:cent|one|two|three|four|five|six|seven|eight|nine|ten|more|less|other|lot)\b",
    re.IGNORECASE,
)
"""Marks of a phrase that was cut, or that counts."""
_NUMBER = re.compile(r"[£$€]?\d[\d.,:/-]*\d%?|\d%?")
_ASIDE = re.compile(r"^(?:\S+ ){1,12}?\S+, (?=(?:the|an?|each|every|all|[A-Z])\b)")


def type_of(text: str, tokens: Sequence[Token]) -> QuestionType:
    """The type of a statement that no question pattern read: by expressions outside the subject, then by words."""
    subject = subject_of(tokens)
    forms = [found.form.split(":")[0] for found in expressions(text, tokens) if found.start >= len(subject)]
    for form in ("date", "quantity", "money", "time"):
        if form in forms:
            return _OF_FORM[form]
    if not tokens and _NUMBER.search(text):
        return QuestionType.QUANTITY
    for kind, words in _TYPES:
        if words.search(text):
            return kind
    if forms:
        return _OF_FORM.get(forms[0], QuestionType.FACTOID)
    named = any(token.tag == "NP0" and not token.code for token in tokens[len(subject) :])
    return QuestionType.NAME if subject and named else QuestionType.FACTOID


def subject_of(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """What stands before the first finite verb; () where that is no plain noun phrase, but for an adverb."""
    before = tuple(tokens[: next((n for n, token in enumerate(tokens) if token.tag in FINITE), 0)])
    phrase = before[:-1] if before and before[-1].tag == "AV0" else before
    if not phrase or phrase[-1].tag not in NOUN | {"CRD"} or phrase[0].tag in {"PRP", "PRF"}:
        return ()
    return before if all(token.tag in _IN_SUBJECT or token.text in {"and", "'s"} for token in phrase) else ()


def values_in(text: str, tokens: Sequence[Token], asked: Proposal | None) -> tuple[str, ...]:
    """What would give the fact away: the key of its best question; amounts, dates and identifiers but a name's."""
    typed = [found.text for found in expressions(text, tokens) if found.form.split(":")[0] in _OF_FORM]
    numbers = [] if typed or tokens else _NUMBER.findall(text)
    subject = text_of(text, subject_of(tokens))
    amounts = [value for value in (*typed, *numbers) if value not in subject]
    return tuple(dict.fromkeys([*([asked.key] if asked else []), *amounts]))


def keyword_of(text: str, tokens: Sequence[Token], values: Sequence[str], title: str) -> str:
    """The noun phrase that the statement is about, holding none of the values; else its document's title; else ''.

    A single common noun says too little of which: its document's title is named beside it.
    """
    named = bare_title(title)
    named = named if content_words(named) and not gives_away(named, values) else ""
    for phrase in _phrases(text, tokens):
        short = 1 <= len(phrase.split()) <= _LONGEST_KEYWORD
        if short and content_words(phrase) and not _TORN.search(phrase) and not gives_away(phrase, values):
            common = re.fullmatch(r"[a-z]+", phrase) and not set(content_words(phrase)) & set(content_words(named))
            return f"{phrase} ({named})" if common and named else phrase
    return named


def gives_away(words: str, values: Sequence[str]) -> bool:
    """Whether words hold a value: all its content words, or any of its numbers."""
    held = set(content_words(words))
    digits = set(_NUMBER.findall(words))
    return any(
        (bool(wanted := set(content_words(value))) and wanted <= held) or bool(digits & set(_NUMBER.findall(value)))
        for value in values
    )


def _phrases(text: str, tokens: Sequence[Token]) -> Iterator[str]:
    """The subject of the first clause, then every noun phrase from left to right."""
    opening = _ASIDE.match(text)
    plain = [t for t in tokens if not opening or t.start >= opening.end()]
    if subject := [token for token in subject_of(plain) if token.tag != "AV0"]:
        yield _bare(uncapitalised(text, subject))
    else:
        verb = next((n for n, t in enumerate(plain) if t.tag in FINITE), 0)
        if 0 < verb <= _LONGEST_KEYWORD and plain[verb - 1].tag in NOUN and plain[0].tag not in {"PRP", "CJS"}:
            yield _bare(uncapitalised(text, plain[:verb]))
    for found in phrases(text, tokens) if tokens else ():
        if found.form == NOUN_PHRASE:
            stands = re.search(re.escape(found.text), text, re.IGNORECASE)
            yield _bare(stands.group() if stands else found.text)


def _bare(phrase: str) -> str:
    return re.sub(r"^(?:[Aa]n?|[Tt]he|[Ee]ach|[Ee]very|[Aa]ll|[Mm]any|[Ss]ome|[Mm]ost) ", "", phrase).strip()


def described(text: str, tokens: Sequence[Token], values: Sequence[str]) -> str:
    """The statement in at most LONGEST_DESCRIPTION words, cut at a clause where it can be, a value still in it."""
    if len(text.split()) <= LONGEST_DESCRIPTION:
        return text
    opening = _ASIDE.match(text)
    main = opening.end() if opening else 0
    # before the verb of the main clause nothing has been said yet
    verb = next((t.end for t in tokens if t.tag in FINITE and t.start >= main), main)
    cuts = [match.start() for match in _BOUNDARY.finditer(text) if match.start() > verb] + [len(text.rstrip("."))]
    pieces = [_closed(text[start:stop]) for start in sorted({0, main}) for stop in cuts]
    fitting = [piece for piece in pieces if _FEWEST_WORDS <= len(piece.split()) <= LONGEST_DESCRIPTION]
    if not fitting:
        return _closed(" ".join(text.split()[:LONGEST_DESCRIPTION]))
    return max(fitting, key=lambda piece: (any(value in piece for value in values), len(piece.split())))


def _closed(piece: str) -> str:
    """Without the function words and the number's half that a cut left at its end."""
    short = _HALF.sub("", piece.strip(" ,;:-–—"))
    return short[:1].upper() + short[1:].rstrip(" ,;:-–—") + ("" if short.endswith(".") else ".")
