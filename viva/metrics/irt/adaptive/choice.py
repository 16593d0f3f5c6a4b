"""Which item comes next: the most informative one, balanced over topics, then one drawn at random."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.adaptive.ability import GridPosterior
from viva.metrics.irt.adaptive.bank import AdaptivePlan, Bank, Criterion
from viva.metrics.irt.model.curves import information_3pl, probability_3pl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# nodes that weigh less than this cannot change which item is best
_NEGLIGIBLE = 1e-5
_DIGITS = 9
# streams of random numbers of one sitting
_EXPOSURE, _DRAW = 1, 2


def worth(criterion: Criterion, posterior: GridPosterior, bank: Bank, items: Ints) -> Floats:
    """How good each of `items` (k,) would be as the next: higher is better; of shape (k,)."""
    a, b, c = bank.a[items], bank.b[items], bank.c[items]
    if criterion == "information":
        return np.asarray(information_3pl(posterior.mean, a, b, c)[0], dtype=np.float64)
    seen = posterior.weights > _NEGLIGIBLE
    nodes, weights = posterior.nodes[seen], posterior.weights[seen]
    if criterion == "posterior":
        return np.asarray(weights @ information_3pl(nodes, a, b, c), dtype=np.float64)
    return -_expected_variance(nodes - posterior.mean, weights, probability_3pl(nodes, a, b, c))


def _expected_variance(nodes: Floats, weights: Floats, p: Floats) -> Floats:
    """Posterior variance expected after an answer, up to a constant; nodes (q,) around the mean, p (q, k)."""
    right, first = weights @ p, (weights * nodes) @ p
    total, total_first = weights.sum(), float(weights @ nodes)
    tiny = np.finfo(np.float64).tiny
    explained = first**2 / np.maximum(right, tiny) + (total_first - first) ** 2 / np.maximum(total - right, tiny)
    return np.asarray(-explained, dtype=np.float64)


def adaptive_item(bank: Bank, plan: AdaptivePlan, posterior: GridPosterior, asked: Sequence[int]) -> int | None:
    """The next item of the adaptive phase; None where no item that the plan allows is left."""
    free = np.setdiff1d(np.arange(len(bank)), np.asarray(asked, dtype=np.int64))
    if plan.topic_shares:
        topic = _topic_in_want(plan.topic_shares, [bank.topics[i] for i in asked], {bank.topics[i] for i in free})
        free = np.array([i for i in free if bank.topics[i] == topic], dtype=np.int64)
    if not len(free):
        return None
    # items with the same curve are a tie, whatever the last digits of their sums
    order = np.argsort(-np.round(worth(plan.criterion, posterior, bank, free), _DIGITS), kind="stable")
    best = free[order[: plan.top_k]]
    if len(best) == 1:
        return int(best[0])
    return int(np.random.default_rng([plan.seed, _EXPOSURE, len(asked)]).choice(best))


def _topic_in_want(shares: Mapping[str, float], asked: Sequence[str], left: set[str]) -> str | None:
    """The topic furthest below its share of the items asked so far (Kingsbury & Zara 1989), among those left."""
    total = sum(shares.values())
    lack = [
        (share / total * (len(asked) + 1) - asked.count(topic), share, topic)
        for topic, share in sorted(shares.items())
        if share > 0 and topic in left
    ]
    return max(lack, key=lambda each: each[:2])[2] if lack else None


def drawn_items(bank: Bank, plan: AdaptivePlan, chosen: Sequence[int]) -> list[int]:
    """The items that are not `chosen`, all of them, in the order in which they are drawn.

    Systematic sampling from a random start along the items sorted by topic and difficulty, in van der Corput's order:
    each item is as likely as any other to be the first, the second, and so on, and the first few of them, however
    many, are spread evenly over topics and difficulties.
    """
    left = np.setdiff1d(np.arange(len(bank)), np.asarray(chosen, dtype=np.int64))
    if not len(left):
        return []
    topics = np.array(bank.topics)[left] if bank.topics else np.zeros(len(left))
    line = left[np.lexsort((bank.b[left], topics))]
    start = np.random.default_rng([plan.seed, _DRAW]).integers(len(line))
    # so many points come to every place at least once
    from scipy.stats.qmc import Halton

    points = Halton(1, scramble=False).random(2 ** math.ceil(math.log2(len(line))))[:, 0]
    places = dict.fromkeys(((points * len(line)).astype(np.int64) + start) % len(line))
    return [int(line[place]) for place in places]
