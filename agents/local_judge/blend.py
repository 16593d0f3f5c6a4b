"""From the network's raw score and the figures of the comparison to one score in [0, 1]: a logistic regression.

It is fitted to cases that the network was not trained on, where its raw score is as sure as it deserves to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.agents.local_judge.reading import TextPair
from viva.agents.offline_judges.comparison import COMPARED

Floats = NDArray[np.float64]
FIGURES = ("raw", "cosine", *COMPARED)
COLUMNS = len(FIGURES) + len(COMPARED) + 1
"""Raw score, cosine and comparison; the comparison times the raw score; the raw score squared."""
_PENALTY = 0.3
"""The inverse of the ridge penalty on standardised columns (scikit-learn's C)."""


def columns(raw: Floats, cosines: Floats, pairs: Sequence[TextPair]) -> Floats:
    """What the regression reads, shape (n, COLUMNS)."""
    compared = np.array([pair.comparison.row() for pair in pairs], dtype=np.float64).reshape(
        len(pairs), len(COMPARED)
    )
    bent = np.tanh(raw / 2)
    return np.column_stack([raw, cosines, compared, compared * bent[:, None], bent**2])


@dataclass(frozen=True, eq=False)
class Blend:
    """A fitted regression: `centre`, `spread` and `weights`, each (COLUMNS,), and an intercept."""

    centre: Floats
    spread: Floats
    weights: Floats
    intercept: float

    def scores(self, table: Floats) -> Floats:
        """Scores (n,) in [0, 1] of rows (n, COLUMNS), to six decimals: further ones depend on the machine."""
        sums = ((table - self.centre) / self.spread) @ self.weights + self.intercept
        return np.round(1 / (1 + np.exp(-np.clip(sums, -30, 30))), 6)


def fitted(table: Floats, labels: Floats, weights: Floats | None = None) -> Blend:
    """The regression of labels (n,) in [0, 1] on rows (n, COLUMNS).

    A label between 0 and 1 counts as that share of a 1 and the rest of a 0. Where all labels are 0, or all 1, the raw
    score is all that is known, and is taken as it is.
    """
    from sklearn.linear_model import LogisticRegression

    own = np.ones(len(labels)) if weights is None else weights
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 1e-9, spread, 1.0)
    shares = np.concatenate([own * labels, own * (1 - labels)])
    if not (own * labels).sum() or not (own * (1 - labels)).sum():
        return raw_alone()
    rows = np.vstack([table, table])
    truth = np.concatenate([np.ones(len(labels)), np.zeros(len(labels))])
    kept = shares > 0
    model = LogisticRegression(C=_PENALTY, max_iter=2000)
    model.fit(((rows - centre) / spread)[kept], truth[kept], sample_weight=shares[kept])
    return Blend(centre, spread, np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0]))


def raw_alone() -> Blend:
    """The raw score through the logistic function, and nothing else."""
    weights = np.zeros(COLUMNS)
    weights[0] = 1.0
    return Blend(np.zeros(COLUMNS), np.ones(COLUMNS), weights, 0.0)
