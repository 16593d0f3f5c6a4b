"""Text from documents and systems is shown in the terminal without control characters."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from rich.text import Text

# control characters but for line ends and tabs, surrogates, and of the format characters only those that reorder or
# hide text; joiners belong to words of some languages
_DECEPTIVE = r"\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff"
HARMFUL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_DECEPTIVE}]")
"""A character that a terminal does not just show."""


def harmless(text: str) -> str:
    """The text with control characters as escapes (ESC becomes \\x1b); line ends and tabs stay."""
    return HARMFUL.sub(_written_out, text)


def plain(text: str, style: str = "") -> Text:
    """The text without control characters and without markup."""
    return Text(harmless(text), style=style)


def _written_out(char: re.Match[str]) -> str:
    code = ord(char[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


@contextmanager
def output_kept_clean() -> Iterator[None]:
    """Send to standard error what a user's system or its child processes print inside."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # closed: nothing can be printed there
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
