"""What is free where persons are integrated over, and the priors that hold it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from viva.core.errors import UsageError
from viva.metrics.irt.fit.persons_integrated.marginal import Items
from viva.metrics.irt.model.formats import ItemFormats

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Pooled:
    """A normal prior of values around a mean of their own, which is N(0, of_mean^2).

    It draws items together and leaves origin and unit of the scale, which hundreds of items would else decide, to the
    responses.
    """

    sd: float
    of_mean: float

    def height(self, values: Floats) -> float:
        """The log-density of values (m,), up to a constant."""
        return 0.5 * float(values @ self.slope(values))

    def slope(self, values: Floats) -> Floats:
        """Its first derivatives (m,)."""
        mean = float(values.mean())
        of_mean = self.sd**2 + len(values) * self.of_mean**2
        return np.asarray((mean - values) / self.sd**2 - mean / of_mean, dtype=np.float64)

    def coupling(self, count: int) -> float:
        """Minus the second derivatives are 1 / sd^2 on the diagonal, less the square of this everywhere."""
        of_mean = self.sd**2 + count * self.of_mean**2
        return float(np.sqrt((self.sd**-2 - 1 / of_mean) / count))


@dataclass(frozen=True)
class ItemPriors:
    """Priors of log a, of d = -a b (None: none), and the sd of that of logit c, around the mean of the item's format.

    Where log a has a prior, discriminations are positive; else an item that abler persons fail has a negative one.
    """

    log_a: Pooled | None = None
    d: Pooled | None = None
    logit_c: float = 0.5


@dataclass(frozen=True, eq=False)
class PersonModel:
    """The map between the free parameters x (p,) and items, and the log-density of the priors.

    x holds the slopes (one where `common`, their logs where `positive`), the m intercepts, and logit c of the items
    flagged in `guessed`; other items have the asymptote `fixed` (m,). `centre` (m,): the prior's mean of logit c.
    """

    priors: ItemPriors
    fixed: Floats
    guessed: Flags
    centre: Floats
    common: bool

    @property
    def positive(self) -> bool:
        return self.common or self.priors.log_a is not None

    def start(self, share: Floats) -> Floats:
        """Slopes of one and intercepts that give each item its `share` (m,) of right answers."""
        m = len(self.fixed)
        c = np.where(self.guessed, expit(self.centre), self.fixed)
        slope = np.full(1 if self.common else m, 0.0 if self.positive else 1.0)
        intercept = logit(np.clip((share - c) / (1 - c), 0.05, 0.95))
        return np.concatenate([slope, intercept, self.centre[self.guessed]])

    def items(self, x: Floats) -> Items:
        m, slopes = len(self.fixed), self._slopes(x)
        a = np.exp(x[:slopes]) if self.positive else x[:slopes]
        c = self.fixed.copy()
        c[self.guessed] = expit(x[slopes + m :])
        return Items(np.broadcast_to(a, m).astype(np.float64), x[slopes : slopes + m], c)

    def rescaled(self, x: Floats, middle: float, spread: float) -> Floats:
        """The same curves on a scale of ability whose 0 and 1 are at `middle` and `middle` + `spread` of this one."""
        m, slopes, items = len(self.fixed), self._slopes(x), self.items(x)
        there = x.copy()
        there[:slopes] = x[:slopes] + np.log(spread) if self.positive else x[:slopes] * spread
        there[slopes : slopes + m] += items.a * middle
        return there

    def believed(self, x: Floats, steepest: float, farthest: float) -> Flags:
        """Which of x (p,) belong to items whose slope and intercept stay within these bounds."""
        items = self.items(x)
        near = (np.abs(items.a) < steepest) & (np.abs(items.d) < farthest)
        return np.concatenate([near[:1] | near.any() if self.common else near, near, near[self.guessed]])

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

    def merge(self, matrix: Floats) -> Floats:
        """The matrix (p, p) from one over (a, d, logit c of the guessed), all items' slopes made one where common."""
        if not self.common:
            return matrix
        m = len(self.fixed)
        merged = np.vstack([matrix[:m].sum(axis=0, keepdims=True), matrix[m:]])
        return np.hstack([merged[:, :m].sum(axis=1, keepdims=True), merged[:, m:]])

    def log_prior(self, items: Items) -> float:
        """Up to a constant."""
        total = -0.5 * float((self._off_guessing(items) ** 2).sum())
        total += self.priors.log_a.height(np.log(items.a)) if self.priors.log_a else 0.0
        return total + (self.priors.d.height(items.d) if self.priors.d else 0.0)

    def prior_slopes(self, items: Items) -> tuple[Floats, Floats]:
        """First derivative of the log-prior in (a, d, logit c) and minus its second by item, each (m, 3)."""
        first, second = np.zeros((len(items.a), 3)), np.zeros((len(items.a), 3))
        if self.priors.log_a:
            slope = self.priors.log_a.slope(np.log(items.a))
            first[:, 0] = slope / items.a
            second[:, 0] = (self.priors.log_a.sd**-2 + slope) / items.a**2
        if self.priors.d:
            first[:, 1], second[:, 1] = self.priors.d.slope(items.d), self.priors.d.sd**-2
        first[self.guessed, 2] = -self._off_guessing(items) / self.priors.logit_c
        second[self.guessed, 2] = self.priors.logit_c**-2
        return first, second

    def prior_coupling(self, items: Items) -> Floats:
        """What items' common means take back from the second derivatives: vectors (m, 3, 2) whose squares it is."""
        m = len(items.a)
        vectors = np.zeros((m, 3, 2))
        if self.priors.log_a:
            vectors[:, 0, 0] = self.priors.log_a.coupling(m) / items.a
        if self.priors.d:
            vectors[:, 1, 1] = self.priors.d.coupling(m)
        return vectors

    def _off_guessing(self, items: Items) -> Floats:
        return np.asarray((logit(items.c[self.guessed]) - self.centre[self.guessed]) / self.priors.logit_c)

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


def person_model(formats: ItemFormats, priors: ItemPriors) -> PersonModel:
    """The model of items of these formats. Raises UsageError for a mixture of 1pl with others."""
    models = set(formats.models)
    if "1pl" in models and len(models) > 1:
        raise UsageError(
            "Integrating over persons knows no mixture of 1pl with other models.",
            next_step="Choose method 'map' or 'mml-items', or one model for all items.",
        )
    guessed = formats.free_guessing
    fixed = np.where(guessed, 0.0, formats.guessing)
    return PersonModel(priors, fixed, guessed, logit(formats.prior_guessing), common="1pl" in models)
