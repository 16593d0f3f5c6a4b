"""The door, against a real server: what is asked once is paid once, and every request leaves a row."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_faults import Fault, Faults
from model_server import ModelServer, serve
from opened_gateway import QUICK, Opened, at

from viva.core.calls import Call, Entry, Message, Outcome, Reply, Spent, Usage, binding
from viva.core.errors import BudgetReached, DiskFull, ModelAway, UsageError, VivaError
from viva.core.settings import Settings
from viva.llm.budget import Allowed, Budget
from viva.llm.calls import CallFailed
from viva.llm.gateway import REFUSALS, Gateway
from viva.llm.limits import AdaptiveLimit, Pace
from viva.llm.model_lane import ModelLane
from viva.llm.prices import Prices
from viva.llm.providers.langchain import LangChainProvider
from viva.llm.roster import ModelName, parse_roster
from viva.llm.secrets import Secrets
from viva.storage.database import driver_connection
from viva.storage.ledger import CallLedger


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(lambda messages, parameters: f"answer to {messages[-1].text}") as running:
        yield running


def test_an_answer_comes_with_usage_cost_and_latency_and_leaves_a_row(server: ModelServer, tmp_path: Path) -> None:
    async def work(door: Opened) -> tuple[Reply, list[Entry], Spent]:
        with binding(chunk_id="c1", unit_id="u1"):
            reply = await door.ask("what?")
        return reply, list(door.ledger.entries()), door.ledger.spent()

    reply, (entry,), spent = at(server, tmp_path, work)
    assert (reply.text, reply.outcome, reply.cached) == ("answer to what?", Outcome.ANSWERED, False)
    assert reply.usage.input_tokens
    assert reply.usage.output_tokens
    assert reply.cost == pytest.approx((reply.usage.input_tokens + 2 * reply.usage.output_tokens) / 1e6)
    assert (entry.role, entry.chunk_id, entry.unit_id, entry.attempt) == ("writer", "c1", "u1", 0)
    assert (entry.call.provider, entry.call.model, entry.call.endpoint) == ("openai", "first", server.url)
    assert entry.call.parameters == {"temperature": 0.0, "max_tokens": 100}
    assert spent.requests == 1
    assert spent.cost == pytest.approx(reply.cost)


def test_what_was_answered_is_never_paid_again_not_even_by_a_later_process(
    server: ModelServer, tmp_path: Path
) -> None:
    async def work(door: Opened) -> list[Reply]:
        return [await door.ask("what?"), await door.ask("what?")]

    first, second = at(server, tmp_path, work)
    third, _ = at(server, tmp_path, work)
    assert (first.cached, second.cached, third.cached) == (False, True, True)
    assert server.paid == 1


def test_equal_calls_made_at_the_same_time_are_sent_once(server: ModelServer, tmp_path: Path) -> None:
    server.latency = 0.05

    async def work(door: Opened) -> list[Reply]:
        return await asyncio.gather(*(door.ask("what?") for _ in range(20)))

    replies = at(server, tmp_path, work)
    assert server.paid == 1
    assert sum(not reply.cached for reply in replies) == 1


def test_models_parameters_and_repeats_are_asked_each_for_itself(server: ModelServer, tmp_path: Path) -> None:
    async def work(door: Opened) -> None:
        await door.ask("what?")
        await door.ask("what?", role="judge.relevance")
        await door.ask("what?", temperature=0.7)
        await door.ask("what?", repeat=1)

    at(server, tmp_path, work, models="openai:first,judge=openai:second")
    assert server.paid == 4


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault.REFUSAL, Outcome.REFUSED),
        (Fault.FILTERED, Outcome.FILTERED),
        (Fault.LENGTH, Outcome.TRUNCATED),
        (Fault.EMPTY, Outcome.EMPTY),
    ],
)
def test_what_is_no_answer_is_recorded_and_never_served_as_one(
    server: ModelServer, tmp_path: Path, fault: Fault, outcome: Outcome
) -> None:
    server.faults = Faults(first=(fault,))

    async def work(door: Opened) -> tuple[CallFailed, Reply]:
        with pytest.raises(CallFailed) as failed:
            await door.ask("what?")
        return failed.value, await door.ask("what?")

    failed, second = at(server, tmp_path, work)
    assert failed.outcome is outcome
    assert (second.text, second.cached) == ("answer to what?", False)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault.RATE_LIMIT, Outcome.RATE_LIMITED),
        (Fault.SERVER_ERROR, Outcome.SERVER_ERROR),
        (Fault.UNAVAILABLE, Outcome.SERVER_ERROR),
        (Fault.RESET, Outcome.CONNECTION_LOST),
        (Fault.HANG, Outcome.TIMED_OUT),
        (Fault.TRUNCATED_BODY, Outcome.CONNECTION_LOST),
        (Fault.CUT_CHUNKS, Outcome.CONNECTION_LOST),
        (Fault.INVALID_JSON, Outcome.GARBLED),
    ],
)
def test_a_passing_failure_is_retried_and_stands_in_the_ledger(
    server: ModelServer, tmp_path: Path, fault: Fault, outcome: Outcome
) -> None:
    server.faults = Faults(first=(fault, fault), retry_after_s=0.01)

    async def work(door: Opened) -> tuple[Reply, list[Entry]]:
        return await door.ask("what?"), list(door.ledger.entries())

    reply, entries = at(server, tmp_path, work, timeout_s=0.3)
    assert reply.text == "answer to what?"
    assert [(e.attempt, e.outcome) for e in entries] == [(0, outcome), (1, outcome), (2, Outcome.ANSWERED)]
    assert all(e.error for e in entries[:2])


def test_retries_are_bounded_and_the_sdk_adds_none(server: ModelServer, tmp_path: Path) -> None:
    server.faults = Faults({Fault.SERVER_ERROR: 1.0})

    async def work(door: Opened) -> CallFailed:
        with pytest.raises(CallFailed) as failed:
            await door.ask("what?")
        return failed.value

    failed = at(server, tmp_path, work)
    assert failed.outcome is Outcome.SERVER_ERROR
    assert len(server.log) == QUICK.attempts


def test_a_server_that_is_away_ends_the_run_instead_of_losing_call_after_call(
    server: ModelServer, tmp_path: Path
) -> None:
    server.faults = Faults({Fault.UNAVAILABLE: 1.0}, retry_after_s=None)

    async def work(door: Opened) -> list[BaseException | Reply]:
        asked = [door.ask(f"{n}?") for n in range(8)]
        return list(await asyncio.gather(*asked, return_exceptions=True))

    assert {type(end) for end in at(server, tmp_path, work)} == {ModelAway}


def test_a_call_that_fails_while_others_are_answered_is_lost_alone(tmp_path: Path) -> None:
    def brain(messages: Any, _: Any) -> str:
        if messages[-1].text == "poison":
            raise RuntimeError("the model stumbles over this one")
        return "fine"

    async def work(door: Opened) -> list[type]:
        async def others() -> None:
            for n in range(60):
                await door.ask(f"{n}?")

        poison, _ = await asyncio.gather(door.ask("poison"), others(), return_exceptions=True)
        return [type(poison)]

    with serve(brain) as server:
        assert at(server, tmp_path, work) == [CallFailed]


def test_calls_that_fail_one_after_the_other_end_the_run_at_the_third(server: ModelServer, tmp_path: Path) -> None:
    server.faults = Faults({Fault.UNAVAILABLE: 1.0}, retry_after_s=None)

    async def work(door: Opened) -> list[type]:
        return [type(await _ended(door.ask(f"{n}?"))) for n in range(3)]

    assert at(server, tmp_path, work) == [CallFailed, CallFailed, ModelAway]


def test_retry_after_holds_everybody_and_halves_what_is_in_flight(server: ModelServer, tmp_path: Path) -> None:
    server.faults = Faults(first=(Fault.RATE_LIMIT,), retry_after_s=0.3)

    async def work(door: Opened) -> float:
        await door.ask("what?")
        return door.limit.limit

    limit = at(server, tmp_path, work)
    assert 32 <= limit < 34
    first, second = server.log
    assert second.begun - first.begun >= 0.3


@pytest.mark.parametrize("fault", [Fault.QUOTA, "key"])
def test_a_used_up_account_and_a_wrong_key_end_the_run_with_a_sentence(tmp_path: Path, fault: Any) -> None:
    async def work(door: Opened) -> None:
        await door.ask("what?")

    faults = Faults({Fault.QUOTA: 1.0}) if fault is Fault.QUOTA else None
    with serve(faults=faults, key=None if faults else "right key") as server, pytest.raises(UsageError) as told:
        at(server, tmp_path, work)
    assert "refuses to be asked" in told.value.problem
    assert "key" in told.value.next_step


def test_a_prompt_that_is_too_long_costs_its_call_and_is_not_retried(server: ModelServer, tmp_path: Path) -> None:
    server.faults = Faults({Fault.TOO_LONG: 1.0})

    async def work(door: Opened) -> list[Outcome]:
        outcomes = []
        for n in range(5):
            with pytest.raises(CallFailed) as failed:
                await door.ask(f"{n}?")
            outcomes.append(failed.value.outcome)
        return outcomes

    assert at(server, tmp_path, work) == [Outcome.TOO_LONG] * 5
    assert len(server.log) == 5


def test_a_model_that_takes_no_request_of_this_form_ends_the_run_with_what_may_help(
    server: ModelServer, tmp_path: Path
) -> None:
    server.faults = Faults({Fault.BAD_REQUEST: 1.0})

    async def work(door: Opened) -> list[Any]:
        return [await _ended(door.ask(f"{n}?")) for n in range(3)]

    ended = at(server, tmp_path, work)
    assert [type(end) for end in ended] == [CallFailed, CallFailed, UsageError]
    assert "--temperature default" in ended[-1].next_step
    # the first call was asked once more without the temperature that is not supported
    assert len(server.log) == 4


def test_a_model_that_takes_no_more_requests_ends_the_run_though_it_has_answered_before(
    server: ModelServer, tmp_path: Path
) -> None:
    async def work(door: Opened) -> list[Any]:
        await door.ask("fine?")
        server.faults = Faults({Fault.BAD_REQUEST: 1.0})
        return [await _ended(door.ask(f"{n}?")) for n in range(REFUSALS)]

    *lost, end = at(server, tmp_path, work)
    assert {type(each) for each in lost} == {CallFailed}
    assert isinstance(end, UsageError)
    assert "any more" in end.problem


def test_one_bad_request_among_answers_costs_its_call_alone(server: ModelServer, tmp_path: Path) -> None:
    async def work(door: Opened) -> list[Any]:
        await door.ask("fine?")
        server.faults = Faults({Fault.BAD_REQUEST: 1.0})
        return [await _ended(door.ask(f"{n}?")) for n in range(5)]

    assert {type(end) for end in at(server, tmp_path, work)} == {CallFailed}


async def _ended(asked: Awaitable[Reply]) -> Reply | BaseException:
    return (await asyncio.gather(asked, return_exceptions=True))[0]


@pytest.mark.parametrize("most", [0, 1, 17])
def test_a_budget_of_n_requests_is_n_at_the_server_and_goes_on_when_raised(
    server: ModelServer, tmp_path: Path, most: int
) -> None:
    server.latency = 0.01

    async def work(door: Opened) -> list[Any]:
        asked = [door.ask(f"{n}?") for n in range(40)]
        return list(await asyncio.gather(*asked, return_exceptions=True))

    ended = at(server, tmp_path, work, allowed=Allowed(requests=most))
    assert sum(isinstance(end, BudgetReached) for end in ended) == 40 - most
    assert len(server.log) == most
    ended = at(server, tmp_path, work, allowed=Allowed(requests=40))
    assert all(isinstance(end, Reply) for end in ended)
    assert len(server.log) == 40


def test_money_and_tokens_are_never_overspent(server: ModelServer, tmp_path: Path) -> None:
    async def work(door: Opened) -> Spent:
        asked = [door.ask(f"{n}?") for n in range(120)]
        ended = await asyncio.gather(*asked, return_exceptions=True)
        assert any(isinstance(end, BudgetReached) for end in ended)
        return door.ledger.spent()

    assert 0 < at(server, tmp_path / "a", work, allowed=Allowed(tokens=400)).tokens <= 400
    assert 0 < at(server, tmp_path / "b", work, allowed=Allowed(cost=0.0005)).cost <= 0.0005


def test_a_caller_that_is_cancelled_leaves_its_request_to_land_in_the_ledger(
    server: ModelServer, tmp_path: Path
) -> None:
    server.latency = 0.2

    async def work(door: Opened) -> None:
        task = asyncio.create_task(door.ask("what?"))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    at(server, tmp_path, work)

    async def again(door: Opened) -> Reply:
        return await door.ask("what?")

    assert at(server, tmp_path, again).cached
    assert server.paid == 1


def test_a_gateway_that_closes_sends_nothing_more_and_waits_for_what_was_sent(
    server: ModelServer, tmp_path: Path
) -> None:
    server.latency = 0.2

    async def work(door: Opened) -> None:
        tasks = [asyncio.create_task(door.ask(f"{n}?")) for n in range(6)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await door.gateway.aclose()
        assert [entry.outcome for entry in door.ledger.entries()] == [Outcome.ANSWERED] * 2

    at(server, tmp_path, work, concurrency=2)
    assert len(server.log) == 2


def test_a_gateway_that_closes_does_not_try_again(server: ModelServer, tmp_path: Path) -> None:
    server.faults = Faults({Fault.HANG: 1.0})

    async def work(door: Opened) -> None:
        task = asyncio.create_task(door.ask("what?"))
        await asyncio.sleep(0.1)
        await door.gateway.aclose()
        assert [entry.outcome for entry in door.ledger.entries()] == [Outcome.TIMED_OUT]
        await asyncio.gather(task, return_exceptions=True)

    at(server, tmp_path, work, timeout_s=0.3)


class Uncounting:
    """A provider that does not say what it used, as some compatible servers."""

    name, model, endpoint = "openai", "first", ""

    async def complete(self, call: Call) -> Reply:
        return Reply("an answer", Outcome.ANSWERED, "stop", Usage())

    async def aclose(self) -> None:
        """Nothing is open."""


def test_money_is_not_overspent_where_the_provider_does_not_count(tmp_path: Path) -> None:
    async def work() -> tuple[list[Any], Spent]:
        ledger = CallLedger(tmp_path)
        gateway = Gateway(
            parse_roster(["openai:first"]),
            lambda _: ModelLane(Uncounting(), AdaptiveLimit(1), Pace(None, None)),
            ledger,
            Budget(Allowed(cost=0.0005), ledger.spent()),
            Prices(("openai:first=1,2",)),
            parameters={"max_tokens": 100},
        )
        asked = [gateway.ask("writer", [Message(role="user", text=f"{n}?")]) for n in range(60)]
        ended = list(await asyncio.gather(*asked, return_exceptions=True))
        await gateway.aclose()
        spent = ledger.spent()
        ledger.close()
        return ended, spent

    ended, spent = asyncio.run(work())
    assert any(isinstance(end, BudgetReached) for end in ended)
    assert 0 < spent.cost <= 0.0005


def test_a_compatible_server_is_sent_the_limit_of_a_reply_and_nothing_it_does_not_know(tmp_path: Path) -> None:
    seen: dict[str, Any] = {}

    def brain(_: Any, parameters: Any) -> str:
        seen.update(parameters)
        return "fine"

    async def work(door: Opened) -> None:
        await door.ask("what?")

    with serve(brain) as server:
        at(server, tmp_path, work)
    assert seen["max_tokens"] == 100
    assert seen.keys() <= {"max_tokens", "temperature", "stream"}


@pytest.mark.parametrize(
    ("address", "limit", "endpoint"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens", ""),
        ("https://api.openai.com/v1/", "max_completion_tokens", ""),
        ("https://eu.api.openai.com/v1", "max_completion_tokens", "https://eu.api.openai.com/v1"),
        ("https://me.openai.azure.com/openai/v1", "max_completion_tokens", "https://me.openai.azure.com/openai/v1"),
        (
            "https://me.openai.azure.com/openai/deployments/a",
            "max_tokens",
            "https://me.openai.azure.com/openai/deployments/a",
        ),
        ("https://notopenai.com/v1", "max_tokens", "https://notopenai.com/v1"),
        ("https://openai.com.example/v1", "max_tokens", "https://openai.com.example/v1"),
    ],
)
def test_openai_itself_is_sent_the_limit_that_its_reasoning_models_take(
    address: str, limit: str, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    provider = LangChainProvider.of(ModelName("openai", "gpt-5-mini"), Settings(), Prices(()), Secrets())
    chat: Any = provider._chat_model({"max_tokens": 7})
    sent = chat._get_request_payload([("user", "what?")])
    told = {**sent, **(sent.get("extra_body") or {})}
    assert {name: told[name] for name in told if name.startswith("max")} == {limit: 7}
    assert provider.endpoint == endpoint


def test_no_more_are_in_flight_than_allowed(server: ModelServer, tmp_path: Path) -> None:
    server.latency = 0.02

    async def work(door: Opened) -> None:
        await asyncio.gather(*(door.ask(f"{n}?") for n in range(60)))

    at(server, tmp_path, work, concurrency=5)
    assert server.peak == 5


def test_listeners_hear_of_every_request_and_of_every_call_served(server: ModelServer, tmp_path: Path) -> None:
    server.faults = Faults(first=(Fault.SERVER_ERROR,))

    async def work(door: Opened) -> list[Entry]:
        await door.ask("what?")
        await door.ask("what?")
        return door.heard

    heard = at(server, tmp_path, work)
    assert [(e.outcome, bool(e.reply and e.reply.cached)) for e in heard] == [
        (Outcome.SERVER_ERROR, False),
        (Outcome.ANSWERED, False),
        (Outcome.ANSWERED, True),
    ]


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("nosuch:model", "no provider"),
        ("anthropic:claude-sonnet-4-5", "pip install -e '.[anthropic]'"),
        ("mistralai:small", "langchain-mistralai"),
    ],
)
def test_a_missing_provider_or_package_is_one_sentence_with_the_command(
    model: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("langchain_anthropic", "langchain_mistralai"):
        monkeypatch.setitem(sys.modules, package, None)
    name = parse_roster([model]).of("writer")
    with pytest.raises(UsageError) as told:
        LangChainProvider.of(name, Settings(), Prices(()), Secrets())
    assert says in str(told.value)


def test_a_missing_key_is_one_sentence_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(VivaError) as told:
        LangChainProvider.of(ModelName("openai", "gpt-4o-mini"), Settings(), Prices(()), Secrets())
    assert "OPENAI_API_KEY" in str(told.value)


def test_once_the_ledger_has_no_room_nothing_more_is_sent(server: ModelServer, tmp_path: Path) -> None:
    async def work(door: Opened) -> list[object]:
        await door.ask("what?")
        writer = driver_connection(door.ledger._writer)
        writer.execute(f"PRAGMA max_page_count={writer.execute('PRAGMA page_count').fetchone()[0] + 4}")
        asked = (door.ask(f"what is number {n}? {'x' * 3000}") for n in range(100))
        return await asyncio.gather(*asked, return_exceptions=True)

    ended = at(server, tmp_path, work, concurrency=4)
    lacking = [each for each in ended if isinstance(each, DiskFull)]
    assert "ledger.sqlite: the disk is full" in str(lacking[0])
    kept = [each for each in ended if isinstance(each, Reply)]
    assert len(kept) + len(lacking) == 100
    # what was in flight beside the one whose row did not fit
    assert 1 + len(kept) <= server.paid <= 1 + len(kept) + 4

    async def again(door: Opened) -> list[Reply]:
        return [await door.ask(f"what is number {n}? {'x' * 3000}") for n in range(100)]

    assert sum(reply.cached for reply in at(server, tmp_path, again)) == len(kept)
