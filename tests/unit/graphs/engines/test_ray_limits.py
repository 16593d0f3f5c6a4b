"""The actor that keeps the limits of all workers, asked as Ray would ask it."""

from __future__ import annotations

import asyncio

from viva.core.calls import Spent
from viva.core.errors import BudgetReached
from viva.graphs.engines.ray_limits import Held, LimitsKeeper
from viva.llm.budget import Allowed


def keeper_of(requests: int | None) -> LimitsKeeper:
    return LimitsKeeper(Allowed(requests=requests), Spent(), None, None)


async def sent(keeper: LimitsKeeper, worker: int, generation: int) -> bool:
    """Whether one more request was allowed; it has ended then."""
    held = await keeper.hold(worker, generation, 100, 0.01)
    if not isinstance(held, Held):
        return False
    await asyncio.sleep(0)
    await keeper.settle(worker, generation, held.number, Spent(1, 80, 0.005))
    return True


def test_n_requests_are_n_whoever_sends_them() -> None:
    async def all_at_once() -> tuple[int, Spent]:
        keeper = keeper_of(37)
        workers = [(number, await keeper.enter(number)) for number in range(4)]
        done = await asyncio.gather(*(sent(keeper, *worker) for worker in workers * 25))
        return sum(done), await keeper.spent()

    allowed, spent = asyncio.run(all_at_once())
    assert allowed == spent.requests == 37
    assert spent.tokens == 37 * 80


def test_what_a_killed_worker_may_have_sent_counts_as_sent_and_holds_up_nobody() -> None:
    async def killed() -> None:
        keeper = keeper_of(3)
        first = await keeper.enter(1)
        assert isinstance(await keeper.hold(1, first, 100, 0.01), Held)
        assert isinstance(await keeper.hold(1, first, 100, 0.01), Held)
        second = await keeper.enter(1)
        assert await keeper.spent() == Spent(2, 200, 0.02, 200)
        assert await sent(keeper, 1, second)
        assert isinstance(await keeper.hold(1, second, 100, 0.01), BudgetReached)

    asyncio.run(killed())


def test_a_request_that_is_granted_to_a_worker_that_has_died_meanwhile_is_given_back() -> None:
    async def killed_in_the_queue() -> None:
        keeper = keeper_of(1)
        dies, lives = await keeper.enter(1), await keeper.enter(2)
        held = await keeper.hold(2, lives, 100, 0.01)
        assert isinstance(held, Held)
        waits = asyncio.create_task(keeper.hold(1, dies, 100, 0.01))
        await asyncio.sleep(0)
        again = await keeper.enter(1)
        # the request was not sent after all, and its place is free
        keeper._budget.release(held)
        assert not isinstance(await waits, Held)
        assert await sent(keeper, 1, again)

    asyncio.run(killed_in_the_queue())


def test_all_workers_keep_one_pace_and_one_pause() -> None:
    async def paced() -> float:
        keeper = LimitsKeeper(Allowed(), Spent(), 1200, None)
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.gather(*(keeper.turn("openai:m", 10) for _ in range(5)))
        assert loop.time() - began >= 4 * 0.05
        await keeper.pause("openai:m", 0.2)
        began = loop.time()
        await keeper.turn("openai:other", 10)
        assert loop.time() - began < 0.1
        await keeper.turn("openai:m", 10)
        return loop.time() - began

    assert asyncio.run(paced()) >= 0.15
