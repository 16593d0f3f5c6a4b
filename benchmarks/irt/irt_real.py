"""Are answers that were kept from the fit predicted better than by simple means, by plain logits, by the paper?

    python benchmarks/irt/irt_real.py                              # the sets in ../shared/calibration/irt_matrices
    python benchmarks/irt/irt_real.py FOLDER --only nlu_rte nlu_quail --seed 1
    python benchmarks/irt/irt_real.py FOLDER --every 4             # every fourth item
    python benchmarks/irt/irt_real.py --json

Data: nyu-mll/nlu-test-sets, 90 models x 139 to 9,824 items, 1 for a right answer; rows are named MODEL_CHECKPOINT
(roberta-base-10M-1_best). Components: the family (what stands before the last underscore: 18 pretrained models) and
the checkpoint (what stands after it: 1, 10, 25, 50 or best), 5 of each family. And lamalab-org/irt-on-bench
(ChemBench): 22 language models x 2,854 items, without components.

A fifth of the cells, drawn by the seed, is kept from every fit; printed is the mean log-loss over these. `default` is
viva.metrics.irt.fit as it comes: nothing declared, model and method auto. `additive` is a logit of examinee plus item
(scikit-learn's ridge logistic regression), `two factors` the same with a product of two more parameters (by L-BFGS),
`low rank` viva.metrics.irt.checks.factors with two dimensions. `paper` is the objective of arXiv 2405.13622 with the
two components.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from guinet2024 import fit_guinet
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from viva.metrics.irt.checks.factors import fit_factors
from viva.metrics.irt.checks.held_out import split_cells
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.responses import LEAST_PROBABILITY

Floats = NDArray[np.float64]
Components = dict[str, list[str]]

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "calibration" / "irt_matrices"
RIVALS = ("item mean", "additive")
# how many options a question has; irrelevant to answers without options
OPTIONS = {
    "nlu_arc-challenge": 4,
    "nlu_arc-easy": 4,
    "nlu_boolq": 2,
    "nlu_commonsenseqa": 5,
    "nlu_cosmosqa": 4,
    "nlu_quail": 4,
    "nlu_rte": 2,
    "nlu_snli": 3,
    "nlu_squad_v2": 4,
    "chembench_22llm": 4,
}


@dataclass(frozen=True)
class Predicted:
    """What one way of predicting came to: log-loss per held-out cell, and what the fit said."""

    log_loss: float
    note: str


@dataclass(frozen=True)
class JudgedMatrix:
    """One set: every way of predicting by name."""

    examinees: int
    items: int
    held_out_cells: int
    ways: dict[str, Predicted]

    @property
    def never_worse(self) -> bool:
        """The default's log-loss is above that of no rival."""
        return all(self.ways[rival].log_loss >= self.ways["default"].log_loss for rival in RIVALS)


def read_matrix(path: Path, every: int) -> tuple[Floats, Components]:
    """Responses (models, every k-th item), and the components in the rows' names, where these have any."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    if path.stem == "chembench_22llm":
        # items in rows
        return np.array([[float(cell) for cell in row[1:]] for row in rows[::every]]).T, {}
    named = [row[0].rpartition("_") for row in rows]
    components = {"family": [name[0] for name in named], "checkpoint": [name[2] for name in named]}
    return np.array([[float(cell) for cell in row[1::every]] for row in rows]), components


def item_mean(seen: Floats) -> tuple[Floats, str]:
    """Share of right answers per item, drawn towards that of all cells with the weight of two answers."""
    return _mean(seen, 0), ""


def _mean(seen: Floats, axis: int) -> Floats:
    right, graded = np.nansum(seen, axis=axis, keepdims=True), (~np.isnan(seen)).sum(axis=axis, keepdims=True)
    return np.broadcast_to((right + 2 * np.nanmean(seen)) / (graded + 2), seen.shape)


def additive(seen: Floats, _: Components) -> tuple[Floats, str]:
    """A logit of examinee plus item, ridge-penalised."""
    rows, columns = np.nonzero(~np.isnan(seen))
    n, m = seen.shape
    model = LogisticRegression(C=1.0, max_iter=500).fit(_one_hot(rows, columns, n, m), seen[rows, columns])
    every = np.indices(seen.shape).reshape(2, -1)
    return model.predict_proba(_one_hot(every[0], every[1], n, m))[:, 1].reshape(seen.shape), ""


def _one_hot(rows: NDArray[np.int64], columns: NDArray[np.int64], n: int, m: int) -> csr_array:
    places = np.stack([rows, n + columns], axis=1)
    cells = np.arange(0, 2 * len(rows) + 1, 2)
    return csr_array((np.ones(places.size), places.ravel(), cells), shape=(len(rows), n + m))


def two_factors(seen: Floats, _: Components) -> tuple[Floats, str]:
    """theta_i + b_j + u_i v_j, all under normal priors, by L-BFGS from small random products."""
    (n, m), known, right = seen.shape, ~np.isnan(seen), np.nan_to_num(seen)
    precision = np.repeat([0.3, 0.3, 1.0, 1.0], [n, m, n, m])
    start = np.concatenate([np.zeros(n + m), np.random.default_rng(0).normal(0, 0.3, n + m)])

    def loss(x: Floats) -> tuple[float, Floats]:
        theta, b, u, v = np.split(x, [n, n + m, 2 * n + m])
        z = theta[:, None] + b + u[:, None] * v
        slope = np.where(known, expit(z) - right, 0.0)
        value = (np.logaddexp(0, z) - right * z)[known].sum() + 0.5 * float(precision @ x**2)
        gradient = np.concatenate([slope.sum(axis=1), slope.sum(axis=0), slope @ v, slope.T @ u])
        return value, gradient + precision * x

    theta, b, u, v = np.split(
        minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x, [n, n + m, 2 * n + m]
    )
    return expit(theta[:, None] + b + u[:, None] * v), ""


def low_rank(seen: Floats, _: Components) -> tuple[Floats, str]:
    """Two dimensions."""
    return fit_factors(seen, 2).probability, ""


def paper(seen: Floats, components: Components) -> tuple[Floats, str]:
    """The paper's objective in its boxes."""
    found = fit_guinet(seen, components=components or None)
    return found.probability, found.message


def default(seen: Floats, _: Components) -> tuple[Floats, str]:
    """The engine as it comes."""
    found = fit(seen)
    return found.predict(), found.message


PREDICTORS: dict[str, Callable[[Floats, Components], tuple[Floats, str]]] = {
    "item mean": lambda seen, _: item_mean(seen),
    "additive": additive,
    "paper": paper,
    "default": default,
    "two factors": two_factors,
    "low rank": low_rank,
}


def judged(responses: Floats, components: Components, seed: int) -> JudgedMatrix:
    """Every way of predicting on the same held-out cells."""
    hidden = split_cells(responses, seed=seed)
    seen = np.where(hidden, np.nan, responses)
    found = dict[str, Predicted]()
    for name, predict in PREDICTORS.items():
        probability, note = predict(seen, components)
        p = np.clip(probability, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)[hidden]
        log_loss = -np.log(np.where(responses[hidden] == 1, p, 1 - p)).mean()
        found[name] = Predicted(float(log_loss), note)
    examinees, items = responses.shape
    return JudgedMatrix(examinees, items, int(hidden.sum()), found)


def header() -> str:
    """The head of the table."""
    columns = ["set", "items", *PREDICTORS, "model of the default"]
    return "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns)


def row(name: str, found: JudgedMatrix) -> str:
    """A line of the table."""
    losses = [f"{each.log_loss:.4f}" for each in found.ways.values()]
    note = found.ways["default"].note
    model = note.rpartition("; model ")[2].partition(",")[0]
    cells = [name, str(found.items), *losses, f"{note.split(' ', 1)[0]}, {model}"]
    return "| " + " | ".join(cells) + " |"


@dataclass
class DrawSums:
    """Counts that are added up."""

    def add(self, other: Self) -> None:
        """Take the sums of another along."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def exam_arguments(told: str | None, draws: int, **flags: str) -> argparse.Namespace:
    """Of a benchmark that draws exams from the sets."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="holds the sets, a CSV each")
    parser.add_argument("--only", nargs="+", choices=list(OPTIONS), default=list(OPTIONS), help="these sets alone")
    parser.add_argument("--draws", type=int, default=draws, help="exams drawn of each set and size")
    parser.add_argument("--seed", type=int, default=0, help="draws the exams")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    for name, meaning in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=meaning)
    return parser.parse_args()


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="holds nlu_*.csv, a row per model")
    parser.add_argument("--only", nargs="+", choices=list(OPTIONS), default=list(OPTIONS), help="these sets alone")
    parser.add_argument("--every", type=int, default=1, help="take every k-th item")
    parser.add_argument("--seed", type=int, default=0, help="draws the held-out cells")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    absent = [name for name in given.only if not (given.folder / f"{name}.csv").is_file()]
    if absent:
        parser.error(
            f"{given.folder} holds no {absent[0]}.csv. Take data/*_irt_all_coded.csv of github.com/nyu-mll/"
            f"nlu-test-sets, name them {', '.join(OPTIONS)} (.csv) and give their folder."
        )
    if not given.json:
        print(header())
    found = dict[str, JudgedMatrix]()
    for name in given.only:
        responses, components = read_matrix(given.folder / f"{name}.csv", given.every)
        found[name] = judged(responses, components, given.seed)
        if not given.json:
            print(row(name, found[name]), flush=True)
    better = sum(each.never_worse for each in found.values())
    if given.json:
        print(
            json.dumps(
                {"never_worse": better, "sets": {name: asdict(each) for name, each in found.items()}}, indent=2
            )
        )
    else:
        print(f"\nthe default is no worse than the item mean and the additive logit on {better} of {len(found)} sets")


if __name__ == "__main__":
    # threads that wait for each other would be counted as work
    with threadpool_limits(limits=1, user_api="blas"):
        main()
