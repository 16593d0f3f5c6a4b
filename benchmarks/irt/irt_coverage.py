"""Do 95% intervals of reliabilities and of differences between levels in points hold the truth?

    python benchmarks/irt/irt_coverage.py                    # 400 matrices of each size
    python benchmarks/irt/irt_coverage.py --replicates 50 --json

Answers follow a 2PL: theta and b standard normal, log a with sd .3. True KR-20: of 200,000 examinees on the same
items. True marginal reliability: the squared correlation of estimated and true abilities over all matrices of the
size. Differences: one item in ten is harder or easier by 0, 1 or 2 logits for half the examinees; the truth is what
that changes in their mean probability. `flagged`: the intervals of those that are found to differ, which the luck of
being found has made too large.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import threadpool_limits

from viva.core.estimates import Estimate
from viva.metrics.irt.checks.item_bias import ComponentFit, component_fit, standardised_difference
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.reliability import alpha, marginal_reliability

Floats = NDArray[np.float64]

SIZES = ((8, 60), (12, 60), (20, 100), (63, 150))
SHIFTS = (0.0, 1.0, 2.0)
POPULATION = 200_000


def true_alpha(a: Floats, b: Floats, draw: np.random.Generator) -> float:
    """KR-20 of these items in the population."""
    p = expit(a * (draw.normal(0, 1, (POPULATION // 100, 1)) - b))
    within = float((p * (1 - p)).mean(axis=0).sum())
    total = float(p.sum(axis=1).var()) + within
    items = float((p.mean(axis=0) * (1 - p.mean(axis=0))).sum())
    return len(a) / (len(a) - 1) * (1 - items / total)


def holds(found: object, truth: float) -> bool:
    """Whether an estimate's interval has the truth in it."""
    return isinstance(found, Estimate) and found.low <= truth <= found.high


def measured(examinees: int, items: int, replicates: int) -> dict[str, float]:
    """Shares of intervals that hold."""
    kr20, estimated, thetas = list[bool](), list[object](), list[Floats]()
    shifted: dict[float, list[bool]] = {shift: [] for shift in SHIFTS}
    flagged = list[bool]()
    for seed in range(replicates):
        draw = np.random.default_rng([seed, examinees])
        theta, a, b = draw.normal(0, 1, examinees), np.exp(draw.normal(0, 0.3, items)), draw.normal(0, 1, items)
        inside = np.arange(examinees) % 2 == 0
        plain = expit(a * (theta[:, None] - b))
        kr20.append(holds(alpha((draw.random(plain.shape) < plain).astype(np.float64)), true_alpha(a, b, draw)))
        moved = np.where(np.arange(items) % 10 == 0, draw.choice(SHIFTS, items) * draw.choice([-1, 1], items), 0.0)
        p = np.where(inside[:, None], expit(a * (theta[:, None] - b) + moved), plain)
        responses = (draw.random(p.shape) < p).astype(np.float64)
        found = fit(responses, model="2pl")
        estimated.append(marginal_reliability(found.theta, found.theta_cov))
        thetas.append(np.stack([found.theta - found.theta.mean(), theta - theta.mean()]))
        truth = (p - plain)[inside].mean(axis=0)
        for item in range(0, items, 10):
            size = standardised_difference(responses[:, item], found.predict()[:, item], inside)
            shifted[abs(float(moved[item]))].append(holds(size, float(truth[item])))
        tested = component_fit(responses, found.predict(), {"kind": [str(each) for each in inside]})
        for each in tested.differences if isinstance(tested, ComponentFit) else ():
            sign = 1.0 if each.level == "True" else np.nan
            if np.isfinite(sign):
                flagged.append(holds(each.effect, float(truth[each.item])))
    both = np.concatenate(thetas, axis=1)
    reliable = float(np.corrcoef(both)[0, 1]) ** 2
    return {
        "kr20": float(np.mean(kr20)),
        "marginal": float(np.mean([holds(each, reliable) for each in estimated])),
        **{f"difference of {shift:g} logits": float(np.mean(held)) for shift, held in shifted.items()},
        "flagged": float(np.mean(flagged)) if flagged else float("nan"),
        "flags": len(flagged),
    }


def main() -> None:
    """Print the shares of each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for examinees, items in SIZES:
        found = measured(examinees, items, given.replicates)
        if given.json:
            print(json.dumps({"examinees": examinees, "items": items, **found}), flush=True)
        else:
            print(f"{examinees} x {items}: " + ", ".join(f"{k} {v:.3f}" for k, v in found.items()), flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
