"""What comes from documents and systems is shown in the terminal, never obeyed by it."""

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
"""A character with which a terminal does something else than show it."""


def harmless(text: str) -> str:
    """The text with control characters written out (an escape becomes \\x1b); line ends and tabs stay."""
    return HARMFUL.sub(_written_out, text)


def plain(text: str, style: str = "") -> Text:
    """The text as it is: no control characters, no markup."""
    return Text(harmless(text), style=style)


def _written_out(char: re.Match[str]) -> str:
    code = ord(char[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


@contextmanager
def output_kept_clean() -> Iterator[None]:
    """Whatever is printed inside, by a user's system or its children, goes to standard error."""
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
