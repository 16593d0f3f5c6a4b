"""What the fake model can do with prose: split it, find the sentence meant, pick what can be asked, vary it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.core.ids import content_hash

_ENDS = re.compile(r"(?<=[.!?。！？])[\"'”’)]*\s+(?=[^a-z\s])|\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+[.)] ))")
_WORD = re.compile(r"\w+(?:[.:'’-]\w+)*")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = rf"\d{{1,2}} (?:{_MONTHS})(?: \d{{4}})?"
_NUMBER = re.compile(rf"(?<![\w.,:^-])(?:{_DATE}|[£$€]?\d+(?:[.,:]\d+)*\s?%?)(?![\w-])")
_NAME = re.compile(r"\b[A-Z][\w'’-]+(?: (?:(?:of|the|de|von) )*[A-Z][\w'’-]+)*")
_PART = re.compile(r"^Part \d+ of \d+, from “.*”:\n", re.MULTILINE)
_ENOUGH = 2 / 3
"""Share of what a question says that a sentence must say too, to answer it."""
_LONG = 300
_CONDITIONS = ("before 1931", "after 2071", "in the winter of 1896", "on 29 February 1948")
_COUNTS = "two three four five six seven eight nine ten eleven twelve".split()
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS)})\b")
_ARTICLE = re.compile(r"^(?:The|A|An|In|On|At|If|For) ")
_FUNCTION = frozenset(
    "a an and are as at be been but by can could did do does each for from had has have how if in into is it its may"
    " might must no nor not of on one or out over should so some such than that the their them then there these they"
    " this those to under until up was we were what when where which while who whom whose why will with within would"
    " you your gap belongs number name word many much year date time ____ one said".split()
)


def draw(*parts: str) -> int:
    """A number that the texts alone decide."""
    return int(content_hash(*parts), 16)


def one_line(text: str) -> str:
    """The text with every run of white space a blank."""
    return " ".join(text.split())


def sentences(text: str) -> list[str]:
    """Pieces of the text, to the character: sentences, list entries, paragraphs."""
    pieces = (piece.strip() for piece in _ENDS.split(text))
    return [piece for piece in pieces if piece]


def content(text: str) -> set[str]:
    """The words that carry meaning, plural and verb endings off."""
    words = (word.lower() for word in _WORD.findall(text))
    return {re.sub(r"(?:ing|ed|es|s|e)$", "", word) for word in words if word not in _FUNCTION}


def best_sentence(passage: str, question: str) -> str:
    """The sentence that shares most with the question; "" where none shares two words with it."""
    asked = content(question)
    shared = [(len(content(piece) & asked), piece) for part in parts(passage) for piece in sentences(part)]
    most = max((count for count, _ in shared), default=0)
    return next((piece for count, piece in shared if count == most), "") if most >= min(2, len(asked)) > 0 else ""


def parts(passage: str) -> list[str]:
    """The passages, where several were given as the parts of one; else the one there is."""
    return [part.strip() for part in _PART.split(passage) if part.strip()]


def answers(told: str, question: str) -> bool:
    """Whether sentences say most of what the question says, and every number and name in it."""
    asked, held = content(question), told.lower()
    named = [*(m.group().strip() for m in _NUMBER.finditer(question)), *names(question)]
    enough = len(asked & content(told)) >= _ENOUGH * len(asked)
    return enough and all(name.lower() in held for name in named)


def names(sentence: str) -> list[str]:
    """Capitalised words inside the sentence, and runs of them anywhere."""
    found = []
    for match in _NAME.finditer(sentence):
        name = _ARTICLE.sub("", match.group())
        if match.start() > 0 or " " in name:
            found.append(name)
    return found


def joined(passages: list[str]) -> Iterator[tuple[str, str]]:
    """Sentences of the first two passages that share a name: one that describes it, one that can be asked about."""
    told = [[one_line(s) for s in sentences(p) if s[-1] in ".!。" and len(s) <= _LONG] for p in passages[:2]]
    for here, there in (told, told[::-1]) if len(told) == 2 else ():
        yield from ((described, asked) for described in here for asked in there if _shared(described, asked))


def joining_questions(described: str, asked: str) -> Iterator[tuple[str, str]]:
    """Questions about the one sentence that name its subject by what the other says of it; each with its key."""
    name = _shared(described, asked)
    hidden = re.compile(rf"(?:\b(?:[Tt]he|[Aa]n?) )?\b{re.escape(name)}\b")
    description = f"the one of which ‘{hidden.sub('____', described).rstrip(' .!')}’ is said"
    for question, key in questions(asked) if name else ():
        put = hidden.sub(description, question, count=1)
        if put != question and name not in put and key not in name and key.lower() not in described.lower():
            yield put[:1].upper() + put[1:], key


def _shared(first: str, second: str) -> str:
    """The longest name in both; "" where they are one sentence or share none."""
    also = names(second)
    return "" if first == second else max((name for name in names(first) if name in also), key=len, default="")


def following(sentence: str, name: str) -> Iterator[tuple[str, str]]:
    """Questions about the sentence that call what it is about "it"; each with its key."""
    hidden = re.compile(rf"(?:\b(?:[Tt]he|[Aa]n?) )?\b{re.escape(name)}\b")
    for question, key in questions(sentence) if name else ():
        put = hidden.sub("it", question)
        if put != question and key not in name and not content(name) & content(put):
            yield put[:1].upper() + put[1:], key


def unanswered(sentence: str) -> Iterator[str]:
    """Questions near the sentence, on a condition that it does not speak of."""
    for condition in _CONDITIONS:
        for question, _ in questions(sentence):
            yield f"{question.rstrip('?')} {condition}?"


def spans(sentence: str) -> list[str]:
    """What a question could ask for, the most askable first: numbers, names, long words. Never empty for a text."""
    found = [match.group().strip() for match in (*_NUMBER.finditer(sentence), *_COUNT.finditer(sentence))]
    found += names(sentence)
    words = [word for word in _WORD.findall(sentence) if word.lower() not in _FUNCTION and not word[0].isdigit()]
    found += sorted(words, key=len, reverse=True)
    return list(dict.fromkeys(found)) or sentence.split()[:1]


def kind(span: str) -> str:
    """number, name or word."""
    if _NUMBER.fullmatch(span) or span in _COUNTS:
        return "number"
    return "name" if span[:1].isupper() else "word"


def questions(sentence: str) -> Iterator[tuple[str, str]]:
    """Wordings of questions about the sentence, each with its key."""
    plain = one_line(sentence)
    for key in spans(plain)[:3]:
        before, _, after = plain.partition(key)
        if wh := _asking_word(key, before, after):
            echo = f"{before}{wh}{after}".rstrip(" .!?:;")
            yield echo[:1].upper() + echo[1:] + "?", key
        gapped = f"{before}____{after}".rstrip(" .!?:;")
        yield f"Which {kind(key)} belongs in the gap: “{gapped}”?", key


def _asking_word(key: str, before: str, after: str) -> str | None:
    if kind(key) != "number":
        return None
    if ":" in key:
        return "what time"
    if re.fullmatch(_DATE, key):
        return "which date"
    if re.fullmatch(r"1\d{3}|20\d\d", key) and re.search(r"\b(?:in|since|until|by|of) $", before):
        return "which year"
    if key[0] in "£$€" or key.endswith("%"):
        return "how much"
    return "how many" if re.match(r" [a-z]", after) else "which number"


def wrong_answers(key: str, passage: str, like: str = "") -> Iterator[str]:
    """Expressions of the key's shape that are not the key, without end; first those of like things."""
    told = (span for sentence in sentences(like) for span in spans(one_line(sentence)))
    yield from dict.fromkeys(span for span in told if kind(span) == kind(key) and key not in span)
    if key in _COUNTS:
        at = _COUNTS.index(key)
        yield from (_COUNTS[(at + step) % len(_COUNTS)] for step in (1, -1, 2, -2, 3))
    elif digits := re.search(r"\d+", key):
        yield from _other_numbers(key, digits)
    elsewhere = [s for sentence in sentences(passage) for s in spans(one_line(sentence)) if kind(s) == kind(key)]
    taken = {key.lower()}
    for expression in sorted(elsewhere, key=lambda s: abs(len(s) - len(key))):
        if expression.lower() not in taken and key not in expression and expression not in key:
            taken.add(expression.lower())
            yield expression
    number = 2
    while True:
        yield f"{key} {number}"
        number += 1


def _other_numbers(key: str, digits: re.Match[str]) -> Iterator[str]:
    value, width = int(digits.group()), len(digits.group())
    step = max(1, value // 8 if value < 1000 else 7)
    for times in (1, -1, 2, 3, -2, 4):
        if value + times * step > 0:
            yield f"{key[: digits.start()]}{value + times * step:0{width}d}{key[digits.end() :]}"
