"""Where the run of a folder is kept (RUN/run.sqlite, or a schema of a PostgreSQL database), and making it there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, func, inspect, select
from sqlalchemy.schema import CreateSchema

from viva.core.disk_space import make_private, write_whole
from viva.core.errors import RunMismatch, UsageError
from viva.core.ids import content_hash
from viva.core.records import Run
from viva.storage import schema
from viva.storage.database import (
    parse_postgres_url,
    postgres_engine,
    sqlite_engine,
    translated,
    use_write_ahead_log,
    with_known_password,
    without_secrets,
    writing,
)
from viva.storage.rows import insert_new

SQLITE_FILE = "run.sqlite"
REMEMBERED_URL_FILE = "database.json"
_SCHEMA = "viva_"


@dataclass(frozen=True)
class RunPlace:
    """A database and, on PostgreSQL, the schema in it that belongs to one run."""

    url: URL
    schema: str | None

    @property
    def shown(self) -> str:
        """For messages: a path, or a URL without its password."""
        if self.schema is None:
            return str(self.url.database)
        return f"{without_secrets(self.url).render_as_string()} (schema {self.schema})"

    @classmethod
    def of_file(cls, path: Path) -> RunPlace:
        """A SQLite file."""
        return cls(URL.create("sqlite", database=str(path)), None)

    @property
    def run_id(self) -> str:
        """The id that the schema was named by."""
        return (self.schema or "").removeprefix(_SCHEMA)

    def engine(self) -> Engine:
        """An engine whose tables are this run's."""
        if self.schema is None:
            return sqlite_engine(Path(str(self.url.database)))
        return postgres_engine(self.url).execution_options(schema_translate_map={None: self.schema})


def advisory_key(run_id: str) -> int:
    """PostgreSQL's lock key of a run: a signed 64-bit integer."""
    return int(content_hash("run lock", run_id), 16) - 2**63


# --- finding ---------------------------------------------------------------------------------------------


def new_place(folder: Path, database_url: str | None, run_id: str) -> RunPlace:
    """Where a new run of this folder is to be kept."""
    if database_url is None:
        return _sqlite_place(folder)
    return RunPlace(parse_postgres_url(database_url), _schema_of(run_id))


def found_place(folder: Path, database_url: str | None) -> RunPlace | None:
    """Where the folder's run is kept, or None. A given URL brings the password, or tells where the run moved to."""
    remembered = folder / REMEMBERED_URL_FILE
    if remembered.is_file():
        url_text, run_id = _remembered(remembered)
        url = parse_postgres_url(database_url) if database_url else with_known_password(parse_postgres_url(url_text))
        place = RunPlace(url, _schema_of(run_id))
        if not holds_run(place):
            raise UsageError(
                f"{place.shown} no longer holds the run of {folder}.",
                next_step="If the database has moved, give its URL; otherwise take another --out.",
            )
        return place
    place = _sqlite_place(folder)
    return place if Path(str(place.url.database)).is_file() and holds_run(place) else None


def remember(folder: Path, place: RunPlace, run_id: str) -> None:
    """Write down, without its password, which database holds the folder's run."""
    text = json.dumps({"url": without_secrets(place.url).render_as_string(), "run": run_id}, indent=1)
    write_whole(folder / REMEMBERED_URL_FILE, text + "\n")


def _sqlite_place(folder: Path) -> RunPlace:
    return RunPlace.of_file(folder / SQLITE_FILE)


def _remembered(path: Path) -> tuple[str, str]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return str(content["url"]), str(content["run"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} should say which database holds the run, and cannot be read.",
            next_step="Put it back from a copy, or take another --out.",
        ) from error


def _schema_of(run_id: str) -> str:
    # PostgreSQL cuts names at 63 bytes: two long ids could become one schema
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,58}", run_id):
        raise UsageError(f"{run_id!r} cannot name a run.", allowed="1 to 58 letters, digits, '_' or '-'.")
    return f"{_SCHEMA}{run_id}"


# --- looking and making ----------------------------------------------------------------------------------


def holds_run(place: RunPlace) -> bool:
    """Whether a run was made there. UsageError if somebody else's tables are there."""
    engine = place.engine()
    try:
        with translated(place.url), engine.begin() as connection:
            return _has_run_tables(connection, place)
    finally:
        engine.dispose()


def make(place: RunPlace, folder: Path, run: Run) -> None:
    """Make the tables and the run's row, all or nothing. Does nothing where a run stands already."""
    make_private(folder)
    engine = place.engine()
    try:
        with translated(place.url):
            if place.schema is None:
                use_write_ahead_log(Path(str(place.url.database)))
            with writing(engine).begin() as connection:
                _make_tables(connection, place, run)
    finally:
        engine.dispose()
    if place.schema is not None:
        remember(folder, place, run.id)


def _make_tables(connection: Connection, place: RunPlace, run: Run) -> None:
    if place.schema is not None:
        connection.execute(select(func.pg_advisory_xact_lock(advisory_key(run.id))))
        connection.execute(CreateSchema(place.schema, if_not_exists=True))
    if _has_run_tables(connection, place):
        return
    schema.metadata.create_all(connection)
    insert_new(connection, schema.meta, [{"key": "schema_version", "value": schema.SCHEMA_VERSION}])
    insert_new(connection, schema.run, [{"id": run.id, "body": run.model_dump_json()}])


def _has_run_tables(connection: Connection, place: RunPlace) -> bool:
    names = set(inspect(connection).get_table_names(schema=place.schema))
    if names and not {"meta", "run"} <= names:
        raise UsageError(f"{place.shown} holds other tables than a run's.", next_step="Take another --out.")
    return bool(names)


# --- checking --------------------------------------------------------------------------------------------


def check_version(stored: str | None, place: RunPlace) -> None:
    """RunMismatch unless the tables are of this version of viva."""
    if stored == schema.SCHEMA_VERSION:
        return
    newer = stored is not None and stored.isdecimal() and int(stored) > int(schema.SCHEMA_VERSION)
    raise RunMismatch(
        f"The run in {place.shown} was made by {'a newer' if newer else 'an older'} version of viva "
        f"(its tables are of version {stored or 'unknown'}, this one reads version {schema.SCHEMA_VERSION}).",
        next_step="Open it with that version, or take another --out.",
    )


def check_same(stored: Run, wanted: Run, place: RunPlace) -> None:
    """RunMismatch if the two are about other documents or other settings, naming each difference."""
    differences = [
        f"{name} is {_shown(stored, name)} there and {_shown(wanted, name)} here"
        for name in sorted(stored.settings.keys() | wanted.settings.keys())
        if _shown(stored, name) != _shown(wanted, name)
    ]
    if stored.corpus_fingerprint != wanted.corpus_fingerprint:
        differences.insert(0, _documents_differ(stored, wanted))
    if differences:
        raise RunMismatch(
            f"{place.shown} holds the run of other documents or settings: {'; '.join(differences)}.",
            next_step="Take another --out, or the same documents and settings. To check its exam against newer "
            "documents: viva refresh RUN DOCS",
        )


def _documents_differ(stored: Run, wanted: Run) -> str:
    prints = f"fingerprint {stored.corpus_fingerprint} there and {wanted.corpus_fingerprint} here"
    if stored.documents_folder == wanted.documents_folder:
        return f"the documents in {wanted.documents_folder} have changed since ({prints})"
    return (
        f"the documents are those of {stored.documents_folder} there and of {wanted.documents_folder} here ({prints})"
    )


def _shown(run: Run, name: str) -> str:
    return json.dumps(run.settings[name], ensure_ascii=False) if name in run.settings else "not set"
