"""Locks between the processes of one run, wherever they are: PostgreSQL's own, which end with their connection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import Connection, Engine, func, select

from viva.core.errors import TransientError, UsageError
from viva.core.ids import content_hash
from viva.storage.database import outlasted, translated
from viva.storage.run_place import RunPlace, advisory_key


class SharedLocks:
    """Locks by name. A process that is killed loses all of its own at once, and so does one whose connection is lost.

    For one thread. While the server is away `take` waits for it; UsageError where it stays away.
    """

    def __init__(self, place: RunPlace, engine: Engine) -> None:
        """Of the run that is kept at `place`; all are held on one connection of the engine, opened when needed."""
        self._place = place
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._connection: Connection | None = None

    def take(self, name: str) -> bool:
        """Take the lock, unless another process has it."""
        return outlasted(lambda: bool(self._asked(func.pg_try_advisory_lock(self._key(name)))))

    def give_back(self, name: str) -> None:
        """Let others have it. Where the connection was lost it is theirs already."""
        with suppress(UsageError, TransientError):
            self._asked(func.pg_advisory_unlock(self._key(name)))

    def close(self) -> None:
        """Give back all."""
        if self._connection is not None:
            # a connection that goes back into the pool would keep its locks
            self._connection.invalidate()
            self._connection.close()
            self._connection = None

    def _key(self, name: str) -> int:
        return int(content_hash("lock", str(self._place.schema), name), 16) - 2**63

    def _asked(self, function: object) -> object:
        with translated(self._place.url):
            if self._connection is None:
                self._connection = self._engine.connect()
            try:
                return self._connection.scalar(select(function))  # type: ignore[call-overload]
            except Exception:
                self.close()
                raise


def make_once(engine: Engine, place: RunPlace, make: Callable[[Connection], None]) -> None:
    """Make tables in the run's schema, in one transaction, while no other process of the run does."""

    def made() -> None:
        with translated(place.url), engine.begin() as connection:
            connection.execute(select(func.pg_advisory_xact_lock(advisory_key(f"tables of {place.schema}"))))
            make(connection)

    outlasted(made)
