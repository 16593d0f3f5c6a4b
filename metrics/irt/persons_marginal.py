"""The likelihood of item parameters with the persons integrated out, its gradient and its information.

Items fixed, persons random (Bock & Aitkin 1981, eq. 5-8), theta ~ N(0, 1) on an even grid of nodes:

    l(a, d, c) = sum_i r_i log sum_q w_q prod_j P_j(theta_q)^y_ij (1 - P_j(theta_q))^(1 - y_ij),
    P_j(theta) = c_j + (1 - c_j) logistic(a_j theta + d_j)

Everything is in logs, so that hundreds of items do not underflow. The observed information is that of Louis (1982):
the expected curvature given the abilities less the covariance, over each person's posterior, of the scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# nodes with less of a person's posterior than this cannot be seen in the information
_NEGLIGIBLE = 1e-10
# abilities are integrated from -REACH to REACH standard deviations
REACH = 6.0


@dataclass(frozen=True, eq=False)
class Items:
    """Slopes a, intercepts d = -a b and lower asymptotes c, each of shape (m,)."""

    a: Floats
    d: Floats
    c: Floats


@dataclass(frozen=True, eq=False)
class _Tables:
    """At each node and item (q, m): log-probabilities, and scores in z = a theta + d and g = logit c.

    A right answer has the scores `z_right` = q s / p and `g_right` = c q / p, a wrong one -s and -c.
    """

    log_right: Floats
    log_wrong: Floats
    above: Floats
    z_right: Floats
    g_right: Floats


@dataclass(frozen=True, eq=False)
class Expected:
    """The E-step: log-likelihood, posterior (n, q) of abilities, expected right and wrong answers (q, m)."""

    loglik: float
    posterior: Floats
    right: Floats
    wrong: Floats
    tables: _Tables


class PersonMarginal:
    """Marginal likelihood of items for responses (n, m) of 0, 1 and nan, each row counted `counts` (n,) times."""

    def __init__(self, responses: Floats, counts: Floats, theta: Floats) -> None:
        self.theta = theta
        self._right = (responses == 1).astype(np.float64)
        self._wrong = (responses == 0).astype(np.float64)
        self._counts = counts
        log_weight = -(theta**2) / 2
        self._log_weight = log_weight - np.log(np.exp(log_weight).sum())

    def expect(self, items: Items) -> Expected:
        """Posterior of the abilities and expected counts at each node, given the items."""
        tables = _tables(self.theta, items)
        joint = self._right @ tables.log_right.T
        joint += self._wrong @ tables.log_wrong.T
        joint += self._log_weight
        top = joint.max(axis=1, keepdims=True)
        np.exp(joint - top, out=joint)
        total = joint.sum(axis=1, keepdims=True)
        joint /= total
        loglik = float(self._counts @ (top + np.log(total))[:, 0])
        weighted = (joint * self._counts[:, None]).T
        return Expected(loglik, joint, weighted @ self._right, weighted @ self._wrong, tables)

    def gradient(self, found: Expected, items: Items) -> Floats:
        """dl/d(a, d, logit c) of shape (m, 3), by Fisher's identity."""
        z = found.right * found.tables.z_right - found.wrong * found.tables.above
        g = (found.right * found.tables.g_right).sum(axis=0) - found.wrong.sum(axis=0) * items.c
        return np.stack([self.theta @ z, z.sum(axis=0), g], axis=1)

    def complete_information(self, found: Expected, items: Items) -> Floats:
        """Expected information (m, 3, 3) there would be were the abilities known: an upper bound, for scaling."""
        total, tables = found.right + found.wrong, found.tables
        return self._blocks(
            total * tables.above * tables.z_right,
            total * tables.above * tables.g_right,
            (total * tables.g_right).sum(axis=0) * items.c,
        )

    def complete_curvature(self, found: Expected, items: Items) -> Floats:
        """Minus the expected second derivatives (m, 3, 3) of the log-likelihood were the abilities known."""
        tables, above = found.tables, found.tables.above
        guessed = np.exp(_log(items.c) - tables.log_right)
        zz = found.wrong * above * (1 - above) - found.right * tables.z_right * (1 - 2 * above - tables.z_right)
        zg = found.right * tables.z_right * guessed
        gg = found.right * tables.g_right * (1 - items.c - guessed)
        return self._blocks(zz, zg, found.wrong.sum(axis=0) * items.c * (1 - items.c) - gg.sum(axis=0))

    def scores(self, found: Expected, items: Items) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """Person by person: weights (k,) and abilities (k,) of the nodes that matter, scores (k, m) in z and in g.

        The weights are the person's posterior times how often the person is counted.
        """
        tables = found.tables
        rows = zip(found.posterior, self._counts, self._right, self._wrong, strict=True)
        for posterior, count, right, wrong in rows:
            seen = np.flatnonzero(posterior > _NEGLIGIBLE)
            z = right * tables.z_right[seen] - wrong * tables.above[seen]
            yield count * posterior[seen], self.theta[seen], z, right * tables.g_right[seen] - wrong * items.c

    def _blocks(self, zz: Floats, zg: Floats, gg: Floats) -> Floats:
        block = np.empty((len(gg), 3, 3))
        block[:, 0, 0] = self.theta**2 @ zz
        block[:, 0, 1] = block[:, 1, 0] = self.theta @ zz
        block[:, 1, 1] = zz.sum(axis=0)
        block[:, 0, 2] = block[:, 2, 0] = self.theta @ zg
        block[:, 1, 2] = block[:, 2, 1] = zg.sum(axis=0)
        block[:, 2, 2] = gg
        return block


def needed_nodes(items: Items, least: int) -> int:
    """How many nodes from -REACH to REACH leave no posterior narrower than their spacing, at least `least`.

    The trapezoid rule errs by exp(-2 pi^2 sd^2 / spacing^2) on a normal density: 3e-9 where they are equal.
    """
    tables = _tables(np.linspace(-REACH, REACH, 241), items)
    most = float((tables.above * tables.z_right @ items.a**2).max())
    return max(least, int(np.ceil(2 * REACH * np.sqrt(1 + most))) + 1)


def _tables(theta: Floats, items: Items) -> _Tables:
    z = theta[:, None] * items.a + items.d
    log_above = -np.logaddexp(0, -z)
    log_below = log_above - z
    log_c = _log(items.c)
    log_right = np.logaddexp(log_c, np.log1p(-items.c) + log_above)
    log_wrong = np.log1p(-items.c) + log_below
    odds = log_wrong - log_right
    return _Tables(
        log_right=log_right,
        log_wrong=log_wrong,
        above=np.exp(log_above),
        z_right=np.exp(odds + log_above),
        g_right=np.exp(odds + log_c),
    )


def _log(c: Floats) -> Floats:
    """Minus infinity for a guessing of zero, which vanishes from the sums and products it goes into."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(c), dtype=np.float64)
