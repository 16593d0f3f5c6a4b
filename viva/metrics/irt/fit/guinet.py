"""The estimation of Guinet et al. (2024), arXiv 2405.13622, sections 3.3-3.4 and appendix B, for comparison.

A 3PL by joint maximum likelihood inside boxes: a in [.5, 1.5], b in [.01, 1], c in [.2, .4] and each level of each
component in [-3, 3], an examinee's ability being the sum of its levels; start at a = 1, b = 0 (the box makes it .01),
c = .25 and abilities of 0. Objective, boxes and start are those of the authors' public code. The gradient here is
analytic: with numerical ones the search of that code ends on its limit of evaluations.

Neither an intercept nor sums to zero: levels of two components may be shifted against each other, abilities may not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from viva.core.errors import UsageError
from viva.metrics.irt.model.estimates import Estimates

Floats = NDArray[np.float64]

# the paper's bounds, and a start within them
BOXES = {"a": (0.5, 1.5), "b": (0.01, 1.0), "c": (0.2, 0.4), "level": (-3.0, 3.0)}
_START = {"a": 1.0, "b": 0.0, "c": 0.25, "level": 0.0}
# the largest step that the boxes leave to the gradient at a maximum
CONVERGED = 1e-3
_OPTIONS = {"maxiter": 15000, "maxfun": 15000, "gtol": 1e-6, "maxcor": 20}
_LARGEST_EXPONENT = 700.0


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
) -> Estimates:
    """The paper's estimates from responses (n, m) of 0, 1 and nan; see the module for objective, boxes and start.

    `components` maps a name to n levels; None gives each examinee an ability of its own. A search ends when a step
    gains less than `tolerance` times the objective. There are no standard errors; `converged` is checked from the
    gradient inside the boxes, and `message` says how many parameters lie on a bound. Raises UsageError where shapes
    do not fit.
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
    return Estimates(
        theta=theta,
        theta_cov=None,
        a=a,
        b=b,
        c=c,
        a_se=None,
        b_se=None,
        c_se=None,
        loglik=-float(found.fun),
        converged=left <= CONVERGED,
        iterations=int(found.nit),
        message=_message(objective, x, left),
    )


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
