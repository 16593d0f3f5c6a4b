"""What an accepted item takes of language models, by role: rejected drafts and the reading of chunks included.

The table is from the demo's recording, examples/handbook.ledger.sqlite: 60 items asked for, 110 accepted, 839 calls.
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
_ACCEPTED, _WANTED, _SOURCES = (70, 5, 6, 34), (42, 4, 6, 25), (33, 21, 6, 30)
_ITEMS_PER_CHUNK = 2
_ROLES = {
    "distractors": _Role((87, 5, 6, 50), 1268, (1.3, 3.9, 0.2, 7.1), 275),
    "expert": _Role((72, 18, 6, 37), 894, (2.1, 1.9, 28.0, 2.3), 90),
    "judge.edits": _Role((10, 1, 1, 3), 907, (1.3, 2.0, 0.8, 1.6), 123),
    "judge.exam": _Role((6, 0, 0, 3), 2108, (0.0, 0.0, 0.0, 0.0), 115),
    "judge.item": _Role((84, 5, 6, 38), 2129, (0.6, 5.0, 27.1, 2.0), 182),
    "judge.pairs": _Role((4, 0, 0, 2), 1407, (1.1, 0.0, 0.0, 0.8), 155),
    "judge.question": _Role((78, 8, 10, 39), 1235, (0.1, 0.8, 0.0, 0.8), 151),
    "solver": _Role((73, 5, 0, 16), 605, (0.1, 0.2, 0.0, 0.2), 85),
    "units": _Role((33, 21, 6, 30), 1224, (1.2, 0.2, 1.1, 2.2), 255),
    "writer": _Role((78, 8, 10, 51), 1239, (1.5, 0.7, 26.3, 2.7), 111),
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
