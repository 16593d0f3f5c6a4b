"""Adaptive sittings on real matrices: are chosen questions better than drawn ones, and do the intervals hold?

    python benchmarks/irt/irt_adaptive.py                         # the sets in ../shared/calibration/irt_matrices
    python benchmarks/irt/irt_adaptive.py FOLDER --only nlu_rte nlu_quail --bank 16 --sittings 6
    python benchmarks/irt/irt_adaptive.py --chosen 8              # whatever the rule says of so many examinees
    python benchmarks/irt/irt_adaptive.py --left-out              # the rule's constants by all sets but one
    python benchmarks/irt/irt_adaptive.py --json

Data: as of irt_real.py. For each set and each size of a bank, `--banks` times so many models calibrate `--exam` items
drawn at random, and `--sittings` others sit `--items` of them, as `viva sit --adaptive` has them (without topics, and
to the end of the budget). Each sits again with none chosen, all drawn at random over difficulties. Printed: the mean
absolute error of the accuracy on all items as the sitting comes; of the same estimate where all were drawn; of the
plain share of right answers among those; the first less the second, paired, with the 95% interval of a bootstrap over
sets and over models in them (a set's own: over its models); how many 95% intervals hold the truth, and half their
width, as the sitting comes and where all were drawn. Where the rule chooses none, both sittings are one.

With `--left-out`: the number of chosen items with the least error on all other sets and, given the rule's number, the
least allowance for misfit by which at least 94.5% of intervals hold on all other sets, for every size; then the left
out set's own difference and coverage with these.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from irt_adaptive_sittings import DrawnExam, Sat, sittings
from irt_real import FOLDER, OPTIONS, read_matrix
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.intervals import Interval
from viva.metrics.irt.adaptive.bank import AdaptivePlan, chosen_items

Floats = NDArray[np.float64]
RESAMPLES = 2000
WAYS = (0, 4, 8, 12)
MISFITS = (0.03, 0.04, 0.05, 0.06, 0.07)
ENOUGH_COVERAGE = 0.945
EVERY_SET = "all"
MEANS = "mae mae_drawn mae_share hold hold_drawn half half_drawn".split()
HEADER = "| bank | set | chosen | error | all drawn | share | difference | hold | all drawn | half | all drawn |"


@dataclass(frozen=True)
class AdaptiveRow:
    """A set, or all of them, at one size of the bank."""

    bank: int
    name: str
    sittings: int
    chosen: int
    mae: float
    mae_drawn: float
    mae_share: float
    difference: Interval
    hold: float
    hold_drawn: float
    half: float
    half_drawn: float


def error(each: Sat, misfit: float) -> float:
    return abs(each.scores[misfit].estimate - each.truth)


def covered(each: Sat, misfit: float) -> bool:
    return each.scores[misfit].low <= each.truth <= each.scores[misfit].high


def half_width(each: Sat, misfit: float) -> float:
    return (each.scores[misfit].high - each.scores[misfit].low) / 2


def mean_of(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def of_way(sat: Sequence[Sat], chosen: int) -> list[Sat]:
    return [each for each in sat if each.chosen == chosen]


def by_model(sat: Sequence[Sat], chosen: int, misfit: float) -> Floats:
    """For each model its errors with so many chosen less those with none, summed, and its sittings: (models, 2)."""
    found: dict[int, list[float]] = {}
    for own, drawn in zip(of_way(sat, chosen), of_way(sat, 0), strict=True):
        found.setdefault(own.model, []).append(error(own, misfit) - error(drawn, misfit))
    return np.array([(sum(each), len(each)) for each in found.values()])


def difference(sets: Sequence[Floats], seed: int) -> Interval:
    """Mean over sets (models, 2), with percentiles of a bootstrap over sets and models (of one set: over models)."""
    rng = np.random.default_rng([seed, 1])
    means = [
        mean_of(_mean_difference(rng.choice(sets[s], len(sets[s]))) for s in rng.choice(len(sets), len(sets)))
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(mean_of(map(_mean_difference, sets)), float(low), float(high))


def _mean_difference(models: Floats) -> float:
    total, count = models.sum(axis=0)
    return float(total / count)


def set_row(bank: int, name: str, sat: Sequence[Sat], chosen: int, misfit: float, seed: int) -> AdaptiveRow:
    own, drawn = of_way(sat, chosen), of_way(sat, 0)
    return AdaptiveRow(
        bank=bank,
        name=name,
        sittings=len(own),
        chosen=chosen,
        mae=mean_of(error(each, misfit) for each in own),
        mae_drawn=mean_of(error(each, misfit) for each in drawn),
        mae_share=mean_of(abs(each.share - each.truth) for each in drawn),
        difference=difference([by_model(sat, chosen, misfit)], seed),
        hold=mean_of(covered(each, misfit) for each in own),
        hold_drawn=mean_of(covered(each, misfit) for each in drawn),
        half=mean_of(half_width(each, misfit) for each in own),
        half_drawn=mean_of(half_width(each, misfit) for each in drawn),
    )


def every_set(rows: Sequence[AdaptiveRow], differences: Sequence[Floats], seed: int) -> AdaptiveRow:
    """The mean of the sets, each as one."""
    return replace(
        rows[0],
        name=EVERY_SET,
        sittings=sum(row.sittings for row in rows),
        difference=difference(differences, seed),
        **{name: mean_of(getattr(row, name) for row in rows) for name in MEANS},
    )


def signed(found: Interval) -> str:
    return f"{found.estimate:+.4f} ({found.low:+.4f} to {found.high:+.4f})"


def line(row: AdaptiveRow) -> str:
    figures = f"{row.mae:.3f} | {row.mae_drawn:.3f} | {row.mae_share:.3f} | {signed(row.difference)}"
    intervals = f"{row.hold:.3f} | {row.hold_drawn:.3f} | {row.half:.3f} | {row.half_drawn:.3f}"
    return f"| {row.bank} | {row.name} | {row.chosen} | {figures} | {intervals} |"


def printed(given: argparse.Namespace, matrices: Mapping[str, Floats], drawn: DrawnExam) -> None:
    """The table of every set and size."""
    if not given.json:
        print(HEADER + "\n|" + "---|" * HEADER.count(" | ") + "---|")
    found: list[AdaptiveRow] = []
    for bank in given.bank:
        chosen = chosen_items(given.items, bank) if given.chosen is None else given.chosen
        ways = sorted({0, chosen})
        sets = {name: sittings(name, cells, bank, drawn, ways, [given.misfit]) for name, cells in matrices.items()}
        sets = {name: sat for name, sat in sets.items() if sat}
        rows = [set_row(bank, name, sat, chosen, given.misfit, given.seed) for name, sat in sets.items()]
        differences = [by_model(sat, chosen, given.misfit) for sat in sets.values()]
        found += [*rows, every_set(rows, differences, given.seed)] if rows else []
        if rows and not given.json:
            print("\n".join(map(line, [*rows, found[-1]])), flush=True)
    if given.json:
        print(json.dumps([asdict(row) for row in found], indent=2))


def left_out(given: argparse.Namespace, matrices: Mapping[str, Floats], drawn: DrawnExam) -> None:
    """Constants by all sets but one, and how they do on that one."""
    sizes: dict[int, dict[str, list[Sat]]] = {}
    for bank in given.bank:
        sets = {name: sittings(name, cells, bank, drawn, WAYS, MISFITS) for name, cells in matrices.items()}
        sizes[bank] = {name: sat for name, sat in sets.items() if sat}
        picks = {name: _fewest_errors(sizes[bank], name) for name in sizes[bank]}
        differences = [
            by_model(sizes[bank][name], chosen, AdaptivePlan.score_misfit) for name, chosen in picks.items()
        ]
        own = difference(differences, given.seed)
        print(f"bank of {bank}: chosen {list(picks.values())}, less none {signed(own)}", flush=True)
    for name in matrices:
        misfit = next((each for each in MISFITS if _held(sizes, given.items, each, name)), MISFITS[-1])
        hold = {
            bank: round(mean_of(covered(each, misfit) for each in _by_rule(sets[name], given.items, bank)), 3)
            for bank, sets in sizes.items()
            if name in sets
        }
        print(f"{name}: allowance {misfit}, hold by bank {hold}")


def _fewest_errors(sets: Mapping[str, Sequence[Sat]], without: str) -> int:
    others = [sat for name, sat in sets.items() if name != without]
    return min(WAYS, key=lambda way: mean_of(mean_of(_errors(sat, way)) for sat in others))


def _errors(sat: Sequence[Sat], chosen: int) -> list[float]:
    return [error(each, AdaptivePlan.score_misfit) for each in of_way(sat, chosen)]


def _by_rule(sat: Sequence[Sat], items: int, bank: int) -> list[Sat]:
    return of_way(sat, chosen_items(items, bank))


def _held(sizes: Mapping[int, Mapping[str, Sequence[Sat]]], items: int, misfit: float, without: str) -> bool:
    """The intervals hold often enough at every size, over all sets but one."""
    return all(
        mean_of(
            mean_of(covered(each, misfit) for each in _by_rule(sat, items, bank))
            for name, sat in sets.items()
            if name != without
        )
        >= ENOUGH_COVERAGE
        for bank, sets in sizes.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="holds the sets, a CSV each")
    parser.add_argument("--only", nargs="+", choices=list(OPTIONS), default=list(OPTIONS), help="these sets alone")
    parser.add_argument("--bank", type=int, nargs="+", default=[5, 16, 40], metavar="N", help="examinees in the bank")
    parser.add_argument("--banks", type=int, default=3, help="drawn of each set and size")
    parser.add_argument("--sittings", type=int, default=12, help="models that sit, for each bank")
    parser.add_argument("--exam", type=int, default=120, help="items drawn of each set, for each bank")
    parser.add_argument("--items", type=int, default=20, help="asked in a sitting")
    parser.add_argument("--chosen", type=int, help="of these, in place of the rule")
    parser.add_argument(
        "--misfit",
        type=float,
        default=AdaptivePlan.score_misfit,
        help="allowed: 0 trusts the model, 1 the drawn items",
    )
    parser.add_argument("--left-out", action="store_true", help="the rule's constants by all sets but one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    absent = [name for name in given.only if not (given.folder / f"{name}.csv").is_file()]
    if absent:
        parser.error(f"{given.folder} holds no {absent[0]}.csv (what it is: irt_real.py --help)")
    matrices = {name: read_matrix(given.folder / f"{name}.csv", 1)[0] for name in given.only}
    drawn = DrawnExam(given.banks, given.sittings, given.exam, given.items, given.seed)
    (left_out if given.left_out else printed)(given, matrices, drawn)


if __name__ == "__main__":
    with threadpool_limits(limits=1, user_api="blas"):
        main()
