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


CHOSEN_AT_MOST = 8
"""Of twenty. Which number is best cannot be told on public sets, between none and twelve (decision 0013)."""
CHOSEN_SHARE = 2
"""Half of a small budget at most: drawn questions alone tell where the model is wrong."""
ENOUGH_EXAMINEES = 16
"""With fewer, what a question would tell is hardly known, and with five choosing gains nothing on public sets."""


def chosen_items(budget: int, examinees: int) -> int:
    """How many of a budget of items are chosen, at most, where so many examinees have calibrated the bank.

    The others are drawn at random.
    """
    return min(CHOSEN_AT_MOST, budget // CHOSEN_SHARE) if examinees >= ENOUGH_EXAMINEES else 0


@dataclass(frozen=True)
class AdaptivePlan:
    """How to examine. Abilities are on the bank's scale.

    `criterion` by which the next item is the best:
      posterior    information averaged over the posterior (van der Linden 1998): safe while little is known;
      information  Fisher information at the EAP;
      variance     expected posterior variance after the answer, the least.
    `budget` items in all, of which `chosen` at most are chosen (`chosen_items` says how many are worth it); the
    others are drawn at random, evenly over topics and difficulties. Either part ends where the standard error falls
    below `target_se`, but `drawn_least` are drawn in any case, as far as the budget goes.
    `topic_shares` are the shares of topics aimed at among chosen items; topics not named are not chosen from.
    `top_k` above 1 draws each chosen item from the k best (randomesque exposure control, Kingsbury & Zara 1989);
    exact control of exposure rates (Sympson & Hetter 1985) needs simulations of the bank in use and is not done.
    `score_misfit` is how far, as a share of right answers, an examinee's score lies from any that the model allows:
    .06 or .07 is the least by which 94.5% of the 95% intervals hold on all public sets but one, whichever is left
    out (decision 0013).
    `seed` should differ between examinees, or all are asked the same random items.
    """

    criterion: Criterion = "posterior"
    target_se: float = 0.3
    budget: int = 40
    chosen: int = CHOSEN_AT_MOST
    drawn_least: int = 5
    topic_shares: Mapping[str, float] = field(default_factory=dict)
    top_k: int = 1
    prior_mean: float = 0.0
    prior_sd: float = 1.0
    score_misfit: float = 0.06
    seed: int = 0

    def __post_init__(self) -> None:
        if self.criterion not in get_args(Criterion):
            raise UsageError(
                f"There is no criterion {self.criterion!r}.", allowed=", ".join(get_args(Criterion)) + "."
            )
        if not 0 <= self.chosen <= self.budget or self.budget < 1:
            raise UsageError(
                f"A budget of {self.budget} items, {self.chosen} of them chosen.",
                allowed="At least one item, and no more chosen items than the budget.",
            )
        if min(self.drawn_least, self.score_misfit, self.target_se) < 0:
            raise UsageError("drawn_least, score_misfit and target_se are not below 0.")
        if self.top_k < 1 or self.prior_sd <= 0:
            raise UsageError("top_k is at least 1, prior_sd is above 0.")
        if any(share < 0 for share in self.topic_shares.values()):
            raise UsageError(
                "A topic's share is below 0.", allowed="Shares of 0 or more; they are scaled to sum to 1."
            )


def check_topics(bank: Bank, plan: AdaptivePlan) -> None:
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
