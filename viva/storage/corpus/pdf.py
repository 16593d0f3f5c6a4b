"""PDF by pypdf: pages to paragraphs, and the files that give no honest text."""

from __future__ import annotations

import logging
import re
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from viva.core.records import ExclusionReason
from viva.storage.corpus.pdf_lines import paragraphs
from viva.storage.corpus.source import PARSER_FAULTS, Excluded, Loaded, SourceFile, document_of, storable

if TYPE_CHECKING:
    from pypdf import PdfReader

# TJ offsets are in thousandths of the font size; letters are kerned by far less than this, words set apart by more
_WORD_GAP = 150
_CERTAIN_GAP = 600
# when extracted text is no text: three shares that real text never comes near
MIN_LETTERS = 200  # fewer say nothing about a text
MAX_UNPRINTABLE = 0.10  # of the characters that are no space
MAX_RUN_TOGETHER = 0.25  # of the Latin letters
MIN_VOWELS = 0.25  # of the Latin letters: European languages have .35 to .50
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
            raise Excluded(ExclusionReason.UNREADABLE, f"The PDF cannot be parsed: {error}.") from error
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
        raise Excluded(ExclusionReason.ENCRYPTED, f"The PDF's encryption is not supported: {error}.") from error
    if locked:
        raise Excluded(ExclusionReason.ENCRYPTED, "The PDF asks for a password; save a copy without one.")
    return reader


def _text(reader: PdfReader, source: SourceFile) -> str:
    text = paragraphs(_pages(reader, source))
    if not _run_together(text):
        return text
    # TeX sets no space characters, and its narrow gaps pass for kerning: read the gaps again, more generously
    spaced = paragraphs(_pages(reader, source, visitor_operand_before=_widen_gaps))
    return spaced if not _run_together(spaced) else text


def _pages(reader: PdfReader, source: SourceFile, **options: Any) -> list[str]:
    pages: list[str] = []
    total = 0
    for page in reader.pages:
        pages.append(storable(page.extract_text(**options)))
        total += len(pages[-1])
        source.bounded(total)
    return pages


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
