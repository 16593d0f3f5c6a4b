"""Whose answers count once: a system entered twice, or hardly changed, is no second witness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viva.metrics.irt.model.responses import Floats, Ints

# of all pairs that share nothing, this share of exams has one that answers alike by chance
CHANCE = 0.05
# who differs on fewer items than this share of what two that share nothing would: what two such rows tell beyond
# ability has a correlation of .8 or more, and both together are worth at most 1.1 of one
NEARLY = 0.2
# above it, copies are sought among rows that are alike to the letter
MOST_COMPARED = 2000
_TILTS = np.geomspace(0.05, 30.0, 24)


@dataclass(frozen=True, eq=False)
class Witnesses:
    """`rows` (k,) that copy no earlier one, and `copies`: pairs (copy, original) of rows.

    `sizes` (n,): of how many rows, itself included, each is one that copy each other.
    """

    rows: Ints
    copies: tuple[tuple[int, int], ...]
    sizes: Ints


def witnesses(values: Floats, probability: Floats, chosen: Ints | None = None) -> Witnesses:
    """Who answered otherwise than everybody before, from responses (n, m) and the model's probabilities (n, m).

    A row is a copy of an earlier one where the two differ (in the options `chosen` (n, m) too, where they are known)
    on at most a fifth of the items on which two of their abilities that share nothing would, and on so few that less
    than 5% of panels have such a pair by chance. Two who know everything, or answer a few items alike, are no copies.
    """
    n, least = len(values), float(np.log(CHANCE) - np.log(max(len(values) * (len(values) - 1) / 2, 1.0)))
    alike = _same(values, chosen) if n > MOST_COMPARED else _nearly(values, probability, chosen)
    original = np.arange(n)
    for row, earlier in alike:
        # of a copy's own copies the first is the original of all
        if (
            original[row] == row
            and original[earlier] == earlier
            and _log_chance(values, probability, row, earlier) < least
        ):
            original[row] = earlier
    copies = tuple((row, int(first)) for row, first in enumerate(original) if row != first)
    sizes = np.bincount(original, minlength=n)[original]
    return Witnesses(np.flatnonzero(original == np.arange(n)), copies, sizes.astype(np.int64))


def _same(values: Floats, chosen: Ints | None) -> list[tuple[int, int]]:
    """Pairs (row, first row alike to the letter)."""
    first: dict[bytes, int] = {}
    found = list[tuple[int, int]]()
    for row, own in enumerate(values):
        earlier = first.setdefault(own.tobytes() + (b"" if chosen is None else chosen[row].tobytes()), row)
        if earlier != row:
            found.append((row, earlier))
    return found


def _nearly(values: Floats, probability: Floats, chosen: Ints | None) -> list[tuple[int, int]]:
    """Pairs (row, earlier row) that differ on few items, in order."""
    right, wrong = (values == 1).astype(np.float64), (values == 0).astype(np.float64)
    graded = right + wrong
    differ = right @ wrong.T + wrong @ right.T
    if chosen is not None:
        differ += _by_other_options(wrong, chosen)
    hits, misses = probability * graded, (1 - probability) * graded
    expected = hits @ misses.T + misses @ hits.T
    rows, earlier = np.nonzero(np.tril(differ <= NEARLY * expected, -1))
    return list(zip(rows.tolist(), earlier.tolist(), strict=True))


def _by_other_options(wrong: Floats, chosen: Ints) -> Floats:
    """On how many items both are wrong, each by an option of its own, (n, n)."""
    options = [((chosen == option) & (wrong > 0)).astype(np.float64) for option in range(int(chosen.max()) + 1)]
    differ = np.zeros((len(wrong), len(wrong)))
    for place, each in enumerate(options):
        for other in options[place + 1 :]:
            both = each @ other.T
            differ += both + both.T
    return differ


def _log_chance(values: Floats, probability: Floats, row: int, other: int) -> float:
    """Log of a bound on the probability that two who share nothing differ on so few items (Chernoff)."""
    both = ~np.isnan(values[row]) & ~np.isnan(values[other])
    p, q = probability[row, both], probability[other, both]
    apart = p * (1 - q) + q * (1 - p)
    count = float((values[row, both] != values[other, both]).sum())
    if count == 0:
        return float(np.log1p(-apart).sum())
    return float(min(count * t + np.log1p(apart * np.expm1(-t)).sum() for t in _TILTS))
