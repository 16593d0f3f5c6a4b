"""From the network's raw score and the figures of the comparison to one score in [0, 1]: a logistic regression
for each kind of pair.

It is fitted to cases that the network was not trained on, where its raw score is as sure as it deserves to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.agents.judges.local.reading import KINDS, TextPair
from viva.agents.judges.offline.comparison import COMPARED
from viva.metrics.text.cosines import COSINE_DECIMALS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FIGURES = ("raw", "cosine", *COMPARED)
COLUMNS = len(FIGURES) + len(COMPARED) + 1
"""Raw score, cosine and comparison; the comparison times the raw score; the raw score squared."""
_PENALTY = 0.3
"""The inverse of the ridge penalty on standardised columns (scikit-learn's C)."""
_FEWEST = 50
"""Pairs of a kind that are worth a regression of their own."""


def columns(raw: Floats, cosines: Floats, pairs: Sequence[TextPair]) -> Floats:
    """What the regression reads, shape (n, COLUMNS)."""
    compared = np.array([pair.comparison.row() for pair in pairs], dtype=np.float64).reshape(
        len(pairs), len(COMPARED)
    )
    bent = np.tanh(raw / 2)
    return np.column_stack([raw, cosines, compared, compared * bent[:, None], bent**2])


@dataclass(frozen=True, eq=False)
class Blend:
    """A fitted regression for each kind: `centre`, `spread`, `weights` (KINDS, COLUMNS), `intercept` (KINDS,)."""

    centre: Floats
    spread: Floats
    weights: Floats
    intercept: Floats

    def scores(self, table: Floats, kinds: Ints) -> Floats:
        """Scores (n,) in [0, 1] of rows (n, COLUMNS), to four decimals."""
        scaled = (table - self.centre[kinds]) / self.spread[kinds]
        sums = (scaled * self.weights[kinds]).sum(axis=1) + self.intercept[kinds]
        return np.asarray(np.round(1 / (1 + np.exp(-np.clip(sums, -30, 30))), COSINE_DECIMALS), dtype=np.float64)


def kinds_of(pairs: Sequence[TextPair]) -> Ints:
    """The kind of each pair, shape (n,)."""
    return np.array([pair.kind for pair in pairs], dtype=np.int64)


def fitted(table: Floats, labels: Floats, kinds: Ints) -> Blend:
    """Regressions of labels (n,) in [0, 1] on rows (n, COLUMNS), one for each kind (n,) of pair.

    A label between 0 and 1 counts as that share of a 1 and the rest of a 0. A kind of which there are fewer than
    _FEWEST shares the regression of all. Where all labels are 0, or all 1, the raw score is taken as it is.
    """
    whole = _regression(table, labels)
    own = [kinds == kind for kind in range(KINDS)]
    found = [_regression(table[of], labels[of]) if of.sum() >= _FEWEST else whole for of in own]
    return Blend(*(np.stack(parts) for parts in zip(*found, strict=True)))


def raw_alone() -> Blend:
    """The raw score through the logistic function, and nothing else, for every kind."""
    return Blend(*(np.stack([part] * KINDS) for part in _raw()))


def _regression(table: Floats, labels: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    from sklearn.linear_model import LogisticRegression

    if not labels.sum() or not (1 - labels).sum():
        return _raw()
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 1e-9, spread, 1.0)
    shares = np.concatenate([labels, 1 - labels])
    truth = np.repeat([1.0, 0.0], len(labels))
    rows, kept = np.vstack([(table - centre) / spread] * 2), shares > 0
    model = LogisticRegression(C=_PENALTY, max_iter=2000)
    model.fit(rows[kept], truth[kept], sample_weight=shares[kept])
    coefficients, intercept = (np.asarray(part[0], dtype=np.float64) for part in (model.coef_, model.intercept_))
    return centre, spread, coefficients, intercept


def _raw() -> tuple[Floats, Floats, Floats, Floats]:
    weights = np.zeros(COLUMNS)
    weights[0] = 1.0
    return np.zeros(COLUMNS), np.ones(COLUMNS), weights, np.zeros(())
