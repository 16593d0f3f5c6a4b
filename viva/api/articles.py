"""Articles graded by the exam questions that they answer (the EXAM measure); leaderboards compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from viva.api.calling import outside_loop
from viva.api.result import Cell, Column, Kind, Result, Table
from viva.api.terminal import shown_progress
from viva.api.text import shortened
from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.note_words import note_sentence, worded
from viva.core.notes import Note, NoteCode
from viva.core.records.articles import Article, QuestionBank, Verification
from viva.core.scores_articles import ArticleScores, Mean
from viva.core.settings import Settings
from viva.core.wording import counted
from viva.exams.articles.bank import read_bank, with_keys
from viva.exams.articles.boards import read_board
from viva.exams.articles.gradings import read_gradings
from viva.exams.articles.sources import Shelf, add_articles, add_gold, add_run, read_passages
from viva.exams.file import write_file
from viva.graphs.articles.exam import RATED, RIGHT, ArticlePlan, examine_articles
from viva.graphs.resources.run_settings import read_settings
from viva.metrics.articles.leaderboards import agreement
from viva.metrics.articles.scores import Graded, article_scores
from viva.reports.articles import render_articles
from viva.reports.sections.article_words import agreed, headline, told_pairs, told_unanswered
from viva.storage.lock import run_lock

SCORES_FILE, REPORT_FILE = "scores.json", "report.html"
DEPTHS = (1, 5, 10, 20)
_SHOWN = 8
Paths = Sequence[str | Path]


def grade_articles(
    bank: str | Path,
    *,
    articles: Paths = (),
    runs: Sequence[str] = (),
    passages: Paths = (),
    gold: str | Path | None = None,
    gradings: str | Path | None = None,
    verify: str = "key",
    whole: bool = False,
    paragraphs: int = 20,
    min_grade: int | None = None,
    depths: Sequence[int] = (),
    official: Sequence[str] = (),
    out: str | Path = "viva-runs/articles",
    settings: Settings | None = None,
    **chosen: Any,
) -> Result:
    """Grade articles by the questions of a bank that they answer; scores and the report are written into `out`.

    A language model reads the articles of files and of TREC `runs` with their `passages`, or `gradings` are those
    stored in a file. `verify`: "key", or "rating" for texts rated from 0 to 5. `official`: leaderboards to compare
    with. `chosen`: settings such as model="openai:gpt-4o-mini" (`settings`: the same, as they were read before).
    docs/articles.md. What was read before is not read again.
    """
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder} is a file.", allowed="A folder.", next_step="Name another --out.")
    verification, (questions, notes) = _verification(verify), read_bank(bank)
    shown_depths = sorted(set(depths or (depth for depth in DEPTHS if depth <= paragraphs)))
    boards = {Path(named).name: read_board(named) for named in official}
    if gradings:
        sources = {"articles": articles, "run": runs, "passages": passages, "gold": gold, "whole": whole or None}
        _check_idle({**sources, **chosen})
        stored = _stored(Path(gradings), questions, verification, min_grade)
        scores = article_scores(stored, shown_depths, boards)
    else:
        if isinstance(model := chosen.get("model"), str):
            chosen["model"] = (model,)
        settings = settings or read_settings(chosen, lambda field: f"The argument {field}")
        if not settings.model:
            raise UsageError(replacement("reading articles by rules") or "")
        found, of_gold, unknown = _articles(questions, articles, runs, passages, gold)
        kept = questions if verification is Verification.RATING else with_keys(questions)
        # a bank without any key: the plan reports it
        kept = kept if kept.queries else questions
        asked = {query.id for query in kept.queries}
        plan = ArticlePlan(
            folder=folder,
            bank=kept,
            settings=settings,
            articles=[article for article in found if article.query_id in asked],
            gold=[article for article in of_gold if article.query_id in asked],
            verification=verification,
            whole=whole,
            paragraphs=paragraphs,
            at_least=min_grade,
            unknown=(*_without_key(questions, kept), *unknown),
        )
        with shown_progress() as watch:
            scores = outside_loop(partial(examine_articles, plan, shown_depths, boards, watch))
    scores = scores.model_copy(update={"notes": (*notes, *scores.notes)})
    with run_lock(folder):
        write_file(scores.model_dump_json(indent=1, context=worded()) + "\n", folder / SCORES_FILE)
        write_file(render_articles(scores, questions), folder / REPORT_FILE)
    return articles_result(scores, folder / REPORT_FILE)


def compare_boards(first: str, second: str) -> Result:
    """Compare two leaderboards, FILE or FILE#COLUMN, by Spearman's and Kendall's rank correlations."""
    found = agreement(Path(first).name, read_board(first), Path(second).name, read_board(second))
    return Result("", (), tuple(agreed(found)), found.model_dump(mode="json"))


# --- what is read -------------------------------------------------------------------------------------------


def _verification(named: str) -> Verification:
    try:
        return Verification(named)
    except ValueError:
        problem = replacement(f"exam-articles --verify {named}") or f"--verify is {named!r}."
        raise UsageError(problem, allowed=f"One of {', '.join(Verification)}.") from None


def _check_idle(given: Mapping[str, object]) -> None:
    """UsageError for what stored gradings leave without effect; 0 is a limit too."""
    if idle := next((name for name, value in given.items() if value is not None and value not in ((), [])), None):
        raise UsageError(
            f"--gradings and --{idle.replace('_', '-')} are both given.",
            allowed="Stored gradings alone: with them, nothing else is read and no model is asked.",
        )


def _stored(file: Path, bank: QuestionBank, verification: Verification, min_grade: int | None) -> Graded:
    """Read stored gradings. They are ratings if a grade is above 1, or if `verification` says so."""
    found = read_gradings(file, bank)
    rated = verification is Verification.RATING or int(found.grades.grades.max()) > RIGHT
    at_least = min_grade or found.at_least or (RATED if rated else RIGHT)
    note = Note(code=NoteCode.GRADING_GUESSED, names=(str(file),), count=at_least)
    return Graded(
        bank=bank,
        passages=found.passages,
        grades=found.grades,
        runs=found.runs,
        at_least=at_least,
        reader=f"unknown (kept in {file.name})",
        verification=Verification.RATING if rated else Verification.KEY,
        gold=found.gold if found.gold.any() else None,
        unknown=found.unknown,
        notes=() if min_grade or found.at_least else (note,),
    )


def _without_key(bank: QuestionBank, kept: QuestionBank) -> list[str]:
    without = bank.size - kept.size
    told = f"{counted(without, 'question')} of the bank without a key: no answer could be verified"
    return [told] if without else []


def _articles(
    bank: QuestionBank, paths: Paths, runs: Sequence[str], passages: Paths, gold: str | Path | None
) -> tuple[Sequence[Article], Sequence[Article], list[str]]:
    """Read articles, gold articles, and what is for no query of the bank."""
    if not paths and not runs:
        raise UsageError(
            "There is no article to judge.", next_step="Name them: --articles FOLDER, or --run FILE --passages FILE."
        )
    if bool(runs) != bool(passages):
        raise UsageError("A run needs the texts of its passages.", next_step="Give both: --run FILE --passages FILE")
    shelf, of_gold = Shelf(bank), Shelf(bank)
    for path in paths:
        add_articles(shelf, Path(path))
    texts: dict[str, str] = {}
    for path in passages:
        texts |= read_passages(Path(path))
    for named in runs:
        name, _, file = named.rpartition("=")
        add_run(shelf, Path(file), texts, name)
    if not gold:
        return shelf.found, (), shelf.unknown
    add_gold(of_gold, Path(gold))
    return shelf.found, of_gold.found, [*shelf.unknown, *of_gold.unknown]


# --- in words -----------------------------------------------------------------------------------------------


def articles_result(scores: ArticleScores, report: Path) -> Result:
    """Put the scores into a leaderboard and sentences; `report` is where all questions are."""
    rows = scores.systems
    normalised, depths = any(row.n_exam for row in rows), sorted({depth for row in rows for depth in row.cover})
    names = ("EXAM", "EXAM SE", *(("n-EXAM", "n-EXAM SE") if normalised else ()))
    columns = (
        *(Column("place"), Column("system")),
        *(Column(name, Kind.NUMBER, 3, spare=name.startswith("n")) for name in names),
        *(Column(f"first {depth}", Kind.NUMBER, 3, spare=4) for depth in depths),
        *(Column(name, Kind.NUMBER, spare=2) for name in ("skipped", "empty", "not graded")),
        Column("no text", Kind.NUMBER, spare=3),
    )
    values = [row.exam.value if row.exam else None for row in rows]
    cells: list[tuple[Cell, ...]] = [
        (
            # tied systems share a place
            "-" if value is None else str(values.index(value) + 1),
            row.system,
            *_mean(row.exam),
            *(_mean(row.n_exam) if normalised else ()),
            *(_mean(row.cover.get(depth))[0] for depth in depths),
            *(row.skipped, row.empty, row.not_graded, row.passages_ungraded),
        )
        for value, row in zip(values, rows, strict=True)
    ]
    parts = [
        Result("", (), (headline(scores),)),
        Result("Systems", (Table("Systems", columns, tuple(cells)),), tuple(_sentences(scores, report))),
    ]
    return Result.joined("Articles", parts, scores.model_dump(mode="json", context=worded()))


def _mean(found: Mean | None) -> tuple[float | None, float | None]:
    return (found.value, found.se) if found else (None, None)


def _sentences(scores: ArticleScores, report: Path) -> Iterator[str]:
    yield from (f"Note: {note_sentence(note)}" for note in scores.notes)
    yield from _listed("Left out:", scores.unknown)
    yield from _listed("Could not be graded:", [f"{n} times: {why}" for why, n in scores.failures.items()])
    if pairs := told_pairs(scores):
        yield pairs
    for each in scores.agreements:
        yield from agreed(each)
    yield told_unanswered(scores)
    yield from _listed("Leaked:", [f"question {e.question_id} in {e.where}: “{e.quote}”" for e in scores.leaks])
    yield f"All questions: {report}"


def _listed(head: str, lines: Sequence[str]) -> list[str]:
    return [f"{head} ({len(lines)})", *shortened(lines, _SHOWN)] if lines else []
