"""Judges without a language model: what they need of a case, the pairs of texts it makes, and their judgement."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from viva.agents.judges.offline.comparison import TextComparison, alternatives, nearest
from viva.agents.judges.offline.rulings import says_anything
from viva.agents.judges.offline.vetoes import why
from viva.agents.judges.offline.windows import QUESTION_WINDOW, claims_of, window
from viva.agents.roles import Progress
from viva.core.errors import UsageError
from viva.core.records.judging import Case, Judgement, Quality, Unjudged
from viva.metrics.text.cosines import COSINE_DECIMALS

AT_ONCE = 64
"""Cases between two calls of `progress`."""
NEEDS = {
    Quality.CORRECTNESS: ("reference",),
    Quality.ANSWERABILITY: ("question", "passages"),
    Quality.FAITHFULNESS: ("passages",),
    Quality.RELEVANCE: ("question",),
}


@dataclass(frozen=True)
class ComparedTexts:
    """What is given and what is said of it, and how they compare."""

    given: str
    said: str
    comparison: TextComparison


Pair = TypeVar("Pair", bound=ComparedTexts)


class PairJudge(ABC, Generic[Pair]):
    """Scores the pairs of texts that a case makes. Deterministic; obeys nothing in a case."""

    def __init__(self, quality: Quality) -> None:
        self._quality = quality

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        """One for each case, in their order. UsageError for a case that lacks what the quality needs.

        An answer without a word is Unjudged for faithfulness (it claims nothing), else scored 0.
        """
        return await in_batches(lambda part: asyncio.to_thread(self._judged, part), cases, self._quality, progress)

    @abstractmethod
    def _pairs(self, case: Case) -> Sequence[Pair]: ...

    @abstractmethod
    def _scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]: ...

    def _judged(self, cases: Sequence[Case]) -> list[Judgement | Unjudged]:
        pairs = [self._pairs(case) for case in cases]
        flat = [pair for own in pairs for pair in own]
        scores = iter(self._scores(flat).tolist() if flat else [])
        return [self._judgement(own, [next(scores) for _ in own]) for own in pairs]

    def _judgement(self, pairs: Sequence[Pair], scores: Sequence[float]) -> Judgement | Unjudged:
        if not pairs and self._quality is Quality.FAITHFULNESS:
            return Unjudged(code="no_claims", reason="The answer claims nothing that passages could support.")
        if not pairs:
            return Judgement(reason="There is no answer.", score=0.0)
        least = min(range(len(pairs)), key=lambda place: (scores[place], place))
        told = f"Lowest of {len(pairs)} claims: “{pairs[least].said}”: " if len(pairs) > 1 else ""
        score = round(float(np.mean(scores)), COSINE_DECIMALS)
        return Judgement(reason=f"{told}{why(pairs[least].comparison, scores[least])}", score=score)


async def in_batches(
    judged: Callable[[Sequence[Case]], Awaitable[list[Judgement | Unjudged]]],
    cases: Sequence[Case],
    quality: Quality,
    progress: Progress | None,
) -> list[Judgement | Unjudged]:
    """What is made of all cases, AT_ONCE at a time. UsageError for a case that lacks what the quality needs."""
    for case in cases:
        check_case(case, quality)
    found = list[Judgement | Unjudged]()
    for start in range(0, len(cases), AT_ONCE):
        found += await judged(cases[start : start + AT_ONCE])
        if progress:
            progress(len(found), len(cases))
    return found


def check_case(case: Case, quality: Quality) -> None:
    """UsageError for a case without the texts that the quality is about."""
    lacking = [name for name in NEEDS[quality] if not "".join(getattr(case, name)).strip()]
    if lacking:
        raise UsageError(
            f"A case to be judged for {quality} lacks its {' and '.join(lacking)}.",
            allowed=f"Every case has {', '.join(NEEDS[quality])}.",
            next_step="Name the columns that hold them.",
        )


def texts_of(case: Case, quality: Quality) -> list[tuple[str, str]]:
    """What is given and what is said of it: once, or for each claim; never for an answer without a word."""
    if quality is Quality.ANSWERABILITY:
        return [(window(case.question, case.passages, QUESTION_WINDOW), case.question)]
    if quality is Quality.FAITHFULNESS:
        return [(window(claim, case.passages), claim) for claim in claims_of(case.answer)]
    if not says_anything(case.answer):
        return []
    relevance = quality is Quality.RELEVANCE
    return [(case.question if relevance else nearest(case.answer, alternatives(case.reference)), case.answer)]
