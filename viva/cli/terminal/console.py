"""Output to the terminal: a console that keeps lines whole, and JSON without control characters."""

from __future__ import annotations

import json
import sys

from rich.console import Console

from viva.cli.terminal.escape import HARMFUL

_WIDTH = 120


def wide_console() -> Console:
    """A console that keeps lines whole if the output is not a terminal."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def json_document(value: object) -> str:
    r"""The value as JSON. Control characters that JSON allows are escaped as \uXXXX, which is the same document.

    Raises ValueError for a number that is nan or infinite.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    # the syntax of JSON has no harmful character: they can only be within a string
    return HARMFUL.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def write_json(document: str) -> None:
    """Write a JSON document to standard output, with escapes if the output has no Unicode."""
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        document = json.dumps(json.loads(document), indent=2) + "\n"
    sys.stdout.write(document)


def print_json(value: object) -> None:
    """Write the value to standard output as one JSON document."""
    write_json(json_document(value))
