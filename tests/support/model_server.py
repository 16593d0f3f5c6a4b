"""A model server on loopback that speaks OpenAI's protocol, with faults on demand.

In a test: `with serve(faults=...) as server: ... server.url ... server.log`. In a process of its own, for benchmarks:
`python tests/support/model_server.py --latency 1 --fault 429=0.05 --log calls.jsonl` prints its URL and serves until
its standard input is closed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aiohttp import web
from fake_model import fake_reply, reading
from model_brains import Brain, Obedient
from model_faults import UNREADABLE, Fault, Faults, spoiled
from model_protocol import chunks, completion, embeddings, messages_of, models
from model_responses import STATUS, refused, reset, retry_after, sent, streamed

from viva.core.ids import content_hash, rng

Refuses = Callable[[dict[str, Any]], tuple[int, dict[str, Any]] | None]


@dataclass
class Served:
    """One request, as the server saw it. Times are time.monotonic(), the same clock in all processes of a machine."""

    number: int
    path: str
    body: str
    """hash of the body"""
    model: str
    stream: bool
    in_flight: int
    """requests at work when it had come, itself included"""
    begun: float
    ended: float | None = None
    status: int = 0
    """0: no status was ever sent"""
    fault: str = ""
    delivered: bool = False
    """False too where the client had gone when the answer was ready"""

    @property
    def paid(self) -> bool:
        """A model has worked for it, whoever got the answer."""
        return self.status == 200 and self.ended is not None

    @property
    def answered(self) -> bool:
        """A whole answer was handed over (out of form, it may be): nobody need ask this again."""
        return self.paid and self.delivered and self.fault in ("", *UNREADABLE)


class ModelServer:
    """What is served and how; brain, faults and latency may be exchanged while it runs."""

    def __init__(
        self,
        brain: Brain = fake_reply,
        *,
        faults: Faults | None = None,
        latency: float | tuple[float, float] = 0.0,
        key: str | None = None,
        log_file: Path | None = None,
        wire: Callable[[dict[str, Any]], bytes] | None = None,
        refuses: Refuses | None = None,
    ) -> None:
        self.brain = brain
        self.faults = faults or Faults()
        self.latency = latency
        """seconds per completion; a pair is the range it is drawn from"""
        self.url = ""
        self.log: list[Served] = []
        self.in_flight = 0
        self.peak = 0
        self.wire = wire or _as_json
        """how a completion is put into bytes"""
        self.refuses = refuses or (lambda _: None)
        """status and body for requests that are refused, by their own body"""
        self._key = key
        self._log_file = log_file
        self._came: Counter[str] = Counter()
        self._numbers = itertools.count()
        self._closing = asyncio.Event()

    @property
    def answered(self) -> list[str]:
        """Hashes of the bodies that were answered, one for each time."""
        return [served.body for served in self.log if served.answered]

    @property
    def paid(self) -> int:
        """Requests a model has worked for."""
        return sum(served.paid for served in self.log)

    def settled(self, seconds: float = 10) -> None:
        """Wait until no request is at work: whoever sent them may have gone."""
        end = time.monotonic() + seconds
        while self.in_flight and time.monotonic() < end:
            time.sleep(0.005)

    def counts(self) -> Counter[str]:
        """Finished requests by fault; '' are those without."""
        return Counter(served.fault for served in self.log)

    @contextlib.asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator[str]:
        """Serve on this event loop; gives the base URL."""
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._served)
        app.router.add_post("/v1/embeddings", self._served)
        app.router.add_get("/v1/models", self._models)
        runner = web.AppRunner(app, shutdown_timeout=0.2, access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
            await site.start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
            yield self.url
        finally:
            self._closing.set()
            await runner.cleanup()

    async def _models(self, request: web.Request) -> web.Response:
        return self._denied(request) or web.json_response(models())

    async def _served(self, request: web.Request) -> web.StreamResponse:
        denied = self._denied(request)
        if denied is not None:
            return denied
        try:
            body = await request.json()
            model = str(body["model"])
        except (ValueError, KeyError, TypeError):
            return refused(400, "The body is no request for a model.", "invalid_request_error")
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        served = Served(
            number=next(self._numbers),
            path=request.path,
            body=content_hash(json.dumps(body, sort_keys=True)),
            model=model,
            stream=bool(body.get("stream")),
            in_flight=self.in_flight,
            begun=time.monotonic(),
        )
        try:
            return await self._answer(request, body, served)
        finally:
            self.in_flight -= 1
            served.ended = time.monotonic()
            self._keep(served)

    async def _answer(self, request: web.Request, body: dict[str, Any], served: Served) -> web.StreamResponse:
        earlier = self._came[served.body]
        self._came[served.body] += 1
        faults = self.faults
        fault = faults.strike(served.body, earlier)
        served.fault = fault.value if fault else ""
        if fault is Fault.RESET:
            return reset(request)
        if fault is Fault.HANG:
            await self._closing.wait()
            return reset(request)
        if fault in STATUS:
            served.status = STATUS[fault][0]
            return refused(*STATUS[fault], headers=retry_after(faults) if served.status in {429, 503} else None)
        refusal = self.refuses(body)
        if refusal is not None:
            served.status = refusal[0]
            return web.json_response(refusal[1], status=refusal[0])
        if isinstance(self.latency, tuple):
            await asyncio.sleep(rng(faults.seed, "latency", served.body, earlier).uniform(*self.latency))
        elif self.latency:
            await asyncio.sleep(self.latency)
        return await self._spoken(request, body, served, fault)

    async def _spoken(
        self, request: web.Request, body: dict[str, Any], served: Served, fault: Fault | None
    ) -> web.StreamResponse:
        if served.path.endswith("/embeddings"):
            said = embeddings(body)
        else:
            messages = messages_of(body)
            if messages is None:
                served.status = 400
                return refused(400, "'messages' must be a list of turns.", "invalid_request_error")
            parameters = {name: value for name, value in body.items() if name not in {"model", "messages"}}
            text = self.brain(messages, parameters)
            said = completion(body, messages, spoiled(text, fault) if fault else text, fault)
        served.status = 200
        served.delivered = request.transport is not None and not request.transport.is_closing()
        if served.stream:
            return await streamed(request, list(chunks(said, body)), fault)
        return await sent(request, self.wire(said), fault)

    def _denied(self, request: web.Request) -> web.Response | None:
        if self._key is None or request.headers.get("Authorization") == f"Bearer {self._key}":
            return None
        return refused(401, "Incorrect API key provided.", "invalid_api_key")

    def _keep(self, served: Served) -> None:
        self.log.append(served)
        if self._log_file is not None:
            # opened for each line: whoever counts reads whole lines, and a killed server loses none
            with self._log_file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**asdict(served), "paid": served.paid, "answered": served.answered}) + "\n")


def _as_json(said: dict[str, Any]) -> bytes:
    return json.dumps(said, ensure_ascii=False).encode()


@contextlib.contextmanager
def serve(brain: Brain = fake_reply, *, port: int = 0, **how: Any) -> Iterator[ModelServer]:
    """A server in a thread of its own, for the length of the block. `how` is what ModelServer takes."""
    server = ModelServer(brain, **how)
    loop = asyncio.new_event_loop()
    ready, done = threading.Event(), asyncio.Event()
    failed: list[BaseException] = []

    async def work() -> None:
        async with server.running(port):
            ready.set()
            await done.wait()

    def thread() -> None:
        try:
            loop.run_until_complete(work())
        except OSError as error:
            failed.append(error)
        finally:
            ready.set()
            loop.close()

    worker = threading.Thread(target=thread, name="model server", daemon=True)
    worker.start()
    ready.wait()
    if failed:
        raise failed[0]
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(done.set)
        worker.join(timeout=10)


def main(arguments: list[str] | None = None) -> None:
    """Serve from a process of its own until standard input is closed; the first line printed is the URL."""
    parser = argparse.ArgumentParser(description="A model server for tests and benchmarks.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, nargs="+", default=[0.0], help="seconds, or the two ends of a range")
    parser.add_argument("--fault", action="append", default=[], metavar="KIND=RATE", help=", ".join(Fault))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--retry-after", type=float, default=1.0)
    parser.add_argument("--key", help="the key that must be sent")
    parser.add_argument("--log", type=Path, help="a file for one JSON line per request")
    parser.add_argument("--agreeable", action="store_true", help="find nothing wrong with any draft")
    parser.add_argument("--obedient", action="store_true", help="obey every order that comes undelimited")
    told = parser.parse_args(arguments)
    if told.agreeable:
        reading.FAILING = sys.maxsize
    rates = {Fault(kind): float(rate) for kind, _, rate in (fault.rpartition("=") for fault in told.fault)}
    server = ModelServer(
        Obedient() if told.obedient else fake_reply,
        faults=Faults(rates, seed=told.seed, retry_after_s=told.retry_after),
        latency=(told.latency[0], told.latency[-1]) if len(told.latency) > 1 else told.latency[0],
        key=told.key,
        log_file=told.log,
    )

    async def work() -> None:
        async with server.running(told.port) as url:
            print(url, flush=True)  # noqa: T201 - whoever started it reads it
            await asyncio.to_thread(sys.stdin.read)

    asyncio.run(work())


if __name__ == "__main__":
    main()
