"""Markdown, reStructuredText and plain text: the text is kept as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from viva.core.markup import Dialect, plain_line
from viva.core.records import ExclusionReason
from viva.storage.corpus.decoding import decode
from viva.storage.corpus.header import after_front_matter, field_list, header_fields, split_front_matter
from viva.storage.corpus.source import Excluded, Loaded, SourceFile, document_of, lookup

_LONGEST_HEADING = 2_000  # characters; the patterns below would take the square of a longer one
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*\Z")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*\Z")


def load_markdown(source: SourceFile) -> Iterator[Loaded]:
    """One document; title from the front matter, else the first heading."""
    metadata, text = split_front_matter(decode(source.data))
    _refuse_blank(text, metadata)
    title = plain_line(lookup(metadata, "title")) or markdown_title(after_front_matter(text))
    yield document_of(source, text, format="md", title=title, metadata=metadata)


def load_text(source: SourceFile) -> Iterator[Loaded]:
    """One document; front matter or mail-like header fields are its metadata."""
    front, text = split_front_matter(decode(source.data))
    _refuse_blank(text, front)
    metadata = front or header_fields(text)
    yield document_of(source, text, format="txt", title=_field_title(metadata), metadata=metadata)


def load_restructured(source: SourceFile) -> Iterator[Loaded]:
    """One document; header fields or a field list are its metadata; title from them, else the first title."""
    text = decode(source.data)
    _refuse_blank(text, {})
    metadata = header_fields(text) or field_list(text)
    title = plain_line(_field_title(metadata), Dialect.RESTRUCTURED) or restructured_title(text)
    yield document_of(source, text, format="rst", title=title, metadata=metadata)


def _field_title(metadata: dict[str, str]) -> str:
    title, number = lookup(metadata, "title"), lookup(metadata, "pep")
    return f"PEP {number}: {title}" if title and number else title


def _refuse_blank(text: str, metadata: dict[str, str]) -> None:
    if not text.strip():
        what = "nothing but front matter" if metadata else "nothing but white space"
        raise Excluded(ExclusionReason.EMPTY, f"The file holds {what}.")


def markdown_title(text: str) -> str:
    """The first heading outside code fences, without its markup; "" if there is none."""
    fence = ""
    previous = ""
    for whole in text.split("\n"):
        line = whole[:_LONGEST_HEADING]
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
        elif not fence and (heading := _ATX.match(line)):
            return _without_markup(heading.group(1))
        elif not fence and _SETEXT.match(line) and previous.strip() and not previous.lstrip().startswith(("|", "-")):
            return _without_markup(previous)
        previous = line
    return ""


def _without_markup(heading: str) -> str:
    # what is left of marks that do not pair goes too
    return re.sub(r"(?<!\w)_+|_+(?!\w)|[*`]+", "", plain_line(heading)).strip()


def restructured_title(text: str) -> str:
    """The first line underlined by punctuation at least as long as itself; "" if there is none."""
    lines = text.split("\n")
    for line, below in pairwise(lines):
        title = line.strip()
        if title and not _ADORNMENT.match(title) and _ADORNMENT.match(below) and len(below.rstrip()) >= len(title):
            return re.sub(r"[*`]+", "", plain_line(title, Dialect.RESTRUCTURED)).strip()
    return ""
