"""The gateway: every call to a model goes through here. Ledger, budget, limits, retries, events, in this order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic import JsonValue
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential_jitter

from viva.core.calls import (
    TRANSIENT,
    Call,
    CallLog,
    Entry,
    Message,
    Outcome,
    Reply,
    Spent,
    Usage,
    bound,
    uncounted_tokens,
)
from viva.core.errors import DiskFull
from viva.llm.budget import Spending
from viva.llm.calls import CallFailed, Listener, ProviderError
from viva.llm.model_lane import REFUSALS, ModelLane, OpenLane
from viva.llm.prices import Prices
from viva.llm.roster import ModelName, Roster
from viva.llm.tokens import counted, estimated_tokens, most_tokens

ATTEMPTS = 6
"""Requests per call at most, the first included."""
LONGEST_PAUSE_S = 300.0
"""A longer Retry-After is not waited for."""


@dataclass(frozen=True)
class Retries:
    """How long to wait between requests of one call: exponential from `first_s` to `longest_s`, with jitter."""

    attempts: int = ATTEMPTS
    first_s: float = 0.5
    longest_s: float = 30.0


class Gateway:
    """Asks models. Used from one event loop; `aclose` it there.

    A call that was answered before, by this or an earlier process, is served from the ledger. Equal calls made at
    the same time are sent once. A caller that is cancelled does not stop its request: what may be paid is recorded.
    """

    def __init__(
        self,
        roster: Roster,
        open_line: OpenLane,
        ledger: CallLog,
        budget: Spending,
        prices: Prices,
        *,
        parameters: Mapping[str, JsonValue] | None = None,
        timeout_s: float = 120.0,
        retries: Retries | None = None,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self._roster = roster
        self._open_line = open_line
        self._ledger = ledger
        self._budget = budget
        self._prices = prices
        self._parameters = dict(parameters or {})
        self._timeout_s = timeout_s
        self._retries = retries or Retries()
        self._listeners = tuple(listeners)
        self._lines: dict[ModelName, ModelLane] = {}
        self._in_flight: dict[str, asyncio.Task[Reply]] = {}
        self._sent: set[str] = set()
        """keys of those in flight whose request has left and has no row yet"""
        self._closing = False
        self._unkept: DiskFull | None = None
        """why the ledger keeps nothing more: what is sent now would be paid for again"""

    async def ask(
        self,
        role: str,
        messages: Sequence[Message],
        parameters: Mapping[str, JsonValue] | None = None,
        *,
        repeat: int = 0,
        model: ModelName | None = None,
    ) -> Reply:
        """The answer of the role's model, or of `model` where one is named.

        Raises CallFailed where there is none when all is done that may be done; BudgetReached and UsageError for
        what the user must mend; ModelAway where the server is away.
        """
        line = self._line(model or self._roster.of(role))
        call = self._call(line, messages, parameters, repeat)
        trace = bound().calls
        if trace is not None:
            trace.append(call.key)
        found = self._ledger.find(call.key)
        if found is not None:
            return self._served(call, role, found)
        task = self._in_flight.get(call.key)
        if task is not None:
            return self._served(call, role, replace(await asyncio.shield(task), cached=True))
        task = asyncio.create_task(self._asked(line, call, role))
        self._in_flight[call.key] = task
        task.add_done_callback(lambda done: self._landed(call.key, done))
        return await asyncio.shield(task)

    def key_of(
        self,
        role: str,
        messages: Sequence[Message],
        parameters: Mapping[str, JsonValue] | None = None,
        repeat: int = 0,
    ) -> str:
        """The ledger's key of such a call."""
        return self._call(self._line(self._roster.of(role)), messages, parameters, repeat).key

    def count_unreadable(self, reply_key: str, role: str, kind: str) -> None:
        """Count that the reply to this call could not be read, by kind of defect."""
        self._ledger.count_unreadable(reply_key, role, kind)

    async def aclose(self) -> None:
        """Let what was sent land, each within its time; send nothing more; give back connections."""
        self._closing = True
        for key, task in self._in_flight.items():
            if key not in self._sent:
                task.cancel()
        await asyncio.gather(*self._in_flight.values(), return_exceptions=True)
        for line in self._lines.values():
            await line.provider.aclose()

    def _line(self, name: ModelName) -> ModelLane:
        if name not in self._lines:
            self._lines[name] = self._open_line(name)
        return self._lines[name]

    def _call(
        self, line: ModelLane, messages: Sequence[Message], parameters: Mapping[str, JsonValue] | None, repeat: int
    ) -> Call:
        provider = line.provider
        chosen = {**self._parameters, **(parameters or {})}
        return Call(provider.name, provider.model, provider.endpoint, tuple(messages), chosen, repeat)

    def _landed(self, key: str, task: asyncio.Task[Reply]) -> None:
        del self._in_flight[key]
        if not task.cancelled():
            # asked for here, so that nobody is warned where the caller has gone
            task.exception()

    def _served(self, call: Call, role: str, reply: Reply) -> Reply:
        self._ledger.count_hit(call, role)
        self._tell(_entry(call, role, 0, reply, 0.0))
        return reply

    def _tell(self, entry: Entry) -> None:
        for listener in self._listeners:
            listener(entry)

    async def _asked(self, line: ModelLane, call: Call, role: str) -> Reply:
        """The reply, of another process where one has asked the same meanwhile."""
        async with self._ledger.alone(call.key) as found:
            return await self._paid(line, call, role) if found is None else self._served(call, role, found)

    async def _paid(self, line: ModelLane, call: Call, role: str) -> Reply:
        """The one retry layer."""
        retrying = AsyncRetrying(
            retry=retry_if_exception(self._worth_another),
            # a request without the part that was refused is another one, and is sent at once
            stop=lambda state: state.attempt_number - unsupported >= self._retries.attempts,
            wait=self._wait,
            reraise=True,
        )
        marks: list[tuple[int, int]] = []
        unsupported = 0
        try:
            async for attempt in retrying:
                with attempt:
                    marks.append((line.answered, line.failed))
                    try:
                        reply = await self._request(line, call, role, len(marks) - 1)
                    except ProviderError as error:
                        unsupported += error.outcome is Outcome.UNSUPPORTED
                        raise
        except ProviderError as error:
            raise line.given_up(error, marks[-2:]) from None
        if line.useless.are_too_many(reply, REFUSALS):
            raise line.gave_nothing(reply)
        if reply.outcome is not Outcome.ANSWERED:
            raise CallFailed(reply.outcome, _what_was_said(reply), reply)
        return reply

    async def _request(self, line: ModelLane, call: Call, role: str, attempt: int) -> Reply:
        """One request, from a free place to its row in the ledger."""
        prompt = sum(most_tokens(m.text) for m in call.messages)
        expected = sum(estimated_tokens(m.text) for m in call.messages)
        longest = call.parameters.get("max_tokens")
        most = prompt + (longest if isinstance(longest, int) else 0)
        async with line.limit.place(bound().urgency):
            await line.pace.turn(expected)
            if self._unkept is not None:
                raise self._unkept
            held = await self._budget.hold(most, self._cost(call, Usage(prompt, most - prompt)))
            sent_at = time.monotonic()
            self._sent.add(call.key)
            try:
                said, used = await self._said(line, call, held)
                seconds = round(time.monotonic() - sent_at, 6)
                if isinstance(said, Reply):
                    said = replace(said, latency_s=seconds)
                    line.heard(role, said, more_tokens=used - expected)
                    line.useless.add(said, sent_at, lengthened=self._lengthened(call))
                else:
                    line.failed += 1
                entry = _entry(call, role, attempt, said, seconds)
                # the place is kept until the row is: what a kill can lose is never more than may be in flight
                await self._ledger.record(entry)
            except DiskFull as lacking:
                self._unkept = lacking
                raise
            finally:
                self._sent.discard(call.key)
        self._tell(entry)
        if isinstance(said, Reply):
            return said
        if said.outcome is Outcome.RATE_LIMITED:
            line.limit.throttled(sent_at)
            if said.retry_after_s is not None and said.retry_after_s <= LONGEST_PAUSE_S:
                line.pace.pause(said.retry_after_s)
        raise said

    async def _said(self, line: ModelLane, call: Call, held: Spent) -> tuple[Reply | ProviderError, int]:
        """What came of sending it once, and the tokens it took; what was held for it is settled."""
        used, estimated, cost = 0, 0, 0.0
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await line.provider.complete(call)
            usage = counted(call, reply)
            used = (usage.input_tokens or 0) + (usage.output_tokens or 0)
            estimated = uncounted_tokens(call, reply)
            if reply.cost is None:
                # where the provider did not count, the price may be known all the same
                reply = replace(reply, cost=self._cost(call, usage))
            cost = reply.cost or 0.0
        except TimeoutError:
            return ProviderError(Outcome.TIMED_OUT, f"no reply within {self._timeout_s:g} s"), 0
        except ProviderError as error:
            return error, 0
        finally:
            self._budget.settle(held, used, cost, estimated=estimated)
        return reply, used

    def _lengthened(self, call: Call) -> bool:
        """Whether the reply may be longer than others of this run: one that was cut off is asked for again so."""
        longest, usual = call.parameters.get("max_tokens"), self._parameters.get("max_tokens")
        return isinstance(longest, int) and isinstance(usual, int) and longest > usual

    def _cost(self, call: Call, usage: Usage) -> float | None:
        return self._prices.cost(call.provider, call.model, call.endpoint, usage)

    def _wait(self, state: RetryCallState) -> float:
        """Exponential with jitter; never less than the server asked for."""
        retries = self._retries
        jittered = wait_exponential_jitter(retries.first_s, retries.longest_s, jitter=retries.first_s)(state)
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, ProviderError) and error.outcome is Outcome.UNSUPPORTED:
            return 0.0
        asked = error.retry_after_s if isinstance(error, ProviderError) else None
        return max(jittered, asked or 0.0)

    def _worth_another(self, error: BaseException) -> bool:
        if self._closing or not isinstance(error, ProviderError) or error.outcome not in TRANSIENT:
            return False
        return error.retry_after_s is None or error.retry_after_s <= LONGEST_PAUSE_S


def _entry(call: Call, role: str, attempt: int, said: Reply | ProviderError, seconds: float) -> Entry:
    place = bound()
    reply, error = (said, None) if isinstance(said, Reply) else (None, said.detail)
    return Entry(call, role, place.chunk_id, place.unit_id, attempt, said.outcome, reply, error, seconds)


def _what_was_said(reply: Reply) -> str:
    with suppress(IndexError):
        return f"the reply was {reply.outcome.value}: {reply.text.strip().splitlines()[0][:120]}"
    return f"the reply was {reply.outcome.value}"
