"""How many requests are in flight, and how many a minute."""

from __future__ import annotations

import asyncio
import time

from viva.llm.limits import AdaptiveLimit, Pace


async def round_trip(limit: AdaptiveLimit, requests: int, latency: float) -> int:
    """The most that were in flight at once."""
    peak = 0

    async def one() -> None:
        nonlocal peak
        async with limit.place():
            peak = max(peak, limit.in_flight)
            await asyncio.sleep(0.001)
        limit.answered("writer", latency)

    await asyncio.gather(*(one() for _ in range(requests)))
    return peak


def test_the_limit_grows_to_its_most_while_latency_holds() -> None:
    async def grown() -> tuple[float, int]:
        limit = AdaptiveLimit(64, start=4)
        return limit.limit, await round_trip(limit, 400, 1.0)

    before, peak = asyncio.run(grown())
    assert before == 4
    assert peak == 64


def test_it_does_not_grow_while_latency_rises() -> None:
    async def strained() -> tuple[float, float]:
        limit = AdaptiveLimit(64, start=8)
        limit.answered("writer", 1.0)
        for n in range(30):
            limit.answered("writer", 1.5 + n)
        before = limit.limit
        limit.answered("writer", 200.0)
        return before, limit.limit

    before, after = asyncio.run(strained())
    assert after == before < 20


def test_it_halves_once_for_all_requests_sent_before_the_cut() -> None:
    limit = AdaptiveLimit(64, start=64)
    sent = time.monotonic()
    for _ in range(10):
        limit.throttled(sent)
    assert limit.limit == 32
    limit.throttled(time.monotonic())
    assert limit.limit == 16
    for _ in range(20):
        limit.throttled(time.monotonic())
    assert limit.limit == 1


def test_after_a_429_it_grows_by_one_a_round_trip() -> None:
    limit = AdaptiveLimit(64, start=32)
    limit.throttled(time.monotonic())
    for _ in range(16):
        limit.answered("writer", 1.0)
    assert 16.9 < limit.limit < 17.1


def test_who_waits_is_let_in_in_turn_and_who_gives_up_leaves_no_hole() -> None:
    async def turns() -> list[int]:
        limit = AdaptiveLimit(1, start=1)
        order: list[int] = []

        async def one(number: int) -> None:
            async with limit.place():
                order.append(number)
                await asyncio.sleep(0.001)

        tasks = [asyncio.create_task(one(n)) for n in range(5)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limit.in_flight == 0
        return order

    assert asyncio.run(turns()) == [0, 1, 3, 4]


def test_the_more_urgent_are_let_in_first() -> None:
    async def turns() -> list[int]:
        limit = AdaptiveLimit(1, start=1)
        order: list[int] = []

        async def one(urgency: int) -> None:
            async with limit.place(urgency):
                order.append(urgency)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(one(urgency) for urgency in (0, 0, 2, 1, 3)))
        return order

    assert asyncio.run(turns()) == [0, 3, 2, 1, 0]


def test_requests_per_minute_are_spread_evenly() -> None:
    async def paced() -> float:
        pace = Pace(requests_per_minute=1200, tokens_per_minute=None)
        started = time.monotonic()
        await asyncio.gather(*(pace.turn(10) for _ in range(5)))
        return time.monotonic() - started

    assert asyncio.run(paced()) >= 4 * 0.05 - 0.01


def test_tokens_per_minute_hold_up_what_follows_a_large_request() -> None:
    async def paced() -> float:
        pace = Pace(requests_per_minute=None, tokens_per_minute=60_000)
        started = time.monotonic()
        await pace.turn(100)
        await pace.turn(1)
        return time.monotonic() - started

    assert asyncio.run(paced()) >= 0.09


def test_a_pause_holds_everybody_and_the_longest_counts() -> None:
    async def paused() -> float:
        pace = Pace(None, None)
        pace.pause(0.1)
        pace.pause(0.02)
        started = time.monotonic()
        await asyncio.gather(pace.turn(1), pace.turn(1))
        return time.monotonic() - started

    assert asyncio.run(paused()) >= 0.09
