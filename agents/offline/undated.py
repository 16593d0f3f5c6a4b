"""Questions for the year of something that the corpus describes and never dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viva.agents.offline.bank import Bank, Fact
from viva.agents.offline.sorts import said_to_be
from viva.agents.offline.words import content_words

PATTERN = "undated"
FORM = "date:year"
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d(?:s\b|\b)")
# "1700 calories" and "Suite 1825" are no years
_IN_YEAR = re.compile(
    r"\b(?:[Ii]n|[Ss]ince|[Bb]y|[Uu]ntil|[Dd]uring)\s(?:[A-Z][a-z]+\s)?((?:1[6-9]|20)\d\d)(?=[\s,.;)])"
)
_CENTURY = re.compile(r"\b(?:centur(?:y|ies)|decades?|years? ago|B\.?C\.?|A\.?D\.?)\b")
_HAPPENED = {
    "born": "psychologist psychiatrist neurologist physician surgeon scientist researcher philosopher physiologist"
    " biologist mathematician engineer author writer captain",
    "first described": "disorder disease syndrome infection cancer tumor effect phenomenon fallacy bias reflex",
    "founded": "organization organisation association company agency institute university society yard museum",
    "launched": "ship vessel ferry boat tug",
    "first used": "drug medication medicine antibiotic vaccine hormone-therapy opioid antidepressant stimulant",
    "first proposed": "theory model hypothesis",
    "first developed": "therapy psychotherapy procedure surgery test exam scan scale algorithm",
}
_WHEN = {sort: words for words, sorts in _HAPPENED.items() for sort in sorts.split()}
_LONGEST = 5


@dataclass(frozen=True)
class Undated:
    """A thing that a fact says the sort of, and the question for a year that the corpus does not give."""

    name: str
    stem: str


def undated(fact: Fact, bank: Bank) -> Iterator[Undated]:
    """'Codeine is an opioid ...' -> 'In which year was codeine first used?', whether or not the corpus dates it."""
    said = said_to_be(fact.statement)
    if said is None or said[0] not in _WHEN or re.match(r"An? ", fact.statement):
        return
    name = said[1]
    if len(name.split()) > _LONGEST or len(set(name.lower().split())) < len(name.split()):
        return
    article = "the " if fact.statement.startswith("The ") else ""
    written = _inside_a_sentence(name, bank)
    if written:
        yield Undated(name, f"In which year was {article}{written} {_WHEN[said[0]]}?")


def dates(line: str) -> bool:
    """Whether a line gives a year, or something like it."""
    return bool(_YEAR.search(line) or _CENTURY.search(line))


def years(texts: Sequence[str]) -> list[str]:
    """The years in which something happened by the texts, each once, in order."""
    return list(dict.fromkeys(match.group(1) for text in texts for match in _IN_YEAR.finditer(text)))


def _inside_a_sentence(name: str, bank: Bank) -> str:
    """The name as it is written where no sentence begins; "" where it never stands there."""
    words = content_words(name)
    rarest = min(words, key=lambda word: (len(bank.postings.get(word, ())), word), default="")
    inside = re.compile(rf"(?<=[\w,;] ){re.escape(name)}(?![\w-])", re.IGNORECASE)
    for n in bank.postings.get(rarest, ()):
        found = inside.search(bank.sentences[n])
        if found:
            return found.group()
    return ""
