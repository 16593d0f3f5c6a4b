"""Abilities given the responses: draws from a normal population, whose sd s is integrated out.

theta ~ N(mu, s^2), mu ~ N(0, 3^2). Given s, theta and the hyper-parameters phi of the items are found by
maximising the penalised marginal likelihood; their covariance is the inverse of the observed information plus the
prior precision, so that the error of phi is part of that of theta. The maximum over both at once draws phi, and with
it the unit of theta, towards where abilities are known best; phi is therefore moved to the maximum of its own
marginal density (Laplace over theta; Tierney & Kadane 1986), which is where sampling puts it, and theta along.

s is not plugged in: abilities are averaged over a grid of s by its evidence under the prior of module population. The
likelihood is expanded to second order, which gives every s at which the expansion still holds in closed form; where
it does not (that of a perfect score does not reach far) the maximum is sought anew. A mode of s is not used: with few
examinees it often is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtri
from scipy.special import logsumexp, softmax

from viva.metrics.irt.fit.items_integrated.grid import HYPER_MEAN, HYPER_SD
from viva.metrics.irt.fit.items_integrated.likelihood import HYPERS, ItemMarginal
from viva.metrics.irt.fit.joint_mode.expansion import Expansion, GaussianPrior, expand, factored, holds_at
from viva.metrics.irt.fit.population import ability_prior, log_prior

Floats = NDArray[np.float64]

# spreads s at which abilities are expanded anew, from none that could be seen to the widest of logits, and how
# many points around it each of them stands for
_ANCHORS = np.geomspace(0.03, 4.0, 8)
_PER_ANCHOR = 3
# an s whose log weight is this far below the best cannot be seen in a result
_VISIBLE = 6.0
# how far hyper-parameters are moved to see how the information changes with them
_BEND = 0.05
_FADING = 12
# posterior sds between the nodes that items are integrated over: at first, and to see whether that was fine enough
_SPACINGS = (2.0, 1.4, 1.0)
# standard errors that an ability may move by on the finer grid
_STEADY = 0.2
# a quadratic is believed so far from its middle without a look, and so far at all: the information changes
_NEAR, _FAR = 0.1, 0.3
# how far a new search begins from the last maximum
_LEAP = 2.0
# how many sd of their prior hyper-parameters may be moved
_FARTHEST = 2.0


@dataclass(frozen=True, eq=False)
class AbilityPosterior:
    """Posterior mean and covariance of theta (n,); mean and sd of s; mean of phi (3,).

    `log_evidence` is the log of the marginal likelihood of the responses, with abilities, items, phi and s integrated
    out (Laplace over theta and phi; Tierney & Kadane 1986): models are compared by it. `trouble` says in words why it
    is not `converged`.
    """

    theta: Floats
    theta_cov: Floats
    hyper: Floats
    spread: float
    spread_se: float
    log_evidence: float
    converged: bool
    iterations: int
    end: SearchStart
    trouble: str = ""


@dataclass(frozen=True, eq=False)
class SearchStart:
    """Where a search begins: psi (n + 3,), a first idea of s, and how wide the hyper-parameters' priors are (3,).

    Where a search under a like model ended there is the `information` (n + 3, n + 3) too.
    """

    psi: Floats
    spread: float
    hyper_sd: Floats
    information: Floats | None = None

    @classmethod
    def rough(cls, psi: Floats, spread: float) -> SearchStart:
        """From rough estimates."""
        # an sd of b far from 1 is to be believed, not drawn back: the prior is as wide as the first estimate is off
        return cls(psi, spread, np.maximum(HYPER_SD, [abs(float(psi[-HYPERS])), 0.0, 0.0]))


@dataclass(frozen=True, eq=False)
class _GivenSpread:
    """What holds given s: psi = (theta, phi) and its covariance, the tilt that put phi there, the evidence of s."""

    spread: float
    psi: Floats
    cov: Floats
    tilt: Floats
    evidence: float


def ability_posterior(likelihood: ItemMarginal, start: SearchStart, *, tilted: bool = True) -> AbilityPosterior:
    """The posterior of abilities and hyper-parameters, the latter at their joint mode if not `tilted`.

    On a grid that is too coarse the likelihood has hills of its own, on which a search may settle. What was found is
    therefore looked at on a finer one: moved by a step there, and sought anew where that is a long one; `likelihood`
    stays on the last. Raises UsageError where that takes too many nodes.
    """
    steps = 0
    likelihood.refine(start.psi, _SPACINGS[0])
    for spacing, finer, finest in zip(_SPACINGS, _SPACINGS[1:], (*_SPACINGS[2:], _SPACINGS[-1]), strict=False):
        found, cov, before = _settled(likelihood, start, spacing, tilted=tilted)
        psi, start = found.end.psi, replace(start, psi=found.end.psi, information=None)
        steps += found.iterations
        likelihood.refine(psi, finer)
        if found.converged:
            moved = cov @ (likelihood.value_and_gradient(psi)[1] - before)
            if float(np.abs(moved / np.sqrt(np.diag(cov)))[:-HYPERS].max()) < _STEADY:
                found = _shifted(found, moved)
                break
            found = replace(found, converged=False, trouble="abilities still move on the finest grid of items")
        # a search is not begun whose answer could not be looked at
        for each in (finest, finer):
            likelihood.refine(psi, each)
    return replace(found, iterations=steps)


def _shifted(found: AbilityPosterior, moved: Floats) -> AbilityPosterior:
    """The means by what psi (n + 3,) has moved."""
    return replace(found, theta=found.theta + moved[:-HYPERS], hyper=found.hyper + moved[-HYPERS:])


def _settled(
    likelihood: ItemMarginal, start: SearchStart, spacing: float, *, tilted: bool
) -> tuple[AbilityPosterior, Floats, Floats]:
    """On a grid of this `spacing`; with the covariance of psi at the likeliest s, and the slope at the end."""
    for marginal in (True, False) if tilted else (False,):
        # where the marginal maximum is not found, the joint one, which is drawn in a little, is better than none
        search = _Search(likelihood, start, spacing, tilted=marginal)
        given, log_weights = search.weighed()
        found = _averaged(given, log_weights, search)
        cov = given[int(np.argmax(log_weights))].cov
        if not search.begun:
            break
        height, slope = likelihood.value_and_gradient(found.end.psi)
        # shrinking n abilities costs about n/2 of log-likelihood at most: what costs more has gone astray
        if found.converged and height - likelihood.value_and_gradient(start.psi)[0] >= HYPERS - len(start.psi):
            return found, cov, slope
    trouble = "abilities have left the responses behind" if found.converged else "the search found no maximum"
    end = replace(found.end, psi=search.expansions[-1].mode)
    lost = replace(found, converged=False, trouble=trouble, end=end)
    return lost, cov, likelihood.value_and_gradient(end.psi)[1]


class _Search:
    """Evidence over s, from one expansion outwards; new ones where the last does not hold."""

    def __init__(
        self,
        likelihood: ItemMarginal,
        start: SearchStart,
        spacing: float,
        *,
        tilted: bool,
    ) -> None:
        self._likelihood, self.start = likelihood, start
        self._priors: dict[float, GaussianPrior] = {}
        self._first = int(np.argmin(np.abs(np.log(_ANCHORS / start.spread))))
        self._first_sd = float(_ANCHORS[self._first])
        prior = self._prior(self._first_sd)
        rough = expand(likelihood, prior, start.psi, start.information, rough=True)
        self.expansions, self.begun = [rough], rough.converged
        n = len(start.psi) - HYPERS
        self.bend = np.zeros((HYPERS, n, n))
        if not self.begun:
            return
        # the spreads of the items have moved, and with them the nodes
        likelihood.refine(rough.mode, spacing)
        cov = _covariance(factored(prior.precision + rough.information)[0])
        if tilted:
            self.bend = _bend(likelihood, rough.mode, cov)
        self.expansions = [expand(likelihood, prior, rough.mode, rough.information, tilt=_tilt(cov, self.bend))]

    def given(self, expansion: Expansion, spread: float) -> _GivenSpread:
        """What holds at s by an expansion."""
        prior = self._prior(spread)
        precision = prior.precision + expansion.information
        factor = factored(precision)[0]
        cov = _covariance(factor)
        tilt = _tilt(cov, self.bend)
        psi = cov @ (expansion.pull + prior.precision @ prior.mean + tilt)
        off = psi - prior.mean
        height = float(expansion.pull @ psi) - 0.5 * float(
            psi @ expansion.information @ psi + off @ prior.precision @ off
        )
        log_det = 2 * float(np.log(np.diag(factor)).sum()) + prior.log_det_cov
        return _GivenSpread(spread, psi, cov, tilt, expansion.constant + height - 0.5 * log_det)

    def _prior(self, spread: float) -> GaussianPrior:
        """Of psi."""
        if spread in self._priors:
            return self._priors[spread]
        n = len(self.start.psi) - HYPERS
        of_theta = ability_prior(n, spread)
        precision = np.zeros((n + HYPERS, n + HYPERS))
        precision[:n, :n] = of_theta.precision()
        precision[range(n, n + HYPERS), range(n, n + HYPERS)] = self.start.hyper_sd**-2.0
        prior = GaussianPrior(np.concatenate([np.zeros(n), HYPER_MEAN]), precision, of_theta.log_det_cov)
        self._priors[spread] = prior
        return prior

    def weighed(self) -> tuple[list[_GivenSpread], Floats]:
        """What holds at each visible s, and the log of its evidence; a search that finds no maximum ends it."""
        if not self.expansions[0].converged:
            only = self.given(self.expansions[0], self._first_sd)
            return [only], np.array([only.evidence])
        width = float(np.log(_ANCHORS[1] / _ANCHORS[0]) / _PER_ANCHOR)
        steps = np.exp(width * (np.arange(_PER_ANCHOR) + 0.5 - _PER_ANCHOR / 2))
        points, first = np.outer(_ANCHORS, steps).ravel(), self._first * _PER_ANCHOR + _PER_ANCHOR // 2
        found, weights = list[_GivenSpread](), list[float]()
        for outwards in (points[first:], points[:first][::-1]):
            expansion = self.expansions[0]
            for point in outwards:
                before = float(log_prior(point, width))
                reached = self._at(expansion, float(point), max(weights, default=-np.inf) - _VISIBLE - before)
                if reached is None:
                    break
                expansion, given = reached
                found.append(given)
                weights.append(given.evidence + before)
        seen = [place for place, weight in enumerate(weights) if weight > max(weights) - _VISIBLE]
        return [found[k] for k in seen], np.array([weights[k] for k in seen])

    def _at(self, expansion: Expansion, spread: float, least: float) -> tuple[Expansion, _GivenSpread] | None:
        """An expansion that holds at s and what holds there.

        None where its evidence stays below `least`, or the search for the last one found no maximum.
        """
        given, prior = self.given(expansion, spread), self._prior(spread)
        if given.evidence < least or not expansion.converged:
            return None
        off = float(np.abs(given.psi - expansion.mode).max())
        if off < _NEAR or (off < _FAR and holds_at(self._likelihood, prior, expansion, given.psi, given.tilt)):
            return expansion, given
        start = expansion.mode + np.clip(given.psi - expansion.mode, -_LEAP, _LEAP)
        expansion = expand(self._likelihood, prior, start, expansion.information, tilt=given.tilt)
        self.expansions.append(expansion)
        return expansion, self.given(expansion, spread)


def _covariance(factor: Floats) -> Floats:
    """From the lower Cholesky factor of a precision."""
    # half the work of solving for a unit matrix
    half = np.tril(dtrtri(factor, lower=1)[0])
    return np.asarray(half.T @ half, dtype=np.float64)


def _bend(likelihood: ItemMarginal, psi: Floats, cov: Floats) -> Floats:
    """How the information on theta changes with each hyper-parameter, theta going along: (3, n, n)."""
    n = len(psi) - HYPERS
    # the regression of psi on phi: what goes along when phi is moved
    path = np.linalg.solve(cov[n:, n:], cov[n:])
    here = likelihood.theta_hessian(psi)
    bend = np.zeros((HYPERS, n, n))
    for k in likelihood.moving:
        bend[k] = (here - likelihood.theta_hessian(psi + _BEND * path[k])) / _BEND
    return bend


def _tilt(cov: Floats, bend: Floats) -> Floats:
    """The slope of -log det(information on theta) / 2 in psi (n + 3,): what a marginal density has on top."""
    n = len(cov) - HYPERS
    of_theta = cov[:n, :n] - cov[:n, n:] @ np.linalg.solve(cov[n:, n:], cov[n:, :n])
    slope = -0.5 * (bend.reshape(HYPERS, -1) @ of_theta.ravel())
    # a slope holds near where it was taken; that in log sd_a fades with sd_a^2, which is what abilities see of it
    moved, reach_a = 0.0, float(cov[n + 1, n + 1] * slope[1])
    for _ in range(_FADING):
        moved = 0.5 * (moved + min(max(reach_a * exp(2 * moved), -2.0), 0.5))
    slope[1] *= exp(2 * moved)
    reach = np.abs(cov[n:, n:] @ slope) / HYPER_SD
    return np.concatenate([np.zeros(n), slope / max(1.0, float(reach.max()) / _FARTHEST)])


def _averaged(given: Sequence[_GivenSpread], log_weights: Floats, search: _Search) -> AbilityPosterior:
    n, weights = len(search.start.psi) - HYPERS, np.asarray(softmax(log_weights), dtype=np.float64)
    of_theta = [each.cov[:n, :n] for each in given]
    theta, theta_cov = _mixture(weights, [each.psi[:n] for each in given], of_theta)
    spread = np.array([each.spread for each in given])
    mean_sd, hyper = float(weights @ spread), weights @ np.array([each.psi[n:] for each in given])
    information = search.expansions[0].information
    return AbilityPosterior(
        theta=theta,
        theta_cov=theta_cov,
        hyper=hyper,
        spread=mean_sd,
        spread_se=float(np.sqrt(weights @ (spread - mean_sd) ** 2)),
        log_evidence=float(logsumexp(log_weights)),
        converged=all(each.converged for each in search.expansions),
        iterations=sum(each.iterations for each in search.expansions),
        end=SearchStart(np.append(theta, hyper), mean_sd, search.start.hyper_sd, information),
    )


def _mixture(weights: Floats, means: Sequence[Floats], covs: Sequence[Floats]) -> tuple[Floats, Floats]:
    mean = weights @ np.array(means)
    off = np.array(means) - mean
    cov = np.tensordot(weights, np.array(covs), axes=1) + (off * weights[:, None]).T @ off
    return np.asarray(mean, dtype=np.float64), np.asarray((cov + cov.T) / 2, dtype=np.float64)
