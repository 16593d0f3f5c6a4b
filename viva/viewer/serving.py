"""Serving the viewer until somebody stops it, and writing all its pages into a folder."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import socket
import sys
import threading
import webbrowser
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from aiohttp import ClientSession, web
from aiohttp.http_exceptions import HttpProcessingError

from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.viewer.guard import Guard
from viva.viewer.loaded_run import LoadedRun, found_runs
from viva.viewer.server import Viewer, application, assets

_LINK = re.compile(r'(href|src)="(/[^"#]*)(#[^"]*)?"')
_FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
"""Of our own pages: what others said is escaped in them. Nobody answers a form of a file."""
_MOST_PAGES = 50_000
_ALL = {"0.0.0.0", "::"}  # noqa: S104 - nobody can open what stands for all addresses


@dataclass(frozen=True)
class View:
    """What was asked for on the command line."""

    runs: tuple[Path, ...]
    host: str
    port: int
    read_only: bool
    by: str
    database_url: str | None


def serve(wanted: View, *, browser: bool, at: str | None = None) -> None:
    """Serve until interrupted; `at`: the id of what a browser opens first.

    UsageError where no run is there, or the address cannot be served.
    """
    asyncio.run(_serve(wanted, browser=browser, at=at))


def serve_in_background(wanted: View) -> str:
    """Serve in a thread until the program ends; the address. UsageError as serve."""
    begun: Future[str] = Future()

    async def work() -> None:
        async with served(wanted) as (address, _):
            begun.set_result(address)
            await asyncio.Event().wait()

    def run() -> None:
        try:
            asyncio.run(work())
        except Exception as error:  # noqa: BLE001  it is the caller's, who waits
            if not begun.done():
                begun.set_exception(error)

    threading.Thread(target=run, name="viva view", daemon=True).start()
    return begun.result()


async def _serve(wanted: View, *, browser: bool, at: str | None) -> None:
    async with served(wanted) as (address, viewer):
        sys.stdout.write(f"{address}\nStop it with Ctrl-C.\n")
        if viewer.guard.needs_token:
            sys.stdout.write("Whoever has this address can act as you: give it to nobody else.\n")
        sys.stdout.flush()
        if browser:
            await asyncio.to_thread(webbrowser.open, _at(address, at))
        await asyncio.Event().wait()


def _at(address: str, id_: str | None) -> str:
    """The address of what has this id."""
    if not id_:
        return address
    place, _, token = address.partition("?")
    return f"{place}run/0/find?{urlencode({'id': id_})}" + (f"&{token}" if token else "")


@asynccontextmanager
async def served(wanted: View) -> AsyncIterator[tuple[str, Viewer]]:
    """The server at work: the address to open, and what it shows."""
    folders = found_runs(wanted.runs)
    server = _bound(wanted.host, wanted.port)
    port = int(server.getsockname()[1])
    viewer = Viewer(
        [LoadedRun(folder, wanted.database_url) for folder in folders],
        Guard(wanted.host, port, read_only=wanted.read_only),
        wanted.by,
    )
    runner = web.AppRunner(application(viewer), access_log=None, logger=_log())
    await runner.setup()
    try:
        await web.SockSite(runner, server).start()
        reached = socket.gethostname() if wanted.host in _ALL else wanted.host
        named = f"[{reached}]" if ":" in reached else reached
        token = f"?token={viewer.guard.token}" if viewer.guard.needs_token else ""
        yield f"http://{named}:{port}/{token}", viewer
    finally:
        await runner.cleanup()
        viewer.close()


def _log() -> logging.Logger:
    """The log of the server: what is no HTTP gets its answer, and nobody at the terminal needs to know."""
    log = logging.getLogger("viva.viewer")
    log.addFilter(_is_our_fault)
    return log


def _is_our_fault(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)


def _bound(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(
            f"{host}:{port} cannot be served: {error.strerror or error}.",
            next_step="Take another --port (0: any that is free) or --host.",
        ) from error


# --- all pages as files -----------------------------------------------------------------------------------


def export_pages(wanted: View, folder: Path) -> None:
    """Write every page that links lead to into `folder`, read-only. UsageError where it is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder.", next_step="Take another --export.")
    count = asyncio.run(_export(View(wanted.runs, "127.0.0.1", 0, True, wanted.by, wanted.database_url), folder))
    sys.stdout.write(f"{count} pages in {folder}: open {folder / 'index.html'}\n")


async def _export(wanted: View, folder: Path) -> int:
    async with served(wanted) as (address, _), ClientSession() as session:
        waiting, known, written = deque(["/"]), {"/"}, 0
        while waiting and written < _MOST_PAGES:
            page = waiting.popleft()
            async with session.get(address.rstrip("/") + page.replace("&amp;", "&")) as answer:
                if answer.status != HTTPStatus.OK or answer.content_type != "text/html":
                    sys.stderr.write(f"Left out, for the server answered {answer.status}: {page}\n")
                    continue
                text = _FORM.sub("", await answer.text())
            for link in (found[1] for found in _LINK.findall(text)):
                if _is_kept(link) and link not in known:
                    known.add(link)
                    waiting.append(link)
            _write(folder / file_of(page), _LINK.sub(_to_file, text))
            written += 1
            if written % 100 == 0:
                sys.stderr.write(f"{written} pages, {len(waiting)} to come\n")
        if waiting:
            sys.stderr.write(f"{len(waiting)} further pages were left out: {_MOST_PAGES:,} are written at most.\n")
    for name, text in assets().items():
        _write(folder / name, text)
    return written


def _is_kept(link: str) -> bool:
    """Pages; of lists those that a link turns to, and none of the filters, whose number is without end."""
    parts = urlsplit(link)
    plain = not parts.query or re.fullmatch(r"page=\d+", parts.query) is not None
    return plain and not parts.path.startswith("/static/") and not parts.path.endswith((".json", ".jsonl"))


def file_of(link: str) -> str:
    """The file of a page: its name holds nothing but letters and digits, whatever the address is."""
    if link == "/":
        return "index.html"
    return f"{hashlib.sha256(link.encode()).hexdigest()[:24]}.html"


def _to_file(found: re.Match[str]) -> str:
    name, link, place = found[1], found[2], found[3] or ""
    if link.startswith("/static/"):
        return f'{name}="{link.rsplit("/", 1)[-1]}"'
    # what leads to no file is no link
    return f'{name}="{file_of(link)}{place}"' if _is_kept(link) else ""


def _write(file: Path, text: str) -> None:
    with room_for(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
