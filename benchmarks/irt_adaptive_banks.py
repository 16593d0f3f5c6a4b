"""Adaptive sittings against banks that so many examinees have calibrated, for benchmarks/irt_adaptive.py --bank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from irt_real import FORMATS, UNDECLARED
from numpy.typing import NDArray

from viva.metrics.irt import Fit, fit
from viva.metrics.irt.adaptive import Ask, Sitting, answered, begin, next_item, result
from viva.metrics.irt.adaptive_bank import Bank, Plan

Floats = NDArray[np.float64]


def sit(state: Sitting, answers: Floats) -> Sitting:
    """The sitting of an examinee whose answer to every item is known."""
    while isinstance(step := next_item(state), Ask):
        state = answered(state, step, float(answers[step.item]))
    return state


def calibrated(name: str, responses: Floats) -> Fit:
    """The fit of a set's items, declared as they were asked."""
    form = FORMATS.get(name, UNDECLARED)
    return fit(responses, model=form.model, options=form.options)


@dataclass(frozen=True)
class Drawn:
    """What `--bank` draws of every set: `banks` of so many models, on `exam` items, with `held_out` others to sit."""

    banks: int
    held_out: int
    exam: int


@dataclass(frozen=True)
class Sat:
    """One held-out model: error of its accuracy, whether the interval holds it (not widened, too), half of that."""

    error: float
    held: bool
    held_unwidened: bool
    half: float


def by_bank(name: str, responses: Floats, size: int, drawn: Drawn, items: int, seed: int) -> tuple[list[Sat], int]:
    """Models held out from banks of `size`, and the number of banks that were refused."""
    rng, found, refused = np.random.default_rng([seed, size]), list[Sat](), 0
    for _ in range(drawn.banks):
        exam = rng.choice(responses.shape[1], min(drawn.exam, responses.shape[1]), replace=False)
        order = rng.permutation(len(responses))
        own = calibrated(name, responses[np.ix_(order[:size], exam)])
        if not own.converged:
            refused += 1
            continue
        bank, plan = Bank(own.a, own.b, own.c), sitting_plan(own, items, size)
        for examinee in order[size : size + drawn.held_out]:
            found.append(sat(bank, replace(plan, seed=int(examinee)), responses[examinee, exam]))
    return found, refused


def sitting_plan(own: Fit, items: int, size: int) -> Plan:
    """That of `viva sit --adaptive`, without topics."""
    # slow to import, and wanted here alone
    from viva.graphs.adaptive import FEW_EXAMINEES, LEAST_PRIOR_SD, RANDOM_AT_MOST, RANDOM_SHARE

    return Plan(
        target_se=0.0,
        budget=items,
        random_items=min(RANDOM_AT_MOST, items // RANDOM_SHARE),
        prior_mean=float(own.theta.mean()),
        prior_sd=max(float(own.theta.std(ddof=1)), LEAST_PRIOR_SD),
        score_misfit=Plan.score_misfit * (1 + FEW_EXAMINEES / size) ** 0.5,
    )


def sat(bank: Bank, plan: Plan, row: Floats) -> Sat:
    state = sit(begin(bank, plan), row)
    usual = replace(state, plan=replace(plan, score_misfit=Plan.score_misfit))
    wide, narrow, true = result(state).score, result(usual).score, float(row.mean())
    return Sat(
        error=wide.estimate - true,
        held=wide.low <= true <= wide.high,
        held_unwidened=narrow.low <= true <= narrow.high,
        half=(wide.high - wide.low) / 2,
    )


def bank_row(size: int, matrices: dict[str, Floats], drawn: Drawn, items: int, seed: int) -> dict[str, float]:
    """Over all sets, and the mean absolute error for each; a set whose banks were all refused has none."""
    by_set = {name: by_bank(name, responses, size, drawn, items, seed) for name, responses in matrices.items()}
    everyone = [each for found, _ in by_set.values() for each in found]
    refused = sum(each for _, each in by_set.values())
    row = {"examinees in the bank": float(size), "banks refused": float(refused)}
    if not everyone:
        return row
    return row | {
        "held-out sittings": float(len(everyone)),
        "mae": mean_of(abs(each.error) for each in everyone),
        "bias": mean_of(each.error for each in everyone),
        "coverage": mean_of(each.held for each in everyone),
        "coverage, not widened": mean_of(each.held_unwidened for each in everyone),
        "half an interval": mean_of(each.half for each in everyone),
        **{f"mae {name}": mean_of(abs(each.error) for each in found) for name, (found, _) in by_set.items() if found},
    }


def mean_of(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
