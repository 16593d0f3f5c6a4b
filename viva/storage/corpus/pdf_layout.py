"""The text of a PDF page: raised signs, tables with their columns, else lines as they are written.

A page that is a picture is read by OCR (the extra 'ocr').
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from viva.storage.corpus.formulas import SLASHES
from viva.storage.corpus.pdf_tables import Region, aligned, joined, ruled_tables
from viva.storage.corpus.pdf_words import PageWord, Ruling, leftward_text, rulings_of, words_of
from viva.storage.corpus.source import SourceFile, storable

_SMALLER, _RAISED, _TOO_HIGH, _TOUCHING = 0.92, 0.12, 0.9, 0.35
"""Of the height of letters: of a raised sign at most; by which it is raised at least, and at most; its distance."""
_SPACE, _STRUCK = 0.15, (0.15, 0.6)
"""Of the height of letters: the least space between words; where a line goes through them."""
_DOTS, _MOST_DOTS = 300, 25_000_000
"""Of the picture that OCR reads: to the inch, and in all."""
_SURE = 75
"""Of 100, the mean confidence of tesseract in the words of a line that is kept."""
_LONGEST_S = 120
"""Seconds that OCR of a page may take."""
_LONG_CELLS = 18
"""Characters of the mean cell from which columns are prose, if they were written one by one."""
_EMPTY_LINE = 2.4
"""Times the height of letters from one line to the next, where an empty line is between them."""
_SIGN = re.compile(r"\(?[0-9*†‡§]{1,3}\)?|[a-z]\)?|st|nd|rd|th|er|re|ème|[-+−–]\d{1,2}|\d?[+−–]")
_BELOW = re.compile(rf"[{''.join(SLASHES)}](?:\d|\Z)")
_COUNTED = re.compile(r"[\dIVXLC]\Z")
_UNIT = re.compile(r"(?<![^\W\d_])(?:[kcmdµ]?m|ft|in|yd|s)\Z")
_TEN, _TWO = re.compile(r"(?<![\d.,])10\Z"), re.compile(r"(?<![\d.,])2\Z")


def page_text(page: Any, source: SourceFile) -> str:
    """Give the text of a page as its layout says, a line of text for each that is written."""
    if text := leftward_text(page, source):
        return text
    across, down = rulings_of(page)
    words = _with_signs(_without_struck(words_of(page), across, source))
    place = {id(word): at for at, word in enumerate(words)}
    regions = list(ruled_tables(words, across, down, source.bounded))
    taken = {id(word) for inside, _ in regions for word in inside}
    for inside, text in aligned([word for word in words if id(word) not in taken], source.bounded):
        places = [place[id(word)] for word in inside]
        # what was written column by column is in order
        is_by_rows = places == sorted(places) or len(text) < _LONG_CELLS * (text.count(" | ") + text.count("\n") + 1)
        if max(places) - min(places) < len(inside) and is_by_rows:
            regions.append((inside, text))
    return _written(words, {min(place[id(word)] for word in inside): (inside, text) for inside, text in regions})


def _written(words: Sequence[PageWord], regions: Mapping[int, Region]) -> str:
    """Give the words in the order of the file, each region where its first word is, with empty lines as drawn."""
    taken = {id(word) for inside, _ in regions.values() for word in inside}
    lines: list[str] = []
    line: list[PageWord] = []
    for at, word in enumerate(words):
        if line and (id(word) in taken or not word.follows(line[-1])):
            lines.append(joined(line))
            if line[-1].y - word.y > _EMPTY_LINE * max(word.height, line[-1].height):
                lines.append("")
            line = []
        if at in regions:
            lines += ["", regions[at][1], ""]
        elif id(word) not in taken:
            line.append(word)
    return "\n".join([*lines, joined(line)]).strip("\n")


def _without_struck(words: list[PageWord], across: Sequence[Ruling], source: SourceFile) -> list[PageWord]:
    """Give the words through whose middle no line is drawn."""
    lines = sorted(across)
    kept: list[PageWord] = []
    for word in words:
        low, high = (bisect_left(lines, (word.y + share * word.height,)) for share in _STRUCK)
        through = (line for line in lines[low:high] if not word.turn)
        if any(left - 1 <= word.left and word.right <= right + 1 for _, left, right in through):
            source.leave_out("struck-out text", word.text)
        else:
            kept.append(word)
    return kept


# --- raised signs -----------------------------------------------------------------------------------------


def _with_signs(words: list[PageWord]) -> list[PageWord]:
    """Give the words with powers as `10^6`, without the signs of notes; a note's own sign is put between brackets."""
    raised = [at for at in range(1, len(words)) if _is_raised(words[at - 1], words[at])]
    is_raised = set(raised)
    opening = {
        at
        for at, (sign, behind) in enumerate(pairwise(words))
        if at not in is_raised and _is_raised(behind, sign, is_before=True)
    }
    signs = [(words[at - 1].text, words[at].text) for at in raised]
    notes = {words[at].text for at in opening}
    for one, other in pairwise(signs):
        notes |= _numbered(one, other) | _numbered(other, one)
    for at in opening:
        words[at].text, words[at].y = f"({words[at].text})", words[at + 1].y
        words[at + 1].is_spaced = True
    for at, (before, mark) in zip(raised, signs, strict=True):
        sign, behind = words[at], words[at + 1] if at + 1 < len(words) else None
        is_fraction = mark.isdigit() and (before[-1:].isdigit() or sign.is_spaced)
        is_above = is_fraction and behind is not None and _BELOW.match(behind.text) is not None
        sign.text, sign.y = mark if is_above else _instead(before, mark, notes), words[at - 1].y
        sign.is_spaced = is_above
        if not sign.text:
            words[at - 1].right = max(words[at - 1].right, sign.right)
        if behind is not None and behind.left - sign.right < _SPACE * behind.height:
            # pdfium sees a space where the height of letters changes
            behind.is_spaced = False
    return [word for word in words if word.text]


def _is_raised(base: PageWord, sign: PageWord, *, is_before: bool = False) -> bool:
    gap = base.left - sign.right if is_before else sign.left - base.right
    is_near = base.turn == sign.turn and abs(gap) < _TOUCHING * base.height
    is_small = sign.height <= _SMALLER * base.height and _SIGN.fullmatch(sign.text) is not None
    return is_near and is_small and _RAISED < (sign.y - base.y) / base.height < _TOO_HIGH


def _instead(before: str, mark: str, notes: set[str]) -> str:
    """A power is kept, the sign of a note is none of the text."""
    if (len(mark) > 1 or mark == "e") and mark.isalpha() and _COUNTED.search(before):
        return mark
    if mark.strip("0123456789") in {"-", "+", "−", "–"}:
        return f"^{mark}"
    if not mark.isdigit():
        return f"^{mark}" if re.search(r"\b[a-zA-Z]\Z", before) and mark.isalnum() else ""
    if mark not in notes and (_TEN.search(before) or (_TWO.search(before) and len(mark) == 2)):
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


# --- scanned pages ----------------------------------------------------------------------------------------


def is_picture(page: Any) -> bool:
    """Tell whether the page shows a picture."""
    from pypdfium2 import raw

    return next(iter(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4)), None) is not None


def ocr_languages() -> str:
    """Give the languages that tesseract has, English first; "" where it or its extra is not installed."""
    try:
        import pytesseract

        found = {name for name in pytesseract.get_languages() if name != "osd"}
    except (ImportError, OSError, RuntimeError):
        return ""
    return "+".join(sorted(found, key=lambda name: (name != "eng", name)))


def scanned_text(page: Any, languages: str, source: SourceFile) -> str:
    """Give the lines that OCR reads on the page and is sure of; "" where it fails or takes too long."""
    import pytesseract

    width, height = page.get_size()
    scale = min(_DOTS / 72, (_MOST_DOTS / max(width * height, 1)) ** 0.5)
    picture = page.render(scale=scale, grayscale=True).to_pil()
    try:
        found = pytesseract.image_to_data(picture, lang=languages, timeout=_LONGEST_S, output_type="dict")
    except (OSError, RuntimeError):
        return ""
    words = zip(*(found[name] for name in ("block_num", "par_num", "line_num", "text", "conf")), strict=True)
    blocks: dict[tuple[int, int], list[str]] = {}
    for (block, part, _), line in groupby(words, key=lambda word: word[:3]):
        read = [(text, float(sure)) for *_, text, sure in line if text.strip()]
        text = storable(" ".join(text for text, _ in read))
        if read and sum(sure for _, sure in read) >= _SURE * len(read):
            blocks.setdefault((block, part), []).append(text)
        else:
            source.leave_out("lines that OCR is unsure of", text)
    return "\n\n".join("\n".join(lines) for lines in blocks.values())
