"""What comes from documents and systems is shown in the terminal, never obeyed by it."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from rich.text import Text

# of the format characters (Cf) only those that reorder or hide text; joiners belong to words of some languages
_DECEPTIVE = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def harmless(text: str) -> str:
    """The text with control characters written out (an escape becomes \\x1b); line ends and tabs stay."""
    return "".join(_written_out(char) for char in text)


def plain(text: str, style: str = "") -> Text:
    """The text as it is: no control characters, no markup."""
    return Text(harmless(text), style=style)


def is_harmless(char: str) -> bool:
    """Whether a terminal shows the character and does nothing else; line ends and tabs count as shown."""
    return char in "\n\t" or (unicodedata.category(char) not in {"Cc", "Cs"} and char not in _DECEPTIVE)


def _written_out(char: str) -> str:
    if is_harmless(char):
        return char
    code = ord(char)
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
