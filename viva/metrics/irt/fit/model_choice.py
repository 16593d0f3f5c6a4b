"""Which response model the answers call for: the one under which they are likeliest, items and abilities integrated.

A model declared without regard to the answers costs more than it gains: open answers under a model with guessing
near 1/4 are predicted worse than by a plain additive one. The marginal likelihood weighs fit against freedom, and
agrees with the prediction of held-out answers (docs/decisions/0027).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from viva.core.errors import UsageError
from viva.metrics.irt.fit.items_integrated.likelihood import ItemMarginal
from viva.metrics.irt.fit.items_integrated.posterior import AbilityPosterior, ability_posterior
from viva.metrics.irt.fit.methods import Problem, rough_start
from viva.metrics.irt.model.formats import MODELS, ItemFormats, item_formats
from viva.metrics.irt.model.responses import Floats

AUTO = "auto"
# models are told apart by far fewer answers than abilities are
_MOST_EXAMINEES, _MOST_ITEMS = 40, 250
# guessing is sought at these shares of 1 / options: people and models reject options before they guess
_SHARES_OF_CHANCE = (0.25, 0.5, 1.0)
_1PL, _2PL, _LITTLE, _SOME, _MOST = range(2 + len(_SHARES_OF_CHANCE))
"""The candidates, in their order."""
# so large a sum (`_slopes_seen`) puts equal slopes far behind: by 10 in log marginal likelihood on real matrices
_SLOPES_DIFFER = 2500.0
# the joint mode draws the mean of logit guessing in, by about so much times the root of the number of responses
_DRAWN_IN = 0.0009
# differences of log marginal likelihood that the search itself leaves open
_STEADY_DIGITS = 1


@dataclass(frozen=True)
class _Candidate:
    model: str
    share_of_chance: float = 1.0

    def formats(
        self, models: Sequence[str], guessing: ArrayLike | None, options: int | Sequence[float]
    ) -> ItemFormats:
        """Those of the items with this model where none was declared."""
        own = [self.model if each == AUTO else each for each in models]
        formats = item_formats(len(own), own, guessing, options)
        chosen = np.array([each == AUTO for each in models])
        share = np.where(chosen, self.share_of_chance, 1.0)
        return replace(formats, prior_guessing=formats.prior_guessing * share, share_of_chance=self.share_of_chance)

    def named(self, formats: ItemFormats) -> str:
        near = np.unique(np.round(formats.prior_guessing[formats.free_guessing], 2))
        if self.model != "3pl" or not len(near):
            return self.model
        return f"3pl with guessing near {' and '.join(f'{each:.2f}' for each in near)}"


def chosen_formats(
    values: Floats, model: str | Sequence[str], guessing: ArrayLike | None, options: int | Sequence[float]
) -> tuple[ItemFormats, str]:
    """Formats of the items of responses `values` (n, m), and in words what was chosen where `model` is "auto".

    Candidates: 1pl, 2pl, and 3pl with guessing near 1, 1/2 and 1/4 of 1 / options; without a 3pl where the guessing
    of all such items is fixed. Of large matrices a sample is looked at, spread evenly over scores. Raises UsageError
    as item_formats does.
    """
    items = values.shape[1]
    models = (model,) * items if isinstance(model, str) else tuple(model)
    if AUTO not in models:
        return item_formats(items, model, guessing, options), _declared(models)
    wanted = [_Candidate("1pl"), _Candidate("2pl")]
    free = item_formats(items, ["3pl" if each == AUTO else each for each in models], guessing, options).free_guessing
    if any(each == AUTO and open_guess for each, open_guess in zip(models, free, strict=True)):
        wanted += [_Candidate("3pl", share) for share in _SHARES_OF_CHANCE]
    formats = [each.formats(models, guessing, options) for each in wanted]
    rows, columns = _sample(values)
    seen = values[np.ix_(rows, columns)]
    evidence = _log_evidence(seen, [_columns(each, columns) for each in formats])
    order = sorted(range(len(wanted)), key=lambda k: (-np.round(evidence[k], _STEADY_DIGITS), k))
    best, next_best = order[0], order[1]
    if not np.isfinite(evidence[best]):
        best = next(k for k, each in enumerate(wanted) if each.model == "2pl")
        return formats[best], "2pl, for no model's marginal likelihood could be had"
    sampled = "" if seen.size == values.size else f", on {len(rows)} examinees x {len(columns)} items"
    ahead = f"{evidence[best] - evidence[next_best]:.1f}" if np.isfinite(evidence[next_best]) else "far"
    return formats[best], (
        f"{wanted[best].named(formats[best])}, the likeliest of {len(wanted)} models ({ahead} in log marginal "
        f"likelihood above {wanted[next_best].named(formats[next_best])}{sampled})"
    )


def _declared(models: Sequence[str]) -> str:
    return f"{' and '.join(each for each in MODELS if each in models)} as declared"


def _columns(formats: ItemFormats, columns: Sequence[int]) -> ItemFormats:
    models = tuple(formats.models[column] for column in columns)
    return ItemFormats(models, formats.guessing[columns], formats.prior_guessing[columns])


def _sample(values: Floats) -> tuple[list[int], list[int]]:
    """Places of the examinees and items looked at, in their order."""
    graded = np.maximum((~np.isnan(values)).sum(axis=1), 1), np.maximum((~np.isnan(values)).sum(axis=0), 1)
    right = values == 1
    rows = _spread(right.sum(axis=1) / graded[0], _MOST_EXAMINEES)
    return rows, _spread(right.sum(axis=0) / graded[1], _MOST_ITEMS)


def _spread(shares: Floats, most: int) -> list[int]:
    """At most so many places, evenly over the order of their shares of right answers."""
    order = np.argsort(shares, kind="stable")
    if len(order) > most:
        order = order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]
    return sorted(int(place) for place in order)


def _log_evidence(values: Floats, formats: Sequence[ItemFormats]) -> Floats:
    """Of responses (n, m) under each of the models, in the order of `chosen_formats`; -inf where it was not had.

    From no guessing (2pl) to the most, evidence has one peak. Guessing near half of chance is looked at first: to
    which side the answers move its mean, there the peak is. Equal slopes are looked at where they may win. The items'
    spreads stay at the joint mode, which takes three quarters of the time and mostly moves evidence by less than .1.
    """
    evidence, found = np.full(len(formats), -np.inf), dict[int, AbilityPosterior]()
    first = _SOME if len(formats) > _SOME else _2PL

    def look(k: int) -> float:
        problem = Problem(values, formats[k])
        start = rough_start(problem)
        if k in (_LITTLE, _MOST) and first in found:
            # how far the spread of b may be from 1 is for each model to say
            start = replace(found[first].end, hyper_sd=start.hyper_sd)
        try:
            here = ability_posterior(ItemMarginal(values, formats[k]), start, tilted=False)
        except UsageError:
            return -np.inf
        if here.converged:
            found[k], evidence[k] = here, here.log_evidence
        return float(evidence[k])

    some = look(first)
    if first == _SOME:
        more = first not in found or found[first].hyper[-1] >= -_DRAWN_IN * np.sqrt(values.size)
        if more:
            look(_MOST)
        if not more or first not in found:
            look(_LITTLE)
    if first not in found or _slopes_seen(values, found[first].hyper) < _SLOPES_DIFFER:
        look(_1PL)
    if first == _SOME and (evidence[_LITTLE] >= some or evidence[_1PL] >= evidence[_LITTLE:].max()):
        look(_2PL)
    return evidence


def _slopes_seen(values: Floats, hyper: Floats) -> float:
    """What the items' log slopes add to the likelihood, in proportion: items x (examinees x their variance)^2."""
    return float(values.shape[1] * (len(values) * np.exp(2 * hyper[1])) ** 2)
