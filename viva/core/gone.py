"""What earlier versions of viva had and this one has not, with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

GONE: Mapping[str, str] = MappingProxyType(
    {
        "--model fake:": "the fake model is no part of viva any more; name a recording (replay:LEDGER) or a model "
        "(ollama:NAME, hf:NAME, openai:NAME); viva models lists those that can be used now.",
        "plan --sample": "viva plan asks no model and samples no chunks any more: leave --sample out.",
    }
)
"""By what a user may still name (a command, an option, a value, a setting): a sentence that names its replacement."""


def replacement(name: str) -> str | None:
    """The sentence on a name that is gone; None if viva never had it or has it still."""
    return GONE.get(name)
