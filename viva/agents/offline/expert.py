"""Offline expert answerer: reads the place of the chunk that the stem's words lead to.

It knows no question pattern: it looks the stem up, as a reader would with a finger on the page, and gives back the
sentence or line that holds most of the stem, whichever it is. The critic of answerability asks whether the key stands
there. A stem whose words lead elsewhere is refused, however its writer came by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.scope import unscoped
from viva.agents.roles import Source
from viva.core.records import ExpertAnswer, Span, Verdict
from viva.core.text.prose import sentences
from viva.core.text.words import content_words

_GAP = re.compile(r"[“„«]\s?([^“„«]*____[^”»]*)[”“»]")
"""A statement with a gap in it: what is around it is how one asks, in any language."""
_LEAST = 0.5
"""Share of the stem's words, weighted by how telling they are, that a place must hold."""


class OfflineExpert:
    """Answers from the chunk alone; has seen neither key nor options."""

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def answer(
        self,
        stem: str,
        answer_form: str,  # noqa: ARG002 - what kind of answer the writer has in mind is the writer's word
        source: Source,
        dispute: Verdict | None = None,  # noqa: ARG002 - it reads as it read before: it has no second opinion
    ) -> ExpertAnswer | None:
        """The sentence or line of the chunk that holds most of what the stem says; None: none holds half of it.

        Words of the scope and of the document's title stand in no one place.
        """
        gap = _GAP.search(stem)
        asked = set(content_words(gap[1] if gap else unscoped(stem)))
        asked = asked - set(content_words(source.document.title)) or asked
        total = sum(self._bank.weight(word) for word in sorted(asked))
        read = [(self._held(asked, text), -len(text), -start, end, text) for start, end, text in _places(source)]
        held, *_ = max(read, default=(0.0,))
        if held < _LEAST * total or not held:
            return None
        best = sorted((place for place in read if place[0] == held), reverse=True)
        # a stem with a gap quotes one place; one that names a subject leads to all that is said of it
        best = best[:1] if gap else best
        text = " ".join(place[-1] for place in best)
        spans = (self._span(source, -start, end) for _, _, start, end, _ in best)
        return ExpertAnswer(text=text, reference=text, evidence=tuple(spans))

    def _span(self, source: Source, start: int, end: int) -> Span:
        quote = source.document.text[start:end]
        return Span(document_id=source.document.id, start=start, end=end, quote=quote)

    def _held(self, asked: set[str], text: str) -> float:
        """The weight of the stem's words that a text holds, rounded so that no last digit decides."""
        return round(sum(self._bank.weight(word) for word in sorted(asked & set(content_words(text)))), 9)


def _places(source: Source) -> Iterator[tuple[int, int, str]]:
    """(start, end, text) of the chunk's sentences, and of the lines outside them: headers and lists are not prose."""
    found = sentences(source.document.text, source.chunk.start, source.chunk.end)
    yield from ((sentence.start, sentence.end, sentence.text) for sentence in found)
    at = source.chunk.start
    for line in source.document.text[at : source.chunk.end].splitlines(keepends=True):
        inside = any(sentence.start < at + len(line) and at < sentence.end for sentence in found)
        if line.strip() and not inside:
            yield at, at + len(line.rstrip()), line.strip()
        at += len(line)
