"""What EXAM mode is worth: published figures, speed from stored gradings, and generated questions against human ones.

    python benchmarks/articles.py published FOLDER              # shared data of TREC DL19 and CAR Y3
    python benchmarks/articles.py speed [--passages 100]        # 1,000 queries x 20 systems x 20 questions
    python benchmarks/articles.py book DOCS QUESTIONS --out DIR # twelve retrievers by human and by own questions
    python benchmarks/articles.py reader DOCS QUESTIONS         # what the offline reader answers, and should not
    python benchmarks/articles.py ... --json                    # the figures for machines

`book` wants a folder of sections and their questions as JSONL with doc_id (the file's name), question, options and
answer. viva writes its own questions about the same sections offline; those thrown out only because too few wrong
options were found are asked too, as open questions. Interrupted, it goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from viva.agents.offline.articles import LexicalArticleReader, Telling
from viva.core.records.articles import Article, BankQuery, BankQuestion, QuestionBank, Verification
from viva.core.scores_articles import ArticleScores, RankAgreement
from viva.core.settings import Settings
from viva.examinees.specs.records import ReferenceSpec
from viva.exams.articles.bank import read_bank
from viva.exams.articles.boards import read_board
from viva.exams.articles.gradings import read_gradings
from viva.exams.articles.sources import paragraphs_of
from viva.graphs.articles.collect import Library, collect, specs_of
from viva.graphs.articles.exam import examine_articles
from viva.graphs.articles.readers import ArticlePlan
from viva.graphs.context import RunContext
from viva.graphs.runner import run_stages
from viva.metrics.articles.cover import cover, exam_qrels, pooled
from viva.metrics.articles.exam import exam, normalised_exam
from viva.metrics.articles.leaderboards import LeaderboardRow, agreement, told
from viva.metrics.articles.scores import Graded, Wanted, article_scores, board_of
from viva.reports.sections.article_words import agreed

QUERIES, SYSTEMS, QUESTIONS = 1000, 20, 20
PANEL = (
    "bm25,chunk=32 bm25,chunk=64 bm25,chunk=128 bm25 bm25,chunk=512 dense:lsa,chunk=64 dense:lsa,chunk=128 dense:lsa "
    "dense:lsa,chunk=512 hybrid:lsa,chunk=64 hybrid:lsa,chunk=128 hybrid:lsa,chunk=512"
).split()
FEW = "too_few_distractors"
PARAGRAPHS = 20


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
    gradings = read_gradings(folder / "dl19_grades_no_text.jsonl.gz", read_bank(folder / "dl19_questions.jsonl"))
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
            max(abs(ours[system].score - theirs[system].score) for system in ours.keys() & theirs.keys()), 4
        )
    # as the reference figure was made: shares added in the order of the file, ties parted by rounding
    order = list(dict.fromkeys(gradings.grades.query_of.tolist()))
    sums = scores["EXAM"].values[:, order].tolist()
    raw = {s: LeaderboardRow(sum(row) / len(row)) for s, row in zip(book.systems, sums, strict=True)}
    found["DL19, EXAM, ties parted by rounding"] = _unrounded(raw, official)
    precision = exam_qrels(gradings.runs, gradings.grades, at_least=3, k=20, measures=["precision"])["precision"]
    qrels = read_board(str(folder / "published/exam-qrels-leaderboard-dl19-qrels-genq-self-rating-3.tsv"))
    ours = board_of(precision)
    found["DL19, EXAM-Qrels P@20, largest distance from the published score"] = round(
        max(abs(ours[system].score - qrels[system].score) for system in ours.keys() & qrels.keys()), 4
    )
    return found


def _agreement(first: dict[str, LeaderboardRow], second: dict[str, LeaderboardRow]) -> RankAgreement:
    return told("ours", "official", agreement(first, second, seed=0))


def _unrounded(first: dict[str, LeaderboardRow], second: dict[str, LeaderboardRow]) -> str:
    from viva.metrics.judges.agreement import kendall_of, spearman_of

    rows = np.array([(first[name].score, second[name].score) for name in sorted(first.keys() & second.keys())])
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
        scores = article_scores(graded, Wanted())
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


# --- the reader ---------------------------------------------------------------------------------------------


def reader(docs: Path, questions: Path) -> dict[str, Any]:
    """Multiple-choice questions put to their own section, and to one that lies seventeen sections on."""
    queries = read_bank(questions).queries
    texts = [(docs / f"{query.id}.md").read_text(encoding="utf-8") for query in queries]
    reads = LexicalArticleReader(Telling(p.text for text in texts for p in paragraphs_of(text)))
    counts: dict[str, Counter[str]] = {"own section": Counter(), "another section": Counter()}
    for n, query in enumerate(queries):
        for question in query.questions:
            if question.options:
                for told_of, at in (("own section", n), ("another section", (n + 17) % len(texts))):
                    said = asyncio.run(reads.answer(question, texts[at])).text
                    counts[told_of].update({"asked": 1, "answered": bool(said), "right": said == question.key})
    return {told_of: dict(found) for told_of, found in counts.items()}


# --- a book -------------------------------------------------------------------------------------------------


def book(
    docs: Path, questions: Path, out: Path, panel: Sequence[str], reader: str, tokens: int | None
) -> dict[str, Any]:
    """Twelve retrievers ranked by the book's own questions, and by those that viva writes about it."""
    human = read_bank(questions)
    own = _generated(docs, human, out / "writing")
    found: dict[str, Any] = {"human questions": human.size, "generated questions": own.size}
    found["sections with generated questions"] = len(own.queries)
    articles = _collected(docs, human, out / "library", panel)
    boards: dict[str, ArticleScores] = {}
    for name, bank in (("human", human), ("generated", own)):
        known = {query.id for query in bank.queries}
        (out / name).mkdir(parents=True, exist_ok=True)
        asked = [article for article in articles if article.query_id in known]
        boards[name] = examine_articles(
            ArticlePlan(out / name, bank, Settings(), articles=asked, reader=reader, tokens=tokens),
            Wanted(abilities=False),
        )
        rows = boards[name].systems
        found[f"EXAM by {name} questions"] = {
            row.system: [round(row.exam.value, 3), round(row.exam.se or 0.0, 3)] for row in rows if row.exam
        }
        clear = sum(each.adjusted < 0.05 for each in boards[name].differences)
        found[f"pairs that differ by {name} questions"] = f"{clear} of {len(boards[name].differences)}"
    found["systems that differ in the human questions they answer"] = _distinct(boards["human"])
    both = agreement(_board(boards["human"]), _board(boards["generated"]), seed=0)
    return {**found, "human and generated": told("human", "generated", both)}


def _collected(docs: Path, bank: QuestionBank, folder: Path, panel: Sequence[str]) -> list[Article]:
    """What each retriever collects for each section's title, kept for the next time."""
    kept = folder / "articles.json"
    listed = TypeAdapter(list[Article])
    if kept.is_file():
        return listed.validate_json(kept.read_bytes())
    with closing(Library(folder, docs, Settings())) as library:
        specs = [spec for spec in specs_of(panel, Settings()) if isinstance(spec, ReferenceSpec)]
        articles = collect(library, specs, bank, PARAGRAPHS)
    kept.write_bytes(listed.dump_json(articles))
    return articles


def _distinct(scores: ArticleScores) -> int:
    """How many systems answer sets of questions that no other does."""
    sets = Counter(tuple(row.system in outcome.answered_by for outcome in scores.outcomes) for row in scores.systems)
    return len(sets)


def _board(scores: ArticleScores) -> dict[str, LeaderboardRow]:
    return {row.system: LeaderboardRow(row.exam.value, row.exam.se or 0.0) for row in scores.systems if row.exam}


def _generated(docs: Path, human: QuestionBank, folder: Path) -> QuestionBank:
    """The questions that the offline cast words about each section, as open questions with their keys."""
    kept = folder / "bank.json"
    if kept.is_file():
        return QuestionBank.model_validate_json(kept.read_text(encoding="utf-8"))
    context = RunContext(folder, Settings(items=1000), documents_folder=docs)
    run_stages(context, "ingest", "write")
    context = RunContext(folder, Settings())
    names = {document.id: Path(document.path).stem for document in context.documents.values()}
    asked: dict[str, dict[str, BankQuestion]] = {}
    for item in context.store.items():
        question = BankQuestion(id=item.id, stem=item.stem, key=item.key, reference=item.reference_answer)
        asked.setdefault(names[item.evidence[0].document_id], {})[item.stem] = question
    for rejection in context.store.rejections():
        draft = rejection.draft
        if draft is not None and rejection.verdict.code == FEW:
            question = BankQuestion(id=draft.id, stem=draft.stem, key=draft.key, reference=draft.reference_answer)
            asked.setdefault(names[draft.unit.evidence.document_id], {})[draft.stem] = question
    context.close()
    titles = {query.id: query.title for query in human.queries}
    queries = [
        BankQuery(id=name, title=titles[name], questions=tuple(own.values()))
        for name, own in sorted(asked.items())
        if name in titles
    ]
    bank = QuestionBank.of(queries)
    kept.write_text(bank.model_dump_json(), encoding="utf-8")
    return bank


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    one = kinds.add_parser("published")
    one.add_argument("folder", type=Path)
    two = kinds.add_parser("speed")
    two.add_argument("--passages", type=int, default=SYSTEMS)
    three = kinds.add_parser("book")
    three.add_argument("docs", type=Path)
    three.add_argument("questions", type=Path)
    three.add_argument("--out", type=Path, required=True)
    three.add_argument("--reader", default="lexical", choices=("lexical", "oracle"))
    three.add_argument("--tokens", type=int, help="words of an article that count: all are equally long then")
    three.add_argument("--system", action="append")
    four = kinds.add_parser("reader")
    four.add_argument("docs", type=Path)
    four.add_argument("questions", type=Path)
    for each in (one, two, three, four):
        each.add_argument("--json", action="store_true")
    given = parser.parse_args()
    match given.kind:
        case "published":
            found = published(given.folder)
        case "reader":
            found = reader(given.docs, given.questions)
        case "speed":
            found = speed(given.passages)
        case _:
            panel = given.system or PANEL
            found = book(given.docs, given.questions, given.out, panel, given.reader, given.tokens)
    if given.json:
        print(json.dumps(found, default=lambda value: value.model_dump(mode="json"), indent=1))
        return
    for name, value in found.items():
        print(f"{name}: {'; '.join(agreed(value)) if isinstance(value, RankAgreement) else value}")


if __name__ == "__main__":
    main()
