"""Offline units of knowledge: the sentences of a chunk that state a checkable fact and can be understood alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from viva.agents.offline import leaning
from viva.agents.offline.corpus_facts import CorpusFacts, StatedFact
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.gaps.values import VALUE
from viva.agents.offline.oral.wording import described, keyword_of, type_of, values_in
from viva.agents.offline.statements import statement
from viva.agents.offline.text.grammar import FINITE, Token, tag
from viva.agents.offline.text.vocabulary import Vocabulary
from viva.agents.roles import Source
from viva.core.records import PREDICATE, Document, OralUnit, QuestionType, Span
from viva.core.text.overlap import ngram_jaccard
from viva.core.text.prose import Sentence, sentences
from viva.core.text.words import content_words

_SHORTEST, _LONGEST = 5, 45
"""Words of a sentence that states one thing."""
_TELLING = 3
"""Content words that a fact has besides what it is about."""
_SAME = 0.8
"""Jaccard similarity of the words of two descriptions that state one fact."""

_KNOWN_AFTER = 4
_KNOWN_AFTER_IN_SHORT = 2
_SHORT_WORDS = 1500
"""A noun used this often in a (short) document is one of its subjects: a sentence of it may say 'the'."""

_OF_A_VALUE = frozenset({QuestionType.QUANTITY, QuestionType.DATE})
"""Where the value alone is an answer that can be judged."""

_OPEN = re.compile(r"[?:]\W*$|\b(?:includes?|following|are|is|as)\W*$")
"""The end of a sentence that a list should follow."""
_FIELD = re.compile(r"(?:^| )\w+: ")


@dataclass(frozen=True)
class _Read:
    """A document as the extractor knows it."""

    sentences: tuple[Sentence, ...]
    vocabulary: Vocabulary
    nouns: frozenset[str]
    """that it makes definite"""


class OfflineOralUnits:
    """Takes each sentence that stands alone and holds a fact; what it is about becomes the keyword."""

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def extract(self, source: Source) -> list[OralUnit]:
        """The chunk's units in the order of its text, each fact once; none of a chunk that repeats another."""
        if source.chunk.duplicate_of is not None:
            return []
        facts = {fact.start: fact for fact in self._bank.facts.get(source.chunk.id, ())}
        kept: list[OralUnit] = []
        for unit in (*self._of_lists(source, facts), *self._of_prose(source, facts)):
            if not any(_same(unit, other) for other in kept):
                kept.append(unit)
        return sorted(kept, key=lambda unit: (unit.evidence.start, unit.evidence.end))

    def _of_lists(self, source: Source, facts: dict[int, StatedFact]) -> Iterator[OralUnit]:
        """Header fields and codes with their names, which the writer reads as facts though they are no sentences."""
        prose = {sentence.start for sentence in _read(source.document.text, source.document.title).sentences}
        for fact in facts.values():
            if fact.start not in prose:
                plain = Sentence(fact.statement, fact.start, fact.end, ())
                if unit := _unit(source, plain, tag(plain), fact.questions[0]):
                    yield unit

    def _of_prose(self, source: Source, facts: dict[int, StatedFact]) -> Iterator[OralUnit]:
        read = _read(source.document.text, source.document.title)
        english = self._bank.languages.get(source.document.id, "en") == "en"
        for sentence in read.sentences:
            if sentence.start < source.chunk.start or sentence.end > source.chunk.end:
                continue
            fact = facts.get(sentence.start)
            asked = _gap(fact) if fact else None
            plain = statement(sentence) if english else sentence
            tokens = tag(plain, read.vocabulary) if english else ()
            if not fact and not (_states(plain, tokens, read.nouns) if english else _is_long_enough(plain)):
                continue
            if unit := _unit(source, plain, tokens, asked):
                yield unit


def known_nouns(document: Document) -> frozenset[str]:
    """Words that the document is about: those of its title, and those it keeps using."""
    words = [word.lower() for word in re.findall(r"[A-Za-z]{4,}", document.text)]
    enough = _KNOWN_AFTER_IN_SHORT if len(words) < _SHORT_WORDS else _KNOWN_AFTER
    title = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", document.title)}
    return frozenset({word for word, count in Counter(words).items() if count >= enough} | title)


@lru_cache(maxsize=4)
def _read(text: str, title: str) -> _Read:
    """Of the few documents read last: all chunks of a document ask for the same."""
    document = Document.of(text, path=title, title=title, format="txt")
    return _Read(tuple(sentences(text)), Vocabulary.of([document]), known_nouns(document))


def _unit(source: Source, plain: Sentence, tokens: tuple[Token, ...], asked: Proposal | None) -> OralUnit | None:
    kind = asked.question_type if asked else type_of(plain.text, tokens)
    values = values_in(plain.text, tokens, asked)
    keyword = keyword_of(plain.text, tokens, values, source.document.title)
    description = described(plain.text, tokens, values)
    fact = set(content_words(description)) - set(content_words(keyword))
    if not keyword or len(fact) < (1 if asked else _TELLING):
        return None
    text = source.document.text
    return OralUnit.of(
        chunk_id=source.chunk.id,
        topic=source.document.topic,
        type=kind,
        keyword=keyword,
        description=description,
        evidence=Span(
            document_id=source.document.id, start=plain.start, end=plain.end, quote=text[plain.start : plain.end]
        ),
        question=_question(asked, kind, description),
    )


def _gap(fact: StatedFact) -> Proposal | None:
    """The best question that leaves something out of the sentence: of its type is what is examined."""
    return next((question for question in fact.questions if question.pattern != PREDICATE), None)


def _question(asked: Proposal | None, kind: QuestionType, description: str) -> str:
    """The writer's question, where it asks for a value that the description holds; '' where none is."""
    if asked is None or asked.pattern != VALUE or kind not in _OF_A_VALUE:
        return ""
    return asked.stem if asked.key.casefold() in description.casefold() else ""


def _is_long_enough(plain: Sentence) -> bool:
    if len(_FIELD.findall(plain.text)) > 1:
        return False  # a record, whose lines ran together
    return _SHORTEST <= len(plain.text.split()) <= _LONGEST and not _OPEN.search(plain.text)


def _states(plain: Sentence, tokens: tuple[Token, ...], known: frozenset[str]) -> bool:
    """Whether the statement can be understood alone, holds a verb, and says more than that something is likely."""
    if plain.illustrates or not _is_long_enough(plain) or not any(token.tag in FINITE for token in tokens):
        return False
    if leaning.leans_at_start(tokens) or leaning.leans(tokens, known) or leaning.is_unsure(tokens):
        return False
    return not leaning.is_vague(tokens) and not leaning.mentions_place_in_document(plain.text)


def _same(unit: OralUnit, other: OralUnit) -> bool:
    """Whether two units state one fact: nearly the same words, and no number that only one of them has."""
    first, second = unit.description, other.description
    return ngram_jaccard(first, second, 1) >= _SAME and _digits(first) == _digits(second)


def _digits(text: str) -> list[str]:
    return sorted(word.strip(".,;:") for word in text.split() if any(char.isdigit() for char in word))
