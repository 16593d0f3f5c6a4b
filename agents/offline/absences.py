"""What the corpus says of one thing and not of another of the same sort, or of nothing it describes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from viva.agents.offline.bank import Bank, Fact
from viva.agents.offline.naming import named_at
from viva.agents.offline.patterns import Proposal
from viva.agents.offline.prose import plain_sentences
from viva.agents.offline.scope import scope_of
from viva.agents.offline.sorts import Sorts
from viva.agents.offline.undated import FORM, PATTERN, dates, undated, years
from viva.agents.offline.words import content_words
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import BloomLevel, Document, QuestionType

HEADER = "header-field"
_ASKED_FOR = frozenset(
    content_words("year date day month time version number minimum maximum amount completed long far")
)
"""Words of a stem that say what is asked for, and that a line which answers need not hold."""
_ASKED_ALIKE = frozenset({"attribute-of", HEADER})
"""Patterns that ask for one property, besides those that ask for a value ('ask-'): 'What does S do?' asks for more,
and a corpus that knows S at all says something of it."""
_MOST = 6
"""Content words of what is asked, besides the name: more take too much for granted."""
_TRIED = 25
"""Siblings tried per question."""
_OFFERED = 2
"""Of them, how many are asked about at most."""
_SAYS, MAY_SAY = 0.5, 0.7
"""Share of what is asked, by weight, that a line about the thing may not hold; a line near one."""


@dataclass(frozen=True)
class Swap:
    """A question of the bank, asked of `other` instead of `name`."""

    fact: Fact
    question: Proposal
    name: str
    other: str
    stem: str
    asked: str
    """what is asked, without the name"""


class Absences:
    """Looks up whether the corpus says something of a thing: in prose, tables and headers alike."""

    def __init__(self, documents: Sequence[Document], bank: Bank, sorts: Sorts) -> None:
        self._documents = tuple(documents)
        self._bank = bank
        self._sorts = sorts
        self.years = years([document.text for document in documents])

    def swaps(self, source: Source, seed: int) -> Iterator[Swap]:
        """Questions on the chunk's facts that the corpus answers of one thing and not of another."""
        for fact in self._bank.facts[source.chunk.id]:
            for question in fact.questions:
                if _takes_nothing_for_granted(question) and not fact.definite:
                    yield from self._swapped(fact, question, source, seed)
            for thing in undated(fact, self._bank):
                if not any(dates(line) for line in self.lines_about(thing.name)):
                    asked = Proposal(thing.stem, "", FORM, QuestionType.DATE, BloomLevel.REMEMBER, PATTERN, 0.5)
                    yield Swap(fact, asked, thing.name, thing.name, thing.stem, thing.stem)

    def _swapped(self, fact: Fact, question: Proposal, source: Source, seed: int) -> Iterator[Swap]:
        title, header = scope_of(source.document.title), question.pattern == HEADER
        for low in self._sorts.in_text(question.stem)[:2]:
            whole = title if header and low in title.lower() else low
            at = question.stem.lower().find(whole.lower())
            place = (at, at + len(whole)) if header else named_at(question.stem, at, at + len(whole), loose=True)
            if at < 0 or place is None or low in question.key.lower():
                continue
            name = question.stem[at : at + len(whole)]
            before, after = question.stem[:at], question.stem[at + len(whole) :]
            if not header and not _is_plain(before, after):
                continue
            asked = question.form.partition(":")[2] if header else f"{before} {after}"
            offered = 0
            for other in seeded_order(self._sorts.siblings(low, titles=header), seed, "siblings", question.stem)[
                :_TRIED
            ]:
                shown = self._title_of(other) if header else other
                alike = header or (name[:1].isupper(), name.isupper()) == (other[:1].isupper(), other.isupper())
                if offered < _OFFERED and alike and shown and not self.stated(other, low, asked, question):
                    offered += 1
                    yield Swap(fact, question, name, other, _with_article(before, shown, after), asked)

    def _title_of(self, name: str) -> str:
        found = re.compile(rf"{re.escape(name)}(?!\w)", re.IGNORECASE)
        return next((scope_of(d.title) for d in self._documents if found.match(d.title)), "")

    def stated(self, name: str, instead: str, asked: str, question: Proposal) -> str:
        """A line of the corpus that may say it of the thing, not of the one it is asked `instead`; "" for none."""
        words = sorted(set(content_words(asked)) - set(content_words(name)) - _ASKED_FOR)
        total = sum(self._bank.weight(word) for word in words)
        if not total:
            return asked
        for document in self._documents:
            about = name.lower() in document.title.lower()
            if not about and name.lower() not in document.text.lower():
                continue
            for line, held in _lines(document.text):
                named = name.lower() in line.lower()
                if instead.lower() in line.lower() and not named:
                    continue
                share = sum(self._bank.weight(word) for word in words if word in held) / total
                enough = _SAYS if named or about else MAY_SAY
                if share >= enough or (named and not about and question.key.lower() in line.lower()):
                    return line
        return ""

    def lines_about(self, name: str) -> list[str]:
        """All that names the thing, and all of the documents that are about it."""
        found: dict[str, None] = {}
        for document in self._documents:
            about = name.lower() in document.title.lower()
            if about or name.lower() in document.text.lower():
                found.update(
                    (line, None) for line, _ in _lines(document.text) if about or name.lower() in line.lower()
                )
        return list(found)


@lru_cache(maxsize=2_000)
def _lines(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((line, frozenset(content_words(line))) for line in plain_sentences(text))


def _takes_nothing_for_granted(question: Proposal) -> bool:
    if question.pattern == "ask-code" or question.question_type is QuestionType.PURPOSE:
        return False
    return question.pattern in _ASKED_ALIKE or question.pattern.startswith("ask-")


def _is_plain(before: str, after: str) -> bool:
    """Whether the rest of the stem asks for something, takes little for granted, and names nothing else."""
    rest = f"{before[1:]} {after}"
    if re.search(r"[A-Z\d“”_()]|['’]s\b", rest) or re.match(r"\s*(?:the|an?)\b", after):
        return False
    return 1 <= len(set(content_words(rest))) <= _MOST


def _with_article(before: str, name: str, after: str) -> str:
    """The stem with another name, and 'a' or 'an' as it asks for."""
    article = re.search(r"\b(an?) $", before, re.IGNORECASE)
    if article:
        right = "an" if name[:1].lower() in "aeiou" else "a"
        before = before[: article.start()] + (right.capitalize() if article.group(1)[0].isupper() else right) + " "
    return before + name + after
