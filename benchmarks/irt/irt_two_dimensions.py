"""Do two dimensions estimate accuracies better, with answers missing and from a sample of the questions?

    python benchmarks/irt/irt_two_dimensions.py           # the sets in ../shared/calibration/irt_matrices
    python benchmarks/irt/irt_two_dimensions.py FOLDER

Of each set panels of 12, 16 (6 each) and 40 examinees (4) x 120 items are drawn. Missing: a third of the answers of
every second examinee is taken out. Sample: 3 (of 40: 5) examinees that are not in the panel are asked 20 questions.
Printed is the mean absolute error of the estimated share of right answers on all 120, by size, over the sets.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from irt_real import FOLDER, read_matrix
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.irt.checks.factors import fit_factors
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.sampled import LEAST_ABILITY_SD, SCORE_MISFIT, Bank, drawing_order, whole_exam_accuracy

Floats = NDArray[np.float64]

SIZES = ((12, 6, 3), (16, 6, 3), (40, 4, 5))
ITEMS, ASKED, MISSING = 120, 20, 0.33
WAYS = ("share", "response model", "one factor", "two factors")


def sample_errors(panel: Floats, answers: Floats, seed: int) -> list[float]:
    """Of each way, for one examinee (m,) that is asked a sample."""
    found = fit(panel)
    bank = Bank(
        found.a, found.b, found.c, float(found.theta.mean()), max(float(found.theta.std(ddof=1)), LEAST_ABILITY_SD)
    )
    order = drawing_order([""] * ITEMS, found.b, seed)[:ASKED]
    seen, rest = answers[order], np.setdiff1d(np.arange(ITEMS), order)
    row = np.full(ITEMS, np.nan)
    row[order] = seen
    estimates = [float(seen.mean()), whole_exam_accuracy(bank, dict(zip(order, seen.tolist(), strict=True))).value]
    for dimensions in (1, 2):
        p = fit_factors(np.vstack([panel, row]), dimensions).probability[-1]
        asked = p[order]
        weight = SCORE_MISFIT**2 / (SCORE_MISFIT**2 + float((asked * (1 - asked)).mean()) / ASKED)
        excess = weight * float((seen - asked).mean())
        estimates.append(float(seen.sum() + p[rest].sum() + excess * len(rest)) / ITEMS)
    return [abs(each - float(answers.mean())) for each in estimates]


def missing_errors(panel: Floats, draw: np.random.Generator) -> Floats:
    """Of each way (4, k), for every second examinee of the panel."""
    hidden = (draw.random(panel.shape) < MISSING) & (np.arange(len(panel)) % 2 == 0)[:, None]
    holes = np.where(hidden, np.nan, panel)
    filled = [
        np.where(hidden, p, panel).mean(axis=1)
        for p in (fit(holes).predict(), fit_factors(holes, 1).probability, fit_factors(holes, 2).probability)
    ]
    return np.abs(np.stack([np.nanmean(holes, axis=1), *filled]) - panel.mean(axis=1))[:, ::2]


def main(folder: Path) -> None:
    """Print the mean errors by size."""
    matrices = [read_matrix(path, 1)[0] for path in sorted(folder.glob("*.csv"))]
    for examinees, exams, sittings in SIZES:
        errors = defaultdict[str, list[Floats]](list)
        for responses in (each for each in matrices if len(each) >= examinees + 8):
            own = defaultdict[str, list[Floats]](list)
            for exam in range(exams):
                draw = np.random.default_rng([exam, examinees])
                rows, columns = (
                    draw.permutation(len(responses)),
                    draw.choice(responses.shape[1], ITEMS, replace=False),
                )
                panel = responses[np.ix_(rows[:examinees], columns)]
                for who in rows[examinees : examinees + sittings].tolist():
                    own["sample"].append(np.array(sample_errors(panel, responses[who, columns], 100 * exam + who)))
                own["missing"].append(missing_errors(panel, draw).mean(axis=1))
            for name, found in own.items():
                errors[name].append(np.mean(found, axis=0))
        for name, found in errors.items():
            told = ", ".join(f"{way} {error:.4f}" for way, error in zip(WAYS, np.mean(found, axis=0), strict=True))
            print(f"{name}, {examinees} examinees: {told}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
