"""`viva models`: the models that can be used now, with the command for each."""

from __future__ import annotations

from viva.cli.options import Json
from viva.cli.terminal.show import show

EPILOG = "Example: viva models, then viva plan path/to/documents --model ollama:qwen3:8b"


def models(json: Json = False) -> None:
    """List the models that can be used now: vendors whose key is set, and servers on this machine that answer."""
    from viva.api.models import usable_models

    show(usable_models(), as_json=json)
