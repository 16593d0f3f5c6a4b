"""What an accepted item takes of language models, by role: rejected drafts and the reading of chunks included.

The table is from the demo's recording, examples/handbook.ledger.sqlite: 60 items asked for, 116 accepted in 1,240
calls. `python benchmarks/call_rates.py` measures it again.
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


# by kind: single-hop, multi-hop, unanswerable
_ACCEPTED, _SOUND, _SOURCES = (101, 7, 8), (63, 6, 8), (35, 13, 8)
_RECORDED = (ItemKind.SINGLE_HOP, ItemKind.MULTI_HOP, ItemKind.UNANSWERABLE)
_ITEMS_PER_CHUNK = 2
_ROLES = {
    "distractors": _Role((108, 11, 8), 2008, (1.7, 2.7, 0.1), 282),
    "expert": _Role((107, 37, 11), 1395, (2.4, 1.7, 27.1), 95),
    "judge.contradiction": _Role((103, 12, 9), 1442, (0.6, 0.1, 23.3), 64),
    "judge.faithfulness": _Role((91, 9, 0), 1062, (1.4, 2.9, 0.0), 124),
    "judge.item": _Role((71, 10, 0), 1369, (0.1, 0.0, 0.0), 90),
    "judge.options": _Role((108, 11, 8), 1575, (1.2, 3.7, 27.4), 110),
    "judge.question": _Role((106, 14, 10), 1769, (0.2, 0.8, 0.0), 110),
    "solver": _Role((180, 24, 0), 1015, (0.1, 0.1, 0.0), 75),
    "units": _Role((35, 13, 8), 1244, (1.2, 2.4, 1.1), 257),
    "writer": _Role((108, 17, 11), 1576, (1.4, 3.4, 27.4), 96),
}


def recorded_rates(chunks: Collection[Chunk], items_per_chunk: int) -> dict[ItemKind, KindRates]:
    """The recording's rates, for chunks as long as these."""
    length, rates = mean_tokens(chunks), {}
    for n, kind in enumerate(_RECORDED):
        roles = {
            name: np.array([1, role.instructions + role.chunks[n] * length, role.output])
            * (role.calls[n] / _ACCEPTED[n])
            for name, role in _ROLES.items()
        }
        per_source = _ACCEPTED[n] / _SOURCES[n] * items_per_chunk / _ITEMS_PER_CHUNK
        rates[kind] = KindRates(roles, _SOUND[n] / _ACCEPTED[n], per_source)
    rates[ItemKind.FOLLOW_UP] = _following(rates[ItemKind.SINGLE_HOP])
    return rates


def _following(single: KindRates) -> KindRates:
    """Of a follow-up: as of a question that stands alone, and the expert reads each twice. Not measured yet."""
    return single._replace(roles={**single.roles, "expert": 2 * single.roles["expert"]})


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
