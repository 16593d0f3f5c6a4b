"""The judge of correctness where none is named: rules, or rules and trained weights, by the form of answer.

Values and short texts are judged by both, and the mean of the two is the score: on sets that neither was fitted to it
is no worse than the better one. Longer answers are judged by rules alone: the trained weights do not carry over to
them (docs/decisions/0029). Where a rule speaks against an answer it has the last word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from viva.agents.judges.local.judge import LocalJudge
from viva.agents.judges.offline.comparison import alternatives, nearest
from viva.agents.judges.offline.forms import Form, form_of
from viva.agents.judges.offline.judge import OfflineJudge
from viva.agents.judges.offline.pairs import in_batches
from viva.agents.judges.offline.rulings import Ruling, ruling
from viva.agents.judges.offline.scale import Scale
from viva.agents.judges.roles import DEFAULT
from viva.agents.roles import Progress
from viva.core.ids import content_hash
from viva.core.records.judging import Case, JudgeCard, Judgement, Make, Quality, Unjudged
from viva.llm.embeddings import Embedder
from viva.metrics.text.cosines import COSINE_DECIMALS

BY_BOTH = frozenset({Form.VALUE, Form.TEXTS})
"""Forms of answer that rules and trained weights judge together."""


class DefaultJudge:
    """Judges correctness without a language model. Deterministic; obeys nothing in a case.

    With an embedding model that people's scale was not fitted with, rules judge alone: the weights read cosines too.
    """

    def __init__(self, embedder: Embedder, *, scale: Scale | None = None, threads: int | None = None) -> None:
        """`scale` is the rules' one, None the one that ships; `threads` bounds torch's, None leaves them."""
        self._rules = OfflineJudge(Quality.CORRECTNESS, embedder, scale=scale)
        self._embedder, self._threads = embedder, threads
        self._is_scaled = bool(self._rules.card.content)

    @property
    def card(self) -> JudgeCard:
        rules = self._rules.card
        if not self._is_scaled:
            return rules.model_copy(update={"name": DEFAULT})
        trained = self._trained.card
        return rules.model_copy(
            update={
                "name": DEFAULT,
                "make": Make.BLEND,
                "signature": content_hash("default judge", rules.signature, trained.signature, *sorted(BY_BOTH)),
                "content": content_hash("default judge", rules.content, trained.content),
                "trained_on": tuple(dict.fromkeys((*trained.trained_on, *rules.trained_on))),
                "note": f"Values and short texts: mean of {rules.name} and {trained.name}; else the former.",
            }
        )

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        """One for each case, in their order. UsageError for a case without a reference.

        An answer without a word is scored 0.
        """
        return await in_batches(self._judged, cases, Quality.CORRECTNESS, progress)

    async def _judged(self, cases: Sequence[Case]) -> list[Judgement | Unjudged]:
        found = await self._rules.judge(cases)
        both = [place for place, case in enumerate(cases) if self._by_both(case)]
        told = await self._trained.judge([cases[place] for place in both]) if both else []
        for place, other in zip(both, told, strict=True):
            found[place] = _mean(found[place], other)
        return found

    def _by_both(self, case: Case) -> bool:
        if not self._is_scaled or ruling(case) is not Ruling.NONE:
            return False
        wording = nearest(case.answer, alternatives(case.reference))
        return form_of(case.question, wording) in BY_BOTH

    @cached_property
    def _trained(self) -> LocalJudge:
        return LocalJudge.shipped(Quality.CORRECTNESS, self._embedder, threads=self._threads)


def _mean(rules: Judgement | Unjudged, trained: Judgement | Unjudged) -> Judgement | Unjudged:
    if not isinstance(rules, Judgement) or not isinstance(trained, Judgement):
        return rules
    score = round((rules.score + trained.score) / 2, COSINE_DECIMALS)
    reason = rules.reason if rules.score == trained.score else f"{rules.reason} Trained weights: {trained.score:.2f}."
    return Judgement(reason=reason, score=score)
