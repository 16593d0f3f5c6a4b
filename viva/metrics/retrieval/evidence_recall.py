"""Retrieved passages against the evidence, by characters covered and never by chunk id.

Every retriever cuts documents in its own way, so what counts is how much of the evidence's text its passages
hold. A passage with offsets covers what it shares with the evidence span in the same document. Any other passage
is matched by its text: one without offsets (a foreign system has its own names of documents), and one from another
place, since the sentence may be there too, as in another edition (20 characters at least). White space, case,
accents, the shape of quotation marks and dashes, and marks of Markdown make no difference:

- one that contains the whole quote covers it;
- one that is contained in the quote covers its share of it;
- one that begins or ends inside the quote (a cut at a chunk's border) covers the part it holds, if that part
  is at least 20 characters: shorter ones agree by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from viva.core.errors import UsageError
from viva.core.markup import Dialect, unmarked
from viva.core.records import Passage, Span
from viva.core.text.words import folded

Interval = tuple[int, int]

MIN_CUT = 20


def evidence_recall_at(k: int, passages: Sequence[Passage], evidence: Span) -> float | None:
    """Share of the evidence's characters covered by the first k passages together, in [0, 1].

    None where there are no passages at all: the examinee shows none, which says nothing of its retriever.
    Raises UsageError for k < 1 and for evidence without characters.
    """
    if k < 1:
        raise UsageError(f"Recall was asked at {k} passages.", allowed="At least 1.")
    length = _length(evidence)
    if not passages:
        return None
    found = [interval for passage in passages[:k] if (interval := _covered(passage, evidence))]
    return _union_length(found) / length


def reciprocal_rank(passages: Sequence[Passage], evidence: Span, threshold: float = 0.5) -> float | None:
    """1 / rank of the first passage that alone covers at least `threshold` of the evidence; 0.0 where none does.

    None where there are no passages at all. Raises UsageError for a threshold outside (0, 1].
    """
    if not 0 < threshold <= 1:
        raise UsageError(f"The threshold {threshold} is no share.", allowed="Above 0, at most 1.")
    length = _length(evidence)
    if not passages:
        return None
    for rank, passage in enumerate(passages, start=1):
        interval = _covered(passage, evidence)
        if interval and (interval[1] - interval[0]) / length >= threshold:
            return 1 / rank
    return 0.0


def _length(evidence: Span) -> int:
    length = evidence.end - evidence.start
    if length < 1:
        raise UsageError(f"The evidence at {evidence.start}-{evidence.end} has no characters.")
    return length


def _covered(passage: Passage, evidence: Span) -> Interval | None:
    """What the passage covers, in characters from the evidence's start."""
    if passage.document_id is None or passage.start is None or passage.end is None:
        return _covered_by_text(passage.text, evidence.quote)
    start, end = max(passage.start, evidence.start), min(passage.end, evidence.end)
    if passage.document_id == evidence.document_id and start < end:
        return start - evidence.start, end - evidence.start
    found = _covered_by_text(passage.text, evidence.quote)
    # a few words that are elsewhere agree by chance
    return found if found and found[1] - found[0] >= min(MIN_CUT, len(evidence.quote)) else None


@lru_cache(maxsize=20_000)
def _covered_by_text(text: str, quote: str) -> Interval | None:
    """The more of what the text covers of the quote as it stands, and of the quote without marks."""
    passage, shown = folded(text)[0].rstrip(), unmarked(quote, Dialect.MARKDOWN)
    wanted, places = folded(shown.text)
    ways = (folded(quote), (wanted, [shown.places[place] for place in places]))
    found = (_covered_by_folded(passage, wanted.rstrip(), places, len(quote)) for wanted, places in ways)
    return max(filter(None, found), key=lambda interval: interval[1] - interval[0], default=None)


def _covered_by_folded(passage: str, wanted: str, places: Sequence[int], length: int) -> Interval | None:
    if not passage or not wanted:
        return None
    if wanted in passage:
        return 0, length
    at, size = wanted.find(passage), len(passage)
    if at < 0:
        at, size = _cut_at_border(passage, wanted)
    # marks at either end belong to what they stand at
    end = length if at + size == len(wanted) else places[at + size - 1] + 1
    return (places[at] if at else 0, end) if size else None


def _cut_at_border(passage: str, wanted: str) -> Interval:
    """Position and length of the longer of: the quote's head as the passage's tail, its tail as the head."""
    longest = min(len(passage), len(wanted)) - 1
    for length in range(longest, MIN_CUT - 1, -1):
        if passage.endswith(wanted[:length]):
            return 0, length
        if passage.startswith(wanted[-length:]):
            return len(wanted) - length, length
    return 0, 0


def _union_length(intervals: list[Interval]) -> int:
    covered, reached = 0, 0
    for start, end in sorted(intervals):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
