"""Rivals of the key: distractors that the able agree on, where the options chosen are known.

An item may be read with any of its options as the key: under each reading right answers follow a curve as the exam's
items have them, integrated out (module evidence), and wrong ones fall on the other options with shares of their own
(Dirichlet-multinomial), so that a popular distractor alone is no sign. A rival is an option that explains the choices
better as the key than the key does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.checks.fault_evidence import OPEN, by_options, sound_items
from viva.metrics.irt.model.responses import Floats, Ints, finite_vector

NOT_CHOSEN = -1
# how unevenly wrong answers fall on distractors: the concentration of their shares (1: any split is as likely)
DISTRACTOR_CONCENTRATION = 1.5


def rival_evidence(choices: ArrayLike, key: ArrayLike, theta: ArrayLike, *, options: int = 4) -> Floats:
    """Log Bayes factor (m, options) of each option as the key against the key, which stands at 0.

    `choices` (n, m) are option indices below `options`, -1 for none; `key` (m,) the keyed option; theta (n,) on any
    scale. Raises UsageError where a choice or key is no such index.
    """
    chosen = choice_matrix(choices)
    keys = key_vector(key, chosen.shape[1])
    if options < 2 or (chosen >= options).any() or (keys >= options).any():
        raise UsageError(f"A choice or a key is not among {options} options.", allowed="Indices below their number.")
    counts = np.stack([(chosen == option).sum(axis=0) for option in range(options)], axis=1)
    ability = finite_vector(theta, len(chosen), "theta")
    sound = sound_items(np.where(chosen == NOT_CHOSEN, np.nan, chosen == keys), ability, options)
    readings = np.empty(counts.shape)
    for option in range(options):
        read = np.where(chosen == NOT_CHOSEN, np.nan, chosen == option)
        misses = np.delete(counts, option, axis=1)
        readings[:, option] = sound.marginal(read) + _distractor_evidence(misses)
    return np.asarray(readings - readings[np.arange(len(keys)), keys][:, None], dtype=np.float64)


def chosen_key_evidence(
    wrong_key: Floats, choices: Ints, key: Ints, theta: Floats, *, options: int | Sequence[int]
) -> Floats:
    """Evidence (m,) of a wrong key from right and wrong (`wrong_key`) and from the options chosen, weighed together.

    The mean of two Bayes factors: one itself, since under a sound item each is 1 on average. Arguments as for
    rival_evidence, with `options` as for evidence.fault_evidence; open questions keep what they have.
    """
    found = wrong_key.copy()
    for count, places in by_options(options, len(key)):
        if count == OPEN:
            continue
        rivals = rival_evidence(choices[:, places], key[places], theta, options=count)
        rivals[np.arange(len(places)), key[places]] = -np.inf
        best = logsumexp(rivals, axis=1) - np.log(count - 1)
        found[places] = np.logaddexp(wrong_key[places], best) - np.log(2)
    return found


def choice_matrix(choices: ArrayLike) -> Ints:
    """Choices as integers (n, m), -1 for none. Raises UsageError for anything below -1 or broken."""
    given = np.asarray(choices)
    if given.ndim != 2:
        raise UsageError(f"Choices have {counted(given.ndim, 'dimension')}.", allowed="Examinees x items.")
    if given.dtype.kind not in "iu" or (given < NOT_CHOSEN).any():
        raise UsageError("A choice is no option index.", allowed="Whole numbers from 0, or -1 for none.")
    return given.astype(np.int64)


def key_vector(key: ArrayLike, items: int) -> Ints:
    """Keyed options (m,). Raises UsageError where they are no option indices."""
    given = np.asarray(key)
    if given.shape != (items,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise UsageError(
            "The keys are no option indices.", allowed=f"Whole numbers from 0, one for each of {items} items."
        )
    return given.astype(np.int64)


def _distractor_evidence(misses: Ints) -> Floats:
    """Log-probability (m,) of how wrong answers fall on the distractors, from their counts (m, options - 1)."""
    weight = DISTRACTOR_CONCENTRATION
    whole = weight * misses.shape[1]
    spread = (gammaln(misses + weight) - gammaln(weight)).sum(axis=1)
    return np.asarray(gammaln(whole) - gammaln(misses.sum(axis=1) + whole) + spread, dtype=np.float64)
