"""The terminal as commands write to it: a console that keeps lines whole, and JSON that no terminal obeys."""

from __future__ import annotations

import json
import sys

from rich.console import Console

from viva.cli.terminal.escape import HARMFUL

_WIDTH = 120


def wide_console() -> Console:
    """A console that keeps lines whole where there is no terminal."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def json_document(value: object) -> str:
    r"""The value as JSON; control characters that JSON lets stand raw are written as \uXXXX: the same document.

    Raises ValueError for a number that is nan or infinite.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    # JSON's own characters are all harmless: what is not stands within a string
    return HARMFUL.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def write_json(document: str) -> None:
    """A JSON document on standard output; where that has no Unicode, JSON has its own way to write it."""
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        document = json.dumps(json.loads(document), indent=2) + "\n"
    sys.stdout.write(document)


def print_json(value: object) -> None:
    """The value as one JSON document on standard output."""
    write_json(json_document(value))
