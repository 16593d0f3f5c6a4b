"""The ledger of calls to language models, in RUN/ledger.sqlite: what was asked, what came back, what it cost."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Table, inspect
from sqlalchemy.dialects.sqlite import insert

from viva.core.accounts import ModelUse
from viva.core.calls import Call, Entry, Reply, Spent
from viva.core.disk_space import make_private, room_for
from viva.core.errors import UsageError
from viva.storage.database import (
    driver_connection,
    driver_sql,
    read_only_engine,
    sqlite_engine,
    translated,
    use_write_ahead_log,
    writing,
)
from viva.storage.ledger_tables import SCHEMA_VERSION, hits, meta, metadata, request_row, requests, texts, unreadable
from viva.storage.recorded_calls import LEDGER_FILE, RecordedCalls

GATHER_S = 0.002
"""How long the writer waits for more to come: nothing beside a call, and fewer commits where calls come thick."""


def _counted(table: Table) -> str:
    row = insert(table)
    more = {"times": table.c.times + row.excluded.times}
    return driver_sql(row.on_conflict_do_update(index_elements=list(table.primary_key), set_=more))


_ADD = {
    texts.name: driver_sql(insert(texts).on_conflict_do_nothing()),
    requests.name: driver_sql(insert(requests)),
    hits.name: _counted(hits),
    unreadable.name: _counted(unreadable),
}
_ONLY_REPLIES = """
UPDATE requests SET messages = '[]', endpoint = '', error = CASE WHEN error IS NULL THEN NULL ELSE outcome END;
DELETE FROM texts WHERE hash NOT IN (SELECT text FROM requests WHERE text IS NOT NULL);
DELETE FROM hits;
DELETE FROM unreadable;
VACUUM;
"""


@dataclass
class Batch:
    """What is written in one transaction."""

    done: Future[None] = field(init=False)
    waiting: dict[asyncio.AbstractEventLoop, asyncio.Future[None]] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    hits: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    unreadable: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def written(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
        """Done when the batch is; one per loop, so that a loop is woken once per batch."""
        if loop not in self.waiting:
            self.waiting[loop] = asyncio.wrap_future(self.done, loop=loop)
        return self.waiting[loop]

    def rows(self) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
        """The tables in which something is new, and their rows; by key, so that writers never wait in a circle."""
        yield texts, [{"hash": h, "text": t} for h, t in sorted(self.texts.items())]
        yield requests, self.requests
        for table, counts in ((hits, self.hits), (unreadable, self.unreadable)):
            names = [column.name for column in table.primary_key]
            yield table, [{**dict(zip(names, key, strict=True)), "times": n} for key, n in sorted(counts.items())]


class BatchedCalls:
    """Takes requests and counts from any thread; one thread of its own writes them.

    What comes while it is at work is its next transaction. Rows are durable against a killed process when `record`
    returns. Counts of hits and of unreadable replies follow without being waited for.
    """

    def __init__(self, write: Callable[[Batch], None]) -> None:
        """`write` puts all of a batch on record, or nothing."""
        self._write = write
        self._lock = Lock()
        self._gathering: Batch | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="viva-ledger")

    async def record(self, entry: Entry) -> None:
        """Keep this request; durable when it returns. What is written of a cancelled caller stays written."""
        kept: dict[str, bytes] = {}
        request = request_row(entry, kept)
        with self._lock:
            batch = self._batch()
            batch.texts |= kept
            batch.requests.append(request)
            written = batch.written(asyncio.get_running_loop())
        await asyncio.shield(written)

    def count_hit(self, call: Call, role: str) -> None:
        """Count that a call was served and not paid."""
        with self._lock:
            self._batch().hits[role, call.provider, call.model] += 1

    def count_unreadable(self, key: str, role: str, kind: str) -> None:
        """Count that the reply to the call with this key could not be read, by kind of defect."""
        with self._lock:
            self._batch().unreadable[key, role, kind] += 1

    def settle(self) -> None:
        """Wait until everything that came before is written."""
        self._thread.submit(int).result()

    def end_writing(self) -> None:
        """Write what is left; nothing can be recorded after it."""
        self._thread.shutdown()

    def _batch(self) -> Batch:
        """The batch that takes what comes now; the writer is told of a new one."""
        if self._gathering is None:
            self._gathering = Batch()
            self._gathering.done = self._thread.submit(self._commit, self._gathering)
        return self._gathering

    def _commit(self, batch: Batch) -> None:
        time.sleep(GATHER_S)
        with self._lock:
            self._gathering = None
        self._write(batch)


class CallLedger(RecordedCalls, BatchedCalls):
    """The ledger of one run folder. UsageError if its file cannot be used.

    What is recorded outlives a power failure some seconds later.
    """

    def __init__(self, folder: Path) -> None:
        """Open or make the ledger of this run folder."""
        make_private(folder)
        path = folder / LEDGER_FILE
        engine = sqlite_engine(path)
        with translated(engine.url):
            use_write_ahead_log(path)
            with writing(engine).begin() as connection:
                _make_tables(connection)
            RecordedCalls.__init__(self, engine)
            self._writer = engine.raw_connection()
        BatchedCalls.__init__(self, self._write_batch)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[Reply | None]:  # noqa: ARG002
        """The run folder is locked: nobody else asks this."""
        yield None

    def export(self, folder: Path) -> None:
        """It stands in its folder already."""

    def spent(self) -> Spent:
        """Totals over all requests, over all processes that wrote here."""
        self.settle()
        return super().spent()

    def use(self) -> list[ModelUse]:
        """What each role has asked of each model, sorted by role, provider, model."""
        self.settle()
        return super().use()

    def close(self) -> None:
        """Write what is left and give back all connections."""
        self.end_writing()
        self._writer.close()
        super().close()

    def _write_batch(self, batch: Batch) -> None:
        with translated(self._engine.url):
            connection = driver_connection(self._writer)
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                for table, rows in batch.rows():
                    connection.executemany(_ADD[table.name], rows)


def open_recorded(path: Path) -> RecordedCalls:
    """A ledger file, or the ledger of a run folder, only to be read: nothing is written there.

    UsageError where there is none or it cannot be read. What a killed process left beside the file is read too.
    """
    file = path / LEDGER_FILE if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"There is no ledger at {path}.", allowed=f"A run folder with a {LEDGER_FILE}, or its path.")
    if not _log_of(file).exists():
        return RecordedCalls(read_only_engine(file))
    # taking the log in would write: that is done to a copy
    with room_for(gettempdir()):
        scratch = TemporaryDirectory(prefix="viva-ledger-")
    copy = Path(scratch.name) / LEDGER_FILE
    engine = read_only_engine(copy, shown=file)
    with translated(engine.url), room_for(copy):
        _copy(file, copy)
        return RecordedCalls(engine, scratch.cleanup)


def requests_of(folder: Path, keys: Sequence[str]) -> dict[str, list[Entry]]:
    """Every request of these calls by the call's key; none where the folder has no ledger: no model was asked."""
    found: dict[str, list[Entry]] = {}
    if keys and (folder / LEDGER_FILE).exists():
        with open_recorded(folder) as ledger:
            for entry in ledger.entries(keys=keys):
                found.setdefault(entry.call.key, []).append(entry)
    return found


def replies_alone(path: Path) -> bytes:
    """A ledger with what was answered and without what was asked: all that a replay reads, as a SQLite file.

    Addresses and the words of errors, which may repeat what was asked, are left out too.
    `path` as for `open_recorded`, with its errors.
    """
    open_recorded(path).close()
    file = path / LEDGER_FILE if path.is_dir() else path
    with translated(sqlite_engine(file).url), closing(sqlite3.connect(":memory:")) as copy:
        with closing(sqlite3.connect(file)) as ledger:
            ledger.backup(copy)
        copy.executescript(_ONLY_REPLIES)
        return copy.serialize()


def _log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def _copy(file: Path, copy: Path) -> None:
    """Copy a SQLite file with its log, and take the log in."""
    try:
        shutil.copyfile(file, copy)
        shutil.copyfile(_log_of(file), _log_of(copy))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def _make_tables(connection: Connection) -> None:
    if not inspect(connection).get_table_names():
        metadata.create_all(connection)
        connection.execute(meta.insert(), {"key": "schema_version", "value": SCHEMA_VERSION})
