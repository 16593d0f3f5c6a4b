"""The method of Guinet et al. (2024), arXiv 2405.13622: its estimates, and its refinement of an exam.

    python benchmarks/irt/guinet2024.py MATRIX.csv --components systems.csv
    python benchmarks/irt/guinet2024.py MATRIX.csv --components systems.csv --quantile 0.1 --rounds 2
    python benchmarks/irt/guinet2024.py ... --json

MATRIX and the components of its examinees are files as `viva irt` reads them (docs/irt.md). Without components each
examinee has an ability of its own (the paper's flat model). With `--rounds`, items are dropped as in section 6.

Estimation (sections 3.3-3.4 and appendix B): a 3PL by joint maximum likelihood inside boxes: a in [.5, 1.5], b in
[.01, 1], c in [.2, .4] and each level of each component in [-3, 3]. An examinee's ability is the sum of its levels.
The search starts at a = 1, b = 0 (the box makes it .01), c = .25 and abilities of 0. Objective, boxes and start are
those of the authors' public code. The gradient here is analytic: with numerical ones the search of that code ends on
its limit of evaluations. There are no standard errors. Levels of two components may be shifted against each other
(there is no intercept, and no sum to zero), abilities may not.

Refinement: per round, items whose discrimination is at most the quantile of all are dropped, and the rest is fitted
again. Many discriminations lie on their lower bound: all of them go, which may be far more than the quantile; the
rounds end before fewer than two items are left. (The published code asks for the 0.1th percentile where .1 is meant,
and keeps the dropped items' responses, so that its second fit has the parameters of other items. Neither is so here.)
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from viva.core.errors import UsageError
from viva.exams.examinee_components import read_components
from viva.exams.response_matrix import read_matrix
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]

# the paper's bounds, and a start within them
BOXES = {"a": (0.5, 1.5), "b": (0.01, 1.0), "c": (0.2, 0.4), "level": (-3.0, 3.0)}
_START = {"a": 1.0, "b": 0.0, "c": 0.25, "level": 0.0}
# the largest step that the boxes leave to the gradient at a maximum
CONVERGED = 1e-3
_OPTIONS = {"maxiter": 15000, "maxfun": 15000, "gtol": 1e-6, "maxcor": 20}
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True, eq=False)
class GuinetFit:
    """Abilities theta (n,), items a, b, c (m,), what each level of each component adds, and how the search ended."""

    theta: Floats
    a: Floats
    b: Floats
    c: Floats
    levels: Mapping[str, Mapping[str, float]]
    loglik: float
    converged: bool
    message: str

    @property
    def probability(self) -> Floats:
        """Of a right answer, (n, m)."""
        return probability_3pl(self.theta, self.a, self.b, self.c)


class GuinetObjective:
    """The paper's objective: minus the joint log-likelihood of parameters x = (a, b, c, levels), of shape (3m + k,).

    `responses` (n, m) of 0, 1 and nan (left out of the sum); `components` maps a name to n levels. Without components
    each examinee is a level of its own (the paper's flat model). `boxes` (3m + k, 2) and `start` (3m + k,) are the
    paper's. Raises UsageError where the shapes do not fit.
    """

    def __init__(self, responses: ArrayLike, components: Mapping[str, Sequence[object]] | None = None) -> None:
        values = np.asarray(responses, dtype=np.float64)
        if values.ndim != 2 or not values.size or not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
            raise UsageError(
                "Responses are no matrix of right and wrong.", allowed="(examinees, items) of 1, 0 and nan."
            )
        missing = np.isnan(values)
        # what is missing counts as right with probability 1: it adds nothing
        self._right = np.where(missing, 1.0, values)
        self._known = (~missing).astype(np.float64) if missing.any() else None
        self.levels = _indicators(len(values), components)
        sizes = {"a": values.shape[1], "b": values.shape[1], "c": values.shape[1], "level": self.levels.shape[1]}
        self.boxes = np.vstack([np.tile(BOXES[name], (size, 1)) for name, size in sizes.items()])
        self.start = np.clip(
            np.concatenate([np.full(size, _START[name]) for name, size in sizes.items()]), *self.boxes.T
        )

    def parts(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """a, b, c of shape (m,) and the abilities theta (n,) of x."""
        m = self._right.shape[1]
        return x[:m], x[m : 2 * m], x[2 * m : 3 * m], self.levels @ x[3 * m :]

    def value_and_gradient(self, x: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood and its gradient (3m + k,)."""
        a, b, c, theta = self.parts(x)
        powers = np.stack([theta, np.ones(len(theta))])
        odds = powers.T @ np.stack([-a, a * b])
        np.minimum(odds, _LARGEST_EXPONENT, out=odds)
        np.exp(odds, out=odds)
        above = odds + 1
        np.divide(1, above, out=above)
        # in place from here on: new memory costs more than the arithmetic
        wrong = odds
        wrong *= above
        wrong *= 1 - c
        if self._known is not None:
            wrong *= self._known
        given = self._right - wrong
        np.abs(given, out=given)
        value = -float(np.log(given, out=given).sum())
        # (y - p) / p: dl/dz is s times this, dl/dc is it over 1 - c
        right = np.subtract(1, wrong, out=wrong)
        weight = np.subtract(self._right, right, out=given)
        weight /= right
        z = np.multiply(above, weight, out=above)
        z_theta, z_sum = powers @ z
        gradient = (
            z_theta - b * z_sum,
            -a * z_sum,
            powers[1] @ weight / (1 - c),
            (z @ a) @ self.levels,
        )
        return value, -np.concatenate(gradient)


def fit_guinet(
    responses: ArrayLike,
    *,
    components: Mapping[str, Sequence[object]] | None = None,
    tolerance: float = 1e-13,
) -> GuinetFit:
    """The paper's estimates from responses (n, m) of 0, 1 and nan.

    `components` maps a name to n levels; None gives each examinee an ability of its own. A search ends when a step
    gains less than `tolerance` times the objective; `converged` is checked from the gradient inside the boxes, and
    `message` says how many parameters lie on a bound. Raises UsageError where shapes do not fit.
    """
    objective = GuinetObjective(responses, components)
    found = minimize(
        objective.value_and_gradient,
        objective.start,
        jac=True,
        method="L-BFGS-B",
        bounds=objective.boxes,
        options=_OPTIONS | {"ftol": tolerance},
    )
    x = np.asarray(found.x, dtype=np.float64)
    a, b, c, theta = objective.parts(x)
    left = _projected_gradient(objective, x)
    values = iter(x[3 * len(a) :].tolist())
    levels = {
        name: {str(level): next(values) for level in dict.fromkeys(own)} for name, own in (components or {}).items()
    }
    return GuinetFit(theta, a, b, c, levels, -float(found.fun), left <= CONVERGED, _message(objective, x, left))


@dataclass(frozen=True, eq=False)
class GuinetStep:
    """An exam of the refinement (places of its items in the matrix), its fit, and the items dropped before it."""

    items: tuple[int, ...]
    fit: GuinetFit
    dropped: tuple[int, ...]


def refine_guinet(
    responses: Floats,
    *,
    components: Mapping[str, Sequence[object]] | None = None,
    quantile: float = 0.1,
    rounds: int = 1,
) -> tuple[GuinetStep, ...]:
    """The exams of the refinement, the whole one first. Raises UsageError for a quantile outside 0 to 1."""
    if not 0 < quantile < 1:
        raise UsageError(f"The quantile {quantile} is no share.", allowed="Between 0 and 1, such as 0.1.")
    items = np.arange(responses.shape[1])
    steps = [GuinetStep(tuple(items.tolist()), fit_guinet(responses, components=components), ())]
    for _ in range(rounds):
        keep = steps[-1].fit.a > np.quantile(steps[-1].fit.a, quantile)
        if keep.sum() < 2:
            break
        dropped, items = tuple(items[~keep].tolist()), items[keep]
        found = fit_guinet(responses[:, items], components=components)
        steps.append(GuinetStep(tuple(items.tolist()), found, dropped))
    return tuple(steps)


def _indicators(examinees: int, components: Mapping[str, Sequence[object]] | None) -> Floats:
    if not components:
        return np.eye(examinees)
    blocks = list[Floats]()
    for name, levels in components.items():
        if len(levels) != examinees:
            raise UsageError(
                f"Component '{name}' has {len(levels)} levels.", allowed=f"One per examinee: {examinees}."
            )
        known = list(dict.fromkeys(levels))
        blocks.append(np.array([[float(level == has) for level in known] for has in levels]))
    return np.hstack(blocks)


def _projected_gradient(objective: GuinetObjective, x: Floats) -> float:
    """The largest move that a gradient step makes once it is cut back to the boxes: zero at a minimum in them."""
    gradient = objective.value_and_gradient(x)[1]
    return float(np.abs(np.clip(x - gradient, *objective.boxes.T) - x).max())


def _message(objective: GuinetObjective, x: Floats, left: float) -> str:
    bound = (x <= objective.boxes[:, 0]) | (x >= objective.boxes[:, 1])
    m = len(objective.parts(x)[0])
    groups = {"a": bound[:m], "b": bound[m : 2 * m], "c": bound[2 * m : 3 * m], "ability levels": bound[3 * m :]}
    shares = ", ".join(f"{int(on.sum())} of {len(on)} {name}" for name, on in groups.items())
    state = "converged" if left <= CONVERGED else "not converged"
    return f"{state}: gradient inside the boxes {left:.1g}; on a bound: {shares}"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrix", type=Path, help="examinees in rows, items in columns: 1, 0 or empty")
    parser.add_argument("--components", type=Path, help="a row for each examinee, a column for each component")
    parser.add_argument("--quantile", type=float, default=0.1, help="share of items dropped per round, at least")
    parser.add_argument("--rounds", type=int, default=0, help="rounds of refinement")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    try:
        matrix = read_matrix(given.matrix)
        components = read_components(given.components, matrix.examinees, {}) if given.components else None
        steps = refine_guinet(matrix.responses, components=components, quantile=given.quantile, rounds=given.rounds)
    except UsageError as error:
        parser.error(str(error))
    if given.json:
        print(json.dumps([_record(step, matrix.examinees, matrix.items) for step in steps], indent=2))
        return
    for number, step in enumerate(steps):
        print(f"round {number}: {len(step.items)} items, {len(step.dropped)} dropped; {step.fit.message}")
    for name, levels in steps[-1].fit.levels.items():
        print(f"{name}: " + ", ".join(f"{level} {value:+.2f}" for level, value in levels.items()))
    for place in np.argsort(-steps[-1].fit.theta, kind="stable"):
        print(f"{steps[-1].fit.theta[place]:+.2f}  {matrix.examinees[place]}")


def _record(step: GuinetStep, examinees: Sequence[str], items: Sequence[str]) -> dict[str, object]:
    fit = step.fit
    return {
        "loglik": fit.loglik,
        "converged": fit.converged,
        "message": fit.message,
        "dropped": [items[place] for place in step.dropped],
        "abilities": dict(zip(examinees, fit.theta.tolist(), strict=True)),
        "levels": fit.levels,
        "items": {
            items[place]: {"a": a, "b": b, "c": c}
            for place, a, b, c in zip(step.items, fit.a.tolist(), fit.b.tolist(), fit.c.tolist(), strict=True)
        },
    }


if __name__ == "__main__":
    with threadpool_limits(limits=1, user_api="blas"):
        main()
