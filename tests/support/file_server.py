"""A folder behind HTTP on loopback, as Python's own server lists it; some paths answer as a test says.

In a test: `with file_server(folder, {"/docs/a.md": Reply(503)}) as server: ... server.url + "docs/"`.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote


@dataclass
class Reply:
    """What a path answers instead; `after`: so many times, then as the folder does; `pause`: after each two bytes."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    after: int = 1_000
    pause: float = 0


@dataclass
class FileServer:
    """Where it is (with a slash at the end), the paths that it was asked for, and for how many at once at most."""

    url: str = ""
    asked: list[str] = field(default_factory=list)
    now: int = 0
    at_once: int = 0
    counting: threading.Lock = field(default_factory=threading.Lock)


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *given: Any, replies: dict[str, Reply], told: FileServer, **named: Any) -> None:
        self.replies, self.told = replies, told
        super().__init__(*given, **named)

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        told = self.told
        with told.counting:
            told.asked.append(self.path)
            told.now += 1
            told.at_once = max(told.at_once, told.now)
        time.sleep(0.005)
        with told.counting:
            # before the answer: who has it may ask for the next
            told.now -= 1
        self._answer()

    def _answer(self) -> None:
        reply = self.replies.get(unquote(self.path))
        if reply is None or not reply.after:
            super().do_GET()
            return
        reply.after -= 1
        self.send_response(reply.status)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in {"Content-Type": "text/html", **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if not reply.pause:
            self.wfile.write(reply.body)
            return
        with contextlib.suppress(OSError):
            for start in range(0, len(reply.body), 2):
                self.wfile.write(reply.body[start : start + 2])
                time.sleep(reply.pause)


@contextlib.contextmanager
def file_server(folder: Path, replies: Mapping[str, Reply] | None = None) -> Iterator[FileServer]:
    told = FileServer()
    handler = partial(_Handler, directory=str(folder), replies=dict(replies or {}), told=told)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            told.url = f"http://127.0.0.1:{server.server_port}/"
            yield told
        finally:
            server.shutdown()
            thread.join()
