"""Are faults found that are planted in real exams, and how many items of exams as they are does viva flag?

    python benchmarks/irt/irt_planted_real.py                      # the sets in ../shared/calibration/irt_matrices
    python benchmarks/irt/irt_planted_real.py FOLDER --only nlu_quail --draws 100 --seed 1
    python benchmarks/irt/irt_planted_real.py --large --draws 2    # exams of 200 to 550 items
    python benchmarks/irt/irt_planted_real.py --json

Of each set (irt_real.py says which) so many examinees and items are drawn, `--draws` times for each size, and five
items are spoiled, once for each kind of fault:

- wrong key: who is right is marked wrong, who is wrong is marked right with probability 1 / (options - 1); where the
  answers are words (squad_v2, chembench), 1 in 20;
- reversed: who is right is marked wrong and who is wrong right, as a judge grades that takes one for the other
  (words alone);
- unanswerable: everybody guesses (choices alone);
- leaked: right with probability .98 (choices alone);
- untouched: nothing is spoiled, and the share of items flagged as wrong keys is counted.

The exam is analysed as `viva irt --options N` does. `first ten` is how many of the five spoiled items stand among the
ten whose keys the analysis says to read first (by lot it would be 1 of 50 items, .5 of 100), `AUC` compares its
evidence of the fault for spoiled items with that for all others, `found` is the share of spoiled items that it flags
for this fault, `flagged` that of the others. Items of real exams are not all sound: some of the others that are
flagged may have wrong keys of their own. --json has every size of every set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from irt_real import OPTIONS, DrawSums, exam_arguments, read_matrix
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.metrics.irt import analyse
from viva.metrics.irt.checks.fault_evidence import OPEN
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIZES = ((12, 50), (16, 50), (22, 50), (22, 100), (63, 100))
LARGE = ((40, 200), (90, 300), (90, 550))
PLANTED = 5
IN_WORDS = ("nlu_squad_v2", "chembench_22llm")
WRONG_KEY, REVERSED, UNTOUCHED = "wrong key", "reversed", "untouched"
COLUMNS = {
    WRONG_KEY: "wrong_key",
    REVERSED: "wrong_key",
    UNTOUCHED: "wrong_key",
    "unanswerable": "unanswerable",
    "leaked": "leaked",
}
OF_WORDS, OF_CHOICES = (WRONG_KEY, REVERSED, UNTOUCHED), (WRONG_KEY, UNTOUCHED, "unanswerable", "leaked")
SAME_MISTAKE, LEAKED = 0.05, 0.98


@dataclass
class PlantedCounts(DrawSums):
    """Sums over exams: what they count is said by their names (module docstring)."""

    exams: int = 0
    first_ten: int = 0
    auc: float = 0.0
    found: int = 0
    flagged: int = 0
    others: int = 0

    def told(self) -> str:
        """As cells of a row."""
        exams = max(self.exams, 1)
        return (
            f"{self.first_ten / exams:.2f} | {self.auc / exams:.2f} | {self.found / (exams * PLANTED):.2f} "
            f"| {self.flagged / max(self.others, 1):.3f}"
        )


def options_of(name: str) -> int:
    """How many options the items of a set have, 0 where they are answered in words."""
    return OPEN if name in IN_WORDS else OPTIONS[name]


def spoiled(responses: Floats, kind: str, options: int, rng: np.random.Generator) -> Floats:
    """Responses (n, k) to k items as they are with a fault."""
    lot = rng.random(responses.shape)
    if kind == REVERSED:
        return 1 - responses
    if kind == WRONG_KEY:
        hit = SAME_MISTAKE if options == OPEN else 1 / (options - 1)
        return np.where(responses == 1, 0.0, (lot < hit).astype(np.float64))
    return (lot < (LEAKED if kind == "leaked" else 1 / options)).astype(np.float64)


def exam_counted(responses: Floats, spoil: Ints, kind: str, options: int, rng: np.random.Generator) -> PlantedCounts:
    """One exam (n, m) with the items `spoil` spoiled, but for an untouched one."""
    exam = responses.copy()
    spoil = spoil[:0] if kind == UNTOUCHED else spoil
    if len(spoil):
        exam[:, spoil] = spoiled(responses[:, spoil], kind, options, rng)
    found = analyse(exam, options=options)
    faults = found.checks.faults
    if isinstance(faults, NotJudged):
        raise SystemExit(f"not judged: {faults.reason}")
    evidence, planted = getattr(faults, COLUMNS[kind]), np.isin(np.arange(exam.shape[1]), spoil)
    as_flagged = WRONG_KEY if kind in (REVERSED, UNTOUCHED) else kind
    flagged = {found.items.index(flag.item_id) for flag in found.flags if flag.kind == as_flagged}
    spoiled_evidence, others = evidence[planted][:, None], evidence[~planted]
    return PlantedCounts(
        exams=1,
        first_ten=int(planted[list(found.checks.read_first)].sum()),
        auc=float(((spoiled_evidence > others) + 0.5 * (spoiled_evidence == others)).mean()) if len(spoil) else 0.0,
        found=len(flagged & set(spoil.tolist())),
        flagged=len(flagged - set(spoil.tolist())),
        others=int((~planted).sum()),
    )


def set_counted(
    responses: Floats, name: str, draws: int, seed: int, sizes: Sequence[tuple[int, int]] = SIZES
) -> Iterator[tuple[str, str, PlantedCounts]]:
    """Kind of fault, size and counts of each exam drawn of a set."""
    options = options_of(name)
    kinds = OF_WORDS if options == OPEN else OF_CHOICES
    # not every set is large enough for every size
    for examinees, items in sizes:
        if examinees > len(responses) or items > responses.shape[1]:
            continue
        rng = np.random.default_rng([seed, examinees, items])
        for _ in range(draws):
            rows = rng.choice(len(responses), examinees, replace=False)
            columns = rng.choice(responses.shape[1], items, replace=False)
            spoil = rng.choice(items, PLANTED, replace=False)
            for kind in kinds:
                counted = exam_counted(responses[np.ix_(rows, columns)], spoil, kind, options, rng)
                yield kind, f"{examinees} x {items}", counted


def main() -> None:
    """Run and print."""
    given = exam_arguments(__doc__, 20, large="larger exams")
    found: dict[str, dict[str, PlantedCounts]] = {kind: {} for kind in COLUMNS}
    for name in given.only:
        for kind, size, counted in set_counted(
            read_matrix(given.folder / f"{name}.csv", 1)[0],
            name,
            given.draws,
            given.seed,
            LARGE if given.large else SIZES,
        ):
            for key in (f"{name}, {size}", name, size, "all"):
                found[kind].setdefault(key, PlantedCounts()).add(counted)
    if given.json:
        print(
            json.dumps(
                {kind: {key: asdict(own) for key, own in each.items()} for kind, each in found.items()}, indent=2
            )
        )
        return
    print("| fault | set, size | first ten, of five | AUC | found | flagged |")
    print("|---|---|---|---|---|---|")
    for kind, each in found.items():
        for key, own in each.items():
            if ", " not in key:
                print(f"| {kind} | {key} | {own.told()} |")


if __name__ == "__main__":
    with threadpool_limits(limits=1, user_api="blas"):
        main()
