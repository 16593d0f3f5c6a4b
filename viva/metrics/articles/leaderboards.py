"""How two leaderboards agree: Spearman and Kendall over the systems that both rank, equal scores tied."""

from __future__ import annotations

from collections.abc import Mapping

from viva.core.errors import UsageError
from viva.core.scores_articles import RankAgreement
from viva.core.wording import counted
from viva.metrics.articles.exam import DIGITS
from viva.metrics.judges.agreement import Correlation, kendall, spearman
from viva.metrics.judges.pairs import Undefined

Leaderboard = Mapping[str, float]
"""Scores by system, the higher the better."""


def agreement(first: str, one: Leaderboard, second: str, other: Leaderboard) -> RankAgreement:
    """The agreement of two named leaderboards. Raises UsageError where they share fewer than two systems."""
    systems = sorted(one.keys() & other.keys())
    if len(systems) < 2:
        raise UsageError(
            f"The leaderboards have {counted(len(systems), 'system')} in common.",
            allowed="At least two; three for a correlation.",
            next_step="See that systems have the same names in both.",
        )
    scores = tuple([round(board[name], DIGITS) for name in systems] for board in (one, other))
    found = {"Spearman": spearman(*scores), "Kendall": kendall(*scores)}
    figures = {name: _figures(each) for name, each in found.items()}
    reasons = {name: why for name, each in found.items() if (why := _reason(each, len(systems)))}
    (rho, rho_low, rho_high), (tau, tau_low, tau_high) = figures["Spearman"], figures["Kendall"]
    return RankAgreement(
        first=first,
        second=second,
        systems=len(systems),
        only_first=tuple(sorted(one.keys() - other.keys())),
        only_second=tuple(sorted(other.keys() - one.keys())),
        spearman=rho,
        spearman_low=rho_low,
        spearman_high=rho_high,
        kendall=tau,
        kendall_low=tau_low,
        kendall_high=tau_high,
        reasons=tuple(f"{name}: {why}" for name, why in reasons.items()),
    )


def _figures(found: Correlation | Undefined) -> tuple[float | None, float | None, float | None]:
    """The correlation and its interval."""
    if isinstance(found, Undefined):
        return None, None, None
    interval = found.interval
    bounds = (None, None) if isinstance(interval, Undefined) else (interval.low, interval.high)
    return found.estimate, *bounds


def _reason(found: Correlation | Undefined, systems: int) -> str:
    """Why there is no correlation, or no interval of it; '' where there are both."""
    if isinstance(found, Undefined):
        return f"no correlation. {found.reason}"
    if not isinstance(found.interval, Undefined):
        return ""
    few = f"{systems} systems are too few for a standard error."
    return f"no interval. {few if isinstance(found.se_z, Undefined) else found.interval.reason}"
