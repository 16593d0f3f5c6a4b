"""One budget and one pace for all processes of a run on Ray: an actor keeps them, each process asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from viva.core.calls import Spent
from viva.core.errors import BudgetReached, VivaError
from viva.llm.budget import Allowed, Budget
from viva.llm.limits import Pace

KEEPER = "viva limits"
"""The actor's name, by which every process of the run finds it."""


@dataclass(frozen=True)
class Held(Spent):
    """What is held back for one request."""

    number: int = 0


@dataclass
class _Holder:
    """One process, and what is held back for its requests by their number."""

    generation: int = 0
    held: dict[int, Spent] = field(default_factory=dict)


class LimitsKeeper:
    """The actor: the budget and the paces of a run in one process (viva.llm.budget, viva.llm.limits).

    A process enters under its number. One that enters again was killed: what it held is counted as spent, for its
    requests may have been answered and paid for.
    """

    def __init__(
        self, allowed: Allowed, spent: Spent, requests_per_minute: int | None, tokens_per_minute: int | None
    ) -> None:
        self._budget = Budget(allowed, spent)
        self._per_minute = (requests_per_minute, tokens_per_minute)
        self._paces: dict[str, Pace] = {}
        self._holders: dict[int, _Holder] = {}
        self._numbers = 0

    async def enter(self, number: int) -> int:
        """The generation of this process, to be told with all that it asks."""
        before = self._holders.get(number, _Holder())
        self._holders[number] = _Holder(before.generation + 1)
        for held in before.held.values():
            self._budget.settle(held, held.tokens, held.cost, estimated=held.tokens)
        return before.generation + 1

    async def hold(self, number: int, generation: int, tokens: int, cost: float | None) -> Held | VivaError:
        """See `Spending`; what it would raise is given back."""
        try:
            held = await self._budget.hold(tokens, cost)
        except VivaError as error:
            return error
        holder = self._holders[number]
        if holder.generation != generation:
            # who asked was killed while it waited, and has sent nothing
            self._budget.release(held)
            return BudgetReached("This process has been replaced.")
        self._numbers += 1
        holder.held[self._numbers] = held
        return Held(held.requests, held.tokens, held.cost, number=self._numbers)

    async def settle(self, number: int, generation: int, request: int, ended: Spent) -> None:
        """See `Spending`."""
        holder = self._holders[number]
        if holder.generation == generation:
            held = holder.held.pop(request)
            self._budget.settle(held, ended.tokens, ended.cost, estimated=ended.estimated_tokens)

    async def spent(self) -> Spent:
        """Over the whole run so far."""
        return self._budget.spent

    async def turn(self, model: str, tokens: int) -> None:
        """See `Pacing`; of this model."""
        await self._pace(model).turn(tokens)

    async def correct(self, model: str, tokens: int) -> None:
        """See `Pacing`."""
        self._pace(model).correct(tokens)

    async def pause(self, model: str, seconds: float) -> None:
        """See `Pacing`."""
        self._pace(model).pause(seconds)

    def _pace(self, model: str) -> Pace:
        return self._paces.setdefault(model, Pace(*self._per_minute))


@dataclass
class RayLimits:
    """SharedLimits of one process, by the actor that keeps them."""

    keeper: Any
    number: int
    generation: int
    last: Spent | None = None
    """what was spent in all, once the actor is gone"""

    @property
    def budget(self) -> RayBudget:
        """One for all models."""
        return RayBudget(self)

    def pace(self, model: str) -> RayPace:
        """That of this model."""
        return RayPace(self.keeper, model)


async def entered(number: int) -> RayLimits:
    """The limits of this process, which has this number in the run."""
    import ray

    keeper = ray.get_actor(KEEPER)
    return RayLimits(keeper, number, await keeper.enter.remote(number))


@dataclass
class RayBudget:
    """Spending, by the actor."""

    limits: RayLimits

    @property
    def spent(self) -> Spent:
        """Over the whole run so far."""
        import ray

        found: Spent = self.limits.last or ray.get(self.limits.keeper.spent.remote())
        return found

    async def hold(self, tokens: int, cost: float | None) -> Spent:
        """See `Spending`."""
        limits = self.limits
        held: Held | VivaError = await limits.keeper.hold.remote(limits.number, limits.generation, tokens, cost)
        if isinstance(held, VivaError):
            raise held
        return held

    def settle(self, held: Spent, tokens: int, cost: float, *, estimated: int = 0) -> None:
        """See `Spending`."""
        if not isinstance(held, Held):
            raise TypeError("only what was held here is settled here")
        limits, ended = self.limits, Spent(1, tokens, cost, estimated)
        limits.keeper.settle.remote(limits.number, limits.generation, held.number, ended)


@dataclass
class RayPace:
    """Pacing of one model, by the actor."""

    keeper: Any
    model: str

    async def turn(self, tokens: int) -> None:
        """See `Pacing`."""
        await self.keeper.turn.remote(self.model, tokens)

    def correct(self, tokens: int) -> None:
        """See `Pacing`."""
        self.keeper.correct.remote(self.model, tokens)

    def pause(self, seconds: float) -> None:
        """See `Pacing`."""
        self.keeper.pause.remote(self.model, seconds)
