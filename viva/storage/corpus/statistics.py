"""What a corpus holds, in figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from statistics import mean, median
from typing import TYPE_CHECKING

from pydantic import Field

from viva.core.records import ExclusionReason, Record

if TYPE_CHECKING:
    from viva.storage.corpus.read import Corpus

_WORD = re.compile(r"\w+")


class CorpusStatistics(Record):
    """Figures of a corpus. Words are runs of letters and digits; the vocabulary counts them without case."""

    documents: int
    chunks: int
    words: int
    vocabulary: int
    median_chunk_tokens: float
    mean_chunk_tokens: float
    max_chunk_tokens: int
    mean_document_words: float
    exact_duplicates: int
    near_duplicate_chunks: int
    exclusions_by_reason: dict[str, int]
    topics: dict[str, int] = Field(description='documents per topic; "" for those without one')
    formats: dict[str, int] = Field(description="documents per format")


NO_DOCUMENTS = CorpusStatistics(
    documents=0,
    chunks=0,
    words=0,
    vocabulary=0,
    median_chunk_tokens=0,
    mean_chunk_tokens=0,
    max_chunk_tokens=0,
    mean_document_words=0,
    exact_duplicates=0,
    near_duplicate_chunks=0,
    exclusions_by_reason={},
    topics={},
    formats={},
)
"""Of a run that has an exam alone."""


def corpus_statistics(corpus: Corpus) -> CorpusStatistics:
    """Figures of a corpus that was read (and so has a document and a chunk at least)."""
    tokens = [chunk.tokens for chunk in corpus.chunks]
    words: Counter[str] = Counter()
    for document in corpus.documents:
        words.update(_WORD.findall(document.text.casefold()))
    return CorpusStatistics(
        documents=len(corpus.documents),
        chunks=len(corpus.chunks),
        words=words.total(),
        vocabulary=len(words),
        median_chunk_tokens=median(tokens),
        mean_chunk_tokens=mean(tokens),
        max_chunk_tokens=max(tokens),
        mean_document_words=words.total() / len(corpus.documents),
        exact_duplicates=sum(e.reason is ExclusionReason.EXACT_DUPLICATE for e in corpus.exclusions),
        near_duplicate_chunks=sum(chunk.duplicate_of is not None for chunk in corpus.chunks),
        exclusions_by_reason=_counts(e.reason.value for e in corpus.exclusions),
        topics=_counts(document.topic for document in corpus.documents),
        formats=_counts(document.format for document in corpus.documents),
    )


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
