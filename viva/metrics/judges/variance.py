"""Where the spread of judged scores comes from: items, systems, judges, and the judge's own runs.

A linear model with crossed random effects, score = mean + effects + residual, by restricted maximum likelihood
(Patterson & Thompson 1971), which takes unbalanced and missing grades. Intervals are of the profile likelihood (the
values of a component that the data do not refuse at level .05), as Wald's mislead for the few judges there are.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.wording import counted
from viva.metrics.irt.model.inputs import Ints
from viva.metrics.judges.pairs import Floats, Scores, Undefined, numbered, vector
from viva.metrics.judges.reml import Reml

RUN = "run"
# levels of all effects together; the time of a fit grows with the cube of it
MAX_LEVELS = 3000


@dataclass(frozen=True)
class Component:
    """One source of variance: in squared units of the score, and as a share of all sources together."""

    name: str
    levels: int
    variance: Estimate
    share: float


@dataclass(frozen=True)
class VarianceSplit:
    """The components, as given and the residual last; `left_out`: why a source could not be told apart.

    `mean` is over all scores; `missing` counts the rows without one.
    """

    components: tuple[Component, ...]
    left_out: dict[str, Undefined]
    mean: float
    scores: int
    missing: int


def judge_variance(
    scores: Scores, items: Sequence[Hashable], systems: Sequence[Hashable], judges: Sequence[Hashable]
) -> VarianceSplit | Undefined:
    """Repeated grades (n,) of responses, split into item, system, response, judge, judge x response, and run.

    A row is one grade of one judge; the same item, system and judge in several rows are repeats. `response` is what a
    system does on one item beyond both (item x system); `run` what changes when the same judge grades the same
    response again. Errors as in `variance_split`.
    """
    _one_for_each(len(scores), {"item": items, "system": systems, "judge": judges})
    responses = list(zip(items, systems, strict=True))
    factors: dict[str, Sequence[Hashable]] = {
        "item": items,
        "system": systems,
        "response": responses,
        "judge": judges,
        "judge x response": list(zip(responses, judges, strict=True)),
    }
    return variance_split(scores, factors)


def variance_split(scores: Scores, factors: Mapping[str, Sequence[Hashable]]) -> VarianceSplit | Undefined:
    """The variance of scores (n,) by factors, each (n,), coarse ones first; what is left is the run's.

    A factor is left out, with its reason, where it has one level, where it groups rows as an earlier one does, and
    where each row is a level of its own (then the residual is its variance and the runs' together). Where the finest
    factor explains every score (a judge that always repeats itself) the residual is 0 by observation, and that factor
    takes its place in the fit. Undefined for fewer than 3 scores, scores that never vary, and no factor that is left.
    Raises UsageError for different lengths, infinite scores, and above 3000 levels.
    """
    values = vector(scores, "Scores")
    _one_for_each(len(values), factors)
    kept = np.flatnonzero(~np.isnan(values)).tolist()
    missing, values = len(values) - len(kept), values[kept]
    if len(values) < 3:
        return Undefined(f"{counted(len(values), 'score')}; at least 3 are needed.")
    if np.ptp(values) == 0:
        return Undefined(f"Every score is {values[0]:g}: there is no variance to split.")
    groups = {name: numbered([labels[place] for place in kept]) for name, labels in factors.items()}
    used, left_out = _told_apart(groups, len(values))
    settled = _settled(values, used)
    y, residual = values, RUN
    if settled:
        first = np.unique(used.pop(settled), return_index=True)[1]
        y, used = values[first], {name: group[first] for name, group in used.items()}
        left_out[RUN] = Undefined(f"It is 0: within each {settled} all scores are the same.")
        residual = settled
    if not used:
        return Undefined("No source is left to tell from the residual: " + "; ".join(_reasons(left_out)))
    return VarianceSplit(
        components=_components(y, used, residual),
        left_out=left_out,
        mean=float(values.mean()),
        scores=len(values),
        missing=missing,
    )


def _components(y: Floats, used: Mapping[str, Ints], residual: str) -> tuple[Component, ...]:
    levels = {name: len(np.unique(group)) for name, group in used.items()}
    if sum(levels.values()) > MAX_LEVELS:
        raise UsageError(
            f"{sum(levels.values())} levels of effects.",
            allowed=f"At most {MAX_LEVELS}.",
            next_step="Draw a subsample.",
        )
    model = Reml(y, list(used.values()))
    best = model.fit()
    names, total = [*used, residual], float(best.variances.sum())
    return tuple(
        Component(
            name=name,
            levels=levels.get(name, len(y)),
            variance=Estimate(float(best.variances[place]), *model.profile(place, best)),
            share=float(best.variances[place]) / total,
        )
        for place, name in enumerate(names)
    )


def _told_apart(groups: Mapping[str, Ints], rows: int) -> tuple[dict[str, Ints], dict[str, Undefined]]:
    used, left_out = dict[str, Ints](), dict[str, Undefined]()
    for name, group in groups.items():
        levels = len(np.unique(group))
        # groups are numbered by first occurrence, so equal partitions are equal arrays
        same = next((other for other, known in used.items() if np.array_equal(known, group)), None)
        if levels < 2:
            left_out[name] = Undefined(f"There is one {name} only.")
        elif levels == rows:
            left_out[name] = Undefined(f"No {name} has two scores: its variance is within that of the {RUN}.")
        elif same:
            left_out[name] = Undefined(f"It groups the scores as {same} does: the two cannot be told apart.")
        else:
            used[name] = group
    return used, left_out


def _settled(values: Floats, used: Mapping[str, Ints]) -> str | None:
    """The finest factor where it leaves nothing to explain."""
    if not used:
        return None
    name = max(used, key=lambda each: len(np.unique(used[each])))
    group = used[name]
    highest, lowest = np.full(group.max() + 1, -np.inf), np.full(group.max() + 1, np.inf)
    np.maximum.at(highest, group, values)
    np.minimum.at(lowest, group, values)
    return name if (highest == lowest).all() else None


def _reasons(left_out: Mapping[str, Undefined]) -> list[str]:
    return [f"{name}: {why.reason}" for name, why in left_out.items()]


def _one_for_each(rows: int, factors: Mapping[str, Sequence[Hashable]]) -> None:
    for name, labels in factors.items():
        if len(labels) != rows:
            raise UsageError(f"{len(labels)} labels of {name} for {rows} scores.", allowed="One for each.")
