"""S-X2: does the share of right answers rise with the score as an item's curve says?

Source: Orlando & Thissen (2000), Applied Psychological Measurement 24, 50-64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.checks.discoveries import benjamini_hochberg
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.responses import Bools, Floats, Ints, NotJudged, finite_vector, response_matrix

# below this the chi-square of cells that expect about one answer is no chi-square
FEW_EXAMINEES = 200
FEW_ITEMS = 3
_LEAST_EXPECTED = 1.0
_NODES = np.linspace(-6.0, 6.0, 121)
# a probability below the first is none; looked for each time that so many items were added
_NOTHING, _OFTEN = 1e-150, 16


@dataclass(frozen=True, eq=False)
class ScoreFit:
    """S-X2 per item, each (m,): statistic, degrees of freedom, p-value, p-value adjusted by Benjamini-Hochberg.

    An item that is not `judged` (no degree of freedom is left after score groups were merged) has the p-values 1.
    `examinees` had every item graded and were used.
    """

    statistic: Floats
    df: Floats
    p_value: Floats
    adjusted: Floats
    judged: Bools
    examinees: int


def score_fit(
    responses: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    *,
    fitted_parameters: int | Ints = 3,
    population: tuple[float, float] = (0.0, 1.0),
) -> ScoreFit | NotJudged:
    """S-X2 of items with parameters a, b, c (m,) from responses (n, m) of 1, 0 and nan.

    Examinees are grouped by their number of right answers; groups are merged from both ends towards the middle until
    each expects one right and one wrong answer. `fitted_parameters` per item (one number for all, or (m,)) were
    estimated from these responses (0: none) and are taken from the degrees of freedom.
    Abilities are normal with the mean and sd of `population`. Only examinees with every item graded are used:
    NotJudged where they are fewer than 200, or items fewer than three. An item so far off that all groups merge into
    a few is not judged either: see its mean squares.
    """
    values = response_matrix(responses)
    items = values.shape[1]
    parameters = [finite_vector(each, items, name) for each, name in ((a, "a"), (b, "b"), (c, "c"))]
    if population[1] <= 0:
        raise UsageError(f"The population's sd is {population[1]}.", allowed="Above 0.")
    complete = values[~np.isnan(values).any(axis=1)]
    if len(complete) < FEW_EXAMINEES:
        return NotJudged(
            f"{len(complete)} examinees have every item graded: S-X2 compares shares within groups of equal score "
            f"and needs at least {FEW_EXAMINEES}"
        )
    if items < FEW_ITEMS:
        return NotJudged(f"{counted(items, 'item')}: without others there is no score to group examinees by")
    right = probability_3pl(population[0] + population[1] * _NODES, *parameters)
    weight = np.exp(-0.5 * _NODES**2)
    expected = _expected_shares(right, weight / weight.sum())
    found = [_item(complete, expected[:, j], j) for j in range(items)]
    statistic, groups = (np.array(column, dtype=np.float64) for column in zip(*found, strict=True))
    df = groups - fitted_parameters
    judged = df > 0
    p_value = np.where(judged, chdtrc(np.maximum(df, 1), statistic), 1.0)
    adjusted = np.ones(items)
    adjusted[judged] = benjamini_hochberg(p_value[judged])
    return ScoreFit(statistic, np.maximum(df, 0), p_value, adjusted, judged, len(complete))


def _expected_shares(right: Floats, weight: Floats) -> Floats:
    """Share of right answers to each item among examinees of scores 1 to m-1, of shape (m-1, m)."""
    nodes, items = right.shape
    nothing = np.ones((1, nodes))
    every = _with_items(nothing, right) @ weight
    shares = np.empty((items - 1, items))
    for j, rest in _rest_scores(right, np.arange(items), nothing):
        # a right answer and a rest score of k-1 make the score k; an underflow at the ends stays 0
        shares[:, j] = (rest[:-1] @ (right[:, j] * weight)) / np.maximum(every[1:-1], 1e-300)
    return shares


def _rest_scores(right: Floats, items: Ints, others: Floats) -> Iterator[tuple[int, Floats]]:
    """Each of `items` with the score distribution of all items but itself; `others` is that of all but `items`.

    Halving shares the work among items: m log m steps rather than m^2.
    """
    if len(items) == 1:
        yield int(items[0]), others
        return
    first, second = np.array_split(items, 2)
    yield from _rest_scores(right, first, _with_items(others, right[:, second]))
    yield from _rest_scores(right, second, _with_items(others, right[:, first]))


def _with_items(scores: Floats, right: Floats) -> Floats:
    """Probability of each score at each node, (k+1, nodes), with more items added (Lord & Wingersky 1984)."""
    start, (nodes, items) = len(scores), right.shape
    grown, moved = np.zeros((start + items, nodes)), np.empty((start + items - 1, nodes))
    grown[:start] = scores
    for j in range(items):
        p, last = right[:, j], start + j
        np.multiply(grown[:last], p, out=moved[:last])
        grown[:last] *= 1 - p
        grown[1 : last + 1] += moved[:last]
        if j % _OFTEN == 0:
            # arithmetic with numbers next to the smallest there are is a hundred times slower
            grown[grown < _NOTHING] = 0.0
    return grown


def _item(complete: Floats, shares: Floats, item: int) -> tuple[float, int]:
    """The statistic of one item and the number of score groups it is summed over."""
    items = complete.shape[1]
    scores = complete.sum(axis=1).astype(np.int64)
    size = np.bincount(scores, minlength=items + 1)[1:items]
    hits = np.bincount(scores, weights=complete[:, item], minlength=items + 1)[1:items]
    groups = _merged(np.stack([hits, size - hits, size * shares, size * (1 - shares)], axis=1))
    observed, expected = groups[:, :2], groups[:, 2:]
    if (expected <= 0).any():
        return 0.0, 0
    return float(((observed - expected) ** 2 / expected).sum()), len(groups)


def _merged(groups: Floats) -> Floats:
    """Groups (k, 4) of observed and expected counts, merged from both ends inwards until each expects enough."""
    rows: list[list[float]] = groups[groups[:, 2] + groups[:, 3] > 0].tolist()

    def sparse(place: int) -> bool:
        return min(rows[place][2:]) < _LEAST_EXPECTED

    # how many from below and from above expect enough: merging on leaves them so
    below, above = 0, 0
    while len(rows) > 1:
        while below < len(rows) and not sparse(below):
            below += 1
        if below == len(rows):
            break
        while not sparse(len(rows) - 1 - above):
            above += 1
        low = below if below < len(rows) / 2 else len(rows) - 2 - above
        rows[low : low + 2] = [[one + other for one, other in zip(*rows[low : low + 2], strict=True)]]
    return np.array(rows) if rows else np.zeros((0, 4))
