"""The ledger in PostgreSQL keeps the rules of the ledger in a file, for several processes at once."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from call_entries import a_call, answered, failed
from postgres_server import Server

from viva.core.calls import Entry, Outcome, Reply, Usage
from viva.core.errors import RunMismatch, UsageError
from viva.core.ids import content_hash
from viva.core.records import Run
from viva.storage import database, schema
from viva.storage.ledger import CallLedger, open_recorded
from viva.storage.recorded_calls import LEDGER_FILE
from viva.storage.runs import RunStore
from viva.storage.shared.ledger import SharedLedger

Opened = Callable[[], SharedLedger]


@pytest.fixture
def store(tmp_path: Path, server: Server) -> Iterator[RunStore]:
    run = Run(id=content_hash(str(tmp_path)), documents_folder="docs", corpus_fingerprint="f00d", settings={})
    with RunStore.create_or_open(tmp_path / "run", database_url=server.url(), run=run) as store:
        yield store


@pytest.fixture
def opened(store: RunStore, tmp_path: Path) -> Iterator[Opened]:
    """Opens ledgers of the run, as each of its processes does."""
    ledgers: list[SharedLedger] = []

    def another() -> SharedLedger:
        assert store.server is not None
        ledgers.append(SharedLedger(store.server, tmp_path / "run"))
        return ledgers[-1]

    yield another
    for ledger in ledgers:
        ledger.close()


def record(ledger: SharedLedger | CallLedger, *entries: Entry) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*(ledger.record(entry) for entry in entries))

    asyncio.run(all_at_once())


def many(count: int) -> list[Entry]:
    return [answered(f"Answer {n}.", call=a_call(repeat=n)) for n in range(count)]


def test_what_one_process_was_answered_is_served_to_the_others(opened: Opened) -> None:
    one, other = opened(), opened()
    said = answered("half a character \ud83d, \x00 and é")
    record(one, failed("refused \x00"), said)
    assert other.find(said.call.key) == Reply(**{**vars(said.reply), "cached": True})
    assert other.find(a_call(repeat=7).key) is None


def test_totals_are_those_of_all_processes(opened: Opened) -> None:
    ledgers = [opened() for _ in range(3)]
    threads = [threading.Thread(target=record, args=(ledger, *many(40))) for ledger in ledgers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = ledgers[0].spent()
    assert (spent.requests, spent.tokens) == (120, 120 * 150)
    assert spent.cost == pytest.approx(120 * 0.0025)
    unpriced = Reply("Yes.", Outcome.ANSWERED, "stop", Usage(1, 1))
    record(ledgers[1], Entry(a_call(repeat=99), "writer", None, None, 0, Outcome.ANSWERED, unpriced, None, 0.1))
    assert [ledger.unpriced() for ledger in ledgers] == [1, 1, 1]


def test_two_processes_that_want_the_same_call_ask_once(opened: Opened) -> None:
    """The second waits for the first, and is handed its answer."""
    entry = answered()
    asked: list[int] = []

    async def wanting(ledger: SharedLedger, number: int) -> Reply | None:
        async with ledger.alone(entry.call.key) as found:
            if found is None:
                asked.append(number)
                await asyncio.sleep(0.2)
                await ledger.record(entry)
            return found

    async def both() -> list[Reply | None]:
        return await asyncio.gather(wanting(opened(), 1), wanting(opened(), 2))

    found = asyncio.run(both())
    assert len(asked) == 1
    assert [reply.text for reply in found if reply] == [entry.reply.text if entry.reply else ""]


def test_of_calls_that_differ_none_waits_for_another(opened: Opened) -> None:
    async def all_at_once() -> None:
        async with AsyncExitStack() as stack, asyncio.timeout(5):
            for n, ledger in enumerate((opened(), opened())):
                assert await stack.enter_async_context(ledger.alone(a_call(repeat=n).key)) is None

    asyncio.run(all_at_once())


def test_a_killed_process_bars_nobody_from_what_it_was_asking(
    store: RunStore, opened: Opened, server: Server, tmp_path: Path
) -> None:
    code = (
        "import asyncio, sys, pathlib\n"
        "from viva.storage.runs import RunStore\n"
        "from viva.storage.shared.ledger import SharedLedger\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "ledger = SharedLedger(RunStore.open(folder, sys.argv[2]).server, folder)\n"
        "async def asking():\n"
        "    async with ledger.alone(sys.argv[3]):\n"
        "        print('asking', flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(asking())\n"
    )
    key = a_call().key
    command = [sys.executable, "-c", code, tmp_path / "run", server.url(), key]
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"asking\n"
    child.send_signal(signal.SIGKILL)
    child.wait()

    async def in_time() -> None:
        async with asyncio.timeout(5), opened().alone(key) as found:
            assert found is None

    asyncio.run(in_time())


def test_the_file_that_is_exported_is_a_ledger_like_any_other(opened: Opened, tmp_path: Path) -> None:
    shared, folder = opened(), tmp_path / "exported"
    shared.export(folder)
    assert not (folder / LEDGER_FILE).exists()
    entries = many(1200)
    record(shared, failed(), *entries[:700])
    shared.export(folder)
    record(shared, *entries[700:])
    for _ in range(3):
        shared.count_hit(entries[0].call, "writer")
    shared.count_unreadable(entries[0].call.key, "writer", "not JSON")
    # once more, it is brought up to date; and again, nothing is doubled
    shared.export(folder)
    shared.export(folder)
    plain = CallLedger(tmp_path / "plain")
    record(plain, failed(), *entries)
    for _ in range(3):
        plain.count_hit(entries[0].call, "writer")
    plain.count_unreadable(entries[0].call.key, "writer", "not JSON")
    with open_recorded(folder) as copy, plain:
        assert sorted(map(repr, copy.entries())) == sorted(map(repr, plain.entries()))
        assert copy.use() == plain.use()
        assert copy.find(entries[900].call.key) == plain.find(entries[900].call.key)
    # ready to be copied: nothing waits in a log beside it
    with sqlite3.connect(folder / LEDGER_FILE) as connection:
        assert connection.execute("SELECT count(*) FROM requests").fetchone() == (1201,)


def test_a_run_of_the_version_before_brings_the_ledger_of_its_folder(opened: Opened, tmp_path: Path) -> None:
    """Facts in PostgreSQL, the ledger in a file: what was paid for then is served now."""
    entries = [failed(), *many(700)]
    with CallLedger(tmp_path / "run") as before:
        record(before, *entries)
        before.count_hit(entries[1].call, "writer")
    shared = opened()
    assert shared.spent().requests == 701
    assert shared.find(entries[5].call.key) is not None
    record(shared, answered("new", call=a_call(repeat=9999)))
    opened()
    assert shared.spent().requests == 702
    shared.export(tmp_path / "run")
    with open_recorded(tmp_path / "run") as again:
        assert again.spent().requests == 702
        assert sum(use.hits for use in again.use()) == 1


def test_a_ledger_of_another_version_is_refused(store: RunStore, opened: Opened) -> None:
    opened()
    meta = schema.meta
    with store._writing() as connection:
        connection.execute(meta.update().where(meta.c.key == "ledger_version").values(value="99"))
    with pytest.raises(RunMismatch, match="version 99"):
        opened()


def test_a_server_that_is_away_for_a_while_costs_time_and_nothing_else(
    store: RunStore, opened: Opened, server: Server
) -> None:
    ledger = opened()
    record(ledger, *many(5))
    server.stop(signal.SIGQUIT)
    back = threading.Timer(1.0, server.start)
    back.start()
    try:
        record(ledger, answered("meanwhile", call=a_call(repeat=50)))
        assert store.documents() == []
        assert ledger.find(a_call(repeat=50).key) is not None
        assert ledger.spent().requests == 6
    finally:
        back.join()


def test_a_server_that_stays_away_is_told_in_a_sentence(
    store: RunStore, opened: Opened, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "OUTAGE_S", 0.5)
    ledger = opened()
    record(ledger, *many(1))
    server.stop()
    try:
        began = time.monotonic()
        for call in (store.documents, lambda: record(ledger, answered("lost", call=a_call(repeat=50)))):
            with pytest.raises(UsageError, match=r"away for 0\.5 seconds.*goes on from there"):
                call()
        assert time.monotonic() - began < 10
    finally:
        server.start()
    assert ledger.spent().requests == 1
