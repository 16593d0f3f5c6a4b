"""Bridges: a fact about a thing is asked of 'the ferry that was launched in 1998' instead of by its name.

One chunk describes something (fact A), the other says something else of it (fact B). The question is B's with A's
description in place of the name, as in the bridge questions of HotpotQA (Yang et al. 2018).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viva.agents.offline.bank import Bank, Fact
from viva.agents.offline.descriptions import Description, descriptions
from viva.agents.offline.naming import named_at
from viva.agents.offline.patterns import Proposal
from viva.agents.offline.prose import plain_sentences
from viva.agents.offline.scope import scope_of
from viva.agents.offline.words import content_words
from viva.agents.roles import Source
from viva.core.records import Chunk, Document, KnowledgeUnit, Span

_UNFIT = frozenset({"completion", "what-is", "name-of", "cloze", "what-to-use"})
"""Patterns whose stems are the name, or quote a sentence around it."""
_HELD = 0.5
"""Share of a description's words, by weight, that makes a sentence speak of the same thing."""
_LONGEST = 32
"""Words of a stem."""
_RARE = 0.4
"""Weight (Bank.weight) from which on a single lower-case word names something in particular."""


@dataclass(frozen=True)
class Bridge:
    """Fact B's question with the name in it replaced by fact A's description."""

    description: Description
    fact: Fact
    question: Proposal
    stem: str
    first: Source
    """where the description stands"""
    second: Source
    """where the answer stands"""


def bridges(source: Source, bank: Bank) -> list[Bridge]:
    """All that join the two chunks of a source in either direction, best question first."""
    if source.second is None:
        return []
    halves = (source, source.second)
    found = [
        bridge
        for a, b in (halves, halves[::-1])
        for description in descriptions(a, bank)
        if _is_unique(description, bank) and not _holds(b.chunk.text, description.words, bank)
        for bridge in _bridges(description, a, b, bank)
    ]
    return sorted(found, key=lambda bridge: (-bridge.question.quality, bridge.stem))


def _bridges(description: Description, a: Source, b: Source, bank: Bank) -> Iterator[Bridge]:
    for fact in bank.facts[b.chunk.id]:
        if fact.definite or fact.statement == description.statement:
            continue
        for question in fact.questions:
            stem = "" if question.pattern in _UNFIT else replaced(question.stem, description, b.document.title, bank)
            if stem and _is_fair(stem, question, description):
                yield Bridge(description, fact, question, stem, a, b)


def replaced(stem: str, description: Description, title: str, bank: Bank) -> str:
    """The stem with the description for the name; "" where the name is not in it as a noun phrase of its own."""
    name = re.escape(description.name)
    if re.match(rf"{name}(?!\w)", title):
        name = f"(?:{re.escape(scope_of(title))}|{re.escape(title)}|{name})"
    elif title.lower() in stem.lower():
        return ""  # the name is part of another's title
    found = list(re.finditer(rf"(?<![\w.-]){name}(?![\w-]|\.\w)", stem, re.IGNORECASE))
    if len(found) != 1 or not _names_it(description.name, bank):
        return ""
    place = named_at(stem, found[0].start(), found[0].end(), description.words.split()[1])
    put = stem[: place[0]] + description.words + stem[place[1] :] if place else ""
    return put if len(put.split()) <= _LONGEST else ""


def _names_it(name: str, bank: Bank) -> bool:
    words = content_words(name)
    if len(name.split()) > 1 or re.search(r"[A-Z\d_().]", name[1:]):
        return True
    return bool(words) and bank.weight(words[0]) >= _RARE


def _is_unique(description: Description, bank: Bank) -> bool:
    """Whether no other sentence of the corpus says as much of anything else."""
    name = description.name.lower()
    return not any(
        name not in bank.sentences[n].lower() and share >= _HELD + 0.1
        for n, share in sharing(description.words, bank).items()
    )


def sharing(words: str, bank: Bank) -> dict[int, float]:
    """Sentences that hold some of the words, each with the share it holds, by weight."""
    asked = sorted(set(content_words(words)))
    total = sum(bank.weight(word) for word in asked)
    telling = sorted(asked, key=lambda word: (-bank.weight(word), word))[:4]
    near = sorted({n for word in telling for n in bank.postings.get(word, ())})
    return {
        n: sum(bank.weight(word) for word in asked if word in bank.sentence_words[n]) / total for n in near if total
    }


def _holds(text: str, words: str, bank: Bank) -> bool:
    """Whether a sentence of the text says at least half of it."""
    asked = sorted(set(content_words(words)))
    total = sum(bank.weight(word) for word in asked)
    for sentence in plain_sentences(text):
        held = set(content_words(sentence))
        if sum(bank.weight(word) for word in asked if word in held) >= _HELD * total:
            return True
    return False


def _is_fair(stem: str, question: Proposal, description: Description) -> bool:
    """Whether neither the description nor its sentence gives the key away, and the stem reads as a question."""
    name = set(content_words(description.name))
    if name & set(content_words(stem)) - set(content_words(description.words)):
        return False
    if question.key.lower() in f"{stem} {description.statement}".lower() or name & set(content_words(question.key)):
        return False
    described = set(content_words(description.words)) - set(content_words(description.words.split()[1]))
    return not described & (set(content_words(question.stem)) | set(content_words(question.key)))


def unit_of(bridge: Bridge, source: Source) -> KnowledgeUnit:
    """Both facts in one statement, with where each stands."""
    spans = [
        Span(document_id=part.document.id, start=start, end=end, quote=part.document.text[start:end])
        for part, start, end in (
            (bridge.first, bridge.description.start, bridge.description.end),
            (bridge.second, bridge.fact.start, bridge.fact.end),
        )
    ]
    statement = f"{bridge.description.statement} {bridge.fact.statement}"
    return KnowledgeUnit.of(source.chunk, statement, spans[0], spans[1], at=source.id)


def bridged_pairs(documents: Sequence[Document], chunks: Sequence[Chunk], bank: Bank) -> list[tuple[str, str]]:
    """(first, second) ids of chunks that some bridge joins, in corpus order: linked chunks seldom are such.

    Reads every sentence of the corpus once more. Time is linear in its words and in the descriptions found.
    """
    by_id = {document.id: document for document in documents}
    sources = {c.id: Source(c, by_id[c.document_id]) for c in chunks if c.duplicate_of is None}
    asked = {i: " ".join(q.stem for f in bank.facts.get(i, ()) for q in f.questions).lower() for i in sources}
    pairs: dict[tuple[str, str], None] = {}
    for first, source in sources.items():
        for description in descriptions(source, bank):
            name = description.name.lower()
            near = [i for i, stems in asked.items() if i != first and name in stems]
            if near and _is_unique(description, bank):
                for second in near:
                    fits = not _holds(sources[second].chunk.text, description.words, bank)
                    if fits and any(_bridges(description, source, sources[second], bank)):
                        pairs[first, second] = None
    return list(pairs)
