"""How many calls to models the writing may take: what is planned for the items wanted, and half as many again.

A source is walked to its end, so that what it gives never hangs on who came first: the last one may go beyond.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from viva.core.records import ItemKind
from viva.core.settings import Settings

PLANNED = {ItemKind.SINGLE_HOP: 12, ItemKind.MULTI_HOP: 14, ItemKind.FOLLOW_UP: 14, ItemKind.UNANSWERABLE: 14}
"""Calls per item that is wanted, spare ones included: with the reading of chunks, rejected drafts, and what is
accepted into reserve, since it can be guessed.

A faultless scripted model takes 6.5 for a single-hop item, a real one took 9.0 for an accepted one of any kind, and
of these put one in five into reserve (docs/benchmarks.md). Two passages are asked about once more, and what is
unanswerable is searched for.
"""
FEWEST = 0.75
"""What a faultless committee takes of the planned calls."""
STRETCH = 1.5
"""What cannot be had within so many times the planned calls is given up."""


def planned(wanted: Mapping[ItemKind, int]) -> int:
    """Calls that these accepted items are planned to take."""
    return sum(PLANNED[kind] * items for kind, items in wanted.items())


def most_taken(likely: float, settings: Settings) -> float:
    """Calls that the writing has taken at its end, at the most, where so many are planned.

    When the calls allowed are used up a source may be under way, and each of its units be asked about.
    """
    return STRETCH * likely + PLANNED[ItemKind.SINGLE_HOP] * settings.units_per_chunk


def allowed(wanted: Mapping[ItemKind, int], *, asks_models: bool) -> float:
    """Calls that these accepted items may take; without end where no model is asked."""
    return STRETCH * planned(wanted) if asks_models else math.inf


def within(left: float, taken: Sequence[int], guess: int, most: int) -> int:
    """Sources, `most` at most, that so many calls are enough for if each takes what those before took on average.

    `guess`: calls that a source is taken to need before any has walked.
    """
    if math.isinf(left):
        return most
    each = sum(taken) / len(taken) if sum(taken) else guess
    return max(min(math.floor(left / each), most), 0)
