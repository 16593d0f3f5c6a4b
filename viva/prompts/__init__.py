"""The instructions of the roles: one Markdown file each, sent word for word with every call."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from viva.core.ids import content_hash


@cache
def _all() -> dict[str, str]:
    found = (file for file in files(__name__).iterdir() if file.name.endswith(".md"))
    return {file.name.removesuffix(".md"): file.read_text(encoding="utf-8").strip() for file in found}


def prompt(name: str) -> str:
    """The instructions in `<name>.md`. KeyError, naming those there are, if there is no such file."""
    known = _all()
    if name not in known:
        raise KeyError(f"There is no prompt {name!r}. There are: {', '.join(sorted(known))}.")
    return known[name]


def fingerprint(name: str) -> str:
    """16 hex digits that change with the instructions, and with nothing else. KeyError as `prompt`."""
    return content_hash("prompt", prompt(name))
