"""Does an exam rank systems as people's own questions do? Spearman and Kendall, beside people's other half.

    python benchmarks/validity.py BOOK QUESTIONS.jsonl                  # an offline exam of 150 of the folder BOOK
    python benchmarks/validity.py BOOK QUESTIONS.jsonl --items 100 --out FOLDER
    python benchmarks/validity.py BOOK QUESTIONS.jsonl --exam NAME=exam.jsonl   # exams written before, too
    python benchmarks/validity.py ... --json

QUESTIONS.jsonl holds people's multiple-choice questions on the same documents, a JSON object a line: `question`,
`options`, `answer` (the key's place). Systems of the panel below, which differ in retriever, passages read, chunk
size and reader, sit them and the exam; nobody is a copy of another.

Validity is how the order of the systems by an exam agrees with their order by people's questions. People's questions
are halved by lot, again and again: one half is the criterion, and an exam of as many questions as the shortest
compared is drawn from the other half, which tells how well any exam of this length could do. Each exam is drawn anew
for each halving, with replacement, so that the 95% intervals (percentiles) hold what chance in the questions adds.
The sure tier alone is short, and compared as a whole only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, spearmanr

from viva.core.records import Exam, Tier
from viva.exams.file import read_exam
from viva.storage.runs import RunStore

ROOT = Path(__file__).parents[1]
DRAWS = 1000
PANEL = """
examinees:
  - name: passages
    reference: {reader: lexical}
    grid:
      retriever: [bm25, dense, hybrid]
      k: [1, 4]
      chunk: [64, 256]
  - name: meaning
    reference: {reader: embedding}
    grid:
      retriever: [bm25, dense]
      k: [1, 4]
  - name: closed-book lexical
    reference: {retriever: closed-book, reader: lexical}
  - name: closed-book embedding
    reference: {retriever: closed-book, reader: embedding}
"""
Matrix = NDArray[np.float64]
"""1 for right, 0 for wrong or failed: systems in rows, questions in columns."""


def people(questions: Path, folder: Path) -> Exam:
    """The questions of people as an exam; what cannot be graded is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = (json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines() if line.strip())
    shown = (
        {"question": r["question"], "choices": r["options"], "answer": r["answer"]} for r in rows if r.get("options")
    )
    plain, exam = folder / "questions.jsonl", folder / "exam.jsonl"
    plain.write_text("".join(json.dumps(row) + "\n" for row in shown), encoding="utf-8")
    _viva("exam", "import", plain, "--format", "lm-eval", "--out", exam)
    return read_exam(exam)


@dataclass(frozen=True)
class PanelSitting:
    """Who sat an exam, what was right, and which questions (columns) are of the sure tier."""

    right: Matrix
    systems: list[str]
    sure: NDArray[np.bool_]


def sat(documents: Path, folder: Path, exam: Exam | None, items: int) -> PanelSitting:
    """Whoever of the panel sat the exam, in a run of its own; without one, an exam is written offline first."""
    panel = folder / "panel.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    panel.write_text(PANEL, encoding="utf-8")
    run = folder / "run"
    if exam is None:
        _viva("run", documents, "--out", run, "--items", items, "--examinee", panel)
    else:
        _viva("ingest", documents, "--out", run)
        with RunStore.open(run) as store:
            if store.latest_exam() != exam:
                store.add_exam(exam)
        _viva("sit", run, "--examinee", panel)
    return _matrix(run)


def _viva(*arguments: object) -> None:
    line = [sys.executable, "-m", "viva", *map(str, arguments)]
    done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout[-2000:])


def _matrix(run: Path) -> PanelSitting:
    with RunStore.open(run) as store:
        exam = store.latest_exam()
        if exam is None:
            sys.exit(f"{run} has no exam.")
        shown = {each.item.id: each for each in exam.items if not each.item.is_open}
        names = {each.id: each.name for each in store.examinees()}
        responses = store.responses_to(shown.values())
    place = {item_id: n for n, item_id in enumerate(sorted(shown))}
    systems = sorted({names[each.examinee_id] for each in responses})
    right = np.zeros((len(systems), len(place)))
    for each in responses:
        key = each.choice == shown[each.item_id].key_position
        right[systems.index(names[each.examinee_id]), place[each.item_id]] = key
    sure = np.array([shown[item_id].item.provenance.tier is Tier.SURE for item_id in place])
    return PanelSitting(right, systems, sure)


def agreement(first: Matrix, second: Matrix) -> tuple[float, float]:
    """Spearman and Kendall (tau-b) of the systems' accuracies."""
    means = first.mean(axis=1), second.mean(axis=1)
    return float(spearmanr(*means).statistic), float(kendalltau(*means).statistic)


def validities(criterion: Matrix, exams: Mapping[str, Matrix], seed: int) -> dict[str, dict[str, list[float]]]:
    """For each exam, and for people's other half: both coefficients with their 95% intervals over halvings."""
    draw = np.random.default_rng(seed)
    count = criterion.shape[1]
    length = min(count // 2, *(right.shape[1] for right in exams.values()))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in (*exams, "people's other half")}
    for _ in range(DRAWS):
        order = draw.permutation(count)
        half, rest = criterion[:, order[: count // 2]], criterion[:, order[count // 2 :]]
        for name, right in {**exams, "people's other half": rest}.items():
            drawn = right[:, draw.integers(right.shape[1], size=length)]
            found[name].append(agreement(half, drawn))
    return {name: _summary(np.array(pairs)) for name, pairs in found.items()}


def _summary(pairs: NDArray[np.float64]) -> dict[str, list[float]]:
    kept = pairs[np.isfinite(pairs).all(axis=1)]
    rows = np.vstack([kept.mean(axis=0), np.quantile(kept, [0.025, 0.975], axis=0)])
    return {name: [round(float(v), 3) for v in rows[:, n]] for n, name in enumerate(("spearman", "kendall"))}


def measured(given: argparse.Namespace) -> dict[str, object]:
    """Let everybody sit everything; compare."""
    asked = sat(given.book, given.out / "people", people(given.questions, given.out / "people"), 0)
    criterion = asked.right
    exams: dict[str, Matrix] = {}
    sure: dict[str, Matrix] = {}
    named = {"offline": None, **{name: read_exam(Path(path)) for name, path in map(_named, given.exam)}}
    for name, exam in named.items():
        found = sat(given.book, given.out / name, exam, given.items)
        if found.systems != asked.systems:
            sys.exit(f"Other systems sat {name}: {sorted(set(found.systems) ^ set(asked.systems))}")
        exams[name] = found.right
        if found.sure.any():
            sure[f"{name}, sure tier alone"] = found.right[:, found.sure]
    return {
        "systems": dict(zip(asked.systems, criterion.mean(axis=1).round(3).tolist(), strict=True)),
        "questions": {
            "people": criterion.shape[1],
            **{name: each.shape[1] for name, each in {**exams, **sure}.items()},
        },
        "whole": {
            name: [round(v, 3) for v in agreement(criterion, each)] for name, each in {**exams, **sure}.items()
        },
        "halved": validities(criterion, exams, given.seed),
    }


def _named(text: str) -> Sequence[str]:
    name, _, path = text.partition("=")
    return name, path


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--exam", action="append", default=[], metavar="NAME=FILE", help="another exam of the book")
    parser.add_argument("--out", type=Path, default=ROOT / "viva-runs/validity")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    print(json.dumps(measured(given), indent=None if given.json else 2))


if __name__ == "__main__":
    main()
