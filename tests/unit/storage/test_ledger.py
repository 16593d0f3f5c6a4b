"""The ledger keeps every request, serves only answers, and never one call's answer to another."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from viva.core.calls import Call, Entry, Message, Outcome, Reply, Spent, Usage
from viva.core.errors import RunMismatch, UsageError
from viva.storage.ledger import CallLedger, open_recorded, replies_alone
from viva.storage.recorded_calls import LEDGER_FILE

SYSTEM = Message(role="system", text="You are a critic. " * 50)


def call(question: str = "What lifts 55 tonnes?", **changes: object) -> Call:
    asked = (SYSTEM, Message(role="user", text=question))
    return replace(Call("openai", "small", "", asked, {"temperature": 0.0}), **changes)  # type: ignore[arg-type]


def reply(text: str = "The ramp.", outcome: Outcome = Outcome.ANSWERED, **changes: object) -> Reply:
    made = Reply(text, outcome, "stop", Usage(100, 20, 40), cost=0.5, latency_s=1.5)
    return replace(made, **changes)  # type: ignore[arg-type]


def answered(asked: Call, said: Reply | None = None, **changes: object) -> Entry:
    said = said or reply()
    made = Entry(asked, "judge.relevance", "chunk", "unit", 0, said.outcome, said, None, said.latency_s)
    return replace(made, **changes)  # type: ignore[arg-type]


def failed(asked: Call, outcome: Outcome, **changes: object) -> Entry:
    made = Entry(asked, "judge.relevance", "chunk", None, 0, outcome, None, f"it was {outcome.value}", 0.25)
    return replace(made, **changes)  # type: ignore[arg-type]


def record(ledger: CallLedger, *entries: Entry) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*(ledger.record(entry) for entry in entries))

    asyncio.run(all_at_once())


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[CallLedger]:
    with CallLedger(tmp_path) as opened:
        yield opened


# --- what is served --------------------------------------------------------------------------------------


def test_an_answer_comes_back_as_it_was_and_marked_as_cached(ledger: CallLedger) -> None:
    assert ledger.find(call().key) is None
    record(ledger, answered(call()))
    assert ledger.find(call().key) == reply(cached=True)


@pytest.mark.parametrize(
    "other",
    [
        call(provider="anthropic"),
        call(model="large"),
        call(endpoint="http://localhost:8000/v1"),
        call(parameters={"temperature": 0.5}),
        call(parameters={}),
        call(repeat=1),
        call("What lifts 56 tonnes?"),
        call(messages=(Message(role="user", text=SYSTEM.text), call().messages[1])),
        call(messages=(call().messages[1],)),
    ],
)
def test_calls_that_differ_in_anything_share_nothing(ledger: CallLedger, other: Call) -> None:
    record(ledger, answered(call()))
    assert ledger.find(other.key) is None
    record(ledger, answered(other, reply("Another.")))
    assert [found.text for key in (call().key, other.key) if (found := ledger.find(key))] == ["The ramp.", "Another."]


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.ANSWERED])
def test_only_answers_are_served(ledger: CallLedger, outcome: Outcome) -> None:
    record(ledger, failed(call(), outcome), answered(call(), reply("I would rather not.", outcome)))
    assert ledger.find(call().key) is None
    record(ledger, answered(call()))
    assert ledger.find(call().key) == reply(cached=True)


def test_of_two_answers_the_first_is_served(ledger: CallLedger) -> None:
    record(ledger, answered(call(), reply("First.")))
    record(ledger, answered(call(), reply("Second.")))
    found = ledger.find(call().key)
    assert found
    assert found.text == "First."


@pytest.mark.parametrize(
    "text", ["", "\x00", "half \ud83d of an emoji", "naïve ✓ 漢字", "line\r\nline", "x" * 100_000]
)
def test_any_text_comes_back_to_the_character(ledger: CallLedger, text: str) -> None:
    asked = call(text)
    record(ledger, answered(asked, reply(text, finish_reason="\ud83d"), error="\ud83d"))
    found = ledger.find(asked.key)
    assert found
    assert found.text == text
    assert [entry.call for entry in ledger.entries()] == [asked]


# --- what is durable -------------------------------------------------------------------------------------


def test_what_was_recorded_outlives_a_process_that_ends_at_once(tmp_path: Path) -> None:
    code = (
        "import asyncio, os, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path\n"
        "from test_ledger import CallLedger, answered, call\n"
        "async def main():\n"
        "    ledger = CallLedger(Path(sys.argv[1]))\n"
        "    async def one(n):\n"
        "        await ledger.record(answered(call(f'question {n}')))\n"
        "        os.write(1, f'{n}\\n'.encode())\n"
        "    asyncio.create_task(one(0))\n"
        "    await asyncio.gather(*(one(n) for n in range(1, 200)))\n"
        "    asyncio.create_task(one(200))\n"
        "    await asyncio.sleep(0)\n"
        "    os._exit(0)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    told = [int(line) for line in done.stdout.split()]
    assert set(range(1, 200)) <= set(told)
    with CallLedger(tmp_path) as ledger:
        assert all(ledger.find(call(f"question {n}").key) for n in told)


def test_many_at_once_are_all_there_when_each_returns(ledger: CallLedger) -> None:
    async def one(n: int) -> bool:
        await ledger.record(answered(call(f"question {n}")))
        return ledger.find(call(f"question {n}").key) is not None

    async def everybody() -> list[bool]:
        return await asyncio.gather(*(one(n) for n in range(500)))

    assert all(asyncio.run(everybody()))
    assert ledger.spent().requests == 500


def test_a_caller_that_is_cancelled_neither_loses_its_row_nor_stops_the_others(ledger: CallLedger) -> None:
    async def main() -> None:
        tasks = [asyncio.create_task(ledger.record(answered(call(f"question {n}")))) for n in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert [task.cancelled() for task in tasks] == [False, True, False]

    asyncio.run(main())
    assert ledger.spent().requests == 3


def test_what_cannot_be_written_is_told_to_everybody_who_waits(ledger: CallLedger, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / LEDGER_FILE) as other:
        other.execute("DROP TABLE requests")

    async def main() -> list[BaseException | None]:
        entries = [answered(call(f"question {n}")) for n in range(3)]
        return await asyncio.gather(*(ledger.record(entry) for entry in entries), return_exceptions=True)

    errors = asyncio.run(main())
    assert len(errors) == 3
    assert all(isinstance(error, UsageError) and LEDGER_FILE in error.problem for error in errors)


def test_a_system_prompt_is_stored_once(ledger: CallLedger, tmp_path: Path) -> None:
    record(ledger, *(answered(call(f"question {n}"), reply(f"answer {n}")) for n in range(20)))
    with sqlite3.connect(tmp_path / LEDGER_FILE) as other:
        assert other.execute("SELECT count(*) FROM texts").fetchone() == (1 + 20 + 20,)


# --- what is counted -------------------------------------------------------------------------------------


def test_totals_count_every_request_and_estimate_what_the_provider_did_not_count(ledger: CallLedger) -> None:
    assert ledger.spent() == Spent()
    uncounted = call("four")
    record(
        ledger,
        answered(call()),
        answered(call("b"), reply("", Outcome.REFUSED, cost=0.25)),
        failed(call("c"), Outcome.RATE_LIMITED),
        answered(uncounted, reply("12345678", usage=Usage(), cost=None)),
    )
    estimated = len(SYSTEM.text) // 4 + 4 + 1 + 4 + 2 + 4
    assert ledger.spent() == Spent(requests=4, tokens=240 + estimated, cost=0.75, estimated_tokens=estimated)


def test_use_is_told_by_role_and_model(ledger: CallLedger) -> None:
    record(
        ledger,
        answered(call()),
        answered(call("b"), reply(cost=None)),
        answered(call("c"), reply("Cut", Outcome.TRUNCATED)),
        failed(call("c"), Outcome.SERVER_ERROR),
        failed(call("c"), Outcome.SERVER_ERROR, attempt=1),
        answered(call("d", model="large"), reply(usage=Usage(output_tokens=7), cost=None), role="writer"),
    )
    for _ in range(3):
        ledger.count_hit(call(), "judge.relevance")
    ledger.count_hit(call("never asked here", model="third"), "expert")
    ledger.count_unreadable(call().key, "judge.relevance", "no score")
    ledger.count_unreadable(call().key, "judge.relevance", "no score")
    ledger.count_unreadable(call("b").key, "judge.relevance", "not a number")
    expert, judge, writer = ledger.use()
    assert (judge.role, judge.provider, judge.model) == ("judge.relevance", "openai", "small")
    assert (judge.calls, judge.requests, judge.hits) == (2, 5, 3)
    assert judge.failures == {"server error": 2, "truncated": 1}
    assert judge.unreadable == {"no score": 2, "not a number": 1}
    assert (judge.input_tokens, judge.output_tokens, judge.cached_tokens) == (300, 60, 120)
    assert (judge.cost, judge.unpriced) == (1.0, 1)
    assert judge.seconds == pytest.approx(3 * 1.5 + 2 * 0.25)
    assert (expert.calls, expert.requests, expert.hits, expert.cost) == (0, 0, 1, None)
    assert (writer.model, writer.cost, writer.unpriced) == ("large", None, 1)
    assert (writer.input_tokens, writer.output_tokens, writer.cached_tokens) == (None, 7, None)
    assert (judge.uncounted, writer.uncounted) == (0, 1)
    # nothing was said, so nothing was used
    assert (expert.input_tokens, expert.output_tokens) == (0, 0)
    assert writer.tokens == 7 + writer.uncounted_tokens > 7


def test_counts_are_those_of_all_processes_that_wrote_here(tmp_path: Path) -> None:
    for _ in range(2):
        with CallLedger(tmp_path) as ledger:
            record(ledger, failed(call(), Outcome.TIMED_OUT))
            ledger.count_hit(call(), "judge.relevance")
            ledger.count_unreadable(call().key, "judge.relevance", "no score")
    with CallLedger(tmp_path) as ledger:
        (judge,) = ledger.use()
    assert (judge.requests, judge.hits, judge.unreadable) == (2, 2, {"no score": 2})


def test_every_request_can_be_read_again_by_chunk_and_by_call(ledger: CallLedger) -> None:
    first = failed(call(), Outcome.RATE_LIMITED)
    second = answered(call(), attempt=1)
    third = answered(call("b"), reply("No.", Outcome.REFUSED), chunk_id="other", unit_id=None, error="refused")
    for entry in (first, second, third):
        record(ledger, entry)
    assert list(ledger.entries()) == [first, second, third]
    assert list(ledger.entries(chunk_id="chunk")) == [first, second]
    assert list(ledger.entries(keys=[third.call.key])) == [third]
    assert list(ledger.entries(keys=[])) == []
    assert list(ledger.entries(chunk_id="chunk", keys=[third.call.key])) == []


# --- a ledger that is only read --------------------------------------------------------------------------


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    with CallLedger(tmp_path / "run") as ledger:
        record(
            ledger,
            answered(call(), reply("Mm.", Outcome.REFUSED)),
            answered(call()),
            answered(call(model="large"), reply("The north ramp.")),
            answered(call("b"), reply("No.", Outcome.REFUSED)),
            failed(call("c"), Outcome.INVALID),
        )
    return tmp_path / "run"


def told(folder: Path, asked: Call) -> list[tuple[str, str, str, str]]:
    with open_recorded(folder) as ledger:
        found = ledger.find_question(asked.question_key)
    return [(provider, model, endpoint, said.text) for provider, model, endpoint, said in found]


def test_a_question_finds_the_replies_of_everybody_answers_first(recorded: Path) -> None:
    assert told(recorded, call()) == [
        ("openai", "small", "", "The ramp."),
        ("openai", "large", "", "The north ramp."),
    ]
    assert told(recorded, call(provider="replay", model="it")) == told(recorded, call())
    assert told(recorded / LEDGER_FILE, call("b")) == [("openai", "small", "", "No.")]
    assert told(recorded, call("c")) == []
    assert told(recorded, call(repeat=1)) == []
    with open_recorded(recorded) as ledger:
        assert ledger.find(call().key) == reply(cached=True)
        assert not ledger.find_question(call().question_key)[0][3].cached
        assert ledger.spent().requests == 5


def test_a_recording_answers_as_the_ledger_does_and_holds_nothing_that_was_asked(
    recorded: Path, tmp_path: Path
) -> None:
    (recording := tmp_path / "recording.sqlite").write_bytes(replies_alone(recorded))
    for asked in (call(), call("b"), call("c"), call(repeat=1)):
        assert told(recording, asked) == told(recorded, asked)
    with open_recorded(recorded) as ledger, open_recorded(recording) as copy:
        assert copy.spent() == ledger.spent()
        assert len(copy.find_lost(call("c").question_key)) == len(ledger.find_lost(call("c").question_key)) == 1
    assert b"it was invalid request" in (recorded / LEDGER_FILE).read_bytes()
    assert b"it was invalid request" not in recording.read_bytes()
    words = call().messages[0].text.encode()
    assert words in (recorded / LEDGER_FILE).read_bytes()
    assert words not in recording.read_bytes()


def test_what_brought_no_reply_is_found_as_lost_the_last_request_first(recorded: Path) -> None:
    with CallLedger(recorded) as ledger:
        record(ledger, failed(call("c"), Outcome.TIMED_OUT), failed(call("d"), Outcome.DENIED))
    with open_recorded(recorded) as ledger:
        assert ledger.find_lost(call("c").question_key) == [
            ("openai", "small", Outcome.TIMED_OUT, "it was timed out"),
            ("openai", "small", Outcome.INVALID, "it was invalid request"),
        ]
        assert ledger.find_lost(call("d").question_key) == []
        assert ledger.find_lost(call("b").question_key) == []


def test_reading_writes_nothing_and_works_on_a_folder_that_cannot_be_written(recorded: Path) -> None:
    before = (recorded / LEDGER_FILE).read_bytes()
    (recorded / LEDGER_FILE).chmod(stat.S_IRUSR)
    recorded.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert told(recorded, call())
        assert [path.name for path in recorded.iterdir()] == [LEDGER_FILE]
    finally:
        recorded.chmod(stat.S_IRWXU)
    assert (recorded / LEDGER_FILE).read_bytes() == before


def test_what_a_killed_process_left_beside_the_file_is_read_too(tmp_path: Path) -> None:
    with CallLedger(tmp_path / "run") as ledger:
        record(ledger, answered(call()))
        # as it stands while the writer lives, and when it is killed
        shutil.copytree(tmp_path / "run", tmp_path / "killed")
    left = {path.name: path.read_bytes() for path in (tmp_path / "killed").iterdir()}
    assert f"{LEDGER_FILE}-wal" in left
    assert told(tmp_path / "killed", call()) == [("openai", "small", "", "The ramp.")]
    assert {path.name: path.read_bytes() for path in (tmp_path / "killed").iterdir()} == left


# --- bad files -------------------------------------------------------------------------------------------


def not_sqlite(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


def other_tables(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE meta (key TEXT, value TEXT)")


def cut_off(path: Path) -> None:
    with CallLedger(path.parent / "whole") as ledger:
        record(ledger, *(answered(call(f"question {n}")) for n in range(200)))
    path.write_bytes((path.parent / "whole" / LEDGER_FILE).read_bytes()[:5000])


def other_version(path: Path) -> None:
    CallLedger(path.parent).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")


@pytest.mark.parametrize("spoil", [not_sqlite, other_tables, cut_off])
@pytest.mark.parametrize("opened", [CallLedger, open_recorded])
def test_a_file_that_is_no_ledger_is_a_usage_error(tmp_path: Path, spoil: object, opened: object) -> None:
    spoil(tmp_path / LEDGER_FILE)  # type: ignore[operator]
    with pytest.raises(UsageError, match=LEDGER_FILE):
        opened(tmp_path)  # type: ignore[operator]


@pytest.mark.parametrize("opened", [CallLedger, open_recorded])
def test_a_ledger_of_another_version_is_refused(tmp_path: Path, opened: object) -> None:
    other_version(tmp_path / LEDGER_FILE)
    with pytest.raises(RunMismatch, match="version 99"):
        opened(tmp_path)  # type: ignore[operator]


@pytest.mark.parametrize("name", ["", "nowhere.sqlite", "folder/nowhere.sqlite"])
def test_a_ledger_that_is_not_there_is_a_usage_error_and_none_is_made(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no ledger at"):
        open_recorded(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE requests SET outcome = 'splendid'",
        "UPDATE requests SET messages = '['",
        """UPDATE requests SET messages = '[["user", "nowhere"]]'""",
        """UPDATE requests SET messages = '[["tool", "' || text || '"]]' WHERE text IS NOT NULL""",
        "UPDATE texts SET text = x'ff'",
        "UPDATE texts SET text = 7",
    ],
)
def test_rows_that_cannot_be_read_are_told_in_words(recorded: Path, change: str) -> None:
    with sqlite3.connect(recorded / LEDGER_FILE) as connection:
        connection.execute(change)
    connection.close()
    with open_recorded(recorded) as ledger, pytest.raises(RunMismatch, match="cannot read"):
        list(ledger.entries())
