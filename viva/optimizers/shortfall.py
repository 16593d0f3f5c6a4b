"""Where an exam tells too little: the ability regions and topics that a writer is sent back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.model.curves import information_3pl

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shortfall:
    """Information that is missing in a region of ability (from `low` to `high`), and in a topic ("" for any).

    `information` is what the exam has there, `wanted` what it should have, as means over the region. `difficulty` is
    the b at which items tell most about the region's middle, `items` about how many of the exam's usual
    discrimination and guessing it takes.
    """

    low: float
    high: float
    topic: str
    information: float
    wanted: float
    difficulty: float
    items: int

    @property
    def missing(self) -> float:
        """Information that is wanted and not there."""
        return self.wanted - self.information


def shortfalls(
    theta: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    *,
    se_wanted: float,
    topics: Sequence[str] = (),
    shares: Mapping[str, float] | None = None,
    regions: int = 10,
) -> tuple[Shortfall, ...]:
    """Where the exam measures its examinees worse than `se_wanted`, most missing first.

    theta (n,) are the examinees' abilities: regions are their quantiles (deciles if 10), so that nothing is asked for
    where nobody is; a region without examinees of its own (ties) is none. With `topics` (one per item) the
    information wanted, 1 / se_wanted^2, is divided by `shares` (evenly over the items' topics if not given), and a
    topic is asked for wherever it falls short of its share.
    """
    ability, slope, location, floor = (np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (theta, a, b, c))
    _check(ability, slope, topics, se_wanted, regions)
    parts = _parts(topics, shares, len(slope))
    each = information_3pl(ability, slope, location, floor)
    usual = (float(np.median(slope)), float(np.median(floor))) if len(slope) else (1.0, 0.0)
    found = []
    for low, high, inside in _regions(ability, regions):
        for topic, share, members in parts:
            has = float(each[inside][:, members].sum(axis=1).mean())
            wanted = share / se_wanted**2
            if has < wanted:
                middle = float(np.median(ability[inside]))
                difficulty, per_item = _best_item(middle, *usual)
                count = int(np.ceil((wanted - has) / per_item))
                found.append(Shortfall(low, high, topic, has, wanted, difficulty, count))
    return tuple(sorted(found, key=lambda lack: (-lack.missing, lack.low, lack.topic)))


def _check(ability: Floats, slope: Floats, topics: Sequence[str], se_wanted: float, regions: int) -> None:
    if not len(ability) or not np.isfinite(ability).all():
        raise UsageError("Without finite abilities there is no telling where information is lacking.")
    if se_wanted <= 0 or regions < 1:
        raise UsageError(f"A standard error of {se_wanted} in {regions} regions.", allowed="Above 0; at least 1.")
    if topics and len(topics) != len(slope):
        raise UsageError(f"{len(topics)} topics for {len(slope)} items.", allowed="One per item, or none.")


def _parts(
    topics: Sequence[str], shares: Mapping[str, float] | None, items: int
) -> list[tuple[str, float, NDArray[np.bool_]]]:
    """Topics with the share of information each should have and which items are of it."""
    wanted = shares or dict.fromkeys(topics, 1.0)
    total = sum(wanted.values())
    if not topics and shares:
        raise UsageError("Shares of topics are given, and no item's topic.", next_step="Give `topics`, one per item.")
    if not wanted:
        return [("", 1.0, np.ones(items, dtype=np.bool_))]
    if total <= 0 or min(wanted.values()) < 0:
        raise UsageError("A topic's share is below 0, or all are 0.", allowed="Shares of 0 or more.")
    own = np.array(topics, dtype=np.str_)
    return [(topic, share / total, own == topic) for topic, share in sorted(wanted.items())]


def _regions(ability: Floats, count: int) -> list[tuple[float, float, NDArray[np.bool_]]]:
    edges = np.quantile(ability, np.linspace(0, 1, count + 1))
    place = np.clip(np.searchsorted(edges, ability, side="right") - 1, 0, count - 1)
    return [(float(edges[k]), float(edges[k + 1]), place == k) for k in range(count) if (place == k).any()]


def _best_item(theta: float, a: float, c: float) -> tuple[float, float]:
    """The difficulty at which an item of this a and c tells most at theta, and how much (Lord 1980, eq. 10-4)."""
    slope = max(a, 0.1)
    b = theta - float(np.log((1 + np.sqrt(1 + 8 * c)) / 2)) / slope
    return b, float(information_3pl(theta, slope, b, c)[0, 0])
