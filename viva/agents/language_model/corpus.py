"""What the corpus says besides the source: a search over all chunks, by words and by meaning."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from viva.agents.language_model.context import place_of, shown
from viva.agents.roles import Source
from viva.core.records import Chunk, Document, Span
from viva.core.text.language_detection import LANGUAGE_TELLING
from viva.core.text.overlap import content_words
from viva.core.text.words import search_words

if TYPE_CHECKING:
    from viva.storage.word_index import WordIndex

Search = Callable[[str, int], Sequence[Chunk]]
"""The chunks that suit a query best, at most so many, the best first."""
Found = TypeVar("Found")
_LOOKED_AT = 20
_ROOM = 16_000
"""Characters read beside a source, to see that nothing there answers a question: some 4,000 tokens."""
_BESIDE = 300
"""Characters just before a source, and as many after it, that the expert reads for sense."""
_LONGEST_WORD = 40
AHEAD = 0.8
"""Of a passage's search score: another place with more is found nearly as soon."""
_MOST_TEXTS = 5000
NEARBY, SIBLINGS = 1, 5
"""Chunks that wrong options may be taken from; of a follow-up, those of other things that it could be about."""


class Apart(Protocol):
    """Runs a search off the event loop; its queries may be embedded together with others."""

    def __call__(self, find: Callable[[], Found], queries: Sequence[str] = (), /) -> Awaitable[Found]: ...


async def _here(find: Callable[[], Found], queries: Sequence[str] = ()) -> Found:  # noqa: ARG001
    return find()


class CorpusSearch:
    """All chunks, by id, in the order of their documents.

    `search` looks for passages by meaning too; without it they are looked for by words alone. `words` gives the index
    of all their texts; without it, it is built when first asked for. `apart(find, queries)` awaits a search made with
    the methods here.
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        chunks: Mapping[str, Chunk],
        search: Search | None = None,
        words: Callable[[], WordIndex] | None = None,
        apart: Apart | None = None,
    ) -> None:
        self.documents = documents
        self.apart: Apart = apart or _here
        self._chunks = chunks
        self._search = search or self._by_words
        self._words = words or cache(self._all_words)

    @property
    def texts(self) -> list[str]:
        """How documents begin; of more than 5,000, some at even distances."""
        ids = list(self.documents)
        some = ids[:: math.ceil(len(ids) / _MOST_TEXTS) or 1]
        return [self.documents[document_id].text[:LANGUAGE_TELLING] for document_id in some]

    def elsewhere(self, stem: str, options: Sequence[str], source: Source) -> list[str]:
        """For each option the best passage besides the source that may support it, with its title; each once.

        A passage may support an option if it holds all of its words, and some word of the stem besides.
        """
        found = (self._best(stem, option, source) for option in options)
        chunks = {chunk.id: chunk for chunk in found if chunk is not None}
        read = [Source(chunk, self.documents[chunk.document_id]) for chunk in chunks.values()]
        return [told(each) for each in read]

    def nearby(self, query: str, source: Source, most: int = NEARBY) -> list[str]:
        """List what a search for the query finds besides the source and its repeats: so many at most, with places."""
        return self._found(query, most, lambda chunk: any(_covers(part.chunk, chunk) for part in source.parts))

    def besides(self, query: str, spans: Sequence[Span], most: int) -> list[str]:
        """List what a search for the query finds that holds none of the spans: so many at most, with places."""
        return self._found(query, most, lambda chunk: any(_holds(chunk, span) for span in spans))

    def _found(self, query: str, most: int, known: Callable[[Chunk], bool]) -> list[str]:
        """List passages that a search finds, without repeats and what is known, with their places."""
        others = (c for c in self._search(query, _LOOKED_AT) if c.duplicate_of is None and not known(c))
        return [told(Source(chunk, self.documents[chunk.document_id])) for chunk in islice(others, most)]

    def rivals(self, stem: str, queries: Iterable[str], source: Source, language: str, most: int) -> list[str]:
        """List passages that may answer the stem otherwise, with their places: so many at most, one of a document.

        Searches for all queries find them; each holds half of the stem's content words. What holds fewer speaks of
        something else.
        """
        asked = set(content_words(stem, language))
        found: dict[str, Chunk] = {}
        for chunk in (chunk for query in queries for chunk in self._search(query, _LOOKED_AT)):
            if chunk.duplicate_of is None and not any(_covers(part.chunk, chunk) for part in source.parts):
                held = asked & set(content_words(chunk.text, language))
                if 2 * len(held) >= len(asked):
                    found.setdefault(chunk.document_id, chunk)
        best = islice(found.values(), most)
        return [told(Source(chunk, self.documents[chunk.document_id])) for chunk in best]

    def telling(self, query: str, source: Source) -> list[str]:
        """List the words of the query by which a word search finds the source far ahead of all other places.

        They are those that the source has and the next place has not; all that it has where this leaves none. []
        where another place is found nearly as soon.
        """
        words = sorted(set(search_words(query)))
        found = [(round(score, 4), chunk) for score, chunk in self._scored(words) if chunk.duplicate_of is None]
        here = [score for score, chunk in found if any(_covers(part.chunk, chunk) for part in source.parts)]
        others = [each for each in found if not any(_covers(part.chunk, each[1]) for part in source.parts)]
        if not here or (others and others[0][0] > AHEAD * here[0]):
            return []
        here_held = set(search_words(source.text))
        held = [word for word in words if word in here_held]
        next_held = set(search_words(others[0][1].text)) if others else set()
        return [word for word in held if word not in next_held] or held

    def pull(self, query: str, option: str) -> float:
        """Give the search score of the first place for the query that has all words of the option; 0 where none has.

        A reader that searches with the query and goes by the words of options picks the option with the most. An
        option of function words alone has no words to be found.
        """
        named = set(search_words(option))
        if not named:
            return 0.0
        found = self._scored(sorted(set(search_words(query))))
        return next((round(score, 4) for score, chunk in found if named <= set(search_words(chunk.text))), 0.0)

    def beside(self, source: Source) -> str:
        """Give the text just before and after the source's first chunk: whole words, 300 characters of each at most.

        It ends with the chunks before and after; '' where there is none.
        """
        here, document = source.chunk, source.document
        near = [here, *map(self._at, self._neighbourhood(here))]
        stretches = {
            "Before": (min(chunk.start for chunk in near), here.start),
            "After": (here.end, max(chunk.end for chunk in near)),
        }
        parts = {
            name: shown(Source(here.model_copy(update=_stretch(document, *ends)), document)).text.strip()
            for name, ends in stretches.items()
        }
        near_by = {"Before": _ending(parts["Before"]), "After": _beginning(parts["After"])}
        return "\n\n".join(f"{name} it:\n{text}" for name, text in near_by.items() if text)

    def around(self, query: str, source: Source) -> Source:
        """The source of one chunk, followed by what stands around it and what a search for the query finds.

        First come the chunks just before and after it, then the best finds, each with its own neighbours; of what
        adjoins, one stretch is made. As many as fit 16,000 characters; repeats of other chunks are passed over.
        """
        found = (c for c in self._search(query, _LOOKED_AT) if c.duplicate_of is None)
        taken: dict[int, None] = {}
        room = _ROOM
        for chunk in (source.chunk, *found):
            wanted = [n for n in self._neighbourhood(chunk) if n not in taken and self._ids[n] != source.chunk.id]
            room -= sum(len(self._at(n).text) for n in wanted)
            if room < 0:
                break
            taken.update(dict.fromkeys(wanted))
        beside: Source | None = None
        for stretch in reversed(self._stretches(list(taken))):
            beside = Source(stretch, self.documents[stretch.document_id], source.kind, beside)
        return replace(source, second=beside)

    def _neighbourhood(self, chunk: Chunk) -> list[int]:
        """Places of the chunk, then of those before and after it in its document."""
        here = self._place_of.get(chunk.id)
        if here is None:
            return []
        near = (n for n in (here, here - 1, here + 1) if 0 <= n < len(self._ids))
        beside = [n for n in near if self._at(n).document_id == chunk.document_id]
        return [n for n in beside if n == here or self._at(n).duplicate_of is None]

    def _stretches(self, places: Sequence[int]) -> list[Chunk]:
        """Chunks of one stretch of text each, in the order in which their first place was taken."""
        runs: list[list[int]] = []
        for place in sorted(places):
            before = self._at(runs[-1][-1]) if runs and runs[-1][-1] == place - 1 else None
            if before is not None and before.document_id == self._at(place).document_id:
                runs[-1].append(place)
            else:
                runs.append([place])
        rank = {place: n for n, place in enumerate(places)}
        runs.sort(key=lambda run: min(rank[place] for place in run))
        return [self._joined(self._at(run[0]), self._at(run[-1])) for run in runs]

    def _joined(self, first: Chunk, last: Chunk) -> Chunk:
        return first.model_copy(update=_stretch(self.documents[first.document_id], first.start, last.end))

    def _by_words(self, query: str, most: int) -> list[Chunk]:
        places = self._ranked(sorted(set(search_words(query))))
        return [self._at(place) for place in places][:most]

    def _best(self, stem: str, option: str, source: Source) -> Chunk | None:
        named = set(search_words(option))
        asked = set(search_words(stem)) - named
        if not named:
            return None
        for place in self._ranked([*sorted(asked), *sorted(named)]):
            chunk = self._at(place)
            held = set(search_words(chunk.text))
            here = any(_covers(part.chunk, chunk) for part in source.parts)
            if not here and named <= held and asked & held:
                return chunk
        return None

    def _ranked(self, words: Sequence[str]) -> Iterator[int]:
        """Places of the chunks with the highest BM25 scores above zero; of equals the first."""
        return (place for place, _ in self._scores(words))

    def _scored(self, words: Sequence[str]) -> Iterator[tuple[float, Chunk]]:
        return ((score, self._at(place)) for place, score in self._scores(words))

    def _scores(self, words: Sequence[str]) -> Iterator[tuple[int, float]]:
        import numpy as np

        if not self._chunks or not words:
            return
        scores = self._words().scores(words)
        order = np.lexsort((np.arange(len(scores)), -scores))[:_LOOKED_AT]
        yield from ((int(place), float(scores[place])) for place in order if scores[place] > 0)

    def _at(self, place: int) -> Chunk:
        return self._chunks[self._ids[place]]

    @cached_property
    def _ids(self) -> list[str]:
        return list(self._chunks)

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {chunk_id: place for place, chunk_id in enumerate(self._ids)}

    def _all_words(self) -> WordIndex:
        from viva.storage.word_index import WordIndex

        return WordIndex(chunk.text for chunk in self._chunks.values())


def _holds(chunk: Chunk, span: Span) -> bool:
    return chunk.document_id == span.document_id and chunk.start <= span.start and span.end <= chunk.end


def told(source: Source) -> str:
    """A passage after its place."""
    return f"From “{place_of(source)}”:\n{shown(source).text}"


def _ending(text: str) -> str:
    """Give the last 300 characters of a text, from the beginning of a word."""
    near = text[-_BESIDE:]
    return near if near == text else _whole(near, near.split(maxsplit=1)[-1])


def _beginning(text: str) -> str:
    """Give the first 300 characters of a text, up to the end of a word."""
    near = text[:_BESIDE]
    return near if near == text else _whole(near, near.rsplit(maxsplit=1)[0])


def _whole(cut: str, words: str) -> str:
    """Give the whole words of a cut text; in a script without spaces, all of it."""
    return words if len(cut) - len(words) <= _LONGEST_WORD else cut


def _stretch(document: Document, start: int, end: int) -> dict[str, int | str]:
    """What makes a chunk of this stretch of the document."""
    return {"start": start, "end": end, "text": document.text[start:end]}


def _covers(stretch: Chunk, chunk: Chunk) -> bool:
    """Whether all of a chunk stands in a stretch of its document."""
    return stretch.document_id == chunk.document_id and stretch.start <= chunk.start and chunk.end <= stretch.end
