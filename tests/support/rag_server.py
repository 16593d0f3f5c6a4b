"""A RAG behind HTTP on loopback, as people serve theirs: good ones, and ones that break in every way.

In a test: `with rag_server() as server: ... server.url + "/json" ... server.seen`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

MANY_LANGUAGES = "Der Leuchtturm 灯塔 المنارة מגדלור 🗼👩‍🚒 ﷽ é"
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"
BIG = 10_000_000


@dataclass
class Seen:
    """One request as it came."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: Any


@dataclass
class RagServer:
    """Where it is, what it was asked, and what it says to whoever asks /reply."""

    url: str = ""
    elsewhere: str = ""
    """the same server under another name"""
    seen: list[Seen] = field(default_factory=list)
    reply: Any = None
    closing: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    room: RagServer

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def log_message(self, *arguments: Any) -> None:
        pass

    def _serve(self, method: str) -> None:
        parts = urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw) if raw else None
        self.room.seen.append(Seen(method, parts.path, parse_qs(parts.query), dict(self.headers), body))
        _, name, *rest = parts.path.split("/")
        if name == "anything":  # below it, whatever else the path says
            name, rest = rest[0], []
        with contextlib.suppress(ConnectionError):
            getattr(self, f"_{name}")(*rest)

    def _send(self, text: str | bytes, kind: str = "application/json", status: int = 200, **headers: str) -> None:
        raw = text.encode() if isinstance(text, str) else text
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    def _json(self) -> None:
        found = [{"text": "The tank holds 30 litres.", "id": "t-1"}, {"text": "It is red.", "id": "t-2"}]
        self._send(json.dumps({"data": {"said": "B", "found": found}, "usage": {"in": 12, "out": 3}}))

    def _reply(self) -> None:
        self._send(json.dumps(self.room.reply, ensure_ascii=False))

    def _raw(self, status: str = "200") -> None:
        self._send(self.room.reply, status=int(status))

    def _nested(self, levels: str) -> None:
        self._send('{"said": "B", "m": ' + '{"said": ' * int(levels) + "1" + "}" * int(levels) + "}")

    def _text(self) -> None:
        self._send("B", "text/plain; charset=utf-8")

    def _languages(self) -> None:
        self._send(MANY_LANGUAGES, "text/plain; charset=utf-8")

    def _latin(self) -> None:
        self._send("été".encode("latin-1"), "text/plain; charset=iso-8859-1")

    def _html(self) -> None:
        self._send(PAGE, "text/html")

    def _big(self) -> None:
        self._send("x" * BIG, "text/plain")

    def _empty(self) -> None:
        self._send("", "application/json")

    def _broken(self) -> None:
        self._send('{"said": "B"', "application/json")

    def _echo(self) -> None:
        self._send(json.dumps({"said": f"you sent {dict(self.headers)}"}))

    def _status(self, status: str) -> None:
        self._send("the index is being built", "text/plain", int(status), Retry_After="7")

    def _refused(self) -> None:
        self._send(f"not allowed with {self.headers.get('Authorization')}", "text/plain", 403)

    def _here(self) -> None:
        self._send("", status=307, Location="/text")

    def _packed(self) -> None:
        self._send(b"this was never packed", Content_Encoding="gzip")

    def _unknown(self) -> None:
        self._send(b"\x0b\x02\x80", Content_Encoding="br")

    def _stream(self) -> None:
        self._send('data: {"answer": "B"}\n\ndata: [DONE]\n\n', "text/event-stream")

    def _port(self) -> None:
        self._send("", status=307, Location="http://127.0.0.1:9/text")

    def _object(self) -> None:
        self._send(json.dumps({"answer": {"said": "B"}}))

    def _away(self) -> None:
        self._send("", status=307, Location=f"{self.room.elsewhere}/text")

    def _round(self) -> None:
        self._send("", status=302, Location="/round")

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def _midway(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"said": ')
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while not self.room.closing.wait(0.02):
            self.wfile.write(b" ")
            self.wfile.flush()
        self.close_connection = True

    def _hang(self) -> None:
        self.room.closing.wait(60)
        self.close_connection = True

    def _slow(self) -> None:
        time.sleep(0.3)
        self._text()


@contextlib.contextmanager
def rag_server() -> Iterator[RagServer]:
    """The server, in threads of its own, for the length of the block."""
    room = RagServer()
    handler = type("Handler", (_Handler,), {"room": room})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        room.url = f"http://127.0.0.1:{server.server_port}"
        room.elsewhere = f"http://localhost:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield room
        finally:
            room.closing.set()
            server.shutdown()
            thread.join()
