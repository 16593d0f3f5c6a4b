"""The likelihood of item parameters with the persons integrated out, its gradient and its information.

Items fixed, persons random (Bock & Aitkin 1981, eq. 5-8), theta_i ~ N(mu_i, s^2) on an even grid of nodes:

    l(a, d, c) = sum_i log sum_q w_iq prod_j P_j(theta_q)^y_ij (1 - P_j(theta_q))^(1 - y_ij),
    P_j(theta) = c_j + (1 - c_j) logistic(a_j theta + d_j)

Everything is in logs, so that hundreds of items do not underflow. The observed information is that of Louis (1982):
the expected curvature given the abilities less the covariance, over each person's posterior, of the scores. Persons
are looked at some thousands at a time: what is made of them at every node is never held for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

# nodes with less of a person's posterior than this cannot be seen in the information
_NEGLIGIBLE = 1e-10
# abilities are integrated from -REACH to REACH standard deviations
REACH = 6.0
# persons x nodes looked at together: 1 MiB of each array over them, which stays in the cache
_TOGETHER = 131_072
_ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Items:
    """Slopes a, intercepts d = -a b and lower asymptotes c, each of shape (m,)."""

    a: Floats
    d: Floats
    c: Floats


@dataclass(frozen=True, eq=False)
class Population:
    """Abilities before anything was answered: normal with a mean for each person (n,) and one sd."""

    mean: Floats
    sd: float


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
    """The E-step: log-likelihood, expected right and wrong answers (q, m)."""

    loglik: float
    right: Floats
    wrong: Floats
    tables: _Tables


@dataclass(frozen=True, eq=False)
class _Rows:
    """Some persons: log-likelihoods (k,), posterior (k, q), right answers (k, m), graded ones (None: all)."""

    place: slice
    loglik: Floats
    posterior: Floats
    right: Floats
    seen: Floats | None

    def valued(self, when_right: Floats, when_wrong: Floats, there: Indices | slice = _ALL) -> Floats:
        """Of the persons `there`, what an answer counts, right or wrong, (m,) or (k, m) each; 0 without an answer."""
        found = self.right[there] * (when_right - when_wrong)
        found += when_wrong if self.seen is None else self.seen[there] * when_wrong
        return found


class PersonMarginal:
    """Marginal likelihood of items for responses (n, m) of 0, 1 and nan, on even nodes `theta` (q,)."""

    def __init__(self, responses: Floats, theta: Floats, population: Population | None = None) -> None:
        self.theta = theta
        self.population = population or Population(np.zeros(len(responses)), 1.0)
        self._responses = responses
        self._complete = not any(np.isnan(responses[rows]).any() for rows in self._places())

    def expect(self, items: Items) -> Expected:
        """Expected answers at each node, given the items."""
        tables = _tables(self.theta, items)
        loglik, persons = 0.0, np.zeros(len(self.theta))
        right, graded = np.zeros_like(tables.above), np.zeros_like(tables.above)
        for rows in self._rows(tables):
            loglik += float(rows.loglik.sum())
            right += rows.posterior.T @ rows.right
            if rows.seen is None:
                persons += rows.posterior.sum(axis=0)
            else:
                graded += rows.posterior.T @ rows.seen
        return Expected(loglik, right, graded + persons[:, None] - right, tables)

    def abilities(self, items: Items) -> tuple[Floats, Floats]:
        """Posterior means and variances (n,)."""
        mean, variance = np.empty((2, len(self._responses)))
        for rows in self._rows(_tables(self.theta, items)):
            mean[rows.place] = rows.posterior @ self.theta
            variance[rows.place] = rows.posterior @ self.theta**2 - mean[rows.place] ** 2
        return mean, np.maximum(variance, 0.0)

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

    def missing_information(self, found: Expected, items: Items, guessed: Flags) -> Floats:
        """What is lost on the items by not knowing the abilities, over (a, d, logit c of the items `guessed`).

        The covariance of the scores over each person's posterior, summed: square, 2 m + guessed long.
        """
        tables, m = found.tables, len(items.a)
        wide = m + int(guessed.sum())
        # times 1, theta and theta^2
        squares = np.zeros((3, wide, wide))
        means = np.zeros((m + wide, m + wide))
        for rows in self._rows(tables):
            for node in range(len(self.theta)):
                scores = self._scores_at(rows, tables, node, items, guessed)
                square = scores.T @ scores
                for power, total in enumerate(squares):
                    total += self.theta[node] ** power * square
            mean = np.hstack(self._mean_scores(rows, tables, items, guessed))
            means += mean.T @ mean
        one, theta, theta_squared = squares
        return np.asarray(
            np.block([[theta_squared[:m, :m], theta[:m]], [theta[:, :m], one]]) - means, dtype=np.float64
        )

    def missing_information_by_item(self, found: Expected, items: Items) -> Floats:
        """The same of each item's (a, d, logit c) alone, (m, 3, 3)."""
        tables = found.tables
        blocks = self._blocks(
            found.right * tables.z_right**2 + found.wrong * tables.above**2,
            found.right * tables.z_right * tables.g_right + found.wrong * tables.above * items.c,
            (found.right * tables.g_right**2).sum(axis=0) + found.wrong.sum(axis=0) * items.c**2,
        )
        everyone = np.ones(len(items.a), dtype=np.bool_)
        for rows in self._rows(tables):
            mean = np.stack(self._mean_scores(rows, tables, items, everyone), axis=2)
            blocks -= np.einsum("kja,kjb->jab", mean, mean)
        return blocks

    def _scores_at(self, rows: _Rows, tables: _Tables, node: int, items: Items, guessed: Flags) -> Floats:
        """At a node, scores in z and in g of the persons seen there, times the root of their weight there."""
        weight = rows.posterior[:, node]
        there = np.flatnonzero(weight > _NEGLIGIBLE)
        z = rows.valued(tables.z_right[node], -tables.above[node], there)
        if guessed.any():
            z = np.hstack([z, rows.valued(tables.g_right[node], -items.c, there)[:, guessed]])
        z *= np.sqrt(weight[there])[:, None]
        return z

    def _mean_scores(
        self, rows: _Rows, tables: _Tables, items: Items, guessed: Flags
    ) -> tuple[Floats, Floats, Floats]:
        """Of each person over its posterior, in a, in d (k, m) and in g (k, guessed)."""
        weights = rows.posterior * self.theta, rows.posterior
        a, z = (rows.valued(each @ tables.z_right, -(each @ tables.above)) for each in weights)
        if not guessed.any():
            return a, z, np.empty((len(z), 0))
        return a, z, rows.valued(rows.posterior @ tables.g_right, -items.c)[:, guessed]

    def _rows(self, tables: _Tables) -> Iterator[_Rows]:
        odds, none_right = tables.log_right - tables.log_wrong, tables.log_wrong.sum(axis=1)
        mean, precision = self.population.mean, self.population.sd**-2
        drawn = bool(mean.any())
        # the density of N(mean, sd^2) at the nodes, in three factors: of the node, of both, of the person
        of_node = -precision / 2 * self.theta**2 + np.log(self._spacing() * np.sqrt(precision / (2 * np.pi)))
        for place in self._places():
            own = self._responses[place]
            right = (own == 1).astype(np.float64)
            seen = None if self._complete else (~np.isnan(own)).astype(np.float64)
            joint = right @ odds.T
            joint += of_node + none_right if seen is None else seen @ tables.log_wrong.T + of_node
            loglik: Floats | float = 0.0
            if drawn:
                joint += np.outer(precision * mean[place], self.theta)
                loglik = -precision / 2 * mean[place] ** 2
            top = joint.max(axis=1, keepdims=True)
            joint -= top
            np.exp(joint, out=joint)
            total = joint.sum(axis=1, keepdims=True)
            joint /= total
            yield _Rows(place, loglik + (top + np.log(total))[:, 0], joint, right, seen)

    def _spacing(self) -> float:
        return float(self.theta[1] - self.theta[0])

    def _places(self) -> Iterator[slice]:
        step = max(1, _TOGETHER // len(self.theta))
        return (slice(first, first + step) for first in range(0, len(self._responses), step))

    def _blocks(self, zz: Floats, zg: Floats, gg: Floats) -> Floats:
        block = np.empty((len(gg), 3, 3))
        block[:, 0, 0] = self.theta**2 @ zz
        block[:, 0, 1] = block[:, 1, 0] = self.theta @ zz
        block[:, 1, 1] = zz.sum(axis=0)
        block[:, 0, 2] = block[:, 2, 0] = self.theta @ zg
        block[:, 1, 2] = block[:, 2, 1] = zg.sum(axis=0)
        block[:, 2, 2] = gg
        return block


def needed_nodes(items: Items, least: int, sd: float = 1.0) -> int:
    """How many nodes from -REACH to REACH leave no posterior narrower than their spacing, at least `least`.

    `sd` is that of abilities before anything was answered. The trapezoid rule errs by exp(-2 pi^2 sd^2 / spacing^2)
    on a normal density: 3e-9 where they are equal.
    """
    tables = _tables(np.linspace(-REACH, REACH, 241), items)
    most = float((tables.above * tables.z_right @ items.a**2).max())
    return max(least, int(np.ceil(2 * REACH * np.sqrt(sd**-2 + most))) + 1)


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
