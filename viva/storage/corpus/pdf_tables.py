"""Tables of a PDF page: between drawn lines, or found by the places of their cells; and columns of prose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from viva.storage.corpus.grid import TableCell, table_text
from viva.storage.corpus.pdf_words import PageWord, Ruling

_NEAR = 4.0
"""Points: lines that are nearer to each other are one, as the borders of two cells are."""
_MOST_RULINGS, _MOST_CELLS = 3_000, 20_000
_SAME_LINE, _CELL_GAP, _COLUMN_GAP = 0.35, 0.8, 0.4
"""Of the height of letters."""
_ROWS, _COLUMNS = 3, 3
_PROSE_LINES, _PROSE_WIDTH = 4, 18
"""Lines, and characters of a line, from which two columns are prose and no table."""
Region = tuple[list[PageWord], str]
"""Words that are read together, and the text that they make."""


# --- between lines ----------------------------------------------------------------------------------------


def ruled_tables(
    words: Sequence[PageWord], across: list[Ruling], down: list[Ruling], bounded: Callable[[int], None]
) -> Iterator[Region]:
    """Find the tables between lines: two columns and two rows at least, or three columns."""
    if len(across) < 2 or len(down) < 3 or len(across) + len(down) > _MOST_RULINGS:
        return
    for rows, columns in _connected(np.array(across), np.array(down)):
        # a table that a page cuts, or that is open at its sides, goes as far as its lines
        xs = _places([*columns[:, 0], rows[:, 1].min(), rows[:, 2].max()])
        ys = _places([*rows[:, 0], columns[:, 1].min(), columns[:, 2].max()])[::-1]
        if len(xs) * len(ys) > _MOST_CELLS:
            continue
        inside = [word for word in words if _is_within(word.middle, xs, ys)]
        # one row alone is what a page holds of a table that goes on
        if len(xs) < 3 or len(ys) < (3 if len(xs) == 3 else 2) or not inside:
            continue
        cells: dict[tuple[int, int], list[PageWord]] = {}
        for word in inside:
            x, y = word.middle
            place = int(np.searchsorted(-np.array(ys), -y)) - 1, int(np.searchsorted(xs, x)) - 1
            cells.setdefault(place, []).append(word)
        grid = _merged(xs, ys, rows, columns)
        if text := table_text(_rows(grid, cells), bounded):
            yield inside, text


def _is_within(place: tuple[float, float], xs: list[float], ys: list[float]) -> bool:
    return xs[0] < place[0] < xs[-1] and ys[-1] < place[1] < ys[0]


def _connected(across: np.ndarray, down: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Find lines that cross or touch each other."""
    touch = (
        (across[:, None, 1] - _NEAR <= down[None, :, 0])
        & (down[None, :, 0] <= across[:, None, 2] + _NEAR)
        & (down[None, :, 1] - _NEAR <= across[:, None, 0])
        & (across[:, None, 0] <= down[None, :, 2] + _NEAR)
    )
    waiting = set(range(len(down)))
    while waiting:
        columns, rows = {waiting.pop()}, np.zeros(len(across), bool)
        while (more := touch[:, sorted(columns)].any(axis=1) & ~rows).any():
            rows |= more
            columns |= {int(at) for at in np.flatnonzero(touch[rows].any(axis=0))}
        waiting -= columns
        if rows.any():
            yield across[rows], down[sorted(columns)]


def _places(values: Sequence[float]) -> list[float]:
    """Give the distinct places, those near each other as one."""
    places: list[list[float]] = []
    for value in sorted(values):
        if places and value - places[-1][-1] < _NEAR:
            places[-1].append(float(value))
        else:
            places.append([float(value)])
    return [sum(each) / len(each) for each in places]


Grid = list[list[tuple[int, int]]]
"""For each place, the place of the first cell of those that are merged there."""


def _merged(xs: list[float], ys: list[float], rows: np.ndarray, columns: np.ndarray) -> Grid:
    """Merge cells that have no line between them."""
    grid: Grid = [[(row, column) for column in range(len(xs) - 1)] for row in range(len(ys) - 1)]
    for row in range(len(ys) - 1):
        for column in range(len(xs) - 1):
            y, x = (ys[row] + ys[row + 1]) / 2, (xs[column] + xs[column + 1]) / 2
            if row and not _is_drawn(rows, ys[row], x):
                grid[row][column] = grid[row - 1][column]
            elif column and not _is_drawn(columns, xs[column], y):
                grid[row][column] = grid[row][column - 1]
    return grid


def _is_drawn(lines: np.ndarray, place: float, at: float) -> bool:
    return bool(np.any((abs(lines[:, 0] - place) < _NEAR) & (lines[:, 1] - 1 <= at) & (at <= lines[:, 2] + 1)))


def _rows(grid: Grid, cells: dict[tuple[int, int], list[PageWord]]) -> list[list[TableCell]]:
    held: dict[tuple[int, int], list[PageWord]] = {}
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    for row, line in enumerate(grid):
        for column, first in enumerate(line):
            held.setdefault(first, []).extend(cells.get((row, column), ()))
            spans[first] = column - first[1] + 1, row - first[0] + 1
    return [
        [TableCell(joined(held[first]), *spans[first]) for column, first in enumerate(line) if first == (row, column)]
        for row, line in enumerate(grid)
    ]


def joined(words: Sequence[PageWord]) -> str:
    """Join the words on one line; what was broken after a hyphen is whole again."""
    text = ""
    for last, word in zip([None, *words], words, strict=False):
        is_apart = last is not None and (
            word.is_spaced or not word.follows(last) or word.left - last.right > 0.15 * word.height
        )
        is_broken = last is not None and not word.follows(last) and text[-1:] == "-" and text[-2:-1].isalnum()
        text += " " * bool(is_apart and not is_broken) + word.text
    return text


# --- by the places of cells -------------------------------------------------------------------------------


Cell = list[PageWord]


def aligned(words: Sequence[PageWord], bounded: Callable[[int], None]) -> Iterator[Region]:
    """Find tables without lines, and two columns of prose that were written line by line."""
    for above, run in _runs(_lines(words)):
        rows = [[joined(cell) for cell in line] for line in run]
        inside = [word for line in run for cell in line for word in cell]
        if _is_prose(rows):
            yield inside, "\n".join(line for column in zip(*rows, strict=True) for line in column)
        elif grid := _grid([above, *run]):
            yield [*(word for cell in above for word in cell), *inside], _text_of(grid, bounded)
        elif grid := _grid(run):
            yield inside, _text_of(grid, bounded)


def _text_of(grid: list[list[str]], bounded: Callable[[int], None]) -> str:
    return table_text([[TableCell(cell) for cell in row] for row in grid], bounded)


def _lines(words: Sequence[PageWord]) -> Iterator[list[Cell]]:
    """Give words of one height above the foot of the page from left to right, those near each other as one cell."""
    line: list[PageWord] = []
    for word in sorted((each for each in words if not each.turn), key=lambda each: (-each.y, each.left)):
        if line and line[0].y - word.y > _SAME_LINE * line[0].height:
            yield _cells(line)
            line = []
        line.append(word)
    if line:
        yield _cells(line)


def _cells(line: list[PageWord]) -> list[Cell]:
    cells: list[Cell] = []
    for word in sorted(line, key=lambda each: each.left):
        if cells and word.left - max(each.right for each in cells[-1][-3:]) < _CELL_GAP * word.height:
            cells[-1].append(word)
        else:
            cells.append([word])
    return cells


def _runs(lines: Iterable[list[Cell]]) -> Iterator[tuple[list[Cell], list[list[Cell]]]]:
    """Find lines of several cells that follow each other closely, and rows between them with a first cell alone.

    With them comes the line above, whose cells may be too near each other to be found.
    """
    run: list[list[Cell]] = []
    above: list[Cell] = []
    for line in lines:
        if run and not _goes_on(run[-1], line):
            yield from _complete(above, run)
            run, above = [], []
        if run or len(line) > 1:
            run.append(line)
        else:
            above = line
    yield from _complete(above, run)


def _goes_on(last: list[Cell], line: list[Cell]) -> bool:
    first, above = line[0][0], last[0][0]
    if above.y - first.y > 3 * above.height:
        return False
    return len(line) > 1 or abs(first.left - above.left) < 0.5 * first.height


def _complete(above: list[Cell], run: list[list[Cell]]) -> Iterator[tuple[list[Cell], list[list[Cell]]]]:
    """Give the run without what follows its last line of several cells, and the line above it if it is near."""
    while run and len(run[-1]) == 1:
        run.pop()
    if run:
        is_near = bool(above) and above[0][0].y - run[0][0][0].y < 3 * above[0][0].height
        yield above if is_near else [], run


def _is_prose(rows: list[list[str]]) -> bool:
    """Tell whether columns of prose were written line by line: lines go on in the line below."""
    if len(rows) < _PROSE_LINES or any(len(row) != len(rows[0]) for row in rows):
        return False
    for column in zip(*rows, strict=True):
        lengths = sorted(map(len, column))
        goes_on = sum(below[:1].islower() or above[-1:] not in ".!?:" for above, below in pairwise(column))
        lower = sum(cell[:1].islower() for cell in column)
        if lengths[len(lengths) // 2] < _PROSE_WIDTH or goes_on < 0.6 * len(column) or lower < 0.3 * len(column):
            return False
    return True


def _grid(run: list[list[Cell]]) -> list[list[str]]:
    """Give the cells of a table by column, empty ones too; none where the columns are unclear or it is no table."""
    columns: list[list[float]] = []
    words = sorted((word.left, word.right, word.height) for line in run for cell in line for word in cell)
    for left, right, height in words:
        # what is free in all lines is between columns
        if columns and left < columns[-1][1] + _COLUMN_GAP * height:
            columns[-1][1] = max(columns[-1][1], right)
        else:
            columns.append([left, right])
    leaders = sum(not word.text.strip(".") for line in run for cell in line for word in cell)
    if len(run) < _ROWS or len(columns) < _COLUMNS or leaders > len(run):
        return []
    grid: list[list[str]] = []
    for line in run:
        row: list[Cell] = [[] for _ in columns]
        for word in (word for cell in line for word in cell):
            row[next(n for n, (left, right) in enumerate(columns) if left <= word.left <= right)].append(word)
        grid.append([joined(cell) for cell in row])
    return grid if sum(map(bool, grid[0])) >= len(columns) - 1 else []
