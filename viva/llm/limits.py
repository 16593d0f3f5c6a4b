"""How many requests are in flight at once, and how many a minute."""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from viva.llm.budget import Spending

_HOLDS = 1.5
"""Latency that counts as risen, against the role's usual one."""
_ON_THE_WAY_S = 0.5
"""By how much more one request may be delayed on its way than another, at no more than so many in any minute."""
_SLOW, _QUICK = 0.05, 0.2
"""Weights of the newest latency in the usual and in the present one."""


class AdaptiveLimit:
    """Requests in flight at once: grows while latency holds, halves on a 429.

    First by one per reply (a doubling each round trip), after the first 429 by one per round trip. Of those who wait
    the more urgent are let in first, and among equals who came first.
    """

    def __init__(self, most: int, start: int = 64) -> None:
        """`most` is what the user allows: up to 64 it is tried at once, and a 429 halves it soon enough."""
        self.most = most
        self.limit: float = min(start, most)
        self.in_flight = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._came = 0
        self._usual: dict[str, float] = {}
        self._strain = 1.0
        self._probing = True
        self._cut_at = 0.0

    @asynccontextmanager
    async def place(self, urgency: int = 0) -> AsyncIterator[None]:
        """One place among those in flight."""
        await self._enter(urgency)
        try:
            yield
        finally:
            self.in_flight -= 1
            self._admit()

    def answered(self, role: str, latency_s: float) -> None:
        """A reply came after so many seconds: room for more, if it came as quickly as usual."""
        usual = self._usual.setdefault(role, latency_s)
        self._usual[role] = usual + _SLOW * (latency_s - usual)
        self._strain += _QUICK * (latency_s / max(usual, 1e-6) - self._strain)
        if self._strain <= _HOLDS:
            self.limit = min(float(self.most), self.limit + (1.0 if self._probing else 1.0 / self.limit))
            self._admit()

    def throttled(self, sent_at: float) -> None:
        """The server said 429 to a request sent at this moment (time.monotonic). One cut for all sent before it."""
        if sent_at >= self._cut_at:
            self._probing = False
            self.limit = max(1.0, self.limit / 2)
            self._cut_at = time.monotonic()

    async def _enter(self, urgency: int) -> None:
        if not self._waiting and self.in_flight < int(self.limit):
            self.in_flight += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._came += 1
        heapq.heappush(self._waiting, (-urgency, self._came, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            # a turn that was given and not taken goes to the next; one that was not given is passed over
            if turn.done() and not turn.cancelled():
                self.in_flight -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        while self._waiting and self.in_flight < int(self.limit):
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)


class Pacing(Protocol):
    """How fast one model may be asked."""

    async def turn(self, tokens: int) -> None:
        """Wait until a request of about so many tokens may go out."""

    def correct(self, tokens: int) -> None:
        """So many tokens more (or fewer) were used than had been thought."""

    def pause(self, seconds: float) -> None:
        """Send nothing for so long: the server asked for it."""


class Pace:
    """Requests and tokens per minute, spread evenly; and the pause a server asked for."""

    def __init__(self, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._per_request = (60 + _ON_THE_WAY_S) / requests_per_minute if requests_per_minute else 0.0
        self._per_token = 60 / tokens_per_minute if tokens_per_minute else 0.0
        self._next = 0.0
        self._paused_until = 0.0

    async def turn(self, tokens: int) -> None:
        """Wait until a request of about so many tokens may go out."""
        now = time.monotonic()
        mine = max(now, self._next)
        self._next = mine + max(self._per_request, self._per_token * tokens)
        if mine > now:
            await asyncio.sleep(mine - now)
        # a pause may be prolonged while it is waited for
        while (wait := self._paused_until - time.monotonic()) > 0:  # noqa: ASYNC110 - a clock, not a condition
            await asyncio.sleep(wait)

    def correct(self, tokens: int) -> None:
        """So many tokens more (or fewer) were used than had been thought."""
        self._next += self._per_token * tokens

    def pause(self, seconds: float) -> None:
        """Send nothing for so long: the server asked for it."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)


class SharedLimits(Protocol):
    """The budget and the pace that several processes keep together."""

    @property
    def budget(self) -> Spending:
        """One for all models."""

    def pace(self, model: str) -> Pacing:
        """That of this model, by its name."""
