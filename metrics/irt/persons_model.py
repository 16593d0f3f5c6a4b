"""What is free in the classical models 1PL, 2PL and 3PL, and the priors that hold it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from viva.core.errors import UsageError
from viva.metrics.irt.persons_marginal import Items

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

MODELS = ("1pl", "2pl", "3pl")


@dataclass(frozen=True)
class ItemPriors:
    """Normal priors (mean, sd), None for none: of log a (density of a: lognormal), of d = -a b, of logit c.

    A mean may be an array of one value per item. The default of logit c has its mode at a guessing of .25. Where a
    prior of log a is given, discriminations are positive; else an item that abler persons fail has a negative one.
    """

    log_a: tuple[float | Floats, float] | None = None
    d: tuple[float | Floats, float] | None = None
    logit_c: tuple[float | Floats, float] | None = (-1.1, 0.5)


@dataclass(frozen=True, eq=False)
class PersonModel:
    """The map between the free parameters x (p,) and items, and the log-density of the priors.

    x holds the slopes (one where `common`, their logs where `positive`), the m intercepts, and logit c of the items
    flagged in `guessed`; other items have the asymptote `fixed` (m,).
    """

    priors: ItemPriors
    fixed: Floats
    guessed: Flags
    common: bool
    positive: bool

    def start(self, share: Floats) -> Floats:
        """Slopes of one and intercepts that give each item its `share` (m,) of right answers."""
        m = len(self.fixed)
        g = self._logit_c_mean()
        c = np.where(self.guessed, expit(g), self.fixed)
        slope = np.full(1 if self.common else m, 0.0 if self.positive else 1.0)
        intercept = logit(np.clip((share - c) / (1 - c), 0.05, 0.95))
        return np.concatenate([slope, intercept, g[self.guessed]])

    def items(self, x: Floats) -> Items:
        m, slopes = len(self.fixed), self._slopes(x)
        a = np.exp(x[:slopes]) if self.positive else x[:slopes]
        c = self.fixed.copy()
        c[self.guessed] = expit(x[slopes + m :])
        return Items(np.broadcast_to(a, m).astype(np.float64), x[slopes : slopes + m], c)

    def chain(self, items: Items) -> Floats:
        """d(a, d, logit c)/dx of shape (m, 3)."""
        factors = np.ones((len(items.a), 3))
        if self.positive:
            factors[:, 0] = items.a
        return factors

    def collect(self, values: Floats) -> Floats:
        """Free ones (p,) of values (m, 3) that stand beside (a, d, logit c); those of a common slope are summed."""
        slope = values[:, 0].sum(keepdims=True) if self.common else values[:, 0]
        return np.concatenate([slope, values[:, 1], values[self.guessed, 2]])

    def pick(self, values: Floats) -> Floats:
        """Like `collect`, of values that are the same for all items where the slope is common."""
        slope = values[:1, 0] if self.common else values[:, 0]
        return np.concatenate([slope, values[:, 1], values[self.guessed, 2]])

    def spread(self, x: Floats) -> Floats:
        """The way back from `pick`: (m, 3) from (p,), with zeros for what is not free."""
        m, slopes = len(self.fixed), self._slopes(x)
        values = np.zeros((m, 3))
        values[:, 0], values[:, 1] = x[:slopes], x[slopes : slopes + m]
        values[self.guessed, 2] = x[slopes + m :]
        return values

    def assemble(self, blocks: Floats) -> Floats:
        """The matrix (p, p) over (a, d, logit c), a once where it is common, from items' blocks (m, 3, 3)."""
        rows, columns, free = self._places()
        matrix = np.zeros((self._width(),) * 2)
        np.add.at(matrix, (rows[free], columns[free]), blocks[free])
        return matrix

    def take_blocks(self, matrix: Floats) -> Floats:
        """Items' blocks (m, 3, 3) of a matrix (p, p), with zeros for what is not free."""
        rows, columns, free = self._places()
        return np.where(free, matrix[rows, columns], 0.0)

    def flatten(self, a: Floats, d: Floats, g: Floats) -> Floats:
        """Rows of scores (k, p) over (a, d, logit c), a once where it is common, from three of shape (k, m)."""
        slope = a.sum(axis=1, keepdims=True) if self.common else a
        return np.hstack([slope, d, g[:, self.guessed]])

    def log_prior(self, items: Items) -> float:
        """Up to a constant."""
        total = 0.0
        if self.priors.log_a:
            mean, sd = self.priors.log_a
            log_a = np.log(items.a)
            total += self._share() * float((-log_a - ((log_a - mean) / sd) ** 2 / 2).sum())
        if self.priors.d:
            mean, sd = self.priors.d
            total -= float((((items.d - mean) / sd) ** 2 / 2).sum())
        if self.priors.logit_c:
            mean, sd = self.priors.logit_c
            total -= float((((self._logit(items) - mean) / sd) ** 2 / 2)[self.guessed].sum())
        return total

    def prior_slopes(self, items: Items) -> tuple[Floats, Floats]:
        """First derivative of the log-prior in (a, d, logit c) and minus its second, each (m, 3)."""
        first, second = np.zeros((len(items.a), 3)), np.zeros((len(items.a), 3))
        if self.priors.log_a:
            mean, sd = self.priors.log_a
            off = (np.log(items.a) - mean) / sd**2
            first[:, 0] = -self._share() * (1 + off) / items.a
            second[:, 0] = self._share() * (1 / sd**2 - 1 - off) / items.a**2
        if self.priors.d:
            mean, sd = self.priors.d
            first[:, 1], second[:, 1] = -(items.d - mean) / sd**2, 1 / sd**2
        if self.priors.logit_c:
            mean, sd = self.priors.logit_c
            first[self.guessed, 2] = (-(self._logit(items) - mean) / sd**2)[self.guessed]
            second[self.guessed, 2] = 1 / sd**2
        return first, second

    def _slopes(self, x: Floats) -> int:
        return len(x) - len(self.fixed) - int(self.guessed.sum())

    def _width(self) -> int:
        return (1 if self.common else len(self.fixed)) + len(self.fixed) + int(self.guessed.sum())

    def _places(self) -> tuple[Indices, Indices, Flags]:
        m = len(self.fixed)
        first = 1 if self.common else m
        index = np.full((m, 3), -1)
        index[:, 0] = 0 if self.common else np.arange(m)
        index[:, 1] = first + np.arange(m)
        index[self.guessed, 2] = first + m + np.arange(int(self.guessed.sum()))
        rows, columns = np.broadcast_arrays(index[:, :, None], index[:, None, :])
        return rows, columns, (rows >= 0) & (columns >= 0)

    def _share(self) -> float:
        # one common slope has one prior, however many items share it
        return 1 / len(self.fixed) if self.common else 1.0

    def _logit(self, items: Items) -> Floats:
        return np.asarray(logit(np.where(self.guessed, items.c, 0.5)), dtype=np.float64)

    def _logit_c_mean(self) -> Floats:
        mean = self.priors.logit_c[0] if self.priors.logit_c else -1.1
        return np.broadcast_to(np.asarray(mean, dtype=np.float64), self.fixed.shape).copy()


def person_model(items: int, model: str, guessing: ArrayLike | None, priors: ItemPriors | None) -> PersonModel:
    """The model `model` of `items` items; raises UsageError for an unknown one or a guessing outside [0, 1).

    `guessing` is None, one number or one per item. In a 3PL, None or nan leaves an item's guessing free.
    """
    if model not in MODELS:
        raise UsageError(f"There is no model '{model}'.", allowed="Known: " + ", ".join(MODELS) + ".")
    missing = np.nan if model == "3pl" else 0.0
    given = np.asarray(missing if guessing is None else guessing, dtype=np.float64)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != items):
        raise UsageError(
            f"Guessing has the shape {given.shape}.", allowed=f"One number, or one for each of {items} items."
        )
    fixed = np.broadcast_to(given, items).copy()
    guessed = np.isnan(fixed)
    if model != "3pl" and guessed.any():
        raise UsageError(f"A {model} has no free guessing.", allowed="Numbers from 0 to below 1; nan only in a 3pl.")
    if not ((fixed[~guessed] >= 0) & (fixed[~guessed] < 1)).all():
        raise UsageError("A guessing is not a probability of a right answer by chance.", allowed="From 0 to below 1.")
    fixed[guessed] = 0.0
    chosen = priors or ItemPriors()
    common = model == "1pl"
    return PersonModel(chosen, fixed, guessed, common, positive=common or chosen.log_a is not None)
