"""Facts in a document's header ('Created: 14-Jul-2000'): they name their subject by the document's title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from viva.core.records import Document

_LINE = re.compile(r"^:?([A-Z][A-Za-z][\w \-]{0,24}):[ \t]+(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_OPENING_CHARACTERS = 1500
_NOT_ASKED = re.compile(
    r"^(?:title|name|id|number|replaces|requires|superseded-by|content-type|version|last-modified|abstract|note|todo|topic|category|tags?|keywords?|format|language|layout)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class HeaderField:
    """One `name: value` line of a header; offsets into the document's text."""

    name: str
    value: str
    start: int
    end: int


def header_fields(document: Document) -> list[HeaderField]:
    """The fields at the head of the document whose values are short, plain answers."""
    return [field for field in _fields(document.text) if _is_plain(field)]


def _fields(text: str) -> Iterator[HeaderField]:
    """Fields of the block of `name: value` lines before the first paragraph, if there are at least two."""
    lines = list(_LINE.finditer(text, 0, _OPENING_CHARACTERS))
    block: list[re.Match[str]] = []
    for line in lines:
        gap = text[block[-1].end() : line.start()] if block else text[: line.start()]
        # continuation lines of a field are indented; anything else ends the header
        if block and any(part and not part[0].isspace() for part in gap.split("\n")[1:]):
            break
        block.append(line)
    if len(block) >= 2:
        for line in block:
            yield HeaderField(line.group(1).strip(), line.group(2).strip(), line.start(), line.end())


def _is_plain(field: HeaderField) -> bool:
    words = field.value.split()
    if _NOT_ASKED.match(field.name) or len(words) > 6 or len(field.value) > 60:
        return False
    return not re.search(r"https?:|@|[<>{}|`*,;]|^\W", field.value)
