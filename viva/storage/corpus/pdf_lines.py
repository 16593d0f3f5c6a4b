"""From the lines of PDF pages back to paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, takewhile

_HYPHENS = "-\u2010\u2011\u00ad"
# Word exports the bullets of its symbol fonts as the letters n, o, q
_BULLET = re.compile(r"(?:[•‣▪●○◦·§–—*\uf0b7-]|\(?\w{1,3}[.)]|\d+(?:\.\d+)+|[noq](?=\s[A-Z]))\s")
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’)\]]*\Z")
_BROKEN_WORD = re.compile(rf"\b(\w+)[{_HYPHENS}]\Z")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_EDGE_LINES = 3
_TAIL = 200
"""Characters of a paragraph that tell how it ends: a longer word is none."""
_MIN_PAGES = 4
_NUMBER = re.compile(r"(?<!\d)\d{1,5}(?!\d)")
_MOST_NUMBERS = 8
"""In a running line, its date among them: one with more is the row of a table."""
_IN_A_CHAPTER = re.compile(
    r"(?:(?:page|chapter|part|section|seite|kapitel|teil)\s+)?\d+(?:\s*[-–—/]\s*|\s+(?:page|of|seite|von)\s+)\d+",
    re.IGNORECASE,
)
"""A page's number that begins anew in each chapter: '4-3', 'Chapter 1 page 2'."""


def paragraphs(pages: list[str]) -> str:
    """The pages' text: running heads and feet dropped, lines broken inside a sentence joined again.

    Pages are set apart by a blank line.
    """
    lined = _without_running_lines([[_tidy(line) for line in page.splitlines()] for page in pages])
    width = _full_width(lined)
    words = Counter(word for lines in lined for line in lines for word in line.split())
    joined = ("\n".join(_joined(lines, width, words)).strip("\n") for lines in lined)
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(page for page in joined if page.strip()))


def _tidy(line: str) -> str:
    return re.sub(r"[ \t\xa0]+", " ", line).strip()


def _without_running_lines(pages: list[list[str]]) -> list[list[str]]:
    """Drop lines at the edge of a page that stand, but for the page's number, at the edge of a third of all pages."""
    if len(pages) < _MIN_PAGES:
        return pages
    seen = Counter(
        form
        for page, lines in enumerate(pages)
        for form in {form for edge in _edges(lines) for at in edge for form in _forms(lines[at], page)}
    )
    running = {form for form, count in seen.items() if count >= max(_MIN_PAGES, len(pages) / 3)}
    return [_inside(lines, page, running) for page, lines in enumerate(pages)]


def _edges(lines: list[str]) -> tuple[list[int], list[int]]:
    """Places of the first and of the last lines, from the edge of the page inward."""
    written = [at for at, line in enumerate(lines) if line]
    return written[:_EDGE_LINES], written[: -_EDGE_LINES - 1 : -1]


def _inside(lines: list[str], page: int, running: set[str]) -> list[str]:
    def runs(at: int) -> bool:
        return not running.isdisjoint(_forms(lines[at], page))

    # a number that happens to count with the pages is the page's only where nothing else is nearer to the edge
    dropped = {
        at for edge in _edges(lines) for at in (*takewhile(runs, edge), *(at for at in edge if lines[at] in running))
    }
    return [line for at, line in enumerate(lines) if at not in dropped]


def _forms(line: str, page: int) -> list[str]:
    """The line as it is, and with each of its numbers told as how far it is ahead of the count of pages."""
    if _IN_A_CHAPTER.fullmatch(line):
        return [line, "\0\0"]
    numbers = list(islice(_NUMBER.finditer(line), _MOST_NUMBERS + 1))
    if len(numbers) > _MOST_NUMBERS:
        return [line]
    return [line, *(f"{line[: n.start()]}\0{int(n.group()) - page}\0{line[n.end() :]}" for n in numbers)]


def _full_width(pages: list[list[str]]) -> int:
    """Length of a full line: nine in ten of the longer lines are no longer."""
    lengths = sorted(len(line) for lines in pages for line in lines if len(line) > 20)
    return lengths[int(len(lengths) * 0.9)] if lengths else 0


def _joined(lines: list[str], width: int, words: Counter[str]) -> list[str]:
    """The lines with each continuation appended to the line it continues."""
    result: list[str] = []
    length = 0  # of the last printed line, not of what has been joined
    for line in lines:
        if result and line and _continues(result[-1], length, line, width):
            result[-1] = _append(result[-1], line, words)
        else:
            result.append(line)
        length = len(line)
    return result


def _continues(before: str, length: int, line: str, width: int) -> bool:
    if not before or _BULLET.match(line):
        return False
    end = before[-_TAIL:]
    if _BROKEN_WORD.search(end) and line[0].islower():
        return True
    if _SENTENCE_END.search(end):
        return False
    return line[0].islower() or (length >= 0.75 * width and (line[0].isalnum() or line[0] in "(\"'“‘"))


def _append(before: str, line: str, words: Counter[str]) -> str:
    broken, rest = _BROKEN_WORD.search(before[-_TAIL:]), _FIRST_WORD.match(line)
    if broken is None or rest is None or not line[0].islower():
        return f"{before} {line}"
    # 'well-/known' keeps its hyphen where the document writes it so elsewhere
    compound, whole = f"{broken.group(1)}-{rest.group()}", f"{broken.group(1)}{rest.group()}"
    keeps = words[compound] > words[whole]
    return f"{before[:-1]}{'-' if keeps else ''}{line}"
