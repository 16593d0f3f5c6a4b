"""What rules say of an answer beside its reference, before any score: the last word of the judge of correctness."""

from __future__ import annotations

import itertools
import re
from enum import StrEnum

from viva.agents.judges.offline.comparison import TextComparison, alternatives, compare
from viva.agents.judges.offline.forms import Form, form_of
from viva.agents.judges.offline.reading import folded, parts
from viva.agents.judges.offline.terms import name_stems, stems_of
from viva.agents.judges.offline.vetoes import tells_nothing, vetoes
from viva.core.records.judging import Case
from viva.core.text.words import content_words
from viva.metrics.text.equality.by_names import alike
from viva.metrics.text.equality.decision import decide
from viva.metrics.text.equality.outcomes import LONG, UNDECIDED, Equality, EqualityDecision
from viva.metrics.text.equality.polarity import asks_yes_or_no, denials
from viva.metrics.text.equality.values import as_read

_MORE_WORDS = 2
"""By how many words an answer that is no more than a value may be longer than the reference."""
_WORD = re.compile(r"\w")
_ASKS_NAME = re.compile(
    r"(?:^|[^\w\s]\s*|\b(?:in|at|on|of|for|to|by|from|with|under|during|after|before|and|per|as|through|into)\s+)"
    r"(?:(?:which|what)\s+(?!(?:is|are|was|were|did|do|does|has|have|had|will|would|can|could|should|may|might|must|shall"
    r"|he|she|it|they|we|you|I|the|an?|his|her|their|its|my|your|this|that"
    r"|happen\w*|made|makes?|caused?|else|kind of person)\b)\w+|who|whom|where"
    r"|wer|wem|wen|wo|welche[mnrs]?|qui|où|quel(?:le)?s?|quién(?:es)?|dónde|qué\s+(?!es\b|son\b)\w+)\b",
    re.IGNORECASE,
)
"""What is asked for has a name: a person, a place, a thing of a sort that the question gives."""
_OR = re.compile(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_][\w'-]*")
_ARTICLES = frozenset("a an the der die das ein eine le la les un une el los las una".split())
_MOST_ATTRIBUTES = 2
"""Words before the noun of a reference."""
_GAP = re.compile(r"_{3,}|…{2,}|\.{4,}")
_FEWEST_AROUND, _REPEATED = 3, 0.7
"""Words of a sentence around its key, and the share of them that an answer has which repeats it."""
_IN_ANOTHER = 4
"""Letters of a word from which on it may be part of another: Pumpe and Hauptpumpe."""


class Ruling(StrEnum):
    """What rules say of an answer."""

    NONE = "none"
    NOTHING = "nothing"
    """it tells nothing of what was asked: it owns up to that, asks, or repeats the question's own words"""
    CONTRADICTED = "contradicted"
    """a sentence of it denies the reference, or has another number, date or value in its place"""


def says_anything(answer: str) -> bool:
    """Whether an answer has a word or a number."""
    return _WORD.search(answer) is not None


def equality_of(case: Case) -> EqualityDecision:
    """Decide on an answer to a question by values: right by any wording of its reference, wrong by all of them."""
    if not case.question:
        return UNDECIDED
    found = [decide(case.question, case.answer, (case.key, each)) for each in alternatives(case.reference)]
    right = [each for each in found if each.outcome is Equality.RIGHT]
    if right and _in_place_of(case.key, case.reference, case.question, case.answer):
        # the values of the sentence around the key are right, the key is another
        by_key = decide(case.question, case.answer, (case.key,))
        if by_key.outcome is not Equality.RIGHT:
            return EqualityDecision(Equality.WRONG, "something else is in the place of the key")
    if right or all(each.outcome is Equality.WRONG for each in found):
        return (right or found)[0]
    return UNDECIDED


def ruled(question: str, wording: str, answer: str, compared: TextComparison, key: str = "") -> Ruling:
    """The ruling on an answer, against one wording of its reference that it has been `compared` with."""
    if tells_nothing(compared) or _repeats(question, key or wording, answer):
        return Ruling.NOTHING
    form = form_of(question, wording)
    another = form is Form.VALUE and _another_value(question, wording, answer)
    if another or _another_name(question, key or wording, answer) or _in_place_of(key, wording, question, answer):
        return Ruling.CONTRADICTED
    # an answer to what is not so says "not" without denying anything
    if denials(question) == 0 and (vetoes(compared) or _contradicted_within(wording, answer, form)):
        return Ruling.CONTRADICTED
    return Ruling.NONE


def _repeats(question: str, wanted: str, answer: str) -> bool:
    """Whether an answer has no word but the question's own, where the reference has others."""
    if asks_yes_or_no(question) or _OR.search(question):
        return False
    asked = frozenset(content_words(question))
    said = frozenset(content_words(folded(answer)))
    return (
        bool(said) and said <= asked and len(wanted.split()) <= LONG and not asked.issuperset(content_words(wanted))
    )


def _another_name(question: str, wanted: str, answer: str) -> bool:
    """Whether an answer to "which", "who" or "where" has none of the words that a short reference adds.

    A reason or an action can be in other words altogether; a name cannot, but for a few. What fills the gap of a
    statement has half of the words that belong there.
    """
    is_gap = _GAP.search(question) is not None
    if not is_gap and not (form_of(question, wanted) is Form.VALUE and _ASKS_NAME.search(question)):
        return False
    asked = _asked(question)
    new, given = (frozenset(content_words(as_read(folded(text)))) - asked for text in (wanted, answer))
    shared = _count_related(new, given)
    if new and given and (2 * shared < len(new) if is_gap else not shared):
        return True
    return _other_of_its_sort(wanted, answer)


def _in_place_of(key: str, wording: str, question: str, answer: str) -> bool:
    """Whether an answer repeats the sentence of a reference, with something else in the place of the key."""
    if not key or len(wording.split()) > LONG:
        return False
    of_key, rest, said = (frozenset(content_words(as_read(folded(text)))) for text in (key, wording, answer))
    rest -= of_key
    new = of_key - _asked(question)
    if not new or len(rest) < _FEWEST_AROUND or len(rest & said) < _REPEATED * len(rest):
        return False
    return 2 * _count_related(new, said) < len(new)


def _asked(question: str) -> frozenset[str]:
    # a number of the question is no word of it: of six routes the sixth is asked for
    return frozenset(stem for stem in content_words(as_read(question)) if not stem.isdigit())


def _count_related(words: frozenset[str], others: frozenset[str]) -> int:
    return sum(any(_related(one, other) for other in others) for one in words)


def _other_of_its_sort(wanted: str, answer: str) -> bool:
    """Whether a reference of an attribute and a noun, "safety officer", is answered by the noun with another one."""
    words = [word for word in _WORDS.findall(folded(wanted)) if word.lower() not in _ARTICLES]
    if not 1 < len(words) <= _MOST_ATTRIBUTES + 1 or any(map(str.istitle, words)):
        return False
    *attributes, noun = (tuple(content_words(word)) for word in words)
    if not all((*attributes, noun)):
        return False
    said = [tuple(content_words(word)) for word in _WORDS.findall(folded(answer))]
    others = [one for one, other in itertools.pairwise(said) if other == noun and one]
    known = [stem for each in attributes for stem in each]
    return bool(others) and not any(_related(stem, mine) for each in said for stem in each for mine in known)


def _related(one: str, other: str) -> bool:
    if min(len(one), len(other)) >= _IN_ANOTHER and (one in other or other in one):
        return True
    # "east" is no spelling of "west"
    return one == other or (one[0] == other[0] and alike(one, other))


def _contradicted_within(wording: str, answer: str, form: Form) -> bool:
    """Whether the sentence of an answer that is nearest to the reference contradicts it.

    Only where what stands around it tells nothing more of the reference: whoever goes on to explain is read as a
    whole, and long references are contradicted by some sentence or other of a right answer.
    """
    if form is Form.LONG:
        return False
    wanted = stems_of(folded(wording))
    told = [(part, wanted & stems_of(folded(part))) for part in parts(answer)]
    sentence, shared = max(told, key=lambda each: len(each[1]), default=(answer, wanted))
    more = frozenset[str]().union(*(each for _, each in told)) - shared
    return not more and vetoes(compare(sentence, wording))


def _another_value(question: str, wording: str, answer: str) -> bool:
    """Whether a bare value shares a word with the reference and has other names in the place of its names.

    Of other words it cannot be told: "her father's house" and "her father's home" differ by one, too.
    """
    if len(answer.split()) > len(wording.split()) + _MORE_WORDS:
        return False
    wanted, said = stems_of(folded(wording)), stems_of(folded(answer))
    other = said - wanted - stems_of(folded(question))
    missing = {word for word in wanted - said if not any(alike(word, each) for each in other)}
    are_names = missing <= name_stems(folded(wording)) and other <= name_stems(folded(answer))
    return bool(wanted & said and missing and other and are_names)
