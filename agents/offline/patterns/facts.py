"""Questions whose answer is a typed expression: a quantity, a date, a version, an identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.expressions import Expression, expressions
from viva.agents.offline.grammar import (
    FINITE,
    FINITE_BE,
    FINITE_HAVE,
    NOUN,
    Clause,
    Token,
    capitalised,
    question_form,
    text_of,
    uncapitalised,
)
from viva.agents.offline.patterns.base import (
    Proposal,
    Reading,
    has_specific_subject,
    plain_clause,
    starts_participle,
)
from viva.core.records import BloomLevel, QuestionType

_PREPOSITIONS = frozenset(
    "in on at after before within for by from to until since under over with during every".split()
)
_BOUND = {
    "at least": "minimum",
    "at most": "maximum",
    "up to": "maximum",
    "no more than": "maximum",
    "no fewer than": "minimum",
    "no less than": "minimum",
}
_DURATIONS = frozenset("second minute hour day week month year age".split())
_UNITS = _DURATIONS | frozenset("metre meter kilometre litre liter tonne kilogram knot degree".split())
_DATE_WORDS = {"day": "date", "us": "date", "month": "month", "year": "year", "yearday": "date"}


def fact(reading: Reading) -> Iterator[Proposal]:
    """A typed expression in the predicate, or in a phrase before it, becomes the answer."""
    fronted, rest = _fronted(reading.tokens)
    body = plain_clause(reading, rest)
    if body is None or leaning.is_vague(rest) or body.predicate[0].text in {"may", "might", "could"}:
        return
    if any(t.tag == "XX0" for t in body.predicate):
        return
    if any(
        t.text in {"again", "first", "also", "sometimes", "often", "still"} for t in body.tokens if t.tag != "ORD"
    ):
        return
    if fronted:
        found = expressions(reading.text, fronted)
        whole = len(found) == 1 and found[0].start == 1 and found[0].stop == len(fronted)
        if whole and starts_participle(body):
            yield from _asked_about(reading, body, fronted, found[0], in_place=False)
        return
    inside = [e for e in expressions(reading.text, rest) if e.start > body.verb]
    forms = [e.form for e in inside]
    for expression in inside:
        if forms.count(expression.form) == 1:
            yield from _asked_about(reading, body, rest, expression, in_place=True)


def _fronted(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """A short prepositional phrase before the first comma, and the rest."""
    if tokens[0].text.lower() not in {"in", "on", "since", "after", "from", "within", "by"}:
        return (), tokens
    comma = next((n for n, t in enumerate(tokens[:7]) if t.text == ","), None)
    return ((), tokens) if comma is None else (tokens[:comma], tokens[comma + 1 :])


def _asked_about(
    reading: Reading, body: Clause, phrase: tuple[Token, ...], expression: Expression, *, in_place: bool
) -> Iterator[Proposal]:
    start, stop, bound = _widened(phrase, expression)
    if start and phrase[start - 1].text.lower() in _ROUGHLY:
        return  # 'weigh about 7.5 pounds': those around it are right too
    if start and phrase[start - 1].text.lower() == "every" and expression.form.startswith("quantity:"):
        if start > 1 and phrase[start - 2].text.lower() in _ROUGHLY:
            return
        yield from _interval(body, phrase, start, stop, expression)
        return
    preposition = phrase[start - 1].text.lower() if start and phrase[start - 1].text.lower() in _PREPOSITIONS else ""
    asked = _question_words(expression, phrase[start:stop])
    if asked is None or (in_place and not _can_leave(body, phrase, start, stop, bool(preposition))):
        return
    wh, kind = asked
    if in_range(phrase, start, stop) or phrase[start - 1].text in {"than", "from"}:
        return
    if start > 1 and phrase[start - 1 - bool(preposition)].text in {"starting", "beginning", "dating", "back"}:
        return
    if expression.form.startswith("quantity:") and in_place and not preposition and _counts_from(phrase, stop):
        yield from _time_after(reading, body, phrase, start, expression)
        return
    if expression.form.startswith("quantity:") and not _is_asked_naturally(body, phrase, start, stop, preposition):
        return
    removed = phrase[start - bool(preposition) : stop]
    if bound:
        if not preposition:
            yield from _bounded(body, removed, expression, bound)
        return
    if in_place and start == body.verb + 1 and body.tokens[body.verb].tag in FINITE_BE:
        yield from _complement(reading, body, phrase, expression, stop, kind)
        return
    question = question_form(body, without=removed if in_place else ())
    if body.tokens[body.verb].lemma == "get":
        return
    if not _says_enough(body, removed):
        return
    lead = f"{capitalised(preposition)} {wh}" if preposition else capitalised(wh)
    yield made(f"{lead} {question}?", expression, kind, 0.85)


def _counts_from(phrase: Sequence[Token], stop: int) -> bool:
    """'ten years after manufacture': the rest of the sentence says from when."""
    after = phrase[stop : stop + 6]
    return (
        len(after) >= 2 and after[0].text in {"after", "before"} and not any(t.tag in FINITE for t in phrase[stop:])
    )


def _time_after(
    reading: Reading, body: Clause, phrase: Sequence[Token], start: int, expression: Expression
) -> Iterator[Proposal]:
    """'S is withdrawn ten years after manufacture' -> 'How many years after manufacture is S withdrawn?'"""
    unit = text_of(reading.text, phrase[start:]).partition(" ")[2]
    question = question_form(body, without=phrase[start:])
    if len(body.tokens) - len(phrase[start:]) > body.verb + 1 and expression.form[9:] in _DURATIONS:
        yield made(f"How many {unit} {question}?", expression, QuestionType.QUANTITY, 0.85)


def _is_asked_naturally(body: Clause, phrase: Sequence[Token], start: int, stop: int, preposition: str) -> bool:
    """'in how many doses' is; 'before how many years of age' is not."""
    of = stop - start > 1 and phrase[stop - 2].tag == "PRF"
    if of and stop < len(phrase) and phrase[stop].text in {"with", "without", "who", "aged", "of"}:
        return False  # 'of patients with small tumours': what follows says which
    lasts = any(t.lemma.lower() in _DURATIONS for t in phrase[start:stop])
    if lasts and preposition in {"before", "by", "until", "since", "over", "under", "at", "to"}:
        return False
    if preposition == "after" and body.tokens[body.verb].tag[-1] == "D":
        return False  # 'argued after 12 years': after what, another sentence says
    return preposition != "" or stop == len(phrase) or phrase[stop].text not in {"after", "before"}


def in_range(phrase: Sequence[Token], start: int, stop: int) -> bool:
    """'ten days to two weeks', 'between 4 and 8': half of a range is no answer."""
    after = phrase[stop : stop + 3]
    if after and after[0].text.lower() in {"to", "or", "through", "and"} and any(t.tag == "CRD" for t in after[1:]):
        return True
    before = phrase[max(0, start - 4) : start]
    joined = any(t.text.lower() in {"to", "and", "or"} for t in before[-1:])
    return joined and any(t.tag == "CRD" for t in before)


def _interval(
    body: Clause, phrase: Sequence[Token], start: int, stop: int, expression: Expression
) -> Iterator[Proposal]:
    """'S is inspected every two years' -> 'How often is S inspected?'"""
    first = start - 2 if start > 1 and phrase[start - 2].tag == "AV0" else start - 1
    removed = phrase[first:stop]
    question = question_form(body, without=removed)
    if stop < len(phrase) and not _may_follow(phrase[stop]):
        return
    asked = Expression(f"interval:{expression.form[9:]}", start - 1, stop, f"Every {expression.text}")
    yield made(f"How often {question}?", asked, QuestionType.QUANTITY, 0.85)


def _complement(
    reading: Reading, body: Clause, phrase: Sequence[Token], expression: Expression, stop: int, kind: QuestionType
) -> Iterator[Proposal]:
    """'The buffer size is 8192 bytes' -> 'What is the buffer size?'"""
    if stop == len(phrase) and has_specific_subject(reading, body) and body.tokens[body.verb].text in {"is", "was"}:
        stem = f"What {body.tokens[body.verb].text} {uncapitalised(body.text, body.subject)}?"
        yield made(stem, expression, kind, 0.8)


_ROUGHLY = frozenset("about approximately around roughly only exactly nearly almost just some over".split())


def _widened(phrase: Sequence[Token], expression: Expression) -> tuple[int, int, str]:
    """The expression with its article, head noun ('the X option') and bound ('at least')."""
    start, stop, bound = expression.start, expression.stop, ""
    for words, name in _BOUND.items():
        size = len(words.split())
        if start >= size and " ".join(t.text.lower() for t in phrase[start - size : start]) == words:
            start, bound = start - size, name
    if expression.form.startswith("quantity:") and stop + 1 < len(phrase) and phrase[stop].tag == "PRF":
        stop += 2 if phrase[stop + 1].tag in {"NN1", "NN2", "NN0"} else 0
    if start and phrase[start - 1].tag == "AT0" and phrase[start - 1].text.lower() != "every":
        start -= 1
    return start, stop, bound


def _question_words(expression: Expression, tokens: Sequence[Token]) -> tuple[str, QuestionType] | None:
    kind, _, detail = expression.form.partition(":")
    if kind == "date":
        return f"{'which' if detail == 'year' else 'what'} {_DATE_WORDS[detail]}", QuestionType.DATE
    if kind == "time":
        return "what time", QuestionType.QUANTITY
    if kind == "money":
        return "how much", QuestionType.QUANTITY
    if kind == "quantity":
        if detail == "%":
            return None
        unit = _unit(expression)
        if unit == "percent":
            whole = next((t.text for b, t in pairwise(tokens) if b.tag == "PRF"), None)
            return (f"what percentage of {whole}", QuestionType.QUANTITY) if whole else None
        of = next((f" of {t.text}" for b, t in pairwise(tokens) if b.tag == "PRF"), "")
        counted = next((t for t in reversed(tokens) if t.tag != "PRF" and t.text in expression.text), tokens[-1])
        return (f"how many {unit}{of}", QuestionType.QUANTITY) if unit and counted.tag != "NN1" else None
    if kind == "id":
        label = detail.split(" ")[0]
        return f"which {label if label.isupper() else label.lower()}", QuestionType.IDENTIFIER
    return None


def _unit(expression: Expression) -> str:
    """The words after the number."""
    return expression.text.partition(" ")[2]


def _can_leave(body: Clause, phrase: Sequence[Token], start: int, stop: int, preposition: bool) -> bool:
    """Whether the words asked for can be taken out without leaving a torn sentence behind."""
    before = phrase[start - 1 - preposition]
    inside = phrase[body.verb + 1 : start - 1]
    if any(t.text in _INNER for t in inside) or any(a.tag == "TO0" and b.tag == "VBI" for a, b in pairwise(inside)):
        return False  # the words belong to an inner clause: 'since Apple lost its compiler in 2007'
    if before.text in {"and", "or", ",", "not"} or (stop < len(phrase) and not _may_follow(phrase[stop])):
        return False
    if preposition:
        return starts_participle(body)
    between = phrase[body.verb + 1 : start]
    return all(t.tag in {"AV0", "VVI", "VVN", "VBI", "VBN", "VHI"} for t in between)


_INNER = frozenset("that which who whose where when since while because although if unless what how whether".split())


def _may_follow(token: Token) -> bool:
    """What may come after the words asked for without belonging to them."""
    return token.tag in {"PRP", "TO0", "CJS"} or token.text in {"if", "when", "before", "after", "per", "while"}


def _says_enough(body: Clause, removed: Sequence[Token]) -> bool:
    gone = set(removed)
    left = [t for t in (*body.subject, *body.predicate) if t not in gone]
    named = any(t.tag == "NP0" for t in body.subject)
    ends = removed[-1] == body.tokens[-1]
    if ends and body.tokens[body.verb].tag in FINITE_HAVE and removed[-1].lemma.lower() in _UNITS:
        return False  # 'How many metres does the landing have?': of what
    return sum(t.tag in NOUN | {"AJ0", "VVN", "VVI", "VVZ", "VVD", "VVB"} for t in left) >= (2 if named else 3)


def _bounded(body: Clause, removed: Sequence[Token], expression: Expression, bound: str) -> Iterator[Proposal]:
    """'Passwords must contain at least 12 characters' -> 'What is the minimum number of characters that ...?'"""
    unit = _unit(expression)
    if not expression.form.startswith("quantity:") or not unit or any(t.tag[:2] == "VB" for t in body.predicate):
        return
    gone = set(removed)
    rest = " ".join(t.text for t in body.predicate if t not in gone)
    stem = f"What is the {bound} number of {unit} that {uncapitalised(body.text, body.subject)} {rest}?"
    yield made(stem, expression, QuestionType.QUANTITY, 0.8)


def made(stem: str, expression: Expression, kind: QuestionType, quality: float) -> Proposal:
    pattern = f"ask-{expression.form.split(':')[0]}"
    return Proposal(stem, expression.text, expression.form, kind, BloomLevel.REMEMBER, pattern, quality)
