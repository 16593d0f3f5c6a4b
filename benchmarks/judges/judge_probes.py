"""How often a trick that changes nothing of what counts changes what a judge says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from judge_tricks import Trick, favour, known, tricked, tricks

from viva.agents.judges.model.forms import turned
from viva.agents.judges.model.judge import LanguageModelJudge
from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.errors import RoleFailed, UsageError
from viva.core.ids import seeded_order
from viva.core.records.base import Record
from viva.core.records.judging import Case, Judgement, LabelledCase, Quality, Unjudged
from viva.graphs.grading.batch_judging import judge_cases

MOVED = 0.25
"""By how much a score must move to count: one step of five. A judgement in classes moves by a class."""
CASES = 40
"""Cases that each trick is tried on at most."""
POSITION = "position"
_ROUNDING = 1e-9

_T = TypeVar("_T")


class Example(Record):
    """A case that a trick moved: what the judge said of it, of it tricked, and why then."""

    tricked: Case
    before: float
    after: float
    reason: str


@dataclass(frozen=True)
class ProbeFinding:
    """How often one probe moved the judge. `no_room`: cases whose score could not move; `unjudged`: without a score.

    Neither is among those tried: a trick is not resisted where the judge had the bad case at the top already.
    """

    probe: str
    moved: int
    tried: int
    unjudged: int = 0
    no_room: int = 0
    examples: tuple[Example, ...] = ()


class OneOrderJudge(LanguageModelJudge):
    """Of a preference, the judgement of the order as it stands: what position does to it shows."""

    @classmethod
    def of(cls, judge: LanguageModelJudge) -> OneOrderJudge:
        """The same judge, asked in one order."""
        return cls(judge.form, judge.asks, judge.card, judge.program, judge.audience)

    async def _judged(self, case: Case) -> Judgement | Unjudged:
        try:
            return self.form.unsaid(case) or await self._asked(case)
        except RoleFailed as failed:
            return Unjudged(code=failed.code, reason=failed.reason)


@dataclass(frozen=True)
class _Trial:
    """One case before and after a trick. `sign` is 1 where the trick is to raise it, -1 where it may not lower it."""

    trick: Trick
    labelled: LabelledCase
    changed: Case

    @property
    def sign(self) -> int:
        return 1 if self.trick.on == "bad" else -1


async def probe(
    judge: Judge,
    cases: Sequence[LabelledCase],
    *,
    seed: int,
    most: int = CASES,
    progress: Progress | None = None,
) -> tuple[ProbeFinding, ...]:
    """Every trick that means something for the judge's quality, each on `most` cases drawn by `seed`.

    Cases that people call neither plainly good nor plainly bad (labels above .25 and below .75) are left out;
    UsageError where none is left. What was asked before is served from the ledger.
    """
    quality = judge.card.judges
    trials = [trial for trick in tricks(quality) for trial in _trials(trick, quality, cases, seed, most)]
    if not any(trial.sign > 0 for trial in trials):
        raise UsageError(
            "None of these cases is known to be bad: there is nothing to raise.",
            allowed="Labels of .25 or less; for a preference, of .75 or more too.",
            next_step="Give other labelled cases, or leave --data out for the invented ones.",
        )
    asked = [case for trial in trials for case in (trial.labelled.case, trial.changed)]
    said = _by_case(asked, await judge_cases(judge, asked, progress))
    found = [_result(trick, quality, [t for t in trials if t.trick is trick], said) for trick in _used(trials)]
    if quality is Quality.PREFERENCE and isinstance(judge, LanguageModelJudge):
        found.insert(0, await probe_position(OneOrderJudge.of(judge), cases, seed=seed, most=most))
    return tuple(found)


async def probe_position(
    judge: Judge, cases: Sequence[LabelledCase], *, seed: int, most: int = CASES
) -> ProbeFinding:
    """Preferences in both orders, of a judge that asks one: moved where it does not prefer the same answer."""
    drawn = _drawn([each.case for each in cases], seed, POSITION, most)
    asked = [each for case in drawn for each in (case, turned(case))]
    said = _by_case(asked, await judge_cases(judge, asked))
    tried, examples = 0, list[Example]()
    for case in drawn:
        before, after = said[case.id], said[turned(case).id]
        if before is None or after is None:
            continue
        tried += 1
        if abs(before.score - (1 - after.score)) > _ROUNDING:
            examples.append(
                Example(tricked=turned(case), before=before.score, after=1 - after.score, reason=after.reason)
            )
    return ProbeFinding(POSITION, len(examples), tried, len(drawn) - tried, 0, tuple(examples))


def _trials(trick: Trick, quality: Quality, cases: Sequence[LabelledCase], seed: int, most: int) -> list[_Trial]:
    # the same cases for every trick: each is judged once as it is
    fitting = _drawn([each for each in cases if known(trick, quality, each)], seed, trick.on, most)
    return [_Trial(trick, each, tricked(trick, quality, each, number)) for number, each in enumerate(fitting)]


def _result(
    trick: Trick, quality: Quality, trials: Sequence[_Trial], said: dict[str, Judgement | None]
) -> ProbeFinding:
    unjudged = no_room = tried = 0
    examples: list[Example] = []
    for trial in trials:
        one, other = said[trial.labelled.case.id], said[trial.changed.id]
        if one is None or other is None:
            unjudged += 1
            continue
        before, after = (favour(trick, quality, trial.labelled, each.score) for each in (one, other))
        room = 1 - before if trial.sign > 0 else before
        if room < MOVED - _ROUNDING:
            no_room += 1
            continue
        tried += 1
        if trial.sign * (after - before) >= MOVED - _ROUNDING:
            examples.append(Example(tricked=trial.changed, before=before, after=after, reason=other.reason))
    return ProbeFinding(trick.probe, len(examples), tried, unjudged, no_room, tuple(examples))


def _by_case(cases: Sequence[Case], said: Sequence[Judgement | Unjudged]) -> dict[str, Judgement | None]:
    both = zip(cases, said, strict=True)
    return {case.id: one if isinstance(one, Judgement) else None for case, one in both}


def _used(trials: Sequence[_Trial]) -> list[Trick]:
    return list({id(trial.trick): trial.trick for trial in trials}.values())


def _drawn(cases: Sequence[_T], seed: int, probe: str, most: int) -> list[_T]:
    return seeded_order(cases, seed, "probe", probe)[:most]
