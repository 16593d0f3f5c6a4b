"""Every pair of levels of the components compared: abilities, all at once, and expected shares of right answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from viva.metrics.irt.model.design import Component, Continuous
from viva.metrics.irt.model.inputs import NotJudged
from viva.metrics.irt.model.result import Fit
from viva.metrics.irt.readings import Contrast

# the joint distribution of more contrasts takes minutes; of many more nobody reads the list
MOST_MAX_T = 400
MOST_CONTRASTS = 5000


@dataclass(frozen=True)
class LevelContrasts:
    """`abilities` compare levels on the theta scale, adjusted together as `adjustment` says in words.

    `scores` are the same pairs in expected shares of right answers, each interval by itself.
    """

    abilities: tuple[Contrast, ...]
    scores: tuple[Contrast, ...]
    adjustment: str


def level_contrasts(found: Fit, components: Mapping[str, Component], *, seed: int = 0) -> LevelContrasts | NotJudged:
    """All pairs of levels of the `components` that the fit had; interactions and numbers are left out."""
    names = [name for name in found.effects if name in components]
    sizes = [len(found.effects[name]) for name in names if not isinstance(components[name], Continuous)]
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    if pairs == 0:
        return NotJudged("no component has levels to compare")
    if pairs > MOST_CONTRASTS:
        return NotJudged(f"{pairs} pairs of levels, more than {MOST_CONTRASTS}: read the effects instead")
    abilities, adjustment = _adjusted(found, names, pairs, seed)
    scores = tuple(found.score_contrast(each.component, each.level, each.reference) for each in abilities)
    return LevelContrasts(abilities, scores, adjustment)


def _adjusted(found: Fit, names: Sequence[str], pairs: int, seed: int) -> tuple[tuple[Contrast, ...], str]:
    """A quicker adjustment where there are many pairs; main effects alone where there are interactions."""
    few = pairs <= MOST_MAX_T
    words = "max-t" if few else "p-values by Holm, intervals by Bonferroni,"
    if len(names) == len(found.effects):
        every = found.contrasts(adjust="max-t" if few else "holm", seed=seed)
        return every, f"{words} over all {pairs} contrasts"
    each = [found.contrasts(name, adjust="max-t" if few else "holm", seed=seed) for name in names]
    return tuple(contrast for own in each for contrast in own), f"{words} within each component"
