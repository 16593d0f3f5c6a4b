"""What an adaptive sitting starts from: a calibrated bank and a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError

Floats = NDArray[np.float64]
Criterion = Literal["posterior", "information", "variance"]


@dataclass(frozen=True, eq=False)
class Bank:
    """Items a, b, c (m,) calibrated on one scale; `topics` names one topic per item, or is empty."""

    a: Floats
    b: Floats
    c: Floats
    topics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("a", "b", "c"):
            object.__setattr__(self, name, np.atleast_1d(np.asarray(getattr(self, name), dtype=np.float64)))
        if self.a.ndim != 1 or not self.a.shape == self.b.shape == self.c.shape or not len(self.a):
            raise UsageError(f"Item parameters have the shapes {self.a.shape}, {self.b.shape}, {self.c.shape}.")
        if not np.isfinite([self.a, self.b, self.c]).all() or (self.c < 0).any() or (self.c >= 1).any():
            raise UsageError("An item's parameters are not usable.", allowed="Finite a and b; c from 0 to below 1.")
        if self.topics and len(self.topics) != len(self.a):
            raise UsageError(f"{len(self.topics)} topics for {len(self.a)} items.", allowed="One per item, or none.")

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True)
class Plan:
    """How to examine. Abilities are on the bank's scale.

    `criterion` by which the next item is the best:
      posterior    information averaged over the posterior (van der Linden 1998): safe while little is known;
      information  Fisher information at the EAP;
      variance     expected posterior variance after the answer, the least.
    `budget` items in all, of which the last `random_items` are drawn at random within `strata` of difficulty.
    The adaptive phase ends earlier where the standard error falls below `target_se`.
    `topic_shares` are the shares of topics aimed at in the adaptive phase; topics not named are not asked there.
    `top_k` above 1 draws each adaptive item from the k best (randomesque exposure control, Kingsbury & Zara 1989);
    exact control of exposure rates (Sympson & Hetter 1985) needs simulations of the bank in use and is not done.
    `misfit_sd`, in units of `prior_sd`, is how far the ability shown by items picked for their parameters lies from
    that of the whole exam; `score_misfit` is how far, as a share of right answers, an examinee's score lies from
    any that the model allows. The defaults were chosen on public sets of 90 models (benchmarks/irt_adaptive.py).
    `seed` should differ between examinees, or all are asked the same random items.
    """

    criterion: Criterion = "posterior"
    target_se: float = 0.3
    budget: int = 40
    random_items: int = 5
    strata: int = 5
    topic_shares: Mapping[str, float] = field(default_factory=dict)
    top_k: int = 1
    prior_mean: float = 0.0
    prior_sd: float = 1.0
    misfit_sd: float = 0.25
    score_misfit: float = 0.03
    seed: int = 0

    def __post_init__(self) -> None:
        if self.criterion not in get_args(Criterion):
            raise UsageError(
                f"There is no criterion {self.criterion!r}.", allowed=", ".join(get_args(Criterion)) + "."
            )
        if not 0 <= self.random_items <= self.budget or self.budget < 1:
            raise UsageError(
                f"A budget of {self.budget} items, {self.random_items} of them random.",
                allowed="At least one item, and no more random items than the budget.",
            )
        if min(self.strata, self.top_k) < 1 or self.prior_sd <= 0 or self.target_se < 0:
            raise UsageError("strata and top_k are at least 1, prior_sd is above 0, target_se not below 0.")
        if min(self.misfit_sd, self.score_misfit) < 0:
            raise UsageError("A misfit is below 0.", allowed="0 (the model is exact) or more.")
        if any(share < 0 for share in self.topic_shares.values()):
            raise UsageError(
                "A topic's share is below 0.", allowed="Shares of 0 or more; they are scaled to sum to 1."
            )

    @property
    def adaptive_limit(self) -> int:
        """Items of the adaptive phase at most."""
        return self.budget - self.random_items


def check_topics(bank: Bank, plan: Plan) -> None:
    """UsageError where the plan balances topics that the bank does not have."""
    if not plan.topic_shares:
        return
    known = set(bank.topics)
    missing = sorted(topic for topic, share in plan.topic_shares.items() if share > 0 and topic not in known)
    if missing or not any(plan.topic_shares.values()):
        named = f"no item of {missing[0]!r}" if missing else "no topic with a share above 0"
        raise UsageError(
            f"The plan balances topics, and there is {named}.",
            allowed="Topics of the bank: " + (", ".join(sorted(known)) or "none") + ".",
        )
