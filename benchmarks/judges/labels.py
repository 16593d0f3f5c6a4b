"""Do intervals from few labels hold what they say: of systems' means, of differences, and of Kendall's tau?

    python benchmarks/judges/labels.py  # simulated exams, tau, and EVOUNA where the data are at hand
    python benchmarks/judges/labels.py --data FOLDER --exams 500 --seed 1
    python benchmarks/judges/labels.py --json

Exams of 120 questions, simulated (labels_simulator.py: a noisy and a sharp judge, both biased, people's scores of 0
and 1 or graded; and, at its worst, a judge that is right but blind to one system) and drawn from real answers that
people judged (EVOUNA, five systems, the judge is token F1). So many answers are labelled, drawn at random over all
systems. Exams of one system are drawn ten times as often.

holds: the share of 95% intervals of systems' means that hold the mean over all questions (simulated: of the
population that they come from); `these`: the mean of this exam's own answers; `worst`: of the system where it is
least. `told`: of systems with a mean, the share that is told how many labels alone would do as well; `worth`: the
most of it, over the number of the system's answers. Differences likewise, of all pairs of systems that have a mean.

tau: the share of 95% intervals of Kendall's tau-b that hold it, over pairs of normal columns of correlation 0 to .95
that are cut into grades; the truth is the mean of tau over 20 samples of 20,000.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from labels_simulator import TIES, Known, evouna, exam_of, simulated, tied
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

from viva.metrics.judges.agreement import kendall
from viva.metrics.judges.labelled_systems import Labelled, system_difference, system_mean, weighting
from viva.metrics.judges.pairs import Undefined
from viva.metrics.judges.people import LabelledAnswer, labelled_answers, on_peoples_scale

QUESTIONS = 120
FOLDER = Path("../shared/calibration")
SIMULATED = ((12, 50), (12, 150), (12, 600), (1, 10), (1, 50))
BLIND = ((12, 50), (12, 150), (12, 600))
REAL = ((5, 20), (5, 50), (5, 250), (1, 10), (1, 50))
CORRELATIONS = (0.0, 0.5, 0.8, 0.95)
PAIRS = (10, 20, 50)
Draw = Callable[[np.random.Generator, int], Known]


@dataclass(frozen=True)
class Cell:
    """What came of the exams of one kind; None where nothing was given."""

    answers: str
    systems: int
    labels: int
    holds: float | None
    worst: float | None
    these: float | None
    half: float | None
    refused: float
    told: float | None
    worth: float | None
    difference_holds: float | None = None
    difference_half: float | None = None
    difference_refused: float | None = None


@dataclass(frozen=True)
class Tau:
    """Over the correlations: the share held, the least of them, half the width, and the share without an interval."""

    ties: str
    pairs: int
    holds: float
    worst: float
    half: float
    refused: float


def labelled(draw: np.random.Generator, known: Known, labels: int) -> list[Labelled]:
    """The exam's systems with labels drawn at random over all answers."""
    seen = np.zeros(known.people.size, dtype=bool)
    seen[draw.permutation(known.people.size)[:labels]] = True
    rows = [
        LabelledAnswer(f"{s}-{q}", str(s), str(q), float(score), float(people) if has_label else None)
        for (s, q), score, people, has_label in zip(
            np.ndindex(known.people.shape), known.judge.flat, known.people.flat, seen, strict=True
        )
    ]
    mapped, _ = on_peoples_scale(rows, 0)
    each = known.people.shape[1]
    return [labelled_answers(mapped[n : n + each]) for n in range(0, len(mapped), each)]


def cell(name: str, exam: Draw, systems: int, labels: int, exams: int, seed: int) -> Cell:
    """Means and differences of so many exams against the truth."""
    draw = np.random.default_rng([seed, systems, labels])
    rows: list[tuple[int, float, float, float, float | None]] = []
    gaps: list[tuple[float, float]] = []
    refused = refused_pairs = 0
    for _ in range(exams):
        known = exam(draw, systems)
        columns = labelled(draw, known, labels)
        judge = weighting(columns)
        means = {
            n: found for n, own in enumerate(columns) if not isinstance(found := system_mean(own, judge), Undefined)
        }
        refused += systems - len(means)
        for n, found in means.items():
            low, high = found.mean.low, found.mean.high
            own = float(known.people[n].mean())
            worth = None if found.effective_labels is None else found.effective_labels / QUESTIONS
            rows.append((n, low <= known.truth[n] <= high, low <= own <= high, (high - low) / 2, worth))
        for a, b in combinations(means, 2):
            gap = system_difference(columns[a], columns[b], judge)
            if isinstance(gap, Undefined):
                refused_pairs += 1
                continue
            gaps.append((gap.low <= known.truth[a] - known.truth[b] <= gap.high, (gap.high - gap.low) / 2))
    by_system = [[row[1] for row in rows if row[0] == n] for n in range(systems)]
    worths = [row[4] for row in rows if row[4] is not None]
    pairs = len(gaps) + refused_pairs
    return Cell(
        answers=name,
        systems=systems,
        labels=labels,
        holds=mean([row[1] for row in rows]),
        worst=min((float(np.mean(own)) for own in by_system if own), default=None),
        these=mean([row[2] for row in rows]),
        half=mean([row[3] for row in rows]),
        refused=refused / (systems * exams),
        told=len(worths) / len(rows) if rows else None,
        worth=max(worths, default=None),
        difference_holds=mean([gap[0] for gap in gaps]),
        difference_half=mean([gap[1] for gap in gaps]),
        difference_refused=refused_pairs / pairs if pairs else None,
    )


def mean(values: list[float]) -> float | None:
    """None of nothing."""
    return float(np.mean(values)) if values else None


def tau(name: str, pairs: int, samples: int, seed: int) -> Tau:
    """Over all correlations."""
    shares, widths, refused = [], list[float](), 0
    for correlation in CORRELATIONS:
        draw = np.random.default_rng([seed, pairs, round(100 * correlation)])
        large = [tied(draw, 20_000, correlation, TIES[name]) for _ in range(20)]
        truth = float(np.mean([kendalltau(*columns).statistic for columns in large]))
        held = []
        for _ in range(samples):
            found = kendall(*tied(draw, pairs, correlation, TIES[name]))
            if isinstance(found, Undefined) or isinstance(found.interval, Undefined):
                refused += 1
                continue
            held.append(found.interval.low <= truth <= found.interval.high)
            widths.append((found.interval.high - found.interval.low) / 2)
        shares.append(float(np.mean(held)))
    missing = refused / (samples * len(CORRELATIONS))
    return Tau(name, pairs, float(np.mean(shares)), min(shares), float(np.mean(widths)), missing)


def simulation(graded: bool, judge: str) -> Draw:
    """Exams of one kind."""
    return lambda draw, systems: simulated(draw, systems, QUESTIONS, graded=graded, judge=judge)


def shown(row: Cell | Tau) -> str:
    """Its figures side by side, a dash for none."""
    values = asdict(row).values()
    return "  ".join(
        f"{'-' if each is None else f'{each:.3f}' if isinstance(each, float) else each:>9}" for each in values
    )


def main() -> None:
    """Print every cell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of the calibration sets")
    parser.add_argument("--exams", type=int, default=200, help="of each kind; ten times as many of one system")
    parser.add_argument("--seed", type=int, default=0, help="draws exams and labels")
    parser.add_argument("--json", action="store_true", help="the figures for machines")
    given = parser.parse_args()
    sources: list[tuple[str, Draw, tuple[tuple[int, int], ...]]] = [
        (f"{'graded' if graded else '0/1'}, {judge}", simulation(graded, judge), SIMULATED)
        for graded in (False, True)
        for judge in ("noisy", "sharp")
    ]
    sources.append(("0/1, blind", simulation(False, "blind"), BLIND))
    if (given.data / "evouna").is_dir():
        whole = evouna(given.data)
        sources.append(("EVOUNA", lambda draw, systems: exam_of(draw, whole, systems, QUESTIONS), REAL))
    elif not given.json:
        print(f"No EVOUNA in {given.data}: simulated exams alone.")
    kept: dict[str, list[Cell | Tau]] = {"labels": [], "tau": []}

    def add(key: str, row: Cell | Tau) -> None:
        if not given.json:
            if not kept[key]:
                print("  ".join(f"{name.replace('difference_', 'd. '):>9}" for name in asdict(row)))
            print(shown(row), flush=True)
        kept[key].append(row)

    with threadpool_limits(1):
        for name, exam, sizes in sources:
            for systems, labels in sizes:
                exams = given.exams if systems > 1 else 10 * given.exams
                add("labels", cell(name, exam, systems, labels, exams, given.seed))
        for name in TIES:
            for pairs in PAIRS:
                add("tau", tau(name, pairs, 5 * given.exams, given.seed))
    if given.json:
        print(json.dumps({key: [asdict(each) for each in rows] for key, rows in kept.items()}, indent=2))


if __name__ == "__main__":
    main()
