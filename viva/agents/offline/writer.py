"""Offline unit extractor, question writer and expert: checkable facts, and the questions and answers made of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.agents.offline.corpus_facts import HEADER_FIELD, CorpusFacts, StatedFact
from viva.agents.offline.scope import scope_of
from viva.agents.roles import Source
from viva.core.records import Draft, ExpertAnswer, KnowledgeUnit, Span, Verdict
from viva.core.text.prose import sentences
from viva.core.text.words import content_words
from viva.metrics.item_writing.wording import unscoped

_OPENS_WITH_A_PHRASE = frozenset("generally in by on at for during within from".split())


class OfflineUnitExtractor:
    """Picks the chunk's sentences that some question pattern can read, the best pattern first."""

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        """The chunk's askable facts, the best first: those of the plain tier where it has no others."""
        found = self._bank.facts[source.chunk.id]
        sure = [fact for fact in found if fact.sure]
        facts = sorted(sure or found, key=lambda f: (-f.questions[0].quality, f.start))
        return [_unit(fact, source) for fact in facts]


class OfflineQuestionWriter:
    """Asks with the best pattern, under the place of the fact; on a revision turns to the next pattern."""

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def write(
        self,
        unit: KnowledgeUnit,
        source: Source,
        previous: Draft | None,
        feedback: Verdict | None,  # noqa: ARG002 - whatever is said against a pattern, the next is tried
    ) -> Draft | None:
        """The next pattern's question; None when all patterns were tried."""
        fact = _fact_of(self._bank, unit, source)
        questions = fact.questions
        at = 0
        if previous is not None:
            at = 1 + next(
                n for n, q in enumerate(questions) if q.pattern == previous.pattern and q.key == previous.key
            )
        if at >= len(questions):
            return None
        question, language = questions[at], self._bank.languages[source.document.id]
        # scopes are worded in English
        scope = scope_of(source.document, fact.start, question.key) if language == "en" else ""
        named = question.pattern == HEADER_FIELD or not scope
        return Draft(
            unit=unit,
            attempt=0 if previous is None else previous.attempt + 1,
            stem=question.stem if named else scoped_stem(question.stem, scope),
            key=question.key,
            reference_answer=question.key,
            question_type=question.question_type,
            bloom=(question.bloom,),
            language=language,
            answer_form=question.form,
            pattern=question.pattern,
        )


def scoped_stem(stem: str, scope: str) -> str:
    """The stem with its scope named: 'In PEP 205 (Weak References), what ...?'"""
    named = f"In the context of {scope}" if scope.startswith("“") else f"In {scope}"
    opening = stem.split(" ", 1)[0].lower().rstrip(",")
    joint = ": " if "," in stem and opening in _OPENS_WITH_A_PHRASE else ", "
    return named + joint + stem[0].lower() + stem[1:]


def _unit(fact: StatedFact, source: Source) -> KnowledgeUnit:
    text = source.document.text
    evidence = Span(document_id=source.document.id, start=fact.start, end=fact.end, quote=text[fact.start : fact.end])
    return KnowledgeUnit.of(source.chunk, fact.statement, evidence)


def _fact_of(bank: CorpusFacts, unit: KnowledgeUnit, source: Source) -> StatedFact:
    return next(
        f for f in bank.facts[source.chunk.id] if f.start == unit.evidence.start and f.statement == unit.statement
    )


# --- expert answerer ----------------------------------------------------------------------------------------


_BLANK = "____"
_GAP = re.compile(rf"[“„«]\s?([^“„«]*{_BLANK}[^”»]*)[”“»]")
"""A statement with a gap in it: what is around it is how one asks, in any language."""
_LEAST = 0.5
"""Share of the stem's words, weighted by how telling they are, that a place must hold."""


class OfflineExpert:
    """Answers from the chunk alone; has seen neither key nor options.

    It knows no question pattern: it gives back the sentence or line that holds most of the stem, whichever it is. The
    critic of answerability asks whether the key is in it, so that a stem whose words lead elsewhere is refused.
    """

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def answer(
        self,
        stem: str,
        answer_form: str,  # noqa: ARG002 - what kind of answer the writer has in mind is the writer's word
        source: Source,
        dispute: Verdict | None = None,  # noqa: ARG002 - it reads as it read before: it has no second opinion
    ) -> ExpertAnswer | None:
        """The sentence or line of the chunk that holds most of what the stem says; None: none holds half of it.

        Words of the scope and of the document's title stand in no one place.
        """
        gap = _GAP.search(stem)
        asked = set(content_words(gap[1].replace(_BLANK, " ") if gap else unscoped(stem)))
        asked = asked - set(content_words(source.document.title)) or asked
        total = sum(self._bank.weight(word) for word in sorted(asked))
        read = [(self._held(asked, text), -len(text), -start, end, text) for start, end, text in _places(source)]
        held, *_ = max(read, default=(0.0,))
        if held < _LEAST * total or not held:
            return None
        best = sorted((place for place in read if place[0] == held), reverse=True)
        # a stem with a gap quotes one place; one that names a subject leads to all that is said of it
        best = best[:1] if gap else best
        text = " ".join(place[-1] for place in best)
        spans = (self._span(source, -start, end) for _, _, start, end, _ in best)
        return ExpertAnswer(text=text, reference=text, evidence=tuple(spans))

    def _span(self, source: Source, start: int, end: int) -> Span:
        quote = source.document.text[start:end]
        return Span(document_id=source.document.id, start=start, end=end, quote=quote)

    def _held(self, asked: set[str], text: str) -> float:
        """The weight of the stem's words that a text holds, rounded so that no last digit decides."""
        return round(sum(self._bank.weight(word) for word in sorted(asked & set(content_words(text)))), 9)


def _places(source: Source) -> Iterator[tuple[int, int, str]]:
    """(start, end, text) of the chunk's sentences, and of the lines outside them: headers and lists are not prose."""
    found = sentences(source.document.text, source.chunk.start, source.chunk.end)
    yield from ((sentence.start, sentence.end, sentence.text) for sentence in found)
    at = source.chunk.start
    for line in source.document.text[at : source.chunk.end].splitlines(keepends=True):
        inside = any(sentence.start < at + len(line) and at < sentence.end for sentence in found)
        if line.strip() and not inside:
            yield at, at + len(line.rstrip()), line.strip()
        at += len(line)
