"""How fast, how close and how honest the item response engine is, on simulated responses of known truth.

    python benchmarks/irt/irt.py speed  # CPU seconds and memory of fit + standard errors
    python benchmarks/irt/irt.py recovery  # distance of probabilities and abilities from the truth
    python benchmarks/irt/irt.py coverage  # how often 95% intervals of contrasts hold the true one
    python benchmarks/irt/irt.py coverage --replicates 40 --only 63x150 500x500 --method map
    python benchmarks/irt/irt.py ... --json

Data: benchmarks/irt/irt_simulator.py. 63x150 and 63x1000 are a 3 x 7 x 3 crossing of components, 12x100 is 3 x 2 x 2,
5x150 five systems of their own, 500x500 is 5 x 10 x 10, 1000x10000 is 10 x 10 x 10. All runs on one thread; CPU time,
the median of several fits (one of the largest).

Abilities are compared with the truth less the mean difference (the origin of the scale is that of the items drawn);
`linked` sets their spread to the true one too (the unit is that of the items drawn: 150 items know it to 4%). `floor`
is the same of maximum likelihood of the effects where the true items are known, on the same responses: what is the
data's own. `over_floor` is the ratio: what not knowing the items costs.
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
from irt_simulator import POPULATIONS, Truth, additive_abilities, simulate
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.irt import Fit
from viva.metrics.irt.fit.estimation import fit

Floats = NDArray[np.float64]
Row = dict[str, object]

DESIGNS = {
    "63x150": (3, 7, 3),
    "63x1000": (3, 7, 3),
    "12x100": (3, 2, 2),
    "5x150": (5,),
    "500x500": (5, 10, 10),
    "1000x10000": (10, 10, 10),
}
SPEED = (("63x150", "map", 30), ("63x150", "mml-items", 20), ("500x500", "map", 7), ("1000x10000", "map", 1))
RECOVERY = (("63x150", "mml-items", 40), ("63x150", "map", 40), ("500x500", "map", 4))
COVERAGE = ("63x150", "12x100", "5x150", "63x1000")
Z95 = 1.959963984540054


def drawn(name: str, seed: int, population: str, residual_sd: float = 0.0) -> Truth:
    """Responses of one of the designs."""
    items = int(name.split("x")[1])
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
        errors.append((probability, *off(found.theta, truth.theta), *off(additive_abilities(truth), truth.theta)))
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


def coverage(name: str, population: str, residual_sd: float, replicates: int, method: str, first_seed: int) -> Row:
    """Contrasts of every pair of levels against the true ones."""
    held, products, squares, errors, unconverged = list[float](), list[float](), list[float](), list[float](), 0
    for seed in range(first_seed, first_seed + replicates):
        truth = drawn(name, seed, population, residual_sd)
        found = fitted(truth, method)
        unconverged += not found.converged
        own, product, square = [], 0.0, 0.0
        for pair, true in truth.contrasts().items():
            contrast = found.contrast(*pair)
            own.append(abs(contrast.estimate - true) < Z95 * contrast.se)
            errors.append((contrast.estimate - true) / contrast.se)
            product, square = product + contrast.estimate * true, square + true**2
        held.append(float(np.mean(own)))
        products.append(product)
        squares.append(square)
    slope = sum(products) / sum(squares)
    left = np.array(products) - slope * np.array(squares)
    return {
        "data": name,
        "residual_sd": residual_sd,
        "method": method,
        "replicates": replicates,
        "coverage": round(float(np.mean(held)), 4),
        "coverage_se": round(float(np.std(held) / replicates**0.5), 4),
        "slope": round(slope, 4),
        "slope_se": round(float(np.sqrt((left**2).sum()) / sum(squares)), 4),
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
    parser.add_argument("--population", choices=list(POPULATIONS), default="unlike-items", help="what is drawn from")
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
