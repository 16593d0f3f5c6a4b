"""How labels of a judge agree with those of people: the confusion matrix and what is read off it.

Labels are numbers (1 and 0 for yes and no; any code for named classes). The `..._of` functions take complete rows
(n, 2) of (judge, people), as `paired.bootstrap` and `paired.compare_judges` ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.metrics.intervals import wilson
from viva.metrics.judges.pairs import Floats, Scores, Undefined, paired_rows, vector


@dataclass(frozen=True, eq=False)
class Confusion:
    """`counts` (k, k): rows are what people said, columns what the judge said, both in the order of `labels` (k,)."""

    labels: tuple[float, ...]
    counts: NDArray[np.int64]
    missing: int

    @property
    def pairs(self) -> int:
        """Rows that both labelled."""
        return int(self.counts.sum())

    def accuracy(self) -> Estimate | None:
        """Share of rows on which they agree, with Wilson's interval; None without rows."""
        return wilson(float(np.trace(self.counts)), self.pairs)

    def recall(self, label: float) -> Estimate | None:
        """Of what people gave this label, the share that the judge gave it too; None where they never did."""
        place = self._place(label)
        return wilson(float(self.counts[place, place]), int(self.counts[place].sum()))

    def precision(self, label: float) -> Estimate | None:
        """Of what the judge gave this label, the share that people gave it too; None where it never did."""
        place = self._place(label)
        return wilson(float(self.counts[place, place]), int(self.counts[:, place].sum()))

    def _place(self, label: float) -> int:
        if label not in self.labels:
            raise UsageError(f"Nobody gave the label {label:g}.", allowed=f"One of {_told(self.labels)}.")
        return self.labels.index(label)


def confusion(judge: Scores, people: Scores) -> Confusion:
    """The counts, over every label that either gave. Raises UsageError for different lengths and infinite labels."""
    paired = paired_rows(judge=judge, people=people)
    labels, counts = _counted(paired.rows)
    return Confusion(tuple(labels.tolist()), counts, paired.missing)


def matthews_of(rows: Floats) -> float | Undefined:
    """Matthews' correlation (1975); for more than two labels Gorodkin's R_K (2004), of which it is a case.

    Undefined without rows, or where the judge or people gave one label throughout (libraries say 0 there).
    """
    _, counts = _counted(rows)
    total, right = counts.sum(), np.trace(counts)
    by_people, by_judge = counts.sum(axis=1), counts.sum(axis=0)
    for name, column in (("judge", by_judge), ("people", by_people)):
        if (column > 0).sum() < 2:
            return Undefined(f"The labels of the {name} are all the same, or there are none.")
    # as floats: the product of two squares outgrows an integer
    spread = np.sqrt(float(total**2 - by_judge @ by_judge)) * np.sqrt(float(total**2 - by_people @ by_people))
    return float(right * total - by_people @ by_judge) / float(spread)


def balanced_accuracy_of(rows: Floats) -> float | Undefined:
    """Mean recall over the labels that people gave (Brodersen et al. 2010); chance is 1 / their number.

    Undefined where people gave fewer than two labels.
    """
    _, counts = _counted(rows)
    given = counts.sum(axis=1) > 0
    if given.sum() < 2:
        return Undefined("The labels of the people are all the same, or there are none.")
    return float((np.diag(counts)[given] / counts.sum(axis=1)[given]).mean())


def at_least(scores: Scores, threshold: float) -> Floats:
    """Scores as labels: 1 from the threshold on, 0 below, nan where missing. Raises UsageError for infinite ones."""
    values = vector(scores, "Scores")
    return np.where(np.isnan(values), np.nan, (values >= threshold).astype(np.float64))


def _counted(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    labels, places = np.unique(rows, return_inverse=True)
    judge, people = places.reshape(rows.shape).T
    size = len(labels)
    return labels, np.bincount(people * size + judge, minlength=size**2).reshape(size, size).astype(np.int64)


def _told(labels: tuple[float, ...]) -> str:
    return ", ".join(f"{label:g}" for label in labels)
