"""Tables of figures: a figure is shown whole or not at all, however narrow the terminal is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from viva.cli.terminal.escape import harmless, plain
from viva.core.estimates import Estimate

ELSEWHERE = "scores.json and the report have all"
NARROWEST = 16
"""Cells that the column of names keeps; longer names are folded."""
_BORDER = 3
"""Cells of a column beside its text: two blanks and a line."""


@dataclass(frozen=True)
class Figures:
    """A column. `spare`: from 1 on it may be left out, the highest first; of two equals the one further right."""

    name: str
    cells: tuple[str, ...]
    spare: int = 0

    @property
    def width(self) -> int:
        """Cells that it takes, with its border."""
        return max(cell_len(text) for text in (self.name, *self.cells)) + _BORDER

    @property
    def tells_nothing(self) -> bool:
        """Whether there is nothing in it but naught."""
        return all(cell in {"0", "-", ""} for cell in self.cells)


@dataclass(frozen=True)
class Board:
    """Rows of marks (places), names and figures; names come from outside, the rest does not."""

    title: str
    marks: tuple[str, ...]
    names: tuple[str, ...]
    figures: tuple[Figures, ...]

    def show(self, console: Console, elsewhere: str) -> None:
        """Print it, and say which columns had no room and where they stand."""
        if left_out := self.print(console):
            console.print(plain(f"Left out for want of width: {', '.join(left_out)}; {elsewhere}."))

    def print(self, console: Console) -> list[str]:
        """Show it as wide as the terminal is; the names of the columns that were left out."""
        kept = list(self.figures)
        # what is no terminal takes lines of any length
        width = console.width if console.is_terminal else self._widest - self._room(kept, 0)
        while self._room(kept, width) < self._least and (gone := _dispensable(kept)):
            kept.remove(gone)
        if self._room(kept, width) < self._least:
            self._print_lines(console)
            return []
        before, console.width = console.width, width
        # not as the lines of text beside it: those are the terminal's to wrap
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
        """Cells that are left for the names."""
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
        """For a terminal in which no table has room: it folds lines where it likes, and cuts none."""
        console.print(plain(self.title, style="bold"))
        for number, (mark, name) in enumerate(zip(self.marks, self.names, strict=True)):
            told = "; ".join(f"{each.name} {each.cells[number]}" for each in self.figures)
            console.print(plain(f"{mark} {name}: {told}"))


def _dispensable(kept: Sequence[Figures]) -> Figures | None:
    """What goes next: first what tells nothing, then what is most spare."""
    spare = [each for each in reversed(kept) if each.spare]
    return max(spare, key=lambda each: (each.tells_nothing, each.spare), default=None)


def percent_told(estimate: Estimate | None) -> str:
    """A share with its interval: '90% (70 to 97)'; a dash for none."""
    if estimate is None:
        return "-"
    return f"{estimate.value:.0%} ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})"
