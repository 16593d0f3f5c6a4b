"""What an accepted item takes of language models, by role: rejected drafts and the reading of chunks included.

The table is from the demo's recording, examples/handbook.ledger.sqlite: 60 items asked for, 106 accepted, 749 calls.
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
    """share of the accepted items that were wanted: others are in reserve, or came with the search for a level"""
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


# by kind: single-hop, multi-hop, unanswerable, follow-up; multi-hop as recorded before decision 66
_ACCEPTED, _WANTED, _SOURCES = (67, 5, 6, 33), (42, 4, 6, 25), (35, 21, 6, 32)
_ITEMS_PER_CHUNK = 2
_ROLES = {
    "distractors": _Role((70, 5, 6, 50), 1232, (1.4, 3.9, 0.5, 7.3), 276),
    "expert": _Role((71, 18, 6, 36), 902, (2.1, 1.9, 28.0, 2.2), 88),
    "judge.edits": _Role((11, 1, 2, 1), 847, (1.3, 2.0, 1.5, 1.9), 115),
    "judge.exam": _Role((8, 1, 0, 8), 3709, (0.0, 0.0, 0.0, 0.0), 149),
    "judge.item": _Role((69, 5, 6, 40), 2091, (1.1, 5.0, 27.3, 2.6), 188),
    "judge.pairs": _Role((4, 0, 1, 4), 1371, (0.0, 0.0, 0.0, 0.0), 122),
    "judge.question": _Role((81, 8, 10, 37), 1242, (0.0, 0.8, 0.0, 0.7), 148),
    "solver": _Role((9, 1, 0, 4), 1034, (0.0, 0.0, 0.0, 0.0), 303),
    "units": _Role((35, 21, 6, 32), 1224, (1.2, 0.2, 1.1, 2.2), 258),
    "writer": _Role((82, 8, 10, 50), 1232, (1.8, 0.7, 26.3, 2.8), 110),
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
        rates[kind] = KindRates(roles, _WANTED[n] / _ACCEPTED[n], per_source)
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
