"""A replay says what was said, loses what was lost, and stops at what was never asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from call_entries import a_call, answered, failed

from viva.core.calls import Call, Entry, Message, Outcome, Reply
from viva.core.errors import UsageError
from viva.llm.calls import CallFailed
from viva.llm.providers.replay import ReplayProvider
from viva.storage.ledger import CallLedger, open_recorded


def asked(question: str, **changes: object) -> Call:
    return a_call(messages=(Message(role="user", text=question),), **changes)


def lost(call: Call, outcome: Outcome) -> Entry:
    return Entry(call, "writer", "c1", None, 5, outcome, None, f"it was {outcome.value}", 0.5)


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    async def all_in_turn(ledger: CallLedger) -> None:
        for entry in (
            answered("Yes.", call=asked("a")),
            lost(asked("b"), Outcome.SERVER_ERROR),
            lost(asked("c"), Outcome.DENIED),
            lost(asked("d"), Outcome.TIMED_OUT),
            answered("At last.", call=asked("d")),
            lost(asked("e", model="large"), Outcome.TOO_LONG),
            failed(),
        ):
            await ledger.record(entry)

    with CallLedger(tmp_path) as ledger:
        asyncio.run(all_in_turn(ledger))
    return tmp_path


def replayed(folder: Path, question: str, model: str = "") -> Reply:
    async def work() -> Reply:
        provider = ReplayProvider(f"{folder}{model}", open_recorded(folder))
        try:
            return await provider.complete(asked(question, provider="replay", model="it"))
        finally:
            await provider.aclose()

    return asyncio.run(work())


def test_what_was_answered_in_the_end_is_answered(recorded: Path) -> None:
    assert (replayed(recorded, "a").text, replayed(recorded, "d").text) == ("Yes.", "At last.")
    assert replayed(recorded, "a").cost == 0.0


def test_a_call_that_was_lost_is_lost_again_for_the_same_reason(recorded: Path) -> None:
    with pytest.raises(CallFailed) as told:
        replayed(recorded, "b")
    assert (told.value.outcome, told.value.detail) == (Outcome.SERVER_ERROR, "it was server error")
    with pytest.raises(CallFailed):
        replayed(recorded, "e", "#openai:large")


@pytest.mark.parametrize(("question", "model"), [("f", ""), ("c", ""), ("e", "#openai:gpt-4o-mini")])
def test_a_call_that_was_not_made_or_ended_the_run_stops_the_replay(
    recorded: Path, question: str, model: str
) -> None:
    with pytest.raises(UsageError) as told:
        replayed(recorded, question, model)
    assert "does not hold this call" in told.value.problem
