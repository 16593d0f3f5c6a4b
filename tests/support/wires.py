"""Ways for a model server to put a completion into bytes (`serve(wire=...)`): counts that are none, deep JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

Wire = Callable[[dict[str, Any]], bytes]

NO_COUNTS: dict[str, Any] = {
    "a text": "12",
    "a word": "many",
    "NaN": float("nan"),
    "infinity": float("inf"),
    "a float": 12.5,
    "a whole float": 12.0,
    "negative": -5,
    "beyond SQLite": 2**63,
    "beyond floats": 10**400,
    "of 2**62": 2**62,
    "a truth value": True,
    "a list": [1],
    "an object": {"a": 1},
}
"""What a server may say where a count of tokens should be."""


def plain(said: dict[str, Any]) -> bytes:
    """As it should be."""
    return json.dumps(said, ensure_ascii=False).encode()


def counting(**usage: Any) -> Wire:
    """With these in its usage; `all` is the usage itself."""

    def wire(said: dict[str, Any]) -> bytes:
        return plain({**said, "usage": usage["all"] if "all" in usage else {**said["usage"], **usage}})

    return wire


def nested(levels: int, *path: str | int) -> Wire:
    """With so many levels of lists at this place; without a place, instead of it all."""
    lists = b"[" * levels + b"]" * levels

    def wire(said: dict[str, Any]) -> bytes:
        if not path:
            return lists
        place: Any = said
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = "<nested>"
        return plain(said).replace(b'"<nested>"', lists)

    return wire


def in_turn(wires: Sequence[Wire]) -> Wire:
    """One after the other, again and again."""
    turns = cycle(wires)
    return lambda said: next(turns)(said)
