"""Which item comes next: the most informative one, balanced over topics, then a stratified random draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.adaptive_ability import GridPosterior
from viva.metrics.irt.adaptive_bank import Bank, Criterion, Plan
from viva.metrics.irt.curves import information_3pl, probability_3pl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# nodes that weigh less than this cannot change which item is best
_NEGLIGIBLE = 1e-5
_DIGITS = 9
# streams of random numbers of one sitting
_EXPOSURE, _STRATA = 1, 2


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


def adaptive_item(bank: Bank, plan: Plan, posterior: GridPosterior, asked: Sequence[int]) -> int | None:
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


def strata(bank: Bank, plan: Plan, adaptive: Sequence[int]) -> list[Ints]:
    """The items left by the adaptive phase, in strata of difficulty of nearly one size, easiest first."""
    left = np.setdiff1d(np.arange(len(bank)), np.asarray(adaptive, dtype=np.int64))
    by_difficulty = left[np.argsort(bank.b[left], kind="stable")]
    count = max(1, min(plan.strata, plan.random_items, len(left)))
    return [np.asarray(part, dtype=np.int64) for part in np.array_split(by_difficulty, count)]


def random_items(bank: Bank, plan: Plan, adaptive: Sequence[int]) -> list[int]:
    """The items of the random phase in the order they are asked: each round takes one of every stratum."""
    rng = np.random.default_rng([plan.seed, _STRATA])
    shuffled = [rng.permutation(part) for part in strata(bank, plan, adaptive)]
    rounds = [
        [int(part[r]) for part in shuffled if r < len(part)] for r in range(max(len(part) for part in shuffled))
    ]
    # a round cut short must not be the easiest items only
    drawn = [int(item) for each in rounds for item in rng.permutation(each)]
    return drawn[: plan.random_items]
