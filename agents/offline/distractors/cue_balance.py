"""Which of the plausible options are set beside the key, so that no cue tells it.

The key's ranks among the options, by size, by nearness to the stem and by all that it could be guessed by, are drawn
from the draft's id; the set that comes closest to them, and in which the key stands out by no trait, is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from viva.agents.offline.distractors.likeness import TYPED, measured_as, size, standing_out, traits
from viva.agents.offline.scope import unscoped
from viva.agents.offline.text.words import content_words
from viva.core.records import Draft
from viva.metrics.text.cosines import Vectors, cosines

Chosen = tuple[int, ...]
"""Numbers of the options in a set, counted from 1."""

_SKEW = ((3, 3, 3, 3), (1, 0), (1, 0, 0, 0))
"""Ranks drawn once more, by how far they are below the highest: phrases as short as the key are harder to find than
longer ones, options nearer to the stem and likelier than others, and shares come out even only where these are
asked for more often."""
_WEIGHTS = np.array([1.5, 2.5, 2.5])
"""What it costs to miss by one the rank drawn: in size, in nearness to the stem, in likelihood."""
_COUNTED = np.array([4.0, 0.0, 0.0])
"""The same of dates: near to anything alike, they would be guessed by their places in order."""
_TRAIT = 0.7
"""What it costs that the key stands out by a trait."""
_LIKELY = {True: (1.0, -0.5, 0.25, 0.008), False: (1.0, 0.0, 0.0, 0.0)}
"""By what a key can be guessed: its mean and its highest cosine to the other options, its cosine to the stem, its
number of words. For phrases the weights of a logistic regression on 320 items of four corpora, before this was
balanced; values and names give themselves away by the first alone."""
_UNEVEN = 20.0
"""What it costs, per unit of that, that the key differs from the others in the mean."""
_MARGIN = 0.1
"""Cosine to the stem by which a key may lead: above, its nearness gives it away."""
_LEADS = 4.0
_ORDER, _ORDER_OF_DATES = 0.04, 0.2
"""What it costs to take an option one place further down the list of plausible ones; the farther a date is, the less
is it believed."""


def balanced_sets(
    draft: Draft, options: Sequence[str], vectors: Vectors, wanted: int, draw: Random
) -> Iterator[Chosen]:
    """Sets of so many of the options, the best balanced first; of phrases, seldom one in which the key leads.

    `vectors`: shape (2 + options, d), those of the stem, of the key, and of the options.
    """
    look = _Look.of(draft, options, vectors)
    # few values are farther from the stem than the key: that it leads must be asked for more often
    skew = _SKEW if look.worded else ((), (wanted, wanted), ())
    ranks = np.array([draw.choice([*range(wanted + 1), *(wanted - below for below in more)]) for more in skew])
    measured = measured_as(draft.key, draft.answer_form).split(":")[0]
    weights = _COUNTED if measured == "date" else _WEIGHTS
    cost = look.cost(ranks, weights, _order(measured))
    may_lead = not look.worded or ranks[1] == 0
    sets = (one for one in combinations(range(1, len(options) + 1), wanted) if may_lead or not look.leads(one))
    yield from sorted(sets, key=lambda chosen: (cost(chosen), chosen))


def _order(measured: str) -> float:
    """What it costs to take an option one place further down."""
    return _ORDER_OF_DATES if measured == "date" else _ORDER


@dataclass(frozen=True)
class _Look:
    """What can be seen, without reading a document, of the key, which is number 0, and of the options."""

    sizes: NDArray[np.float64]
    words: NDArray[np.float64]
    to_stem: NDArray[np.float64]
    to_others: NDArray[np.float64]
    traits: list[frozenset[str]]
    worded: bool
    """whether the options are phrases: values and names of one form are alike in meaning by their form"""

    @classmethod
    def of(cls, draft: Draft, options: Sequence[str], vectors: Vectors) -> _Look:
        asked = frozenset(content_words(unscoped(draft.stem)))
        shown = (draft.key, *options)
        measured = measured_as(draft.key, draft.answer_form)
        return cls(
            sizes=np.array([size(text, measured) for text in shown]),
            words=np.array([float(len(text.split())) for text in shown]),
            to_stem=cosines(vectors[1:], vectors[0]),
            to_others=cosines(vectors[1:], vectors[1:]),
            traits=[traits(text, asked) for text in shown],
            worded=draft.answer_form.split(":")[0] not in TYPED,
        )

    def cost(
        self, wanted: NDArray[np.int64], weights: NDArray[np.float64], order: float
    ) -> Callable[[Chosen], float]:
        """How much a set tells of the key, and how far it is from the ranks wanted."""

        def of(chosen: Chosen) -> float:
            off = float(np.abs(self._ranks(chosen) - wanted) @ weights)
            trait = standing_out(self.traits[0], [self.traits[n] for n in chosen])
            return round(off + _TRAIT * trait + self._nearness_told(chosen) + order * sum(chosen), 9)

        return of

    def leads(self, chosen: Chosen) -> bool:
        """Whether the key is nearer to the stem than all of them, by so much that its nearness gives it away."""
        return float(self.to_stem[0] - self.to_stem[list(chosen)].max()) > _MARGIN

    def _ranks(self, chosen: Chosen) -> NDArray[np.int64]:
        """How many of the chosen are larger than the key, nearer to the stem, and look more like a key."""
        others = list(chosen)
        likely = self._likely(chosen)
        larger = self.sizes[others] > self.sizes[0]
        nearer = self.to_stem[others] > self.to_stem[0]
        return np.array([larger.sum(), nearer.sum(), (likely[1:] > likely[0]).sum()])

    def _likely(self, chosen: Chosen) -> NDArray[np.float64]:
        """How much each option of the set, the key first, looks like a key to a reader who has no document.

        The key of a set that was gathered around it is near to all others and paired with none.
        """
        rows = [0, *chosen]
        near = self.to_others[np.ix_(rows, rows)]
        np.fill_diagonal(near, 0)
        looks = (near.sum(axis=1) / max(len(chosen), 1), near.max(axis=1), self.to_stem[rows], self.words[rows])
        likely: NDArray[np.float64] = np.round(np.array(_LIKELY[self.worded]) @ np.array(looks), 9)
        return likely

    def _nearness_told(self, chosen: Chosen) -> float:
        """What the key's nearness to the others, and to the stem, tells of it."""
        likely = self._likely(chosen)
        return _UNEVEN * abs(float(likely[0] - likely[1:].mean())) + _LEADS * self.leads(chosen)
