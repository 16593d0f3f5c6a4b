"""What stands above a place of a document: its headings, and the sentences that the document opens with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from viva.core.markup.block_reader import Dialect, blocks, code_fence, lines
from viva.core.markup.plain_text import plain_line, unmarked

_LONGEST = 160
"""Characters of a heading; no line that is longer is one."""
_OPENING = 20_000
"""Characters of a document in which its first sentences are looked for."""
_LONGEST_TOLD = 200
_FEWEST_WORDS = 6
_LINKED = 0.5
"""Share of a paragraph's characters from which, standing in links, they are no prose."""

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(?:(=+)|-{2,})[ \t]*$")
_HTML = re.compile(r"[ \t]*<[hH]([1-6])\b[^>]{0,300}>(.{1,400}?)</[hH]\1>")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}$")
_NO_TITLE = ("|", "-", ">", "*", "+", "..", ":")
_FIELDS = re.compile(r"^:?[A-Za-z][\w .-]{0,30}:(?:\s|$)", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s|$)|[。！？]")
_BLANK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True)
class Heading:
    """A heading, and where its line begins. `level` is 1 for the highest."""

    start: int
    level: int
    title: str


def headings_above(text: str, dialect: Dialect, place: int) -> list[str]:
    """The headings under which a place of the text stands, the highest first; one that begins there is the last."""
    above: list[Heading] = []
    for heading in _headings(text, dialect):
        if heading.start > place:
            break
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
    return [heading.title for heading in above if heading.title]


def heading_lines(text: str, dialect: Dialect) -> list[str]:
    """The lines of the text that are headings, as they are written."""
    starts = {heading.start for heading in _headings(text, dialect)}
    return [line for start, line in lines(text) if start in starts]


@lru_cache(maxsize=512)
def _headings(text: str, dialect: Dialect) -> tuple[Heading, ...]:
    if dialect is Dialect.RESTRUCTURED:
        return tuple(_underlined(text))
    return tuple(_marked(text, dialect)) if dialect is not Dialect.NONE else ()


def _marked(text: str, dialect: Dialect) -> list[Heading]:
    found: list[Heading] = []
    fence, before = "", (0, "")
    for start, line in lines(text):
        after = code_fence(line, fence) if dialect is Dialect.MARKDOWN else None
        if after is not None or fence:
            fence, before = fence if after is None else after, (start, "")
            continue
        heading = _ATX.match(line) if len(line) <= 2 * _LONGEST else None
        if heading:
            found.append(Heading(start, len(heading.group(1)), _told(heading.group(2), dialect)))
        elif dialect is Dialect.MARKDOWN and (heading := _HTML.match(line)):
            found.append(Heading(start, int(heading.group(1)), _told(heading.group(2), dialect)))
        elif dialect is Dialect.MARKDOWN and (heading := _SETEXT.match(line)) and _may_be_title(before[1]):
            found.append(Heading(before[0], 1 if heading.group(1) else 2, _told(before[1], dialect)))
        before = (start, "" if heading else line)
    return found


def _underlined(text: str) -> list[Heading]:
    """Titles of reStructuredText: which adornment is the highest is told by which comes first."""
    found: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    (_, first), (start, title) = (0, ""), (0, "")
    for below_start, line in lines(text):
        below, bare = line.rstrip(), title.strip()
        if (
            _ADORNMENT.match(below)
            and len(below) >= len(bare) > 0
            and not _ADORNMENT.match(bare)
            and _may_be_title(title)
        ):
            style = (below[0], first.rstrip() == below)
            if style not in styles:
                styles.append(style)
            found.append(Heading(start, styles.index(style) + 1, _told(bare, Dialect.RESTRUCTURED)))
        (_, first), (start, title) = (start, title), (below_start, line)
    return found


def _may_be_title(line: str) -> bool:
    bare = line.strip()
    return 0 < len(bare) <= _LONGEST and not bare.startswith(_NO_TITLE)


def _told(title: str, dialect: Dialect) -> str:
    return plain_line(title, dialect)[:_LONGEST].rstrip()


@lru_cache(maxsize=512)
def first_sentences(text: str, dialect: Dialect) -> tuple[int, str]:
    """Where the first prose of a document stands, and its first sentences, up to 200 characters; '' for none.

    No prose are headings, lists, tables, code, header fields, and paragraphs of which links are half or more.
    """
    opening = text[:_OPENING]
    for start, end in _paragraphs(opening, dialect):
        raw = opening[start:end]
        if len(_FIELDS.findall(raw)) > raw.count("\n") / 2 or raw.lstrip().startswith(("..", "|")):
            continue
        shown = unmarked(raw, dialect)
        told = " ".join(shown.text.split())
        linked = sum(outside - inside for opens, inside, outside, closes in shown.constructs if closes > outside + 3)
        if _is_prose(told) and linked < _LINKED * len(told):
            return start, _cut(told)
    return 0, ""


def _paragraphs(text: str, dialect: Dialect) -> list[tuple[int, int]]:
    if dialect in {Dialect.MARKDOWN, Dialect.RESTRUCTURED}:
        return blocks(text, dialect).paragraphs
    starts = [0, *(blank.end() for blank in _BLANK.finditer(text))]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def _is_prose(told: str) -> bool:
    written = _SENTENCE_END.search(told) is not None and (told[0].isalpha() or told[0] in "\"'“‘«„¿¡")
    spaced = len(told.split()) >= _FEWEST_WORDS
    return written and (spaced or len(told) >= 4 * _FEWEST_WORDS)


def _cut(told: str) -> str:
    if len(told) <= _LONGEST_TOLD:
        return told
    ends = [end.end() for end in _SENTENCE_END.finditer(told, 0, _LONGEST_TOLD)]
    if ends and ends[-1] > _LONGEST_TOLD // 4:
        return told[: ends[-1]]
    return f"{told[:_LONGEST_TOLD].rsplit(' ', 1)[0]} …"
