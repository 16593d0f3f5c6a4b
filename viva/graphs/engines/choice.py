"""Which engine does the work of a run, opened and closed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec

from viva.core.errors import UsageError, how_to_install
from viva.core.settings import Settings
from viva.graphs.context import RunContext
from viva.graphs.engines.engine import Engine
from viva.graphs.engines.local import LocalEngine


def check_engine(settings: Settings, *, on_server: bool) -> None:
    """UsageError for an engine that cannot be used, before anything is read or written."""
    if settings.engine == "local":
        return
    if not on_server:
        raise _not_reached()
    # not imported yet: Ray reads then how it is to listen
    if find_spec("ray") is None:
        raise UsageError("--engine ray needs Ray, which is not installed.", next_step=how_to_install("ray"))


def _not_reached() -> UsageError:
    """The run is kept where workers do not reach it."""
    return UsageError(
        "--engine ray needs the run in PostgreSQL, where all workers reach it.",
        next_step="Take another --out, and give --database-url postgresql://USER@HOST/DATABASE",
    )


@asynccontextmanager
async def opened_engine(context: RunContext, *, spread: bool, writes: bool) -> AsyncIterator[Engine]:
    """The engine that the settings name; where nothing is to be `spread`, the local one.

    `writes`: an exam is to be written, so that all that this takes must be at hand.
    """
    if context.settings.engine == "local" or not spread:
        yield LocalEngine(context)
        return
    from viva.graphs.engines.ray_engine import opened_ray

    if context.store.server is None:
        raise _not_reached()
    async with opened_ray(context, context.store.server, writes=writes) as engine:
        yield engine
