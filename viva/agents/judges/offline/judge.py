"""The offline judge: equality of values first, then words shared and nearness of meaning, with rules that overrule.

Only people's scales of correctness and faithfulness, a curve for each form of case, and four weights of answerability
are fitted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.agents.judges.offline.answering import Answering, row_of, shipped_answering
from viva.agents.judges.offline.comparison import TextComparison, compare
from viva.agents.judges.offline.forms import ClaimForm, Form, claim_form_of, form_of
from viva.agents.judges.offline.pairs import check_case, texts_of
from viva.agents.judges.offline.rulings import Ruling, equality_of, ruled
from viva.agents.judges.offline.scale import Scale, shipped_scales
from viva.agents.judges.offline.vetoes import below_one_half, vetoed, why
from viva.agents.roles import Progress
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Case, JudgeCard, Judgement, Make, Quality, Unjudged
from viva.llm.embeddings import Embedder
from viva.metrics.text.cosines import COSINE_DECIMALS, cosine
from viva.metrics.text.equality.outcomes import UNDECIDED, Equality, EqualityDecision

QUALITIES = (Quality.CORRECTNESS, Quality.ANSWERABILITY, Quality.FAITHFULNESS, Quality.RELEVANCE)
AT_ONCE = 64
"""Cases between two calls of `progress`."""
_FORM = {Quality.CORRECTNESS: 6, Quality.FAITHFULNESS: 3}
"""Raised whenever cases of the quality are read differently."""
_LIKENESS: Mapping[Form | ClaimForm, tuple[float, ...]] = {
    Form.VALUE: (0.35, 0.15, 0.5),
    Form.LONGER: (0.5, 0.1, 0.4),
    Form.LONG: (0.85, 0.1, 0.05),
    Form.TEXTS: (0.0, 0.15, 0.85),
    ClaimForm.SENTENCE: (0.2, 0.0, 0.1, 0.2, 0.1, 0.4),
    ClaimForm.PASSAGES: (0.25, 0.15, 0.4, 0.05, 0.05, 0.1),
}
"""What each figure of likeness weighs. Of an answer: words of the reference that are said, token F1, cosine. Of a
claim: its words of content, pairs of words, all words, names and numbers that the passages have, cosine. A grid over
the sets of benchmarks/judges is flat there (docs/decisions/0029)."""
_EQUAL, _UNEQUAL = 0.9, 0.45
"""The least score of what equals the reference, and the most of what does not."""
_CANNOT_TELL = (
    "It tells passages about something else. Whether a passage on the very subject answers the question it cannot "
    "tell: that takes a judge with a model."
)
_ANSWERED = 0.15
"""With weights set by hand questions about a paragraph, answerable or not, share .65 of it: that is made one half."""


@dataclass(frozen=True)
class _Pair:
    """What is given and what is said of it, and how they compare."""

    given: str
    said: str
    comparison: TextComparison
    form: Form | ClaimForm
    passages: tuple[str, ...] = ()
    """where answerability is judged"""
    ruling: Ruling = Ruling.NONE
    equality: EqualityDecision = UNDECIDED
    """both where correctness is judged"""

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is embedded."""
        return self.given, self.said, *self.passages


class OfflineJudge:
    """Judges correctness, answerability, faithfulness or relevance. Deterministic; obeys nothing in a case."""

    def __init__(
        self, quality: Quality, embedder: Embedder, *, scale: Scale | None = None, answering: Answering | None = None
    ) -> None:
        """UsageError for a quality that cannot be judged without a model.

        `scale` and `answering` are those that ship for the quality if None, and used if fitted with this embedder.
        """
        if quality not in QUALITIES:
            raise UsageError(
                f"Without a language model there is no judge of {quality}.",
                allowed=f"The offline judges are of {', '.join(QUALITIES)}.",
                next_step="Name a model with --model PROVIDER:MODEL.",
            )
        self._quality, self._embedder = quality, embedder
        own = scale or shipped_scales().get(quality)
        self._scale = own if own and own.embedder == embedder.fingerprint else None
        weights = (answering or shipped_answering()) if quality is Quality.ANSWERABILITY else None
        self._answering = weights if weights and weights.embedder == embedder.fingerprint else None

    @property
    def card(self) -> JudgeCard:
        fitted = self._scale or self._answering
        limit = f" {_CANNOT_TELL}" if self._quality is Quality.ANSWERABILITY else ""
        return JudgeCard(
            name=f"{self._quality}-offline",
            judges=self._quality,
            make=Make.OFFLINE,
            model=self._embedder.fingerprint,
            signature=content_hash("offline judge", _FORM.get(self._quality, 1), self._quality),
            content=fitted.fingerprint if fitted else "",
            trained_on=fitted.sources if fitted else (),
            note=f"Shared words, embedding cosine; rules for numbers, dates and negation. {self._told}{limit}",
        )

    @property
    def _told(self) -> str:
        """What was fitted to labels, in a sentence."""
        if self._scale:
            by = "the form of answer" if self._quality is Quality.CORRECTNESS else "the length of the passages"
            return f"Scores are mapped to people's by {by}; nothing else is trained."
        if self._answering:
            return "Four weights are fitted; nothing else is trained."
        if self._quality in {Quality.CORRECTNESS, Quality.FAITHFULNESS}:
            return "Scores are not on people's scale: it was fitted with another embedding model."
        if self._quality is Quality.ANSWERABILITY:
            return "Its weights are set by hand: those that ship were fitted with another embedding model."
        return "Nothing is trained."

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        """One for each case, in their order. UsageError for a case that lacks what the quality needs.

        An answer without a word is Unjudged for faithfulness (it claims nothing), else scored 0.
        """
        for case in cases:
            check_case(case, self._quality)
        found = list[Judgement | Unjudged]()
        for start in range(0, len(cases), AT_ONCE):
            found += await asyncio.to_thread(self._judged, cases[start : start + AT_ONCE])
            if progress:
                progress(len(found), len(cases))
        return found

    def _judged(self, cases: Sequence[Case]) -> list[Judgement | Unjudged]:
        pairs = [self._pairs(case) for case in cases]
        flat = [pair for own in pairs for pair in own]
        scores = iter(self._scores(flat).tolist() if flat else [])
        return [self._judgement(own, [next(scores) for _ in own]) for own in pairs]

    def _judgement(self, pairs: Sequence[_Pair], scores: Sequence[float]) -> Judgement | Unjudged:
        if not pairs and self._quality is Quality.FAITHFULNESS:
            return Unjudged(code="no_claims", reason="The answer claims nothing that passages could support.")
        if not pairs:
            return Judgement(reason="There is no answer.", score=0.0)
        least = min(range(len(pairs)), key=lambda place: (scores[place], place))
        told = f"Lowest of {len(pairs)} claims: “{pairs[least].said}”: " if len(pairs) > 1 else ""
        score = round(float(np.mean(scores)), COSINE_DECIMALS)
        equality = pairs[least].equality
        decided = f"By values: {equality.reason}. " if equality.reason else ""
        return Judgement(reason=f"{told}{decided}{why(pairs[least].comparison, scores[least])}", score=score)

    def _pairs(self, case: Case) -> list[_Pair]:
        return [self._pair(case, given, said) for given, said in texts_of(case, self._quality)]

    def _pair(self, case: Case, given: str, said: str) -> _Pair:
        compared = compare(said, given)
        if self._quality is Quality.CORRECTNESS:
            ruling = ruled(case.question, given, said, compared, case.key)
            equality = equality_of(case)
            return _Pair(given, said, compared, form_of(case.question, given), ruling=ruling, equality=equality)
        if self._quality is Quality.FAITHFULNESS:
            return _Pair(given, said, compared, claim_form_of(case.passages))
        read = case.passages if self._quality is Quality.ANSWERABILITY else ()
        return _Pair(given, said, compared, form_of("", given), tuple(text for text in read if text.strip()))

    def _scores(self, pairs: Sequence[_Pair]) -> NDArray[np.float64]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair.texts))
        vectors = dict(zip(texts, self._embedder.embed(texts), strict=True))
        raw = [
            self._score(
                pair,
                max(0.0, cosine(vectors[pair.given], vectors[pair.said])),
                max((cosine(vectors[text], vectors[pair.said]) for text in pair.passages), default=0.0),
            )
            for pair in pairs
        ]
        scores = np.clip(np.array(raw), 0.0, 1.0)
        if self._quality is Quality.CORRECTNESS:
            scores = self._of_answers(scores, pairs)
        elif self._quality is Quality.FAITHFULNESS:
            scores = self._of_claims(scores, pairs)
        return np.asarray(np.round(scores, COSINE_DECIMALS), dtype=np.float64)

    def _of_answers(self, raw: NDArray[np.float64], pairs: Sequence[_Pair]) -> NDArray[np.float64]:
        """On people's scale, where there is one; what equality and rules say has the last word."""
        scores = self._scaled(raw, pairs)
        against = np.array([pair.ruling is not Ruling.NONE for pair in pairs], dtype=bool)
        scores = np.where(against, below_one_half(scores), scores)
        scores = np.where(_are(pairs, Equality.RIGHT), _EQUAL + (1 - _EQUAL) * raw, scores)
        scores = np.where(_are(pairs, Equality.WRONG), _UNEQUAL * raw, scores)
        refused = np.array([pair.equality.is_refusal for pair in pairs], dtype=bool)
        return np.where(refused, 0.0, scores)

    def _of_claims(self, raw: NDArray[np.float64], pairs: Sequence[_Pair]) -> NDArray[np.float64]:
        """On people's scale, where there is one; what contradicts, and what claims nothing, have the last word."""
        scores = vetoed(self._scaled(raw, pairs), [pair.comparison for pair in pairs])
        silent = np.array([pair.comparison.claims_nothing for pair in pairs], dtype=bool)
        return np.where(silent, 0.0, scores)

    def _scaled(self, raw: NDArray[np.float64], pairs: Sequence[_Pair]) -> NDArray[np.float64]:
        return self._scale.of(raw, [pair.form for pair in pairs]) if self._scale else raw

    def _score(self, pair: _Pair, cosine: float, of_passage: float) -> float:
        """The figures are put together by hand but for answerability; `of_passage` is the cosine of its passage."""
        compared = pair.comparison
        # a number is no content word: of a value that is nothing else, all content words are told by any answer
        told = min(compared.told, compared.figures_told) if pair.form is Form.VALUE else compared.told
        if self._quality is Quality.CORRECTNESS:
            likeness = (told, compared.f1, cosine)
            return 1.0 if compared.f1 == 1 else float(np.dot(_LIKENESS[pair.form], likeness))
        if self._quality is Quality.FAITHFULNESS:
            words = (compared.held, compared.pairs_held, compared.tokens_held)
            return float(np.dot(_LIKENESS[pair.form], (*words, compared.names_held, compared.figures_held, cosine)))
        if self._answering:
            return self._answering.of(row_of(of_passage, cosine, compared))
        if self._quality is Quality.ANSWERABILITY:
            return 0.6 * cosine + 0.1 * compared.held + 0.3 * compared.names_held - _ANSWERED
        return 0.3 * cosine if compared.claims_nothing else 0.5 * cosine + 0.5 * max(cosine, compared.told)


def _are(pairs: Sequence[_Pair], outcome: Equality) -> NDArray[np.bool_]:
    return np.array([pair.equality.outcome is outcome for pair in pairs], dtype=np.bool_)
