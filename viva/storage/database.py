"""Opening SQLite files and PostgreSQL databases: one way in, secrets kept out of every message."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from sqlalchemy import URL, ClauseElement, Connection, Engine, PoolProxiedConnection, create_engine, event, make_url
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential

from viva.core.disk_space import no_room
from viva.core.errors import RunLocked, TransientError, UsageError, how_to_install

DRIVER = "postgresql+psycopg"
URL_FORM = "A database URL reads postgresql://user:password@host:5432/database, special characters percent-encoded."
BUSY_TIMEOUT_MS = 10_000
CONNECT_TIMEOUT_S = "10"
_REFUSALS = ("password", "authentication", "does not exist", "pg_hba.conf")
OUTAGE_S = 120.0
"""How long a database server may be away in the middle of a run before the run ends."""

T = TypeVar("T")


class ServerAway(UsageError):
    """No connection to a database server can be made."""


# --- URLs and secrets ------------------------------------------------------------------------------------


def parse_postgres_url(text: str) -> URL:
    """The URL with psycopg as its driver. UsageError otherwise; no part of the text is repeated in it."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # `from None`: the parser's own message may quote the URL, and with it the password
        raise UsageError("The database URL cannot be read.", allowed=URL_FORM) from None
    if url.drivername not in {"postgresql", "postgres", DRIVER}:
        raise UsageError(
            "This kind of database is not known.",
            allowed=f"{URL_FORM} Without a URL the run is kept in a SQLite file in its folder.",
        )
    if "@" in (url.host or ""):
        raise UsageError("The password in the database URL holds a bare '@'.", allowed="Write it %40.")
    return url.set(drivername=DRIVER)


def without_secrets(url: URL) -> URL:
    """The same URL without password, in its authority part and in its query."""
    public = {k: v for k, v in url.query.items() if not _is_secret(k)}
    return URL.create(url.drivername, url.username, None, url.host, url.port, url.database, public)


def with_known_password(remembered: URL) -> URL:
    """The remembered URL with the password of VIVA_DATABASE_URL, if that one means the same database.

    PGPASSWORD and ~/.pgpass are read by libpq itself.
    """
    given = os.environ.get("VIVA_DATABASE_URL")
    if not given:
        return remembered
    url = parse_postgres_url(given)
    # a password is never sent to another server than the one it was given for
    return url if without_secrets(url) == without_secrets(remembered) else remembered


def _is_secret(key: str) -> bool:
    return "password" in key.lower() or "secret" in key.lower()


def _redacted(message: str, url: URL) -> str:
    secrets = [str(url.password or ""), *(str(v) for k, v in url.query.items() if _is_secret(k))]
    for secret in filter(None, secrets):
        for form in (secret, quote(secret, safe=""), quote_plus(secret)):
            message = message.replace(form, "***")
    return " ".join(message.split())


# --- engines ---------------------------------------------------------------------------------------------


def sqlite_engine(path: Path) -> Engine:
    """An engine on a SQLite file. Every transaction is a real one, DDL included; writers wait for each other."""
    engine = create_engine(URL.create("sqlite", database=str(path)), hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        # Python's own BEGIN comes too late for DDL and as a reader for writers: we send it ourselves
        connection.isolation_level = None
        for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", "foreign_keys=ON", "synchronous=NORMAL"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("viva_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def read_only_engine(path: Path, *, shown: Path | None = None) -> Engine:
    """An engine on a SQLite file that nobody writes to; nothing is made beside it. Messages name `shown`."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    return create_engine(URL.create("sqlite", database=str(shown or path)), creator=connect, hide_parameters=True)


def driver_sql(statement: ClauseElement) -> str:
    """The statement with named parameters, for SQLite's driver itself.

    For statements on the way of every call to a model: through SQLAlchemy they would take five times the CPU.
    """
    return str(statement.compile(dialect=sqlite.dialect(paramstyle="named")))


def driver_connection(connection: PoolProxiedConnection) -> sqlite3.Connection:
    """SQLite's own connection inside one of the pool."""
    inner = connection.driver_connection
    if not isinstance(inner, sqlite3.Connection):
        raise TypeError(f"a connection to SQLite was expected, not {type(inner).__name__}")
    return inner


def use_write_ahead_log(path: Path) -> None:
    """Switch a SQLite file to WAL; the file remembers. Only for files that are ours to change."""
    with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_MS / 1000)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


def postgres_engine(url: URL) -> Engine:
    """An engine on a PostgreSQL database. UsageError if its driver is not installed."""
    if "connect_timeout" not in url.query:
        url = url.update_query_dict({"connect_timeout": CONNECT_TIMEOUT_S})
    try:
        return create_engine(url, pool_pre_ping=True, hide_parameters=True)
    except ModuleNotFoundError as error:
        raise UsageError(
            "The driver for PostgreSQL is not installed.", next_step=how_to_install("postgres")
        ) from error


def writing(engine: Engine) -> Engine:
    """The same engine (and pool) whose transactions take SQLite's write lock at once, not half-way through."""
    return engine.execution_options(viva_writes=True)


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Foreign exceptions become ours here, once."""
    try:
        yield
    except DBAPIError as error:
        our_file = url.get_backend_name() == "sqlite"
        if our_file != isinstance(error.orig, sqlite3.Error):
            # of the other database that is copied from or to
            raise
        where = url.database if our_file else without_secrets(url).render_as_string()
        # `from None`: what the driver says is in our message, redacted; its own text may show the URL
        raise no_room(error, where) or (_sqlite_error if our_file else _postgres_error)(error, url) from None
    except sqlite3.Error as error:
        raise no_room(error, url.database) or _unusable_file(url, str(error)) from error


def _sqlite_error(error: DBAPIError, url: URL) -> Exception:
    message = str(error.orig)
    if isinstance(error, OperationalError) and "locked" in message:
        return RunLocked(
            f"Another process is writing to {url.database}.", next_step="Wait for it, or stop it, then try again."
        )
    if _is_our_mistake(error):
        return error
    return _unusable_file(url, message)


def _unusable_file(url: URL, message: str) -> UsageError:
    return UsageError(
        f"{url.database} cannot be used: {message}.",
        next_step="If the file is damaged or not viva's, move it away or take another --out.",
    )


def _postgres_error(error: DBAPIError, url: URL) -> Exception:
    message = _redacted(str(error.orig), url)
    where = without_secrets(url).render_as_string()
    if error.connection_invalidated:
        return TransientError(f"The connection to {where} was lost: {message}")
    if _is_our_mistake(error):
        return error
    # without a statement it is the connection that failed; a server that refuses somebody is there
    failed = isinstance(error, OperationalError) and error.statement is None
    kind = ServerAway if failed and not any(word in message for word in _REFUSALS) else UsageError
    return kind(
        f"The database {where} cannot be used: {message}",
        allowed=URL_FORM,
        next_step="The password may also stand in PGPASSWORD or in the URL in VIVA_DATABASE_URL.",
    )


def _is_our_mistake(error: DBAPIError) -> bool:
    return type(error).__name__ in {"IntegrityError", "DataError", "InternalError", "NotSupportedError"}


# --- outages ---------------------------------------------------------------------------------------------


def outlasted(act: Callable[[], T]) -> T:
    """What `act` gives, tried again while the database's server is away; it must be one that may be repeated.

    UsageError where the server stays away for OUTAGE_S seconds.
    """
    try:
        return act()
    except (ServerAway, TransientError):
        retrying = Retrying(
            retry=retry_if_exception_type((ServerAway, TransientError)),
            stop=stop_after_delay(OUTAGE_S),
            wait=wait_exponential(0.1, max=2.0),
            reraise=True,
        )
    try:
        return retrying(act)
    except (ServerAway, TransientError) as error:
        raise UsageError(
            f"The database has been away for {OUTAGE_S:g} seconds. {getattr(error, 'problem', error)}",
            allowed="What was done before is kept.",
            next_step="When it is back, the same command goes on from there.",
        ) from None


def outlasting(kind: type[T]) -> type[T]:
    """A class whose own public methods outlast an outage. All of them must be such as may be repeated."""
    for name, method in list(vars(kind).items()):
        if callable(method) and not name.startswith("_"):
            setattr(kind, name, _outlasting(method))
    return kind


def _outlasting(method: Callable[..., T]) -> Callable[..., T]:
    @wraps(method)
    def called(*arguments: Any, **named: Any) -> T:
        return outlasted(lambda: method(*arguments, **named))

    return called
