"""The offline judge: nothing is trained. Words shared and nearness of meaning, with rules that may overrule both."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.agents.offline_judges.comparison import COMPARED, Comparison, alternatives, compare, nearest
from viva.agents.offline_judges.needs import check_case
from viva.agents.offline_judges.vetoes import vetoed, why
from viva.agents.offline_judges.windows import QUESTION_WINDOW, claims_of, window
from viva.agents.roles import Progress
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Case, JudgeCard, Judgement, Make, Quality, Unjudged
from viva.llm.embeddings import Embedder
from viva.metrics.cosines import COSINE_DECIMALS, cosine

QUALITIES = (Quality.CORRECTNESS, Quality.ANSWERABILITY, Quality.FAITHFULNESS, Quality.RELEVANCE)
AT_ONCE = 64
_FORM = 1
_VALUE = 6
"""Words of a reference, to a question, that is a value: to be told and not to be paraphrased."""
_LONG = 40
"""Words of a reference whose points are counted: long texts on one subject are near in meaning whatever they say."""
_MEANING = 0.7
"""What nearness of meaning weighs against shared words, between texts that are more than a value."""
_ANSWERED = 0.15
"""Questions about a paragraph, answerable or not, share .65 of it on average: that is made one half."""


@dataclass(frozen=True)
class _Pair:
    given: str
    said: str
    compared: Comparison
    is_value: bool


class OfflineJudge:
    """Judges correctness, answerability, faithfulness or relevance. Deterministic; obeys nothing in a case."""

    def __init__(self, quality: Quality, embedder: Embedder) -> None:
        """UsageError for a quality that cannot be judged without a model."""
        if quality not in QUALITIES:
            raise UsageError(
                f"Without a language model there is no judge of {quality}.",
                allowed=f"The offline judges are of {', '.join(QUALITIES)}.",
                next_step="Name a model with --model PROVIDER:MODEL.",
            )
        self._quality, self._embedder = quality, embedder

    @property
    def card(self) -> JudgeCard:
        return JudgeCard(
            name=f"{self._quality}-offline",
            judges=self._quality,
            make=Make.OFFLINE,
            model=self._embedder.fingerprint,
            signature=content_hash("offline judge", _FORM, self._quality, *COMPARED),
            note="Nothing is trained: shared words, embedding cosine; rules for numbers, dates and negation.",
        )

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        """One for each case, in their order. UsageError for a case that lacks what the quality needs.

        An answer without a word is Unjudged for faithfulness (it claims nothing), else scored 0.
        """
        for case in cases:
            check_case(case, self._quality)
        found: list[Judgement | Unjudged] = []
        for start in range(0, len(cases), AT_ONCE):
            found += await asyncio.to_thread(self._judged, cases[start : start + AT_ONCE])
            if progress:
                progress(len(found), len(cases))
        return found

    def _judged(self, cases: Sequence[Case]) -> list[Judgement | Unjudged]:
        pairs = [self._pairs(case) for case in cases]
        flat = [pair for own in pairs for pair in own]
        scores = iter(self._scores(flat)) if flat else iter(())
        return [self._judgement(own, [float(next(scores)) for _ in own]) for own in pairs]

    def _pairs(self, case: Case) -> list[_Pair]:
        """What is given and what is said of it: one pair, or one for each claim."""
        if self._quality is Quality.ANSWERABILITY:
            given, said = [window(case.question, case.passages, QUESTION_WINDOW)], [case.question]
        elif self._quality is Quality.FAITHFULNESS:
            said = list(claims_of(case.answer))
            given = [window(claim, case.passages) for claim in said]
        else:
            other = nearest(case.answer, alternatives(case.reference)) if case.reference else ""
            said = [case.answer] if case.answer.strip() else []
            given = [case.question if self._quality is Quality.RELEVANCE else other] * len(said)
        short = bool(case.question) and self._quality is Quality.CORRECTNESS
        return [
            _Pair(text, claim, compare(claim, text), short and len(text.split()) <= _VALUE)
            for text, claim in zip(given, said, strict=True)
        ]

    def _scores(self, pairs: Sequence[_Pair]) -> NDArray[np.float64]:
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.given, pair.said)))
        vectors = dict(zip(texts, self._embedder.embed(texts), strict=True))
        raw = [self._score(pair, max(0.0, cosine(vectors[pair.given], vectors[pair.said]))) for pair in pairs]
        scores = np.clip(np.array(raw), 0.0, 1.0)
        ruled = self._quality in {Quality.CORRECTNESS, Quality.FAITHFULNESS}
        answers = self._quality is Quality.CORRECTNESS
        compared = [pair.compared for pair in pairs]
        return np.round(vetoed(scores, compared, answers=answers) if ruled else scores, COSINE_DECIMALS)

    def _score(self, pair: _Pair, cosine: float) -> float:
        """The figures are put together by hand; .5 is about where people's verdicts part."""
        compared = pair.compared
        # a number is no content word: of a value that is nothing else, all content words are told by any answer
        told = min(compared.told, compared.figures_told) if pair.is_value else compared.told
        words = (told + compared.f1) / 2
        if self._quality is Quality.CORRECTNESS:
            if pair.is_value or compared.f1 == 1 or len(pair.given.split()) > _LONG:
                return words
            return _MEANING * cosine + (1 - _MEANING) * words
        if self._quality is Quality.FAITHFULNESS:
            return 0.0 if compared.claims_nothing else 0.5 * compared.held + 0.3 * compared.pairs_held + 0.2 * cosine
        if self._quality is Quality.ANSWERABILITY:
            return 0.6 * cosine + 0.1 * compared.held + 0.3 * compared.names_held - _ANSWERED
        return 0.3 * cosine if compared.claims_nothing else 0.5 * cosine + 0.5 * max(cosine, compared.told)

    def _judgement(self, pairs: Sequence[_Pair], scores: Sequence[float]) -> Judgement | Unjudged:
        if not pairs and self._quality is Quality.FAITHFULNESS:
            return Unjudged(code="no_claims", reason="The answer claims nothing that passages could support.")
        if not pairs:
            return Judgement(reason="There is no answer.", score=0.0)
        least = min(range(len(pairs)), key=lambda place: (scores[place], place))
        told = f"Lowest of {len(pairs)} claims: “{pairs[least].said}”: " if len(pairs) > 1 else ""
        score = round(float(np.mean(scores)), COSINE_DECIMALS)
        return Judgement(reason=f"{told}{why(pairs[least].compared, scores[least])}", score=score)
