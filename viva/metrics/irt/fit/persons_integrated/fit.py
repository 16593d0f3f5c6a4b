"""Items by maximum marginal likelihood, the persons integrated out, and abilities given the items.

Abilities are drawn around what their components say, or from N(0, 1), and integrated out (Bock & Aitkin 1981): the
method of the great testing programmes, for more examinees than items. With few examinees the items are the incidental
parameters: integrate over them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viva.core.wording import counted
from viva.metrics.irt.fit.items_integrated.covariance import AbilityCovariance
from viva.metrics.irt.fit.persons_integrated.marginal import REACH, Items, PersonMarginal, Population, needed_nodes
from viva.metrics.irt.fit.persons_integrated.model import ItemPriors, PersonModel, Pooled, person_model
from viva.metrics.irt.fit.persons_integrated.population import Regression, regressed
from viva.metrics.irt.fit.persons_integrated.search import WHOLE_INFORMATION, Maximum, climbed, inspected
from viva.metrics.irt.model.design import Design
from viva.metrics.irt.model.estimates import Estimates
from viva.metrics.irt.model.formats import ItemFormats

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# of logit c: that of the published reference results; of log a: as items of real exams differ, and without it half
# the 3PL fits of 200 examinees follow some item to infinity; of d: wide, for items that all answer alike. Their means
# hardly have a prior: enough for an exam that tells no abilities apart
PRIORS = ItemPriors(log_a=Pooled(0.5, 1.0), d=Pooled(3.0, 3.0), logit_c=0.5)
# the gain in log-likelihood that a Newton step may still promise
CONVERGED = 1e-6
# beyond these (slope; intercept and standard errors) an item's curve is a step or flat: there is no finite maximum
STEEPEST, FARTHEST = 20.0, 25.0
# a common slope below this tells no abilities apart
_COMMON_FLAT = 1e-3
_FEWEST_NODES, _MOST_NODES = 61, 4001
# a flat item has no difficulty: what is reported is far away, with a standard error to match
_FLATTEST = 1e-6
# persons whose search gives that of many more its start
_START = 5_000
# an effect found from fewer is not known well enough to draw abilities around it as if it were
_EXAMINEES_PER_EFFECT = 10
# turns of items and population at most, and the sds of ability that none may still move by
_TURNS, _RESTS = 30, 1e-4


def fit_persons(
    values: Floats, formats: ItemFormats, design: Design, *, priors: ItemPriors = PRIORS
) -> tuple[Estimates, Regression]:
    """Items, abilities by their posterior mean (EAP) given the items, and what the components add.

    `values` (n, m) holds 1, 0 and nan (not graded). Where each effect of the `design` rests on ten examinees at
    least, abilities are drawn around their components, found in turns with the items, and share what is unknown of
    the effects; else they are drawn from N(0, 1) and regressed on the components afterwards.

    Scale: abilities have mean 0 and sd 1. Standard errors come from the observed information (of log-likelihood plus
    priors; b by the delta method), those of abilities from their posterior, items taken as known. Raises UsageError
    for a mixture of 1pl with other models.
    """
    search = _search(values, person_model(formats, priors))
    search.climb()
    if not design.levels or len(design.x) < _EXAMINEES_PER_EFFECT * design.x.shape[1]:
        return search.estimates(), regressed(design, search.population, *search.abilities())
    for _ in range(_TURNS):
        if not search.draw_around(design):
            break
        search.climb()
    else:
        search.trouble = f"components and items do not come to rest in {_TURNS} turns"
    return search.estimates(design), search.regression


def _search(values: Floats, coding: PersonModel) -> _Search:
    right, graded = (values == 1).sum(axis=0), (~np.isnan(values)).sum(axis=0)
    start = coding.start(right / np.maximum(graded, 1))
    if len(values) >= 2 * _START:
        # a search over some of the persons ends near: of that over all of them the last steps remain
        rough = _Search(values[:: len(values) // _START], coding, start)
        rough.climb()
        start = np.where(coding.believed(rough.x, STEEPEST / 2, FARTHEST / 2), rough.x, start)
    return _Search(values, coding, start)


class _Search:
    """For items and, in turns with them, for the population that abilities are drawn from."""

    def __init__(self, values: Floats, coding: PersonModel, x: Floats) -> None:
        self.x = x
        self.regression = Regression(np.zeros(1), np.zeros((1, 1)), 1.0)
        self.trouble = ""
        self._values, self._coding = values, coding
        self._grid = _grid(needed_nodes(coding.items(x), _FEWEST_NODES))
        self._marginal = PersonMarginal(values, self._grid)
        self._iterations = 0

    @property
    def population(self) -> Population:
        return self._marginal.population

    def climb(self) -> None:
        """To the maximum in the items, on as many nodes as they need."""
        while True:
            self.x, steps = climbed(self._marginal, self._coding, self.x)
            self._iterations += steps
            items = self._coding.items(self.x)
            needed = needed_nodes(items, len(self._grid), self.population.sd)
            if needed == len(self._grid) or len(self._grid) == _MOST_NODES or _endless(items).any():
                return
            # a little finer than needed: the items move on it
            self._lay(_grid(int(1.2 * needed)), self.population)

    def abilities(self) -> tuple[Floats, Floats]:
        """Posterior means and variances (n,)."""
        return self._marginal.abilities(self._coding.items(self.x))

    def draw_around(self, design: Design) -> bool:
        """Draws abilities around their components from here on; False, with nothing new, where they already are."""
        found, middle, spread = regressed(design, self.population, *self.abilities()).standardised(design)
        population = found.population(design)
        moved = np.abs(population.mean - self.population.mean).max()
        if max(float(moved), abs(population.sd - self.population.sd)) < _RESTS:
            return False
        self.regression = found
        self.x = self._coding.rescaled(self.x, middle, spread)
        needed = needed_nodes(self._coding.items(self.x), len(self._grid), population.sd)
        self._lay(_grid(needed), population)
        return True

    def estimates(self, design: Design | None = None) -> Estimates:
        """What was found; with a `design`, abilities share the error of its effects."""
        found, (theta, variance) = inspected(self._marginal, self._coding, self.x), self.abilities()
        items, unbounded = found.items, _unbounded(found, self._coding)
        b = -items.d / np.where(np.abs(items.a) < _FLATTEST, np.copysign(_FLATTEST, items.a), items.a)
        errors = _errors(found, self._coding, b)
        cov = AbilityCovariance.apart(variance)
        if design is not None:
            # by how much a mean moves with that of its population
            drawn = (variance / self.population.sd**2)[:, None] * design.x
            cov = AbilityCovariance(variance, drawn @ np.linalg.cholesky(self.regression.beta_cov))
        message = _message(found, errors, self._grid, unbounded)
        return Estimates(
            theta=theta,
            theta_cov=cov,
            a=items.a,
            b=b,
            c=items.c,
            a_se=errors[0],
            b_se=errors[1],
            c_se=errors[2],
            loglik=found.loglik,
            converged=bool(found.gain <= CONVERGED and not unbounded and not self.trouble),
            iterations=self._iterations,
            message="; ".join(filter(None, (message, self.trouble))),
        )

    def _lay(self, grid: Floats, population: Population) -> None:
        self._grid = grid
        self._marginal = PersonMarginal(self._values, grid, population)


def _grid(nodes: int) -> Floats:
    return np.linspace(-REACH, REACH, min(nodes, _MOST_NODES))


def _endless(items: Items) -> Flags:
    """Items (m,) that a search follows towards infinity."""
    return np.asarray((np.abs(items.a) > STEEPEST) | (np.abs(items.d) > FARTHEST), dtype=np.bool_)


def _unbounded(found: Maximum, coding: PersonModel) -> list[int]:
    """Columns of the items without a finite maximum."""
    off = _endless(found.items)
    if found.cov is not None:
        off |= (found.cov[:, [0, 1], [0, 1]] > FARTHEST**2).any(axis=1)
    if coding.common:
        off |= np.abs(found.items.a) < _COMMON_FLAT
    return [int(j) for j in np.flatnonzero(off)]


def _errors(found: Maximum, coding: PersonModel, b: Floats) -> tuple[Floats | None, Floats | None, Floats | None]:
    if found.cov is None or (coding.common and not found.whole):
        return None, None, None
    cov, items = found.cov, found.items
    b_variance = (cov[:, 1, 1] + 2 * b * cov[:, 0, 1] + b**2 * cov[:, 0, 0]) / np.maximum(items.a**2, _FLATTEST**2)
    slope_c = items.c * (1 - items.c)
    return np.sqrt(cov[:, 0, 0]), np.sqrt(np.maximum(b_variance, 0.0)), slope_c * np.sqrt(cov[:, 2, 2])


def _message(found: Maximum, errors: tuple[Floats | None, ...], grid: Floats, unbounded: list[int]) -> str:
    parts = [f"marginal likelihood over persons, {len(grid)} nodes"]
    if unbounded:
        parts.append(
            f"not converged: no finite maximum, curves are steps or flat, those of {counted(len(unbounded), 'item')} "
            f"(item {_list(unbounded)}, counted from 1); leave them out, or take the method 'map' or 'mml-items'"
        )
    elif found.gain <= CONVERGED:
        parts.append(f"converged: a Newton step would gain {found.gain:.0e} of log-likelihood")
    elif found.cov is None:
        parts.append("not converged: the information is not positive definite, the data do not determine the items")
    else:
        parts.append(f"not converged: a Newton step would gain {found.gain:.1g} of log-likelihood")
    if found.cov is not None and not found.whole:
        kept = "standard errors take the other items as known" if errors[0] is not None else "no standard errors"
        parts.append(f"{kept}, for there are more than {WHOLE_INFORMATION} parameters")
    if len(grid) == _MOST_NODES:
        parts.append(
            f"{_MOST_NODES} nodes, the most allowed, may be too few: abilities may be too sure of themselves"
        )
    return "; ".join(parts)


def _list(columns: list[int]) -> str:
    shown = ", ".join(str(j + 1) for j in columns[:5])
    return shown + (", ..." if len(columns) > 5 else "")
