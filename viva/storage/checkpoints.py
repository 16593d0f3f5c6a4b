"""Checkpoints of the run graph in RUN/checkpoints.sqlite."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from viva.core.disk_space import make_private, no_room
from viva.core.errors import UsageError

CHECKPOINT_FILE = "checkpoints.sqlite"


@asynccontextmanager
async def open_checkpoints(folder: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """LangGraph's saver on the folder's checkpoint file, both made if need be. UsageError if it cannot be used."""
    path = folder / CHECKPOINT_FILE
    try:
        await asyncio.to_thread(make_private, folder)
        connection = await aiosqlite.connect(path)
    except (OSError, sqlite3.Error) as error:
        raise _unusable(path, error) from error
    try:
        yield await _prepared(connection)
    except sqlite3.Error as error:
        # the saver's: those of all other files are translated where they are opened
        raise _unusable(path, error) from error
    finally:
        await connection.close()


async def _prepared(connection: aiosqlite.Connection) -> AsyncSqliteSaver:
    # only plain data is read back: a run folder may come from somebody else
    saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    await connection.execute("PRAGMA busy_timeout=10000")
    await connection.execute("PRAGMA journal_mode=WAL")
    # after a power cut the newest checkpoints may be missing, never broken: those chunks walk again
    await connection.execute("PRAGMA synchronous=NORMAL")
    await saver.setup()
    return saver


def _unusable(path: Path, error: Exception) -> UsageError:
    return no_room(error, path) or UsageError(
        f"The checkpoints in {path} cannot be used: {error}.",
        next_step="Delete that file: what has finished stands in the run store, the rest walks again.",
    )
