"""How much likelier an item's responses are under a fault than under a sound item of the model.

The item is integrated out: under soundness, and where a fault distorts a sound item, over its prior (b ~ N(0,1), log
a normal, c beta with mean 1/options); where the fault sets the share of right answers itself, over a beta prior of
that share. No estimate of the item is asked, so that a fault which a fit explains away (a wrong key as a very hard
item of low discrimination) is still seen. Log Bayes factors: Kass & Raftery (1995), JASA 90, 773-795.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, logsumexp

from viva.core.errors import UsageError
from viva.metrics.irt.discoveries import expected_false_share
from viva.metrics.irt.inputs import Bools, Floats, Ints, finite_vector, response_matrix, share

LOG_A_SD = 0.5
# options of a question that is answered in words, and the fewest of one that is a choice
OPEN, OPTIONS_OF_CHOICE = 0, 2
# prior weights in answers: of guessing, and of the share (mean 20/21) that know a leaked answer
GUESSING_WEIGHT = 20.0
LEAKED_RIGHT, LEAKED_WRONG = 20.0, 1.0
# an item's posterior narrows as 1 / sqrt(examinees): so must the nodes
_EXAMINEES_PER_GRID = 100
_CELLS_PER_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class FaultEvidence:
    """Log Bayes factors (m,) against a sound item: above 0 the fault explains the responses better.

    `wrong_key`: the key is one of the options that examinees take who miss the true answer. `unanswerable`: everybody
    guesses. `leaked`: nearly everybody is right.
    """

    wrong_key: Floats
    unanswerable: Floats
    leaked: Floats


@dataclass(frozen=True, eq=False)
class _Items:
    """Nodes of an item's prior: log-probability of right and wrong (n, q) at the abilities, log weights (q,)."""

    right: Floats
    wrong: Floats
    log_weight: Floats


def sound_evidence(responses: ArrayLike, theta: ArrayLike, *, options: int = 4) -> Floats:
    """Log-probability (m,) of each item's responses as a sound item; arguments as for fault_evidence."""
    values, ability = response_matrix(responses), finite_vector(theta, len(np.asarray(responses)), "theta")
    return _marginal(values, _prior_items(ability, options))


def on_item_scale(theta: Floats, b: Floats) -> Floats:
    """Abilities (n,) where difficulties (m,) have mean 0 and an sd of at most 1, as the evidence takes them to have.

    An exam of systems that read and systems that do not has difficulties of sd 2 to 3: taken as they are, its hardest
    items look unanswerable.
    """
    return np.asarray((theta - b.mean()) / max(1.0, float(b.std())), dtype=np.float64)


def fault_evidence(responses: ArrayLike, theta: ArrayLike, *, options: int | Sequence[int] = 4) -> FaultEvidence:
    """Evidence of three faults per item, from responses (n, m) of 1, 0 and nan and abilities theta (n,).

    Abilities are taken as known and on the scale on which item difficulties are about N(0, 1). Items have `options`
    options, all as many or one number each; of open questions (0) these faults are not judged: -inf. Raises
    UsageError where the arrays do not fit together.
    """
    values, ability = response_matrix(responses), finite_vector(theta, len(np.asarray(responses)), "theta")
    found = np.full((3, values.shape[1]), -np.inf)
    for count, places in by_options(options, values.shape[1]):
        found[:, places] = _faults(values[:, places], ability, count)
    return FaultEvidence(*found)


def by_options(options: int | Sequence[int], items: int) -> Iterator[tuple[int, Ints]]:
    """Each number of options and the places of the items that have so many; open questions (0) are left out."""
    counts = np.broadcast_to(np.asarray(options, dtype=np.int64), items)
    for count in np.unique(counts[counts != OPEN]).tolist():
        yield count, np.flatnonzero(counts == count)


def _faults(values: Floats, ability: Floats, options: int) -> Floats:
    """The evidence of FaultEvidence, (3, m), of items that have the same number of options."""
    sound = _prior_items(ability, options)
    # whoever misses the true answer takes one of the other options, the wrong key among them
    picked = sound.wrong - np.log(options - 1)
    swapped = _Items(picked, np.log1p(-np.exp(picked)), sound.log_weight)
    base = _marginal(values, sound)
    guess = GUESSING_WEIGHT / options
    return np.stack(
        [
            _marginal(values, swapped) - base,
            _share_marginal(values, guess, GUESSING_WEIGHT - guess) - base,
            _share_marginal(values, LEAKED_RIGHT, LEAKED_WRONG) - base,
        ]
    )


def leak_evidence(
    responses: ArrayLike, theta: ArrayLike, carriers: ArrayLike, *, options: int | Sequence[int] = 4
) -> Floats:
    """Log Bayes factor (k, m) that an item's answer is known to one group alone, against a sound item.

    `carriers` (k, n) tells for each of k groups (the levels of the components) who belongs to it; outside the group
    the item is sound. Other arguments as for fault_evidence.
    """
    values, ability = response_matrix(responses), finite_vector(theta, len(np.asarray(responses)), "theta")
    groups = np.asarray(carriers, dtype=bool)
    if groups.ndim != 2 or groups.shape[1] != len(values):
        raise UsageError(f"Groups have the shape {groups.shape}.", allowed=f"(groups, {len(values)}).")
    evidence = np.full((len(groups), values.shape[1]), -np.inf)
    for count, places in by_options(options, values.shape[1]):
        evidence[:, places] = _leaks(values[:, places], ability, groups, count)
    return evidence


def _leaks(values: Floats, ability: Floats, groups: Bools, options: int) -> Floats:
    sound = _prior_items(ability, options)
    evidence = np.empty((len(groups), values.shape[1]))
    for block in _blocks(values.shape[1], len(sound.log_weight)):
        joint = _log_joint(values[:, block], sound)
        base = logsumexp(joint, axis=1)
        for k, group in enumerate(groups):
            inside = values[group][:, block]
            outside = joint - _log_likelihood(
                inside, _Items(sound.right[group], sound.wrong[group], sound.log_weight)
            )
            known = _share_marginal(inside, LEAKED_RIGHT, LEAKED_WRONG)
            evidence[k, block] = logsumexp(outside, axis=1) + known - base
    return evidence


def believed(evidence: Floats, *, prior_share: float = 0.02, false_share: float = 0.05) -> Bools:
    """Which faults to believe, of the shape of the log Bayes factors `evidence` (..., m).

    Before the responses each has the probability `prior_share`. The posterior expected share of false alarms among
    those believed is at most `false_share` (discoveries.expected_false_share).
    """
    prior = share(prior_share, "The prior share of faults")
    sound = expit(-(evidence + np.log(prior) - np.log1p(-prior)))
    return np.asarray(expected_false_share(sound) <= share(false_share, "The share of false alarms"))


def _prior_items(theta: Floats, options: int) -> _Items:
    if options < OPTIONS_OF_CHOICE:
        raise UsageError(f"Items cannot have {options} options.", allowed="At least 2.")
    fineness = ceil(np.sqrt(max(len(theta), 1) / _EXAMINEES_PER_GRID))
    b = np.linspace(-3.5, 3.5, 20 * fineness)
    log_a = np.linspace(-2.4, 2.4, 8 * fineness + 1)
    c, log_c_weight = _guessing_nodes(options)
    log_weight = (-0.5 * log_a**2)[:, None, None] - 0.5 * (b**2)[None, :, None] + log_c_weight[None, None, :]
    a_nodes, b_nodes, c_nodes = (mesh.ravel() for mesh in np.meshgrid(np.exp(LOG_A_SD * log_a), b, c, indexing="ij"))
    z = a_nodes * (theta[:, None] - b_nodes)
    log_known, log_unknown = -np.logaddexp(0, -z), -np.logaddexp(0, z)
    return _Items(
        right=np.logaddexp(np.log(c_nodes), np.log1p(-c_nodes) + log_known),
        wrong=np.log1p(-c_nodes) + log_unknown,
        log_weight=log_weight.ravel() - logsumexp(log_weight),
    )


def _guessing_nodes(options: int) -> tuple[Floats, Floats]:
    mean = 1 / options
    sd = np.sqrt(mean * (1 - mean) / (GUESSING_WEIGHT + 1))
    # three-point Gauss-Hermite: mean and spread of the beta prior
    nodes = mean + sd * np.sqrt(3) * np.array([-1.0, 0.0, 1.0])
    return np.clip(nodes, 0.01, 0.99), np.log(np.array([1, 4, 1]) / 6)


def _marginal(values: Floats, items: _Items) -> Floats:
    """Log-probability (m,) of each item's responses with the item integrated out."""
    found = np.empty(values.shape[1])
    for block in _blocks(values.shape[1], len(items.log_weight)):
        found[block] = logsumexp(_log_joint(values[:, block], items), axis=1)
    return found


def _log_joint(values: Floats, items: _Items) -> Floats:
    """Log of prior times likelihood of each item's responses at each node, (m, q)."""
    return _log_likelihood(values, items) + items.log_weight


def _log_likelihood(values: Floats, items: _Items) -> Floats:
    right, wrong = (values == 1).astype(np.float64), (values == 0).astype(np.float64)
    return np.asarray(right.T @ items.right + wrong.T @ items.wrong, dtype=np.float64)


def _blocks(items: int, nodes: int) -> Iterator[slice]:
    step = max(1, _CELLS_PER_BLOCK // nodes)
    return (slice(start, start + step) for start in range(0, items, step))


def _share_marginal(values: Floats, alpha: float, beta: float) -> Floats:
    """Log-probability (m,) of each item's responses where everybody is right with one share ~ Beta(alpha, beta)."""
    right, wrong = (values == 1).sum(axis=0), (values == 0).sum(axis=0)
    return np.asarray(betaln(alpha + right, beta + wrong) - betaln(alpha, beta), dtype=np.float64)
