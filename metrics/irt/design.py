"""What abilities are made of: an intercept and the effects of components, coded to sum to zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, helmert

Floats = NDArray[np.float64]

# weak priors on a scale where item difficulties have sd 1: they bind only where the data say nothing
INTERCEPT_SD = 3.0
EFFECT_SD = 2.0


@dataclass(frozen=True, eq=False)
class Design:
    """theta = x @ beta + residual.

    x (n, p) with the intercept first; prior_sd (p,) of beta; `to_effects` (k, p) turns beta into the effects of
    the k `levels` (component, level), which sum to zero within a component.
    """

    x: Floats
    prior_sd: Floats
    to_effects: Floats
    levels: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def component_design(components: Sequence[Mapping[str, str]]) -> Design:
    """The design of n examinees from the components each names.

    The effects of a component sum to zero over its levels. An examinee that does not name it stands at their
    mean. A component that others do not name, and whose every level is carried by one examinee (or that has
    one level), is a proper name (somebody's own system beside a panel): its carriers stand where the data put
    them, and no effects are reported.

    A component with one level, or whose levels are told apart by earlier components already (aliased), is left
    out with a note. Coarse components come first, so that a name of its own for each examinee cannot crowd
    them out. A component that is aliased in part stays: the weak prior settles what the data cannot, at the
    price of a large standard error, with a note.
    """
    blocks, levels, notes = [np.ones((len(components), 1))], list[tuple[str, str]](), list[str]()
    bases: list[Floats] = []
    for name, found in _by_coarseness(components):
        named = sum(name in examinee for examinee in components)
        if named < len(components) and len(found) in {1, named}:
            blocks.append(_dummies(components, name, found))
            bases.append(np.zeros((0, len(found))))
            continue
        if len(found) == 1:
            notes.append(f"component '{name}' has one level ('{found[0]}') and is part of the intercept")
            continue
        basis = np.asarray(helmert(len(found)).T, dtype=np.float64)
        block = _dummies(components, name, found) @ basis
        gained = _rank([*blocks, block]) - _rank(blocks)
        if gained == 0:
            notes.append(f"component '{name}' is aliased: the other components tell its levels apart; left out")
            continue
        if gained < block.shape[1]:
            notes.append(
                f"component '{name}' is confounded in part with the other components: some of its effects "
                "cannot be told from theirs and have large standard errors"
            )
        blocks.append(block)
        bases.append(basis)
        levels.extend((name, level) for level in found)
    x = np.hstack(blocks)
    to_effects = np.hstack([np.zeros((len(levels), 1)), block_diag(*bases)]) if bases else np.zeros((0, 1))
    prior_sd = np.array([INTERCEPT_SD] + [EFFECT_SD] * (x.shape[1] - 1))
    return Design(x=x, prior_sd=prior_sd, to_effects=to_effects, levels=tuple(levels), notes=tuple(notes))


def _by_coarseness(components: Sequence[Mapping[str, str]]) -> list[tuple[str, list[str]]]:
    names = sorted({name for examinee in components for name in examinee})
    found = [(name, sorted({examinee[name] for examinee in components if name in examinee})) for name in names]
    return sorted(found, key=lambda pair: (len(pair[1]), pair[0]))


def _dummies(components: Sequence[Mapping[str, str]], name: str, levels: list[str]) -> Floats:
    """Shape (n, levels): 1 where the examinee has the level, a row of zeros where it does not name the component."""
    own = [examinee.get(name) for examinee in components]
    return np.array([[float(level == has) for level in levels] for has in own], dtype=np.float64)


def _rank(blocks: list[Floats]) -> int:
    return int(np.linalg.matrix_rank(np.hstack(blocks)))
