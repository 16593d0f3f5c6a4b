"""A worker of a run on Ray: an actor with a context of its own on the run's database, its ledger and its limits."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import tempfile
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viva.core.errors import BudgetReached, UsageError, VivaError
from viva.core.settings import Settings
from viva.graphs.context import RunContext
from viva.graphs.engines.local import LocalEngine
from viva.graphs.engines.ray_limits import entered
from viva.graphs.resources.casts import check_models
from viva.llm.secrets import without_credentials
from viva.storage.database import outlasted
from viva.storage.run_place import RunPlace, remember


@dataclass(frozen=True)
class SharedRun:
    """What a worker is told of the run. It holds no password and no key: these are in the environment of its node."""

    settings: Settings
    place: RunPlace
    version: str
    """of viva, where the run was begun"""


class Worker:
    """The actor. What its methods would raise of viva's errors they give back: those cross over whole.

    Ray makes it again where its process is killed, and sends it again what it had not done; what had been recorded
    is not done twice.
    """

    def __init__(self, run: SharedRun, number: int) -> None:
        self._run = run
        self._number = number
        self._opening = asyncio.Lock()
        self._at_work: set[asyncio.Task[Any]] = set()
        self._context: RunContext | None = None

    async def ready(self, *, writes: bool) -> VivaError | None:
        """See that all is at hand: database, models and their keys, systems that are examined."""
        from viva import __version__

        try:
            if self._run.version != __version__:
                raise UsageError(
                    f"viva is of version {__version__} here, and of {self._run.version} where the run was begun.",
                    allowed="One version on all nodes.",
                )
            context = await self._opened()
            if writes:
                check_models(context.settings, context.models)
            await asyncio.to_thread(context.candidates.check)
        except VivaError as error:
            return self._placed(error)
        return None

    async def do(self, task: str, *arguments: Any) -> Any:
        """One piece of work: the method of `LocalEngine` that has this name."""
        try:
            context = await self._opened()
            work = asyncio.create_task(getattr(LocalEngine(context), task)(*arguments))
            self._at_work.add(work)
            work.add_done_callback(self._at_work.discard)
            return await work
        except VivaError as error:
            return self._placed(error)
        except asyncio.CancelledError:
            return UsageError("The run was stopped.")

    async def close(self) -> None:
        """Let what is in flight land, and give back all."""
        for work in self._at_work:
            work.cancel()
        await asyncio.gather(*self._at_work, return_exceptions=True)
        if self._context is not None:
            await self._context.models.aclose()
            self._context.close()
            shutil.rmtree(self._context.folder, ignore_errors=True)

    async def _opened(self) -> RunContext:
        async with self._opening:
            if self._context is None:
                context = self._made()
                await asyncio.to_thread(outlasted, lambda: context.store)
                context.models.share(await entered(self._number))
                self._context = context
            return self._context

    def _made(self) -> RunContext:
        folder = Path(tempfile.mkdtemp(prefix="viva-worker-"))
        remember(folder, self._run.place, self._run.place.run_id)
        settings, own = self._run.settings, os.environ.get("VIVA_BASE_URL")
        if own and without_credentials(own) == settings.base_url:
            # the environment's holds the credentials, which do not travel
            settings = settings.model_copy(update={"base_url": own})
        return RunContext(folder, settings)

    def _placed(self, error: VivaError) -> VivaError:
        """The error, with the place where it came up."""
        if isinstance(error, UsageError) and not isinstance(error, BudgetReached):
            error.problem = f"On worker {self._number} ({platform.node()}): {error.problem}"
        # a copy tells what stands in it now
        return copy(error)
