"""Questions about what a thing is: the answer is a definition, or the thing's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.grammar import NOUN, Token, capitalised, head, is_plural, text_of, uncapitalised
from viva.agents.offline.patterns.base import Proposal, Reading, is_qualified, is_single, plain_clause
from viva.agents.offline.words import content_words
from viva.core.records import BloomLevel, QuestionType

_SETS_APART = frozenset("that which who where for used of in between from with by on to".split())
_EVALUATIVE = frozenset(
    "good bad nice great common simple case lot bit matter part sign very more useful poor big small"
    " better natural popular special minor major key reasonable valid important critical essential crucial vital"
    " primary main central leading powerful effective valuable frequent second third third-party fundamental only"
    " example concern target component cornerstone bedrock subject topic alternative choice candidate problem issue"
    " challenge risk threat advantage disadvantage step prerequisite responsibility priority detail new recent"
    " modern typical legendary pros fine possible potential idea core heart first serious cause result reason".split()
)


_ILLNESS = frozenset("disease disorder syndrome condition".split())
"""'Thyroid disease' is no better told as 'a disorder of the thyroid' than as 'a disease of the thyroid'."""
_WIDE = frozenset(
    "substance thing condition process system group mechanism technique method concept area person place event"
    " characteristic phenomenon practice field attack vulnerability tool disorder disease problem measure".split()
)
_THIN = 3
_NO_CLASS = frozenset("concern problem issue challenge work example step choice".split())
_ROOT = 5
_COUNTED_MOST = frozenset("common commonly frequent frequently widely widespread abundant".split())
_COMMONLY = frozenset("also commonly often sometimes usually generally collectively together".split())
_NAMING = (["called"], ["termed"], ["known", "as"], ["referred", "to", "as"], ["named"])
_IN_NAME = NOUN | {"AT0", "AJ0", "VVG", "VVN", "CRD", "ORD"}


def definition(reading: Reading) -> Iterator[Proposal]:
    """'A term is a Y that Z' -> 'What is a term?' / a Y that Z; and the reverse, asking for the name."""
    body = plain_clause(reading, reading.tokens, single=False)
    if body is None or body.predicate[0].text not in {"is", "are", "means"} or len(body.predicate) < 4:
        return
    if is_qualified(body) and any(
        t.text.lower() not in {"often", "only"} for t in body.predicate[1:4] if t.tag == "AV0"
    ):
        return
    if not is_single(body) and not _goes_on_in_relative_clause(body.predicate):
        return
    subject, predicate = body.subject, body.predicate[1:]
    verb = body.predicate[0].text
    if subject[-1].tag == "AV0" or not _defines(subject, predicate, verb):
        return
    term, meaning = uncapitalised(reading.text, subject), text_of(reading.text, predicate)
    if _is_worth_defining(subject):
        yield Proposal(
            f"What does {term} mean?" if verb == "means" else f"What {verb} {term}?",
            capitalised(meaning),
            f"definition:{predicate[0].text.lower()}",
            QuestionType.DEFINITION,
            BloomLevel.REMEMBER,
            "what-is",
            0.9,
        )
    if verb == "is":
        yield from _name_for(reading, subject, predicate)


def _goes_on_in_relative_clause(predicate: Sequence[Token]) -> bool:
    """'a fault that reduces A but leaves B': the second verb belongs to what sets the thing apart."""
    texts = [t.text for t in predicate]
    relative = next((n for n, text in enumerate(texts) if text in {"that", "which", "who"} and n > 1), None)
    joints = [n for n, text in enumerate(texts) if text in {"and", "or", "but"}]
    if relative is None or not joints or "," in texts:
        return False
    follows = predicate[relative + 1 :]
    return relative < min(joints) and sum(t.text in {"that", "which", "who", "when", "if"} for t in follows) == 0


def called(reading: Reading) -> Iterator[Proposal]:
    """'The loss of old memories is called retrograde amnesia' -> 'What is the loss of old memories called?'"""
    body = plain_clause(reading, reading.tokens)
    if body is None or body.predicate[0].text not in {"is", "are"}:
        return
    rest = [t for t in body.predicate[1:] if t.tag != "AV0" or t.text not in _COMMONLY]
    naming = next((words for words in _NAMING if [t.text for t in rest[: len(words)]] == words), None)
    if naming is None:
        return
    name = rest[len(naming) :]
    if not 1 <= len(name) <= 6 or name[-1].tag not in NOUN or any(t.tag not in _IN_NAME and not t.code for t in name):
        return
    described = [t for t in body.subject if t.tag in NOUN | {"AJ0", "VVN", "VVG", "CRD"}]
    if len(described) < 3 or reading.leans(body.subject):
        return
    bare = name[1:] if name[0].tag == "AT0" and len(name) > 1 else name
    yield Proposal(
        f"What {body.predicate[0].text} {uncapitalised(reading.text, body.subject)} called?",
        capitalised(text_of(reading.text, bare)),
        "term:code" if any(t.code for t in bare) else "term",
        QuestionType.DEFINITION,
        BloomLevel.REMEMBER,
        "called",
        0.9,
    )


def _name_for(reading: Reading, subject: Sequence[Token], predicate: Sequence[Token]) -> Iterator[Proposal]:
    bare = [t for t in subject if t.tag != "AT0"]
    words = {w.lower() for w in re.findall(r"\w+", text_of(reading.text, bare))}
    initials = {w[0].lower() for t in predicate for w in t.text.split("-") if w}
    if len(bare) == 1 and bare[0].text.isupper() and set(bare[0].text.lower()) <= initials:
        return  # 'UTI' for an infection in the urinary tract: the initials tell it
    if not bare or words & {w.lower() for t in predicate for w in re.findall(r"\w+", t.text)}:
        return
    if predicate[0].text not in {"a", "an"} or any(t.tag in {"PRP", "PRF"} for t in bare) or _is_variable(bare):
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
    if any(
        (t.code and " " in t.text) or t.tag == "AJS" or t.text.lower() in _EVALUATIVE for t in subject
    ) or _is_circular(subject, predicate):
        return False
    if subject[0].text.lower() in {"all", "each", "every"} or subject[0].tag in {"CRD", "ORD"}:
        return False
    if any(t.text == "and" for t in subject) or _is_thin(predicate):
        return False
    if not 4 <= len(predicate) <= 26 or is_plural(subject) != (verb == "are") or len(subject) > 6:
        return False
    if not _opens_a_definition(predicate, verb) or predicate[0].tag == "XX0":
        return False
    if (
        leaning.is_vague(predicate[:3])
        or leaning.is_unsure(predicate)
        or any({t.text.lower(), t.lemma.lower()} & _EVALUATIVE for t in predicate[:3])
    ):
        return False
    if {head(predicate).lemma.lower(), head(predicate).text.lower()} & _NO_CLASS:
        return False
    start = next((n for n, t in enumerate(predicate) if t.tag in NOUN), None)
    if start is None or (leaning.is_generic(predicate[start]) and len(predicate) < 5):
        return False
    return _has_differentia(predicate[start:])


def _is_thin(predicate: Sequence[Token]) -> bool:
    """'a substance found in plants': so wide a class, set apart by one noun, holds many other things."""
    content = [t for t in predicate if t.tag in NOUN | {"AJ0", "VVN", "VVG", "VVZ", "VVB", "VVI"}]
    nouns = [t.lemma.lower() for t in content if t.tag in NOUN]
    clause = any(t.text in {"that", "which", "who", "where", "whose"} for t in predicate)
    return bool(nouns) and nouns[0] in _WIDE and not clause and len(content) <= _THIN


def _is_circular(subject: Sequence[Token], predicate: Sequence[Token]) -> bool:
    """'Biological rhythms are internal rhythms of biological activity' says nothing."""
    term = {w[:_ROOT] for t in subject if t.lemma.lower() not in _ILLNESS for w in content_words(t.text)}
    return bool(term) and term <= {w[:_ROOT] for t in predicate for w in content_words(t.text)}


def _opens_a_definition(predicate: Sequence[Token], verb: str) -> bool:
    first, second = predicate[0], predicate[1]
    if second.tag == "TO0":
        return False  # 'glad to answer'
    if verb == "are":
        return first.tag in {"AJ0", "NN1", "NN2"} and head(predicate).tag == "NN2"
    if first.text not in ({"a", "an", "the"} if verb == "is" else {"that", "a", "an", "the"}):
        return False
    if second.text == "most" and len(predicate) > 2 and predicate[2].text not in _COUNTED_MOST:
        return False  # 'the most elegant solution' is an opinion
    return second.tag not in {"AJS", "ORD", "CRD"}


def _has_differentia(tokens: Sequence[Token]) -> bool:
    """Whether the genus is followed by what sets the thing apart; 'the most common form' needs a genus first."""
    at = next((n for n, t in enumerate(tokens) if t.text in _SETS_APART or t.tag in {"VVN", "VVG"}), None)
    if at is None or (tokens[at - 1].lemma in {"form", "type", "kind", "part"} and tokens[at].tag != "PRF" and at):
        return False
    return sum(t.tag in NOUN | {"AJ0", "VVN", "VVG", "VVZ", "VVB", "VVI"} for t in tokens[at:]) >= 1


def _is_variable(subject: Sequence[Token]) -> bool:
    """`count`: a name that means something only in the code around it."""
    return len(subject) == 1 and subject[0].code and bool(re.fullmatch(r"[a-z]+", subject[0].text))


def _is_worth_defining(subject: Sequence[Token]) -> bool:
    noun = head([t for t in subject if t.tag != "AT0"])
    if len(subject) >= 2 and all(t.tag == "NP0" and not t.code for t in subject):
        return False  # most likely a person or a product: 'Who is' and 'What is' cannot be told apart
    if any(t.tag == "PRP" for t in subject) or _is_variable(subject):
        return False
    if any(t.code or t.tag == "NP0" for t in subject):
        return True
    if any(t.tag in {"PRF", "VVN"} for t in subject):
        return False  # a phrase about something, no term
    return not leaning.is_generic(noun) or len(subject) >= 3
