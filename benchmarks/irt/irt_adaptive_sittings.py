"""Sittings of models that were held out from the banks of real matrices, for benchmarks/irt/irt_adaptive.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from irt_real import OPTIONS
from numpy.typing import NDArray

from viva.metrics.intervals import Interval
from viva.metrics.irt.adaptive.bank import AdaptivePlan, Bank
from viva.metrics.irt.adaptive.sitting import Ask, Sitting, answered, begin, next_item, result
from viva.metrics.irt.fit.estimation import fit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DrawnExam:
    """Of every set so many banks, on `exam` items drawn at random; as many models as `sittings` sit against each."""

    banks: int
    sittings: int
    exam: int
    items: int
    seed: int


@dataclass(frozen=True)
class Sat:
    """One sitting. `scores` by the allowance for misfit; `share` of right answers among items drawn (none: nan)."""

    model: int
    chosen: int
    truth: float
    scores: Mapping[float, Interval]
    share: float


def sit(state: Sitting, answers: Floats) -> Sitting:
    """The sitting of an examinee whose answer to every item is known."""
    while isinstance(step := next_item(state), Ask):
        state = answered(state, step, float(answers[step.item]))
    return state


def sittings(
    name: str, responses: Floats, size: int, drawn: DrawnExam, ways: Sequence[int], misfits: Sequence[float]
) -> list[Sat]:
    """Models held out from banks of `size` models: each sits once for every number of chosen items in `ways`.

    None where the set has too few models. Banks whose fit did not converge are refused, as in a run.
    """
    rng, found = np.random.default_rng([drawn.seed, size]), list[Sat]()
    for _ in range(drawn.banks if size < len(responses) else 0):
        exam = rng.choice(responses.shape[1], min(drawn.exam, responses.shape[1]), replace=False)
        order = rng.permutation(len(responses))
        own = fit(responses[np.ix_(order[:size], exam)], options=OPTIONS[name])
        if not own.converged:
            continue
        bank, plan = Bank(own.a, own.b, own.c), sitting_plan(own.theta, drawn.items)
        for model in order[size : size + drawn.sittings]:
            row = responses[model, exam]
            found += [sat(bank, replace(plan, chosen=way, seed=int(model)), row, misfits) for way in ways]
    return found


def sitting_plan(theta: Floats, items: int) -> AdaptivePlan:
    """That of `viva sit --adaptive`, without topics, and to the end of the budget."""
    # slow to import, and wanted here alone
    from viva.graphs.sitting.adaptive import LEAST_PRIOR_SD

    return AdaptivePlan(
        target_se=0.0,
        budget=items,
        prior_mean=float(theta.mean()),
        prior_sd=max(float(theta.std(ddof=1)), LEAST_PRIOR_SD),
    )


def sat(bank: Bank, plan: AdaptivePlan, row: Floats, misfits: Sequence[float]) -> Sat:
    state = sit(begin(bank, plan), row)
    at_random = row[state.asked("random")]
    return Sat(
        model=plan.seed,
        chosen=plan.chosen,
        truth=float(row.mean()),
        scores={misfit: result(replace(state, plan=replace(plan, score_misfit=misfit))).score for misfit in misfits},
        share=float(at_random.mean()) if len(at_random) else float("nan"),
    )
