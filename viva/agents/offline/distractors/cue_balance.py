"""Which of the plausible options are set beside the key, so that no cue tells it.

The key's ranks among the options, by size (of those that can be had), by nearness to the stem and by all that it
could be guessed by, are drawn from the draft's id; the set that comes closest to them, and in which the key stands
out by no trait, is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from viva.agents.offline.distractors.likeness import TYPED, measured_as, size, traits
from viva.agents.offline.scope import asked_words
from viva.core.records import Draft
from viva.metrics.text.cosines import Vectors, cosines

Chosen = tuple[int, ...]
"""Numbers of the options in a set, counted from 1."""
_Sets = NDArray[np.int64]
_PerSet = NDArray[np.float64]

_SKEW = ((1, 0), (1, 0, 0, 0))
"""Ranks by nearness and likelihood drawn once more, by how far they are below the highest: options nearer to the stem
and likelier than the key are harder to find, and shares come out even only where these are asked for more often."""
_ROUNDS = 2
"""So often each rank by size that can be had is drawn; the lowest once more, for not all that are drawn are found."""
_WEIGHTS = np.array([10.0, 2.5, 2.5])
"""What it costs to miss by one the rank drawn: in size, in nearness to the stem, in likelihood."""
_COUNTED = np.array([4.0, 0.0, 0.0])
"""The same of dates: near to anything alike, they would be guessed by their places in order."""
_TRAIT = 2.8
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
    if len(options) < wanted:
        return
    look = _Look.of(draft, options, vectors)
    larger = int((look.sizes[1:] > look.sizes[0]).sum())
    by_size = range(max(0, wanted - (len(options) - larger)), min(wanted, larger) + 1)
    # few values are farther from the stem than the key: that it leads must be asked for more often
    skew = _SKEW if look.worded else ((wanted, wanted), ())
    drawn = (draw.choice([*range(wanted + 1), *(wanted - below for below in more)]) for more in skew)
    ranks = np.array([draw.choice([*by_size] * _ROUNDS + [by_size[0]] * look.worded), *drawn])
    dates = measured_as(draft.key, draft.answer_form).split(":")[0] == "date"
    sets = np.array(list(combinations(range(1, len(options) + 1), wanted)))
    if look.worded and ranks[1] != 0:
        sets = sets[~look.leads(sets)]
    weights, order = (_COUNTED, _ORDER_OF_DATES) if dates else (_WEIGHTS, _ORDER)
    # among equals the first: its options are the more plausible ones
    for n in np.argsort(look.cost(sets, ranks, weights, order), kind="stable"):
        yield tuple(int(option) for option in sets[n])


@dataclass(frozen=True)
class _Look:
    """What can be seen, without reading a document, of the key, which is number 0, and of the options.

    Its functions take m sets of w options, shape (m, w), and give back one figure for each.
    """

    sizes: NDArray[np.float64]
    words: NDArray[np.float64]
    to_stem: NDArray[np.float64]
    to_others: NDArray[np.float64]
    traits: NDArray[np.bool_]
    """shape (1 + options, traits)"""
    worded: bool
    """whether the options are phrases: values and names of one form are alike in meaning by their form"""

    @classmethod
    def of(cls, draft: Draft, options: Sequence[str], vectors: Vectors) -> _Look:
        asked = asked_words(draft.stem)
        shown = (draft.key, *options)
        measured = measured_as(draft.key, draft.answer_form)
        seen = [traits(text, asked) for text in shown]
        every = sorted(frozenset().union(*seen))
        return cls(
            sizes=np.array([size(text, measured) for text in shown]),
            words=np.array([float(len(text.split())) for text in shown]),
            to_stem=cosines(vectors[1:], vectors[0]),
            to_others=cosines(vectors[1:], vectors[1:]),
            traits=np.array([[trait in own for trait in every] for own in seen], dtype=bool),
            worded=draft.answer_form.split(":")[0] not in TYPED,
        )

    def cost(self, sets: _Sets, wanted: NDArray[np.int64], weights: NDArray[np.float64], order: float) -> _PerSet:
        """How much a set tells of the key, and how far it is from the ranks wanted."""
        likely = self._likely(sets)
        larger = self.sizes[sets] > self.sizes[0]
        nearer = self.to_stem[sets] > self.to_stem[0]
        likelier = likely[:, 1:] > likely[:, :1]
        ranks = np.stack([each.sum(axis=1) for each in (larger, nearer, likelier)], axis=1)
        off = np.abs(ranks - wanted) @ weights
        told = _UNEVEN * np.abs(likely[:, 0] - likely[:, 1:].mean(axis=1)) + _LEADS * self.leads(sets)
        return np.asarray(np.round(off + _TRAIT * self._standing_out(sets) + told + order * sets.sum(axis=1), 9))

    def leads(self, sets: _Sets) -> NDArray[np.bool_]:
        """Whether the key is nearer to the stem than all of them, by so much that its nearness gives it away."""
        return np.asarray(self.to_stem[0] - self.to_stem[sets].max(axis=1) > _MARGIN)

    def _standing_out(self, sets: _Sets) -> _PerSet:
        """How far its traits set the key apart: 1 for each that it alone has or lacks, 1/4 for each difference."""
        key, others = self.traits[0], self.traits[sets]
        alone = (key & ~others.any(axis=1)) | (~key & others.all(axis=1))
        return np.asarray(alone.sum(axis=1) + (key ^ others).sum(axis=(1, 2)) / 4)

    def _likely(self, sets: _Sets) -> _PerSet:
        """How much each option of a set, the key first, looks like a key to a reader without documents: (m, 1 + w).

        The key of a set that was gathered around it is near to all others and paired with none.
        """
        rows = np.insert(sets, 0, 0, axis=1)
        near = self.to_others[rows[:, :, None], rows[:, None, :]] * (1 - np.eye(rows.shape[1]))
        looks = (near.sum(axis=2) / sets.shape[1], near.max(axis=2), self.to_stem[rows], self.words[rows])
        return np.asarray(np.round(np.tensordot(np.array(_LIKELY[self.worded]), np.array(looks), axes=1), 9))
