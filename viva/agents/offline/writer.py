"""Offline unit extractor and question writer: sentences that state a checkable fact, and questions on them."""

from __future__ import annotations

from viva.agents.offline.corpus_facts import HEADER_FIELD, CorpusFacts, StatedFact
from viva.agents.offline.scope import scope_of
from viva.agents.roles import Source
from viva.core.records import Draft, KnowledgeUnit, Span, Verdict

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
