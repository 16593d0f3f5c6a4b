"""How two leaderboards agree: Spearman and Kendall over the systems that both rank, ties broken as in the EXAM paper.

Systems within a standard error of each other are not told apart by a leaderboard. Sander & Dietz (DESIRES 2021) take
them for tied, break the ties at random ten times, and average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viva.core.errors import UsageError
from viva.core.ids import rng
from viva.core.scores_articles import RankAgreement
from viva.core.wording import counted
from viva.metrics.articles.exam import DIGITS
from viva.metrics.judges.agreement import Correlation, kendall, kendall_of, spearman, spearman_of
from viva.metrics.judges.paired import RESAMPLES, Resampled, bootstrap
from viva.metrics.judges.pairs import Undefined

BREAKS = 10


@dataclass(frozen=True)
class LeaderboardRow:
    """A system's score on a leaderboard, the higher the better, with its standard error (0: none is known)."""

    score: float
    se: float = 0.0

    def __post_init__(self) -> None:
        if not np.isfinite(self.score) or not 0 <= self.se < np.inf:
            raise UsageError(
                f"A leaderboard holds the score {self.score} with the standard error {self.se}.",
                allowed="Finite numbers, a standard error of 0 or above.",
            )


@dataclass(frozen=True)
class RankSpread:
    """A correlation over the random orders of ties: mean, least and most."""

    mean: float
    least: float
    most: float


@dataclass(frozen=True)
class BoardAgreement:
    """Two leaderboards over the `systems` of both, `only_first` and `only_second` of one alone.

    `spearman` and `kendall` take scores as they are, with the intervals of metrics/judges/agreement.py (equal scores
    share a rank); the bootstraps draw systems. `broken_...` are over `breaks` random orders of those within a
    standard error of each other, of which `tied_first` and `tied_second` systems are.
    """

    systems: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    spearman: Correlation | Undefined
    kendall: Correlation | Undefined
    spearman_bootstrap: Resampled | Undefined
    kendall_bootstrap: Resampled | Undefined
    broken_spearman: RankSpread | Undefined
    broken_kendall: RankSpread | Undefined
    tied_first: int
    tied_second: int
    breaks: int


def agreement(
    first: Mapping[str, LeaderboardRow],
    second: Mapping[str, LeaderboardRow],
    *,
    seed: int,
    breaks: int = BREAKS,
    resamples: int = RESAMPLES,
) -> BoardAgreement:
    """The agreement of two leaderboards. Raises UsageError where they have fewer than two systems in common."""
    systems = tuple(sorted(first.keys() & second.keys()))
    if len(systems) < 2:
        raise UsageError(
            f"The leaderboards have {counted(len(systems), 'system')} in common.",
            allowed="At least two; three for a correlation.",
            next_step="See that systems have the same names in both.",
        )
    one, other = ([board[name] for name in systems] for board in (first, second))
    scores = [round(each.score, DIGITS) for each in one], [round(each.score, DIGITS) for each in other]
    rows = np.column_stack(scores)
    groups = tied(one), tied(other)
    drawn = [
        np.column_stack([_broken(one, groups[0], seed, "first", n), _broken(other, groups[1], seed, "second", n)])
        for n in range(breaks)
    ]
    return BoardAgreement(
        systems=systems,
        only_first=tuple(sorted(first.keys() - second.keys())),
        only_second=tuple(sorted(second.keys() - first.keys())),
        spearman=spearman(*scores),
        kendall=kendall(*scores),
        spearman_bootstrap=bootstrap(spearman_of, rows, seed=seed, resamples=resamples),
        kendall_bootstrap=bootstrap(kendall_of, rows, seed=seed, resamples=resamples),
        broken_spearman=_spread([spearman_of(each) for each in drawn]),
        broken_kendall=_spread([kendall_of(each) for each in drawn]),
        tied_first=sum(len(group) for group in groups[0] if len(group) > 1),
        tied_second=sum(len(group) for group in groups[1] if len(group) > 1),
        breaks=breaks,
    )


def told(first: str, second: str, found: BoardAgreement) -> RankAgreement:
    """The agreement as it is kept and shown."""
    rho, tau = found.spearman, found.kendall
    boot = found.spearman_bootstrap, found.kendall_bootstrap
    spreads = found.broken_spearman, found.broken_kendall
    rho_at = None if isinstance(rho, Undefined) or isinstance(rho.interval, Undefined) else rho.interval
    tau_at = None if isinstance(tau, Undefined) or isinstance(tau.interval, Undefined) else tau.interval
    drawn = [None if isinstance(b, Undefined) else (b.interval.low, b.interval.high) for b in boot]
    broken = [None if isinstance(s, Undefined) else (s.mean, s.least, s.most) for s in spreads]
    return RankAgreement(
        first=first,
        second=second,
        systems=len(found.systems),
        only_first=found.only_first,
        only_second=found.only_second,
        spearman=None if isinstance(rho, Undefined) else rho.estimate,
        spearman_low=rho_at.low if rho_at else None,
        spearman_high=rho_at.high if rho_at else None,
        spearman_bootstrap=drawn[0],
        kendall=None if isinstance(tau, Undefined) else tau.estimate,
        kendall_low=tau_at.low if tau_at else None,
        kendall_high=tau_at.high if tau_at else None,
        kendall_bootstrap=drawn[1],
        broken_spearman=broken[0],
        broken_kendall=broken[1],
        tied=(found.tied_first, found.tied_second),
        breaks=found.breaks,
        why_not=rho.reason if isinstance(rho, Undefined) else "",
        spearman_unbounded=_unbounded(rho, len(found.systems)),
        kendall_unbounded=_unbounded(tau, len(found.systems)),
        not_drawn=next((each.reason for each in boot if isinstance(each, Undefined)), ""),
    )


def tied(board: Sequence[LeaderboardRow]) -> list[list[int]]:
    """Places of the systems in groups, best first, those of a group within a standard error of its best one.

    The relation has no transitive closure worth having: nearly all systems would be one group.
    """
    order = sorted(range(len(board)), key=lambda place: (-board[place].score, place))
    groups: list[list[int]] = []
    for place in order:
        leader = board[groups[-1][0]] if groups else None
        if leader is not None and leader.score - board[place].score <= leader.se + 10.0**-DIGITS:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _broken(
    board: Sequence[LeaderboardRow], groups: Sequence[Sequence[int]], seed: int, name: str, draw: int
) -> list[float]:
    """The leaderboard's ranks, as scores, each group in an order drawn at random."""
    dice, order = rng(seed, "ties", name, draw), list[int]()
    for group in groups:
        order += dice.sample(sorted(group), len(group))
    ranks = {place: float(len(board) - rank) for rank, place in enumerate(order)}
    return [ranks[place] for place in range(len(board))]


def _spread(values: Sequence[float | Undefined]) -> RankSpread | Undefined:
    found = [value for value in values if not isinstance(value, Undefined)]
    if len(found) < len(values) or not found:
        return next((value for value in values if isinstance(value, Undefined)), Undefined("No ties were broken."))
    return RankSpread(sum(found) / len(found), min(found), max(found))


def _unbounded(found: Correlation | Undefined, systems: int) -> str:
    """Why a correlation has no interval; '' where it has one, or is none."""
    if isinstance(found, Undefined) or not isinstance(found.interval, Undefined):
        return ""
    if isinstance(found.se_z, Undefined):
        return f"{systems} systems are too few for a standard error."
    return found.interval.reason
