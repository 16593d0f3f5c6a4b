"""The open connection to one run: making it, opening it, transactions, and the lock between machines."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Column, Connection, Select, Table, func, select, update

from viva.core.errors import RunLocked, RunMismatch, UsageError
from viva.core.records import Run
from viva.storage import schema
from viva.storage.database import translated, writing
from viva.storage.rows import R, records, row
from viva.storage.run_place import RunPlace, check_same, check_version, found_place, make, new_place
from viva.storage.shared.locks import SharedLocks

_ASKED_AGAIN_S = 0.1


class RunConnection:
    """What `RunStore` rests on. `run` is what the folder is about."""

    run: Run

    def __init__(self, place: RunPlace) -> None:
        """Open the run kept at `place`."""
        self._place = place
        self._engine = place.engine()
        self._writer = writing(self._engine)
        self._locks: SharedLocks | None = None
        try:
            self.run = self._checked_run()
        except BaseException:
            self._engine.dispose()
            raise

    @classmethod
    def create_or_open(cls, folder: Path, *, database_url: str | None, run: Run) -> Self:
        """The folder's run, made if there is none. RunMismatch if it is about other documents or settings."""
        place = found_place(folder, database_url)
        if place is None:
            place = new_place(folder, database_url, run.id)
            make(place, folder, run)
        elif place.schema is None and database_url is not None:
            raise RunMismatch(
                f"The run in {folder} is kept in {place.shown}, not in a database server.",
                next_step="Take another --out, or leave the database URL out.",
            )
        store = cls(place)
        try:
            check_same(store.run, run, place)
        except RunMismatch:
            store.close()
            raise
        return store

    @classmethod
    def open(cls, folder: Path, database_url: str | None = None) -> Self:
        """The run that is in the folder. A URL is needed only for its password, or if the database has moved."""
        place = found_place(folder, database_url)
        if place is None:
            if folder.suffix and not folder.exists():
                raise UsageError(
                    f"There is no file and no run {folder}.",
                    next_step="Name a file of questions, or a run: viva run DOCUMENTS --out RUN",
                )
            if folder.is_file():
                raise UsageError(
                    f"{folder} is a file, and no run folder.", next_step="Name the folder that the run was made in."
                )
            raise UsageError(f"{folder} holds no run.", next_step=f"Make one: viva run DOCUMENTS --out {folder}")
        return cls(place)

    @property
    def server(self) -> RunPlace | None:
        """Where on a database server the run is kept; None where it is in a SQLite file."""
        return self._place if self._place.schema else None

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def server_lock(self) -> Iterator[None]:
        """On PostgreSQL, keep other machines off this run; RunLocked if one is on it. On SQLite, nothing.

        The server drops the lock when the connection ends, a killed process's too.
        """
        if self._place.schema is None:
            yield
            return
        self._locks = SharedLocks(self._place, self._engine)
        try:
            self.keep_lock()
            yield
        finally:
            self._locks.close()
            self._locks = None

    def keep_lock(self) -> None:
        """Take the lock, or take it again where the server was away; RunLocked if another process has it."""
        if self._locks is not None and not self._locks.take("run"):
            raise RunLocked(
                f"Another process, perhaps on another machine, works on the run in {self._place.shown}.",
                next_step="Wait for it, or stop it, then try again.",
            )

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """On PostgreSQL, hold this name, once no other process of the run does. On SQLite one process has the run."""
        if self._place.schema is None:
            yield
            return
        with closing(SharedLocks(self._place, self._engine)) as locks:
            while not locks.take(name):
                time.sleep(_ASKED_AGAIN_S)
            yield

    def rebind(self, run: Run) -> None:
        """Bind the run to other settings. AssertionError once a chunk was walked: its items are those of others."""
        with self._writing() as connection:
            if connection.scalar(select(func.count()).select_from(schema.chunk_walks)):
                raise AssertionError("a run that is being written stays bound to its settings")
            connection.execute(update(schema.run).values(row(run, id=run.id)))
        self.run = run

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with translated(self._place.url), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with translated(self._place.url), self._writer.begin() as connection:
            yield connection

    def _column(self, column: Column[Any]) -> Sequence[str]:
        with self._reading() as connection:
            return connection.scalars(select(column)).all()

    def _in_order(self, kind: type[R], table: Table) -> list[R]:
        return self._found(kind, select(table.c.body).order_by(table.c.position))

    def _found(self, kind: type[R], query: Select[tuple[str]]) -> list[R]:
        with self._reading() as connection:
            return records(kind, connection.scalars(query))

    def _checked_run(self) -> Run:
        with self._reading() as connection:
            version = connection.scalar(select(schema.meta.c.value).where(schema.meta.c.key == "schema_version"))
            check_version(version, self._place)
            bodies = connection.scalars(select(schema.run.c.body)).all()
        if len(bodies) != 1:
            raise RunMismatch(f"{self._place.shown} should hold one run and holds {len(bodies)}.")
        return records(Run, bodies)[0]
