"""The engine that spreads a run's work over a Ray cluster. Ray starts, watches and restarts its workers."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from viva.core.errors import UsageError, VivaError
from viva.core.settings import Settings
from viva.examinees.specs.records import ReferenceSpec, Spec
from viva.examinees.specs.reference import ENCODED
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.engines.ray_limits import KEEPER, LimitsKeeper, RayLimits, entered
from viva.graphs.engines.ray_worker import SharedRun, Worker
from viva.graphs.resources.model_client import ModelClient
from viva.graphs.sitting.reference_examinees import reference_examinees_of
from viva.llm import interrupts
from viva.llm.secrets import without_credentials
from viva.storage.database import without_secrets
from viva.storage.run_place import RunPlace

CHUNKS_EMBEDDED = 1000
"""Chunks whose vectors one task computes."""
RESTARTS = 20
"""How often a worker that died is made again, and a piece of work that died with it is done again."""
START_S = 300.0
"""How long workers have to start."""
_CONNECT_S = 10.0
_WAITING = 100_000
"""Requests that may wait for their turn at once."""
_ADDRESSES = (
    "auto (the cluster of this node, or of RAY_ADDRESS), or ray://HOST:10001; one that wants a token is asked with "
    "RAY_AUTH_MODE=token. Without --ray-address Ray is started here."
)
# a local cluster listens on loopback alone, tells nobody that it is used, and works as hard as this process would
_LOCAL = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
}


@dataclass
class RayEngine:
    """Sends each piece of work to the worker that has least to do."""

    context: RunContext
    workers: Sequence[Any]
    _at_work: Counter[int] = field(default_factory=Counter)

    async def embed(self) -> None:
        """Compute the vectors of all chunks: who searches by meaning finds them in the cache."""
        parts = -(-len(self.context.chunks) // CHUNKS_EMBEDDED)
        done = 0

        async def one(part: int) -> None:
            nonlocal done
            await self._done("embed", part, parts)
            done += 1
            self.context.watch("embed", done, parts)

        await asyncio.gather(*map(one, range(parts)))

    async def read(self, source_id: str) -> None:
        """See `Engine`."""
        await self._done("read", source_id)

    async def write(self, source_id: str, *, above_recall: bool) -> Counter[str]:
        """See `Engine`."""
        made: Counter[str] = await self._done("write", source_id, above_recall)
        return made

    async def sit(self, place: int) -> None:
        """See `Engine`."""
        await self._done("sit", place, self.context.candidates.specs[place].examinee.id)

    async def sit_reference(self, place: int) -> None:
        """See `Engine`."""
        found = reference_examinees_of(self.context, stages.exam_of(self.context.store, self.context.folder))
        await self._done("sit_reference", place, found[place].examinee.id)

    async def aclose(self) -> None:
        """See `Engine`."""
        from ray.exceptions import RayError

        ended = await asyncio.gather(*(worker.close.remote() for worker in self.workers), return_exceptions=True)
        for each in ended:
            if isinstance(each, BaseException) and not isinstance(each, RayError):
                raise each

    async def _done(self, task: str, *arguments: Any) -> Any:
        number = min(range(len(self.workers)), key=lambda n: self._at_work[n])
        self._at_work[number] += 1
        try:
            return await _told(self.workers[number].do.remote(task, *arguments))
        finally:
            self._at_work[number] -= 1


@asynccontextmanager
async def opened_ray(context: RunContext, server: RunPlace, *, writes: bool) -> AsyncIterator[RayEngine]:
    """Workers on a cluster, each ready, for the run kept on this server; at the end they are gone.

    UsageError where that cannot be.
    """
    with _connected(context.settings, server.url.render_as_string(hide_password=False)):
        import ray
        from ray.exceptions import RayError

        limits = await _limits(context.settings, context.models)
        context.models.share(limits)
        workers = _workers(context.settings, server)
        engine = RayEngine(context, workers)
        await _all_ready(workers, writes=writes)
        if _searched_by_meaning(context.settings, context.candidates.specs, writes=writes):
            await engine.embed()
        try:
            yield engine
        finally:
            with suppress(RayError):
                limits.last = ray.get(limits.keeper.spent.remote())


def _searched_by_meaning(settings: Settings, specs: Sequence[Spec], *, writes: bool) -> bool:
    """Whether a role that writes, or a system that sits, searches the chunks by their vectors."""
    readers = (spec for spec in specs if isinstance(spec, ReferenceSpec))
    read = any(spec.retriever in ENCODED and not spec.encoder for spec in readers)
    return read or (writes and bool(settings.model))


async def _limits(settings: Settings, models: ModelClient) -> RayLimits:
    import ray

    budget = models.own_budget()
    per_minute = settings.requests_per_minute, settings.tokens_per_minute
    actor = ray.remote(LimitsKeeper).options(name=KEEPER, num_cpus=0, max_concurrency=_WAITING)
    keeper = actor.remote(budget.allowed, budget.spent, *per_minute)
    limits: RayLimits = await _told(entered(0))
    # kept: the actor ends when nobody holds it
    return replace(limits, keeper=keeper)


def _workers(settings: Settings, server: RunPlace) -> list[Any]:
    import ray

    from viva import __version__

    count = settings.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    count = min(count, settings.concurrency)
    public = replace(server, url=without_secrets(server.url))
    bare = without_credentials(settings.base_url) if settings.base_url else None
    worker = ray.remote(Worker).options(num_cpus=1, max_restarts=RESTARTS, max_task_retries=RESTARTS)
    found = []
    for number in range(count):
        # requests in flight are so many in all, whoever sends them
        share = settings.concurrency // count + (number < settings.concurrency % count)
        own = settings.model_copy(update={"database_url": None, "base_url": bare, "concurrency": share})
        found.append(worker.remote(SharedRun(own, public, __version__), number + 1))
    return found


async def _all_ready(workers: Sequence[Any], *, writes: bool) -> None:
    asked = [_told(worker.ready.remote(writes=writes)) for worker in workers]
    try:
        async with asyncio.timeout(START_S):
            await asyncio.gather(*asked)
    except TimeoutError:
        raise UsageError(
            f"The cluster has not started {len(workers)} workers within {START_S:g} seconds.",
            allowed="A free CPU of the cluster for each.",
            next_step="Take fewer (--workers), or wait until there is room.",
        ) from None


async def _told(reply: Any) -> Any:
    """What an actor answers; an error of viva's that it gives back, or Ray's in a sentence, is raised."""
    from ray.exceptions import RayError, RayTaskError

    try:
        found = await reply
    except RayError as error:
        if isinstance(error, RayTaskError) and not isinstance(error.cause, RayError):
            # a fault of ours: as it is
            raise
        said = " ".join(str(error).split())
        raise UsageError(
            f"Ray has lost a worker or its limits: {said[:500]}",
            allowed="What was done before is kept.",
            next_step="Look at the node it was on; the same command goes on from there.",
        ) from error
    if isinstance(found, VivaError):
        raise found
    return found


# --- the cluster -----------------------------------------------------------------------------------------


@contextmanager
def _connected(settings: Settings, database_url: str) -> Iterator[None]:
    """This process on the cluster that the settings name; UsageError where there is none."""
    # nobody but the main thread may set them back
    ours = interrupts.SIGNALS if threading.current_thread() is threading.main_thread() else ()
    signals = {number: signal.getsignal(number) for number in ours}
    local = settings.ray_address is None
    # workers find passwords in the environment of their node; that of a local cluster is ours
    own = {**_LOCAL, "RAY_AUTH_TOKEN": _token(), "VIVA_DATABASE_URL": database_url}
    with _environment(own if local else {}):
        # here, where it reads how it is to listen
        import ray

        try:
            if not local:
                _check_address(settings.ray_address or "")
            cpus = {"num_cpus": settings.workers, "include_dashboard": False} if local else {}
            ray.init(address=settings.ray_address or "local", log_to_driver=False, logging_level="ERROR", **cpus)
        except (ConnectionError, RuntimeError, ValueError, SystemExit) as error:
            raise UsageError(
                f"There is no Ray to work with: {' '.join(str(error).split())[:500]}", allowed=_ADDRESSES
            ) from error
        finally:
            for number, handler in signals.items():
                # Ray's own would end the process without an orderly end
                signal.signal(number, handler)
        try:
            yield
        finally:
            ray.shutdown()


def _check_address(address: str) -> None:
    """UsageError, at once, for an address that cannot be: Ray itself would wait for minutes."""
    named = os.environ.get("RAY_ADDRESS", "") if address == "auto" else address
    if named in {"", "auto"}:
        # Ray looks for a cluster on this node
        return
    parts = urlsplit(named if "//" in named else f"//{named}")
    if (address != "auto" and parts.scheme != "ray") or not parts.hostname:
        raise UsageError(f"--ray-address is {address!r}.", allowed=_ADDRESSES)
    try:
        socket.create_connection((parts.hostname, parts.port or 10001), timeout=_CONNECT_S).close()
    except OSError as error:
        raise UsageError(f"No Ray cluster answers at {named}: {error}.", allowed=_ADDRESSES) from error


@cache
def _token() -> str:
    """Of the clusters that this process starts: Ray remembers the first that it hears."""
    return secrets.token_hex(32)


@contextmanager
def _environment(added: dict[str, str]) -> Iterator[None]:
    # Ray sets its mode itself
    before = {name: os.environ.get(name) for name in (*added, "RAY_AUTH_MODE")}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
