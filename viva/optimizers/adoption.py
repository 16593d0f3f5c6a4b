"""Whether a tuned judge takes the place of the base one: by a paired bootstrap on the same test cases."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.records.judging import LabelledCase
from viva.core.records.tuning import AdoptionDecision, PromptComparison
from viva.core.wording import counted
from viva.metrics.judges.paired import LEAST_GROUPS, RESAMPLES, Improvement, compare_judges
from viva.metrics.judges.pairs import Undefined
from viva.optimizers.objectives import SAME, Objective, Said, leaves_more, scores, unjudged


def decide(
    objective: Objective,
    cases: Sequence[LabelledCase],
    base: Said,
    rival: Said,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> AdoptionDecision:
    """Whether the rival agrees better with people on these cases than the base, beyond what chance would do.

    It does if the interval (95%) of the paired bootstrap's difference lies above 0, whole groups drawn. Where a judge
    says the same throughout the figure is undefined: a constant rival is refused, and against a constant base the
    second figure of the objective decides. With fewer groups than LEAST_GROUPS no rival is adopted.
    """
    if leaves_more(rival, base):
        return AdoptionDecision(
            adopted=False,
            why=f"It leaves {unjudged(rival)} of {len(cases)} cases unjudged, the base {unjudged(base)}.",
        )
    groups = {each.group for each, *said in zip(cases, base, rival, strict=True) if unjudged(said) == 0}
    if len(groups) < LEAST_GROUPS:
        return AdoptionDecision(
            adopted=False,
            why=f"The cases to report on are of {counted(len(groups), 'source')}, and fewer than {LEAST_GROUPS} can "
            "show no difference. Label cases of more sources.",
        )
    found = _compared(objective.name, objective, cases, base, rival, seed, resamples)
    if isinstance(found, PromptComparison):
        return _verdict(found)
    if objective.standing(cases, rival).merit <= 0:
        return AdoptionDecision(adopted=False, why=f"It does not agree with people at all. {found.reason}")
    second = _compared(objective.second_name, objective, cases, base, rival, seed, resamples)
    if isinstance(second, PromptComparison):
        return _verdict(second).model_copy(update={"fell_back": found.reason})
    return AdoptionDecision(
        adopted=False, why=f"These cases cannot tell the two apart. {second.reason}", fell_back=found.reason
    )


def _compared(
    name: str, objective: Objective, cases: Sequence[LabelledCase], base: Said, rival: Said, seed: int, resamples: int
) -> PromptComparison | Undefined:
    statistic = objective.statistic if name == objective.name else objective.second
    people, groups = [each.label for each in cases], [each.group for each in cases]
    found = compare_judges(statistic, scores(base), scores(rival), people, groups, seed=seed, resamples=resamples)
    return found if isinstance(found, Undefined) else _comparison(name, found)


def _comparison(name: str, found: Improvement) -> PromptComparison:
    return PromptComparison(
        statistic=name,
        base=found.base,
        tuned=found.rival,
        difference=found.difference.value,
        low=found.difference.low,
        high=found.difference.high,
        p_value=found.p_value,
        cases=found.rows,
        missing=found.missing,
        groups=found.groups,
    )


def _verdict(found: PromptComparison) -> AdoptionDecision:
    if found.high - found.low <= SAME:
        reach = "in every resample alike, so that no interval is known"
    else:
        reach = f"{_signed(found.low)} to {_signed(found.high)}"
    told = f"{found.statistic} {_signed(found.difference)} ({reach}) on the same {found.cases} cases"
    # what differs by rounding alone is neither better nor worse
    if found.low > SAME:
        return AdoptionDecision(adopted=True, why=f"Better than the base by {told}.", comparison=found)
    if found.high < -SAME:
        return AdoptionDecision(adopted=False, why=f"Worse than the base: {told}.", comparison=found)
    return AdoptionDecision(adopted=False, why=f"Not shown to be better: {told}.", comparison=found)


def _signed(value: float) -> str:
    """Three digits with the sign, and none for nothing."""
    rounded = round(value, 3)
    return f"{rounded:+.3f}" if rounded else "0.000"
