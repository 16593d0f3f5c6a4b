"""Which of two examinees would be right more often on further questions like these, and how surely.

Of two examinees only the items count that one of them alone has right; among these the first is right with log odds
d. What the pairs of a panel have for d is learned from all of them, as a mixture of normals around 0 of many widths
(adaptive shrinkage: Stephens 2017, Biostatistics 18, 275-294): where most pairs hardly differ, a lead has to be
larger to be believed. Pairs that share parts (a retriever, a model) have a mixture of their own, drawn towards that
of all pairs: the parts they share are no source of difference. It is a probability, and no verdict: two examinees are
told apart by McNemar's exact test alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, log_expit

from viva.core.errors import UsageError
from viva.metrics.irt.model.responses import Floats, Ints, response_matrix

MOST_EXAMINEES = 1000
"""More have half a million pairs, and nobody reads as many."""

# widths of the mixture, in log odds, from pairs that do not differ to pairs of which one has nearly all
_WIDTHS = np.concatenate([[0.02], np.geomspace(0.1, 6.0, 14)])
_HALF = np.geomspace(0.01, 8.0, 60)
_LOG_ODDS = np.concatenate([-_HALF[::-1], [0.0], _HALF])
# differences' worth of belief before any was seen: that a pair does not differ, and in each other width
_BEFORE = np.concatenate([[1.0], np.full(len(_WIDTHS) - 1, 0.1)])
# differences' worth of belief that pairs which share parts differ as all pairs do
_AS_ALL = 5.0
_STEPS, _SETTLED = 500, 1e-6
# tables of outcomes x log odds that are worked out at a time
_TOGETHER = 4096


def probability_better(
    responses: ArrayLike,
    *,
    shared: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    only: Floats | None = None,
) -> Floats:
    """Probability (n, n) that the row's examinee is right more often than the column's; .5 on the diagonal.

    On further items like those of responses (n, m) of 1, 0 and nan (not graded), from the items that both have a
    grade for. `shared` (n, n) numbers which parts a pair shares, alike for pairs that share alike; `counts` (n,) says
    as how many examinees each row counts in what is learned of the differences (copies of one system: one together);
    `only` (n, n) as many items that the row alone has right, in place of those of the responses.
    Raises UsageError above 1,000 examinees.
    """
    values = response_matrix(responses)
    n = len(values)
    if n > MOST_EXAMINEES:
        raise UsageError(
            f"{n} examinees have {n * (n - 1) // 2:,} pairs.",
            allowed=f"At most {MOST_EXAMINEES:,} examinees are compared pair by pair.",
            next_step="Compare those that you choose between.",
        )
    if n < 2:
        return np.full((n, n), 0.5)
    first, second = np.triu_indices(n, 1)
    if only is None:
        only = (values == 1).astype(np.float64) @ (values == 0).astype(np.float64).T
    only_first, only_second = only[first, second], only[second, first]
    weight = np.ones(n) if counts is None else np.asarray(counts, dtype=np.float64)
    kinds = np.zeros(len(first)) if shared is None else np.asarray(shared)[first, second]
    upper = _upper(only_first, only_second, kinds, weight[first] * weight[second], float(weight.sum()))
    found = np.full((n, n), 0.5)
    found[first, second], found[second, first] = upper, 1 - upper
    return found


def exact_p_values(only_first: Floats, only_second: Floats) -> Floats:
    """Two-sided p-values of McNemar's exact test from the items that one of the two alone has right."""
    fewer, both = np.minimum(only_first, only_second), only_first + only_second
    return np.asarray(np.minimum(1.0, 2 * bdtr(fewer, both.astype(np.int64), 0.5)), dtype=np.float64)


def _upper(only_first: Floats, only_second: Floats, kinds: Floats, weight: Floats, examinees: float) -> Floats:
    """Of each pair; `examinees` in all make as many independent differences, less one."""
    more, fewer = np.maximum(only_first, only_second), np.minimum(only_first, only_second)
    # pairs with the same outcome are one row of the tables
    outcomes, of = np.unique(np.stack([more, fewer], axis=1), axis=0, return_inverse=True)
    of = of.ravel()
    by_width = _by_width(outcomes)
    worth = weight * ((examinees - 1) / weight.sum())
    pooled = _mixture(by_width, _seen(of, worth, len(outcomes)), _BEFORE)
    surer, levels = np.empty(len(of)), np.unique(kinds)
    for kind in levels:
        own = kinds == kind
        mixture = pooled
        if len(levels) > 1:
            mixture = _mixture(by_width, _seen(of[own], worth[own], len(outcomes)), _AS_ALL * pooled)
        present = np.unique(of[own])
        table = np.empty(len(outcomes))
        table[present] = _positive(outcomes[present], mixture)
        surer[own] = table[of[own]]
    # rounding may put a lead of none below one half
    surer = np.clip(surer, 0.5, 1.0)
    return np.where(only_first == only_second, 0.5, np.where(only_first > only_second, surer, 1 - surer))


def _seen(of: Ints, worth: Floats, outcomes: int) -> Floats:
    """How often each outcome (t,) was seen."""
    return np.bincount(of, worth, outcomes).astype(np.float64)


def _mixture(by_width: Floats, seen: Floats, before: Floats) -> Floats:
    """Shares (k,) of the widths among outcomes `seen` so often (t,), by EM from beliefs worth `before` (k,)."""
    share = before / before.sum()
    for _ in range(_STEPS):
        joint = by_width * share
        found = (seen / joint.sum(axis=1)) @ joint + before
        found /= found.sum()
        if np.abs(found - share).max() < _SETTLED:
            break
        share = found
    return np.asarray(found, dtype=np.float64)


def _by_width(outcomes: Floats) -> Floats:
    """Likelihood (t, k) of each outcome under each width, the largest over log odds being 1."""
    prior = _prior()
    parts = [_likelihood(outcomes[at : at + _TOGETHER]) @ prior.T for at in range(0, len(outcomes), _TOGETHER)]
    return np.concatenate(parts)


def _positive(outcomes: Floats, mixture: Floats) -> Floats:
    """Posterior probability (t,) that the log odds are above 0."""
    prior, parts = mixture @ _prior(), []
    for at in range(0, len(outcomes), _TOGETHER):
        posterior = _likelihood(outcomes[at : at + _TOGETHER]) * prior
        parts.append(
            (posterior[:, _LOG_ODDS > 0].sum(axis=1) + posterior[:, _LOG_ODDS == 0].sum(axis=1) / 2)
            / posterior.sum(axis=1)
        )
    return np.concatenate(parts)


def _likelihood(outcomes: Floats) -> Floats:
    log = outcomes[:, :1] * log_expit(_LOG_ODDS) + outcomes[:, 1:] * log_expit(-_LOG_ODDS)
    return np.asarray(np.exp(log - log.max(axis=1, keepdims=True)), dtype=np.float64)


def _prior() -> Floats:
    """Probability (k, points) of the log odds under each width."""
    density = np.exp(-0.5 * (_LOG_ODDS / _WIDTHS[:, None]) ** 2) * np.gradient(_LOG_ODDS)
    return np.asarray(density / density.sum(axis=1, keepdims=True), dtype=np.float64)


def shared_parts(components: Sequence[Sequence[object]], examinees: int) -> Ints:
    """Which components each pair has in common (n, n), as a number of its own for each combination."""
    shared = np.zeros((examinees, examinees), dtype=np.int64)
    for place, levels in enumerate(components):
        names = sorted({str(level) for level in levels if level is not None})
        number = np.array([-1 if level is None else names.index(str(level)) for level in levels])
        shared |= ((number[:, None] == number) & (number >= 0)).astype(np.int64) << min(place, 62)
    return shared
