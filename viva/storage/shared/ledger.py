"""The ledger of calls in the run's schema of a PostgreSQL database: one for all processes that work on the run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Table, delete, func, select
from sqlalchemy.dialects import postgresql

from viva.core.calls import Reply, Spent
from viva.core.errors import RunMismatch, TransientError, UsageError
from viva.storage import schema
from viva.storage.database import outlasted, translated, writing
from viva.storage.ledger import Batch, BatchedCalls, CallLedger
from viva.storage.ledger_tables import (
    SCHEMA_VERSION,
    hits,
    metadata,
    read_reply,
    requests,
    texts,
    texts_of,
    unreadable,
)
from viva.storage.recorded_calls import ANSWER, LEDGER_FILE
from viva.storage.rows import PARAMETERS_PER_QUERY, insert_new
from viva.storage.run_place import RunPlace
from viva.storage.shared.locks import SharedLocks, make_once

_VERSION = "ledger_version"
_POLL_S = 0.05
"""Between two looks at a call that another process is asking."""
_TOTALS = select(
    func.count(),
    *(
        func.coalesce(func.sum(column), 0)
        for column in (requests.c.input_tokens, requests.c.output_tokens, requests.c.uncounted_tokens)
    ),
    func.coalesce(func.sum(requests.c.cost), 0.0),
)
_UNPRICED = select(func.count(requests.c.text)).where(requests.c.cost.is_(None))


class SharedLedger(BatchedCalls):
    """A CallLog on PostgreSQL. While the server is away its calls wait; UsageError where it stays away.

    `folder` is where a version of viva without shared ledgers kept this one: what stands there is taken over, once.
    """

    def __init__(self, place: RunPlace, folder: Path) -> None:
        """Open or make the ledger of the run that is kept at `place`."""
        self._place = place
        self._engine = place.engine()
        self._written = (f"ledger writer {uuid4().hex}", 0)
        make_once(self._engine, place, lambda connection: _make_tables(connection, place, folder))
        self._locks = SharedLocks(place, self._engine)
        BatchedCalls.__init__(self, self._write_batch)

    def find(self, key: str) -> Reply | None:
        """The first reply by which this call was answered, marked cached; None where it was not."""

        def found() -> Reply | None:
            with translated(self._place.url), self._engine.connect() as connection:
                row = connection.execute(ANSWER.limit(1), {"key": key}).mappings().first()
            return None if row is None else read_reply(row, row["said"], cached=True)

        return outlasted(found)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[Reply | None]:
        """Keep other processes from asking this meanwhile; what one of them was answered before, or None."""
        while not self._locks.take(key):
            found = self.find(key)
            if found is not None:
                yield found
                return
            await asyncio.sleep(_POLL_S)
        try:
            # who had it before has perhaps answered it
            yield self.find(key)
        finally:
            self._locks.give_back(key)

    def spent(self) -> Spent:
        """Totals over all requests, of all processes."""
        self.settle()
        sent, read, written, estimated, cost = self._row(_TOTALS)
        return Spent(sent, int(read + written + estimated), float(cost), int(estimated))

    def unpriced(self) -> int:
        """Replies for which no price is known."""
        self.settle()
        return int(self._row(_UNPRICED)[0])

    def export(self, folder: Path) -> None:
        """Bring the folder's SQLite file up to date, for all that reads, replays or publishes a ledger.

        Where no model was asked there is none.
        """
        if not self.spent().requests:
            return
        CallLedger(folder).close()

        def copied() -> None:
            file = RunPlace.of_file(folder / LEDGER_FILE)
            engine = file.engine()
            try:
                with (
                    translated(self._place.url),
                    self._engine.connect() as source,
                    translated(file.url),
                    writing(engine).begin() as target,
                ):
                    _copy(source, target)
            finally:
                engine.dispose()

        outlasted(copied)

    def close(self) -> None:
        """Write what is left and give back all connections."""
        self.end_writing()
        self._locks.close()
        # a line that nobody asks for any more
        with suppress(UsageError, TransientError), translated(self._place.url), self._engine.begin() as connection:
            connection.execute(delete(schema.meta).where(schema.meta.c.key == self._written[0]))
        self._engine.dispose()

    def _row(self, query: Any) -> Any:
        def found() -> Any:
            with translated(self._place.url), self._engine.connect() as connection:
                return connection.execute(query).one()

        return outlasted(found)

    def _write_batch(self, batch: Batch) -> None:
        writer, number = self._written[0], self._written[1] + 1
        mark = {"key": writer, "value": str(number)}

        def written() -> None:
            with translated(self._place.url), self._engine.begin() as connection:
                # a connection may be lost after the commit and before the word of it
                if connection.scalar(select(schema.meta.c.value).where(schema.meta.c.key == writer)) == mark["value"]:
                    return
                for table, rows in batch.rows():
                    _add(connection, table, rows)
                insert = postgresql.insert(schema.meta).values(mark)
                connection.execute(insert.on_conflict_do_update(index_elements=["key"], set_={"value": str(number)}))

        outlasted(written)
        self._written = (writer, number)


def _add(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    insert = postgresql.insert(table)
    if table is requests:
        connection.execute(insert, [_without_id(row) for row in rows])
    elif table is texts:
        connection.execute(insert.on_conflict_do_nothing(), rows)
    else:
        more = {"times": table.c.times + insert.excluded.times}
        connection.execute(insert.on_conflict_do_update(index_elements=list(table.primary_key), set_=more), rows)


def _without_id(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _storable(value) for name, value in row.items() if name != "id"}


def _storable(value: Any) -> Any:
    # PostgreSQL's texts hold no NUL
    return value.replace("\x00", "\ufffd") if isinstance(value, str) else value


# --- making it, and copying it ---------------------------------------------------------------------------


def _make_tables(connection: Connection, place: RunPlace, folder: Path) -> None:
    version = connection.scalar(select(schema.meta.c.value).where(schema.meta.c.key == _VERSION))
    if version is None:
        metadata.create_all(connection)
        _take_over(connection, place, folder)
        insert_new(connection, schema.meta, [{"key": _VERSION, "value": SCHEMA_VERSION}])
    elif version != SCHEMA_VERSION:
        raise RunMismatch(
            f"The ledger in {place.shown} was made by another version of viva (its tables are of version {version}, "
            f"this one reads version {SCHEMA_VERSION}).",
            next_step="Open it with that version, or take another --out.",
        )


def _take_over(connection: Connection, place: RunPlace, folder: Path) -> None:
    """What was paid for before there were shared ledgers stands in the folder's file alone."""
    if not (folder / LEDGER_FILE).exists():
        return
    CallLedger(folder).close()
    file = RunPlace.of_file(folder / LEDGER_FILE)
    engine = file.engine()
    try:
        with translated(file.url), engine.connect() as source:
            _copy(source, connection)
    finally:
        engine.dispose()
    last = connection.scalar(select(func.max(requests.c.id)))
    if last is not None:
        sequence = func.pg_get_serial_sequence(f'"{place.schema}".{requests.name}', requests.c.id.name)
        connection.execute(select(func.setval(sequence, last)))


def _copy(source: Connection, target: Connection) -> None:
    """The requests that `target` lacks, in pages, with their texts; counts as `source` has them."""
    known = set(target.scalars(select(requests.c.id)))
    missing = [each for each in source.scalars(select(requests.c.id).order_by(requests.c.id)) if each not in known]
    for start in range(0, len(missing), PARAMETERS_PER_QUERY):
        page = requests.c.id.in_(missing[start : start + PARAMETERS_PER_QUERY])
        found = source.execute(select(requests).where(page).order_by(requests.c.id)).mappings()
        rows = [{name: _storable(value) for name, value in row.items()} for row in found]
        named = sorted(set[str]().union(*map(texts_of, rows)))
        for first in range(0, len(named), PARAMETERS_PER_QUERY):
            kept = select(texts).where(texts.c.hash.in_(named[first : first + PARAMETERS_PER_QUERY]))
            insert_new(target, texts, [dict(row) for row in source.execute(kept).mappings()])
        insert_new(target, requests, rows)
    for table in (hits, unreadable):
        target.execute(delete(table))
        insert_new(target, table, [dict(row) for row in source.execute(select(table)).mappings()])
