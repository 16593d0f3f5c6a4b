"""Unanswerable items: a question near the corpus, plausible wrong options, and the right answer is to say so.

As in SQuAD 2.0 (Rajpurkar, Jia & Liang 2018), a question is asked of another thing of the same sort than the one
that the corpus says it of; the value that is right of that one is among the options. Or the year is asked for of
something that the corpus describes and never dates.
"""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.absences import MAY_SAY, Absences, Swap
from viva.agents.offline.attempts import attempt_item
from viva.agents.offline.bank import Bank, Fact
from viva.agents.offline.readers import LexicalReader, Reader
from viva.agents.offline.undated import PATTERN, years
from viva.agents.offline.words import content_words
from viva.agents.roles import DistractorWriter, Source
from viva.agents.rules.not_stated import not_stated
from viva.core.ids import seeded_order
from viva.core.records import (
    BloomLevel,
    Distractor,
    Draft,
    ExpertAnswer,
    ItemKind,
    KnowledgeUnit,
    Span,
    Verdict,
)
from viva.llm.embeddings import Embedder
from viva.metrics.cosines import cosines

_SAME_MEANING = 0.7
"""Cosine to the question from which on a sentence about the thing may say it in other words."""
_NEAREST = 20
"""Lines about the thing that are compared with the question by meaning."""
_APART = 3
"""Years between two that stand as options."""


class UnanswerableUnits:
    """Names the facts of which another thing of the same sort lacks a counterpart."""

    def __init__(self, absences: Absences, seed: int) -> None:
        self._absences = absences
        self._seed = seed

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        """In the order of the chunk's facts."""
        units = (_unit(swap.fact, source) for swap in self._absences.swaps(source, self._seed))
        return list({unit.id: unit for unit in units}.values())


class UnanswerableWriter:
    """Asks of the other thing; on a revision of the next one."""

    def __init__(self, absences: Absences, seed: int) -> None:
        self._absences = absences
        self._seed = seed

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        """None when all were tried."""
        del feedback
        at = previous.attempt + 1 if previous else 0
        swaps = (s for s in self._absences.swaps(source, self._seed) if _unit(s.fact, source).id == unit.id)
        swap = next((swap for n, swap in enumerate(swaps) if n == at), None)
        if swap is None:
            return None
        key = not_stated("en")
        return Draft(
            unit=unit,
            attempt=at,
            stem=swap.stem,
            key=key,
            reference_answer=_reference(swap),
            question_type=swap.question.question_type,
            bloom=tuple(dict.fromkeys((swap.question.bloom, BloomLevel.EVALUATE))),
            kind=ItemKind.UNANSWERABLE,
            answer_form=swap.question.form,
            pattern=f"absent-{swap.question.pattern}",
        )


def _reference(swap: Swap) -> str:
    if swap.question.pattern == PATTERN:
        return f"{not_stated('en')} They speak of {swap.name} and give no year."
    return f"{not_stated('en')} They say it of {swap.name} only: {swap.question.key}."


class UnanswerableExpert:
    """Says that the documents do not say, where no line about what is asked says it."""

    def __init__(self, absences: Absences, seed: int) -> None:
        self._absences = absences
        self._seed = seed

    async def answer(
        self, stem: str, answer_form: str, source: Source, dispute: Verdict | None = None
    ) -> ExpertAnswer | None:
        """None where a line may say it after all."""
        del answer_form, dispute
        swap = next((s for s in self._absences.swaps(source, self._seed) if s.stem == stem), None)
        if swap is None:
            return None
        return ExpertAnswer(text=not_stated("en"), reference=f"Nothing is said of {swap.other} that answers it.")


class UnanswerableDistractors:
    """The value that is right for the thing the question was taken from, and others of its form."""

    def __init__(self, absences: Absences, single: DistractorWriter, *, options: int, seed: int) -> None:
        self._absences = absences
        self._single = single
        self._wanted = options - 1
        self._seed = seed

    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),
    ) -> tuple[Distractor, ...] | None:
        """Options - 1 of them; None: too few."""
        swaps = self._absences.swaps(source, self._seed)
        swap = next((s for s in swaps if s.stem == draft.stem), None)
        if swap is None:
            return None
        question = swap.question
        if question.pattern == PATTERN:
            return self._years(swap, source, attempt)
        original = draft.model_copy(update={"stem": question.stem, "key": question.key, "kind": ItemKind.SINGLE_HOP})
        alone = Source(source.chunk, source.document)
        others = await self._single.write(original, alone, attempt, feedback, refused)
        if others is None or len(others) < self._wanted:
            return None
        tempting = Distractor(
            text=question.key,
            reason=f"It is right of {swap.name}, and nothing says it of {swap.other}.",
            mistake="The name is passed over: what is said of one thing is taken for another.",
        )
        return (tempting, *others[: self._wanted - 1])

    def _years(self, swap: Swap, source: Source, attempt: int) -> tuple[Distractor, ...] | None:
        """Years that the corpus gives of other things, those of the same document first, three apart at least."""
        own = seeded_order(years([source.document.text]), self._seed, "years", swap.stem, attempt)
        others = seeded_order(self._absences.years, self._seed, "years", swap.stem, attempt)
        chosen: list[str] = []
        for year in (*own, *others):
            if all(abs(int(year) - int(taken)) >= _APART for taken in chosen):
                chosen.append(year)
        reason = f"It is the year of something else; nothing dates {swap.other}."
        mistake = "A year that stands nearby is taken for the one asked for."
        found = tuple(Distractor(text=year, reason=reason, mistake=mistake) for year in chosen[: self._wanted])
        return found if len(found) == self._wanted else None


class AbsenceCritic:
    """Does the corpus support any of the values after all, in these words or others?"""

    name = "absence"

    def __init__(
        self, absences: Absences, bank: Bank, embedder: Embedder, readers: Sequence[Reader], seed: int
    ) -> None:
        self._absences = absences
        self._bank = bank
        self._embedder = embedder
        self._readers = tuple(readers)
        self._lexical = LexicalReader(bank.weight, seed)
        self._seed = seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        """Fails a question that the nearest passages may answer, or whose wording gives the key away."""
        swap = next((s for s in self._absences.swaps(source, self._seed) if s.stem == draft.stem), None)
        if swap is None:
            return self._failed("The thing asked about cannot be found again.", "may_be_stated")
        values = [d.text for d in distractors]
        lines = self._absences.lines_about(swap.other.strip("“”"))
        for line in lines:
            told = next((v for v in values if v.lower() in line.lower() and self._is_near(swap, line)), None)
            if told:
                return self._failed(f"The corpus may say “{told}” of {swap.other}: {line}", "may_be_stated")
        nearest = self._nearest(swap, lines)
        support = self._lexical.read(draft.stem, values, nearest).scores if nearest else ()
        if support and max(support) >= MAY_SAY:
            return self._failed(f"“{values[support.index(max(support))]}” finds support.", "may_be_stated")
        likest = "" if swap.question.pattern == PATTERN else self._likest(draft.stem, nearest)
        if likest:
            return self._failed(f"It may be said in other words: {likest}", "may_be_stated")
        options = [draft.key, *values]
        tries = [attempt_item(reader, draft, options, (), self._seed) for reader in self._readers]
        trials = tuple(t.trial for t in tries)
        sure = next((t for t in tries if t.sure), None)
        if sure:
            reason = f"The {sure.trial.reader} reader is sure of the key by its wording."
            return Verdict(
                critic=self.name, passed=False, reason=reason, code="guessable", blames="options", trials=trials
            )
        reason = f"No line about {swap.other} supports any of the values."
        return Verdict(critic=self.name, passed=True, reason=reason, trials=trials)

    def _is_near(self, swap: Swap, line: str) -> bool:
        held = set(content_words(line))
        return bool(held & (set(content_words(swap.asked)) - set(content_words(swap.other))))

    def _nearest(self, swap: Swap, lines: Sequence[str]) -> list[str]:
        words = sorted(set(content_words(swap.asked)))

        def share(line: str) -> float:
            held = set(content_words(line))
            return sum(self._bank.weight(word) for word in words if word in held)

        return sorted(lines, key=lambda line: (-share(line), line))[:_NEAREST]

    def _likest(self, stem: str, lines: Sequence[str]) -> str:
        if not lines:
            return ""
        vectors = self._embedder.embed([stem, *lines])
        near = cosines(vectors[1:], vectors[0]).tolist()
        return lines[near.index(max(near))] if max(near) >= _SAME_MEANING else ""

    def _failed(self, reason: str, code: str) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code=code, blames="options")


def _unit(fact: Fact, source: Source) -> KnowledgeUnit:
    quote = source.document.text[fact.start : fact.end]
    span = Span(document_id=source.document.id, start=fact.start, end=fact.end, quote=quote)
    return KnowledgeUnit.of(source.chunk, fact.statement, span, at=source.id)
