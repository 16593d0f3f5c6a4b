"""Texts that repeat: whole documents word for word, chunks nearly so."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from itertools import islice
from tempfile import gettempdir
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from viva.core.disk_space import room_for
from viva.core.ids import content_hash
from viva.core.records import Chunk, Document, Exclusion, ExclusionReason

SIMILARITY = 0.8  # Jaccard, of the sets of word shingles
SHINGLE = 5  # words
MIN_WORDS = 12  # shorter chunks repeat only when they are equal
_PERMUTATIONS = 128
_SEED = 1
_BATCH = 256

_WORD = re.compile(r"\w+")
_SAME_TEXT = "Holds the same text as "
_SENTENCE_MARKS = ".,;:!?…"


class ExactDuplicates:
    """Remembers the documents seen, by their text with white space made equal."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def exclusion(self, document: Document) -> Exclusion | None:
        """The exclusion of a document whose text was seen before, naming the first path; else None."""
        first = self._first.setdefault(content_hash(" ".join(document.text.split())), document.path)
        if first == document.path:
            return None
        return Exclusion(path=document.path, reason=ExclusionReason.EXACT_DUPLICATE, detail=f"{_SAME_TEXT}{first}.")


def copied_path(exclusion: Exclusion) -> str | None:
    """Give the path of the document whose text an excluded one repeats; None of one excluded for something else."""
    if exclusion.reason is not ExclusionReason.EXACT_DUPLICATE:
        return None
    return exclusion.detail.removeprefix(_SAME_TEXT).removesuffix(".")


def mark_near_duplicates(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """The chunks, in order, with `duplicate_of` set on those that nearly repeat an earlier one.

    Nearly: Jaccard similarity of their sets of five-word shingles at least .8 (candidates by MinHash LSH,
    Broder 1997, each checked exactly). Repeats of a repeat name the first chunk. What was read is kept on disk.
    """
    from datasketch import MinHash

    with closing(_Firsts()) as firsts:
        waiting = iter(chunks)
        while batch := list(islice(waiting, _BATCH)):
            shingled = [shingles(chunk.text) for chunk in batch]
            signatures = MinHash.generator(shingled, num_perm=_PERMUTATIONS, seed=_SEED, hashfunc=int)
            for chunk, own, signature in zip(batch, shingled, signatures, strict=True):
                first = firsts.like(chunk.id, own, signature.hashvalues)
                yield chunk if first is None else chunk.model_copy(update={"duplicate_of": first})


class _Firsts:
    """The chunks that repeat none before them, by what may be alike; SQLite removes its file when it is closed."""

    def __init__(self) -> None:
        from datasketch import MinHashLSH

        self._bands = MinHashLSH(threshold=SIMILARITY, num_perm=_PERMUTATIONS).hashranges
        self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._file.executescript(
            "PRAGMA journal_mode=OFF;"
            "CREATE TABLE firsts (place INTEGER PRIMARY KEY, id TEXT, whole BLOB UNIQUE, shingles BLOB);"
            "CREATE TABLE bands (band BLOB, place INTEGER, PRIMARY KEY (band, place)) WITHOUT ROWID;"
        )

    def close(self) -> None:
        self._file.close()

    def like(self, chunk_id: str, own: frozenset[int], signature: NDArray[np.uint64]) -> str | None:
        """Id of the first chunk that this one nearly repeats; where there is none, it is kept as one itself."""
        packed = np.array(sorted(own), dtype=np.uint32).tobytes()
        whole = blake2b(packed, digest_size=16).digest()
        with room_for(gettempdir()):
            equal = self._file.execute("SELECT id FROM firsts WHERE whole = ?", [whole]).fetchone()
            if equal is not None:
                return str(equal[0])
            bands = [blake2b(b"%d " % a + signature[a:b].tobytes(), digest_size=8).digest() for a, b in self._bands]
            for candidate, text in self._candidates(bands) if len(own) > 1 else ():
                if _jaccard(frozenset(np.frombuffer(text, dtype=np.uint32).tolist()), own) >= SIMILARITY:
                    return candidate
            added = self._file.execute("INSERT INTO firsts VALUES (NULL, ?, ?, ?)", [chunk_id, whole, packed])
            self._file.executemany("INSERT INTO bands VALUES (?, ?)", [(band, added.lastrowid) for band in bands])
        return None

    def _candidates(self, bands: Sequence[bytes]) -> list[tuple[str, bytes]]:
        """Ids and shingles of those that share a band, the first first."""
        marks = ", ".join("?" * len(bands))
        places = f"SELECT place FROM bands WHERE band IN ({marks})"  # noqa: S608 - nothing but question marks
        query = f"SELECT id, shingles FROM firsts WHERE place IN ({places}) ORDER BY place"  # noqa: S608
        return self._file.execute(query, bands).fetchall()


def shingles(text: str) -> frozenset[int]:
    """Hashes of the text's runs of five words, case aside; one hash of it all when it is short."""
    folded = text.casefold()
    words = _WORD.findall(folded)
    if len(words) < MIN_WORDS:
        # every sign counts where words are few ("-5 °C", "C#"), but for the ends of sentences
        ended = (word.rstrip(_SENTENCE_MARKS) for word in folded.split())
        return frozenset((crc32((" ".join(filter(None, ended)) or text).encode()),))
    return frozenset(crc32(" ".join(words[at : at + SHINGLE]).encode()) for at in range(len(words) - SHINGLE + 1))


def _jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b)
