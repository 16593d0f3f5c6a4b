"""Offline unit extractor and question writer: sentences that state a checkable fact, and questions on them."""

from __future__ import annotations

from viva.agents.offline.corpus_facts import HEADER_FIELD, CorpusFacts, StatedFact
from viva.agents.offline.gaps import Proposal
from viva.agents.offline.scope import has_scope, needs_scope, scope_of
from viva.agents.offline.text.words import content_words
from viva.agents.roles import Source
from viva.core.records import Draft, KnowledgeUnit, Span, Verdict

_OPENS_WITH_A_PHRASE = frozenset("generally in by on at for during within from".split())
NOT_STAND_ALONE = "not_stand_alone"


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
    """Asks with the best pattern; on a revision names the scope, or turns to the next pattern."""

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        """The next wording; None when all patterns were tried."""
        fact = _fact_of(self._bank, unit, source)
        questions = fact.questions
        if previous is None:
            return self._first(fact, unit, source, at=0, attempt=0)
        at = next(n for n, q in enumerate(questions) if q.pattern == previous.pattern and q.key == previous.key)
        bare = questions[at].stem == previous.stem
        can_scope = self._can_scope(source, questions[at])
        if feedback is not None and feedback.code == NOT_STAND_ALONE and bare and can_scope:
            return self._draft(unit, source, questions[at], attempt=previous.attempt + 1, scoped=True)
        if at + 1 >= len(questions):
            return None
        return self._first(fact, unit, source, at=at + 1, attempt=previous.attempt + 1)

    def _first(self, fact: StatedFact, unit: KnowledgeUnit, source: Source, *, at: int, attempt: int) -> Draft:
        """The first wording of a question: with its scope where it is plain that it needs one."""
        question = fact.questions[at]
        label = scope_of(source.document.title).split(" (")[0]
        words = set(content_words(source.document.title))
        repeated = len(words & set(content_words(question.stem))) >= 0.6 * len(words) if words else False
        named = question.pattern == HEADER_FIELD or label in question.stem or repeated
        in_need = not named and (fact.definite or needs_scope(question.stem, source.document))
        scoped = in_need and self._can_scope(source, question)
        return self._draft(unit, source, question, attempt=attempt, scoped=scoped)

    def _can_scope(self, source: Source, question: Proposal) -> bool:
        """Scopes are worded in English."""
        english = self._bank.languages[source.document.id] == "en"
        return english and has_scope(source.document) and not _tells(source.document.title, question.key)

    def _draft(self, unit: KnowledgeUnit, source: Source, question: Proposal, *, attempt: int, scoped: bool) -> Draft:
        return Draft(
            unit=unit,
            attempt=attempt,
            stem=scoped_stem(question.stem, source.document.title) if scoped else question.stem,
            key=question.key,
            reference_answer=question.key,
            question_type=question.question_type,
            bloom=(question.bloom,),
            language=self._bank.languages[source.document.id],
            answer_form=question.form,
            pattern=question.pattern,
        )


def _tells(title: str, key: str) -> bool:
    """Whether a scope of this title would give the key away."""
    asked = set(content_words(key))
    return bool(asked) and asked <= set(content_words(title))


def scoped_stem(stem: str, title: str) -> str:
    """The stem with its scope named: 'In PEP 205 (Weak References), what ...?'"""
    named = scope_of(title)
    scope = f"In the context of {named}" if named.startswith("“") else f"In {named}"
    opening = stem.split(" ", 1)[0].lower().rstrip(",")
    joint = ": " if "," in stem and opening in _OPENS_WITH_A_PHRASE else ", "
    return scope + joint + stem[0].lower() + stem[1:]


def _unit(fact: StatedFact, source: Source) -> KnowledgeUnit:
    text = source.document.text
    evidence = Span(document_id=source.document.id, start=fact.start, end=fact.end, quote=text[fact.start : fact.end])
    return KnowledgeUnit.of(source.chunk, fact.statement, evidence)


def _fact_of(bank: CorpusFacts, unit: KnowledgeUnit, source: Source) -> StatedFact:
    return next(
        f for f in bank.facts[source.chunk.id] if f.start == unit.evidence.start and f.statement == unit.statement
    )
