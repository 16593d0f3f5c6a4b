"""Adaptive testing on simulated banks: how many items to a standard error of .3, by the way of choosing them?

    python benchmarks/irt/irt_adaptive_simulated.py
    python benchmarks/irt/irt_adaptive_simulated.py --json

Banks of 250 and 500 items, log a ~ N(0, .5^2), b ~ N(0, 1), c = .25, taken as known; abilities ~ N(0, 1). Median
number of items until the posterior's standard deviation is below .3, by criterion; items at random; and, as a
yardstick, items picked at the EAP by a^2 p q, the 2PL's information, which is wrong where examinees can guess. Real
banks, whose items are not known: irt_adaptive.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

import numpy as np
from irt_adaptive_sittings import sit
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.irt import probability_3pl
from viva.metrics.irt.adaptive.ability import GridPosterior, grid_posterior
from viva.metrics.irt.adaptive.bank import AdaptivePlan, Bank, Criterion
from viva.metrics.irt.adaptive.sitting import begin

Floats = NDArray[np.float64]
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
    longest = min(LONGEST, len(bank))
    for criterion in criteria:
        plan = AdaptivePlan(criterion=criterion, target_se=TARGET, budget=longest, chosen=longest, drawn_least=0)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examinees", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {
        items: items_to_target(simulated_bank(items, given.seed), given.examinees, given.seed) for items in SIZES
    }
    if given.json:
        print(json.dumps({f"median items to SE < {TARGET}": found}, indent=2))
        return
    print(f"median items to SE < {TARGET}, {given.examinees} examinees")
    for size, row in found.items():
        print(f"  bank of {size}: " + ", ".join(f"{name} {items:.0f}" for name, items in row.items()))


if __name__ == "__main__":
    with threadpool_limits(limits=1, user_api="blas"):
        main()
