"""Records to rows and back: the few statements every table shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import Column, ColumnElement, Connection, Table, select
from sqlalchemy.dialects import sqlite

from viva.core.errors import RunMismatch
from viva.core.records import Record

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

R = TypeVar("R", bound=Record)

# below the lowest limit on bound parameters among SQLite builds (999)
PARAMETERS_PER_QUERY = 500
ROWS_AT_ONCE = 1000
"""Rows that are written or read at once: what a process holds does not grow with the table."""


def row(record: Record, **columns: str | int) -> dict[str, str | int]:
    """The record whole, beside the columns it is looked up by."""
    return {**columns, "body": record.model_dump_json()}


def records(kind: type[R], bodies: Iterable[str]) -> list[R]:
    """The records whose JSON this is. RunMismatch if this version of viva cannot read one."""
    try:
        return [kind.model_validate_json(body) for body in bodies]
    except ValidationError as error:
        raise RunMismatch(
            f"The run holds a {kind.__name__} that this version of viva cannot read.",
            next_step="Open it with the version that made it, or take another --out.",
        ) from error


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows whose key is not there yet."""
    if rows:
        connection.execute(_insert(connection, table).on_conflict_do_nothing(), rows)


def claim(connection: Connection, table: Table, row: dict[str, str | int]) -> bool:
    """Insert the row; False if its key was there already."""
    statement = _insert(connection, table).on_conflict_do_nothing().returning(*table.primary_key.columns)
    # RETURNING, because psycopg's row count is not to be had for every insert
    return connection.execute(statement, row).first() is not None


def append(connection: Connection, table: Table, rows: Iterable[dict[str, str | int]]) -> None:
    """Insert the new ones among the rows behind those that are there, in this order."""
    start, _ = latest(connection, table, table.c.position)
    placed = ({**each, "position": start + n} for n, each in enumerate(rows, 1))
    while part := list(islice(placed, ROWS_AT_ONCE)):
        insert_new(connection, table, part)


def latest(
    connection: Connection, table: Table, column: Column[Any], where: ColumnElement[bool] | None = None
) -> tuple[int, Any | None]:
    """The last position in use (0 if none) and what stands there in `column`."""
    query = select(table.c.position, column).order_by(table.c.position.desc()).limit(1)
    found = connection.execute(query if where is None else query.where(where)).first()
    return (0, None) if found is None else (found[0], found[1])


def _insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    if connection.dialect.name != "postgresql":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)
