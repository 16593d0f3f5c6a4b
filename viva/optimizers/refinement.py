"""Refining an exam: items that tell nothing are dropped, what is lacking is written anew, until it helps no more.

Pure control: fitting, judging and writing are callables. `refit` calibrates the items it is given and keeps the scale
(retained items are the anchors: metrics.irt.linking). `judge` says what an exam tells about examinees whose answers
were not used to choose its items; it must not use the selection's item parameters either, for items chosen for a high
discrimination owe a part of it to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.model.curves import information_3pl
from viva.optimizers.shortfall import Shortfall, shortfalls

Floats = NDArray[np.float64]
End = Literal["nothing to drop", "no growth", "too few items", "rounds"]


@dataclass(frozen=True, eq=False)
class ItemCalibration:
    """Abilities theta (n,) and items a, b, c (m,) on one scale; `slope_z` (m,) is the signed slope score of each.

    The slope score is above 0 where abler examinees do better (metrics.irt.wrong_keys.slope_scores); without it items
    are dropped by information alone. `topics` names one topic per item, or is empty.
    """

    theta: Floats
    a: Floats
    b: Floats
    c: Floats
    slope_z: Floats | None = None
    topics: tuple[str, ...] = ()

    def information(self) -> Floats:
        """Expected 3PL information (m,) of each item: its mean over the examinees."""
        return np.asarray(information_3pl(self.theta, self.a, self.b, self.c).mean(axis=0), dtype=np.float64)


Refit = Callable[[tuple[str, ...]], ItemCalibration]
Judge = Refit
Replenish = Callable[[tuple[Shortfall, ...]], Sequence[str]]


@dataclass(frozen=True)
class Rules:
    """When an item is dropped, and when refining ends.

    An item goes whose expected information is below `least_information` of the exam's median item, or whose slope
    score is below `least_slope_z`; at most `most_at_once` of the exam per round, the worst first. The exam keeps at
    least `least_items`, and a round must add more than `least_growth`, a share, to what it tells about unused
    examinees.
    `se_wanted` and `topic_shares` say what is asked of a writer (see shortfall.shortfalls).
    """

    least_information: float = 0.35
    least_slope_z: float = -1.0
    most_at_once: float = 0.1
    least_items: int = 10
    least_growth: float = 0.0
    rounds: int = 10
    se_wanted: float = 0.3
    topic_shares: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.most_at_once < 1 or self.rounds < 1 or self.least_items < 2:
            raise UsageError(
                "These rules of refinement cannot be followed.",
                allowed="most_at_once between 0 and 1, at least one round, at least 2 items kept.",
            )


@dataclass(frozen=True)
class Dropped:
    """An item that goes, with what it was judged by."""

    item: str
    information: float
    slope_z: float | None
    reason: str


@dataclass(frozen=True)
class ExamOnTheWay:
    """One exam on the way. `information` is that on unused examinees, in all (`total`) and per item.

    `dropped`, `added` and `lacking` are what led to it from the step before; `accepted` is False for a last step that
    did not help and was taken back.
    """

    items: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    added: tuple[str, ...]
    lacking: tuple[Shortfall, ...]
    total: float
    per_item: float
    accepted: bool


@dataclass(frozen=True)
class RefinementChoice:
    """The refined exam, the steps that led to it, and why they ended."""

    items: tuple[str, ...]
    steps: tuple[ExamOnTheWay, ...]
    end: End


def refine(
    items: Sequence[str],
    *,
    refit: Refit,
    judge: Judge,
    replenish: Replenish | None = None,
    rules: Rules | None = None,
) -> RefinementChoice:
    """Drop, replenish, refit, judge; repeat while the information on unused examinees grows.

    Information in all is what must grow where items are replenished, information per item where they are only
    dropped (dropping never adds to the sum). A round that does not grow is taken back. Raises UsageError for items
    named twice and where a callable's arrays do not fit its items.
    """
    rules = rules or Rules()
    exam = tuple(items)
    _check_names(exam)
    calibration = _fitted(refit, exam)
    steps = [_step(judge, exam)]
    for _ in range(rules.rounds):
        dropped = to_drop(exam, calibration, rules)
        gone = {each.item for each in dropped}
        left = tuple(item for item in exam if item not in gone)
        lacking = _lacking(exam, gone, calibration, rules) if replenish else ()
        added = tuple(replenish(lacking)) if replenish and lacking else ()
        if not dropped and not added:
            return RefinementChoice(exam, tuple(steps), "nothing to drop")
        _check_names((*exam, *added))
        candidate = (*left, *added)
        if len(candidate) < rules.least_items:
            return RefinementChoice(exam, tuple(steps), "too few items")
        step = _step(judge, candidate, dropped, added, lacking)
        before, after = (steps[-1].total, step.total) if replenish else (steps[-1].per_item, step.per_item)
        if after <= before * (1 + rules.least_growth):
            return RefinementChoice(exam, (*steps, replace(step, accepted=False)), "no growth")
        steps.append(step)
        exam, calibration = candidate, _fitted(refit, candidate)
    return RefinementChoice(exam, tuple(steps), "rounds")


def to_drop(items: Sequence[str], calibration: ItemCalibration, rules: Rules) -> tuple[Dropped, ...]:
    """The items that the rules drop from this calibration, the worst first.

    Both signs find wrong keys and unanswerable items, which a low discrimination does not: they are fitted as very
    hard instead. Worst are the items of the lowest slope score among those below its bound, then those of the least
    information.
    """
    information = calibration.information()
    bound = rules.least_information * float(np.median(information)) if len(information) else 0.0
    slope_z = calibration.slope_z
    found = []
    for index, item in enumerate(items):
        z = None if slope_z is None else float(slope_z[index])
        contrary = z is not None and z < rules.least_slope_z
        if contrary:
            reason = f"abler examinees do worse: slope score {z:.1f}"
        elif information[index] < bound:
            reason = f"tells little about these examinees: information {information[index]:.3f}, bound {bound:.3f}"
        else:
            continue
        rank = (0, z or 0.0) if contrary else (1, float(information[index]))
        found.append((rank, Dropped(item, float(information[index]), z, reason)))
    found.sort(key=lambda pair: pair[0])
    return tuple(dropped for _, dropped in found[: max(1, int(rules.most_at_once * len(items)))])


def _lacking(
    items: tuple[str, ...], gone: set[str], calibration: ItemCalibration, rules: Rules
) -> tuple[Shortfall, ...]:
    left = [index for index, item in enumerate(items) if item not in gone]
    return shortfalls(
        calibration.theta,
        calibration.a[left],
        calibration.b[left],
        calibration.c[left],
        se_wanted=rules.se_wanted,
        topics=[calibration.topics[index] for index in left] if calibration.topics else (),
        shares=rules.topic_shares or None,
    )


def _step(
    judge: Judge,
    items: tuple[str, ...],
    dropped: tuple[Dropped, ...] = (),
    added: tuple[str, ...] = (),
    lacking: tuple[Shortfall, ...] = (),
) -> ExamOnTheWay:
    total = float(_fitted(judge, items).information().sum())
    return ExamOnTheWay(items, dropped, added, lacking, total, total / len(items), accepted=True)


def _fitted(calibrate: Refit, items: tuple[str, ...]) -> ItemCalibration:
    found = calibrate(items)
    sizes = {len(found.a), len(found.b), len(found.c)}
    sizes |= {len(values) for values in (found.slope_z, found.topics or None) if values is not None}
    if sizes != {len(items)} or not len(found.theta):
        raise UsageError(
            f"A calibration of {len(items)} items came back with {sorted(sizes)} parameters and "
            f"{len(found.theta)} abilities.",
            allowed="One of each parameter per item, and at least one ability.",
        )
    if not all(np.isfinite(values).all() for values in (found.theta, found.a, found.b, found.c)):
        raise UsageError("A calibration came back with values that are not finite.")
    return found


def _check_names(items: tuple[str, ...]) -> None:
    if len(set(items)) != len(items):
        raise UsageError("An item is named twice.")
    if len(items) < 2:
        raise UsageError(f"{counted(len(items), 'item')}: that is no exam.", allowed="At least two items.")
