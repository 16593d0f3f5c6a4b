"""`viva ledger` and `viva show` tell what models were asked and what it cost, from a real ledger in a real run."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from by_hand import document, item

from viva.cli.inspect import ledger, show
from viva.core.calls import Call, Entry, Message, Outcome, Reply, Usage
from viva.core.errors import UsageError
from viva.core.records import Chunk, Step
from viva.core.settings import Settings
from viva.graphs.context import RunContext
from viva.storage.ledger import CallLedger
from viva.storage.recorded_calls import LEDGER_FILE

DOCUMENT = document("Pumps move water. Valves stop it.", "a.md")
CHUNK = Chunk.of(DOCUMENT, 0, len(DOCUMENT.text), 9)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with two accepted items."""
    context = RunContext(tmp_path / "run", Settings(model=("openai:small",)))
    context.bind(tmp_path, "fingerprint")
    context.store.add_corpus([DOCUMENT], [CHUNK], [])
    step = Step(chunk_id=CHUNK.id, number=0, role="chair", input="", output="", duration_s=0)
    context.store.finish_chunk(CHUNK.id, [item(n, of=DOCUMENT) for n in range(2)], [], [step], units=2)
    context.close()
    return tmp_path / "run"


def entry(question: str, role: str, outcome: Outcome, cost: float | None, usage: Usage) -> Entry:
    model = "[red]large" if role == "writer" else "small"
    call = Call("openai", model, "", (Message(role="user", text=question),))
    if outcome is Outcome.RATE_LIMITED:
        return Entry(call, role, CHUNK.id, None, 0, outcome, None, "too many requests", 0.1)
    reply = Reply("x" * 40, outcome, "stop", usage, cost, 0.5)
    return Entry(call, role, CHUNK.id, None, 0, outcome, reply, None, 0.5)


def ask(run: Path, cost: float | None = 0.003, usage: Usage = Usage(1000, 200, 0)) -> None:  # noqa: B008
    """The writer is answered at the second request; the expert is answered unreadably, served once, and refuses."""
    entries = [
        entry("a", "writer", Outcome.RATE_LIMITED, cost, usage),
        entry("a", "writer", Outcome.ANSWERED, cost, usage),
        entry("b", "expert", Outcome.ANSWERED, cost, usage),
        entry("c", "expert", Outcome.REFUSED, cost, usage),
    ]
    with CallLedger(run) as ledger:

        async def record() -> None:
            for each in entries:
                await ledger.record(each)

        asyncio.run(record())
        ledger.count_hit(entries[2].call, "expert")
        ledger.count_unreadable(entries[2].call.key, "expert", "missing field")


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("│").split("│")]


def test_the_table_is_by_role_and_model_with_a_sum(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(run)
    ledger(run, json=False)
    out = said(capsys)
    rows = {cells(line)[0]: cells(line)[1:] for line in out.splitlines() if line.startswith("│")}
    # calls, requests, hits, failed, unreadable, tokens in, tokens out, cost, latency
    assert rows["expert"] == ["openai:small", "1", "2", "1", "1", "1", "2,000", "400", "$0.0060", "500 ms"]
    assert rows["writer"] == ["openai:[red]large", "1", "2", "0", "1", "0", "1,000", "200", "$0.0030", "300 ms"]
    assert rows["sum"] == ["", "2", "4", "1", "2", "1", "3,000", "600", "$0.0090", "400 ms"]
    assert "Failed requests: expert, openai:small: 1 refused." in out
    assert "Failed requests: writer, openai:[red]large: 1 rate limited." in out
    assert "Unreadable replies: expert, openai:small: 1 missing field." in out
    assert "Writing, per accepted item (2): 1.0 calls, 1,800 tokens, cost $0.0045." in out


def test_what_is_not_known_is_told(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(run, cost=None, usage=Usage())
    ledger(run, json=False)
    out = said(capsys)
    rows = {cells(line)[0]: cells(line)[1:] for line in out.splitlines() if line.startswith("│")}
    # tokens in, tokens out, cost
    assert [rows[role][6:9] for role in ("expert", "writer", "sum")] == [["not known"] * 3] * 3
    assert "3 replies have no known price. Give it: --price PROVIDER:MODEL=INPUT,OUTPUT" in out
    # 40 bytes of reply and 1 of question, thrice
    assert "There were about 54 more tokens, which the provider did not count." in out
    assert "3 replies came without a token count: their tokens are estimated from their texts." in out
    assert "Writing, per accepted item (2): 1.0 calls, 27 tokens, cost not known." in out


def test_a_count_that_is_known_of_some_replies_is_told_as_a_lower_bound(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(run, usage=Usage(1000, None, None))
    ledger(run, json=False)
    out = said(capsys)
    rows = {cells(line)[0]: cells(line)[1:] for line in out.splitlines() if line.startswith("│")}
    assert rows["sum"][6:8] == ["at least 3,000", "not known"]
    ledger(run, json=True)
    use = json.loads(said(capsys))["model_use"][0]
    assert (use["input_tokens"], use["output_tokens"], use["cached_tokens"], use["uncounted"]) == (
        2000,
        None,
        None,
        2,
    )
    show(run, json=False)
    assert "3,042 tokens (42 of them estimated)" in said(capsys)


def test_json_holds_every_use_and_the_averages(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(run)
    ledger(run, json=True)
    told = json.loads(said(capsys))
    assert [(use["role"], use["model"], use["requests"]) for use in told["model_use"]] == [
        ("expert", "small", 2),
        ("writer", "[red]large", 2),
    ]
    assert told["model_use"][0]["failures"] == {"refused": 1}
    assert told["model_use"][0]["unreadable"] == {"missing field": 1}
    assert told["per_accepted_item"] == pytest.approx({"calls": 1.0, "tokens": 1800.0, "cost": 0.0045})
    show(run, json=True)
    standing = json.loads(said(capsys))
    assert {name: standing[name] for name in told} == told


def test_show_has_a_line_of_it_when_models_were_asked(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show(run, json=False)
    assert "Spent" not in said(capsys)
    ask(run)
    show(run, json=False)
    line = (
        "Spent: 2 model calls, 3,600 tokens, cost $0.0090; "
        "writing, per accepted item: 1.0 calls, 1,800 tokens, cost $0.0045."
    )
    assert f"{line} By role: viva ledger {run}" in said(capsys)


def test_a_run_that_asked_nobody_says_so_and_gets_no_ledger(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger(run, json=False)
    assert "No language model was used" in said(capsys)
    ledger(run, json=True)
    assert json.loads(said(capsys)) == {"model_use": [], "per_accepted_item": None}
    assert not (run / LEDGER_FILE).exists()


def test_a_folder_without_a_run_and_a_damaged_ledger_are_usage_errors(run: Path) -> None:
    with pytest.raises(UsageError):
        ledger(run / "nowhere", json=False)
    (run / LEDGER_FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(UsageError, match=LEDGER_FILE):
        ledger(run, json=False)
