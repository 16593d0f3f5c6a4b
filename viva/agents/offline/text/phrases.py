"""Whole phrases of a sentence: noun phrases with their complements, lists of them, clauses and infinitives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viva.agents.offline import leaning
from viva.agents.offline.text.grammar import FINITE, FINITE_BE, NOUN, Token, capitalised, text_of, uncapitalised

NOUN_PHRASE = "phrase"
"""The form of a noun phrase."""

PURPOSE = "use:to"
"""The form of an infinitive."""
_BEFORE_NOUN = frozenset({"AJ0", "AJC", "AJ0-VVN", "VVN", "ORD"}) | NOUN
_CLAUSES = {
    "because": "clause:because",
    "when": "clause:when",
    "before": "clause:when",
    "after": "clause:when",
    "until": "clause:when",
    "once": "clause:when",
    "if": "clause:if",
    "unless": "clause:if",
}
_SUBORDINATORS = frozenset(
    "that which who whom whose where how what whether when while if because before after until once as than".split()
)
_WITH_NOUNS = frozenset({"for", "in", "between", "among", "with", "about", "against"})
_NO_END = frozenset({"TO0", "PRF", "POS", "AT0", "DPS", "DT0", "CRD", "PNP", "CJT"})
_COMPLEMENTS = 3
_MARKS = frozenset('“ ” " ( ) [ ] | = < > { } * — – - / \\ … : ; # ~ + ` &'.split())
_PARTS = frozenset(
    "case part result number set instance kind type form use sort bit piece top front event behalf means variety way"
    " sign series lot range amount majority spite place".split()
)
"""Nouns that mean nothing without an article: 'case of fever' was cut off 'in case of fever'."""
_ORDERS = frozenset(
    "use help make keep need return report check test set let allow ensure note see implement avoid store limit log"
    " require review monitor request design control support cause increase change result end start stop".split()
)
"""Verbs that are also nouns: before a noun and without an article they are mostly verbs."""
_READER = frozenset("you your we our us i my he she his her him".split())
_SHORTEST, _LONGEST = 3, 18
"""Words of a clause."""


@dataclass(frozen=True)
class Phrase:
    """Words of a sentence, and what they are."""

    form: str
    text: str


def phrases(source: str, tokens: Sequence[Token]) -> Iterator[Phrase]:
    """All of them, from left to right."""
    tokens = tuple(tokens[:-1] if tokens and tokens[-1].text in {".", "!", "?"} else tokens)
    for at in range(len(tokens)):
        yield from phrases_from(source, tokens, at)


def phrases_from(source: str, tokens: tuple[Token, ...], at: int) -> Iterator[Phrase]:
    """Noun phrases, lists of them, reasons, times, conditions and purposes that begin at this token."""
    yield from _noun_phrases(source, tokens, at)
    yield from _clause(source, tokens, at)


def _noun_phrases(source: str, tokens: tuple[Token, ...], at: int) -> Iterator[Phrase]:
    """The phrase that begins here: bare, with its complements, and as the first of a list."""
    before = tokens[at - 1] if at else None
    if before is not None and (
        before.tag in _BEFORE_NOUN | {"AT0", "DPS", "CRD", "DT0", "AV0"} or before.text == "'s"
    ):
        return
    if tokens[at].tag == "VVN" and before is not None and before.tag[:2] in {"VB", "VH"}:
        return
    stop = _noun_phrase(tokens, at)
    if stop is None:
        return
    ends = [stop]
    object_ = before is not None and before.tag[:2] in {"VV", "PR"}
    while (further := _complement(tokens, ends[-1], only_of=object_)) is not None and len(ends) < _COMPLEMENTS:
        ends.append(further)
    listed = _listed(tokens, ends[0])
    for end in (*ends, *([listed] if listed else [])):
        words = tokens[at:end]
        if len(words) > _LONGEST or not _stands(words) or not _may_end(tokens, end):
            continue
        if at == 0 and tokens[0].tag != "AT0" and not (end < len(tokens) and tokens[end].tag in FINITE):
            continue  # 'Return 429 responses': an order, whose verb was tagged as a noun
        yield Phrase(NOUN_PHRASE, capitalised(uncapitalised(source, words)))


def _noun_phrase(tokens: Sequence[Token], at: int) -> int | None:
    """Where the bare noun phrase that begins at `at` ends."""
    stop = at + (at < len(tokens) and tokens[at].tag == "AT0")
    while stop < len(tokens) and tokens[stop].tag in _BEFORE_NOUN:
        stop += 1
    while stop > at and tokens[stop - 1].tag not in NOUN:
        stop -= 1
    # a plural before a noun is mostly a noun before a verb that was tagged as a noun: 'the options range'
    if any(tokens[n].tag == "NN2" and tokens[n + 1].tag in {"NN1", "NN2"} for n in range(at, stop - 1)):
        return None
    if stop > at and not _opens(tokens[at:stop], tokens[stop] if stop < len(tokens) else None):
        return None
    return stop if stop > at and tokens[stop - 1].tag in NOUN else None


def _opens(words: Sequence[Token], following: Token | None) -> bool:
    """Whether a noun phrase can begin so: 'help control urination' and 'case of fever' are torn."""
    first = words[0].text.lower()
    if first in _ORDERS and len(words) > 1:
        return False
    return not (first in _PARTS and (len(words) > 1 or (following is not None and following.tag == "PRF")))


def _complement(tokens: Sequence[Token], at: int, *, only_of: bool) -> int | None:
    """Where 'of X' ends, or 'for X' where no verb stands before that it could belong to."""
    if at >= len(tokens) or (tokens[at].tag != "PRF" and (only_of or tokens[at].text not in _WITH_NOUNS)):
        return None
    stop = _noun_phrase(tokens, at + 1)
    # 'the loss of hearing and sight': what is joined to the complement belongs to it
    return None if stop is None or (stop < len(tokens) and tokens[stop].text in {"and", "or", ","}) else stop


def _may_end(tokens: Sequence[Token], at: int) -> bool:
    """Whether a noun phrase may end here: 'the job lead to' and 'the first of' are torn."""
    following = _NO_END | {"NN0", "NN1", "NN2", "NP0", "AJ0"}
    return at >= len(tokens) or (tokens[at].text.lower() != "to" and tokens[at].tag not in following)


def _listed(tokens: Sequence[Token], at: int) -> int | None:
    """Where a list ends whose first member ends here: 'X, Y and Z', 'X and Y'."""
    members, stop = 1, at
    while stop < len(tokens) and tokens[stop].text in {",", "and", "or"}:
        following = stop + 1
        last = tokens[stop].text != ","
        if not last and members == 1 and following < len(tokens) and tokens[following].text in {"and", "or"}:
            return None
        if not last and following < len(tokens) and tokens[following].text in {"and", "or"}:
            following, last = following + 1, True
        end = _noun_phrase(tokens, following)
        if end is None:
            return None
        members, stop = members + 1, end
        if last:
            return stop if members >= 2 and _ends_clause(tokens, stop) else None
    return None


def _ends_clause(tokens: Sequence[Token], at: int) -> bool:
    return (
        at >= len(tokens) or tokens[at].text in {",", ";"} or tokens[at].tag in FINITE | {"CJS", "VM0", "PRP", "PRF"}
    )


def _clause(source: str, tokens: tuple[Token, ...], at: int) -> Iterator[Phrase]:
    """'because C', 'when C', 'so that C', 'to V', up to the next comma or clause."""
    word = tokens[at].text.lower()
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is None or (at and tokens[at - 1].tag == "VM0"):
        return
    if word == "to" and tokens[at].tag == "TO0" and following.tag == "VVI":
        form, opening = PURPOSE, at
    elif word == "so" and following.text == "that":
        form, opening = "clause:so-that", at + 1
    elif word in _CLAUSES and following.text not in {"of", "not"} and (tokens[at].tag != "PRP"):
        form, opening = _CLAUSES[word], at
    else:
        return
    stop = _end_of_clause(tokens, opening + 1)
    words = tokens[opening + 1 : stop]
    if not _SHORTEST <= len(words) <= _LONGEST or not _stands(words):
        return
    if _verbs(words) != (form != PURPOSE) or (form == PURPOSE and not _has_object(words)):
        return
    lead = text_of(source, tokens[at : opening + 1])
    yield Phrase(form, f"{lead[0].upper()}{lead[1:]} {uncapitalised(source, words)}")


def _has_object(words: Sequence[Token]) -> bool:
    """Whether an infinitive ends with a noun, and not in a second verb: 'to relieve symptoms and induce'."""
    last = words[-1]
    if last.tag not in NOUN:
        return False
    return words[-2].text not in {"and", "or"} or words[-3].tag == last.tag


def _stands(words: Sequence[Token]) -> bool:
    """Whether the words are whole and can be understood alone."""
    if leaning.leans(words) or leaning.is_vague(words) or any(t.text in _MARKS for t in words):
        return False
    last = words[-1]
    if last.tag in {"AJ0", "AV0"}:  # 'is chronic' is whole, 'involve observable' was cut off a list
        return any(t.tag in FINITE_BE for t in words[-4:-1])
    if words[0].text.lower() in _READER or any(t.tag == "PNP" and t.text.lower() in _READER for t in words):
        return False
    return last.tag in NOUN | {"VVN", "VVD", "VVI", "CRD", "VVZ", "VVB", "AVP"}


def _verbs(words: Sequence[Token]) -> int:
    """Finite verbs that no subordinating word accounts for: one of a clause, none of a phrase."""
    subordinate = sum(t.text.lower() in _SUBORDINATORS for t in words)
    return sum(t.tag in FINITE and t.tag != "XX0" for t in words) - subordinate


def _end_of_clause(tokens: Sequence[Token], start: int) -> int:
    """Where the clause ends: at a comma that begins no list, a semicolon, or another conjunction."""
    for n in range(start, len(tokens)):
        if tokens[n].text in {";", ":", "(", ")", "—", "–"} or tokens[n].text.lower() in _CLAUSES:
            return n
        if tokens[n].text == ",":
            return n
    return len(tokens)
