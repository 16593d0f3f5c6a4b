"""Is the difference that an exam is said to tell apart in 4 of 5 exams found in 4 of 5?

    python benchmarks/irt/irt_power.py                        # the sets in ../shared/calibration/irt_matrices
    python benchmarks/irt/irt_power.py FOLDER --only nlu_rte --draws 5 --seed 1
    python benchmarks/irt/irt_power.py --json

Of each set (irt_real.py says which) 20 examinees and 60 or 100 items are drawn, `--draws` times for each size; the
exam is fitted as it comes, and told is the smallest difference around the median ability, of a pair alone and as one
of the pairs of 5 systems. Then 2,000 exams are simulated from the fitted curves, of as many items drawn anew from
these (the size of an exam), and counted is how often the exact test tells the abler one (p < .05; among 5 systems
after Holm, the other three at the median).

fit alone, fit of 5: those shares. same items: alone, with the very items of the exam in every simulation.
real: the same of real pairs: of all examinees of the set, pairs whose accuracies on all items differ by what was
told, within 1.5 points, and whose mean accuracy is within 7.5 points of the simulated pair's; exams are drawn from
all items.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
from irt_real import DrawSums, exam_arguments, read_matrix
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.intervals import holm
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.information import detectable_difference
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.result import Fit
from viva.metrics.irt.pair_probability import exact_p_values

Floats = NDArray[np.float64]

EXAMINEES, SIZES, SYSTEMS, SIMULATED = 20, (60, 100), 5, 2000
LEVEL = 0.05
NEAR, AS_ABLE, MOST_PAIRS = 0.015, 0.075, 40


@dataclass
class PowerSums(DrawSums):
    """Sums over draws; shares are divided by `draws`, those of real pairs by `real_draws`."""

    draws: int = 0
    told: float = 0.0
    told_among: float = 0.0
    alone: float = 0.0
    same_items: float = 0.0
    among: float = 0.0
    real_draws: int = 0
    real: float = 0.0

    def row(self) -> str:
        """As cells of a row."""
        n = max(self.draws, 1)
        real = f"{self.real / self.real_draws:.2f} ({self.real_draws} of {self.draws})" if self.real_draws else "-"
        return (
            f"{self.told / n:.3f} | {self.told_among / n:.3f} | {self.alone / n:.3f} | {self.same_items / n:.3f} "
            f"| {self.among / n:.3f} | {real}"
        )


def found_alone(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Share of exams (rows) in which the test finds the first to be better."""
    only_first = (first & ~second).sum(axis=1).astype(np.float64)
    only_second = (second & ~first).sum(axis=1).astype(np.float64)
    return float(((exact_p_values(only_first, only_second) < LEVEL) & (only_first > only_second)).mean())


def found_among(responses: NDArray[np.bool_]) -> float:
    """The same of rows 0 and 1 of responses (systems, exams, items), after Holm over all pairs of systems."""
    pairs = list(combinations(range(len(responses)), 2))
    only = {(i, j): (responses[i] & ~responses[j]).sum(axis=1).astype(np.float64) for i, j in pairs}
    other = {(i, j): (responses[j] & ~responses[i]).sum(axis=1).astype(np.float64) for i, j in pairs}
    p = np.array([exact_p_values(only[pair], other[pair]) for pair in pairs])
    found = [holm(each.tolist())[0] < LEVEL for each in p.T]
    return float((np.array(found) & (only[0, 1] > other[0, 1])).mean())


def simulated(
    fitted: Fit, difference: float, systems: int, rng: np.random.Generator, *, anew: bool
) -> NDArray[np.bool_]:
    """Right answers (systems, exams, items) of two that differ so around the median ability, and of others on it."""
    middle, items = float(np.median(fitted.theta)), len(fitted.a)
    theta = [middle + difference / 2, middle - difference / 2, *[middle] * (systems - 2)]
    drawn = rng.integers(items, size=(SIMULATED, items)) if anew else np.tile(np.arange(items), (SIMULATED, 1))
    p = probability_3pl(theta, fitted.a, fitted.b, fitted.c)
    return np.array([rng.random(drawn.shape) < own[drawn] for own in p])


def of_real_pairs(
    responses: Floats, told: float, centre: float, items: int, rng: np.random.Generator
) -> float | None:
    """Share of exams that tell real pairs apart that differ by what was told; None without such a pair."""
    accuracy = responses.mean(axis=1)
    pairs = [
        (i, j)
        for i, j in combinations(np.argsort(-accuracy).tolist(), 2)
        if abs(accuracy[i] - accuracy[j] - told) < NEAR and abs((accuracy[i] + accuracy[j]) / 2 - centre) < AS_ABLE
    ]
    if not pairs:
        return None
    right, shares = responses == 1, []
    for place in rng.permutation(len(pairs))[:MOST_PAIRS].tolist():
        i, j = pairs[place]
        drawn = rng.integers(responses.shape[1], size=(200, items))
        shares.append(found_alone(right[i][drawn], right[j][drawn]))
    return float(np.mean(shares))


def of_one_exam(responses: Floats, items: int, rng: np.random.Generator) -> PowerSums:
    """One exam drawn from responses (n, m)."""
    rows = rng.choice(len(responses), min(EXAMINEES, len(responses)), replace=False)
    fitted = fit(responses[np.ix_(rows, rng.permutation(responses.shape[1])[:items])])
    middle, curves = float(np.median(fitted.theta)), (fitted.a, fitted.b, fitted.c)
    alone = detectable_difference(middle, *curves)
    among = detectable_difference(middle, *curves, pairs=SYSTEMS * (SYSTEMS - 1) // 2)
    if not (alone.detectable and among.detectable):
        return PowerSums()
    first, second = simulated(fitted, alone.theta, 2, rng, anew=True)
    same = simulated(fitted, alone.theta, 2, rng, anew=False)
    centre = float(fitted.expected_score([middle - alone.theta / 2, middle + alone.theta / 2]).mean())
    real = of_real_pairs(responses, alone.score, centre, items, rng)
    return PowerSums(
        draws=1,
        told=alone.score,
        told_among=among.score,
        alone=found_alone(first, second),
        same_items=found_alone(*same),
        among=found_among(simulated(fitted, among.theta, SYSTEMS, rng, anew=True)),
        real_draws=int(real is not None),
        real=real or 0.0,
    )


def main() -> None:
    """Run and print."""
    given = exam_arguments(__doc__, 5)
    found = dict[str, PowerSums]()
    if not given.json:
        print("| set | items | told | told among 5 | fit alone | same items | fit of 5 | real |")
        print("|---|---|---|---|---|---|---|---|")
    for name in given.only:
        responses = read_matrix(given.folder / f"{name}.csv", 1)[0]
        for items in SIZES:
            if items > responses.shape[1]:
                continue
            rng = np.random.default_rng([given.seed, items])
            sums = found.setdefault(f"{name} | {items}", PowerSums())
            for _ in range(given.draws):
                sums.add(of_one_exam(responses, items, rng))
            if not given.json:
                print(f"| {name} | {items} | {sums.row()} |", flush=True)
    if given.json:
        print(json.dumps({key: asdict(each) for key, each in found.items()}, indent=2))


if __name__ == "__main__":
    with threadpool_limits(limits=1, user_api="blas"):
        main()
