"""The line to one model: who answers at its other end, and how well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from viva.core.calls import Reply
from viva.llm.calls import Provider
from viva.llm.limits import AdaptiveLimit, Pacing
from viva.llm.roster import ModelName


@dataclass
class ModelLane:
    """One model: its provider, and the limits kept towards it."""

    provider: Provider
    limit: AdaptiveLimit
    pace: Pacing
    answered: int = 0
    failed: int = 0
    """requests that brought no reply"""
    in_vain: int = 0
    """calls in a row that failed although retried, or were invalid"""

    def heard(self, role: str, reply: Reply, *, more_tokens: int) -> None:
        """The model has spoken; it took so many tokens more than expected."""
        self.answered += 1
        self.in_vain = 0
        self.limit.answered(role, reply.latency_s)
        self.pace.correct(more_tokens)


OpenLane = Callable[[ModelName], ModelLane]
