"""What EXAM mode is worth: published figures, and speed from stored gradings.

python benchmarks/articles.py published FOLDER              # shared data of TREC DL19 and CAR Y3
python benchmarks/articles.py speed [--passages 100]        # 1,000 queries x 20 systems x 20 questions
python benchmarks/articles.py ... --json                    # the figures for machines
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from viva.core.records.articles import BankQuery, BankQuestion, QuestionBank, Verification
from viva.core.scores_articles import RankAgreement
from viva.exams.articles.bank import read_bank
from viva.exams.articles.boards import read_board
from viva.exams.articles.gradings import read_gradings
from viva.metrics.articles.cover import cover, pooled
from viva.metrics.articles.exam import exam, normalised_exam
from viva.metrics.articles.leaderboards import Leaderboard, agreement
from viva.metrics.articles.scores import Graded, article_scores, board_of
from viva.reports.sections.article_words import agreed

QUERIES, SYSTEMS, QUESTIONS = 1000, 20, 20


# --- published ----------------------------------------------------------------------------------------------


def published(folder: Path) -> dict[str, Any]:
    """Agreement with official ranks, and how far scores lie from the published ones."""
    car = folder / "published/leaderboard-car-tqa-cc-verified.tsv"
    ranks = read_board(f"{car}#orig_TREC_leaderboard_rank")
    found = {
        f"CAR Y3, {name}": _agreement(read_board(f"{car}#{column}"), ranks)
        for name, column in (("original EXAM", "orig_EXAM_leaderboard_rank"), ("EXAM", "exam"), ("n-EXAM", "n-exam"))
    }
    return {**found, **_dl19(folder)}


def _dl19(folder: Path) -> dict[str, Any]:
    gradings = read_gradings(folder / "dl19_grades_no_text.jsonl.gz", read_bank(folder / "dl19_questions.jsonl")[0])
    official = read_board(str(folder / "dl19_official_ranks.json"))
    book = cover(gradings.runs, gradings.grades, at_least=3)
    scores = {"EXAM": exam(book), "n-EXAM": normalised_exam(book, pooled(gradings.grades, at_least=3))}
    table = folder / "published/EXAM-Cover-leaderboard-dl19-subqueries-self-rating-3.tsv"
    found: dict[str, Any] = {}
    for (name, own), column in zip(scores.items(), ("exam", "n-exam"), strict=True):
        theirs = read_board(f"{table}#{column}")
        ours = board_of(own)
        found[f"DL19, {name}"] = _agreement(ours, official)
        found[f"DL19, {name}, largest distance from the published score"] = round(
            max(abs(ours[system] - theirs[system]) for system in ours.keys() & theirs.keys()), 4
        )
    # as the reference figure was made: shares added in the order of the file, ties parted by rounding
    order = list(dict.fromkeys(gradings.grades.query_of.tolist()))
    sums = scores["EXAM"].values[:, order].tolist()
    raw = {s: sum(row) / len(row) for s, row in zip(book.systems, sums, strict=True)}
    found["DL19, EXAM, ties parted by rounding"] = _unrounded(raw, official)
    return found


def _agreement(first: Leaderboard, second: Leaderboard) -> RankAgreement:
    return agreement("ours", first, "official", second)


def _unrounded(first: Leaderboard, second: Leaderboard) -> str:
    from viva.metrics.judges.agreement import kendall_of, spearman_of

    rows = np.array([(first[name], second[name]) for name in sorted(first.keys() & second.keys())])
    return f"Spearman {spearman_of(rows):.3f}, Kendall {kendall_of(rows):.3f}"


# --- speed --------------------------------------------------------------------------------------------------


def speed(passages: int) -> dict[str, Any]:
    """Seconds and memory from a file of gradings to all scores; `passages` graded per query."""
    bank = QuestionBank.of(
        [
            BankQuery(id=f"q{n}", title=f"subject {n}", questions=tuple(_question(n, m) for m in range(QUESTIONS)))
            for n in range(QUERIES)
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "gradings.jsonl"
        _write_gradings(file, passages)
        megabytes = file.stat().st_size / 2**20
        start = time.perf_counter()
        cpu = time.process_time()
        gradings = read_gradings(file, bank)
        read = time.perf_counter() - start
        graded = Graded(bank, gradings.passages, gradings.grades, gradings.runs, 4, "stored", Verification.RATING)
        scores = article_scores(graded, (1, 5, 10, 20))
        seconds = time.perf_counter() - start
    return {
        "queries x systems x questions": f"{QUERIES:,} x {SYSTEMS} x {QUESTIONS}",
        "file, MiB": round(megabytes, 1),
        "grades": int((gradings.grades.grades >= 0).sum()),
        "seconds to read": round(read, 2),
        "seconds in all": round(seconds, 2),
        "seconds of processor": round(time.process_time() - cpu, 2),
        "peak memory, MiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "best EXAM": round(scores.systems[0].exam.value, 3) if scores.systems[0].exam else None,
    }


def _question(query: int, number: int) -> BankQuestion:
    return BankQuestion(id=f"q{query}/{number}", stem=f"What is point {number} of subject {query}?", key="something")


def _write_gradings(file: Path, passages: int) -> None:
    """Each passage is returned by one system: an article each where there are 20, several paragraphs where more."""
    draw = np.random.default_rng(0)
    with file.open("w", encoding="utf-8") as out:
        for query in range(QUERIES):
            table = draw.integers(0, 6, (passages, QUESTIONS))
            for n, grades in enumerate(table.tolist()):
                row = {
                    "query_id": f"q{query}",
                    "paragraph_id": f"p{query}-{n}",
                    "grades": {f"q{query}/{m}": grade for m, grade in enumerate(grades)},
                    "rankings": [[f"system {n % SYSTEMS}", n // SYSTEMS + 1]],
                }
                out.write(json.dumps(row) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    one = kinds.add_parser("published")
    one.add_argument("folder", type=Path)
    two = kinds.add_parser("speed")
    two.add_argument("--passages", type=int, default=SYSTEMS)
    for each in (one, two):
        each.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = published(given.folder) if given.kind == "published" else speed(given.passages)
    if given.json:
        print(json.dumps(found, default=lambda value: value.model_dump(mode="json"), indent=1))
        return
    for name, value in found.items():
        print(f"{name}: {'; '.join(agreed(value)) if isinstance(value, RankAgreement) else value}")


if __name__ == "__main__":
    main()
