"""How much likelier an item's responses are under a fault than as one of the exam's sound items.

What sound items are like is learned from the exam's other items: a distribution of intercepts and slopes over a grid,
by EM, faults among them allowed for (nonparametric maximum likelihood, Laird 1978, JASA 73, 805-811; drawn a little
towards a wide normal). An item is integrated out over it, under soundness and where a fault distorts a sound item;
where the fault sets the share of right answers itself, over a beta prior of that share. No estimate of the item is
asked, so that a fault which a fit explains away (a wrong key as a hard item of low discrimination) is still seen,
and an exam whose items tell little about ability, or are hard, has not all of them suspected. Log Bayes factors: Kass
& Raftery (1995), JASA 90, 773-795.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, logsumexp

from viva.core.errors import UsageError
from viva.metrics.irt.model.responses import Bools, Floats, Ints, finite_vector, response_matrix

# options of a question that is answered in words, and the fewest of one that is a choice
OPEN, OPTIONS_OF_CHOICE = 0, 2
# one item in fifty is expected to have a given fault
PRIOR_SHARE = 0.02
STRONG = float(np.log(10))
"""Evidence that an item needs to be flagged: the fault explains it ten times better ("strong", Jeffreys 1961)."""
SUFFICIENT = float(np.log(20))
"""Evidence that suffices for a wrong key; of less, the able must also do worse ("strong", Kass & Raftery 1995)."""
# of those who miss the true answer of an open question, who gives the very answer of a wrong key
_SAME_MISTAKE = 0.05
# share of wrong keys that are the mistake which most make; of more, the others are found more rarely
_POPULAR = 0.05
# share of wrong keys of open questions that are a grade the wrong way round, right for wrong: no rate is known
_REVERSED = 0.5
# prior weights in answers: of guessing, and of the share (mean 20/21) that know a leaked answer
_GUESSING_WEIGHT = 20.0
_LEAKED_RIGHT, _LEAKED_WRONG = 20.0, 1.0
# nodes of a sound item: its slope per sd of ability, hardly below 0, and its intercept in logits
_SLOPES, _INTERCEPTS = (-0.25, 3.0, 13), (-4.5, 4.5, 22)
# the wide normal towards which they are drawn (mean and sd), and how many items it is worth
_USUAL_SLOPE, _USUAL_INTERCEPT, _USUAL_WEIGHT = (0.6, 0.6), (0.0, 1.7), 3.0
# nobody is surer of an answer than this: people and systems lapse
_LAPSE = 0.01
_ROUNDS = 15
# so many items tell what an exam's are like
_MOST_LEARNED_FROM = 300
# nodes grow with the examinees: of more a sample tells as much
_MOST_EXAMINEES = 2000
# an item's posterior narrows as 1 / sqrt(examinees): so must the nodes
_EXAMINEES_PER_GRID = 100
_CELLS_PER_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class FaultEvidence:
    """Log Bayes factors (m,) against a sound item: above 0 the fault explains the responses better.

    `wrong_key`: the key is one of the answers that examinees give who miss the true one. `unanswerable`: everybody
    guesses. `leaked`: nearly everybody is right. The latter two are -inf for open questions, all three for items that
    nobody answered.
    """

    wrong_key: Floats
    unanswerable: Floats
    leaked: Floats

    @property
    def reading_order(self) -> Ints:
        """Items (m,) in the order in which to read their keys: most evidence of a wrong key first, ties by place.

        Of few examinees the evidence is seldom strong enough for a flag; the order still tells where to look.
        """
        # to digits that no order of additions changes
        return np.argsort(-np.round(self.wrong_key, 6), kind="stable")


@dataclass(frozen=True, eq=False)
class SoundItems:
    """Items as those of an exam: log-probability of right and wrong (n, q) at q nodes, and log weights of the nodes.

    The weights are (m, q), of all items but the one at hand, or (q,), the same for all.
    """

    right: Floats
    wrong: Floats
    log_weight: Floats

    def marginal(self, values: Floats) -> Floats:
        """Log-probability (m,) of the items' responses (n, m) with each item integrated out."""
        return self._integrated(values, self.likelihood)

    def marginal_wrongly_keyed(self, values: Floats, options: int) -> Floats:
        """The same where the items' keys are wrong."""
        return self._integrated(values, lambda own: self.likelihood_wrongly_keyed(own, options))

    def joint(self, values: Floats, block: slice) -> Floats:
        """Log of weight times likelihood, at each node, of the items of a block, (b, q)."""
        return self.likelihood(values[:, block]) + self._weights_of(block)

    def likelihood(self, values: Floats, of: Bools | None = None) -> Floats:
        """Log-likelihood (m, q) of the responses (n, m), or of those of some of the examinees (n,)."""
        rows = np.ones(len(values), dtype=bool) if of is None else of
        return _log_likelihood(values[rows], self.right[rows], self.wrong[rows])

    def likelihood_wrongly_keyed(self, values: Floats, options: int) -> Floats:
        """Log-likelihood (m, q) where the key is one of the answers that examinees give who miss the true one.

        Mostly one as good as any other; sometimes the mistake that most make. Grades of open questions may be the
        wrong way round.
        """
        any_other = _SAME_MISTAKE if options == OPEN else 1 / (options - 1)
        most_make = min((1 + any_other) / 2, 1 - _LAPSE)
        turned = _REVERSED if options == OPEN else 0.0
        ways = [(any_other, (1 - turned) * (1 - _POPULAR)), (most_make, (1 - turned) * _POPULAR)]
        found = []
        for hit, weight in [*ways, (1 - _LAPSE, turned)] if turned else ways:
            right = self.wrong + np.log(hit)
            found.append(_log_likelihood(values, right, np.log1p(-np.exp(right))) + np.log(weight))
        return np.asarray(logsumexp(np.stack(found), axis=0), dtype=np.float64)

    def blocks(self, items: int) -> Iterator[slice]:
        """So many items at a time as memory allows."""
        step = max(1, _CELLS_PER_BLOCK // self.right.shape[1])
        return (slice(start, start + step) for start in range(0, items, step))

    def _integrated(self, values: Floats, likelihood: Callable[[Floats], Floats]) -> Floats:
        return np.concatenate(
            [
                logsumexp(likelihood(values[:, block]) + self._weights_of(block), axis=1)
                for block in self.blocks(values.shape[1])
            ]
        )

    def _weights_of(self, block: slice) -> Floats:
        return self.log_weight if self.log_weight.ndim == 1 else self.log_weight[block]


def fault_evidence(responses: ArrayLike, theta: ArrayLike, *, options: int | Sequence[int] = 4) -> FaultEvidence:
    """Evidence of three faults per item, from responses (n, m) of 1, 0 and nan and abilities theta (n,).

    Abilities are taken as known; their origin and unit do not matter. Items have `options` options, all as many or
    one number each (0: answered in words); those of one number are compared with each other. Raises UsageError where
    the arrays do not fit together.
    """
    values, ability = response_matrix(responses), finite_vector(theta, len(np.asarray(responses)), "theta")
    found = np.empty((3, values.shape[1]))
    for count, places in by_options(options, values.shape[1]):
        found[:, places] = _faults(values[:, places], sound_items(values[:, places], ability, count), count)
    found[:, np.isnan(values).all(axis=0)] = -np.inf
    return FaultEvidence(*found)


def leak_evidence(
    responses: ArrayLike, theta: ArrayLike, carriers: ArrayLike, *, options: int | Sequence[int] = 4
) -> Floats:
    """Log Bayes factor (k, m) that an item's answer is known to one group alone, against a sound item.

    `carriers` (k, n) tells for each of k groups (the levels of the components) who belongs to it; outside the group
    the item is sound. Other arguments as for fault_evidence; -inf for open questions.
    """
    values, ability = response_matrix(responses), finite_vector(theta, len(np.asarray(responses)), "theta")
    groups = np.asarray(carriers, dtype=bool)
    if groups.ndim != 2 or groups.shape[1] != len(values):
        raise UsageError(f"Groups have the shape {groups.shape}.", allowed=f"(groups, {len(values)}).")
    evidence = np.full((len(groups), values.shape[1]), -np.inf)
    for count, places in by_options(options, values.shape[1]):
        if count != OPEN:
            own = values[:, places]
            evidence[:, places] = _leaks(own, sound_items(own, ability, count), groups)
    return evidence


def by_options(options: int | Sequence[int], items: int) -> Iterator[tuple[int, Ints]]:
    """Each number of options and the places of the items that have so many. UsageError for one option."""
    given = np.asarray(options)
    if given.dtype.kind not in "iu" or given.shape not in {(), (items,)}:
        raise UsageError("The numbers of options are not known.", allowed="One whole number, or one for each item.")
    counts = np.broadcast_to(given.astype(np.int64), items)
    for count in np.unique(counts).tolist():
        if count != OPEN and count < OPTIONS_OF_CHOICE:
            raise UsageError(f"Items cannot have {count} options.", allowed="At least 2, or 0: answered in words.")
        yield count, np.flatnonzero(counts == count)


def sound_items(values: Floats, theta: Floats, options: int) -> SoundItems:
    """What the sound items of responses (n, m) are like, as far as the others tell, for abilities theta (n,)."""
    if len(theta) > _MOST_EXAMINEES:
        raise UsageError(
            f"Faults are judged on at most {_MOST_EXAMINEES:,} examinees, and here are {len(theta):,}.",
            next_step="Draw some of them.",
        )
    items = _usual_items(theta, options)
    learned_from = np.unique(np.linspace(0, values.shape[1] - 1, _MOST_LEARNED_FROM).astype(np.int64))
    seen, usual = values[:, learned_from], np.exp(items.log_weight)
    # a share that everybody has in common tells nothing of what sound items are like
    shared = [np.log(PRIOR_SHARE) + each for each in _shared(seen, options)]
    expected = np.logaddexp(
        np.log1p(-PRIOR_SHARE * (1 + len(shared))) + items.likelihood(seen),
        np.log(PRIOR_SHARE) + items.likelihood_wrongly_keyed(seen, options),
    )
    log_weight = items.log_weight
    for _ in range(_ROUNDS):
        joint = expected + log_weight
        whole = logsumexp(np.stack([logsumexp(joint, axis=1), *shared]), axis=0)
        own = np.exp(joint - whole[:, None])
        weight = own.sum(axis=0) + _USUAL_WEIGHT * usual
        log_weight = np.log(weight / weight.sum())
    if len(learned_from) == values.shape[1]:
        # an item is no witness of itself: few examinees or items, and it would pass for one of its own kind
        weight = np.maximum(weight - own, _USUAL_WEIGHT * usual)
        log_weight = np.log(weight / weight.sum(axis=1, keepdims=True))
    return SoundItems(items.right, items.wrong, log_weight)


def _faults(values: Floats, sound: SoundItems, options: int) -> Floats:
    """The evidence of FaultEvidence, (3, m), of items that have the same number of options."""
    base = sound.marginal(values)
    found = np.full((3, values.shape[1]), -np.inf)
    found[0] = sound.marginal_wrongly_keyed(values, options) - base
    for row, shared in enumerate(_shared(values, options), 1):
        found[row] = shared - base
    return found


def _shared(values: Floats, options: int) -> tuple[Floats, ...]:
    """Log-probability (m,) of each item's responses where everybody guesses, and where nearly everybody knows."""
    if options == OPEN:
        return ()
    guess = _GUESSING_WEIGHT / options
    return (
        _share_marginal(values, guess, _GUESSING_WEIGHT - guess),
        _share_marginal(values, _LEAKED_RIGHT, _LEAKED_WRONG),
    )


def _leaks(values: Floats, sound: SoundItems, groups: Bools) -> Floats:
    evidence = np.empty((len(groups), values.shape[1]))
    for block in sound.blocks(values.shape[1]):
        joint = sound.joint(values, block)
        base = _summed(joint.copy())
        for k, group in enumerate(groups):
            outside = joint - sound.likelihood(values[:, block], group)
            known = _share_marginal(values[group][:, block], _LEAKED_RIGHT, _LEAKED_WRONG)
            evidence[k, block] = _summed(outside) + known - base
    return evidence


def _summed(logs: Floats) -> Floats:
    """logsumexp of each row of finite numbers, in their own memory: groups may be as many as examinees."""
    highest = logs.max(axis=1)
    logs -= highest[:, None]
    return np.asarray(np.log(np.exp(logs, out=logs).sum(axis=1)) + highest, dtype=np.float64)


def _usual_items(theta: Floats, options: int) -> SoundItems:
    """The nodes at abilities theta (n,), weighted by the wide normal; a guess is right at 1 / options, or never."""
    fineness = ceil(np.sqrt(max(len(theta), 1) / _EXAMINEES_PER_GRID))
    spread = float(theta.std()) if len(theta) else 0.0
    ability = (theta - theta.mean()) / spread if spread > 0 else np.zeros(len(theta))
    slopes, intercepts = (np.linspace(low, high, steps * fineness + 1) for low, high, steps in (_SLOPES, _INTERCEPTS))
    guesses = np.array([0.0] if options == OPEN else [0.0, 1 / options])
    slope, intercept, guess = (mesh.ravel() for mesh in np.meshgrid(slopes, intercepts, guesses, indexing="ij"))
    known = expit(slope * ability[:, None] + intercept)
    right = np.clip(guess + (1 - guess) * known, _LAPSE, 1 - _LAPSE)
    log_weight = -0.5 * sum(
        ((each - mean) / sd) ** 2 for each, (mean, sd) in ((slope, _USUAL_SLOPE), (intercept, _USUAL_INTERCEPT))
    )
    return SoundItems(np.log(right), np.log1p(-right), np.asarray(log_weight - logsumexp(log_weight)))


def _log_likelihood(values: Floats, right: Floats, wrong: Floats) -> Floats:
    """Of responses (n, m) at q nodes, whose log-probabilities of right and wrong are (n, q): (m, q)."""
    hits, misses = (values == 1).astype(np.float64), (values == 0).astype(np.float64)
    return np.asarray(hits.T @ right + misses.T @ wrong, dtype=np.float64)


def _share_marginal(values: Floats, alpha: float, beta: float) -> Floats:
    """Log-probability (m,) of each item's responses where everybody is right with one share ~ Beta(alpha, beta)."""
    right, wrong = (values == 1).sum(axis=0), (values == 0).sum(axis=0)
    return np.asarray(betaln(alpha + right, beta + wrong) - betaln(alpha, beta), dtype=np.float64)
