"""What earlier versions of viva had and this one has not, with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

GONE: Mapping[str, str] = MappingProxyType(
    {
        "oral examination by rules": "There is no oral examination without a language model any more: name one with "
        "--model PROVIDER:MODEL, or a recording with --model replay:FILE#PROVIDER:MODEL.",
    }
)
"""By what a user may still name (a command, an option, a value, a setting): a sentence that names its replacement."""


def replacement(name: str) -> str | None:
    """The sentence on a name that is gone; None if viva never had it or has it still."""
    return GONE.get(name)
