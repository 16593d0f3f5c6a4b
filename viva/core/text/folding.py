"""Text without regard to its looks, each character with its place: one text in many forms is one."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_SAME = str.maketrans(
    {**dict.fromkeys("‘’‚‛′´“”„‟″«»‹›＂＇", "'"), '"': "'", "−": "-", "|": " ", **dict.fromkeys("*`_\\", None)}
)


@lru_cache(maxsize=64)
def folded(text: str) -> tuple[str, tuple[int, ...]]:
    """The text as it is compared, and for each of its characters the place it comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for piece in _fold(char):
            if piece == " " and characters[-1:] in ([], [" "]):
                continue
            characters.append(piece)
            places.append(place)
    return "".join(characters), tuple(places)


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    if char.isspace():
        return " "
    if unicodedata.category(char) in {"Cc", "Cf", "Pc"} or unicodedata.combining(char):
        return ""
    if unicodedata.category(char) == "Pd":
        return "-"
    plain = unicodedata.normalize("NFKD", char.translate(_SAME)).casefold()
    return "".join(" " if c.isspace() else c for c in plain if not unicodedata.combining(c))
