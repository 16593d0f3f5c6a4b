"""Figures of an oral examination: coverage and correctness by round and by group, the curve, and the shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from viva.core.estimates import Estimate
from viva.core.records import Examinee, OralPlan, OralTurn, OralUnit, UnitStatus
from viva.core.scores_oral import CurvePoint, OralRow, OralScore, RoleUse, RoundRow, UnitOutcome
from viva.metrics.intervals import share_in_groups, wilson

_COVERED = (UnitStatus.CORRECT, UnitStatus.INCORRECT)


def oral_score(
    examinee: Examinee,
    plan: OralPlan,
    turns: Sequence[OralTurn],
    outcomes: Sequence[UnitOutcome],
    *,
    reason: str,
    complete: bool,
    roles: Sequence[RoleUse],
    seed: int,
) -> OralScore:
    """All figures of one examinee. `outcomes` are of the plan's units in its order."""
    count = Counter(outcome.status for outcome in outcomes)
    correct, still_open, units = count[UnitStatus.CORRECT], count[UnitStatus.OPEN], len(outcomes)
    cluster_of = {unit_id: each for each in plan.clusters for unit_id in each.unit_ids}
    return OralScore(
        examinee=examinee,
        plan_id=plan.id,
        units=units,
        clusters=len(plan.clusters),
        how_clustered=plan.how_clustered,
        correct=correct,
        incorrect=count[UnitStatus.INCORRECT],
        given_up=count[UnitStatus.GIVEN_UP],
        open=still_open,
        known=known_share(plan, outcomes, seed),
        known_low=correct / units if units else 0.0,
        known_high=(correct + still_open) / units if units else 1.0,
        reason=reason,
        complete=complete,
        questions=sum(bool(turn.question) for turn in turns),
        failures=_counted(turn.failure.kind.value for turn in turns if turn.failure),
        flags=_counted(flag for turn in turns for flag in turn.flags),
        forms=_counted(turn.form.value for turn in turns if turn.question),
        contradictions=sum(bool(each.contradicted) for each in outcomes),
        unjudged=sum(each.unjudged for each in outcomes),
        roles=tuple(roles),
        rounds=by_round(turns, outcomes),
        by_cluster=by_group(plan, outcomes, lambda unit: cluster_of[unit.id].name),
        by_type=by_group(plan, outcomes, lambda unit: unit.type.value),
        curve=coverage_curve(turns, outcomes),
        outcomes=tuple(outcomes),
    )


def known_share(plan: OralPlan, outcomes: Sequence[UnitOutcome], seed: int) -> Estimate | None:
    """Correct units among those with a verdict, with a 95% interval; None without verdicts.

    Documents are the groups: units of one document share its difficulty.
    """
    examined = [
        (float(outcome.status is UnitStatus.CORRECT), unit.evidence.document_id)
        for unit, outcome in zip(plan.units, outcomes, strict=True)
        if outcome.status is not UnitStatus.OPEN
    ]
    return share_in_groups([value for value, _ in examined], [document for _, document in examined], seed=seed)


def by_round(turns: Iterable[OralTurn], outcomes: Iterable[UnitOutcome]) -> tuple[RoundRow, ...]:
    """What each round brought, in order. A question that failed, or was never judged, belongs to none."""
    judged = [turn for turn in turns if turn.judgements and turn.question]
    settled = Counter((each.round, each.status) for each in outcomes if each.round is not None)
    asked, questions = Counter[int](), Counter(turn.round for turn in judged)
    for turn in judged:
        asked[turn.round] += len(turn.unit_ids)
    return tuple(
        RoundRow(
            round=number,
            questions=questions[number],
            asked=asked[number],
            covered=sum(settled[number, status] for status in _COVERED),
            correct=settled[number, UnitStatus.CORRECT],
            given_up=settled[number, UnitStatus.GIVEN_UP],
        )
        for number in sorted(questions)
    )


def by_group(
    plan: OralPlan, outcomes: Sequence[UnitOutcome], level: Callable[[OralUnit], str]
) -> tuple[OralRow, ...]:
    """The units by what they have in common, sorted by its name."""
    groups: dict[str, Counter[UnitStatus]] = {}
    for unit, outcome in zip(plan.units, outcomes, strict=True):
        groups.setdefault(level(unit), Counter())[outcome.status] += 1
    return tuple(_row(name, groups[name]) for name in sorted(groups))


def _row(name: str, count: Mapping[UnitStatus, int]) -> OralRow:
    units, still_open, correct = sum(count.values()), count[UnitStatus.OPEN], count[UnitStatus.CORRECT]
    known = wilson(correct, units - still_open)
    return OralRow(
        level=name,
        units=units,
        correct=correct,
        incorrect=count[UnitStatus.INCORRECT],
        given_up=count[UnitStatus.GIVEN_UP],
        open=still_open,
        known=known,
    )


def coverage_curve(turns: Iterable[OralTurn], outcomes: Iterable[UnitOutcome]) -> tuple[CurvePoint, ...]:
    """Units settled after each question, failed ones included."""
    settled = Counter((each.turn, each.status) for each in outcomes if each.turn is not None)
    points, covered, correct, given_up = list[CurvePoint](), 0, 0, 0
    for turn in turns:
        covered += sum(settled[turn.number, status] for status in _COVERED)
        correct += settled[turn.number, UnitStatus.CORRECT]
        given_up += settled[turn.number, UnitStatus.GIVEN_UP]
        if turn.question:
            points.append(
                CurvePoint(questions=len(points) + 1, covered=covered, correct=correct, verdicts=covered + given_up)
            )
    return tuple(points)


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
