"""Tables of figures. On a narrow terminal a figure is shown whole or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from viva.api.terminal import harmless, plain
from viva.core.estimates import Estimate

ELSEWHERE = "scores.json and the report have all columns"
NARROWEST = 16
"""The least width of the column of names, in cells; longer names are folded."""
_BORDER = 3
"""Cells of a column around its text: two blanks and a line."""


@dataclass(frozen=True)
class Figures:
    """A column. `spare`: 0 is never left out; else the highest is left out first, of two equals the right one."""

    name: str
    cells: tuple[str, ...]
    spare: int = 0

    @property
    def width(self) -> int:
        """Width in cells, with the border."""
        return max(cell_len(text) for text in (self.name, *self.cells)) + _BORDER

    @property
    def tells_nothing(self) -> bool:
        """Whether each cell is empty or zero."""
        return all(cell in {"0", "-", ""} for cell in self.cells)


@dataclass(frozen=True)
class Board:
    """Rows of marks (such as ranks), names and figures. Only names are untrusted text."""

    title: str
    marks: tuple[str, ...]
    names: tuple[str, ...]
    figures: tuple[Figures, ...]

    def show(self, console: Console, elsewhere: str) -> None:
        """Print the table; name the columns that had no room, and where to find them."""
        if left_out := self.print(console):
            console.print(plain(f"Columns without room on this terminal: {', '.join(left_out)}; {elsewhere}."))

    def print(self, console: Console) -> list[str]:
        """Print the table in the width of the terminal. Returns the names of columns that were left out."""
        kept = list(self.figures)
        # a file or pipe takes lines of any length
        width = console.width if console.is_terminal else self._widest - self._room(kept, 0)
        while self._room(kept, width) < self._least and (gone := _dispensable(kept)):
            kept.remove(gone)
        if self._room(kept, width) < self._least:
            self._print_lines(console)
            return []
        before, console.width = console.width, width
        # unlike lines of text, which the terminal wraps
        console.print(self._table(kept, width), soft_wrap=False)
        console.width = before
        return [each.name for each in self.figures if each not in kept]

    @property
    def _mark(self) -> int:
        return max([2, *(cell_len(mark) for mark in self.marks)])

    @property
    def _widest(self) -> int:
        return max(cell_len(harmless(name)) for name in ("system", *self.names))

    @property
    def _least(self) -> int:
        return min(NARROWEST, self._widest)

    def _room(self, kept: Sequence[Figures], width: int) -> int:
        """Cells that are left for the column of names."""
        return width - 1 - (self._mark + _BORDER) - _BORDER - sum(each.width for each in kept)

    def _table(self, kept: Sequence[Figures], width: int) -> Table:
        table = Table(title=self.title, title_justify="left", title_style="bold")
        table.add_column("", justify="right", no_wrap=True, width=self._mark)
        table.add_column("system", overflow="fold", width=min(self._widest, self._room(kept, width)))
        for each in kept:
            table.add_column(each.name, justify="right", no_wrap=True, width=each.width - _BORDER)
        for number, (mark, name) in enumerate(zip(self.marks, self.names, strict=True)):
            table.add_row(mark, plain(name), *(each.cells[number] for each in kept))
        return table

    def _print_lines(self, console: Console) -> None:
        """Print lines instead, on a terminal too narrow for a table: it wraps lines and cuts none."""
        console.print(plain(self.title, style="bold"))
        for number, (mark, name) in enumerate(zip(self.marks, self.names, strict=True)):
            told = "; ".join(f"{each.name} {each.cells[number]}" for each in self.figures)
            console.print(plain(f"{mark} {name}: {told}"))


def _dispensable(kept: Sequence[Figures]) -> Figures | None:
    """The column to leave out next: first one that tells nothing, then the one that is most spare."""
    spare = [each for each in reversed(kept) if each.spare]
    return max(spare, key=lambda each: (each.tells_nothing, each.spare), default=None)


def percent_told(estimate: Estimate | None) -> str:
    """A share with its interval: '90% (70 to 97)'; a dash for none."""
    if estimate is None:
        return "-"
    return f"{estimate.value:.0%} ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})"
