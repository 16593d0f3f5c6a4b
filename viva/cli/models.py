"""`viva models`: the models that can be used now, with the command for each."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from viva.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from viva.llm.providers.at_hand import LocalServer, Vendor

EPILOG = "Example: viva models, then viva plan path/to/documents --model ollama:qwen3:8b"
_SHOWN = 8
"""The most models that are listed for one server."""
_GET_ONE = (
    "No model can be used now. Set a key (export OPENAI_API_KEY=...), or start a server of your own: for example, "
    "install Ollama (https://ollama.com), then run: ollama pull qwen3:8b"
)
_CONTEXT = (
    "Ollama cuts off prompts that are longer than its context and does not report it. Start it with "
    "OLLAMA_CONTEXT_LENGTH=16384 or more."
)


def models(json: Json = False) -> None:
    """List the models that can be used now: vendors whose key is set, and servers on this machine that answer."""
    import asyncio

    from viva.api.terminal import print_json
    from viva.llm.providers.at_hand import local_servers, vendors

    known, servers = vendors(os.environ), asyncio.run(local_servers())
    if json:
        print_json(_document(known, servers))
    else:
        _print(known, servers)


def _document(known: Sequence[Vendor], servers: Sequence[LocalServer]) -> dict[str, object]:
    return {
        "vendors": [
            {
                "provider": each.provider,
                "key_set": list(each.is_set),
                "variables": list(each.variables),
                "extra_to_install": each.extra or None,
                "example": each.example,
            }
            for each in known
        ],
        "local": [
            {"provider": each.provider, "address": each.address, "models": each.models and list(each.models)}
            for each in servers
        ],
    }


def _print(known: Sequence[Vendor], servers: Sequence[LocalServer]) -> None:
    from rich.table import Table

    from viva.api.terminal import plain, wide_console

    console = wide_console()
    rows = [*_vendor_rows(known), *_server_rows(servers)]
    if rows:
        table = Table(title="Models that can be used now", title_justify="left", title_style="bold")
        for name in ("models", "reason", "command"):
            table.add_column(name, overflow="fold")
        for row in rows:
            table.add_row(*map(plain, row))
        console.print(table)
    else:
        console.print(plain(_GET_ONE))
    silent = [f"{each.provider}: {each.address}" for each in servers if each.models is None]
    if silent:
        console.print(plain(f"No server answers at {', '.join(silent)}. For a server elsewhere: --base-url ADDRESS"))
    missing = [f"{each.provider} ({' or '.join(each.variables)})" for each in known if not each.is_set]
    if missing:
        console.print(plain(f"No key is set for {', '.join(missing)}."))
    if any(each.provider == "ollama" and each.models for each in servers):
        console.print(plain(_CONTEXT))


def _vendor_rows(known: Sequence[Vendor]) -> Iterator[tuple[str, str, str]]:
    from viva.core.errors import how_to_install

    for each in known:
        if each.is_set:
            first = f"{how_to_install(each.extra)}; then: " if each.extra else ""
            yield f"{each.provider}: all of its models", f"{each.is_set[0]} is set", first + _command(each.example)


def _server_rows(servers: Sequence[LocalServer]) -> Iterator[tuple[str, str, str]]:
    for each in servers:
        if each.models is None:
            continue
        because = f"{each.address} answers"
        for model in each.models[:_SHOWN]:
            yield f"{each.provider}:{model}", because, _command(f"{each.provider}:{model}")
        if len(each.models) > _SHOWN:
            yield f"{each.provider}: {len(each.models) - _SHOWN} more", because, "viva models --json"
        if not each.models:
            yield f"{each.provider}: none yet", because, "Load or pull a model there first."


def _command(model: str) -> str:
    return f"viva run DOCS --model {shlex.quote(model)}"
