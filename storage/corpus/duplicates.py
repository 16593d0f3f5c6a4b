"""Texts that repeat: whole documents word for word, chunks nearly so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

from viva.core.ids import content_hash
from viva.core.records import Chunk, Document, Exclusion, ExclusionReason

SIMILARITY = 0.8  # Jaccard, of the sets of word shingles
SHINGLE = 5  # words
MIN_WORDS = 12  # shorter chunks repeat only when they are equal
_PERMUTATIONS = 128
_SEED = 1

_WORD = re.compile(r"\w+")


class ExactDuplicates:
    """Remembers the documents seen, by their text with white space made equal."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def exclusion(self, document: Document) -> Exclusion | None:
        """The exclusion of a document whose text was seen before, naming the first path; else None."""
        first = self._first.setdefault(content_hash(" ".join(document.text.split())), document.path)
        if first == document.path:
            return None
        return Exclusion(
            path=document.path, reason=ExclusionReason.EXACT_DUPLICATE, detail=f"Holds the same text as {first}."
        )


def mark_near_duplicates(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks, in order, with `duplicate_of` set on those that nearly repeat an earlier one.

    Nearly: Jaccard similarity of their sets of five-word shingles at least .8 (candidates by MinHash LSH,
    Broder 1997, each checked exactly). Repeats of a repeat name the first chunk.
    """
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=SIMILARITY, num_perm=_PERMUTATIONS)
    shingled = [shingles(chunk.text) for chunk in chunks]
    signatures = MinHash.generator(shingled, num_perm=_PERMUTATIONS, seed=_SEED, hashfunc=int)
    equal: dict[frozenset[int], int] = {}
    marked: list[Chunk] = []
    for position, (chunk, signature) in enumerate(zip(chunks, signatures, strict=True)):
        own = shingled[position]
        first = equal.get(own)
        if first is None and len(own) > 1:
            alike = (at for at in index.query(signature) if _jaccard(shingled[at], own) >= SIMILARITY)
            first = min(alike, default=None)
        if first is None:
            equal[own] = position
            index.insert(position, signature)
        marked.append(chunk if first is None else chunk.model_copy(update={"duplicate_of": chunks[first].id}))
    return tuple(marked)


def shingles(text: str) -> frozenset[int]:
    """Hashes of the text's runs of five words, case aside; one hash of it all when it is short."""
    words = _WORD.findall(text.casefold())
    if len(words) < MIN_WORDS:
        # a text without words repeats only its own characters
        return frozenset((crc32((" ".join(words) or text).encode()),))
    return frozenset(crc32(" ".join(words[at : at + SHINGLE]).encode()) for at in range(len(words) - SHINGLE + 1))


def _jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b)
