"""Are answers that were kept from the fit predicted better than by an item's mean, and than by the paper's objective?

    python benchmarks/irt_real.py                              # the nine sets in ../shared/calibration/irt_matrices
    python benchmarks/irt_real.py FOLDER --only nlu_rte nlu_quail --seed 1
    python benchmarks/irt_real.py FOLDER --every 4             # every fourth item
    python benchmarks/irt_real.py --json

Data: nyu-mll/nlu-test-sets, 90 models x 139 to 9,824 items, 1 for a right answer; rows are named MODEL_CHECKPOINT
(roberta-base-10M-1_best). Components: the family (what stands before the last underscore: 18 pretrained models) and
the checkpoint (what stands after it: 1, 10, 25, 50 or best), 5 of each family. Items are declared as they were asked
(FORMATS): four options unless said otherwise, squad_v2 an open question, 2pl.

A fifth of the cells, drawn by the seed, is kept from every fit; printed are the mean log-loss over these, and with
--json the Brier score. `paper` is the objective of arXiv 2405.13622 with the two components (additive), `paper flat`
gives each model its own ability. `ours` is viva.metrics.irt.fit with the components and method auto; `flat` the same
without components; `map` the joint mode; `undeclared` three parameters and four options for every item. A gain is the
other's log-loss less that of ours (above 0: ours is better), with the 95% interval of a paired bootstrap over whole
items: cells of one item share its misfit.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.intervals import Interval
from viva.metrics.irt import fit, probability_3pl
from viva.metrics.irt.guinet import fit_guinet
from viva.metrics.irt.held_out import split_cells
from viva.metrics.irt.inputs import LEAST_PROBABILITY

Floats = NDArray[np.float64]
Components = dict[str, list[str]]

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "calibration" / "irt_matrices"
RESAMPLES = 2000
# the bootstrap draws so many resamples at once, to bound its memory
_AT_ONCE = 200

WAYS = ("item mean", "examinee mean", "paper", "paper flat", "ours", "flat", "map", "undeclared")


@dataclass(frozen=True)
class Format:
    """How the items of a set are declared to fit()."""

    model: str = "3pl"
    options: int = 4


UNDECLARED = Format()
FORMATS = {
    "nlu_arc-challenge": Format(),
    "nlu_arc-easy": Format(),
    "nlu_boolq": Format(options=2),
    "nlu_commonsenseqa": Format(options=5),
    "nlu_cosmosqa": Format(),
    "nlu_quail": Format(),
    "nlu_rte": Format(options=2),
    "nlu_snli": Format(options=3),
    "nlu_squad_v2": Format(model="2pl"),
}


@dataclass(frozen=True)
class Predicted:
    """What one way of predicting came to: losses per held-out cell, CPU seconds, what the fit said."""

    log_loss: float
    brier: float
    cpu_s: float
    note: str


@dataclass(frozen=True)
class Judged:
    """One set: every way of predicting by name, and what ours gains on the item means and on the paper."""

    examinees: int
    items: int
    held_out_cells: int
    ways: dict[str, Predicted]
    gains: dict[str, dict[str, Interval]]

    @property
    def better(self) -> bool:
        """Ours has the lower log-loss, beyond chance, than the item means and than the paper's objective."""
        return all(gain["log_loss"].low > 0 for gain in self.gains.values())


def read_matrix(path: Path, every: int) -> tuple[Floats, Components]:
    """Responses (models, every k-th item), and the components in the rows' names."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    named = [row[0].rpartition("_") for row in rows]
    components = {"family": [name[0] for name in named], "checkpoint": [name[2] for name in named]}
    return np.array([[float(cell) for cell in row[1::every]] for row in rows]), components


def item_mean(seen: Floats) -> tuple[Floats, str]:
    """Share of right answers per item, drawn towards that of all cells with the weight of two answers."""
    return _mean(seen, 0), ""


def examinee_mean(seen: Floats) -> tuple[Floats, str]:
    """Share of right answers per model, drawn towards that of all cells with the weight of two answers."""
    return _mean(seen, 1), ""


def _mean(seen: Floats, axis: int) -> Floats:
    right, graded = np.nansum(seen, axis=axis, keepdims=True), (~np.isnan(seen)).sum(axis=axis, keepdims=True)
    return np.broadcast_to((right + 2 * np.nanmean(seen)) / (graded + 2), seen.shape)


def paper(seen: Floats, components: Components | None) -> tuple[Floats, str]:
    """The paper's objective in its boxes."""
    found = fit_guinet(seen, components=components)
    return probability_3pl(found.theta, found.a, found.b, found.c), found.message


def ours(seen: Floats, components: Components | None, form: Format, method: str = "auto") -> tuple[Floats, str]:
    """The engine."""
    found = fit(seen, components=components, model=form.model, options=form.options, method=method)
    return found.predict(), found.message


def judged(responses: Floats, components: Components, form: Format, seed: int) -> Judged:
    """Every way of predicting on the same held-out cells."""
    hidden = split_cells(responses, seed=seed)
    seen = np.where(hidden, np.nan, responses)
    ways: dict[str, Callable[[], tuple[Floats, str]]] = {
        "item mean": lambda: item_mean(seen),
        "examinee mean": lambda: examinee_mean(seen),
        "paper": lambda: paper(seen, components),
        "paper flat": lambda: paper(seen, None),
        "ours": lambda: ours(seen, components, form),
        "flat": lambda: ours(seen, None, form),
        "map": lambda: ours(seen, components, form, "map"),
    }
    if form != UNDECLARED:
        ways["undeclared"] = lambda: ours(seen, components, UNDECLARED)
    cells, losses, found = hidden.sum(axis=0), dict[str, Floats](), dict[str, Predicted]()
    for name, predict in ways.items():
        started = time.process_time()
        probability, note = predict()
        spent = time.process_time() - started
        losses[name] = item_losses(probability, responses, hidden)
        log_loss, brier = losses[name].sum(axis=1) / cells.sum()
        found[name] = Predicted(float(log_loss), float(brier), round(spent, 2), note)
    gains = {rival: gain(losses[rival] - losses["ours"], cells, seed) for rival in ("item mean", "paper")}
    examinees, items = responses.shape
    return Judged(examinees, items, int(cells.sum()), found, gains)


def item_losses(probability: Floats, responses: Floats, hidden: NDArray[np.bool_]) -> Floats:
    """Log-loss and squared error summed over each item's held-out cells, of shape (2, m)."""
    p = np.clip(probability, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    log_loss = -np.log(np.where(responses == 1, p, 1 - p))
    return np.stack([np.where(hidden, each, 0.0).sum(axis=0) for each in (log_loss, (p - responses) ** 2)])


def gain(difference: Floats, cells: NDArray[np.int64], seed: int) -> dict[str, Interval]:
    """Mean difference (2, m) per held-out cell, with percentiles of a bootstrap over items."""
    rng, m, resampled = np.random.default_rng([seed, 1]), len(cells), list[Floats]()
    for _ in range(RESAMPLES // _AT_ONCE):
        drawn = rng.multinomial(m, np.full(m, 1 / m), size=_AT_ONCE).astype(np.float64)
        resampled.append((drawn @ difference.T) / (drawn @ cells)[:, None])
    low, high = np.quantile(np.concatenate(resampled), (0.025, 0.975), axis=0)
    mean = difference.sum(axis=1) / cells.sum()
    return {
        loss: Interval(float(mean[k]), float(low[k]), float(high[k])) for k, loss in enumerate(("log_loss", "brier"))
    }


def header() -> str:
    """The head of the table."""
    columns = ["set", "items", *WAYS, "gain on item mean", "gain on paper", "CPU s", "method"]
    return "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns)


def row(name: str, found: Judged) -> str:
    """A line of the table."""
    losses = [f"{found.ways[way].log_loss:.4f}" if way in found.ways else "" for way in WAYS]
    gains = [
        f"{each['log_loss'].estimate:.3f} ({each['log_loss'].low:.3f} to {each['log_loss'].high:.3f})"
        for each in found.gains.values()
    ]
    ours_found = found.ways["ours"]
    method = ours_found.note.split(" ", 1)[0] + ("" if "; converged" in ours_found.note else ", not converged")
    cells = [name, str(found.items), *losses, *gains, f"{ours_found.cpu_s:.1f}", method]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="holds nlu_*.csv, a row per model")
    parser.add_argument("--only", nargs="+", choices=list(FORMATS), default=list(FORMATS), help="these sets alone")
    parser.add_argument("--every", type=int, default=1, help="take every k-th item")
    parser.add_argument("--seed", type=int, default=0, help="draws the held-out cells")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    absent = [name for name in given.only if not (given.folder / f"{name}.csv").is_file()]
    if absent:
        parser.error(
            f"{given.folder} holds no {absent[0]}.csv. Take data/*_irt_all_coded.csv of github.com/nyu-mll/"
            f"nlu-test-sets, name them {', '.join(FORMATS)} (.csv) and give their folder."
        )
    if not given.json:
        print(header())
    found = dict[str, Judged]()
    for name in given.only:
        responses, components = read_matrix(given.folder / f"{name}.csv", given.every)
        found[name] = judged(responses, components, FORMATS[name], given.seed)
        if not given.json:
            print(row(name, found[name]), flush=True)
    better = sum(each.better for each in found.values())
    if given.json:
        print(json.dumps({"better": better, "sets": {name: asdict(each) for name, each in found.items()}}, indent=2))
    else:
        print(f"\nbetter than the item mean and than the paper's objective: {better} of {len(found)}")


if __name__ == "__main__":
    # threads that wait for each other would be counted as work
    with threadpool_limits(limits=1, user_api="blas"):
        main()
