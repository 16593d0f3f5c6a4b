"""Adaptive testing: a new examinee against a calibrated bank, as a state machine that knows no examinee.

    state = begin(bank, plan)
    while isinstance(step := next_item(state), Ask):
        state = answered(state, step, grade_of(step.item))
    outcome = result(state)

First items that tell most about the ability, at most as many as the plan lets be chosen; then items drawn at random,
by which the model's prediction of the whole exam is corrected. Either part ends when the ability is known.
The same bank, plan and answers give the same next item everywhere, so a sitting is resumed from its answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from viva.core.errors import UsageError
from viva.metrics.intervals import Interval
from viva.metrics.irt.adaptive.ability import GridPosterior, grid_posterior, posterior_path
from viva.metrics.irt.adaptive.bank import AdaptivePlan, Bank, Floats, check_topics
from viva.metrics.irt.adaptive.choice import adaptive_item, drawn_items
from viva.metrics.irt.adaptive.score import full_score

Phase = Literal["adaptive", "random"]
Reason = Literal["precise", "budget", "bank exhausted"]


@dataclass(frozen=True)
class Ask:
    """Ask the item (its place in the bank) next."""

    item: int
    phase: Phase


@dataclass(frozen=True)
class Stop:
    """Nothing more is asked, and why."""

    reason: Reason


@dataclass(frozen=True)
class AdaptiveAnswer:
    """A grade: 1 right, 0 wrong, None where the answer could not be graded."""

    item: int
    phase: Phase
    value: float | None


@dataclass(frozen=True, eq=False)
class Sitting:
    """A bank, a plan and the answers so far, in the order they were given."""

    bank: Bank
    plan: AdaptivePlan
    answers: tuple[AdaptiveAnswer, ...] = ()

    def graded(self, phase: Phase) -> list[tuple[int, float]]:
        """Items and grades of a phase, without those that could not be graded."""
        return [(x.item, x.value) for x in self.answers if x.phase == phase and x.value is not None]

    def asked(self, phase: Phase) -> list[int]:
        """Items asked in a phase."""
        return [x.item for x in self.answers if x.phase == phase]


@dataclass(frozen=True)
class AdaptiveResult:
    """Ability (EAP) from all graded answers, and accuracy on the whole exam, with 95% intervals.

    `path` holds the ability and its standard error after each answer. The interval of the ability takes the model as
    true; that of `score` allows for misfit. `asked` counts all items, `ungraded` those without a grade.
    """

    ability: Interval
    ability_se: float
    score: Interval
    reason: Reason | None
    asked: int
    ungraded: int
    path: tuple[tuple[float, float], ...]


def begin(bank: Bank, plan: AdaptivePlan) -> Sitting:
    """A sitting without answers. Raises UsageError where plan and bank do not fit together."""
    check_topics(bank, plan)
    return Sitting(bank, plan)


def next_item(state: Sitting) -> Ask | Stop:
    """The item to ask, or that the sitting is over and why."""
    chosen, drawn, plan = state.asked("adaptive"), state.asked("random"), state.plan
    if (item := _item_to_choose(state, chosen)) is not None:
        return Ask(item, "adaptive")
    budget = plan.budget - len(chosen)
    if len(drawn) >= min(plan.drawn_least, budget) and _posterior(state).sd < plan.target_se:
        return Stop("precise")
    if len(drawn) >= budget:
        return Stop("budget")
    left = next((item for item in drawn_items(state.bank, plan, chosen) if item not in drawn), None)
    return Stop("bank exhausted") if left is None else Ask(left, "random")


def answered(state: Sitting, asked: Ask, value: float | None) -> Sitting:
    """The sitting with one more answer: 1, 0, or None where it could not be graded.

    An ungraded answer counts towards the budget and tells nothing. Raises UsageError for other values and for an item
    that is not in the bank or was asked already.
    """
    if value not in (0, 1, None):
        raise UsageError(f"The grade {value} is neither right nor wrong.", allowed="1, 0, or None for not graded.")
    if not 0 <= asked.item < len(state.bank):
        raise UsageError(f"There is no item {asked.item} in the bank.", allowed=f"0 to {len(state.bank) - 1}.")
    if any(answer.item == asked.item for answer in state.answers):
        raise UsageError(f"Item {asked.item} was asked already.", next_step="Ask what next_item names.")
    return replace(state, answers=(*state.answers, AdaptiveAnswer(asked.item, asked.phase, value)))


def result(state: Sitting) -> AdaptiveResult:
    """What is known now; `reason` is None while the sitting still goes on."""
    posterior = _posterior(state)
    low, high = posterior.quantile([0.025, 0.975])
    step = next_item(state)
    return AdaptiveResult(
        ability=Interval(posterior.mean, float(low), float(high)),
        ability_se=posterior.sd,
        score=full_score(
            state.bank,
            posterior,
            state.graded("adaptive"),
            state.graded("random"),
            score_misfit=state.plan.score_misfit,
        ),
        reason=step.reason if isinstance(step, Stop) else None,
        asked=len(state.answers),
        ungraded=sum(answer.value is None for answer in state.answers),
        path=tuple(_path(state)),
    )


def _item_to_choose(state: Sitting, chosen: list[int]) -> int | None:
    """By the answers to chosen items alone: once an item was drawn, none is chosen again."""
    if len(chosen) >= state.plan.chosen:
        return None
    known = _posterior(replace(state, answers=tuple(x for x in state.answers if x.phase == "adaptive")))
    return adaptive_item(state.bank, state.plan, known, chosen) if known.sd >= state.plan.target_se else None


def _posterior(state: Sitting) -> GridPosterior:
    plan = state.plan
    return grid_posterior(*_columns(state), prior_mean=plan.prior_mean, prior_sd=plan.prior_sd)


def _path(state: Sitting) -> list[tuple[float, float]]:
    plan = state.plan
    theta, se = posterior_path(*_columns(state), prior_mean=plan.prior_mean, prior_sd=plan.prior_sd)
    return [(float(t), float(s)) for t, s in zip(theta, se, strict=True)]


def _columns(state: Sitting) -> tuple[Floats, Floats, Floats, Floats]:
    """Answers (nan: not graded) and the a, b, c of their items."""
    items = np.array([x.item for x in state.answers], dtype=np.int64)
    values = np.array([np.nan if x.value is None else x.value for x in state.answers], dtype=np.float64)
    return values, state.bank.a[items], state.bank.b[items], state.bank.c[items]
