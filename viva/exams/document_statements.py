"""Sentences and lines of documents by which newer and older documents are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from viva.core.records import Document, Span
from viva.core.text.prose import Sentence, statements
from viva.core.text.words import content_words
from viva.exams.text_places import LetterStream


@dataclass(frozen=True)
class DocumentStatement:
    """A sentence or line of a document with its letters and words."""

    document: Document
    place: Sentence

    @cached_property
    def letters(self) -> str:
        """Its letters and digits, folded."""
        return letters_of(self.document.text[self.place.start : self.place.end])

    @cached_property
    def words(self) -> Counter[str]:
        """Its content words."""
        return Counter(content_words(self.place.text))

    def likeness(self, other: DocumentStatement) -> float:
        """Dice share of content words."""
        return 2 * (self.words & other.words).total() / max(self.words.total() + other.words.total(), 1)

    @property
    def span(self) -> Span:
        """Its place in the document."""
        return trimmed_span(self.document, self.place.start, self.place.end)


def new_stretches(before: Iterable[Document], now: Iterable[Document]) -> dict[str, list[tuple[int, int]]]:
    """Find where documents have sentences that none of those before has: (start, end), by document id."""
    known = {letters for document in before for _, _, letters in _stretches(document)}
    return {each.id: [(a, b) for a, b, letters in _stretches(each) if letters not in known] for each in now}


def _stretches(document: Document) -> Iterator[tuple[int, int, str]]:
    for each in statements(document.text):
        yield each.start, each.end, letters_of(document.text[each.start : each.end])


def word_set_of(text: str) -> frozenset[str]:
    """Give the content words of a text."""
    return frozenset(content_words(text))


def paragraph_at(text: str, span: Span) -> str:
    """Give the text between the blank lines around a span."""
    start, end = text.rfind("\n\n", 0, span.start), text.find("\n\n", span.end)
    return text[max(start, 0) : end if end >= 0 else len(text)].strip()


def letters_of(text: str) -> str:
    """Give the letters and digits of a text, folded."""
    return LetterStream.of(text).text


def trimmed_span(document: Document, start: int, end: int) -> Span:
    """Give the stretch without the white space at its ends."""
    quote = document.text[start:end]
    start += len(quote) - len(quote.lstrip())
    return Span(document_id=document.id, start=start, end=start + len(quote.strip()), quote=quote.strip())
