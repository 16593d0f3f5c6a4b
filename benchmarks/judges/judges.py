"""How far the judges without a language model agree with people, beside the floor of token F1.

    python benchmarks/judges/judges.py correctness --data FOLDER  # stsb/dev, evouna, saf_asag
    python benchmarks/judges/judges.py answerability --data FOLDER  # squad2, by article
    python benchmarks/judges/judges.py faithfulness --data FOLDER  # begin, nli, and four sets of factscore
    python benchmarks/judges/judges.py unseen --data FOLDER  # every set left out of what is fitted, in turn
    python benchmarks/judges/judges.py scale --data FOLDER  # fits people's scales of both, and keeps them
    python benchmarks/judges/judges.py answering --data FOLDER  # the same of the weights of answerability
    python benchmarks/judges/judges.py figures --data FOLDER  # measures all judges, and keeps the figures
    python benchmarks/judges/judges.py ... --json  # the figures for machines

FOLDER holds the calibration sets, one folder each. Intervals are of 95%: a bootstrap that draws whole groups, and
Bonett and Wright's for a correlation. Labels of two kinds are compared with scores cut at one half.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import judge_answering
import judge_claims
import judge_figures
import judge_scale
import judge_unseen
import numpy as np
from judge_data import Cases
from judge_figures import JudgeFigure
from judge_sets import JUDGED

from viva.agents.judges.offline.comparison import alternatives
from viva.agents.judges.offline.judge import OfflineJudge
from viva.agents.judges.roles import Judge
from viva.core.ids import content_hash
from viva.core.records.judging import Case, Judgement, Quality
from viva.core.text.overlap import token_f1
from viva.llm.embeddings import SentenceTransformerEmbedder, Vectors
from viva.metrics.judges.agreement import spearman, spearman_of
from viva.metrics.judges.confusion import at_least, balanced_accuracy_of, matthews_of
from viva.metrics.judges.paired import bootstrap
from viva.metrics.judges.pairs import Statistic, Undefined

SEED, CUT = 0, 0.5
FIGURES = [*(quality.value for quality in JUDGED), "figures", "unseen", "scale", "answering"]


class Kept:
    """Vectors kept while the command runs: all judges read the same texts."""

    def __init__(self) -> None:
        self._vectors: dict[tuple[str, str], Vectors] = {}

    def get_many(self, fingerprint: str, keys: Sequence[str]) -> dict[str, Vectors]:
        return {key: self._vectors[fingerprint, key] for key in keys if (fingerprint, key) in self._vectors}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        self._vectors |= {(fingerprint, key): vector for key, vector in vectors.items()}


def floor(case: Case, quality: Quality) -> float:
    """Token F1 of what is said with what is given: the figure that needs no judge."""
    if quality is Quality.CORRECTNESS:
        return max(token_f1(case.answer, wording) for wording in alternatives(case.reference))
    said = case.question if quality is Quality.ANSWERABILITY else case.answer
    return token_f1(said, " ".join(case.passages))


def best_cut(scores: Sequence[float], cases: Cases) -> float:
    """The cut that is best for Matthews' correlation: a floor is given the one for the very cases it is judged by."""
    labels = np.array([case.label for case in cases])
    cuts = np.unique(np.quantile(scores, np.linspace(0.02, 0.98, 49)))
    found = [matthews_of(np.column_stack([at_least(scores, float(cut)), labels])) for cut in cuts]
    return float(cuts[int(np.argmax([-1.0 if isinstance(each, Undefined) else each for each in found]))])


def figures(
    data: str, judge: str, scores: Sequence[float | None], cases: Cases, cut: float = CUT
) -> list[JudgeFigure]:
    """Spearman's rho of graded labels; of labels of two kinds MCC, balanced accuracy and Spearman's rho."""
    labels = [case.label for case in cases]
    graded = not set(labels) <= {0.0, 1.0}
    kinds: list[tuple[str, Statistic, bool]] = [("spearman", spearman_of, False)]
    if not graded:
        kinds = [("mcc", matthews_of, True), ("balanced accuracy", balanced_accuracy_of, True), *kinds]
    found = []
    for name, statistic, cuts in kinds:
        own = at_least(scores, cut) if cuts else np.array([np.nan if s is None else s for s in scores])
        judged = ~np.isnan(own)
        rows = np.column_stack([own, labels])[judged]
        groups = [case.group for case, is_judged in zip(cases, judged, strict=True) if is_judged]
        drawn = bootstrap(statistic, rows, groups, seed=SEED)
        missing = len(cases) - len(rows)
        if isinstance(drawn, Undefined):
            print(f"{data}, {judge}, {name}: {drawn.reason}", file=sys.stderr)
            continue
        told = (drawn.interval.value, drawn.interval.low, drawn.interval.high, "bootstrap by group")
        found.append(JudgeFigure(data, judge, name, *told, len(rows), missing, fingerprint_of(cases)))
        if graded:
            wright = spearman(rows[:, 0], rows[:, 1])
            if not isinstance(wright, Undefined) and not isinstance(wright.interval, Undefined):
                told = (wright.estimate, wright.interval.low, wright.interval.high, "Bonett-Wright")
                found.append(JudgeFigure(data, judge, name, *told, len(rows), missing, fingerprint_of(cases)))
    return found


def fingerprint_of(cases: Cases) -> str:
    """16 hex digits of cases, labels and groups, whatever their order."""
    return content_hash("labels", *sorted(content_hash(c.case.id, c.label, c.group) for c in cases))


def scores_of(judge: Judge, cases: Cases) -> list[float | None]:
    """The judge's score of each case; None where it could not judge."""
    found = asyncio.run(judge.judge([case.case for case in cases], telling(judge.card.name)))
    return [each.score if isinstance(each, Judgement) else None for each in found]


def compared(data: str, quality: Quality, cases: Cases, judge: Judge) -> list[JudgeFigure]:
    """The floor and the judge on the same cases. The floor is cut where that is best for it."""
    low = [floor(case.case, quality) for case in cases]
    graded = not {case.label for case in cases} <= {0.0, 1.0}
    found = figures(data, "token F1", low, cases, CUT if graded else best_cut(low, cases))
    return found + figures(data, judge.card.name, scores_of(judge, cases), cases)


def measured(quality: Quality, folder: Path, embedder: SentenceTransformerEmbedder) -> list[JudgeFigure]:
    """The judge on cases that nothing was fitted to."""
    judge = OfflineJudge(quality, embedder)
    return [
        figure for name, read in JUDGED[quality].items() for figure in compared(name, quality, read(folder), judge)
    ]


def kept(folder: Path, embedder: SentenceTransformerEmbedder) -> list[JudgeFigure]:
    """All judges, measured; the figures ship with them."""
    found = []
    for quality in JUDGED:
        own = measured(quality, folder, embedder)
        judge_figures.keep([OfflineJudge(quality, embedder).card], own)
        found += own
    return found


def telling(what: str) -> Callable[[int, int], None]:
    """Progress on the error stream, every tenth."""

    told = [-1]

    def tell(done: int, total: int) -> None:
        if done * 10 // total != told[0]:
            told[0] = done * 10 // total
            print(f"\r{what}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return tell


def run_fitted(figure: str, folder: Path, embedder: SentenceTransformerEmbedder) -> None:
    """What is fitted to labels: anew, or measured on each set while it is left out."""
    if figure == "unseen":
        judge_unseen.told(judge_unseen.unseen(folder, embedder), print)
    elif figure == "scale":
        judge_scale.keep(
            {
                Quality.CORRECTNESS: judge_scale.Fitting(folder, embedder).scale(),
                Quality.FAITHFULNESS: judge_claims.ClaimFitting(folder, embedder).scale(),
            }
        )
    else:
        judge_answering.keep(judge_answering.fitted_to_all(folder, embedder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--data", type=Path, required=True, help="folder of the calibration sets")
    parser.add_argument("--json", action="store_true", help="the figures for machines")
    parser.add_argument("--threads", type=int, default=2, help="of torch; the last bits depend on them")
    given = parser.parse_args()
    embedder = SentenceTransformerEmbedder("minilm", Kept(), threads=given.threads)
    if given.figure in {"unseen", "scale", "answering"}:
        run_fitted(given.figure, given.data, embedder)
        return
    if given.figure == "figures":
        found = kept(given.data, embedder)
    else:
        found = measured(Quality(given.figure), given.data, embedder)
    if given.json:
        print(json.dumps([figure.__dict__ for figure in found], indent=1))
        return
    for each in found:
        told = f"{each.estimate:6.3f} [{each.low:6.3f}, {each.high:6.3f}]  {each.interval}, n = {each.labels}"
        missing = f", {each.unjudged} unjudged" if each.unjudged else ""
        print(f"{each.data:10} {each.judge:20} {each.statistic:18} {told}{missing}")


if __name__ == "__main__":
    main()
