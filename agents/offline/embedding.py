"""Texts to vectors, as the offline cast's functions ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to rows of length 1."""


def remembered(embed: Embed) -> Embed:
    """The same, each text embedded once: a text is looked at beside many others."""
    rows: dict[str, NDArray[np.float32]] = {}

    def rows_of(texts: Sequence[str]) -> NDArray[np.float32]:
        missing = [text for text in dict.fromkeys(texts) if text not in rows]
        rows.update(zip(missing, embed(missing) if missing else (), strict=True))
        return np.stack([rows[text] for text in texts])

    return rows_of
