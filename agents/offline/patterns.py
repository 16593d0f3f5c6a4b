"""Question patterns: from a tagged sentence to questions with their keys.

Each pattern reads one construction and refuses every sentence that is not plainly of it. A proposal holds
the stem, the key, the form its distractors must have, and how good questions of this pattern usually are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from viva.agents.offline import leaning
from viva.agents.offline.expressions import Expression, code_kind, expressions
from viva.agents.offline.grammar import (
    FINITE,
    FINITE_BE,
    NOUN,
    Clause,
    Token,
    capitalised,
    clause,
    head,
    is_noun_phrase,
    is_plural,
    question_form,
    text_of,
    uncapitalised,
)
from viva.core.records import BloomLevel, QuestionType

_HUMAN_ROLES = frozenset(
    "manager officer master director secretary engineer clerk purser captain editor inspector supervisor auditor"
    " steward mate pilot administrator nurse physician doctor committee team board council treasurer registrar"
    " technician coordinator controller operator chair chairman president founder commissioner trustee delegate"
    " department office harbourmaster bosun dispatcher superintendent".split()
)
_HUMAN_VERBS = frozenset(
    "design write propose invent found establish build discover describe suggest lead chair appoint create develop"
    " paint compose introduce draft survey commission launch join succeed donate negotiate".split()
)
_CATEGORY = {"function": "function", "exception": "exception", "option": "option", "extension": "file extension"}
_PREPOSITIONS = frozenset("in on at after before within for by from to until since under over with during every".split())
_BOUND = {
    "at least": "minimum",
    "at most": "maximum",
    "up to": "maximum",
    "no more than": "maximum",
    "no fewer than": "minimum",
    "no less than": "minimum",
}


@dataclass(frozen=True)
class Proposal:
    """A question that a sentence allows. `quality` in (0, 1]: the pattern's usual standing with teachers."""

    stem: str
    key: str
    form: str
    question_type: QuestionType
    bloom: BloomLevel
    pattern: str
    quality: float


Pattern = Callable[[str, tuple[Token, ...]], Iterator[Proposal]]


def proposals(text: str, tokens: tuple[Token, ...]) -> list[Proposal]:
    """All questions this sentence allows, best first; none for a sentence that leans on others."""
    tokens = _without_full_stop(tokens)
    if not 5 <= len(tokens) <= 32 or not _is_plain(text, tokens) or leaning.leans_at_start(tokens):
        return []
    found: dict[tuple[str, str], Proposal] = {}
    for pattern in PATTERNS:
        for proposal in pattern(text, tokens):
            if _presentable(proposal):
                found.setdefault((proposal.stem, proposal.key), proposal)
    return sorted(found.values(), key=lambda p: (-p.quality, p.stem))


def _without_full_stop(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    return tokens[:-1] if tokens and tokens[-1].text in {".", "!"} else tokens


def _is_plain(text: str, tokens: Sequence[Token]) -> bool:
    if re.search(r"https?:|www\.|@\w|[?{}|<>\[\]=]|\.\.\.|…|--|[:;]|\s[-–—]\s|—|\"|“|\*|\bNOT\b|\bMUST\b", text):
        return False
    return not any(token.text in {"(", ")"} for token in tokens)


def _presentable(proposal: Proposal) -> bool:
    words = proposal.stem.split()
    if not 5 <= len(words) <= 34 or leaning.mentions_place_in_document(proposal.stem):
        return False
    if leaning.mentions_place_in_document(proposal.key):
        return False
    return proposal.key.lower() not in proposal.stem.lower()


# --- conditions ------------------------------------------------------------------------------------------


def _condition(text: str, tokens: tuple[Token, ...]) -> Iterator[Proposal]:
    """'If C, M' and 'M if C' -> 'What happens if C?' / M."""
    for word, condition, main in _subordinate(tokens, {"if", "when", "unless"}):
        if not _has_finite(condition) or not 4 <= len(main) <= 16 or len(condition) > 18:
            continue
        if any(t.text == "," for t in (*main, *condition)) or leaning.leans((*condition, *main)):
            continue
        body = clause(text, main)
        if body is None or leaning.is_vague(main) or _has_and_verb(main):
            continue
        verb = body.tokens[body.verb]
        ask = "What should happen" if verb.text in {"should", "must"} else "What happens"
        if verb.text.lower() in {"may", "might", "could"}:
            ask = f"What {verb.text} happen"
        if verb.tag in {"VVD", "VBD"} or verb.text == "would":
            continue
        yield Proposal(
            f"{ask} {word} {uncapitalised(text, condition)}?",
            capitalised(text_of(text, main)),
            "clause:outcome",
            QuestionType.CONDITION,
            BloomLevel.APPLY,
            "what-happens-if",
            0.85,
        )


def _subordinate(
    tokens: tuple[Token, ...], words: set[str]
) -> Iterator[tuple[str, tuple[Token, ...], tuple[Token, ...]]]:
    """(conjunction, subordinate clause, main clause) where the sentence is just these two."""
    first = tokens[0].text.lower()
    if first in words:
        commas = [n for n, token in enumerate(tokens) if token.text == ","]
        if len(commas) == 1:
            main = tokens[commas[0] + 1 :]
            if main and main[0].text.lower() == "then":
                main = main[1:]
            yield first, tokens[1 : commas[0]], main
        return
    at = next((n for n, t in enumerate(tokens) if t.text in words and n > 2), None)
    if at is None or sum(t.text in words for t in tokens) > 1:
        return
    main = tokens[:at]
    if main[-1].text == ",":
        main = main[:-1]
    if main[-1].text not in {"even", "only", "as", "especially", "particularly", "except"}:
        yield tokens[at].text, tokens[at + 1 :], main


def _has_finite(tokens: Sequence[Token]) -> bool:
    return any(token.tag in FINITE for token in tokens)


def _has_and_verb(tokens: Sequence[Token]) -> bool:
    """Whether a second predicate is coordinated ('... and is ...')."""
    return any(
        token.text in {"and", "but", "or"} and any(t.tag in FINITE | {"VVI"} for t in tokens[n + 1 : n + 4])
        for n, token in enumerate(tokens)
    )


# --- causes and purposes ---------------------------------------------------------------------------------


def _cause(text: str, tokens: tuple[Token, ...]) -> Iterator[Proposal]:
    """'S V because C' -> 'Why does S V?' / Because C."""
    at = next((n for n, t in enumerate(tokens) if t.text == "because" and n > 3), None)
    if at is None or at + 3 >= len(tokens) or tokens[at + 1].text == "of":
        return
    main, reason = _without_comma(tokens[:at]), tokens[at + 1 :]
    if main[-1].text in {"not", "only", "just", "partly", "simply", "mainly", "largely"} or len(reason) > 20:
        return
    yield from _why(text, main, reason, "Because ", "clause:because", QuestionType.CAUSE, "why-because")


def _purpose(text: str, tokens: tuple[Token, ...]) -> Iterator[Proposal]:
    """'S V in order to P' / 'so that P' -> 'Why does S V?' / To P."""
    for n in range(3, len(tokens) - 3):
        words = [t.text for t in tokens[n : n + 3]]
        if words == ["in", "order", "to"]:
            yield from _why(
                text, _without_comma(tokens[:n]), tokens[n + 3 :], "To ", "clause:to", QuestionType.PURPOSE, "why-to"
            )
        elif words[:2] == ["so", "that"]:
            yield from _why(
                text,
                _without_comma(tokens[:n]),
                tokens[n + 2 :],
                "So that ",
                "clause:so-that",
                QuestionType.PURPOSE,
                "why-so-that",
            )


def _why(
    text: str,
    main: tuple[Token, ...],
    reason: tuple[Token, ...],
    opening: str,
    form: str,
    question_type: QuestionType,
    pattern: str,
) -> Iterator[Proposal]:
    body = clause(text, main)
    if body is None or any(t.text == "," for t in main) or leaning.leans(main) or _has_and_verb(main):
        return
    if not 3 <= len(reason) <= 18 or not _reason_stands(body, reason):
        return
    question = question_form(body)
    if question is None or len(main) < 4:
        return
    yield Proposal(
        f"Why {question}?",
        opening + uncapitalised(text, reason),
        form,
        question_type,
        BloomLevel.UNDERSTAND,
        pattern,
        0.9,
    )


def _reason_stands(body: Clause, reason: Sequence[Token]) -> bool:
    """Pronouns in the reason may stand for the question's subject, if they agree with it; nothing else may."""
    fitting = {"they", "their", "them"} if is_plural(body.subject) else {"it", "its"}
    first = reason[0].text.lower()
    rest = reason[1:] if first in fitting else reason
    if any(t.text in {",", "."} for t in reason) and sum(t.text == "," for t in reason) > 1:
        return False
    return not leaning.leans(rest) and first not in {"of", "there", "doing", "in"}


def _without_comma(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    return tokens[:-1] if tokens and tokens[-1].text == "," else tokens


# --- subjects --------------------------------------------------------------------------------------------


def _subject(text: str, tokens: tuple[Token, ...]) -> Iterator[Proposal]:
    """'The X function returns Y' -> 'Which function returns Y?' / X."""
    body = clause(text, tokens)
    if body is None or not _asks_enough(body):
        return
    asked = _subject_key(body)
    if asked is None:
        return
    wh, key, form, kind = asked
    if any(key.lower() == t.text.lower() for t in body.predicate):
        return
    yield Proposal(
        f"{wh} {text_of(text, body.predicate)}?", key, form, kind, BloomLevel.REMEMBER, "which-subject", 0.8
    )


def _asks_enough(body: Clause) -> bool:
    """Whether the predicate alone says enough to find its subject."""
    predicate = body.predicate
    if any(t.text == "," for t in predicate) or leaning.leans(predicate, allow_pronouns=False):
        return False
    if leaning.is_vague(predicate) or _has_and_verb(predicate):
        return False
    verb = predicate[0]
    if verb.tag in {"VBB", "VBZ", "VBD"} and len(predicate) > 1 and predicate[1].tag in {"AJ0", "XX0", "AV0"}:
        return False
    if any(t.tag == "XX0" or t.text in {"never", "no", "also", "only", "too"} for t in predicate):
        return False
    if verb.text in {"would", "could", "might", "may", "will"}:
        return False
    content = [t for t in predicate[1:] if t.tag in NOUN | {"AJ0", "VVN", "VVI", "CRD"}]
    return len(content) >= 3


def _subject_key(body: Clause) -> tuple[str, str, str, QuestionType] | None:
    subject = [t for t in body.subject if t.tag != "AV0"]
    if subject and subject[0].tag == "AT0":
        subject = subject[1:]
    if not subject or len(subject) > 5 or is_plural(subject):
        return None
    codes = [t for t in subject if t.code]
    if len(codes) == 1 and " " not in codes[0].text:
        return _code_subject(subject, codes[0])
    found = expressions(body.text, subject)
    if len(found) == 1 and found[0].form.startswith("id:") and found[0].stop - found[0].start == len(subject):
        label = found[0].form[3:].split(" ")[0]
        name = label if label.isupper() else label.lower()
        return f"Which {name}", found[0].text, found[0].form, QuestionType.IDENTIFIER
    return _named_subject(body, subject)


def _code_subject(subject: Sequence[Token], code: Token) -> tuple[str, str, str, QuestionType] | None:
    kind = code_kind(code.text)
    others = [t for t in subject if t is not code]
    if kind is None:
        return None
    if not others and kind in _CATEGORY:
        return f"Which {_CATEGORY[kind]}", code.text, f"code:{kind}", QuestionType.IDENTIFIER
    if len(others) == 1 and others[0].tag in {"NN1"} and subject[-1] is others[0]:
        noun = others[0].text.lower()
        return f"Which {noun}", code.text, f"code:{kind}", QuestionType.IDENTIFIER
    return None


def _named_subject(body: Clause, subject: Sequence[Token]) -> tuple[str, str, str, QuestionType] | None:
    last = subject[-1]
    name = text_of(body.text, subject)
    verb = next((t for t in body.predicate if t.tag[:2] == "VV"), body.predicate[0])
    with_article = text_of(body.text, [t for t in body.subject if t.tag != "AV0"])
    if last.lemma.lower() in _HUMAN_ROLES and not leaning.is_generic(last):
        return "Who", capitalised(with_article), "name:role", QuestionType.NAME
    capital = all(t.text[:1].isupper() for t in subject)
    active = body.predicate[0] is verb
    if capital and len(subject) in {2, 3} and verb.lemma in _HUMAN_VERBS and active and body.subject[0].tag != "AT0":
        return "Who", name, "name:person", QuestionType.NAME
    return None


# --- definitions -----------------------------------------------------------------------------------------


def _definition(text: str, tokens: tuple[Token, ...]) -> Iterator[Proposal]:
    """'A term is a Y that Z' -> 'What is a term?' / a Y that Z, and the reverse."""
    body = clause(text, tokens)
    if body is None or body.predicate[0].text not in {"is", "means"}:
        return
    subject, predicate = body.subject, body.predicate[1:]
    if subject[-1].tag == "AV0" or not _defines(subject, predicate, verb=body.predicate[0].text):
        return
    term = uncapitalised(text, subject)
    meaning = text_of(text, predicate)
    yield Proposal(
        f"What is {term}?" if body.predicate[0].text == "is" else f"What does {term} mean?",
        capitalised(meaning),
        "definition",
        QuestionType.DEFINITION,
        BloomLevel.REMEMBER,
        "what-is",
        0.95,
    )
    bare = [t for t in subject if t.tag != "AT0"]
    words = {w.lower() for w in re.findall(r"\w+", text_of(text, bare))}
    if not words & {t.text.lower() for t in predicate} and not is_plural(subject):
        key = text_of(text, bare) if bare[0].code or bare[0].tag == "NP0" else uncapitalised(text, bare)
        yield Proposal(
            f"What is the term for {meaning}?",
            capitalised(key),
            "term:code" if any(t.code for t in bare) else "term",
            QuestionType.DEFINITION,
            BloomLevel.REMEMBER,
            "term-for",
            0.75,
        )


def _defines(subject: Sequence[Token], predicate: Sequence[Token], *, verb: str) -> bool:
    if not 5 <= len(predicate) <= 20 or is_plural(subject) or len(subject) > 5:
        return False
    if predicate[0].text not in ({"a", "an", "the"} if verb == "is" else {"that", "a", "an", "the"}):
        return False
    if leaning.leans(predicate) or leaning.leans(subject) or any(t.text == "," for t in predicate):
        return False
    if _has_and_verb(predicate) or leaning.is_vague(predicate):
        return False
    noun = head([t for t in subject if t.tag != "AT0"])
    if leaning.is_generic(noun) and len(subject) < 4:
        return False
    if subject[0].text.lower() == "the" and not any(t.code or t.tag == "NP0" for t in subject):
        return False
    start = next((n for n, t in enumerate(predicate) if t.tag in NOUN), None)
    if start is None or predicate[1].text.lower() in {"good", "bad", "nice", "great", "common", "simple", "case"}:
        return False
    # a definition says what sets the thing apart: a relative clause, a participle or a complement
    return any(
        t.text in {"that", "which", "who", "where", "for", "used", "of", "in", "between", "from", "with", "by"}
        or t.tag in {"VVN", "VVG"}
        for t in predicate[start:]
    )


# --- objects and complements: quantities, dates, versions, identifiers -----------------------------------


def _fact(text: str, tokens: tuple[Token, ...]) -> Iterator[Proposal]:
    """A typed expression in the predicate (or in a fronted phrase) becomes the answer."""
    fronted, rest = _fronted(tokens)
    body = clause(text, rest)
    if body is None or any(t.text == "," for t in rest) or _has_and_verb(body.predicate):
        return
    if leaning.leans(rest, allow_pronouns=False) or leaning.is_vague(rest):
        return
    if fronted:
        yield from _asked(text, body, fronted, 0, expressions(text, fronted))
        return
    inside = [e for e in expressions(text, rest) if e.start > body.verb]
    forms = [e.form for e in inside]
    for expression in inside:
        if forms.count(expression.form) == 1:
            yield from _asked(text, body, rest, expression.start, [expression])


def _fronted(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """A short prepositional phrase before the first comma, and the rest."""
    if tokens[0].text.lower() not in {"in", "on", "since", "after", "from", "within"}:
        return (), tokens
    comma = next((n for n, t in enumerate(tokens[:7]) if t.text == ","), None)
    return ((), tokens) if comma is None else (tokens[:comma], tokens[comma + 1 :])


def _asked(
    text: str, body: Clause, phrase: tuple[Token, ...], at: int, found: Sequence[Expression]
) -> Iterator[Proposal]:
    if len(found) != 1:
        return
    expression = found[0]
    start, stop, bound = _widened(phrase, expression)
    preposition = phrase[start - 1].text.lower() if start and phrase[start - 1].text.lower() in _PREPOSITIONS else ""
    asked = _wh(expression, phrase[start:stop], bound)
    if asked is None:
        return
    wh, key, kind = asked
    in_place = at > 0
    if in_place and not preposition and not _is_object(phrase, body.verb, start):
        return
    if in_place and stop < len(phrase) and not _may_follow(phrase[stop]):
        return
    removed = phrase[start - bool(preposition) : stop]
    if bound and not preposition:
        yield from _bounded(text, body, removed, expression, bound, key)
        return
    if bound:
        return
    if in_place and _is_copula_complement(body, start, bool(preposition)) and expression.form.startswith("quantity"):
        if stop < len(phrase):
            return
        yield _made(f"What is {uncapitalised(text, body.subject)}?", expression.text, expression, kind, 0.8)
        return
    question = question_form(body, without=removed if in_place else ())
    if question is None or not _says_enough(body, removed):
        return
    lead = f"{preposition} {wh[0].lower()}{wh[1:]}" if preposition else wh
    yield _made(f"{capitalised(lead)} {question}?", key, expression, kind, 0.85)


def _widened(phrase: Sequence[Token], expression: Expression) -> tuple[int, int, str]:
    """The expression with its article, head noun ('the X option') and bound ('at least')."""
    start, stop = expression.start, expression.stop
    bound = ""
    for words, name in _BOUND.items():
        size = len(words.split())
        if start >= size and " ".join(t.text.lower() for t in phrase[start - size : start]) == words:
            start, bound = start - size, name
    if expression.form.startswith("code:") and stop < len(phrase) and phrase[stop].tag == "NN1":
        stop += 1
    if start and phrase[start - 1].tag == "AT0":
        start -= 1
    if start and phrase[start - 1].text.lower() in {"about", "approximately", "around", "roughly", "only"}:
        start -= 1
    return start, stop, bound


def _wh(expression: Expression, tokens: Sequence[Token], bound: str) -> tuple[str, str, QuestionType] | None:
    form, text = expression.form, expression.text
    if form.startswith("date:"):
        wh = {"day": "What date", "us": "What date", "month": "What month", "year": "Which year", "yearday": "What date"}
        return wh[form[5:]], text, QuestionType.DATE
    if form.startswith("version:"):
        return f"Which version of {form[8:]}" if form[8:] == "Python" else "Which version", text, QuestionType.IDENTIFIER
    if form.startswith("quantity:") and form != "quantity:%":
        unit = text.split(" ", 1)[1] if " " in text else ""
        plural = tokens and tokens[-1].tag != "NN1"
        return (f"How many {unit}", text, QuestionType.QUANTITY) if unit and plural and not bound else (
            (f"number of {unit}", text, QuestionType.QUANTITY) if unit and plural else None
        )
    if form.startswith("id:"):
        label = form[3:].split(" ")[0]
        return f"Which {label if label.isupper() else label.lower()}", text, QuestionType.IDENTIFIER
    if form.startswith("code:"):
        return _wh_code(form[5:], text, tokens)
    return None


def _wh_code(kind: str, text: str, tokens: Sequence[Token]) -> tuple[str, str, QuestionType] | None:
    last = tokens[-1]
    if not last.code and last.tag == "NN1":
        return f"Which {last.text}", text, QuestionType.IDENTIFIER
    if kind in _CATEGORY:
        return f"Which {_CATEGORY[kind]}", text, QuestionType.IDENTIFIER
    return None


def _is_object(phrase: Sequence[Token], verb: int, start: int) -> bool:
    """Whether the expression follows the verb phrase directly."""
    between = phrase[verb + 1 : start]
    return all(t.tag in {"AV0", "VVI", "VVN", "VBI", "VBN", "XX0", "VHI"} for t in between)


def _may_follow(token: Token) -> bool:
    """What may come after the words asked for without belonging to them."""
    return token.tag in {"PRP", "TO0", "AV0", "CJS"} or token.text in {"if", "when", "before", "after", "per", "while"}


def _is_copula_complement(body: Clause, start: int, preposition: bool) -> bool:
    return body.tokens[body.verb].tag in FINITE_BE and start == body.verb + 1 and not preposition


def _says_enough(body: Clause, removed: Sequence[Token]) -> bool:
    left = [t for t in (*body.subject, *body.predicate) if t not in set(removed)]
    return sum(t.tag in NOUN | {"AJ0", "VVN", "VVI", "VVZ", "VVD", "VVB"} for t in left) >= 3


def _bounded(
    text: str, body: Clause, removed: Sequence[Token], expression: Expression, bound: str, key: str
) -> Iterator[Proposal]:
    """'Passwords must contain at least 12 characters' -> 'What is the minimum number of characters that ...?'"""
    unit = expression.text.split(" ", 1)[1] if " " in expression.text else ""
    if not expression.form.startswith("quantity:") or not unit or body.tokens[body.verb].tag in FINITE_BE:
        return
    rest = [t for t in body.predicate if t not in set(removed)]
    kept = uncapitalised(text, body.subject) + " " + " ".join(t.text for t in rest)
    yield _made(
        f"What is the {bound} number of {unit} that {kept}?", key, expression, QuestionType.QUANTITY, 0.8
    )


def _made(stem: str, key: str, expression: Expression, kind: QuestionType, quality: float) -> Proposal:
    return Proposal(
        stem, key, expression.form, kind, BloomLevel.REMEMBER, f"ask-{expression.form.split(':')[0]}", quality
    )


# --- last resort: completion -----------------------------------------------------------------------------


def _completion(text: str, tokens: tuple[Token, ...]) -> Iterator[Proposal]:
    """A typed expression blanked out of a sentence that no other pattern reads."""
    if leaning.leans(tokens) or leaning.is_vague(tokens) or not is_noun_phrase(tokens[:1]) and tokens[0].tag != "AT0":
        return
    if clause(text, tokens) is None and not any(t.text == "," for t in tokens):
        return
    found = expressions(text, tokens)
    forms = [e.form for e in found]
    for expression in found:
        if forms.count(expression.form) > 1 or expression.start == 0:
            continue
        kind = _completion_kind(expression)
        if kind is None:
            continue
        noun, question_type = kind
        left, right = tokens[expression.start].start, tokens[expression.stop - 1].end
        blanked = text[tokens[0].start : left] + "____" + text[right : tokens[-1].end]
        yield Proposal(
            f'Which {noun} completes this statement: "{blanked}."?',
            expression.text,
            expression.form,
            question_type,
            BloomLevel.REMEMBER,
            "completion",
            0.3,
        )


def _completion_kind(expression: Expression) -> tuple[str, QuestionType] | None:
    kind = expression.form.split(":")[0]
    if kind == "quantity":
        return "quantity", QuestionType.QUANTITY
    if kind == "money":
        return "amount", QuestionType.QUANTITY
    if kind == "date":
        return "date", QuestionType.DATE
    if kind == "version":
        return "version", QuestionType.IDENTIFIER
    if kind == "id":
        return "identifier", QuestionType.IDENTIFIER
    if expression.form in {"code:function", "code:exception", "code:option"}:
        return expression.form[5:], QuestionType.IDENTIFIER
    return None


PATTERNS: tuple[Pattern, ...] = (_definition, _cause, _purpose, _condition, _fact, _subject, _completion)
