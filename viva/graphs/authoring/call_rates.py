"""What an accepted item takes of language models, by role: rejected drafts and the reading of chunks included.

The table is from the demo's recording, examples/handbook.ledger.sqlite: 40 items asked for, 72 accepted in 764 calls.
`python benchmarks/call_rates.py` measures it again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from viva.core.accounts import ModelUse
from viva.core.records import Chunk, Item, ItemKind
from viva.llm.tokens import estimated_tokens


class KindRates(NamedTuple):
    """What an accepted item of one kind takes."""

    roles: Mapping[str, NDArray[np.float64]]
    """by role: calls, input tokens, output tokens"""
    sound: float
    """share of the accepted items that are not held in reserve"""
    per_source: float
    """accepted items from each chunk, or from each pair of them"""


class _Role(NamedTuple):
    calls: tuple[int, ...]
    """in all, by kind"""
    instructions: int
    """tokens of a request that do not depend on the length of the chunk"""
    chunks: tuple[float, ...]
    """texts as long as a mean chunk that a request holds, by kind"""
    output: int
    """tokens of a reply"""


# by kind: single-hop, multi-hop, unanswerable, follow-up
_ACCEPTED, _SOUND, _SOURCES = (47, 5, 5, 15), (34, 4, 5, 10), (20, 21, 5, 12)
_ITEMS_PER_CHUNK = 2
_ROLES = {
    "distractors": _Role((68, 5, 5, 21), 1887, (3.0, 3.9, 0.4, 3.2), 298),
    "expert": _Role((55, 18, 6, 42), 1342, (2.7, 1.9, 26.3, 2.6), 92),
    "judge.contradiction": _Role((20, 3, 5, 6), 1582, (0.0, 0.1, 22.6, 0.0), 80),
    "judge.faithfulness": _Role((43, 4, 0, 16), 1079, (1.3, 2.7, 0.0, 3.4), 134),
    "judge.item": _Role((67, 5, 5, 20), 2449, (1.3, 5.0, 25.6, 1.6), 190),
    # reckoned for these items and not recorded yet: 8 pairs a call, at most a pair for each item
    "judge.pairs": _Role((6, 1, 1, 1), 2100, (0.0, 0.0, 0.0, 0.0), 250),
    "judge.question": _Role((55, 8, 5, 20), 1904, (0.0, 0.8, 0.0, 0.9), 127),
    "solver": _Role((81, 9, 0, 28), 1021, (0.1, 0.2, 0.0, 0.5), 85),
    "units": _Role((20, 21, 5, 7), 1609, (1.2, 0.2, 1.0, 1.1), 182),
    "writer": _Role((56, 8, 6, 21), 1979, (1.0, 0.7, 24.5, 1.5), 108),
}


def recorded_rates(chunks: Collection[Chunk], items_per_chunk: int) -> dict[ItemKind, KindRates]:
    """The recording's rates, for chunks as long as these."""
    length, rates = mean_tokens(chunks), {}
    for n, kind in enumerate(ItemKind):
        roles = {
            name: np.array([1, role.instructions + role.chunks[n] * length, role.output])
            * (role.calls[n] / _ACCEPTED[n])
            for name, role in _ROLES.items()
        }
        per_source = _ACCEPTED[n] / _SOURCES[n] * items_per_chunk / _ITEMS_PER_CHUNK
        rates[kind] = KindRates(roles, _SOUND[n] / _ACCEPTED[n], per_source)
    return rates


def measured_rates(use: Iterable[ModelUse], items: Collection[Item], sources: int) -> dict[ItemKind, KindRates]:
    """The rates of a run that accepted these items, at least one, from so many sources; of all kinds alike."""
    roles = {}
    for each in use:
        if each.role in _ROLES:
            written = each.output_tokens or 0
            roles[each.role] = np.array([each.requests, each.tokens - written, written]) / len(items)
    # a share of few items is kept from zero
    sound = (sum(not item.in_reserve for item in items) + 1) / (len(items) + 2)
    return dict.fromkeys(ItemKind, KindRates(roles, sound, len(items) / sources))


def mean_tokens(chunks: Collection[Chunk]) -> float:
    """The mean length of these chunks, as it is estimated before a provider counts."""
    return sum(estimated_tokens(chunk.text) for chunk in chunks) / len(chunks)
