"""The budget: money, tokens and requests that may be spent on a run. Reached, nothing more is sent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Protocol

from viva.core.calls import Spent
from viva.core.errors import BudgetReached, UsageError


@dataclass(frozen=True)
class Allowed:
    """What may be spent over the whole run, earlier processes included. None: no limit."""

    requests: int | None = None
    tokens: int | None = None
    cost: float | None = None


class Spending(Protocol):
    """What a gateway asks before each request, and tells after it."""

    @property
    def spent(self) -> Spent:
        """Over the whole run so far."""

    async def hold(self, tokens: int, cost: float | None) -> Spent:
        """Hold this back for one request, until `settle`. BudgetReached where it does not fit any more."""

    def settle(self, held: Spent, tokens: int, cost: float, *, estimated: int = 0) -> None:
        """The request has ended and came to this; of the tokens, so many were `estimated`, not counted."""


class Budget:
    """Counts what is spent and holds back what requests in flight may still cost.

    A request is let through only if its upper estimate fits beside all that is spent and held back; if it would
    fit once others have settled, it waits for them. So no limit is ever passed.
    """

    def __init__(self, allowed: Allowed, spent: Spent) -> None:
        self.allowed = allowed
        self.spent: Spent = spent
        self._held = Spent()
        self._settled = asyncio.Event()

    async def hold(self, tokens: int, cost: float | None) -> Spent:
        """Hold this back for one request, until `settle`. BudgetReached where it does not fit any more."""
        if self.allowed.cost is not None and cost is None:
            raise UsageError(
                "--max-cost is set, and no price is known for the model.",
                next_step="Give it, in US dollars per million tokens: --price PROVIDER:MODEL=INPUT,OUTPUT",
            )
        wanted = Spent(requests=1, tokens=tokens, cost=cost or 0.0)
        while not self._fits(wanted, beside=_sum(self.spent, self._held)):
            if self._held.requests == 0 or not self._fits(wanted, beside=self.spent):
                raise self._reached()
            self._settled.clear()
            await self._settled.wait()
        self._held = _sum(self._held, wanted)
        return wanted

    def settle(self, held: Spent, tokens: int, cost: float, *, estimated: int = 0) -> None:
        """The request has ended and came to this; of the tokens, so many were `estimated`, not counted."""
        self._held = _sum(self._held, held, sign=-1)
        self.spent = _sum(self.spent, Spent(requests=1, tokens=tokens, cost=cost, estimated_tokens=estimated))
        self._settled.set()

    def release(self, held: Spent) -> None:
        """The request was not sent."""
        self._held = _sum(self._held, held, sign=-1)
        self._settled.set()

    def _fits(self, wanted: Spent, *, beside: Spent) -> bool:
        total, allowed = _sum(beside, wanted), self.allowed
        return (
            (allowed.requests is None or total.requests <= allowed.requests)
            and (allowed.tokens is None or total.tokens <= allowed.tokens)
            # sums of many small amounts: a billionth of a dollar is no overspending
            and (allowed.cost is None or total.cost <= allowed.cost + 1e-9)
        )

    def _reached(self) -> BudgetReached:
        allowed = self.allowed
        limits = [
            f"--max-calls {allowed.requests}" if allowed.requests is not None else "",
            f"--max-tokens {allowed.tokens}" if allowed.tokens is not None else "",
            f"--max-cost {allowed.cost:g}" if allowed.cost is not None else "",
        ]
        spent = self.spent
        estimated = ""
        if spent.estimated_tokens:
            estimated = f" (about {spent.estimated_tokens:,} of them, and their price, are estimated from the texts: "
            estimated += "the provider did not count them)"
        return BudgetReached(
            f"The budget is reached ({', '.join(filter(None, limits))}): {spent.requests} requests sent, "
            f"{spent.tokens:,} tokens{estimated}, ${spent.cost:.4f} spent on this run.",
            next_step="To go on, give the same command with more; what was paid for is kept and not paid again.",
        )


def _sum(a: Spent, b: Spent, sign: int = 1) -> Spent:
    return replace(
        a,
        requests=a.requests + sign * b.requests,
        tokens=a.tokens + sign * b.tokens,
        cost=a.cost + sign * b.cost,
        estimated_tokens=a.estimated_tokens + sign * b.estimated_tokens,
    )
