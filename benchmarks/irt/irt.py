"""How fast, how close and how honest the item response engine is, on simulated responses of known truth.

    python benchmarks/irt/irt.py speed  # CPU seconds and memory of fit + standard errors
    python benchmarks/irt/irt.py recovery  # distance of probabilities and abilities from the truth
    python benchmarks/irt/irt.py coverage  # how often 95% intervals of abilities and contrasts hold the true ones
    python benchmarks/irt/irt.py coverage --population shared --only 63x150 16x49
    python benchmarks/irt/irt.py coverage --population copies --only 32x49
    python benchmarks/irt/irt.py coverage --replicates 40 --only 63x150 500x500 --method map
    python benchmarks/irt/irt.py ... --json

Data: benchmarks/irt/irt_simulator.py. 63x150 and 63x1000 are a 3 x 7 x 3 crossing of components, 12x100 is 3 x 2 x 2,
5x150 five systems of their own, 500x500 is 5 x 10 x 10, 1000x10000 is 10 x 10 x 10. All runs on one thread; CPU time,
the median of several fits (one of the largest).

Abilities are compared with the truth less the mean difference (the origin of the scale is that of the items drawn);
`linked` sets their spread to the true one too (the unit is that of the items drawn: 150 items know it to 4%). `floor`
is the same where the true items are known, on the same responses: what is the data's own. `over_floor` is the ratio:
what not knowing the items costs. `shared`: systems that share a retriever go wrong together, and abilities do not add
up (irt_simulator.simulate_shared: 63 systems are 9 retrievers x 7 readers, 16 are 4 x 4); `copies`: each of the 16
twice, with few other answers. `abilities`: share of the reported intervals that hold the truth, less the mean
difference; `outside`: share of abilities that are no number, and of these the share on whose side the truth is.
`together`: exams all of whose simultaneous (max-t) intervals hold. `tau`: Kendall's, of abilities with the truth.
Slope: of estimated on true contrasts, through the origin; its standard error is over replicates.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
from irt_simulator import POPULATIONS, Truth, simulate, simulate_shared
from numpy.typing import NDArray
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

from viva.core.estimates import Ability, OutsideAbility
from viva.metrics.irt import Fit
from viva.metrics.irt.abilities import warm_abilities
from viva.metrics.irt.fit.estimation import fit

Floats = NDArray[np.float64]
Row = dict[str, object]

DESIGNS = {
    "63x150": (3, 7, 3),
    "63x1000": (3, 7, 3),
    "12x100": (3, 2, 2),
    "16x49": (4, 4),
    "32x49": (4, 4, 2),
    "5x150": (5,),
    "500x500": (5, 10, 10),
    "1000x10000": (10, 10, 10),
}
SPEED = (("63x150", "map", 30), ("63x150", "mml-items", 20), ("500x500", "map", 7), ("1000x10000", "map", 1))
RECOVERY = (("63x150", "mml-items", 40), ("63x150", "map", 40), ("500x500", "map", 4))
COVERAGE = ("63x150", "12x100", "5x150", "63x1000")
SHARED = {"63x150": (9, 7), "16x49": (4, 4), "32x49": (4, 4)}
Z95 = 1.959963984540054


def drawn(name: str, seed: int, population: str, residual_sd: float = 0.0) -> Truth:
    """Responses of one of the designs."""
    items = int(name.split("x")[1])
    if population in ("shared", "copies"):
        return simulate_shared(seed, SHARED[name], items, copies=1 + (population == "copies"))
    return simulate(seed, DESIGNS[name], items, residual_sd=residual_sd, population=POPULATIONS[population])


def fitted(truth: Truth, method: str) -> Fit:
    """With components, as a user would."""
    return fit(truth.responses, components=truth.components, method=method)


def speed(name: str, population: str, method: str, times: int) -> Row:
    """CPU seconds of a fit, in this process."""
    truth = drawn(name, 0, population)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if times > 1:
        fitted(truth, method)
    spent = []
    for _ in range(times):
        started = time.process_time()
        found = fitted(truth, method)
        spent.append(time.process_time() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "data": name,
        "method": method,
        "cpu_s": round(float(np.median(spent)), 4),
        "cpu_s_fastest": round(min(spent), 4),
        "converged": found.converged,
        "steps": found.iterations,
        "peak_mib": round(peak / 1024),
        "of_which_fit_mib": round((peak - before) / 1024),
    }


def in_process(name: str, population: str, method: str, times: int) -> Row:
    """`speed` in a process of its own, so that memory is that of this fit alone."""
    line = [sys.executable, __file__, "one", name, population, method, str(times)]
    found: Row = json.loads(subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout)
    return found


def recovery(name: str, population: str, method: str, replicates: int, first_seed: int) -> Row:
    """Root mean squared errors of probabilities and abilities, the mean over replicates, and the floor of these."""
    errors = []
    for seed in range(first_seed, first_seed + replicates):
        truth = drawn(name, seed, population)
        found = fitted(truth, method)
        probability = float(np.sqrt(np.mean((found.predict() - truth.probability) ** 2)))
        known = warm_abilities(truth.responses, truth.a, truth.b, truth.c)[0]
        errors.append((probability, *off(found.places, truth.theta), *off(known, truth.theta)))
    probability_rmse, raw, linked, floor, floor_linked = np.mean(errors, axis=0).tolist()
    return {
        "data": name,
        "method": method,
        "replicates": replicates,
        "probability_rmse": round(probability_rmse, 4),
        "theta_rmse": round(raw, 4),
        "floor": round(floor, 4),
        "over_floor": round(raw / floor, 2),
        "theta_rmse_linked": round(linked, 4),
        "floor_linked": round(floor_linked, 4),
        "over_floor_linked": round(linked / floor_linked, 2),
    }


def off(theta: Floats, true: Floats) -> tuple[float, float]:
    """Root mean squared errors of abilities, with the true mean and with the true spread too."""
    apart, aim = theta - theta.mean(), true - true.mean()
    raw, linked = (float(np.sqrt(np.mean((k * apart - aim) ** 2))) for k in (1.0, true.std() / theta.std()))
    return raw, linked


def held_abilities(found: Fit, truth: Truth) -> tuple[list[bool], list[bool]]:
    """Whether each reported interval holds the truth, less the mean difference; whether it is on the told side."""
    told = [(each, true) for each, true in zip(found.abilities, truth.theta.tolist(), strict=True)]
    numbers = [(each.theta, each.se, true) for each, true in told if isinstance(each, Ability)]
    theta, se, true = np.array(numbers).T
    shift = float(np.average(theta - true, weights=se**-2))
    sides = [
        (each.bound - shift - value) * (1 if each.side == "below" else -1) > 0
        for each, value in told
        if isinstance(each, OutsideAbility)
    ]
    return (np.abs(theta - true - shift) < Z95 * se).tolist(), sides


def coverage(name: str, population: str, residual_sd: float, replicates: int, method: str, first_seed: int) -> Row:
    """Reported abilities, and contrasts of every pair of levels, against the true ones."""
    held, products, squares, errors, unconverged = list[float](), list[float](), list[float](), list[float](), 0
    abilities, sides, together, taus, widths = list[float](), list[bool](), list[bool](), list[float](), list[float]()
    for seed in range(first_seed, first_seed + replicates):
        truth = drawn(name, seed, population, residual_sd)
        found = fitted(truth, method)
        unconverged += not found.converged
        own, product, square = [], 0.0, 0.0
        contrasts = truth.contrasts()
        for pair, true in contrasts.items():
            contrast = found.contrast(*pair)
            own.append(contrast.low < true < contrast.high)
            errors.append((contrast.estimate - true) / contrast.se)
            widths.append(contrast.high - contrast.low)
            product, square = product + contrast.estimate * true, square + true**2
        held.append(float(np.mean(own)))
        products.append(product)
        squares.append(square)
        every = found.contrasts(seed=seed)
        together.append(all(e.low < -contrasts[e.component, e.reference, e.level] < e.high for e in every))
        numbers, outside = held_abilities(found, truth)
        abilities.append(float(np.mean(numbers)))
        sides += outside
        taus.append(float(kendalltau(found.places, truth.theta).statistic))
    slope = sum(products) / max(sum(squares), 1e-12)
    left = np.array(products) - slope * np.array(squares)
    return {
        "data": name,
        "population": population,
        "residual_sd": residual_sd,
        "method": method,
        "replicates": replicates,
        "abilities": round(float(np.mean(abilities)), 4),
        "outside": f"{len(sides) / (replicates * len(truth.theta)):.3f} ({np.mean(sides) if sides else 1:.2f} right)",
        "tau": round(float(np.mean(taus)), 4),
        "coverage": round(float(np.mean(held)), 4),
        "coverage_se": round(float(np.std(held) / replicates**0.5), 4),
        "width": round(float(np.mean(widths)), 2),
        "together": round(float(np.mean(together)), 3),
        "slope": round(slope, 4),
        "slope_se": round(float(np.sqrt((left**2).sum()) / max(sum(squares), 1e-12)), 4),
        "sd_of_error_in_se": round(float(np.std(errors)), 3),
        "unconverged": unconverged,
    }


def rows(given: argparse.Namespace) -> list[Row]:
    """What was asked for."""
    wanted = given.only or list(DESIGNS)
    population = given.population
    if given.what == "speed":
        return [in_process(name, population, method, times) for name, method, times in SPEED if name in wanted]
    if given.what == "recovery":
        return [
            recovery(name, population, method, given.replicates or usual, given.first_seed)
            for name, method, usual in RECOVERY
            if name in wanted
        ]
    return [
        coverage(name, population, residual_sd, given.replicates or 200, given.method, given.first_seed)
        for name in given.only or COVERAGE
        for residual_sd in given.residual
    ]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "recovery", "coverage"))
    parser.add_argument("--only", nargs="+", choices=list(DESIGNS), help="these data alone")
    parser.add_argument(
        "--population", choices=[*POPULATIONS, "shared", "copies"], default="unlike-items", help="what is drawn from"
    )
    parser.add_argument("--replicates", type=int, default=0, help="instead of the usual number")
    parser.add_argument(
        "--first-seed", type=int, default=0, help="of the replicates; the engine was made on those from 0"
    )
    parser.add_argument("--residual", type=float, nargs="+", default=[0.0, 0.25], help="true residual sd (coverage)")
    parser.add_argument("--method", default="auto", help="estimation method (coverage)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    for row in (found := rows(given)):
        if not given.json:
            print("  ".join(f"{name}={value}" for name, value in row.items()))
    if given.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    # threads that wait for each other would be counted as work
    with threadpool_limits(limits=1, user_api="blas"):
        if sys.argv[1:2] == ["one"]:
            print(json.dumps(speed(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))))
        else:
            main()
