"""Every pair of levels of the components compared: abilities, all at once, and expected shares of right answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from viva.core.estimates import Estimate
from viva.core.scores import LevelContrast
from viva.metrics.irt.model.design import Component, Continuous
from viva.metrics.irt.model.responses import NotJudged
from viva.metrics.irt.model.result import Fit
from viva.metrics.irt.readings import Contrast

# the joint distribution of more contrasts takes minutes; of many more nobody reads the list
MOST_MAX_T = 400
MOST_CONTRASTS = 5000


@dataclass(frozen=True)
class LevelContrasts:
    """Pairs of levels compared, their abilities adjusted together as `adjustment` says in words."""

    pairs: tuple[LevelContrast, ...]
    adjustment: str


def level_contrasts(found: Fit, components: Mapping[str, Component], *, seed: int = 0) -> LevelContrasts | NotJudged:
    """All pairs of levels of the `components` that the fit had; interactions and numbers are left out."""
    if found.used_up:
        return NotJudged(_used_up(found))
    names = [name for name in found.effects if name in components]
    sizes = [len(found.effects[name]) for name in names if not isinstance(components[name], Continuous)]
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    if pairs == 0:
        return NotJudged("no component has levels to compare")
    if pairs > MOST_CONTRASTS:
        return NotJudged(f"{pairs} pairs of levels, more than {MOST_CONTRASTS}: read the effects instead")
    abilities, adjustment = _adjusted(found, names, pairs, seed)
    return LevelContrasts(tuple(_with_score(found, each) for each in abilities), adjustment)


def _used_up(found: Fit) -> str:
    rows = found.marked.tolist()
    levels = [each for each in found.components.values() if not isinstance(each, Continuous)]
    alone = any(len({each[row] for row in rows}) == len(rows) for each in levels)
    return "each level is one system" if alone else "effects of levels are as many as systems"


def _with_score(found: Fit, ability: Contrast) -> LevelContrast:
    score = found.score_contrast(ability.component, ability.level, ability.reference)
    return LevelContrast(
        component=ability.component,
        level=ability.level,
        reference=ability.reference,
        difference=ability.estimate,
        se=ability.se,
        low=ability.low,
        high=ability.high,
        p_value=ability.p_value,
        score=Estimate(score.estimate, score.low, score.high),
    )


def _adjusted(found: Fit, names: Sequence[str], pairs: int, seed: int) -> tuple[tuple[Contrast, ...], str]:
    """A quicker adjustment where there are many pairs; main effects alone where there are interactions."""
    few = pairs <= MOST_MAX_T
    words = "max-t" if few else "p-values by Holm, intervals by Bonferroni,"
    if len(names) == len(found.effects):
        every = found.contrasts(adjust="max-t" if few else "holm", seed=seed)
        return every, f"{words} over all {pairs} contrasts"
    each = [found.contrasts(name, adjust="max-t" if few else "holm", seed=seed) for name in names]
    return tuple(contrast for own in each for contrast in own), f"{words} within each component"
