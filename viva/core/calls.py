"""A call to a language model, its reply, and every way in which there is none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Literal, Protocol

from pydantic import JsonValue

from viva.core.records import Record


class Outcome(StrEnum):
    """What became of one request. Only ANSWERED is ever served from the ledger."""

    ANSWERED = "answered"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    TOOL_CALL = "tool call"
    RATE_LIMITED = "rate limited"
    SERVER_ERROR = "server error"
    CONNECTION_LOST = "connection lost"
    TIMED_OUT = "timed out"
    GARBLED = "garbled response"
    TOO_LONG = "prompt too long"
    INVALID = "invalid request"
    UNSUPPORTED = "unsupported request"
    DENIED = "denied"


TRANSIENT = frozenset(
    {Outcome.RATE_LIMITED, Outcome.SERVER_ERROR, Outcome.CONNECTION_LOST, Outcome.TIMED_OUT, Outcome.GARBLED}
    # a part of the request was refused, and is not sent again
    | {Outcome.UNSUPPORTED}
)
"""Outcomes after which the same call may go through."""


class Message(Record):
    """One turn of the conversation that is sent."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True)
class Call:
    """What is asked of a model: all that changes the answer, and nothing else.

    `endpoint` is the server's address without credentials, "" for the provider's own. `parameters` are JSON
    values (temperature, max_tokens, stop, response_format ...). Repeats of a call differ by `repeat`.
    """

    provider: str
    model: str
    endpoint: str
    messages: tuple[Message, ...]
    parameters: dict[str, JsonValue] = field(default_factory=dict)
    repeat: int = 0

    @cached_property
    def key(self) -> str:
        """32 hex digits: the content address of the call in the ledger."""
        return _digest(self.provider, self.model, self.endpoint, self.question_key)

    @cached_property
    def question_key(self) -> str:
        """32 hex digits: what is asked, whoever is asked. A replay looks recorded replies up by it."""
        parameters = json.dumps(self.parameters, sort_keys=True, ensure_ascii=True)
        return _digest(parameters, str(self.repeat), *(part for m in self.messages for part in (m.role, m.text)))


def _digest(*parts: str) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()


MOST_TOKENS = 10**9
"""No model reads or writes more for one reply: a larger count is none."""


def token_count(told: object) -> int | None:
    """What a server told, if it is a count: a whole number from 0 to MOST_TOKENS. None for all else: not known."""
    return told if isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= MOST_TOKENS else None


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider counted them; None where it does not say, or says what is no count."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """of the input tokens, those the provider took from its own prompt cache"""

    @classmethod
    def told(cls, input_tokens: object, output_tokens: object, cached_tokens: object = None) -> Usage:
        """The usage that these values from elsewhere are, each by itself."""
        return cls(token_count(input_tokens), token_count(output_tokens), token_count(cached_tokens))


@dataclass(frozen=True)
class Reply:
    """What a provider sent back for one request, or served from the ledger."""

    text: str
    outcome: Outcome
    finish_reason: str
    usage: Usage
    cost: float | None = None
    """US dollars; None where no price is known"""
    latency_s: float = 0.0
    cached: bool = False
    """True: served from the ledger, nothing was paid"""


def uncounted_tokens(call: Call, reply: Reply) -> int:
    """About how many tokens the reply's usage leaves out: one per four bytes of a text, and four for its frame."""
    uncounted = [message.text for message in call.messages] if reply.usage.input_tokens is None else []
    if reply.usage.output_tokens is None:
        uncounted.append(reply.text)
    return sum(len(text.encode("utf-8", "replace")) // 4 + 4 for text in uncounted)


@dataclass(frozen=True)
class CallContext:
    """What a call is made for: the role, and the chunk and unit it works on."""

    role: str = ""
    chunk_id: str | None = None
    unit_id: str | None = None
    urgency: int = 0
    """of two requests that wait to be sent, the more urgent goes first"""
    calls: list[str] | None = None
    """keys of the calls made meanwhile, for the trace"""


_bound: ContextVar[CallContext] = ContextVar("viva_bound")


def bound() -> CallContext:
    """What the calls made here are for."""
    return _bound.get(CallContext())


@contextmanager
def binding(**changes: object) -> Iterator[CallContext]:
    """Bind calls made inside to a role, chunk or unit; what is not given stays as it was."""
    inner = replace(bound(), **changes)  # type: ignore[arg-type]
    token = _bound.set(inner)
    try:
        yield inner
    finally:
        _bound.reset(token)


@dataclass(frozen=True)
class Entry:
    """One request, as the ledger keeps it: the call, what it was for, what became of it."""

    call: Call
    role: str
    chunk_id: str | None
    unit_id: str | None
    attempt: int
    """0 for the first request of a call, then one more per retry"""
    outcome: Outcome
    reply: Reply | None
    error: str | None
    latency_s: float


@dataclass(frozen=True)
class Spent:
    """Totals over a ledger: requests sent, tokens used (with `uncounted_tokens`), US dollars where known."""

    requests: int = 0
    tokens: int = 0
    cost: float = 0.0
    estimated_tokens: int = 0
    """of the tokens, those that the provider did not count"""


class CallLog(Protocol):
    """Where every request is kept."""

    def find(self, key: str) -> Reply | None:
        """The reply of an answered call, marked cached; None where there is none."""

    def alone(self, key: str) -> AbstractAsyncContextManager[Reply | None]:
        """Keep other processes from asking this meanwhile; what one of them was answered before, or None."""

    async def record(self, entry: Entry) -> None:
        """Keep this request; durable against a killed process when it returns."""

    def count_hit(self, call: Call, role: str) -> None:
        """Count that a call was served and not paid."""

    def count_unreadable(self, key: str, role: str, kind: str) -> None:
        """Count that a reply could not be read, by kind of defect."""

    def spent(self) -> Spent:
        """Totals so far, over all processes that wrote here."""
