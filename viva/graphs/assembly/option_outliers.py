"""Items whose options are more alike, or nearer to what they were written from, than those of nearly all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from viva.core.records import Item
from viva.graphs.assembly.deduplication import Embed
from viva.metrics.text.similarity import option_similarity, similarity_outliers

FEWEST = 50
"""Items below which a quantile of 0.98 says nothing: no text is embedded for fewer."""


def option_outliers(items: Sequence[Item], texts: Mapping[str, str], embed: Embed) -> set[str]:
    """Ids of the items beyond the quantile. `texts`: by `Source.id` what an item was written from."""
    closed = sorted(
        (item for item in items if not item.is_open and item.provenance.chunk_id in texts), key=lambda item: item.id
    )
    if len(closed) < FEWEST:
        return set()
    options = [[item.key, *(distractor.text for distractor in item.distractors)] for item in closed]
    sources = [texts[item.provenance.chunk_id or ""] for item in closed]
    every = sorted({text for own in options for text in own} | set(sources))
    vectors = dict(zip(every, embed(every), strict=True))
    figures = [
        option_similarity(own, source, np.stack([vectors[text] for text in own]), vectors[source])
        for own, source in zip(options, sources, strict=True)
    ]
    return {closed[n].id for n in similarity_outliers(figures)}
