"""The words of a PDF page with their places, as pdfium reads them, and the lines that are drawn on it."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from viva.storage.corpus.source import SourceFile, storable, symbol

_MOST_CHARACTERS = 200_000
"""Of a page that are read; no page of a document has more."""
_MOST_PATHS, _MOST_POINTS = 5_000, 20_000
"""Of a page whose lines are read: a drawing has more."""
_THIN = 2.5
"""Points: a filled shape that is no wider is a line."""
_BREAKS = frozenset(" \t\r\n\xa0\0")
_HYPHENS = {2: "-", 0xFFFE: "-", 0xFFFF: ""}
"""How pdfium gives the hyphen at the end of a line."""
_LIGATURES = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFB00, 0xFB07), *range(0xFE70, 0xFEFD))
}
"""Joined and presentation forms of letters, which match no other text."""


@dataclass(slots=True)
class PageWord:
    """A word, or a part of one that is set in another size or height. `y` is its baseline and grows upward."""

    text: str
    left: float
    right: float
    y: float
    height: float
    is_spaced: bool = False
    """whether a space is before it"""
    turn: int = 0
    """1 where it is read upward, -1 downward: places are then those on the turned page"""

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the word on the page as it is."""
        along, above = (self.left + self.right) / 2, self.y + self.height / 3
        return (-self.turn * above, self.turn * along) if self.turn else (along, above)

    def goes_on(self, left: float, y: float) -> bool:
        """Tell whether a letter at this place belongs to the word. The letters of a ligature have one place."""
        return abs(y - self.y) < 0.05 * self.height and -1.2 * self.height < left - self.right < self.height

    def follows(self, last: PageWord) -> bool:
        """Tell whether it goes on to the right of the last word, on the same line."""
        height = max(last.height, self.height)
        is_level = self.turn == last.turn and abs(self.y - last.y) < 0.5 * height
        return is_level and self.left > last.right - 0.5 * height


def words_of(page: Any) -> list[PageWord]:
    """Read the words of a page in the order in which they are written."""
    textpage = page.get_textpage()
    try:
        words: list[PageWord] = []
        is_spaced = False
        for letter in _letters(textpage.raw):
            if letter is None:
                is_spaced = True
                continue
            last = words[-1] if words else None
            # between letters that are turned pdfium sees spaces that are none
            is_apart = is_spaced and (last is None or not letter.turn or letter.left - last.right > 0.2 * last.height)
            if last and not is_apart and letter.turn == last.turn and last.goes_on(letter.left, letter.y):
                last.text += letter.text
                last.right = max(last.right, letter.right)
            else:
                letter.is_spaced = is_spaced
                words.append(letter)
            is_spaced = False
    finally:
        textpage.close()
    for word in words:
        is_symbol = len(word.text) == 1 and unicodedata.category(word.text) == "Co"
        word.text = symbol(ord(word.text)) if is_symbol else storable(word.text).translate(_LIGATURES)
    return words


def _letters(text: Any) -> Iterator[PageWord | None]:
    """Give each letter of a page as a word; None for white space."""
    import ctypes

    from pypdfium2 import raw

    box, matrix, x, y = raw.FS_RECTF(), raw.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    line, height, turn = 0.0, 0.0, 0
    for at in range(min(raw.FPDFText_CountChars(text), _MOST_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(text, at)
        letter = _HYPHENS.get(code, chr(code) if code <= 0x10FFFF else "\ufffd")
        if letter in _BREAKS or not letter:
            yield None
            continue
        raw.FPDFText_GetLooseCharBox(text, at, box)
        raw.FPDFText_GetCharOrigin(text, at, x, y)
        # the size is the same along a baseline, nearly always: to ask for it takes as long as all else
        if not height or (x.value if turn else y.value) != line:
            raw.FPDFText_GetMatrix(text, at, matrix)
            turn = (1 if matrix.b > 0 else -1) if abs(matrix.b) > abs(matrix.a) else 0
            scale = (matrix.c**2 + matrix.d**2) ** 0.5
            height = raw.FPDFText_GetFontSize(text, at) * scale or abs(box.top - box.bottom) or 1.0
            line = x.value if turn else y.value
        if turn:
            begin, end = sorted((turn * box.bottom, turn * box.top))
            yield PageWord(letter, begin, end, -turn * x.value, height, turn=turn)
        else:
            yield PageWord(letter, box.left, box.right, y.value, height)


# --- from right to left -----------------------------------------------------------------------------------


MOST_LEFTWARD, _SAME_LINE, _BETWEEN_WORDS, _BETWEEN_COLUMNS = 0.2, 0.35, 0.22, 1.5
"""Of the letters of a page; and of the height of letters."""
_MOST_APART = 0.25
"""Of the lines of a page, in several columns or none below the other: with more the page is in columns."""
_FORMS = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB1D, 0xFEFD)}
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_LATIN = r"[^\W\d_א-ۿ](?:[^\sא-ۿ]| (?=[^\W\d_א-ۿ]))*[^\W_א-ۿ]"
"""Words of letters that run to the right, with what is between them; of the line as it is read from the right."""
_RIGHTWARD = {
    # signs of a figure run with it behind Hebrew, but not behind Arabic (Unicode's bidirectional algorithm)
    "R": re.compile(rf"{_LATIN}|[%$€£₪]?\d(?:[\d.,:/+-]*\d)?[%$€£₪]?"),
    "AL": re.compile(rf"{_LATIN}|\d(?:[\d.,:/٫٬]*\d)?"),
}
_LAST_FORMS = frozenset("ךםןףץةى")
"""Letters that only end words."""
_WORD = re.compile(r"[א-ۿ]{3,}")


def is_leftward(character: str) -> bool:
    """Tell whether it is a letter that is written from right to left."""
    return unicodedata.bidirectional(character) in {"R", "AL"}


def leftward_text(page: Any, source: SourceFile) -> str:
    """Read the lines of a page that is written from right to left in the order of reading; "" of any other page.

    The order in the file is passed over: it differs from program to program, what is drawn does not. Rows of
    tables are left out, and pages in columns.
    """
    textpage = page.get_textpage()
    try:
        letters = [letter for letter in _letters(textpage.raw) if letter is not None and not letter.turn]
    finally:
        textpage.close()
    written = sum(letter.text.isalpha() for letter in letters)
    if sum(is_leftward(letter.text) for letter in letters) <= MOST_LEFTWARD * written:
        return ""
    lines: list[list[PageWord]] = []
    for letter in sorted(letters, key=lambda each: -each.y):
        if not lines or lines[-1][0].y - letter.y > _SAME_LINE * lines[-1][0].height:
            lines.append([])
        lines[-1].append(letter)
    down = rulings_of(page)[1]
    parted = {id(line) for line in lines if _has_columns(line, down)}
    apart = sum(not _overlap(above, below) for above, below in itertools.pairwise(lines))
    is_in_columns = len(parted) + apart > _MOST_APART * len(lines)
    text = ""
    for line in lines:
        if is_in_columns or id(line) in parted:
            source.leave_out("columns from right to left", _leftward_line(line))
        else:
            text += f"{_leftward_line(line)}\n"
    return text or "\n"


def _overlap(above: list[PageWord], below: list[PageWord]) -> bool:
    edges = [(min(each.left for each in line), max(each.right for each in line)) for line in (above, below)]
    return max(left for left, _ in edges) < min(right for _, right in edges)


def _has_columns(line: list[PageWord], down: list[Ruling]) -> bool:
    """Tell whether letters of a line are far from each other, or have a line between them."""
    places = sorted((letter.left, letter.right, letter.height) for letter in line)
    is_wide = any(right[0] - left[1] > _BETWEEN_COLUMNS * left[2] for left, right in itertools.pairwise(places))
    edges, y = (places[0][0], places[-1][1]), line[0].y
    return is_wide or any(edges[0] < x < edges[1] and bottom <= y <= top for x, bottom, top in down)


def _leftward_line(letters: list[PageWord]) -> str:
    text, last = "", None
    # the letters of a ligature may have one place, then lam is before alef
    for letter in sorted(letters, key=lambda each: (-(each.left + each.right), each.text != "ل")):
        gap = last.left - letter.right if last else 0.0
        text += " " * (gap > _BETWEEN_WORDS * letter.height) + storable(letter.text)
        last = letter
    text = text.translate(_FORMS)
    strong = next((kind for kind in map(unicodedata.bidirectional, text) if kind in _RIGHTWARD), "R")
    turned = _RIGHTWARD[strong].sub(lambda run: run.group()[::-1].translate(_MIRRORED), text)
    return turned.translate(_MIRRORED)


def is_backward(text: str) -> bool:
    """Tell whether letters that only end words begin them: the order of reading was not found."""
    words = [match.group() for match in _WORD.finditer(text)]
    begin, end = (sum(word[at] in _LAST_FORMS for word in words) for at in (0, -1))
    return begin >= end


# --- lines that are drawn ---------------------------------------------------------------------------------


Ruling = tuple[float, float, float]
"""The place of a line, and where it begins and ends on the other axis."""


def rulings_of(page: Any) -> tuple[list[Ruling], list[Ruling]]:
    """Read lines across and lines down the page: strokes, and filled shapes as thin as one."""
    from pypdfium2 import raw

    across: list[Ruling] = []
    down: list[Ruling] = []
    points = 0
    for number, shape in enumerate(page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=4)):
        points += raw.FPDFPath_CountSegments(shape.raw)
        if number >= _MOST_PATHS or points > _MOST_POINTS:
            return [], []
        left, bottom, right, top = shape.get_bounds()
        if right - left <= _THIN or top - bottom <= _THIN:
            _note(across, down, left, bottom, right, top)
        else:
            for outline, is_stroked in _outlines(shape, raw):
                for one, other in _edges(outline, is_stroked):
                    _note(across, down, *one, *other)
    return across, down


def _note(across: list[Ruling], down: list[Ruling], left: float, bottom: float, right: float, top: float) -> None:
    left, right, bottom, top = min(left, right), max(left, right), min(bottom, top), max(bottom, top)
    if top - bottom <= _THIN < right - left:
        across.append(((top + bottom) / 2, left, right))
    elif right - left <= _THIN < top - bottom:
        down.append(((left + right) / 2, bottom, top))


Point = tuple[float, float]


def _outlines(shape: Any, raw: Any) -> Iterator[tuple[list[Point], bool]]:
    """Give the points of each part of a path, and whether the path is stroked."""
    import ctypes

    mode, stroke, x, y = ctypes.c_int(), ctypes.c_int(), ctypes.c_float(), ctypes.c_float()
    raw.FPDFPath_GetDrawMode(shape.raw, mode, stroke)
    matrix = shape.get_matrix()
    points: list[Point] = []
    for at in range(raw.FPDFPath_CountSegments(shape.raw)):
        segment = raw.FPDFPath_GetPathSegment(shape.raw, at)
        if raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO and points:
            yield points, bool(stroke.value)
            points = []
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        points.append(matrix.on_point(x.value, y.value))
        if raw.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if points:
        yield points, bool(stroke.value)


def _edges(points: list[Point], is_stroked: bool) -> Iterator[tuple[Point, Point]]:
    """Give the lines of a stroked outline; of a filled one the corners of the box that holds it."""
    if is_stroked:
        yield from itertools.pairwise(points)
    else:
        columns, rows = zip(*points, strict=True)
        yield (min(columns), min(rows)), (max(columns), max(rows))
