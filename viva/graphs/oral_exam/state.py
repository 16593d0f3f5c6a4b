"""Where an oral examination stands: a fold over its turns, and what is asked next. Pure: no clock, no store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from viva.core.records import FailureKind, OralCluster, OralPlan, OralTurn, QuestionForm, UnitJudgement, UnitStatus
from viva.core.scores_oral import UnitOutcome
from viva.graphs.sitting.administer import WITHDRAWN_AFTER
from viva.metrics.intervals import wilson

FAILURES_AT_MOST = 3 * WITHDRAWN_AFTER
"""Failures in a row, of whatever kinds, after which a system is not asked on."""
ALL_EXAMINED, UNJUDGED = "every unit has a verdict", "the units left could not be judged"
FEWEST_FLAT = 150
"""Questions in a row without a find, at least: as many as it takes to give up some 60 units one by one."""
BUDGET, FLAT = "the budget of questions is spent", "the coverage curve is flat"


@dataclass(frozen=True)
class Limits:
    """How far an examination goes.

    `sizes` are units per question at most, by how often they were asked for before; after that they are asked alone,
    `tries` times. `questions` bounds all that are put; `flat` is how many in a row may settle no unit by an answer
    (None: as many as there are units, and FEWEST_FLAT at least; 0: any number). A unit whose judgement failed
    `judge_failures` times is not asked on. `chunks` bounds those that units are looked for in, drawn at random.
    """

    tries: int = 2
    questions: int | None = None
    flat: int | None = None
    sizes: tuple[int, ...] = (8, 8)
    judge_failures: int = 2
    chunks: int | None = None

    def flat_after(self, units: int) -> int | None:
        """Questions in a row after which the curve is flat; None: never."""
        if self.flat is None:
            return max(FEWEST_FLAT, units)
        return self.flat or None


@dataclass(frozen=True)
class OralQuestion:
    """What is asked next."""

    cluster: int
    form: QuestionForm
    unit_ids: tuple[str, ...]
    round: int
    attempt: int
    """how often these units were asked for before, at most; of one alone, how often it was asked for alone"""


@dataclass(frozen=True)
class UnitStanding:
    """Where one unit stands."""

    status: UnitStatus = UnitStatus.OPEN
    asked: int = 0
    alone: int = 0
    """asked for with no other, and not covered"""
    unjudged: int = 0
    turn: int | None = None
    round: int | None = None
    contradicted: tuple[int, ...] = ()


@dataclass(frozen=True)
class OralProgress:
    """Where the examination stands after some turns."""

    units: Mapping[str, UnitStanding]
    turns: int = 0
    pending: OralTurn | None = None
    """the answer is in, and not judged yet"""
    failures: tuple[FailureKind, ...] = ()
    """of the examinee, in a row"""
    dry: int = 0
    """answered questions in a row that settled no unit by what was said"""
    limits: Limits = field(default_factory=Limits)
    put: Set[str] = frozenset()
    """questions that were answered and judged"""

    @classmethod
    def of(cls, plan: OralPlan, limits: Limits, turns: Iterable[OralTurn] = ()) -> OralProgress:
        """After these turns, in their order; what failed then may do so no more, and is asked on."""
        standing = cls({unit.id: UnitStanding() for unit in plan.units}, limits=limits)
        for turn in turns:
            standing = standing.after(turn)
        return replace(standing, failures=())

    def after(self, turn: OralTurn) -> OralProgress:
        """One turn later; a turn that is told again, now judged, takes the place of itself."""
        turns = max(self.turns, turn.number + 1)
        if turn.failure is not None:
            return replace(self, turns=turns, pending=None, failures=(*self.failures, turn.failure.kind))
        if not turn.judgements:
            return replace(self, turns=turns, pending=turn)
        units = dict(self.units)
        settled = 0
        for judgement in turn.judgements:
            if judgement.unit_id in units:
                before = units[judgement.unit_id]
                units[judgement.unit_id] = self._judged(before, judgement, turn)
                settled += before.status is UnitStatus.OPEN and judgement.covered and not judgement.failed
        return replace(
            self,
            units=MappingProxyType(units),
            turns=turns,
            pending=None,
            # a question that could not be worded says nothing of the examinee
            failures=() if turn.question else self.failures,
            dry=0 if settled else self.dry + 1,
            put=self.put | {turn.question},
        )

    def concluded(self) -> OralProgress:
        """As it is reported. Where the curve was flat for long, what was asked for in every company is given up.

        After 150 questions in a row that found nothing, the next finds something in 2% of cases at most (the rule of
        three: 3/150, with 95% confidence). Units that were asked for less often, or ended by fewer, stay open.
        """
        flat = self.limits.flat_after(len(self.units))
        # nothing else may have ended it
        if flat is None or self.dry < max(flat, FEWEST_FLAT) or ended(replace(self, dry=0)):
            return self
        last, often = self.turns - 1, len(self.limits.sizes)
        units = {
            unit_id: replace(unit, status=UnitStatus.GIVEN_UP, turn=last, round=unit.asked)
            if self.askable(unit_id) and unit.asked >= often
            else unit
            for unit_id, unit in self.units.items()
        }
        return replace(self, units=MappingProxyType(units))

    def _judged(self, unit: UnitStanding, judgement: UnitJudgement, turn: OralTurn) -> UnitStanding:
        if judgement.failed:
            return replace(unit, unjudged=unit.unjudged + 1)
        if unit.status is not UnitStatus.OPEN:
            said_before = unit.status is UnitStatus.CORRECT
            other = unit.status is not UnitStatus.GIVEN_UP and judgement.correct is (not said_before)
            return replace(unit, contradicted=(*unit.contradicted, turn.number)) if other else unit
        asked_for = judgement.unit_id in turn.unit_ids
        unit = replace(unit, asked=unit.asked + asked_for)
        if judgement.covered:
            status = UnitStatus.CORRECT if judgement.correct else UnitStatus.INCORRECT
            return replace(unit, status=status, turn=turn.number, round=turn.round)
        unit = replace(unit, alone=unit.alone + (asked_for and len(turn.unit_ids) == 1))
        if unit.alone >= self.limits.tries:
            return replace(unit, status=UnitStatus.GIVEN_UP, turn=turn.number, round=turn.round)
        return unit

    def askable(self, unit_id: str) -> bool:
        """Whether it is open, and can be judged."""
        unit = self.units[unit_id]
        return unit.status is UnitStatus.OPEN and unit.unjudged < self.limits.judge_failures

    @property
    def complete(self) -> bool:
        """Whether there is no unit left that can be asked for."""
        return not any(map(self.askable, self.units))

    @property
    def examined(self) -> int:
        """Units with a verdict."""
        return sum(unit.status is not UnitStatus.OPEN for unit in self.units.values())

    def outcomes(self) -> tuple[UnitOutcome, ...]:
        """Of every unit, in the plan's order."""
        return tuple(
            UnitOutcome(
                unit_id=unit_id,
                status=unit.status,
                turn=unit.turn,
                round=unit.round,
                asked=unit.asked,
                unjudged=unit.unjudged,
                contradicted=unit.contradicted,
            )
            for unit_id, unit in self.units.items()
        )


def ended(standing: OralProgress) -> str | None:
    """Why nothing is asked any more, in words; None while there is something to ask."""
    limits, last = standing.limits, standing.failures[-WITHDRAWN_AFTER:]
    if not any(unit.status is UnitStatus.OPEN for unit in standing.units.values()):
        return ALL_EXAMINED
    if standing.complete:
        return UNJUDGED
    if len(last) == WITHDRAWN_AFTER and len(set(last)) == 1:
        return f"{WITHDRAWN_AFTER} failures in a row ({last[0].value})"
    if len(standing.failures) >= FAILURES_AT_MOST:
        return f"{FAILURES_AT_MOST} failures in a row"
    if limits.questions is not None and standing.turns >= limits.questions:
        return BUDGET
    flat = limits.flat_after(len(standing.units))
    if flat is not None and standing.dry >= flat:
        return f"{FLAT}: {flat} questions in a row settled no further unit"
    return None


def next_probe(plan: OralPlan, standing: OralProgress) -> OralQuestion | None:
    """The next question's units: of the cluster with most that is uncovered, those that were asked for least often.

    A unit weighs half as much each time it was asked for in vain, so that all clusters are heard before one is gone
    through to the end. Of clusters alike, the one about which least is known. None where nothing is to be asked.
    """
    open_ids = {each.number: [i for i in each.unit_ids if standing.askable(i)] for each in plan.clusters}
    mass = {number: sum(0.5 ** standing.units[i].asked for i in ids) for number, ids in open_ids.items()}
    most = max(mass.values(), default=0.0)
    if not most:
        return None
    largest = [each for each in plan.clusters if mass[each.number] == most]
    cluster = max(largest, key=lambda each: (_uncertainty(each, standing), -each.number))
    return _probe(cluster, open_ids[cluster.number], standing)


def _probe(cluster: OralCluster, open_ids: Sequence[str], standing: OralProgress) -> OralQuestion:
    sizes = standing.limits.sizes
    asked = {unit_id: standing.units[unit_id].asked for unit_id in open_ids}
    level = min(asked.values())
    if level >= len(sizes):
        # who was asked for alone already is asked for again, so that verdicts come one after the other
        level = max(asked.values())
    size = sizes[level] if level < len(sizes) else 1
    # where few are left that were asked for so rarely, others fill the question up, but not those due alone
    due = [i for i in open_ids if asked[i] == level or asked[i] < len(sizes)]
    chosen = set(sorted(due, key=lambda unit_id: asked[unit_id])[:size])
    unit_ids = tuple(unit_id for unit_id in open_ids if unit_id in chosen)
    form = QuestionForm.NARROW if level else QuestionForm.BROAD
    if len(unit_ids) == 1:
        form, attempt = QuestionForm.SINGLE, standing.units[unit_ids[0]].alone
    else:
        attempt = max(asked[unit_id] for unit_id in unit_ids)
    return OralQuestion(
        cluster=cluster.number,
        form=form,
        unit_ids=unit_ids,
        round=level + 1,
        attempt=attempt,
    )


def _uncertainty(cluster: OralCluster, standing: OralProgress) -> float:
    """Width of the interval of the share that is known; 1 where nothing was found out yet."""
    statuses = [standing.units[unit_id].status for unit_id in cluster.unit_ids]
    settled = [status is UnitStatus.CORRECT for status in statuses if status is not UnitStatus.OPEN]
    share = wilson(sum(settled), len(settled))
    return round(share.high - share.low, 9) if share else 1.0
