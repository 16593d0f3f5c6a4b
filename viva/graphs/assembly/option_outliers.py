"""Items whose options are more alike, or nearer to what they were written from, than those of nearly all others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from viva.core.records import Item
from viva.core.text.overlap import ngram_jaccard, ngrams, normalised_tokens
from viva.graphs.assembly.deduplication import Embed
from viva.metrics.text.cosines import Vectors, cosines

FEWEST = 50
"""Items below which a quantile of 0.98 says nothing: no text is embedded for fewer."""


def option_outliers(items: Sequence[Item], texts: Mapping[str, str], embed: Embed) -> set[str]:
    """Ids of the items beyond the quantile. `texts`: by `Source.id` what an item was written from."""
    closed = sorted(
        (item for item in items if not item.is_open and item.provenance.chunk_id in texts), key=lambda item: item.id
    )
    if len(closed) < FEWEST:
        return set()
    options = [option_texts(item) for item in closed]
    sources = [texts[item.provenance.chunk_id or ""] for item in closed]
    every = sorted({text for own in options for text in own} | set(sources))
    vectors = dict(zip(every, embed(every), strict=True))
    figures = [
        option_similarity(own, source, np.stack([vectors[text] for text in own]), vectors[source])
        for own, source in zip(options, sources, strict=True)
    ]
    return {closed[n].id for n in similarity_outliers(figures)}


def option_texts(item: Item) -> list[str]:
    """List the key and the wrong options."""
    return [item.key, *(distractor.text for distractor in item.distractors)]


@dataclass(frozen=True)
class OptionSimilarity:
    """How alike an item's options are to one another, and to the text they were made from.

    Each is the mean of a share of common token n-grams and a cosine, so at most 1. `within` is None where the options
    differ in a number alone: amounts of one unit are meant to be alike.
    """

    within: float | None
    to_source: float


def option_similarity(
    options: Sequence[str], source: str, vectors: Vectors, source_vector: Vectors
) -> OptionSimilarity:
    """The figures of one item. `vectors`: shape (options, d), rows of length 1; `source_vector`: shape (d,).

    Source: the intra- and extra-candidate similarities of Guinet et al. 2024 (arXiv 2405.13622), appendix A. Word
    pairs, for most options are too short for longer n-grams.
    """
    alone = cosines(vectors, vectors)
    pairs = list(combinations(range(len(options)), 2))
    alike = [(ngram_jaccard(options[a], options[b], 2) + float(alone[a, b])) / 2 for a, b in pairs]
    held = [
        (_share_held(option, source) + cosine) / 2
        for option, cosine in zip(options, cosines(vectors, source_vector).tolist(), strict=True)
    ]
    amounts = len({_AMOUNT.sub("", option.casefold()) for option in options}) == 1
    within = None if amounts or not pairs else round(float(np.mean(alike)), 6)
    return OptionSimilarity(within=within, to_source=round(float(np.mean(held)), 6))


_AMOUNT = re.compile(r"\d[\d.,:]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")


def _share_held(text: str, source: str) -> float:
    """Share of the text's token pairs that stand in the source: their union would drown in a long source."""
    mine = ngrams(normalised_tokens(text), 2)
    tokens = normalised_tokens(source)
    held = ngrams(tokens, 2) | ngrams(tokens, 1)
    return len(mine & held) / len(mine) if mine else 0.0


def similarity_outliers(figures: Sequence[OptionSimilarity]) -> tuple[int, ...]:
    """Indices of the items whose options are more alike, or nearer to their source, than 98% of all items.

    None where there are too few items for such a tail.
    """
    if len(figures) < FEWEST:
        return ()
    within = [figure.within for figure in figures if figure.within is not None]
    most_within = float(np.quantile(within, 0.98)) if within else np.inf
    most_to_source = float(np.quantile([figure.to_source for figure in figures], 0.98))
    return tuple(
        n
        for n, figure in enumerate(figures)
        if (figure.within or 0.0) > most_within or figure.to_source > most_to_source
    )
