"""Content-hash ids and the randomness that hangs on them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")

_SEPARATOR = b"\x1f"


def content_hash(*parts: str | int | float) -> str:
    """16 hex digits that depend on the parts and nothing else (no machine, no run, no hash seed)."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(str(part).encode("utf-8", "surrogatepass"))
        digest.update(_SEPARATOR)
    return digest.hexdigest()


def rng(seed: int, *parts: str | int) -> Random:
    """A generator whose stream is fixed by the run's seed and the ids it is about."""
    # not for secrets: exams must come out the same everywhere
    return Random(int(content_hash(seed, *parts), 16))  # noqa: S311


def seeded_order(values: Iterable[T], seed: int, *parts: str | int) -> list[T]:
    """The values in an order fixed by the seed and the parts."""
    shuffled = list(values)
    rng(seed, *parts).shuffle(shuffled)
    return shuffled
