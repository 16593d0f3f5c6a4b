"""Tables as text. In a narrow terminal a figure is shown whole or its column left out; texts are folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from rich.table import Table as Grid

from viva.api.terminal import harmless, plain

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST = 16
"""The least width of a column of texts, in cells."""
_WIDEST_IN_FILE = 100
"""The same of the most, where no terminal bounds it."""
_BORDER = 3
"""Cells of a column around its text: two blanks and a line."""
_EMPTY = {"0", "-", ""}


def shortened(lines: Sequence[str], most: int) -> list[str]:
    """Give so many lines at most, indented, and how many more there are."""
    shown, more = [f"  {line}" for line in lines[:most]], len(lines) - most
    return [*shown, *([f"  and {more} more (--json shows all)"] if more > 0 else [])]


@dataclass(frozen=True)
class TextColumn:
    """A column as text. `spare`: 0 is never left out; else the highest goes first, of two equals the right one.

    Texts (`is_figure` false) are folded where there is no room, figures never.
    """

    name: str
    cells: tuple[str, ...]
    is_figure: bool = True
    spare: int = 0

    @property
    def whole(self) -> int:
        """The width in which nothing is folded, in cells."""
        lines = (line for text in (self.name, *self.cells) for line in harmless(text).splitlines() or [""])
        return max(cell_len(line) for line in lines)

    @property
    def least(self) -> int:
        """The width below which it cannot be shown."""
        return self.whole if self.is_figure else min(NARROWEST, self.whole)

    @property
    def tells_nothing(self) -> bool:
        """Tell whether each cell is empty or zero."""
        return all(cell in _EMPTY for cell in self.cells)


def show_columns(console: Console, title: str, columns: Sequence[TextColumn], elsewhere: str = "") -> None:
    """Print a table in the width of the terminal; name the columns that had no room, and where to find them."""
    if left_out := print_columns(console, title, columns):
        end = f"; {elsewhere}" if elsewhere else ""
        console.print(plain(f"Columns without room on this terminal: {', '.join(left_out)}{end}."))


def print_columns(console: Console, title: str, columns: Sequence[TextColumn]) -> list[str]:
    """Print a table in the width of the terminal. Returns the names of columns that were left out."""
    width = console.width if console.is_terminal else None
    kept = list(columns)
    while width is not None and _least(kept) > width and (gone := _dispensable(kept)):
        kept.remove(gone)
    if width is not None and _least(kept) > width:
        _print_lines(console, title, columns)
        return []
    _print_grid(console, title, kept, width)
    return [each.name for each in columns if each not in kept]


def _least(columns: Sequence[TextColumn]) -> int:
    return 1 + sum(each.least + _BORDER for each in columns)


def _dispensable(kept: Sequence[TextColumn]) -> TextColumn | None:
    """The column to leave out next: first one that tells nothing, then the one that is most spare."""
    spare = [each for each in reversed(kept) if each.spare]
    return max(spare, key=lambda each: (each.tells_nothing, each.spare), default=None)


def _print_grid(console: Console, title: str, columns: Sequence[TextColumn], width: int | None) -> None:
    widths = _widths(columns, width)
    grid = Grid(title=plain(title), title_justify="left", title_style="bold")
    for column, own in zip(columns, widths, strict=True):
        justify: Literal["left", "right"] = "right" if column.is_figure else "left"
        grid.add_column(plain(column.name), justify=justify, overflow="fold", no_wrap=column.is_figure, width=own)
    for row in zip(*(each.cells for each in columns), strict=True):
        grid.add_row(*map(plain, row))
    before, console.width = console.width, max(1 + sum(widths) + _BORDER * len(widths), console.width)
    # unlike lines of text, which the terminal wraps
    console.print(grid, soft_wrap=False)
    console.width = before


def _widths(columns: Sequence[TextColumn], width: int | None) -> list[int]:
    """What room is left goes to the texts that are still folded, to each the same."""
    if width is None:
        return [each.whole if each.is_figure else min(each.whole, _WIDEST_IN_FILE) for each in columns]
    widths, left = [each.least for each in columns], width - _least(columns)
    while left > 0 and (folded := [n for n, each in enumerate(columns) if widths[n] < each.whole]):
        for place in folded[:left]:
            widths[place] += 1
        left -= min(left, len(folded))
    return widths


def _print_lines(console: Console, title: str, columns: Sequence[TextColumn]) -> None:
    """Print lines instead, on a terminal too narrow for a table: it wraps lines and cuts none."""
    console.print(plain(title, style="bold"))
    for row in zip(*(each.cells for each in columns), strict=True):
        told = (f"{column.name} {cell}".strip() for column, cell in zip(columns, row, strict=True))
        console.print(plain("; ".join(told)))
