"""What a model server may say beside an answer: counts that are none, JSON without end. Against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, serve
from opened_gateway import Opened, at
from wires import NO_COUNTS, Wire, counting, nested, plain

from viva.core.accounts import ModelUse
from viva.core.calls import MOST_TOKENS, Outcome, Reply, Spent, Usage
from viva.core.errors import BudgetReached, TransientError, UsageError
from viva.llm.budget import Allowed
from viva.llm.calls import CallFailed
from viva.llm.gateway import Retries

ONCE = Retries(attempts=1)
CONTENT = ("choices", 0, "message", "content")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serve(lambda messages, parameters: "eight words are said here, and two more") as running:
        yield running


def asked(server: ModelServer, wire: Wire, folder: Path, **how: Any) -> tuple[Reply, Spent, ModelUse]:
    """One call, and what the ledger says of it."""
    server.wire = wire

    async def work(door: Opened) -> tuple[Reply, Spent, ModelUse]:
        reply = await door.ask("what?")
        return reply, door.ledger.spent(), door.ledger.use()[0]

    found: tuple[Reply, Spent, ModelUse] = at(server, folder, work, **how)
    return found


@pytest.mark.parametrize("name", NO_COUNTS)
def test_a_count_that_is_none_is_not_known_and_the_reply_is_kept(
    server: ModelServer, tmp_path: Path, name: str
) -> None:
    odd = NO_COUNTS[name]
    wire = counting(prompt_tokens=odd, total_tokens=odd, prompt_tokens_details={"cached_tokens": odd})
    reply, spent, use = asked(server, wire, tmp_path)
    counted = reply.usage.output_tokens
    assert counted
    assert reply.usage == Usage(None, counted, None)
    # four bytes to a token, four for the frame
    estimated = len("what?") // 4 + 4
    assert spent == Spent(1, counted + estimated, pytest.approx((estimated + 2 * counted) / 1e6), estimated)
    assert (use.input_tokens, use.output_tokens, use.cached_tokens, use.uncounted) == (None, counted, None, 1)
    assert use.uncounted_tokens == estimated
    again, _, _ = asked(server, plain, tmp_path)
    assert (again.cached, again.usage, again.cost) == (True, reply.usage, reply.cost)


@pytest.mark.parametrize("name", NO_COUNTS)
def test_a_usage_that_is_none_at_all_is_not_known(server: ModelServer, tmp_path: Path, name: str) -> None:
    reply, spent, use = asked(server, counting(all=NO_COUNTS[name]), tmp_path)
    assert reply.usage == Usage()
    assert spent.tokens == spent.estimated_tokens == use.uncounted_tokens > 0
    assert (use.input_tokens, use.output_tokens, use.uncounted) == (None, None, 1)


@pytest.mark.parametrize(("told", "known"), [(0, 0), (MOST_TOKENS, MOST_TOKENS), (MOST_TOKENS + 1, None)])
def test_a_count_has_bounds(server: ModelServer, tmp_path: Path, told: int, known: int | None) -> None:
    reply, _, _ = asked(server, counting(completion_tokens=told, total_tokens=None), tmp_path)
    assert reply.usage.output_tokens == known


def test_reasoning_that_is_counted_beside_the_completion_is_output(server: ModelServer, tmp_path: Path) -> None:
    wire = counting(all={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 1515})
    reply, spent, _ = asked(server, wire, tmp_path)
    assert reply.usage == Usage(10, 1505, None)
    assert (spent.tokens, spent.cost) == (1515, pytest.approx((10 + 2 * 1505) / 1e6))


def test_a_total_that_is_no_sum_takes_nothing_from_the_completion(server: ModelServer, tmp_path: Path) -> None:
    wire = counting(all={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 0})
    assert asked(server, wire, tmp_path)[0].usage == Usage(10, 5, None)


@pytest.mark.parametrize("amid", [False, True])
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (429, Outcome.RATE_LIMITED),
        (502, Outcome.SERVER_ERROR),
        ("400", Outcome.INVALID),
        (None, Outcome.SERVER_ERROR),
    ],
)
def test_an_error_told_with_status_200_means_what_its_code_says(
    server: ModelServer, tmp_path: Path, code: object, outcome: Outcome, amid: bool
) -> None:
    error = {"code": code, "message": "Provider returned error"}

    def wire(said: dict[str, Any]) -> bytes:
        choice = {**said["choices"][0], "finish_reason": "error", "error": error}
        return plain({**said, "choices": [choice]} if amid else {"error": error})

    with pytest.raises(CallFailed, match="Provider returned error") as caught:
        asked(server, wire, tmp_path, retries=ONCE)
    assert caught.value.outcome is outcome


def test_a_used_up_account_told_with_status_200_ends_the_run_at_the_first_request(
    server: ModelServer, tmp_path: Path
) -> None:
    before = len(server.log)
    with pytest.raises(UsageError, match="Insufficient credits"):
        asked(server, lambda _: plain({"error": {"message": "Insufficient credits", "code": 402}}), tmp_path)
    assert len(server.log) == before + 1


@pytest.mark.parametrize("choices", [[], None])
def test_a_reply_without_a_choice_is_empty_and_its_tokens_count(
    server: ModelServer, tmp_path: Path, choices: object
) -> None:
    server.wire = lambda said: plain({**said, "choices": choices})

    async def work(door: Opened) -> tuple[CallFailed, Spent]:
        with pytest.raises(CallFailed) as caught:
            await door.ask("what?")
        return caught.value, door.ledger.spent()

    failed, spent = at(server, tmp_path, work)
    assert failed.outcome is Outcome.EMPTY
    assert (spent.requests, spent.estimated_tokens) == (1, 0)
    assert spent.tokens > 0


def test_a_count_that_is_left_out_is_not_taken_for_0(server: ModelServer, tmp_path: Path) -> None:
    reply, _, _ = asked(server, counting(all={"completion_tokens": 7}), tmp_path)
    assert reply.usage == Usage(None, 7, None)


def test_a_budget_counts_an_estimate_where_the_provider_does_not_and_says_so(
    server: ModelServer, tmp_path: Path
) -> None:
    server.wire = counting(all="none of your business")

    async def work(door: Opened) -> Exception:
        try:
            for number in range(1000):
                await door.ask(f"what is number {number}?")
        except BudgetReached as reached:
            return reached
        raise AssertionError("there was no end")

    before = len(server.log)
    reached = at(server, tmp_path, work, allowed=Allowed(tokens=400))
    assert 0 < len(server.log) - before < 40
    assert "of them, and their price, are estimated" in str(reached)
    # a later process begins with what this one has estimated
    again = at(server, tmp_path, work, allowed=Allowed(tokens=400))
    assert str(again) == str(reached)


@pytest.mark.parametrize("levels", [980, 100_000])
@pytest.mark.parametrize("path", [(), ("usage",), ("anything",), CONTENT], ids=str)
def test_json_nested_deeper_than_python_goes_is_a_garbled_response(
    server: ModelServer, tmp_path: Path, levels: int, path: tuple[str | int, ...]
) -> None:
    with pytest.raises(CallFailed) as caught:
        asked(server, nested(levels, *path), tmp_path, retries=ONCE)
    assert caught.value.outcome is Outcome.GARBLED
    assert "could not be read" in caught.value.detail


def test_a_garbled_response_is_counted_and_asked_for_again(server: ModelServer, tmp_path: Path) -> None:
    wires = iter([nested(100_000), nested(100_000), plain])
    _, spent, use = asked(server, lambda said: next(wires)(said), tmp_path)
    assert (spent.requests, use.calls, use.failures) == (3, 1, {"garbled response": 2})


def test_a_server_that_says_nothing_else_ends_in_words(server: ModelServer, tmp_path: Path) -> None:
    server.wire = nested(100_000)

    async def work(door: Opened) -> list[object]:
        return await asyncio.gather(*(door.ask(f"what {n}?") for n in range(4)), return_exceptions=True)

    ended = at(server, tmp_path, work)
    assert any(isinstance(each, TransientError) and "does not answer" in str(each) for each in ended)
    assert all(isinstance(each, TransientError | CallFailed) for each in ended)


def test_a_message_of_no_known_role_is_a_garbled_response(server: ModelServer, tmp_path: Path) -> None:
    def wire(said: dict[str, Any]) -> bytes:
        said["choices"][0]["message"]["role"] = "nobody"
        return plain(said)

    with pytest.raises(CallFailed) as caught:
        asked(server, wire, tmp_path, retries=ONCE)
    assert caught.value.outcome is Outcome.GARBLED
