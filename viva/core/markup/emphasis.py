"""Runs of `*` and `_` to pairs, by the rules of CommonMark but for the one of three, in linear time."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

Construct = tuple[int, int, int, int]
"""Where its opening mark begins and ends, where its closing mark begins and ends."""


@dataclass
class _Run:
    start: int
    end: int


class Delimiters:
    """The runs of one paragraph, taken in order; what pairs is added to `pairs`."""

    def __init__(self, text: str, pairs: list[Construct]) -> None:
        self._text = text
        self._pairs = pairs
        self._open: dict[str, list[_Run]] = {"*": [], "_": []}

    def take(self, start: int, end: int) -> None:
        """The run `text[start:end]`."""
        char = self._text[start]
        before = self._text[start - 1] if start else " "
        after = self._text[end] if end < len(self._text) else " "
        left, right = _flanks(before, after), _flanks(after, before)
        opens, closes = left, right
        if char == "_":
            opens = left and (not right or _is_mark(before))
            closes = right and (not left or _is_mark(after))
        run = _Run(start, end)
        if closes:
            self._closed(char, run)
        if opens and run.start < run.end:
            self._open[char].append(run)

    def _closed(self, char: str, run: _Run) -> None:
        waiting = self._open[char]
        while waiting and run.start < run.end:
            opener = waiting[-1]
            used = 2 if min(opener.end - opener.start, run.end - run.start) > 1 else 1
            self._pairs.append((opener.end - used, opener.end, run.start, run.start + used))
            # what was opened inside and not closed by now stays as it is
            other = self._open["_" if char == "*" else "*"]
            while other and other[-1].start > opener.start:
                other.pop()
            opener.end -= used
            run.start += used
            if opener.start == opener.end:
                waiting.pop()


def _flanks(outside: str, inside: str) -> bool:
    """Whether a run between these characters leans on what is inside."""
    return not inside.isspace() and (not _is_mark(inside) or outside.isspace() or _is_mark(outside))


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
