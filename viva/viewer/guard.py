"""Who may ask the server what: the machine itself, or whoever has the token; and only pages of its own may act.

A page elsewhere can make a browser send requests here. It cannot choose the Host header (DNS rebinding is refused by
it), nor the Origin header of a form (cross-site request forgery is refused by that).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Guard:
    """What is asked of each request. `host`: the address served; beyond loopback a token is needed."""

    host: str
    port: int
    read_only: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def needs_token(self) -> bool:
        """Whether others than this machine can reach the server."""
        return self.host not in LOOPBACK

    @property
    def cookie(self) -> str:
        """Its name: browsers send cookies to all ports of a machine."""
        return f"viva_view_{self.port}"

    def refuses(self, method: str, headers: Mapping[str, str], token: str) -> str:
        """Why a request is not answered, in a sentence; "" where it is. `token`: of its cookie or address."""
        if not self._is_own(headers.get("Host", "")):
            return "The address in the request is not that of this server: open it as it was printed."
        if self.needs_token and not secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return "The token is missing or wrong: open the address that was printed when the server was started."
        if method in {"GET", "HEAD"}:
            return ""
        if self.read_only:
            return "This server was started with --read-only: nothing can be recorded here."
        if headers.get("Origin", "") != f"http://{headers.get('Host', '')}":
            return "The form was not sent by a page of this server: nothing was recorded."
        return ""

    def _is_own(self, host: str) -> bool:
        try:
            parts = urlsplit(f"http://{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        # under another name the cookie with the token is not sent: beyond loopback the token decides
        return port == self.port and (self.needs_token or name in LOOPBACK)
