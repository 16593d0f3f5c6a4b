"""A pass mark: what the answers say of the side on which a system's true share of right answers lies.

The decision is that of the interval of the accuracy, and the probability is the confidence that the same score test
(Wilson 1927) has in the true share being above the mark, so that the two never contradict each other. Consistency is
the probability that a parallel exam, as long and of other questions, puts the system on the same side: by the
beta-binomial distribution of the number of right answers (Huynh 1976; Subkoviak 1976) after those that were seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import numpy as np

from viva.core.estimates import PassDecision, PassMark, PassResult
from viva.core.records import Exam, GradeResult
from viva.core.scores import ExamineeScore
from viva.metrics.clusters import QuestionClusters
from viva.metrics.exam import Accuracy, accuracy
from viva.metrics.intervals import ClusterDesign

# Jeffreys' prior of a share: half an answer of either kind
_PRIOR = 0.5
_ROUNDING = 1e-9


def decisions(
    mark: float,
    rows: Sequence[ExamineeScore],
    exam: Exam,
    grades: Sequence[GradeResult],
    clusters: QuestionClusters,
    unfinished: Set[str] = frozenset(),
) -> PassMark:
    """Of each row with an accuracy; `grades` are means over occasions, with failures as wrong answers.

    Not sure of the examinees whose sitting is `unfinished`: what they were asked is no random part of the exam.
    """
    found = []
    for row in rows:
        times = row.stability.occasions if row.stability else 1
        own = accuracy([each for each in grades if each.examinee_id == row.examinee.id], clusters, times)
        if own.share is not None:
            decided = _decided(row.examinee.id, own, mark, times)
            stopped = {"decision": PassDecision.NOT_SURE} if row.examinee.id in unfinished else {}
            found.append(decided.model_copy(update=stopped))
    design = clusters.design([shown.item.id for shown in exam.items])
    se = math.sqrt(mark * (1 - mark) * design.effect / max(len(exam.items), 1))
    return PassMark(mark=mark, se=se, systems=tuple(found))


def _decided(examinee_id: str, own: Accuracy, mark: float, times: int) -> PassResult:
    share = own.share
    if share is None:
        raise AssertionError("it has an accuracy")
    sure = (
        PassDecision.PASS if share.low > mark else PassDecision.FAIL if share.high < mark else PassDecision.NOT_SURE
    )
    distance = (share.value - mark) / math.sqrt(mark * (1 - mark) / own.worth)
    return PassResult(
        examinee_id=examinee_id,
        decision=sure,
        above=ClusterDesign(freedom=own.freedom).share_below(distance),
        consistency=consistency(share.value, own.worth, mark, own.graded, times),
    )


def consistency(share: float, worth: float, mark: float, questions: int, times: int = 1) -> float:
    """Probability that a parallel exam of as many questions is on the same side of the mark.

    The share was seen in answers worth as many independent ones as `worth`; each question is asked `times`.
    """
    mass = worth + 2 * _PRIOR
    expected = (share * worth + _PRIOR) / mass
    # half a step below the fewest right answers that reach the mark
    reached = (math.ceil(mark * questions * times - _ROUNDING) - 0.5) / (questions * times)
    # variance beyond the binomial: of the true share that is not known, and of questions that hang together
    excess = (questions - 1) / (mass + 1) + questions / worth - 1
    if 0 < excess < questions - 1:
        above = _beta_binomial_above(reached * questions, questions, expected, (questions - 1) / excess - 1)
    else:
        sd = math.sqrt(expected * (1 - expected) * max(1 + excess, _ROUNDING) / questions)
        above = ClusterDesign().share_below((expected - reached) / sd)
    return above if share >= mark - _ROUNDING else 1 - above


def _beta_binomial_above(threshold: float, trials: int, mean: float, mass: float) -> float:
    """Probability of more successes than the threshold, between whole numbers in proportion."""
    from scipy.special import betaln, gammaln

    right = np.arange(trials + 1)
    choose = gammaln(trials + 1) - gammaln(right + 1) - gammaln(trials - right + 1)
    a, b = mean * mass, (1 - mean) * mass
    chances = np.exp(choose + betaln(right + a, trials - right + b) - betaln(a, b))
    above = np.append(chances[::-1].cumsum()[::-1], 0.0)
    return float(min(1.0, np.interp(threshold, np.arange(trials + 2) - 0.5, above)))
