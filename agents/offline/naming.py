"""Where a question names a thing by a noun phrase of its own, so that other words can stand in its place."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.grammar import NOUN, Token, tag
from viva.agents.offline.prose import Sentence

_BELONGS = NOUN | {"AJ0", "AJS", "AJC", "CRD", "ORD", "POS", "DT0", "DPS", "AT0", "VVN"}
"""Tags of words before a noun that belong to it."""


def named_at(stem: str, start: int, end: int, sort: str = "", *, loose: bool = False) -> tuple[int, int] | None:
    """The noun phrase around stem[start:end], with its article and the noun that says its sort.

    None where the name is a part of something else, or where what follows is neither a verb nor the question's end;
    `loose` lets a preposition follow, where as short a name is to take its place.
    """
    tokens = tag(Sentence(stem, 0, len(stem), ()))
    inside = [n for n, t in enumerate(tokens) if t.end > start and t.start < end]
    if not inside:
        return None
    first, last = inside[0], inside[-1]
    if sort and first and tokens[first - 1].text.lower() == sort.lower():
        first -= 1
    if sort and last + 1 < len(tokens) and tokens[last + 1].text.lower() == sort.lower():
        last += 1
    if first and tokens[first - 1].text.lower() in {"the", "a", "an"}:
        first -= 1
    return (tokens[first].start, tokens[last].end) if _stands_alone(tokens, first, last, loose) else None


def _stands_alone(tokens: Sequence[Token], first: int, last: int, loose: bool) -> bool:
    before = tokens[first - 1] if first else None
    after = tokens[last + 1] if last + 1 < len(tokens) else None
    if before is None or before.tag in _BELONGS or before.text in {"and", "or", ",", "("} or after is None:
        return False
    if loose and after.tag in {"PRP", "PRF", "CJS", "TO0"}:
        return True
    return after.text == "?" or after.tag[:2] in {"VV", "VB", "VH", "VM"}
