"""What a judge is tuned for: a score for each case, which optimizers add up, and the figure of all, which decides.

Optimizers can only add up cases, and people's labels are agreed with in rank or in class, which is no sum. So the
search goes by `Objective.of_case`, and what it found is told apart by `Objective.standing` on the validation part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from viva.core.errors import UsageError
from viva.core.records.judging import Judgement, LabelledCase, Quality, Unjudged
from viva.metrics.judges.agreement import absolute_error_of, spearman_of
from viva.metrics.judges.confusion import balanced_accuracy_of, matthews_of
from viva.metrics.judges.pairs import Floats, Statistic, Undefined

IN_CLASSES: Mapping[Quality, tuple[float, ...]] = {
    Quality.ANSWERABILITY: (0.0, 1.0),
    Quality.PREFERENCE: (0.0, 0.5, 1.0),
}
"""Qualities whose judges name a class, and the classes; those of the others give grades."""
HALF = 0.5
SAME = 1e-6
"""Figures no further apart are the same: scores are of 32 bits, and sums of them differ by their order."""
MORE_UNJUDGED = 0.02
"""Share of the cases that a judge may leave unjudged beyond what the base leaves."""

Said = Sequence[Judgement | Unjudged]


@dataclass(frozen=True, order=True)
class Standing:
    """How a judge stands on some cases, the better the greater: first what it is tuned for, then the second figure.

    `merit` is `value`, and 0 where that is undefined (a judge that always says the same agrees with nobody).
    """

    merit: float
    second: float


@dataclass(frozen=True)
class Objective:
    """Spearman's rho for grades, Matthews' correlation for classes; where a judge is constant, the second figure.

    The second figure is the mean absolute error, negated, for grades, and balanced accuracy for classes: both are
    defined for a judge that always says the same. `usual` is what a constant judge is off by, for grades;
    `weights` make the sum over cases proportional to balanced accuracy, for classes.
    """

    in_classes: bool
    usual: float
    weights: tuple[tuple[float, float], ...]

    @property
    def name(self) -> str:
        """Of the figure that is tuned for, as it stands in a card."""
        return "mcc" if self.in_classes else "spearman"

    @property
    def second_name(self) -> str:
        """Of the figure that decides where the first is undefined."""
        return "balanced accuracy" if self.in_classes else "mean absolute error (negated)"

    @property
    def statistic(self) -> Statistic:
        """What is tuned for, of rows (judge, people)."""
        return matthews_of if self.in_classes else spearman_of

    @property
    def second(self) -> Statistic:
        """What decides where the first is undefined; more is better."""
        return balanced_accuracy_of if self.in_classes else _less_error

    def of_case(self, label: float, said: Judgement | Unjudged) -> float:
        """0 to 1 for one case; half is what a judge gets on average that always says the middle of all labels.

        Not judged is 0. For classes, right is 1 for the rarest class and less for a frequent one.
        """
        if isinstance(said, Unjudged):
            return 0.0
        if self.in_classes:
            return dict(self.weights).get(label, 1.0) if said.score == label else 0.0
        return max(0.0, 1.0 - abs(said.score - label) / (2 * self.usual))

    def standing(self, cases: Sequence[LabelledCase], said: Said) -> Standing:
        """How a judge that said this stands on these cases; what it left unjudged is out."""
        rows = paired(cases, said)
        first, second = self.statistic(rows), self.second(rows)
        return Standing(
            merit=0.0 if isinstance(first, Undefined) else first,
            second=-1.0 if isinstance(second, Undefined) else second,
        )


def objective_for(quality: Quality, train: Sequence[LabelledCase]) -> Objective:
    """The objective of a quality, its scale taken from the labels of the training part. UsageError without labels."""
    if not train:
        raise UsageError("There is no labelled case to learn from.")
    labels = [each.label for each in train]
    if quality in IN_CLASSES:
        # a preference is asked in both orders: a place that won more often must earn no more
        turned = [1 - label for label in labels] if quality is Quality.PREFERENCE else []
        counts = Counter([*labels, *turned])
        rarest = min(counts.values())
        return Objective(True, 1.0, tuple(sorted((label, rarest / count) for label, count in counts.items())))
    middle = median(labels)
    off = sum(abs(label - middle) for label in labels) / len(labels)
    return Objective(False, off or 1.0, ())


def scores(said: Said) -> list[float | None]:
    """A score for each case, None where there is none."""
    return [each.score if isinstance(each, Judgement) else None for each in said]


def unjudged(said: Said) -> int:
    """How many cases were not judged."""
    return sum(isinstance(each, Unjudged) for each in said)


def leaves_more(said: Said, base: Said) -> bool:
    """Whether a judge leaves noticeably more cases unjudged than the base: what it says is then of other cases."""
    return unjudged(said) > unjudged(base) + MORE_UNJUDGED * len(base)


def paired(cases: Sequence[LabelledCase], said: Said) -> Floats:
    """Rows (n, 2) of judge and people, those without a judgement left out."""
    rows = [(one, each.label) for each, one in zip(cases, scores(said), strict=True) if one is not None]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def _less_error(rows: Floats) -> float | Undefined:
    error = absolute_error_of(rows)
    return error if isinstance(error, Undefined) else -error
