"""The budget is never passed, by one request or by one cent."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.core.calls import Spent
from viva.core.errors import BudgetReached, UsageError
from viva.llm.budget import Allowed, Budget


async def spend(budget: Budget, tokens: int, used: int, cost: float = 0.0) -> None:
    held = await budget.hold(tokens, cost)
    await asyncio.sleep(0)
    budget.settle(held, used, cost)


def sent(allowed: Allowed, requests: list[tuple[int, int]], spent: Spent | None = None) -> Spent:
    """What is spent when all these (upper estimate, used) are tried at once."""

    async def all_at_once() -> Spent:
        budget = Budget(allowed, spent or Spent())
        ended = await asyncio.gather(*(spend(budget, *r) for r in requests), return_exceptions=True)
        assert all(e is None or isinstance(e, BudgetReached) for e in ended)
        return budget.spent

    return asyncio.run(all_at_once())


@pytest.mark.parametrize("most", [0, 1, 7, 50])
def test_as_many_requests_are_sent_as_are_allowed_and_not_one_more(most: int) -> None:
    assert sent(Allowed(requests=most), [(100, 10)] * 60).requests == most


def test_requests_of_earlier_processes_count() -> None:
    assert sent(Allowed(requests=10), [(1, 1)] * 20, Spent(requests=8)).requests == 10


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1)), max_size=40), st.integers(0, 400))
def test_tokens_never_pass_the_limit_where_estimates_are_upper_ones(
    sizes: list[tuple[int, float]], most: int
) -> None:
    requests = [(size, int(size * share)) for size, share in sizes]
    assert sent(Allowed(tokens=most), requests).tokens <= most


def test_a_request_that_will_fit_once_others_have_settled_waits_for_them() -> None:
    # 60 held beside 60 is too much for 100, but each uses 10: all five fit one after another
    assert sent(Allowed(tokens=100), [(60, 10)] * 5).requests == 5


def test_money_without_a_known_price_is_said_and_not_taken_for_nothing() -> None:
    async def hold() -> None:
        await Budget(Allowed(cost=1.0), Spent()).hold(10, None)

    with pytest.raises(UsageError, match="no price is known"):
        asyncio.run(hold())


def test_the_sentence_names_the_limit_and_what_was_spent() -> None:
    async def hold() -> None:
        await Budget(Allowed(requests=3, cost=0.5), Spent(3, 1200, 0.02)).hold(10, 0.0)

    with pytest.raises(BudgetReached) as told:
        asyncio.run(hold())
    assert "--max-calls 3" in told.value.problem
    assert "1,200 tokens" in told.value.problem
