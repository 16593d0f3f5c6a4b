"""Distractor analysis: who chooses each option of an item, and which options nobody needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.errors import UsageError
from viva.metrics.irt.checks.competing_keys import NOT_CHOSEN, choice_matrix, key_vector
from viva.metrics.irt.model.inputs import Floats, Ints, NotJudged, finite_vector

THIRDS = 3


@dataclass(frozen=True)
class OptionUse:
    """How examinees use one option of one item (both by index).

    `share` is that of the examinees who answered, `by_third` the same among the weakest, middle and ablest third
    (None where none of the third answered). `point_biserial` is the correlation of choosing the option with ability,
    None where nobody or everybody chose it or ability does not vary. A good key has it above 0, a good distractor
    below; a distractor that nobody chose is `idle`.
    """

    item: int
    option: int
    is_key: bool
    count: int
    share: float
    point_biserial: float | None
    by_third: tuple[float | None, float | None, float | None]

    @property
    def idle(self) -> bool:
        """Whether it is a distractor that nobody chose."""
        return not self.is_key and self.count == 0


def option_use(
    choices: ArrayLike, key: ArrayLike, theta: ArrayLike, options: int | ArrayLike
) -> tuple[OptionUse, ...] | NotJudged:
    """Every option of every item that somebody answered, in order of item and option.

    `choices` (n, m) are option indices, -1 for none; `key` (m,) the keyed option; theta (n,) abilities; `options` the
    number of options of all items, or of each (m,). Thirds are cut at the same places for all items. Source: Haladyna
    & Rodriguez (2013), Developing and Validating Test Items, ch. 18. Raises UsageError where a choice or key is not
    among the options; NotJudged without any answer.
    """
    chosen = choice_matrix(choices)
    keys = key_vector(key, chosen.shape[1])
    ability = finite_vector(theta, len(chosen), "theta")
    counts = np.broadcast_to(np.asarray(options), keys.shape)
    if (chosen >= counts).any() or (keys >= counts).any():
        raise UsageError("A choice or a key is not among its item's options.", allowed="Indices below their number.")
    if not (chosen != NOT_CHOSEN).any():
        return NotJudged("no examinee chose an option")
    third = _thirds(ability)
    return tuple(
        _use(chosen[:, j], j, option, int(keys[j]), ability, third)
        for j in range(len(keys))
        if (chosen[:, j] != NOT_CHOSEN).any()
        for option in range(int(counts[j]))
    )


def _thirds(ability: Floats) -> Ints:
    """0, 1 or 2 per examinee: equal abilities never fall into different thirds."""
    cuts = np.quantile(ability, np.arange(1, THIRDS) / THIRDS)
    return np.searchsorted(cuts, ability, side="right").astype(np.int64)


def _use(chosen: Ints, item: int, option: int, key: int, ability: Floats, third: Ints) -> OptionUse:
    answered = chosen != NOT_CHOSEN
    hit = (chosen == option)[answered].astype(np.float64)
    weakest, middle, ablest = (_mean(hit[third[answered] == k]) for k in range(THIRDS))
    return OptionUse(
        item=item,
        option=option,
        is_key=option == key,
        count=int(hit.sum()),
        share=float(hit.mean()),
        point_biserial=_correlation(hit, ability[answered]),
        by_third=(weakest, middle, ablest),
    )


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _correlation(hit: Floats, ability: Floats) -> float | None:
    if np.ptp(hit) == 0 or np.ptp(ability) == 0:
        return None
    return float(np.corrcoef(hit, ability)[0, 1])
