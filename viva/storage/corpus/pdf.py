"""PDF by pypdf: pages to paragraphs, and the files that give no honest text."""

from __future__ import annotations

import logging
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from viva.core.records import ExclusionReason
from viva.storage.corpus.pdf_layout import mended
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
    storable,
)

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader


# TJ offsets are in thousandths of the font size; letters are kerned by far less than this, words set apart by more
_WORD_GAP = 150
_CERTAIN_GAP = 600
# when extracted text is no text: three shares that real text never comes near
MIN_LETTERS = 200  # fewer say nothing about a text
MAX_UNPRINTABLE = 0.10  # of the characters that are no space
MAX_RUN_TOGETHER = 0.25  # of the Latin letters
MIN_VOWELS = 0.25  # of the Latin letters: European languages have .35 to .50
MAX_LEFTWARD = 0.2  # of the letters
_LONG_RUN = 25
_LATIN_RUN = re.compile(r"[A-Za-zÀ-ɏ]+")


def load_pdf(source: SourceFile) -> Iterator[Loaded]:
    """One document: pages joined by a blank line, broken lines and hyphenated words mended."""
    from pypdf.errors import DependencyError, PyPdfError

    with _quiet():
        try:
            reader = _opened(source.data)
            text = _text(reader, source)
            title = _title(reader)
        except (PyPdfError, DependencyError, *PARSER_FAULTS) as error:
            raise Excluded(
                ExclusionReason.UNREADABLE, f"The PDF cannot be parsed: {fault_in_words(error)}."
            ) from error
    if not text:
        raise Excluded(
            ExclusionReason.EMPTY, "The PDF holds no text, only images: run it through OCR (ocrmypdf) first."
        )
    if reason := _garbled(text):
        raise Excluded(
            ExclusionReason.GARBLED, f"The extracted text is unusable: {reason}. Print or scan the PDF and use OCR."
        )
    yield document_of(source, text, format="pdf", title=title)


@contextmanager
def _quiet() -> Iterator[None]:
    """pypdf logs every oddity of a file, some of them thousands of times."""
    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _opened(data: bytes) -> PdfReader:
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(BytesIO(data))
        locked = reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED
    except (DependencyError, NotImplementedError) as error:
        raise Excluded(
            ExclusionReason.ENCRYPTED, f"The PDF's encryption is not supported: {fault_in_words(error)}."
        ) from error
    if locked:
        raise Excluded(ExclusionReason.ENCRYPTED, "The PDF asks for a password; save a copy without one.")
    return reader


def _text(reader: PdfReader, source: SourceFile) -> str:
    pages = _pages(reader, source)
    text = paragraphs(pages)
    lined = [[_tidy(line) for line in page.splitlines()] for page in pages]
    for before, after in zip(lined, _without_running_lines(lined), strict=True):
        gone = Counter(before) - Counter(after)
        source.leave_out("heads and feet of pages", " ".join(gone.elements()))
    if not _run_together(text):
        return text
    # TeX sets no space characters, and its narrow gaps pass for kerning: read the gaps again, more generously
    spaced = paragraphs(_pages(reader, source, visitor_operand_before=_widen_gaps))
    return spaced if not _run_together(spaced) else text


def _pages(reader: PdfReader, source: SourceFile, **options: Any) -> list[str]:
    pages: list[str] = []
    total = 0
    for page in reader.pages:
        pages.append(_mended(page, storable(page.extract_text(**options))))
        total += len(pages[-1])
        source.bounded(total)
    return pages


def _mended(page: PageObject, text: str) -> str:
    """The text of the page as its layout says; as it is, where the layout cannot be read."""
    from pypdf.errors import PyPdfError

    try:
        return storable(mended(page, text.translate(_LIGATURES)))
    except (PyPdfError, *PARSER_FAULTS):
        return text


_LIGATURES = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFB00, 0xFB07), *range(0xFE70, 0xFEFD))
}
"""Joined and presentation forms of letters, which match no other text."""


def _widen_gaps(operator: object, operands: list[Any], *_matrices: object) -> None:
    from pypdf.generic import ArrayObject, FloatObject

    if operator == b"TJ" and operands and isinstance(operands[0], ArrayObject):
        for position, part in enumerate(operands[0]):
            if isinstance(part, int | float) and -_CERTAIN_GAP < part <= -_WORD_GAP:
                operands[0][position] = FloatObject(-_CERTAIN_GAP)


def _title(reader: PdfReader) -> str:
    """The title in the document's properties, unless it is an editor's default."""
    title = (reader.metadata.title if reader.metadata else None) or ""
    title = title.removeprefix("Microsoft Word - ").removesuffix(".docx").removesuffix(".doc").strip()
    return "" if title.casefold() in {"untitled", "untitled document"} or " " not in title else title


def _garbled(text: str) -> str:
    """Why the text cannot be used; "" for a text that can."""
    written = [character for character in text if not character.isspace()]
    unprintable = sum(
        unicodedata.category(character) in {"Cc", "Cn", "Co"} or character == "\ufffd" for character in written
    )
    if written and unprintable / len(written) > MAX_UNPRINTABLE:
        return f"{unprintable / len(written):.0%} of its characters are unprintable"
    if _vowel_share(text) < MIN_VOWELS:
        return "its letters do not make words (the font's encoding is broken)"
    if _run_together(text):
        return "its words run together without spaces"
    letters = sum(map(str.isalpha, text))
    if letters and sum(map(_is_leftward, text)) > MAX_LEFTWARD * letters:
        return "it is written from right to left, and in what order its words and numbers are read cannot be told"
    return ""


def _is_leftward(character: str) -> bool:
    return unicodedata.bidirectional(character) in {"R", "AL"}


def _run_together(text: str) -> bool:
    """Whether too many Latin letters stand in runs longer than words are."""
    lengths = [len(run) for run in _LATIN_RUN.findall(text)]
    letters = sum(lengths)
    return letters >= MIN_LETTERS and sum(n for n in lengths if n > _LONG_RUN) / letters > MAX_RUN_TOGETHER


def _vowel_share(text: str) -> float:
    """Share of vowels among Latin letters, accents aside; 1 where there are too few letters to say."""
    letters = unicodedata.normalize("NFD", "".join(_LATIN_RUN.findall(text))).casefold()
    count = sum("a" <= letter <= "z" for letter in letters)
    return sum(letter in "aeiouy" for letter in letters) / count if count >= MIN_LETTERS else 1.0


# --- lines of a page ----------------------------------------------------------------------------------------


_BAR = " | "
"""Between the cells of a table."""
_HYPHENS = "-\u2010\u2011\u00ad"
# Word exports the bullets of its symbol fonts as the letters n, o, q
_BULLET = re.compile(r"(?:[•‣▪●○◦·§–—*\uf0b7-]|\(?\w{1,3}[.)]|\d+(?:\.\d+)+|[noq](?=\s[A-Z]))\s")
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’)\]]*\Z")
_BROKEN_WORD = re.compile(rf"\b(\w+)[{_HYPHENS}]\Z")
_SEVERAL_WORDS = re.compile(r"\S+ \S+ \S+")
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
    text = ""
    for page in joined:
        if page.strip():
            # a sentence may go on over the page
            goes_on = (
                text
                and page[0].islower()
                and _SEVERAL_WORDS.match(page)
                and _continues(text[-_TAIL:], width, page[:_TAIL], width)
            )
            text += (" " if goes_on else "\n\n") * bool(text) + page
    return re.sub(r"\n{3,}", "\n\n", text)


def _tidy(line: str) -> str:
    return re.sub(r"[ \t\xa0]+", " ", line).strip()


def _without_running_lines(pages: list[list[str]]) -> list[list[str]]:
    """Drop lines at the edge of a page that stand, but for the page's number, at the edge of a third of all pages."""
    if len(pages) < 2:
        return pages
    seen = Counter(
        form
        for page, lines in enumerate(pages)
        for form in {form for edge in _edges(lines) for at in edge for form in _forms(lines[at], page)}
    )
    # of few pages all must have it
    running = {form for form, count in seen.items() if count >= max(min(_MIN_PAGES, len(pages)), len(pages) / 3)}
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
    if not before or _BULLET.match(line) or _BAR in line or _BAR in before[-_TAIL:]:
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
