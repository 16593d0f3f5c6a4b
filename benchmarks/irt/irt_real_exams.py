"""Do what an exam of a few dozen questions says of real systems, and how surely, hold on the questions it left out?

    python benchmarks/irt/irt_real_exams.py                        # the sets in ../shared/calibration/irt_matrices
    python benchmarks/irt/irt_real_exams.py FOLDER --only nlu_rte --draws 50 --seed 1
    python benchmarks/irt/irt_real_exams.py --json

Of each set (irt_real.py says which) so many examinees and items are drawn, `--draws` times for each size; the exam is
fitted as it comes, and what it says is compared with the examinees' shares of right answers on all items left out.

intervals: the share of 95% intervals of expected scores that hold the accuracy on the items left out. Where few items
are left out, that accuracy varies by itself: an interval counts as holding it if it does once widened by as much
(1.96 standard errors of a mean of so many answers, added in squares).
pairs: of the pairs whose leader is given P from .5 to .6, .6 to .8, .8 to .95 and from .95 on: how many there are,
the share in which the other is right more often on the items left out (wrong; a tie is half wrong), and in brackets
the share that was claimed (mean of 1 - P). `log-loss` is that of P over all pairs that the items left out do not tie.
`test`: the pairs that McNemar's exact test tells apart (p < .05, each alone), and of these the share in which the
other is right more often.
copies: the same exam with eight more copies of its first examinee: the share of the first pairs given P >= .95.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np
from irt_real import DrawSums, exam_arguments, read_matrix
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.core.estimates import Estimate
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.pair_probability import exact_p_values

Floats = NDArray[np.float64]

SIZES = ((12, 49), (20, 49), (20, 100), (63, 150))
SURE = 0.95
LEAST = 1e-6
COPIES = 8


@dataclass
class CoverageCounts(DrawSums):
    """Sums over draws: what they count is said by their names (module docstring)."""

    intervals: int = 0
    held: int = 0
    pairs: int = 0
    p50: int = 0
    wrong50: float = 0.0
    claimed50: float = 0.0
    p60: int = 0
    wrong60: float = 0.0
    claimed60: float = 0.0
    p80: int = 0
    wrong80: float = 0.0
    claimed80: float = 0.0
    p95: int = 0
    wrong95: float = 0.0
    claimed95: float = 0.0
    untied: int = 0
    log_loss: float = 0.0
    told: int = 0
    wrong_told: float = 0.0
    pairs_beside_copies: int = 0
    sure_beside_copies: int = 0

    def row(self) -> str:
        """As cells of a row."""
        bins = [self._of(p) for p in ("50", "60", "80", "95")]
        return (
            f"{self.held / max(self.intervals, 1):.3f} | {' | '.join(bins)} "
            f"| {self.log_loss / max(self.untied, 1):.3f} "
            f"| {self.told / max(self.pairs, 1):.2f}: {self.wrong_told / max(self.told, 1):.4f} "
            f"| {self.sure_beside_copies / max(self.pairs_beside_copies, 1):.3f}"
        )

    def _of(self, p: str) -> str:
        count, wrong, claimed = (getattr(self, f"{name}{p}") for name in ("p", "wrong", "claimed"))
        return f"{count / max(self.pairs, 1):.2f}: {wrong / max(count, 1):.4f} ({claimed / max(count, 1):.4f})"


def exam_counted(responses: Floats, examinees: int, items: int, rng: np.random.Generator) -> CoverageCounts:
    """One exam drawn from responses (n, m)."""
    rows = rng.choice(len(responses), examinees, replace=False)
    columns = rng.permutation(responses.shape[1])
    seen, left = responses[np.ix_(rows, columns[:items])], responses[np.ix_(rows, columns[items:])]
    truth, found = left.mean(axis=1), fit(seen)
    counted = _intervals(found.expected_scores(), truth, left.shape[1])
    counted.add(_pairs(found.probability_better(), seen, truth))
    copied = np.vstack([seen, np.repeat(seen[:1], COPIES, axis=0)])
    beside = fit(copied).probability_better()[:examinees, :examinees]
    counted.pairs_beside_copies = examinees * (examinees - 1) // 2
    counted.sure_beside_copies = int((beside >= SURE).sum())
    return counted


def _intervals(scores: tuple[Estimate, ...], truth: Floats, left: int) -> CoverageCounts:
    held = 0
    for score, share in zip(scores, truth.tolist(), strict=True):
        own = 1.96 * np.sqrt(share * (1 - share) / left)
        below, above = score.value - score.low, score.high - score.value
        off = share - score.value
        held += -np.hypot(below, own) <= off <= np.hypot(above, own)
    return CoverageCounts(intervals=len(truth), held=int(held))


def _pairs(better: Floats, seen: Floats, truth: Floats) -> CoverageCounts:
    first, second = np.triu_indices(len(seen), 1)
    p = better[first, second]
    # each pair seen from its leader; of two that are level the first is taken
    turned = p < 0.5
    first, second, p = np.where(turned, second, first), np.where(turned, first, second), np.where(turned, 1 - p, p)
    wrong = np.where(truth[first] == truth[second], 0.5, truth[first] < truth[second])
    right, missed = (seen == 1).astype(np.float64), (seen == 0).astype(np.float64)
    only = right @ missed.T
    told = exact_p_values(only[first, second], only[second, first]) < 1 - SURE
    untied = truth[first] != truth[second]
    counted = CoverageCounts(
        pairs=len(first),
        untied=int(untied.sum()),
        log_loss=float(-np.log(np.maximum(np.where(wrong > 0, 1 - p, p), LEAST))[untied].sum()),
        told=int(told.sum()),
        wrong_told=float(wrong[told].sum()),
    )
    for name, low, high in (("50", 0.5, 0.6), ("60", 0.6, 0.8), ("80", 0.8, SURE), ("95", SURE, 1.1)):
        own = (p >= low) & (p < high)
        setattr(counted, f"p{name}", int(own.sum()))
        setattr(counted, f"wrong{name}", float(wrong[own].sum()))
        setattr(counted, f"claimed{name}", float((1 - p[own]).sum()))
    return counted


def main() -> None:
    """Run and print."""
    given = exam_arguments(__doc__, 10)
    found = dict[str, CoverageCounts]()
    if not given.json:
        print(
            "| set, or size | intervals hold | .5 to .6 | .6 to .8 | .8 to .95 | .95 on | log-loss | test | copies |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
    for name in given.only:
        responses = read_matrix(given.folder / f"{name}.csv", 1)[0]
        # not every set is large enough for every size, with as many items left out
        for examinees, items in SIZES:
            if examinees > len(responses) or 2 * items > responses.shape[1]:
                continue
            rng = np.random.default_rng([given.seed, examinees, items])
            for _ in range(given.draws):
                counted = exam_counted(responses, examinees, items, rng)
                for key in (name, f"{examinees} x {items}", "all"):
                    found.setdefault(key, CoverageCounts()).add(counted)
        if not given.json:
            print(f"| {name} | {found[name].row()} |", flush=True)
    if given.json:
        print(json.dumps({key: asdict(each) for key, each in found.items()}, indent=2))
        return
    for key, each in found.items():
        if key not in given.only:
            print(f"| {key} | {each.row()} |")


if __name__ == "__main__":
    with threadpool_limits(limits=1, user_api="blas"):
        main()
