"""Which models can be used here and now: vendors whose key is set, and servers of one's own that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from viva.llm.providers.endpoints import LOCAL, local_address
from viva.llm.providers.vendors import EXTRAS, KEY_VARIABLES, address_of
from viva.llm.secrets import without_credentials
from viva.llm.untrusted import one_line

if TYPE_CHECKING:
    import aiohttp

_PATIENCE_S = 2.0
_MOST, _LONGEST_NAME = 200, 120
_LARGEST = 2**20
"""Bytes of a server's list of models: whoever listens at a port may send anything."""
_USUAL = {
    "openai": "gpt-4o-mini",
    "anthropic": "claude-sonnet-4-5",
    "google_genai": "gemini-2.5-flash",
    "bedrock_converse": "amazon.nova-lite-v1:0",
}
"""A model of each vendor, for the command that is shown."""


@dataclass(frozen=True)
class Vendor:
    """A vendor of models, reached with a key."""

    provider: str
    variables: tuple[str, ...]
    """environment variables, one of which would hold its key"""
    is_set: tuple[str, ...]
    """those of them that hold something; what, is not read"""
    extra: str
    """viva's extra that is still to be installed; '' for none"""
    example: str
    """a name for --model"""


@dataclass(frozen=True)
class LocalServer:
    """A server of one's own, asked for its models."""

    provider: str
    address: str
    """without credentials"""
    models: tuple[str, ...] | None
    """None: nothing at the address answers as such a server does"""


def vendors(environ: Mapping[str, str]) -> list[Vendor]:
    """Every vendor that viva knows the keys of; whether a key is right, its first call tells."""
    return [
        Vendor(
            provider,
            names,
            tuple(name for name in names if environ.get(name, "").strip()),
            "" if provider not in EXTRAS or find_spec(_package(provider)) else EXTRAS[provider],
            f"{provider}:{_USUAL[provider]}",
        )
        for provider, names in KEY_VARIABLES.items()
    ]


async def local_servers() -> list[LocalServer]:
    """What answers where servers of one's own usually listen; at most two seconds."""
    import aiohttp

    # a proxy has no way to this machine's own ports
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_PATIENCE_S), trust_env=False) as session:
        return [*await asyncio.gather(*(_asked(session, provider) for provider in LOCAL))]


async def _asked(session: aiohttp.ClientSession, provider: str) -> LocalServer:
    import aiohttp

    url = local_address(provider) or LOCAL[provider]
    address = address_of(url)
    models: tuple[str, ...] | None = None
    try:
        login = aiohttp.BasicAuth(*address.login, encoding="utf-8") if address.login else None
        # no key is sent: whatever program has the port would read it
        listed = session.get(f"{address.bare}/models", params=address.query, auth=login, allow_redirects=False)
        async with listed as response:
            if response.status == 200:
                models = _names(await _body(response))
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
        # ValueError: a login or a host name that cannot be sent
        pass
    return LocalServer(provider, without_credentials(url), models)


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """All that is sent, or as much as a list of models may have."""
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > _LARGEST:
            break
    return bytes(body)


def _names(body: bytes) -> tuple[str, ...] | None:
    """The models' names in an OpenAI-compatible list; None where it is no such list."""
    import json

    try:
        told: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    rows = told.get("data") if isinstance(told, dict) else None
    if not isinstance(rows, list):
        return None
    named = (row.get("id") for row in rows[:_MOST] if isinstance(row, dict))
    return tuple(one_line(name, _LONGEST_NAME) for name in named if isinstance(name, str) and name.strip())


def _package(provider: str) -> str:
    return {"bedrock_converse": "langchain_aws"}.get(provider, f"langchain_{provider}")
