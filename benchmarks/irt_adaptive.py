"""Adaptive testing: how many items to a standard error of .3, and how good an exam's accuracy is after a few items.

    python benchmarks/irt_adaptive.py                               # the simulated banks alone
    python benchmarks/irt_adaptive.py MATRIX.csv [MATRIX.csv ...]   # and real matrices (a row per model, ids first)
    python benchmarks/irt_adaptive.py MATRIX.csv --items 10 --random 3
    python benchmarks/irt_adaptive.py MATRIX.csv [MATRIX.csv ...] --bank 5 16 40     # by examinees in the bank
    python benchmarks/irt_adaptive.py ... --json

Simulated: banks of 250 and 500 items, log a ~ N(0, .5^2), b ~ N(0, 1), c = .25; abilities ~ N(0, 1). Median number of
items until the posterior's standard deviation is below .3, by criterion; items at random; and, as a yardstick, items
picked at the EAP by a^2 p q, the 2PL's information, which is wrong where examinees can guess.

Real: five folds of models; a fold's models are held out, the others calibrate the bank (prior of ability: their mean
and sd). Items are declared as they were asked, where irt_real.py knows the set, else as 3pl of four options. Each
held-out model answers `--items` items, of which `--random` are the stratified random ones. Printed: mean absolute
error, bias and coverage of the 95% interval of the accuracy on all items; the error of the model's prediction given
the answers to all items, below which no estimate of the ability can bring it; the error of the mean of as many items
drawn at random, and of the raw mean of the adaptively chosen ones.

With `--bank`: as `viva sit --adaptive` does it, the allowance for misfit widened for banks of few examinees. For each
matrix and size `--banks` times so many models calibrate `--exam` items drawn at random, and `--held-out` others sit.
Banks whose fit did not converge are refused and counted. Over all matrices, and the error for each.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from irt_adaptive_banks import Drawn, bank_row, calibrated, sit
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.irt import probability_3pl
from viva.metrics.irt.adaptive import begin, result
from viva.metrics.irt.adaptive_ability import GridPosterior, grid_posterior
from viva.metrics.irt.adaptive_bank import Bank, Criterion, Plan

Floats = NDArray[np.float64]
FOLDS = 5
SIZES = (250, 500)
TARGET = 0.3
LONGEST = 300
Pick = Callable[[GridPosterior, Floats], int]


def simulated_bank(items: int, seed: int) -> Bank:
    rng = np.random.default_rng(seed)
    return Bank(np.exp(rng.normal(0, 0.5, items)), rng.normal(0, 1, items), np.full(items, 0.25))


def items_to_target(bank: Bank, examinees: int, seed: int) -> dict[str, float]:
    """Median number of items until SE < .3, by way of choosing them."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 1, examinees)
    answers = (rng.random((examinees, len(bank))) < probability_3pl(theta, bank.a, bank.b, bank.c)).astype(np.float64)
    found: dict[str, float] = {}
    criteria: tuple[Criterion, ...] = ("information", "posterior", "variance")
    for criterion in criteria:
        plan = Plan(criterion=criterion, target_se=TARGET, budget=LONGEST, random_items=0)
        found[criterion] = float(np.median([len(sit(begin(bank, plan), row).answers) for row in answers]))

    def wrong_information(posterior: GridPosterior, free: Floats) -> int:
        p = probability_3pl(posterior.mean, bank.a, bank.b, bank.c)[0]
        return int(np.argmax(np.where(free, bank.a**2 * p * (1 - p), -1)))

    def at_random(_: GridPosterior, free: Floats) -> int:
        return int(rng.choice(np.flatnonzero(free)))

    found["a^2 p q (2PL's, wrong)"] = float(np.median([_by_hand(bank, row, wrong_information) for row in answers]))
    found["random"] = float(np.median([_by_hand(bank, row, at_random) for row in answers]))
    return found


def _by_hand(bank: Bank, answers: Floats, pick: Pick) -> int:
    asked: list[int] = []
    free = np.ones(len(bank))
    posterior = grid_posterior([], [], [], [])
    while posterior.sd >= TARGET and len(asked) < min(LONGEST, len(bank)):
        asked.append(pick(posterior, free))
        free[asked[-1]] = 0
        posterior = grid_posterior(answers[asked], bank.a[asked], bank.b[asked], bank.c[asked])
    return len(asked)


def read_matrix(path: Path) -> Floats:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(cell) for cell in row[1:]] for row in rows])


def held_out_accuracy(name: str, responses: Floats, items: int, drawn: int, seed: int) -> dict[str, float]:
    """Errors of the estimated accuracy of held-out models."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(responses))
    errors, covered, modelled = list[float](), list[bool](), list[float]()
    at_random, raw = list[float](), list[float]()
    for fold in range(FOLDS):
        held = order[fold::FOLDS]
        found = calibrated(name, responses[np.setdiff1d(order, held)])
        bank = Bank(found.a, found.b, found.c)
        for examinee in held:
            plan = Plan(
                target_se=0.0,
                budget=items,
                random_items=drawn,
                prior_mean=float(found.theta.mean()),
                prior_sd=float(found.theta.std()),
                seed=int(examinee),
            )
            row = responses[examinee]
            state = sit(begin(bank, plan), row)
            score, true = result(state).score, float(row.mean())
            errors.append(score.estimate - true)
            covered.append(score.low <= true <= score.high)
            modelled.append(from_all_answers(bank, plan, row) - true)
            raw.append(float(row[state.asked("adaptive")].mean()) - true)
            at_random.append(float(row[rng.choice(len(row), items, replace=False)].mean()) - true)
    return {
        "mae": float(np.abs(errors).mean()),
        "bias": float(np.mean(errors)),
        "coverage": float(np.mean(covered)),
        "mae of the model given all answers": float(np.abs(modelled).mean()),
        "mae of the mean of random items": float(np.abs(at_random).mean()),
        "mae of the raw mean of adaptive items": float(np.abs(raw).mean()),
    }


def from_all_answers(bank: Bank, plan: Plan, row: Floats) -> float:
    """The accuracy that the model predicts from the answers to every item."""
    known = grid_posterior(row, bank.a, bank.b, bank.c, prior_mean=plan.prior_mean, prior_sd=plan.prior_sd)
    return float(known.weights @ probability_3pl(known.nodes, bank.a, bank.b, bank.c).mean(axis=1))


def printed_banks(given: argparse.Namespace, matrices: dict[str, Floats]) -> None:
    """`--bank`: a row for each size."""
    drawn = Drawn(given.banks, given.held_out, given.exam)
    rows = []
    for size in given.bank:
        rows.append(bank_row(size, matrices, drawn, given.items, given.seed))
        if not given.json:
            figures = (f"{what} {round(value, 3):g}" for what, value in rows[-1].items())
            print(", ".join(figures), flush=True)
    if given.json:
        print(json.dumps(rows, indent=2))


def printed(given: argparse.Namespace, matrices: dict[str, Floats]) -> None:
    """The simulated banks, and the real matrices by folds."""
    to_target = {
        items: items_to_target(simulated_bank(items, given.seed), given.examinees, given.seed) for items in SIZES
    }
    accuracy = {
        name: held_out_accuracy(name, responses, given.items, given.random, given.seed)
        for name, responses in matrices.items()
    }
    if given.json:
        print(json.dumps({"median items to SE < .3": to_target, "accuracy": accuracy}, indent=2))
        return
    print(f"median items to SE < {TARGET}, {given.examinees} examinees")
    for size, found in to_target.items():
        print(f"  bank of {size}: " + ", ".join(f"{name} {items:.0f}" for name, items in found.items()))
    print(f"accuracy on all items from {given.items} ({given.random} of them stratified random)")
    for name, figures in accuracy.items():
        print(f"  {name:<24} " + ", ".join(f"{what} {value:.3f}" for what, value in figures.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*", type=Path)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--random", type=int, default=5, help="of the items, drawn at random (without --bank)")
    parser.add_argument("--examinees", type=int, default=200, help="simulated")
    parser.add_argument("--bank", type=int, nargs="+", metavar="N", help="examinees in the bank, instead of folds")
    parser.add_argument("--banks", type=int, default=4, help="drawn of each matrix and size")
    parser.add_argument("--held-out", type=int, default=12, help="models that sit, for each bank")
    parser.add_argument("--exam", type=int, default=120, help="items drawn of each matrix, for each bank")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    matrices = {path.stem: read_matrix(path) for path in given.matrices}
    if given.bank is None:
        printed(given, matrices)
        return
    fewest = min((len(responses) for responses in matrices.values()), default=0)
    if min(given.bank) < 2 or min(given.banks, given.held_out, given.exam) < 1:
        parser.error("a bank takes two examinees, one draw, one held-out model and one item at least")
    if (wanted := max(given.bank) + given.held_out) > fewest:
        parser.error(
            f"--bank {max(given.bank)} with --held-out {given.held_out} takes {wanted} models in every matrix; the "
            f"smallest of the {len(matrices)} given has {fewest}"
        )
    printed_banks(given, matrices)


if __name__ == "__main__":
    with threadpool_limits(limits=1, user_api="blas"):
        main()
