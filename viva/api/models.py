"""The language models that can be used now."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

from viva.api.calling import outside_loop
from viva.api.result import Column, Result, Table
from viva.core.errors import how_to_install
from viva.llm import interrupts
from viva.llm.providers.at_hand import LocalServer, Vendor, local_servers, vendors

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


def usable_models() -> Result:
    """List the models that can be used now: vendors whose key is set, and servers on this machine that answer."""
    known = vendors(os.environ)
    servers = outside_loop(lambda: interrupts.run(local_servers()))
    rows = (*_vendor_rows(known), *_server_rows(servers))
    title = "Models that can be used now"
    table = Table(title, tuple(map(Column, ("models", "reason", "command"))), rows)
    record = {
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
    notes = tuple(_notes(known, servers))
    return Result(title, (table,), notes, record) if rows else Result("", (), (_GET_ONE, *notes), record)


def _notes(known: Sequence[Vendor], servers: Sequence[LocalServer]) -> Iterator[str]:
    if silent := [f"{each.provider}: {each.address}" for each in servers if each.models is None]:
        yield f"No server answers at {', '.join(silent)}. For a server elsewhere: --base-url ADDRESS"
    if missing := [f"{each.provider} ({' or '.join(each.variables)})" for each in known if not each.is_set]:
        yield f"No key is set for {', '.join(missing)}."
    if any(each.provider == "ollama" and each.models for each in servers):
        yield _CONTEXT


def _vendor_rows(known: Sequence[Vendor]) -> Iterator[tuple[str, str, str]]:
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
