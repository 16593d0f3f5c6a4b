"""What the places of words on a PDF page say: raised signs, cells of tables, columns of prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdf import PageObject

_MOST_PIECES = 20_000
_SMALLER, _RAISED, _TOO_HIGH = 0.92, 0.12, 0.9
"""Of the height of letters: of a raised sign at most, by which it is raised at least, and at most."""
_TOUCHING, _SAME_LINE, _CELL_GAP = 0.35, 0.35, 0.8
_SIGN = re.compile(r"\(?[0-9*†‡§]{1,3}\)?|[a-z]\)?")
_CONTEXT = 14
_UNIT = re.compile(r"(?<![^\W\d_])(?:[kcmdµ]?m|ft|in|yd|s)\Z")
_TEN = re.compile(r"(?<![\d.,])10\Z")
_ROWS, _COLUMNS = 3, 3
_PROSE_LINES, _PROSE_WIDTH = 4, 18
"""Lines, and characters of a line, from which two columns are prose and no table."""


@dataclass
class _Piece:
    """Text of one size on one line; `y` grows upward."""

    text: str
    left: float
    right: float
    y: float
    height: float
    rise: float


def mended(page: PageObject, text: str) -> str:
    """The text of a page with raised signs set apart, cells of tables between bars, and columns one by one."""
    pieces = _pieces(page)
    if not pieces:
        return text
    text = _with_raised(text, pieces)
    signs = {id(sign) for pair in pairwise(pieces) for base, sign in (pair, pair[::-1]) if _is_sign(base, sign)}
    lines = [line for line in _lines([each for each in pieces if id(each) not in signs]) if len(line) > 1]
    for run in _runs(lines):
        rows = [[piece.text.strip() for piece in line] for line in run]
        if _is_prose(rows):
            left, right = zip(*rows, strict=True)
            text = _replaced(text, rows, "\n".join((*left, *right)))
        elif grid := _grid(run):
            text = _replaced(text, rows, "\n".join(" | ".join(row) for row in grid))
    return text


def _pieces(page: PageObject) -> list[_Piece]:
    """In the order of the file. None where pypdf has no such reading, or the page too many."""
    try:
        from pypdf._text_extraction._layout_mode._fixed_width_page import recurse_to_target_op, set_font_operation
        from pypdf._text_extraction._layout_mode._text_state_manager import TextStateManager
        from pypdf.generic import ArrayObject, ContentStream, StreamObject
    except ImportError:
        return []
    contents = page.get("/Contents")
    contents = contents.get_object() if contents is not None else None
    if not isinstance(contents, ArrayObject | StreamObject):
        return []
    fonts = page._layout_mode_fonts()  # noqa: SLF001 - pypdf tells places in no other way
    state = TextStateManager()
    found: list[_Piece] = []
    operations = iter(ContentStream(contents, page.pdf, "bytes").operations)
    for operands, operator in operations:
        if operator in (b"BT", b"q"):
            _, shown = recurse_to_target_op(operations, state, b"ET" if operator == b"BT" else b"Q", fonts, True)
            for each in shown:
                up = -1 if each.flip_vertical else 1
                if each.text and not each.rotated:
                    found.append(
                        _Piece(each.text, each.tx, each.displaced_tx, each.ty * up, each.font_height, each.Ts)
                    )
            if len(found) > _MOST_PIECES:
                return []
        elif operator == b"Tf":
            set_font_operation(state, fonts, operands)
        else:
            state.set_state_param(operator, operands)
    return _merged(found)


def _merged(pieces: list[_Piece]) -> list[_Piece]:
    """Pieces that go on where the last one ends are one."""
    merged: list[_Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if last and _goes_on(last, piece):
            gap = piece.left - last.right > 0.15 * last.height and last.text[-1:] != " " and piece.text[:1] != " "
            last.text += f" {piece.text}" if gap else piece.text
            last.right = max(last.right, piece.right)
        else:
            merged.append(piece)
    return merged


def _goes_on(last: _Piece, piece: _Piece) -> bool:
    alike = abs(last.height - piece.height) < 0.02 * last.height and abs(last.y - piece.y) < 0.05 * last.height
    return alike and -last.height < piece.left - last.right < _TOUCHING * last.height


# --- raised signs -----------------------------------------------------------------------------------------


def _with_raised(text: str, pieces: list[_Piece]) -> str:
    raised = [
        (pieces[at - 1], sign, pieces[at + 1].text if at + 1 < len(pieces) else "")
        for at, sign in enumerate(pieces)
        if at and _SIGN.fullmatch(sign.text.strip()) and _is_raised(pieces[at - 1], sign)
    ]
    notes = set[str]()
    for sign, behind in pairwise(pieces):
        mark = sign.text.strip()
        opens_line = _SIGN.fullmatch(mark) and _is_raised(behind, sign, behind=True)
        if opens_line and not any(sign is each for _, each, _ in raised):
            notes.add(mark)
            text = _exchanged(text, "", mark, behind.text, f"({mark}) ")
    signs = [(before.text.rstrip(), sign.text.strip()) for before, sign, _ in raised]
    for one, other in pairwise(signs):
        notes |= _numbered(one, other) | _numbered(other, one)
    at = 0
    for before, sign, after in raised:
        mark = sign.text.strip()
        text, at = _set_apart(text, at, before.text, mark, after, _instead(before.text.rstrip(), mark, notes))
    return text


def _is_raised(base: _Piece, sign: _Piece, *, behind: bool = False) -> bool:
    rise = sign.y - base.y
    touching = sign.rise > 0 or abs((sign.right - base.left) if behind else (sign.left - base.right)) < (
        _TOUCHING * base.height
    )
    return touching and sign.height <= _SMALLER * base.height and _RAISED < rise / (base.height or 1) < _TOO_HIGH


def _instead(before: str, mark: str, notes: set[str]) -> str:
    """A power is kept, the sign of a note is none of the text."""
    if not mark.isdigit():
        return f"^{mark}" if re.search(r"\b[a-zA-Z]\Z", before) and mark.isalnum() else ""
    if _TEN.search(before) and mark not in notes:
        return f"^{mark}"
    if _is_unit(before, mark):
        return f"^{mark}"
    is_variable = re.search(r"(?<!\w)[a-zA-Z)]\Z", before) is not None
    return f"^{mark}" if is_variable and mark not in notes else ""


def _numbered(one: tuple[str, str], other: tuple[str, str]) -> set[str]:
    """The second sign, if it goes with the first, which is no power: notes are numbered through."""
    (before, first), (_, second) = one, other
    is_power = _TEN.search(before) or _is_unit(before, first)
    follows = first.isdigit() and second.isdigit() and abs(int(first) - int(second)) == 1
    return {second} if follows and not is_power else set()


def _is_unit(before: str, mark: str) -> bool:
    return mark in {"2", "3"} and _UNIT.search(before) is not None


def _set_apart(text: str, start: int, before: str, mark: str, after: str, instead: str) -> tuple[str, int]:
    found = _place(before, mark, after).search(text, start) or _place(before, mark, after).search(text)
    if found is None:
        return text, start
    return text[: found.start(1)] + instead + text[found.end(1) :], found.start(1)


def _exchanged(text: str, before: str, mark: str, after: str, instead: str) -> str:
    return _set_apart(text, 0, before, mark, after, instead)[0]


def _place(before: str, mark: str, after: str) -> re.Pattern[str]:
    """Where the mark stands between these, whatever white space is there."""
    head = "".join(before.split())[-_CONTEXT:]
    tail = "".join(after.split())[:_CONTEXT]
    spaced = [r"\s*".join(map(re.escape, part)) for part in (head, mark, tail)]
    opening = spaced[0] or r"(?:^|(?<=\n))"
    return re.compile(rf"{opening}[ \t]*\n?({spaced[1]})\s*{spaced[2]}")


# --- lines and columns ------------------------------------------------------------------------------------


def _is_sign(base: _Piece, sign: _Piece) -> bool:
    """Whether it stands a little above or below the line of the other, and is smaller."""
    is_off = 0 < abs(sign.y - base.y) < _TOO_HIGH * base.height
    return is_off and sign.height <= _SMALLER * base.height and _SIGN.fullmatch(sign.text.strip()) is not None


def _lines(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    """Pieces of one height above the foot of the page from left to right, those that are near each other as one."""
    line: list[_Piece] = []
    for piece in sorted((each for each in pieces if each.text.strip()), key=lambda each: (-each.y, each.left)):
        if line and line[0].y - piece.y > _SAME_LINE * line[0].height:
            yield _cells(line)
            line = []
        line.append(piece)
    if line:
        yield _cells(line)


def _cells(line: list[_Piece]) -> list[_Piece]:
    cells: list[_Piece] = []
    for piece in sorted(line, key=lambda each: each.left):
        last = cells[-1] if cells else None
        if last and piece.left - last.right < _CELL_GAP * last.height:
            right = max(last.right, piece.right)
            cells[-1] = _Piece(f"{last.text} {piece.text}", last.left, right, last.y, last.height, 0)
        else:
            cells.append(piece)
    return cells


def _runs(lines: list[list[_Piece]]) -> Iterator[list[list[_Piece]]]:
    """Lines of several cells that follow each other closely."""
    run: list[list[_Piece]] = []
    for line in lines:
        if run and run[-1][0].y - line[0].y > 3 * run[-1][0].height:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _is_prose(rows: list[list[str]]) -> bool:
    """Whether two columns of prose were written line by line: lines go on in the line below."""
    if len(rows) < _PROSE_LINES or any(len(row) != 2 for row in rows):
        return False
    for column in zip(*rows, strict=True):
        lengths = sorted(map(len, column))
        goes_on = sum(below[:1].islower() or above[-1:] not in ".!?:" for above, below in pairwise(column))
        lower = sum(cell[:1].islower() for cell in column)
        if lengths[len(lengths) // 2] < _PROSE_WIDTH or goes_on < 0.6 * len(column) or lower < 0.3 * len(column):
            return False
    return True


def _grid(run: list[list[_Piece]]) -> list[list[str]]:
    """The cells of a table by column, empty ones too; none where columns cannot be told or the text is no table."""
    columns: list[list[float]] = []
    for piece in sorted((piece for line in run for piece in line), key=lambda each: each.left):
        if columns and piece.left < columns[-1][1]:
            columns[-1][1] = max(columns[-1][1], piece.right)
        else:
            columns.append([piece.left, piece.right])
    if len(run) < _ROWS or len(columns) < _COLUMNS or len(run[0]) < len(columns) - 1:
        return []
    grid: list[list[str]] = []
    for line in run:
        row = [""] * len(columns)
        for piece in line:
            at = next(n for n, (left, right) in enumerate(columns) if left <= piece.left <= right)
            if row[at]:
                return []
            row[at] = " ".join(piece.text.split())
        grid.append(row)
    return grid


def _replaced(text: str, rows: list[list[str]], instead: str) -> str:
    """The text in which what holds these cells, whatever white space is between them, is exchanged."""
    places = [at for at, character in enumerate(text) if not character.isspace()]
    squeezed = "".join(text[at] for at in places)
    wanted = "".join("".join(cell.split()) for row in rows for cell in row)
    at = squeezed.find(wanted)
    if at < 0 or not wanted:
        return text
    start, end = places[at], places[at + len(wanted) - 1] + 1
    return f"{text[:start].rstrip(' ')}\n{instead}\n{text[end:].lstrip(' ')}".replace("\n\n\n", "\n\n")
