"""What a role is shown of a source: its text without marks, where it is from, and what that document is."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from viva.agents.roles import Source
from viva.core.markup import Dialect, Unmarked, dialect_of, first_sentences, headings_above, unmarked, unmarked_part
from viva.core.records import Document, Span
from viva.llm.untrusted import one_line

_LONGEST_NAME, _LONGEST_PLACE = 120, 400
_ROW = re.compile(r"#\d+\Z")


def shown(source: Source) -> Unmarked:
    """The text of the source's first chunk, as roles read it."""
    chunk, document = source.chunk, source.document
    return unmarked_part(document.text, chunk.start, chunk.end, dialect_of(document.format))


def place_of(source: Source) -> str:
    """Where the first chunk is from: `folder / file > title > heading > heading`, on one line."""
    dialect = dialect_of(source.document.format)
    title = title_of(source.document)
    above = headings_above(source.document.text, dialect, source.chunk.start)
    steps = dict.fromkeys([title, *above])
    path = " / ".join(PurePosixPath(_ROW.sub("", source.document.path)).parts)
    return one_line(" > ".join(one_line(step, _LONGEST_NAME) for step in (path, *steps) if step), _LONGEST_PLACE)


def title_of(document: Document) -> str:
    """The document's title, on one line."""
    return one_line(document.title, _LONGEST_NAME)


def told_of(source: Source) -> str:
    """The first sentences of the document, which say what it is; '' where it has none, or the chunk holds them."""
    start, told = first_sentences(source.document.text, dialect_of(source.document.format))
    return "" if source.chunk.start <= start < source.chunk.end else told


def context(source: Source) -> str:
    """Where the source is from, and below it how its document begins; of several chunks, of each document once."""
    if source.second is None:
        return "\n".join(filter(None, [place_of(source), _begins(source)]))
    first = {part.document.id: part for part in reversed(source.parts)}
    documents = dict.fromkeys(part.document.id for part in source.parts)
    told = ((title_of(first[i].document), _begins(first[i])) for i in documents)
    return "\n".join(" ".join(filter(None, pair)) for pair in told)


def _begins(source: Source) -> str:
    told = told_of(source)
    return f"(The document begins: {told})" if told else ""


def plain_quote(span: Span) -> str:
    """The words of a span without marks, as they are shown and named in reasons; `Span.quote` keeps them."""
    return unmarked(span.quote, Dialect.MARKDOWN).text.strip() or span.quote
