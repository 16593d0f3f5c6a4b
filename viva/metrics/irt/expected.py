"""What share of questions like these an examinee gets right: what was seen, and predictions of what was not."""

from __future__ import annotations

import numpy as np

from viva.core.estimates import Estimate
from viva.metrics.intervals import wilson
from viva.metrics.irt.model.inputs import Floats

# a share of answers that nobody has seen any of is anything
_UNKNOWN = (0.0, 1.0)


def expected_scores(responses: Floats, probability: Floats) -> tuple[Estimate, ...]:
    """Per examinee: the expected share of right answers on questions like these, with an interval.

    From responses (n, m) of 1, 0 and nan (not graded) and the model's probabilities (n, m). The estimate is the mean
    of what was seen and, where a cell is missing, of what is predicted; with every cell graded it is the share of
    right answers. The interval is Wilson's for as many answers as that mean is worth: an answer varies about its
    probability, which only graded cells average out, and probabilities vary between items, which predicted cells
    average out, too (Cochran 1977, Sampling Techniques, ch. 7). It takes items for a sample of their kind, and no
    item parameter for known.
    """
    graded = ~np.isnan(responses)
    count, items = graded.sum(axis=1), responses.shape[1]
    filled = np.where(graded, responses, probability)
    share = filled.mean(axis=1)
    within = (probability * (1 - probability)).mean(axis=1)
    between = probability.var(axis=1)
    variance = within / np.maximum(count, 1) + between / items
    worth = np.clip(share * (1 - share) / np.maximum(variance, 1e-12), count, items)
    return tuple(
        _interval(float(value), float(answers), int(seen))
        for value, answers, seen in zip(share, worth, count, strict=True)
    )


def _interval(share: float, answers: float, seen: int) -> Estimate:
    share = min(max(share, 0.0), 1.0)
    if seen == 0:
        return Estimate(share, *_UNKNOWN)
    found = wilson(share * answers, answers)
    return found or Estimate(share, *_UNKNOWN)
