"""The lines of a text: which hold prose, in which paragraphs, which are code, and which marks open them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache


class Dialect(Enum):
    """How marks are read."""

    MARKDOWN = "markdown"
    RESTRUCTURED = "restructured"
    HEADINGS = "headings"
    """text that was extracted: its headings alone are marked, and whatever else looks like a mark was written so"""
    NONE = "none"


_DIALECTS = {
    "md": Dialect.MARKDOWN,
    "jsonl": Dialect.MARKDOWN,
    "rst": Dialect.RESTRUCTURED,
    "html": Dialect.HEADINGS,
    "docx": Dialect.HEADINGS,
    "mdx": Dialect.MARKDOWN,
    "ipynb": Dialect.MARKDOWN,
    "adoc": Dialect.HEADINGS,
    "tex": Dialect.HEADINGS,
    "pptx": Dialect.HEADINGS,
    "odt": Dialect.HEADINGS,
    "epub": Dialect.HEADINGS,
    "eml": Dialect.HEADINGS,
}


def dialect_of(format: str) -> Dialect:  # noqa: A002 - the field's name
    """How the marks in a document of that `Document.format` are read; files of plain text and tables hold none."""
    return _DIALECTS.get(format, Dialect.NONE)


_FENCE = re.compile(r"^[ \t]*(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$", re.MULTILINE)
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_ATX_END = re.compile(r"[ \t]#+[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_QUOTED = re.compile(r" {0,3}>(?: ?>)* ?")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_BORDER = re.compile(r"[ \t]*(?:[+|][-=+| ]{2,}[+|]|=[= ]+=)[ \t]*$")
_CODE_DIRECTIVE = re.compile(r"\.\. (?:code|code-block|sourcecode|parsed-literal|math|productionlist)::")


@dataclass
class Blocks:
    """Stretches of a text: `dropped` are marks, `paragraphs` prose; what is in none of them is code or blank."""

    dropped: list[tuple[int, int]] = field(default_factory=list)
    paragraphs: list[tuple[int, int]] = field(default_factory=list)


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line without its end, and where it begins."""
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def code_fence(line: str, fence: str) -> str | None:
    """The fence that is open after this line, '' for none; None where the line is no fence."""
    mark = _FENCE.match(line)
    if mark is None:
        return None
    run = mark.group(1) or mark.group(2)
    if not fence:
        return run
    return "" if run.startswith(fence) and line.strip() == run else fence


def open_fence(text: str, end: int, dialect: Dialect) -> str:
    """The fence of the code block in which that place of a text lies; '' where it lies in none."""
    if dialect is not Dialect.MARKDOWN:
        return ""
    ends, open_after = _fences(text)
    before = bisect_right(ends, end)
    return open_after[before - 1] if before else ""


@lru_cache(maxsize=512)
def _fences(text: str) -> tuple[list[int], list[str]]:
    """Where the lines of fences end, and which fence is open after each."""
    ends, open_after, fence = list[int](), list[str](), ""
    for mark in _FENCE.finditer(text):
        fence = code_fence(mark.group(), fence) or ""
        ends.append(mark.end())
        open_after.append(fence)
    return ends, open_after


def blocks(text: str, dialect: Dialect, fence: str = "") -> Blocks:
    """The blocks of a text that begins inside the code block of this fence, or in none."""
    if dialect is Dialect.RESTRUCTURED:
        return _Restructured(text).read()
    if dialect is Dialect.MARKDOWN:
        return _Markdown(text, fence).read()
    found = Blocks()
    if dialect is Dialect.HEADINGS:
        for start, line in lines(text):
            if mark := _ATX.match(line):
                found.dropped.append((start, start + mark.end()))
    return found


class _Reader(ABC):
    """Puts lines together to paragraphs."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found = Blocks()
        self._begun: int | None = None
        self._end = 0

    def read(self) -> Blocks:
        """All of it."""
        for start, line in lines(self._text):
            self._line(start, line)
        self._close()
        return self._found

    @abstractmethod
    def _line(self, start: int, line: str) -> None:
        """Take one line."""

    def _close(self) -> None:
        if self._begun is not None:
            self._found.paragraphs.append((self._begun, self._end))
        self._begun = None

    def _prose(self, start: int, line: str) -> None:
        if self._begun is None:
            self._begun = start
        self._end = start + len(line)

    def _drop(self, start: int, end: int) -> None:
        self._found.dropped.append((start, end))


class _Markdown(_Reader):
    def __init__(self, text: str, fence: str) -> None:
        super().__init__(text)
        self._fence = fence
        self._blank, self._in_list, self._in_code = True, False, False

    def _line(self, start: int, line: str) -> None:
        fence = code_fence(line, self._fence)
        if fence is not None or self._fence:
            self._fence = self._fence if fence is None else fence
            self._close()
            self._blank = False
            return
        if not line.strip():
            self._close()
            self._blank = True
            return
        self._written(start, line)
        self._blank = False

    def _written(self, start: int, line: str) -> None:
        item = _ITEM.match(line)
        indented = line.startswith(("    ", "\t"))
        if indented and (self._in_code or (self._blank and not self._in_list)):
            self._in_code = True
            return
        self._in_code = False
        if item or (self._blank and line[0] not in " \t"):
            self._in_list = item is not None
        underline = self._begun is not None and _SETEXT.match(line)
        if underline or _RULE.match(line) or ("|" in line and _TABLE_RULE.match(line)):
            self._close()
            self._drop(start, start + len(line))
            return
        self._opened(start, line, item is not None)

    def _opened(self, start: int, line: str, item: bool) -> None:
        heading, quoted = _ATX.match(line), _QUOTED.match(line)
        if heading or item:
            self._close()
        if heading:
            self._drop(start, start + heading.end())
            if end := _ATX_END.search(line, max(heading.end() - 1, 0)):
                self._drop(start + end.start(), start + len(line))
        elif quoted:
            self._drop(start, start + quoted.end())
        self._prose(start, line)
        if heading:
            self._close()


class _Restructured(_Reader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._literal: int | None = None
        """indentation beyond which lines are code"""
        self._last = ""

    def _line(self, start: int, line: str) -> None:
        if not line.strip():
            self._close()
            return
        indent = len(line) - len(line.lstrip())
        if self._literal is not None and indent > self._literal:
            return
        self._literal = None
        bare = line.strip()
        if bare.startswith(".. "):
            self._close()
            self._literal = indent if _CODE_DIRECTIVE.match(bare) else None
        elif bare.endswith("::"):
            self._literal = indent
        if bare.startswith(">>> "):
            self._close()
            return
        if _ADORNMENT.match(bare) or _BORDER.match(line):
            self._close()
            self._drop(start, start + len(line))
            return
        if _ITEM.match(line):
            self._close()
        self._prose(start, line)
