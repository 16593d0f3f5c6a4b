"""How much of a file a reader found: words, cells in their column, sentences in order, furniture left out."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from content import Wanted

_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\]\([^)\n]*\)")
"""Where a link of Markdown leads: no words of the text."""


@dataclass
class Score:
    """What was found, and of how many: words, cells, sentences in order, pieces of furniture left out."""

    words: Counter[str]
    cells: Counter[str]
    order: Counter[str]
    furniture: Counter[str]

    @classmethod
    def of(cls, text: str, wanted: Wanted) -> Score:
        """The score of a text that a reader gave."""
        text = _TARGET.sub("]", unicodedata.normalize("NFKC", text).replace("\\", ""))
        have = Counter(_words(text))
        need = Counter(
            _words(
                " ".join(
                    [
                        *wanted.sentences,
                        *wanted.anywhere,
                        *(cell for table in wanted.tables for cell in _distinct(table)),
                    ]
                )
            )
        )
        squeezed = f" {' '.join(_words(text))} "
        return cls(
            _of(sum((have & need).values()), need.total()),
            _of(*_cells(text, wanted.tables)),
            _of(_in_order(squeezed, wanted.sentences), len(wanted.sentences)),
            _of(
                sum(f" {' '.join(_words(each))} " not in squeezed for each in wanted.furniture), len(wanted.furniture)
            ),
        )

    def __add__(self, other: Score) -> Score:
        return Score(
            self.words + other.words,
            self.cells + other.cells,
            self.order + other.order,
            self.furniture + other.furniture,
        )

    def shares(self) -> tuple[float | None, ...]:
        """Words, cells, order, furniture; None where there are none."""
        each = (self.words, self.cells, self.order, self.furniture)
        return tuple(one["found"] / one["all"] if one["all"] else None for one in each)


def _of(found: int, of: int) -> Counter[str]:
    return Counter(found=found, all=of)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).replace("_", " "))


def _distinct(table: Sequence[Sequence[str]]) -> list[str]:
    """Cells, one that goes on from the row above or the column before once."""
    return [
        cell
        for at, row in enumerate(table)
        for column, cell in enumerate(row)
        if not (at and table[at - 1][column] == cell) and not (column and row[column - 1] == cell)
    ]


def _in_order(squeezed: str, sentences: Sequence[str]) -> int:
    """Sentences that are found whole, and in the order of the document: the longest row of them."""
    places = (squeezed.find(f" {' '.join(_words(each))} ") for each in sentences)
    ends: list[int] = []
    for place in places:
        if place >= 0:
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
    return len(ends)


class _Rows(HTMLParser):
    """The rows of HTML tables, which some readers give; merged cells are repeated in their row."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[list[str]] = []
        self._span, self._is_cell = 1, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.lines.append([])
        if tag in {"td", "th"} and self.lines:
            self._is_cell, self._span = True, int(dict(attrs).get("colspan") or 1)
            self.lines[-1].append("")

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.lines[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"} and self._is_cell:
            self.lines[-1] += [self.lines[-1][-1]] * (self._span - 1)
            self._is_cell = False


def _rows(text: str) -> list[list[str]]:
    """Every row that the text shows: lines with bars, tables of HTML, grids of reStructuredText, list-tables."""
    rows = [
        line.rstrip().removeprefix("|").removesuffix("|").split("|") if line.startswith("|") else line.split("|")
        for line in text.split("\n")
        if "|" in line
    ]
    rows += [line.split("\t") for line in text.split("\n") if "\t" in line]
    if "<td" in text:
        parser = _Rows()
        parser.feed(text)
        rows += parser.lines
    return [[" ".join(_words(cell)) for cell in row] for row in rows]


def _cells(text: str, tables: Sequence[Sequence[Sequence[str]]]) -> tuple[int, int]:
    """(cells in their column, all cells): between as many bars as in the table, or behind the column's name."""
    rows = _rows(text)
    named = {" ".join(_words(line)) for line in text.split("\n") if ":" in line}
    lines = {" ".join(_words(line)) for line in text.split("\n")}
    found = of = 0
    for header, *body in tables:
        for line in body:
            want = [" ".join(_words(cell)) for cell in line]
            near = max(
                (
                    sum(bool(cell) and cell == have for cell, have in zip(want, row, strict=False))
                    for row in rows
                    if set(want) & set(row)
                ),
                default=0,
            )
            labels = [" ".join(_words(name)) for name in header]
            by_name = sum(bool(cell) and f"{label} {cell}" in named for label, cell in zip(labels, want, strict=True))
            alone = want[0] in lines and not any(want[1:])
            found += max(near, by_name, alone)
            of += sum(map(bool, want))
    return found, of
