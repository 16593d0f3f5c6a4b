"""Questions on the fields of documents' headers: 'On what date was PEP 205 (Weak References) created?'"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from viva.agents.offline.corpus_facts import HEADER_FIELD, CorpusFacts, StatedFact
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.scope import title_scope
from viva.core.ids import content_hash
from viva.core.records import BloomLevel, Chunk, Document, QuestionType

_LINE = re.compile(r"^:?([A-Z][A-Za-z][\w \-]{0,24}):[ \t]+(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_OPENING_CHARACTERS = 1500
_NOT_ASKED = re.compile(
    r"^(?:title|name|id|number|replaces|requires|superseded-by|content-type|version|last-modified|abstract|note|todo|topic|category|tags?|keywords?|format|language|layout)$",
    re.IGNORECASE,
)
_HEADER_SHARE = 3
"""Where there is enough else to ask, one header in so many is asked about: it tells little of its subject."""
_USUAL = 0.4
"""Share of a field's values from which on one is the usual one."""
_FIELD_VALUES = 4
"""A header field with fewer values in the whole corpus cannot be made into options."""


def header_facts(bank: CorpusFacts, document: Document, chunk: Chunk) -> Iterable[StatedFact]:
    """A question for each field of the header that ends in the chunk, and says what the title does not."""
    for entry in header_fields(document):
        if entry.end > chunk.end or entry.value.lower() in document.title.lower():
            continue
        form = f"field:{entry.name.lower()}"
        bank.candidate(form, entry.value, document.id)
        dated = bool(re.search(r"\b(?:19|20)\d\d\b", entry.value))
        stem = _header_stem(entry.name, title_scope(document.title), dated=dated)
        kind = QuestionType.DATE if dated else QuestionType.NAME
        yield StatedFact(
            f"{document.title}: {entry.name}: {entry.value}",
            entry.start,
            entry.end,
            (Proposal(stem, entry.value, form, kind, BloomLevel.REMEMBER, HEADER_FIELD, 0.5),),
        )


def thin_headers(bank: CorpusFacts) -> None:
    """One header field per document, of those that differ enough between documents to be asked about."""
    of_headers = [fact.questions[0].pattern == HEADER_FIELD for facts in bank.facts.values() for fact in facts]
    enough = of_headers.count(False) >= len(bank.titles)
    usual = _usual_values(bank)
    for chunk_id, facts in bank.facts.items():
        plain = [fact for fact in facts if fact.questions[0].pattern != HEADER_FIELD]
        headers = [
            fact
            for fact in facts
            if fact.questions[0].pattern == HEADER_FIELD
            and len(bank.candidates[fact.questions[0].form]) >= _FIELD_VALUES
            and (fact.questions[0].form, fact.questions[0].key) not in usual
        ]
        if enough and int(content_hash("header", chunk_id), 16) % _HEADER_SHARE:
            headers = []
        chosen = min(headers, key=lambda fact: content_hash("header", chunk_id, fact.statement), default=None)
        bank.facts[chunk_id] = [chosen, *plain] if chosen else plain


def _usual_values(bank: CorpusFacts) -> frozenset[tuple[str, str]]:
    """(form, value) of what a header field holds so often that to say it always scores well: 'Final'."""
    held: dict[str, Counter[str]] = defaultdict(Counter)
    for facts in bank.facts.values():
        for fact in facts:
            if fact.questions[0].pattern == HEADER_FIELD:
                held[fact.questions[0].form][fact.questions[0].key] += 1
    return frozenset(
        (form, value)
        for form, values in held.items()
        for value, times in values.items()
        if times >= _FIELD_VALUES and times >= _USUAL * values.total()
    )


def _header_stem(name: str, title: str, *, dated: bool) -> str:
    """'Created' with a date asks when it was created; any other field is asked for by its name."""
    label = name.replace("-", " ")
    if dated and re.fullmatch(r"[A-Z][a-z]+ed", label):
        return f"On what date was {title} {label.lower()}?"
    words = [
        word if word.isupper() or (n == 0 and "-" in name) else word.lower() for n, word in enumerate(label.split())
    ]
    noun = " date" if dated and not label.lower().endswith("date") else ""
    return f"What is the {' '.join(words)}{noun} of {title}?"


@dataclass(frozen=True)
class HeaderField:
    """One `name: value` line of a header; offsets into the document's text."""

    name: str
    value: str
    start: int
    end: int


def header_fields(document: Document) -> list[HeaderField]:
    """The fields at the head of the document whose values are short, plain answers."""
    return [field for field in _fields(document.text) if _is_plain(field)]


def _fields(text: str) -> Iterator[HeaderField]:
    """Fields of the block of `name: value` lines before the first paragraph, if there are at least two."""
    lines = list(_LINE.finditer(text, 0, _OPENING_CHARACTERS))
    block: list[re.Match[str]] = []
    for line in lines:
        gap = text[block[-1].end() : line.start()] if block else text[: line.start()]
        # continuation lines of a field are indented; anything else ends the header
        if block and any(part and not part[0].isspace() for part in gap.split("\n")[1:]):
            break
        block.append(line)
    if len(block) >= 2:
        for line in block:
            yield HeaderField(line.group(1).strip(), line.group(2).strip(), line.start(), line.end())


def _is_plain(field: HeaderField) -> bool:
    """Whether the value is a short, plain answer."""
    words = field.value.split()
    if _NOT_ASKED.match(field.name) or len(words) > 6 or len(field.value) > 60:
        return False
    return not re.search(r"https?:|@|[<>{}|`*,;]|^\W", field.value)
