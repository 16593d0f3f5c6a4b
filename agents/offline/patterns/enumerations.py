"""Sentences that count things and then name them: 'There are three measures of central tendency: mode, median, mean.'

What is counted out can be asked for by its number, and the names behind the colon bear the number out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.expressions import Expression
from viva.agents.offline.grammar import NOUN, Token, question_form, text_of
from viva.agents.offline.likeness import NUMBER_WORDS
from viva.agents.offline.patterns.base import Proposal, Reading, has_specific_subject, plain_clause
from viva.agents.offline.patterns.facts import made
from viva.core.records import QuestionType

_FEWEST, _LONGEST = 2, 5
"""Names of a list, and words of a name."""
_NO_NAME = frozenset("VBZ VBB VBD VBI VHZ VHB VHD VM0 PNP PNQ CJS CJT TO0 CRD XX0 DTQ AVQ PUQ PUL PUR".split())
_COUNTED = NOUN | {"AJ0", "PRF", "PRP", "AT0", "VVG", "VVN", "ORD"}
_COUNTING = frozenset(
    "have consist contain comprise include take identify propose distinguish describe recognize recognise divide"
    " subdivide compose make form organize organise categorize categorise classify list name present group".split()
)
"""What is said of a thing, or of who told them apart, before the number."""


def without_members(reading: Reading) -> Reading:
    """The sentence up to its colon, if as many names follow as it says; else the sentence as it is."""
    tokens = reading.tokens
    colon = next((n for n, t in enumerate(tokens) if t.text == ":"), None)
    if colon is None or _members(tokens[colon + 1 :]) not in _numbers(tokens[:colon]):
        return reading
    return replace(reading, text=reading.text[: tokens[colon].start], tokens=tokens[:colon])


def enumerated(reading: Reading) -> Iterator[Proposal]:
    """'S is composed of two basic cell types' -> 'How many basic cell types is S composed of?'; members left out."""
    tokens = reading.tokens
    at = next((n for n, t in enumerate(tokens) if t.tag == "CRD"), 0)
    counted = tokens[at:]
    if len(counted) < 2 or any(t.tag not in _COUNTED for t in counted[1:]) or leaning.is_vague(counted):
        return
    if counted[-1].tag not in NOUN | {"VVG"} or reading.leans(counted):
        return
    named = text_of(reading.text, counted[1:])
    number = Expression("number", at, at + 1, counted[0].text.lower())
    if [t.text for t in tokens[:at]] == ["There", "are"]:
        if sum(t.tag in NOUN | {"VVG"} for t in counted) > 1:
            yield made(f"How many {named} are there?", number, QuestionType.QUANTITY, 0.8)
        return
    body = plain_clause(reading, tokens)
    if body is None or at <= body.verb or not has_specific_subject(reading, body):
        return
    if body.predicate[0].tag == "VM0":
        return  # it 'can be divided' otherwise as well
    if not any(t.lemma.lower() in _COUNTING for t in body.predicate) or not _is_asked_plainly(body.tokens[:at]):
        return
    yield made(f"How many {named} {question_form(body, without=counted)}?", number, QuestionType.QUANTITY, 0.8)


def _is_asked_plainly(tokens: Sequence[Token]) -> bool:
    """Whether nothing stands before the number that a question cannot hold: 'also', two persons by their surnames."""
    return not any(t.text in {"also", "further", "and"} for t in tokens)


def _numbers(tokens: Sequence[Token]) -> list[int]:
    """The number that the words give, if they give one alone."""
    said = [t.text.lower() for t in tokens if t.tag == "CRD"]
    return [NUMBER_WORDS.index(said[0]) + 1] if len(said) == 1 and said[0] in NUMBER_WORDS else []


def _members(tokens: Sequence[Token]) -> int:
    """How many names a list holds; 0 where it holds anything else."""
    joints = [n for n, t in enumerate(tokens) if t.text in {",", "and", "or"}]
    names = [tokens[start + 1 : stop] for start, stop in pairwise([-1, *joints, len(tokens)])]
    named = [name for name in names if name]
    if not any(t.text in {"and", "or"} for t in tokens) or any(t.tag in _NO_NAME for t in tokens):
        return 0
    return len(named) if len(named) >= _FEWEST and all(len(name) <= _LONGEST for name in named) else 0
