"""Chunks that hold nothing to ask about, told by their shape: links, references, contents, licences, code alone.

The rules know no words of any language. Each asks for nearly all of a chunk: one that is read for nothing costs a
request, one that is passed over for nothing costs what it alone says.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.markup import Blocks, Dialect, Unmarked, blocks, dialect_of, open_fence, unmarked
from viva.core.records import Chunk, Document

LINKS = "links alone"
REFERENCES = "a list of references"
CONTENTS = "a table of contents"
LICENCE = "a licence"
CODE = "code alone"

_FEWEST_WORDS = 8
"""Words of prose, or of a comment, without which code stands alone."""
_FEWEST_IN_SENTENCE = 5
_FEWEST_ENTRIES = 3
_SHOUTING = 40
"""Words of capitals that are no heading."""
_MOST_SAID = 0.15
"""Share of a chunk's letters that its sentences may hold where the rest is links or references."""
_LINKED, _ENTRIES, _NUMBERED, _SHOUTED = 0.5, 0.8, 0.7, 0.6
_LONG_MARK = 3
"""Characters of a closing mark beyond which it holds an address."""

_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>]+|\bwww\.[^\s<>]+|\bdoi:\s?\S+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+|\d+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that leave no blanks between words; five of them say as much as a few words."""
_SENTENCE_END = re.compile(r"(?<![.…])[.!?…](?!\.)[\"'”’)\]]*(?=\s|$)|[。！？]")
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")
_AUTHOR = re.compile(
    r"\W*(?:\[[\w#-]{1,20}\]\W*|\d{1,3}[.)]\s+)?"
    r"(?:[^\W\d_][\w'’-]{1,30}(?: [^\W\d_][\w'’-]{1,30})?,\s+(?:[^\W\d_]\.[\s-]?){1,3}"
    r"|(?:[^\W\d_]\.[\s-]?){1,3}[^\W\d_][\w'’-]{1,30})(?=[\s,;&(.])"
)
"""“Surname, A. B.” or “A. B. Surname”"""
_LEADER = re.compile(r"(?:\.{4,}|(?: \.){4,}|…{2,})\s*\d{1,4}(?!\w)")
_SECTION = re.compile(r"\s*(?:[-*+•]\s+)?\d{1,2}(?:\.\d{1,2})+\.?\s+\S")
_COMMENT = re.compile(r"(?:^|\s)(?:/{2,3}|#|--|;|%|/?\*{1,2}|<!--|\"{3}|'{3})[ \t]+(\S[^\n]*)", re.MULTILINE)
_OWNED = re.compile(r"©|\([cC]\)\s*\d{4}|SPDX-License-Identifier|\bcopyright\s+\d{4}", re.IGNORECASE)


@dataclass(frozen=True)
class _Entry:
    """A paragraph, a list's entry or a line."""

    text: str
    linked: int
    """letters in links and addresses"""

    @property
    def letters(self) -> int:
        return _letters(self.text)

    @property
    def is_reference(self) -> bool:
        """Whether it cites: by a link or an address, or by a name and initials that open it and a year to follow."""
        cited = self.linked >= _LINKED * self.letters > 0
        return cited or (_AUTHOR.match(self.text) is not None and _YEAR.search(self.text) is not None)

    @property
    def said(self) -> int:
        """Letters in its sentences."""
        if self.is_reference:
            return 0
        total, start = 0, 0
        for end in _SENTENCE_END.finditer(self.text):
            sentence = self.text[start : end.end()]
            total += _letters(sentence) if _words(sentence) >= _FEWEST_IN_SENTENCE else 0
            start = end.end()
        return total


def nothing_to_ask(chunk: Chunk, document: Document) -> str:
    """Why nothing can be asked about the chunk, in a few words; "" where something may be."""
    dialect = dialect_of(document.format)
    fence = open_fence(document.text, chunk.start, dialect)
    shown = unmarked(chunk.text, dialect, fence)
    entries = _entries(shown, blocks(chunk.text, dialect, fence), dialect)
    prose = "\n".join(entry.text for entry in entries)
    letters, said = _letters(prose), sum(entry.said for entry in entries)
    if letters and said <= _MOST_SAID * letters:
        if sum(entry.linked for entry in entries) >= _LINKED * letters:
            return LINKS
        if _share([entry.is_reference for entry in entries if entry.letters]) >= _ENTRIES:
            return REFERENCES
    if _is_licence(prose, shouted=said > letters / 2):
        return LICENCE
    if said:
        return ""
    if len(_LEADER.findall(prose)) >= _FEWEST_ENTRIES:
        return CONTENTS
    if _share([_SECTION.match(line) is not None for line in prose.split("\n") if line.strip()]) >= _NUMBERED:
        return CONTENTS
    if _words(prose) >= _FEWEST_WORDS or _letters(shown.text) <= 2 * letters:
        return ""
    return "" if any(_words(said.group(1)) >= _FEWEST_WORDS for said in _COMMENT.finditer(shown.text)) else CODE


def _entries(shown: Unmarked, found: Blocks, dialect: Dialect) -> list[_Entry]:
    """The paragraphs outside code; of a text whose paragraphs no mark tells, the lines."""
    if dialect not in {Dialect.MARKDOWN, Dialect.RESTRUCTURED}:
        return [_Entry(line, _linked(line)) for line in shown.text.split("\n")]
    links, entries = _links(shown), []
    for start, end in found.paragraphs:
        text = shown.within(start, end)
        # a table says by its rows and columns what a linked name stands for
        own = [] if "|" in text else links[bisect_left(links, (start, 0)) : bisect_left(links, (end, 0))]
        entries.append(_Entry(text, _linked(text) + sum(_letters(shown.within(a, b)) for a, b in own)))
    return entries


def _links(shown: Unmarked) -> list[tuple[int, int]]:
    """Where the words of links stand, in order."""
    return sorted((a, b) for _, a, b, closes in shown.constructs if closes - b > _LONG_MARK)


def _linked(text: str) -> int:
    return sum(_letters(address.group()) for address in _ADDRESS.finditer(text))


def _is_licence(prose: str, *, shouted: bool) -> bool:
    """Whether half of its lines name an owner, or what it says in sentences it says in capitals."""
    lines = [line for line in prose.split("\n") if line.strip()]
    if lines and sum(_OWNED.search(line) is not None for line in lines) >= len(lines) / 2:
        return True
    capitals, cased = sum(map(str.isupper, prose)), sum(char.isupper() or char.islower() for char in prose)
    return shouted and _words(prose) >= _SHOUTING and capitals >= _SHOUTED * cased


def _share(answers: Sequence[bool]) -> float:
    return sum(answers) / len(answers) if len(answers) >= _FEWEST_ENTRIES else 0.0


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _words(text: str) -> int:
    return len(_WORD.findall(_WIDE.sub(r" \g<0> ", text)))
