"""What a model wrote, made fit for an exam: one line, without marks, without what some models put around it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from viva.llm.untrusted import one_line

LONGEST_STEM, LONGEST_KEY = 400, 160
"""Characters that are of use; the rules fail what is longer."""
LONGEST_REASON, LONGEST_QUOTE, LONGEST_SENTENCES = 600, 2000, 800
Found = TypeVar("Found")
_NOTHING = {"", "none", "null"}

_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\([^()\s]{1,300}\)")
# within words they are a product, a pattern or a name: 2*3*4, snake_case, __init__
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?![\s*])([^*]{1,800})(?<!\s)\1(?![\w*])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_PATTERN = re.compile(r"\\[A-Za-z0-9]")


def question(text: str) -> str:
    """A stem, without the quotation marks some put around it."""
    line = unmarked_line(one_line(text, 2 * LONGEST_STEM))
    inner = line[1:-1]
    return inner if line[:1] + line[-1:] in {'""', "''", "“”", "«»", "„“"} and line[0] not in inner else line


def option(text: str) -> str:
    """An option, without a full stop that ends it: options stand without one."""
    line = unmarked_line(one_line(text, 2 * LONGEST_KEY))
    return line[:-1] if line.endswith(".") and "." not in line[:-1] else line


def statement(text: str, most: int = LONGEST_SENTENCES) -> str:
    """Sentences that state something, such as a reference answer."""
    return unmarked_line(one_line(text, most))


def unmarked_line(line: str) -> str:
    """The line without marks of code, emphasis, links and escapes; what stood between marks of code stays as it was.

    Less is taken for a mark than in a document: a model writes `__init__`, `<b>` or `a*b*c` and means them.
    """
    told, place = list[str](), 0
    for code in _CODE.finditer(line):
        told += [_without_marks(line[place : code.start()]), code.group(2).strip() or code.group(2)]
        place = code.end()
    told.append(_without_marks(line[place:]))
    return " ".join("".join(told).split())


def _without_marks(prose: str) -> str:
    plain = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", prose.replace("`", "")))
    # who writes \d+ writes a pattern, in which \. is no escape of Markdown's
    return plain if _PATTERN.search(plain) else _ESCAPE.sub(r"\1", plain)


def says_nothing(text: str) -> bool:
    """Whether it is empty, or the word for nothing."""
    return text.strip(" .?“”\"'").lower() in _NOTHING


def one_each(verdicts: Iterable[tuple[int, Found]], number: int) -> list[Found | None]:
    """Give the verdicts on things 1 to `number`, in order; None for one that has none, or two that differ."""
    found: dict[int, set[Found]] = {}
    for place, verdict in verdicts:
        found.setdefault(place, set()).add(verdict)
    return [next(iter(own)) if len(own := found.get(n, set())) == 1 else None for n in range(1, number + 1)]


def reason(text: str) -> str:
    """A judge's reason."""
    return one_line(text, LONGEST_REASON)


def bounded(text: str, most: int) -> str:
    """Beginning and end of what has more characters."""
    return text if len(text) <= most else f"{text[: most // 2]}\n[...]\n{text[-(most // 2) :]}"
