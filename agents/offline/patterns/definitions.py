"""Questions about what a thing is: the answer is a definition, or the thing's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.grammar import NOUN, Token, capitalised, head, is_plural, text_of, uncapitalised
from viva.agents.offline.patterns.base import Proposal, Reading, plain_clause
from viva.core.records import BloomLevel, QuestionType

_SETS_APART = frozenset("that which who where for used of in between from with by on to".split())
_EVALUATIVE = frozenset(
    "good bad nice great common simple case lot bit matter part sign very more useful poor big small"
    " better natural popular special minor major key reasonable valid".split()
)


def definition(reading: Reading) -> Iterator[Proposal]:
    """'A term is a Y that Z' -> 'What is a term?' / a Y that Z; and the reverse, asking for the name."""
    body = plain_clause(reading, reading.tokens)
    if body is None or body.predicate[0].text not in {"is", "means"} or len(body.predicate) < 4:
        return
    subject, predicate = body.subject, body.predicate[1:]
    verb = body.predicate[0].text
    if subject[-1].tag == "AV0" or not _defines(subject, predicate, verb):
        return
    term, meaning = uncapitalised(reading.text, subject), text_of(reading.text, predicate)
    if _is_worth_defining(subject):
        yield Proposal(
            f"What is {term}?" if verb == "is" else f"What does {term} mean?",
            capitalised(meaning),
            f"definition:{predicate[0].text.lower()}",
            QuestionType.DEFINITION,
            BloomLevel.REMEMBER,
            "what-is",
            0.9,
        )
    yield from _name_for(reading, subject, predicate)


def _name_for(reading: Reading, subject: Sequence[Token], predicate: Sequence[Token]) -> Iterator[Proposal]:
    bare = [t for t in subject if t.tag != "AT0"]
    words = {w.lower() for w in re.findall(r"\w+", text_of(reading.text, bare))}
    if not bare or words & {w.lower() for t in predicate for w in re.findall(r"\w+", t.text)}:
        return
    if predicate[0].text not in {"a", "an"} or any(t.tag in {"PRP", "PRF"} for t in bare):
        return
    named = bare[0].code or all(t.tag == "NP0" for t in bare)
    if subject[0].text.lower() not in {"a", "an"} and not named:
        return
    rest = text_of(reading.text, predicate[1:])
    meaning = text_of(reading.text, predicate)
    stem = f"What is the name of the {rest}?" if named else f"What is the term for {meaning}?"
    key = text_of(reading.text, bare) if named else uncapitalised(reading.text, bare)
    yield Proposal(
        stem,
        key if named else capitalised(key),
        "term:code" if any(t.code for t in bare) else ("term:name" if named else "term"),
        QuestionType.DEFINITION,
        BloomLevel.REMEMBER,
        "name-of",
        0.8,
    )


def _defines(subject: Sequence[Token], predicate: Sequence[Token], verb: str) -> bool:
    if subject[0].text.lower() in {"all", "each", "every"}:
        return False
    if not 5 <= len(predicate) <= 20 or is_plural(subject) or len(subject) > 6:
        return False
    if predicate[0].text not in ({"a", "an", "the"} if verb == "is" else {"that", "a", "an", "the"}):
        return False
    if leaning.is_vague(predicate) or predicate[1].text.lower() in _EVALUATIVE or predicate[1].tag == "AJS":
        return False
    start = next((n for n, t in enumerate(predicate) if t.tag in NOUN), None)
    if start is None or (leaning.is_generic(predicate[start]) and verb == "is" and len(predicate) < 6):
        return False
    return any(t.text in _SETS_APART or t.tag in {"VVN", "VVG"} for t in predicate[start:])


def _is_worth_defining(subject: Sequence[Token]) -> bool:
    noun = head([t for t in subject if t.tag != "AT0"])
    if len(subject) >= 2 and all(t.tag == "NP0" and not t.code for t in subject):
        return False  # most likely a person or a product: 'Who is' and 'What is' cannot be told apart
    if any(t.code or t.tag == "NP0" for t in subject):
        return True
    if leaning.is_generic(noun) or subject[0].text.lower() == "the":
        return len(subject) >= 5
    return True
