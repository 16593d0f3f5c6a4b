"""Where a provider's models are asked: the vendor's own address, one that was named, or this machine's usual port."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.llm.roster import ModelName
from viva.llm.secrets import URL_FORM, without_credentials

LOCAL = {
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}
"""Servers of one's own that speak OpenAI's protocol, each where it listens if nothing else is said."""
COMPATIBLE = {"openai", *LOCAL}
"""Providers that speak OpenAI's protocol."""
_ELSEWHERE = {
    "openai": ("OPENAI_API_BASE", "OPENAI_BASE_URL"),
    "anthropic": ("ANTHROPIC_API_URL", "ANTHROPIC_BASE_URL"),
}
"""Variables by which an SDK asks another server than its vendor's."""
_OPENAI = "https://api.openai.com/v1"


def endpoint_of(name: ModelName, settings: Settings) -> str:
    """The server's address without credentials; "" for the provider's own, also where OpenAI's is written out."""
    base_url = base_url_of(name, settings)
    endpoint = without_credentials(base_url, named="--base-url") if base_url else ""
    return "" if name.provider == "openai" and endpoint.rstrip("/") == _OPENAI else endpoint


def base_url_of(name: ModelName, settings: Settings) -> str | None:
    """The address with its credentials; None for the vendor's own."""
    given = settings.base_url if name.provider in COMPATIBLE else None
    # what the SDKs would go by themselves must stand in the ledger: another server is another model
    named = next(filter(None, map(os.environ.get, _ELSEWHERE.get(name.provider, ()))), None)
    return given or named or local_address(name.provider)


def local_address(provider: str) -> str | None:
    """Where a server of one's own is asked; OLLAMA_HOST, which Ollama itself goes by, names another place."""
    if provider == "ollama" and (host := os.environ.get("OLLAMA_HOST", "").strip()):
        return _ollama_at(host)
    return LOCAL.get(provider)


def _ollama_at(host: str) -> str:
    """The address of Ollama's OpenAI-compatible API; its variable may leave out scheme and port, as in Ollama.

    UsageError where no address can be read from it.
    """
    bare = "://" not in host
    if bare and host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    named = "OLLAMA_HOST"
    try:
        parts = urlsplit(f"http://{host}" if bare else host)
        port = parts.port or (11434 if bare else {"http": 80, "https": 443}.get(parts.scheme, 0))
    except ValueError:
        raise UsageError(f"{named} cannot be read.", allowed=URL_FORM) from None
    name = "127.0.0.1" if parts.hostname in {None, "0.0.0.0", "::"} else str(parts.hostname)  # noqa: S104 - it listens there
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    path = parts.path.rstrip("/").removesuffix("/v1")
    url = f"{parts.scheme}://{login}{f'[{name}]' if ':' in name else name}:{port}{path}/v1"
    without_credentials(url, named=named)
    return url
