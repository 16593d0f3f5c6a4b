"""Several judges on the same cases: one verdict for each case, and how far the judges agree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from viva.agents.judges.model.working import worked
from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.errors import UsageError
from viva.core.records.judging import Case, JudgeCard, Judgement, Quality, Unjudged
from viva.core.wording import counted
from viva.graphs.grading.batch_judging import Judged, judge_cases
from viva.metrics.judges.juries import Jury, Rule, jury, majority, mean_vote
from viva.metrics.judges.pairs import Undefined
from viva.metrics.judges.raters import Level

CLASSES = frozenset({Quality.ANSWERABILITY, Quality.PREFERENCE})
"""Qualities whose judgements are classes: a mean of them is no judgement."""
HUNG = "hung"
_LONGEST = 160


@dataclass(frozen=True)
class JurySitting:
    """A jury's work: what each judge said, the verdict on each case with the reason, and the agreement.

    `verdicts` are in the order of the cases; where judges tie, or too few could judge, they are Unjudged ('hung').
    """

    judges: tuple[Judged, ...]
    verdicts: tuple[Judgement | Unjudged, ...]
    jury: Jury

    @property
    def odd_one_out(self) -> JudgeCard | None:
        """Of three judges or more, the one that agrees least with the verdict of the others; None if that is open.

        Where the others tie on every case, as two do beside a contrary one, their own agreement is not defined: then
        only one that goes against the rest is odd.
        """
        told = [(each, judged.card) for each, judged in zip(self.jury.with_others, self.judges, strict=True)]
        known = [(each, card) for each, card in told if not isinstance(each, Undefined)]
        if len(self.judges) < 3 or not known:
            return None
        least = min(each for each, _ in known)
        last = [card for each, card in known if each == least]
        sure = len(known) == len(told) or least < 0
        return last[0] if sure and len(last) == 1 else None


async def sit_in_jury(
    judges: Sequence[Judge],
    cases: Sequence[Case],
    *,
    seed: int,
    groups: Sequence[Hashable] | None = None,
    quorum: int = 1,
    progress: Progress | None = None,
) -> JurySitting:
    """All judges on all cases, at once; `progress` counts judgements.

    Classes (answerability, preference) go by majority, scores by their mean. Intervals are over
    `groups` (cases,), else over cases. UsageError for fewer than two judges, for judges of different qualities or of
    one name, and for a quorum that cannot be met.
    """
    check_jury([judge.card for judge in judges])
    done = [0] * len(judges)

    async def one(place: int) -> Judged:
        def told(count: int, _: int) -> None:
            done[place] = count
            if progress is not None:
                progress(sum(done), len(judges) * len({case.id for case in cases}))

        return await judge_cases(judges[place], cases, told)

    said = await worked(one, range(len(judges)), len(judges))
    return decided(said, seed=seed, groups=groups, quorum=quorum)


def decided(
    said: Sequence[Judged],
    *,
    seed: int,
    groups: Sequence[Hashable] | None = None,
    quorum: int = 1,
) -> JurySitting:
    """The same of what the judges have said already of the same cases, in one order."""
    quality = check_jury([judged.card for judged in said])
    level: Level = "nominal" if quality in CLASSES else "interval"
    found = jury(_votes(said), rule_of(quality), level, groups, seed=seed, quorum=quorum)
    return JurySitting(tuple(said), _verdicts(said, found.verdicts), found)


def verdicts_of(said: Sequence[Judged], quorum: int = 1) -> tuple[Judgement | Unjudged, ...]:
    """The verdicts alone, in the order of the cases."""
    verdict = majority if rule_of(said[0].card.judges) == "majority" else mean_vote
    return _verdicts(said, [verdict(row, quorum) for row in _votes(said)])


def rule_of(quality: Quality) -> Rule:
    """How a jury comes to a verdict on this quality."""
    return "majority" if quality in CLASSES else "mean"


def check_jury(cards: Sequence[JudgeCard]) -> Quality:
    """What these judges judge. UsageError where they are no jury."""
    qualities, names = {card.judges for card in cards}, {card.name for card in cards}
    if len(cards) < 2:
        raise UsageError(f"A jury of {counted(len(cards), 'judge')}.", allowed="At least 2.")
    if len(qualities) > 1:
        told = ", ".join(sorted(quality.value for quality in qualities))
        raise UsageError(f"These judges judge different things: {told}.", allowed="Judges of one quality.")
    if len(names) < len(cards):
        raise UsageError("Two judges of the jury have one name.", allowed="Each judge once, each with its own name.")
    return cards[0].judges


def _votes(said: Sequence[Judged]) -> list[tuple[float | None, ...]]:
    return list(zip(*(judged.scores for judged in said), strict=True))


def _verdicts(said: Sequence[Judged], found: Sequence[float | Undefined]) -> tuple[Judgement | Unjudged, ...]:
    return tuple(_verdict(said, place, verdict) for place, verdict in enumerate(found))


def _verdict(said: Sequence[Judged], place: int, verdict: float | Undefined) -> Judgement | Unjudged:
    told = "; ".join(f"{judged.card.name}: {_words(judged.results[place])}" for judged in said)
    if isinstance(verdict, Undefined):
        return Unjudged(code=HUNG, reason=f"{verdict.reason} {told}")
    return Judgement(reason=told, score=min(1.0, max(0.0, verdict)))


def _words(result: Judgement | Unjudged) -> str:
    if isinstance(result, Unjudged):
        return f"no judgement ({result.code})"
    return f"{result.score:.2g}, {result.reason[:_LONGEST]}"
