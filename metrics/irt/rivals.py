"""Rivals of the key: distractors that the able agree on, where the options chosen are known.

An item may be read with any of its options as the key: under each reading right answers follow the 3PL with the item
integrated out (module evidence), and wrong ones fall on the other options with shares of their own
(Dirichlet-multinomial), so that a popular distractor alone is no sign. A rival is an option that explains the choices
better as the key than the key does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.evidence import believed, by_options, sound_evidence
from viva.metrics.irt.inputs import Floats, Ints, finite_vector, share
from viva.metrics.irt.wrong_keys import trend

NOT_CHOSEN = -1
# how unevenly wrong answers fall on distractors: the concentration of their shares (1: any split is as likely)
DISTRACTOR_CONCENTRATION = 1.5


@dataclass(frozen=True)
class RivalSuspicion:
    """An item (its column) on which the able agree on the option `rival`, and `reason`, in words.

    `evidence` is the log Bayes factor of the rival as key against the key; `rival_z` and `key_z` are the slope scores
    of choosing each, above 0 where the able choose it more often.
    """

    item: int
    rival: int
    evidence: float
    rival_z: float
    key_z: float
    reason: str


def option_slopes(choices: ArrayLike, theta: ArrayLike) -> Floats:
    """Slope-score z (m, options) of choosing each option, from choices (n, m) of option indices, -1 for none.

    0 where an option was chosen by nobody or by everybody.
    """
    chosen = choice_matrix(choices)
    ability = finite_vector(theta, len(chosen), "theta")
    answered = chosen != NOT_CHOSEN
    options = max(int(chosen.max(initial=0)) + 1, 2)
    return np.stack([trend(chosen == option, answered, ability) for option in range(options)], axis=1)


def rival_evidence(choices: ArrayLike, key: ArrayLike, theta: ArrayLike, *, options: int = 4) -> Floats:
    """Log Bayes factor (m, options) of each option as the key against the key, which stands at 0.

    `choices` (n, m) are option indices below `options`, -1 for none; `key` (m,) the keyed option; theta (n,) on the
    scale on which item difficulties are about N(0, 1). Raises UsageError where a choice or key is no such index.
    """
    chosen = choice_matrix(choices)
    keys = key_vector(key, chosen.shape[1])
    if options < 2 or (chosen >= options).any() or (keys >= options).any():
        raise UsageError(f"A choice or a key is not among {options} options.", allowed="Indices below their number.")
    counts = np.stack([(chosen == option).sum(axis=0) for option in range(options)], axis=1)
    readings = np.empty(counts.shape)
    for option in range(options):
        read = np.where(chosen == NOT_CHOSEN, np.nan, chosen == option)
        misses = np.delete(counts, option, axis=1)
        readings[:, option] = sound_evidence(read, theta, options=options) + _distractor_evidence(misses)
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
        rivals = rival_evidence(choices[:, places], key[places], theta, options=count)
        rivals[np.arange(len(places)), key[places]] = -np.inf
        best = logsumexp(rivals, axis=1) - np.log(count - 1)
        found[places] = np.logaddexp(wrong_key[places], best) - np.log(2)
    return found


def suspected_rivals(
    choices: ArrayLike,
    key: ArrayLike,
    theta: ArrayLike,
    *,
    options: int = 4,
    prior_share: float = 0.02,
    false_share: float = 0.05,
) -> tuple[RivalSuspicion, ...]:
    """Items whose choices speak for another option as the key, the surest first.

    Arguments as for rival_evidence. `prior_share` of the keys are expected to be wrong, any distractor as likely the
    right one; the expected share of false alarms among the suspected is at most `false_share` (evidence.believed).
    An item that nobody can answer may be among them: its key explains little either.
    """
    evidence = rival_evidence(choices, key, theta, options=options)
    chosen, rows = choice_matrix(choices), np.arange(evidence.shape[0])
    keys, ability = key_vector(key, len(rows)), np.asarray(theta, dtype=np.float64)
    evidence[rows, keys] = -np.inf
    rival = evidence.argmax(axis=1)
    prior = share(prior_share, "The prior share of wrong keys") / (options - 1)
    suspected = believed(evidence[rows, rival], prior_share=prior, false_share=false_share)
    answered = chosen != NOT_CHOSEN
    rival_z, key_z = (trend(chosen == option, answered, ability) for option in (rival, keys))
    found = [
        RivalSuspicion(
            item=int(j),
            rival=int(rival[j]),
            evidence=float(evidence[j, rival[j]]),
            rival_z=float(rival_z[j]),
            key_z=float(key_z[j]),
            reason=_reason(chosen[:, j], int(rival[j]), int(keys[j]), ability),
        )
        for j in np.flatnonzero(suspected)
    ]
    return tuple(sorted(found, key=lambda each: (-each.evidence, each.item)))


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


def _reason(chosen: Ints, rival: int, key: int, ability: Floats) -> str:
    able = chosen[ability >= np.quantile(ability, 2 / 3)]
    return (
        f"of the ablest {len(able)} examinees {int((able == rival).sum())} choose option {rival} "
        f"and {int((able == key).sum())} the key"
    )
