"""The line to one model: who answers at its other end, and how well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from viva.core.calls import TRANSIENT, Outcome, Reply
from viva.core.errors import ModelAway, UsageError
from viva.llm.calls import CallFailed, Provider, ProviderError
from viva.llm.formats.useless_replies import UselessReplies
from viva.llm.limits import AdaptiveLimit, Pacing
from viva.llm.roster import ModelName

OUTAGE = 3
"""Calls in a row that fail although retried: the server is away, and the run stops rather than lose more."""
REFUSALS = 8
"""Requests in a row that a model which has answered before calls invalid, or its replies of one useless kind."""


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
    useless: UselessReplies = field(default_factory=UselessReplies)

    def heard(self, role: str, reply: Reply, *, more_tokens: int) -> None:
        """The model has spoken; it took so many tokens more than expected."""
        self.answered += 1
        self.in_vain = 0
        self.limit.answered(role, reply.latency_s)
        self.pace.correct(more_tokens)

    @property
    def model(self) -> str:
        """The model in words."""
        name = f"{self.provider.name}:{self.provider.model}"
        return f"{name} at {self.provider.endpoint}" if self.provider.endpoint else name

    def given_up(self, error: ProviderError, last: Sequence[tuple[int, int]]) -> Exception:
        """What a call that failed for good means for its caller: one call lost, or the whole run at an end.

        `last` is how many had been answered and had failed when each of its last two requests was begun.
        """
        if error.outcome is Outcome.DENIED:
            return UsageError(
                f"{self.model} refuses to be asked: {error.detail}",
                next_step="See that the key, the account and the model's name are right; what was done is kept.",
            )
        if error.outcome in TRANSIENT or error.outcome is Outcome.INVALID:
            self.in_vain += 1
        answered, failed = last[0]
        # while it tried in vain nobody was answered, and others failed too: it is not the call
        away = self.answered == answered and self.failed - failed > len(last)
        if error.outcome in TRANSIENT and (away or self.in_vain >= OUTAGE):
            return ModelAway(f"{self.model} does not answer ({error.detail}).")
        if error.outcome is Outcome.INVALID and self.in_vain >= (REFUSALS if self.answered else OUTAGE):
            return UsageError(
                f"{self.model} takes no request of this form{' any more' if self.answered else ''}: {error.detail}",
                next_step="Some models refuse a temperature (--temperature default) or so long a reply "
                "(VIVA_MAX_REPLY_TOKENS).",
            )
        return CallFailed(error.outcome, error.detail)

    def gave_nothing(self, reply: Reply) -> UsageError:
        """That the run ends with this reply, which is as useless as those before it."""
        problem, next_step = self.useless.words(reply)
        return UsageError(f"{self.model} gave {problem}", next_step=next_step)


OpenLane = Callable[[ModelName], ModelLane]
