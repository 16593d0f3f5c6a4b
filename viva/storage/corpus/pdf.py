"""PDF by pdfium: pages to paragraphs, and the files whose text is unusable."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any

from viva.core.errors import how_to_install
from viva.core.records import ExclusionReason
from viva.storage.corpus.pdf_layout import is_picture, ocr_languages, page_text, scanned_text
from viva.storage.corpus.pdf_words import MOST_LEFTWARD, is_backward, is_leftward
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
    joined_parts,
)

# when extracted text is no text: three shares that real text never comes near
MIN_LETTERS = 200  # fewer say nothing about a text
MAX_UNPRINTABLE = 0.10  # of the characters that are no space
MAX_RUN_TOGETHER = 0.25  # of the Latin letters
MIN_VOWELS = 0.25  # of the Latin letters: European languages have .35 to .50
_LONG_RUN = 25
_HOW_TO_OCR = f"To read them takes the program tesseract and the extra 'ocr'. {how_to_install('ocr')}"
_ONE_AT_A_TIME = threading.Lock()  # pdfium may not be called by two threads at once
_LATIN_RUN = re.compile(r"[A-Za-zÀ-ɏ]+")


def load_pdf(source: SourceFile) -> Iterator[Loaded]:
    """One document: pages joined by a blank line, broken lines and hyphenated words mended."""
    from pypdfium2 import PdfiumError

    try:
        with _ONE_AT_A_TIME:
            reader = _opened(source.data)
            try:
                text, parts = joined_parts(_named_pages(reader, source), between="")
                title = _title(reader)
            finally:
                reader.close()
    except (PdfiumError, *PARSER_FAULTS) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"The PDF cannot be parsed: {_in_words(error)}.") from error
    if not text.strip() and source.gone:
        raise Excluded(ExclusionReason.GARBLED, f"All its text is left out: {', '.join(source.gone)}.")
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The PDF holds no text, and no pictures that OCR could read.")
    if reason := _garbled(text):
        raise Excluded(
            ExclusionReason.GARBLED, f"The extracted text is unusable: {reason}. Print or scan the PDF and use OCR."
        )
    yield document_of(source, text, format="pdf", title=title, parts=parts)


def _opened(data: bytes) -> Any:
    from pypdfium2 import PdfDocument, PdfiumError, raw

    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            detail = "The PDF asks for a password; save a copy without one."
            raise Excluded(ExclusionReason.ENCRYPTED, detail) from error
        if error.err_code == raw.FPDF_ERR_SECURITY:
            raise Excluded(ExclusionReason.ENCRYPTED, "The PDF's encryption is not supported.") from error
        raise


def _in_words(error: Exception) -> str:
    from pypdfium2 import PdfiumError

    return "it is damaged, or no PDF" if isinstance(error, PdfiumError) else fault_in_words(error)


def _named_pages(reader: Any, source: SourceFile) -> list[tuple[str, str]]:
    pages = _pages(reader, source)
    lined = [[_tidy(line) for line in page.splitlines()] for page in pages]
    for before, after in zip(lined, _without_running_lines(lined), strict=True):
        gone = Counter(before) - Counter(after)
        source.leave_out("heads and feet of pages", " ".join(gone.elements()))
    return [(f"page {number}", page) for number, page in enumerate(paragraphs(pages), start=1)]


def _pages(reader: Any, source: SourceFile) -> list[str]:
    pages: list[str] = []
    total = pictures = unread = 0
    languages: str | None = None
    for number in range(len(reader)):
        page = reader[number]
        text = page_text(page, source)
        if not text and is_picture(page):
            languages = ocr_languages() if languages is None else languages
            text = scanned_text(page, languages, source) if languages else ""
            pictures, unread = pictures + 1, unread + (not text)
        page.close()
        pages.append(text)
        total += len(text)
        source.bounded(total)
    if unread:
        _note_unread(source, unread, len(pages), bool(languages))
    if pictures > unread:
        detail = f"{pictures - unread} of {len(pages)} pages are pictures, read by tesseract ({languages})."
        source.note(ExclusionReason.READ_BY_OCR, f"{detail} Tables and columns are not told apart there.")
    return pages


def _note_unread(source: SourceFile, unread: int, pages: int, has_ocr: bool) -> None:
    """Note pages that are pictures without text; raise `Excluded` if all are."""
    why = "OCR found no text on them." if has_ocr else _HOW_TO_OCR
    detail = f"{unread} of {pages} pages are pictures without text. {why}"
    if unread == pages:
        raise Excluded(ExclusionReason.SCANNED, detail)
    source.note(ExclusionReason.PART_LEFT_OUT, detail)


def _title(reader: Any) -> str:
    """The title in the document's properties, unless it is an editor's default."""
    title = reader.get_metadata_value("Title")
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
    if letters and sum(map(is_leftward, text)) > MOST_LEFTWARD * letters and is_backward(text):
        return "it is written from right to left, and in what order its words are read is not known"
    return ""


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
_NUMBERED_PART = re.compile(
    r"(?i:chapter|section|part|lesson|unit|module|week|day|step|rule|article|kapitel|abschnitt|teil|lektion)\s+\d+\b"
)


def paragraphs(pages: list[str]) -> list[str]:
    """The text of each page: running heads and feet dropped, lines broken inside a sentence joined again.

    Together they are the document: what sets a page apart from the one before is in it.
    """
    lined = _without_running_lines([[_tidy(line) for line in page.splitlines()] for page in pages])
    width = _full_width(lined)
    words = Counter(word for lines in lined for line in lines for word in line.split())
    result: list[str] = []
    before = ""
    for lines in lined:
        page = re.sub(r"\n{3,}", "\n\n", "\n".join(_joined(lines, width, words)).strip("\n"))
        # a sentence may go on over the page
        goes_on = (
            before
            and page[:1].islower()
            and _SEVERAL_WORDS.match(page)
            and _continues(before[-_TAIL:], width, page[:_TAIL], width)
        )
        result.append((" " if goes_on else "\n\n") * bool(before and page) + page)
        before = (before + result[-1])[-_TAIL:]
    return result


def _tidy(line: str) -> str:
    # between the bars of a table an empty cell has its own spaces
    return line if _BAR in line else re.sub(r"[ \t\xa0]+", " ", line).strip()


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
    if _BAR in line:
        # the header of a table that goes on over pages
        return []
    if _IN_A_CHAPTER.fullmatch(line):
        return [line, "\0\0"]
    if _NUMBERED_PART.match(line):
        # a heading that happens to begin each page, and no page's number
        return [line]
    numbers = list(islice(_NUMBER.finditer(line), _MOST_NUMBERS + 1))
    if len(numbers) > _MOST_NUMBERS:
        return [line]
    return [line, *(f"{line[: n.start()]}\0{int(n.group()) - page}\0{line[n.end() :]}" for n in numbers)]


def _full_width(pages: list[list[str]]) -> int:
    """Length of a full line: nine in ten of the longer lines are no longer."""
    lengths = sorted(len(line) for lines in pages for line in lines if len(line) > 20 and _BAR not in line)
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
    is_open = end.endswith(",") and len(before) > 20 and line[0].isalnum()
    return line[0].islower() or is_open or (length >= 0.75 * width and (line[0].isalnum() or line[0] in "(\"'“‘"))


def _append(before: str, line: str, words: Counter[str]) -> str:
    broken, rest = _BROKEN_WORD.search(before[-_TAIL:]), _FIRST_WORD.match(line)
    if broken is None or rest is None or not line[0].islower():
        return f"{before} {line}"
    # 'well-/known' keeps its hyphen where the document writes it so elsewhere
    compound, whole = f"{broken.group(1)}-{rest.group()}", f"{broken.group(1)}{rest.group()}"
    keeps = words[compound] > words[whole]
    return f"{before[:-1]}{'-' if keeps else ''}{line}"
