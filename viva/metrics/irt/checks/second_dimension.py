"""Does one ability describe the answers? Models with positive slopes against models that let examinees specialise.

An item with a positive slope is easier for the abler examinee. Where some examinees are good at some items and others
at others, the answers call for a second dimension, or for one factor with loadings of both signs, which describes two
kinds of specialists that are right equally often. The second dimension matters where one of these predicts held-out
answers better, for sure, than both the response model and a factor model whose loadings are not negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.estimates import Estimate
from viva.metrics.irt.checks.factors import fit_factors
from viva.metrics.irt.checks.held_out import gain_over_items, item_losses, split_cells
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.formats import ItemFormats
from viva.metrics.irt.model.responses import Bools, Floats, Ints, NotJudged, probability_matrix, response_matrix

# fewer leave nothing to be told apart in two ways
FEWEST_EXAMINEES, FEWEST_ITEMS = 8, 20
# of more cells a sample is looked at: what hangs together shows in a part
_MOST_EXAMINEES, _MOST_ITEMS = 200, 500
# a gain below this changes no reading: a hundredth of what a coin tells
MATTERS = 0.005
# cells are held out in as many draws of a fifth as make about so many
_HELD, _HELD_CELLS, _MOST_DRAWS = 0.2, 1500, 4
# of the four models those with positive slopes, and those that let examinees specialise
_POSITIVE, _FREE = slice(0, 2), slice(2, 4)
# directions in the plane of two dimensions
_ANGLES = 180
# loadings that differ by less are equally large, whatever the machine
_SIGN_DIGITS = 6


# as many as a sentence holds
_EXAMINEES_NAMED, _ITEMS_NAMED, _TOPICS_NAMED = 3, 4, 2
# a topic is on a side where the mean loading of its items is, beyond what a few loadings happen to add up to
_ITEMS_OF_TOPIC, _TOPIC_T = 4, 3.0


@dataclass(frozen=True)
class SpecialistSide:
    """Examinees (rows) that do better on some items (columns) than on others; the furthest to their side first."""

    examinees: tuple[int, ...]
    items: tuple[int, ...]
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SecondDimension:
    """What a model that lets examinees specialise adds to the prediction of held-out answers.

    `one` is the mean log-loss of the better of the models with positive slopes, `two` that of the better of two
    dimensions and one factor with loadings of both signs, `gain` the first less the second with a 95% interval over
    items. `places` (n,) of the examinees and `loadings` (m,) of the items are along the axis that most sets items
    against each other, nan for those not looked at: an examinee above 0 does better on items above 0 than on those
    below. It `matters` where the gain is above 0 for sure, and no smaller than .005.
    """

    one: float
    two: float
    gain: Estimate
    places: Floats
    loadings: Floats

    @property
    def matters(self) -> bool:
        """Tell whether one ability leaves out what these answers show."""
        return self.gain.low > 0 and self.gain.value > MATTERS

    def sides(self, topics: Sequence[str] = ()) -> tuple[SpecialistSide, SpecialistSide]:
        """Who does better on which items than the others do; `topics` (m,) of the items, where they have such."""
        one, other = (
            SpecialistSide(
                _furthest(sign * self.places, _EXAMINEES_NAMED),
                _furthest(sign * self.loadings, _ITEMS_NAMED),
                _topics_of(sign * self.loadings, topics),
            )
            for sign in (1.0, -1.0)
        )
        return one, other


def _furthest(along: Floats, most: int) -> tuple[int, ...]:
    """Places of the largest numbers above 0."""
    order = np.argsort(np.nan_to_num(-along).round(_SIGN_DIGITS), kind="stable")[:most]
    return tuple(int(place) for place in order if along[place] > 0)


def _topics_of(loadings: Floats, topics: Sequence[str]) -> tuple[str, ...]:
    """Topics whose items load above 0, the surest first; none where all items are of one."""
    sure = dict[str, float]()
    for topic in set(topics) - {""} if len(set(topics)) > 1 else ():
        own = np.array([each for each, of in zip(loadings.tolist(), topics, strict=True) if of == topic])
        own = own[np.isfinite(own)]
        if len(own) >= _ITEMS_OF_TOPIC and own.mean() > 0:
            sure[topic] = float(own.mean() / max(own.std(ddof=1) / len(own) ** 0.5, 1e-9))
    found = [topic for topic in sorted(sure, key=lambda topic: (-sure[topic], topic)) if sure[topic] > _TOPIC_T]
    return tuple(found[:_TOPICS_NAMED])


def second_dimension(responses: ArrayLike, formats: ItemFormats, *, seed: int = 0) -> SecondDimension | NotJudged:
    """The second dimension of responses (n, m) of 1, 0 and nan; of large matrices, of a sample drawn by the seed.

    The response model is that of `formats`. NotJudged below 8 examinees or 20 items, and
    where too few cells can be held out.
    """
    values = response_matrix(responses)
    n, m = values.shape
    if n < FEWEST_EXAMINEES or m < FEWEST_ITEMS:
        return NotJudged(f"it takes at least {FEWEST_EXAMINEES} examinees and {FEWEST_ITEMS} items")
    draw = np.random.default_rng([seed, 2])
    rows = np.sort(draw.choice(n, min(n, _MOST_EXAMINEES), replace=False))
    columns = np.sort(draw.choice(m, min(m, _MOST_ITEMS), replace=False))
    seen = values[np.ix_(rows, columns)]
    held, one, two = _held_out_losses(seen, formats, columns, seed)
    if int((held > 0).sum()) < FEWEST_ITEMS:
        return NotJudged(f"fewer than {FEWEST_ITEMS} items have answers that could be held out")
    places, loadings = np.full(n, np.nan), np.full(m, np.nan)
    places[rows], loadings[columns] = opposed(seen)
    return SecondDimension(
        one=float(one.sum() / held.sum()),
        two=float(two.sum() / held.sum()),
        gain=gain_over_items(one - two, held, seed=seed),
        places=places,
        loadings=loadings,
    )


def _held_out_losses(seen: Floats, formats: ItemFormats, columns: Ints, seed: int) -> tuple[Ints, Floats, Floats]:
    """Of each item (m,): cells held out, and log-loss on them by the better model of either kind.

    Once where the free models gain nothing in the first draw: then more draws are not going to make it sure.
    """
    cells = int((~np.isnan(seen)).sum())
    draws = min(_MOST_DRAWS, max(1, round(_HELD_CELLS / (_HELD * max(cells, 1)))))
    held, losses = np.zeros(seen.shape[1], dtype=np.int64), np.zeros((4, seen.shape[1]))
    for draw in range(draws):
        hidden = split_cells(seen, held=_HELD, seed=seed + draw)
        held += hidden.sum(axis=0)
        losses += _losses(seen, hidden, formats, columns)
        one, two = (min(losses[kind], key=lambda each: float(each.sum())) for kind in (_POSITIVE, _FREE))
        if one.sum() <= two.sum():
            break
    return held, one, two


def _losses(seen: Floats, hidden: Bools, formats: ItemFormats, columns: Ints) -> Floats:
    """Log-losses on the hidden cells by model and item (4, m): the two positive ones first."""
    kept = np.where(hidden, np.nan, seen)
    predicted = (
        _by_response_model(kept, formats, columns),
        fit_factors(kept, 1, positive=True).probability,
        fit_factors(kept, 1).probability,
        fit_factors(kept, 2).probability,
    )
    return np.stack([item_losses(probability_matrix(each, seen.shape), seen, hidden)[0] for each in predicted])


def _by_response_model(kept: Floats, formats: ItemFormats, columns: Ints) -> Floats:
    return fit(
        kept,
        model=[formats.models[column] for column in columns.tolist()],
        guessing=formats.guessing[columns],
        options=(1 / formats.prior_guessing[columns]).tolist(),
    ).predict()


def opposed(seen: Floats) -> tuple[Floats, Floats]:
    """Places (n,) and loadings (m,) along the axis of two dimensions that most sets items against each other.

    That is where the smaller of two sums is largest: of the squared loadings above 0, and of those below. The largest
    loading is above 0.
    """
    found = fit_factors(seen, 2)
    angles = np.pi * np.arange(_ANGLES) / _ANGLES
    axes = np.stack([np.cos(angles), np.sin(angles)])
    along = found.w @ axes
    sides = np.minimum((np.maximum(along, 0) ** 2).sum(axis=0), (np.minimum(along, 0) ** 2).sum(axis=0))
    best = int(sides.argmax())
    loadings = along[:, best]
    sign = -1.0 if loadings[np.abs(loadings.round(_SIGN_DIGITS)).argmax()] < 0 else 1.0
    return sign * (found.z @ axes[:, best]), sign * loadings
