"""Where calls go: the providers of models, and what they say when there is no reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from viva.core.calls import Call, Entry, Outcome, Reply
from viva.core.errors import VivaError

Listener = Callable[[Entry], None]
"""Told of every request, and of every call served from the ledger (`entry.reply.cached`). Never raises."""


class ProviderError(VivaError):
    """A request that brought no reply. Foreign exceptions become this where they enter.

    `detail` holds no credentials. `retry_after_s` is what the server asked for, `status` its HTTP status.
    """

    def __init__(
        self, outcome: Outcome, detail: str, *, retry_after_s: float | None = None, status: int | None = None
    ) -> None:
        self.outcome = outcome
        self.detail = detail
        self.status = status
        self.retry_after_s = retry_after_s
        super().__init__(f"{outcome.value}: {detail}")


class CallFailed(VivaError):
    """A call that has no answer when all is done that may be done: refused, truncated, invalid, never through.

    `reply` is there where something was said (a truncated text, a refusal).
    """

    def __init__(self, outcome: Outcome, detail: str, reply: Reply | None = None) -> None:
        self.outcome = outcome
        self.detail = detail
        self.reply = reply
        super().__init__(f"{outcome.value}: {detail}")


class Provider(Protocol):
    """One model somewhere. Raises ProviderError; UsageError for what the user must mend; CallFailed (a replay's)."""

    name: str
    model: str
    endpoint: str

    async def complete(self, call: Call) -> Reply:
        """Send one request, once."""

    async def aclose(self) -> None:
        """Give back connections."""
