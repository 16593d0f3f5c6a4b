"""What a model wrote, made fit for an exam: one line, without what some models put around it."""

from __future__ import annotations

from viva.llm.untrusted import one_line

LONGEST_STEM, LONGEST_KEY = 400, 160
"""Characters that are of use; the rules fail what is longer."""
LONGEST_REASON, LONGEST_QUOTE, LONGEST_SENTENCES = 600, 2000, 800
_NOTHING = {"", "none", "null"}


def question(text: str) -> str:
    """A stem, without the quotation marks some put around it."""
    line = one_line(text, 2 * LONGEST_STEM)
    inner = line[1:-1]
    return inner if line[:1] + line[-1:] in {'""', "''", "“”", "«»", "„“"} and line[0] not in inner else line


def option(text: str) -> str:
    """An option, without a full stop that ends it: options stand without one."""
    line = one_line(text, 2 * LONGEST_KEY)
    return line[:-1] if line.endswith(".") and "." not in line[:-1] else line


def says_nothing(text: str) -> bool:
    """Whether it is empty, or the word for nothing."""
    return text.strip(" .?“”\"'").lower() in _NOTHING


def reason(text: str) -> str:
    """A judge's reason."""
    return one_line(text, LONGEST_REASON)
