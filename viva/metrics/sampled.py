"""Accuracy on the whole exam of an examinee who was asked a random sample of its questions.

The estimate is what was answered, plus what the response model predicts of the other questions from these answers,
plus a correction: the mean by which the answers are better or worse than predicted (a difference estimator: Särndal,
Swensson & Wretman 1992, 6.3). The correction is shrunk by its own noise against what the prediction may be wrong by,
so that five questions move the estimate little and two hundred decide it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.estimates import Ability, Estimate
from viva.core.records import Exam, Examinee, Grade, GradeResult, ItemParameters, Response
from viva.metrics.exam import failures_wrong, grade, right_or_wrong
from viva.metrics.intervals import Z, wilson

if TYPE_CHECKING:
    from viva.core.scores import SampleScore, Scores

Floats = NDArray[np.float64]

SCORE_MISFIT = 0.06
"""Standard deviation of an examinee's accuracy around any that the model allows: the least by which 94.5% of the 95%
intervals hold on all public sets but one, whichever is left out (docs/decisions/0013)."""
FEWEST_EXAMINEES = 5
"""With fewer, questions are hardly known, and neither is how far abilities lie apart."""
LEAST_ABILITY_SD = 0.5
"""Examinees that are all alike do not make sure that the next one is like them."""
# 385 nodes over 6 sds either way: good to 1e-5 while the posterior is no narrower than a fortieth of the prior
_NODES = np.linspace(-6.0, 6.0, 385)
_SMALL = "small topics"


@dataclass(frozen=True, eq=False)
class Bank:
    """Items a, b, c (m,) on one scale, and mean and standard deviation of the abilities of who answered them all."""

    a: Floats
    b: Floats
    c: Floats
    ability_mean: float = 0.0
    ability_sd: float = 1.0


def drawing_order(topics: Sequence[str], difficulty: ArrayLike, seed: int) -> list[int]:
    """All items, in the order in which they are drawn.

    Systematic sampling from a random start along the items sorted by topic and difficulty, in van der Corput's order:
    each item is as likely as any other to be the first, the second, and so on, and the first few of them, however
    many, are spread evenly over topics and difficulties.
    """
    line = np.lexsort((np.asarray(difficulty, dtype=np.float64), np.array(topics)))
    start = np.random.default_rng(seed).integers(len(line))
    # so many points come to every place at least once
    bits = math.ceil(math.log2(len(line)))
    place = np.arange(2**bits)
    points = sum(((place >> bit) & 1) / 2 ** (bit + 1) for bit in range(bits)) + np.zeros(2**bits)
    return [int(line[place]) for place in dict.fromkeys(((points * len(line)).astype(np.int64) + start) % len(line))]


def whole_exam_accuracy(bank: Bank, graded: Mapping[int, float]) -> Estimate:
    """Share of right answers on all items of the bank, with an interval.

    `graded` are the answers (1 or 0) to items (their places in the bank) that were drawn at random.
    """
    # slow to import, and a gate that draws its questions needs neither
    from scipy.special import softmax

    from viva.metrics.irt.model.curves import log_probabilities_3pl, probability_3pl

    asked, answers = np.array(list(graded), dtype=np.int64), np.array(list(graded.values()), dtype=np.float64)
    rest, size = np.setdiff1d(np.arange(len(bank.a)), asked), len(bank.a)
    theta = bank.ability_mean + bank.ability_sd * _NODES
    log_right, log_wrong = log_probabilities_3pl(theta, bank.a[asked], bank.b[asked], bank.c[asked])
    weights = softmax(-0.5 * _NODES**2 + np.where(answers == 1, log_right, log_wrong).sum(axis=1))
    p = probability_3pl(theta, bank.a, bank.b, bank.c)
    total = p[:, rest].sum(axis=1)
    predicted = float(weights @ total)
    known = float(weights @ ((total - predicted) ** 2 + (p[:, rest] * (1 - p[:, rest])).sum(axis=1)))
    excess, misfit = _excess((weights @ p)[asked], answers)
    half = Z * (known + misfit * len(rest) ** 2) ** 0.5
    right = float(answers.sum())
    low, high = right / size, 1 - (len(asked) - right) / size
    estimate = min(max((right + predicted + excess * len(rest)) / size, low), high)
    return Estimate(estimate, max(estimate - half / size, low), min(estimate + half / size, high))


def _excess(p: Floats, answers: Floats) -> tuple[float, float]:
    """By what share of right answers the examinee exceeds the predicted p (k,), and the variance left of misfit."""
    misfit = SCORE_MISFIT**2
    if not len(p):
        return 0.0, misfit
    noise = float(np.mean(p * (1 - p))) / len(p)
    weight = misfit / (misfit + noise)
    return weight * float(np.mean(answers - p)), misfit * (1 - weight)


# --- of an exam and its scores ------------------------------------------------------------------------------


def drawn_ids(exam: Exam, scores: Scores | None, sample: int, seed: int) -> list[str]:
    """Ids of all questions in the order in which they are drawn, with the difficulties that the scores know.

    Topics too small for a question of their own in a sample of this size are one.
    """
    known = _parameters(scores)
    ids, topics = [each.item.id for each in exam.items], [each.item.topic for each in exam.items]
    counts = Counter(topics)
    strata = [_SMALL if counts[topic] * sample < len(topics) else topic for topic in topics]
    difficulty = [known[i].difficulty if i in known else 0.0 for i in ids]
    return [ids[place] for place in drawing_order(strata, difficulty, seed)]


def sample_score(
    examinee: Examinee,
    exam: Exam,
    scores: Scores | None,
    responses: Sequence[Response],
    judged: Mapping[str, GradeResult],
) -> SampleScore:
    """What an examinee's responses to a random sample of the exam's questions say of its accuracy on all of them.

    Failures count as wrong answers; an examinee without a graded answer has no accuracy. By the model that was fitted
    for the scores; without one, by enough examinees, it is the share of right answers.
    """
    from viva.core.scores import SampleScore

    shown = {each.item.id: each for each in exam.items}
    counted = {row.item_id for row in scores.items} if scores else set(shown)
    grades = [right_or_wrong(grade(shown[r.item_id], r, judged)) for r in responses]
    answers = [r for r in responses if r.failure is None]
    answered = any(isinstance(g, Grade) for g in grades)
    counts = failures_wrong(list(zip(responses, grades, strict=True))) if answered else []
    right = {g.item_id: g.score for g in counts if isinstance(g, Grade) and g.item_id in counted}
    known, bank = _parameters(scores), _bank(scores)
    places = {item_id: place for place, item_id in enumerate(known)}
    if bank and right:
        found: Estimate | None = whole_exam_accuracy(bank, {places[i]: score for i, score in right.items()})
    else:
        found = wilson(sum(right.values()), len(right))
    return SampleScore(
        examinee=examinee,
        asked=len(responses),
        items=len(exam.items),
        ungraded=sum(not isinstance(g, Grade) for g in grades),
        failures=dict(sorted(Counter(r.failure.kind.value for r in responses if r.failure).items())),
        no_choice=sum(r.choice is None and not shown[r.item_id].item.is_open for r in answers),
        accuracy=found,
        by_model=bank is not None,
    )


def _parameters(scores: Scores | None) -> dict[str, ItemParameters]:
    return {row.item_id: row.parameters for row in scores.items if row.parameters} if scores else {}


def _bank(scores: Scores | None) -> Bank | None:
    """None where the fit did not converge, or rests on too few examinees."""
    known = [row.ability for row in scores.examinees if row.ability is not None] if scores else []
    if not scores or not scores.measurement or not scores.measurement.converged or len(known) < FEWEST_EXAMINEES:
        return None
    # who is outside of what the exam measures is taken at the bound: left out, all others would seem alike
    abilities = np.array([each.place for each in known])
    # what abilities vary by beyond their errors
    errors = [each.se**2 for each in known if isinstance(each, Ability)]
    variance = float(abilities.var(ddof=1) - sum(errors) / len(known))
    items = list(_parameters(scores).values())
    return Bank(
        np.array([each.discrimination for each in items]),
        np.array([each.difficulty for each in items]),
        np.array([each.guessing for each in items]),
        float(abilities.mean()),
        max(float(np.sqrt(max(variance, 0.0))), LEAST_ABILITY_SD),
    )
