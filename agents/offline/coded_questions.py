"""Questions on what codes name: of each series as many as the corpus bears, those that it uses most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from viva.agents.offline.bank import CODED, Bank, Fact
from viva.agents.offline.coded_names import CodedName, named_beside, with_one_name
from viva.agents.offline.embedding import Embed
from viva.agents.offline.patterns import Proposal
from viva.agents.offline.words import content_words
from viva.core.records import BloomLevel, QuestionType

_CODED_QUALITY = 0.6
_OF_ONE_SERIES, _OF_ONE_CHUNK, _PER_OTHER = 12, 3, 1.0
"""Codes of a series and of a chunk that are asked for, and of all of them for each other question, at most."""


def ask_for_names(bank: Bank, embed: Embed) -> None:
    """One fact for each code whose name is asked for."""
    known = with_one_name(bank.coded)
    bank.named_beside.update(named_beside(known, embed))
    asked = [one for one in known if one.code in bank.named_beside]
    asked.sort(key=lambda one: (-_mentions(bank, one.code), one.code))
    most = int(_PER_OTHER * sum(map(len, bank.facts.values())))
    for one in _spread(asked)[:most]:
        kind, level = QuestionType.NAME, BloomLevel.REMEMBER
        asks = Proposal(one.stem, one.name, CODED, kind, level, CODED, _CODED_QUALITY)
        bank.facts[one.chunk_id].append(Fact(one.statement, one.start, one.end, (asks,), definite=False))


def _spread(ranked: Sequence[CodedName]) -> list[CodedName]:
    """A few of each series and of each chunk, the series in turn."""
    of_series: Counter[str] = Counter()
    of_chunk: Counter[str] = Counter()
    kept: list[tuple[int, CodedName]] = []
    for one in ranked:
        if of_series[one.series] < _OF_ONE_SERIES and of_chunk[one.chunk_id] < _OF_ONE_CHUNK:
            of_chunk[one.chunk_id] += 1
            of_series[one.series] += 1
            kept.append((of_series[one.series], one))
    return [one for _, one in sorted(kept, key=lambda entry: entry[0])]


def _mentions(bank: Bank, code: str) -> int:
    """Sentences that hold the code."""
    words = content_words(code)
    return min((len(bank.postings.get(word, ())) for word in words), default=0)
