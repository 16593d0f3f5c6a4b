"""The work of `viva exam-articles` and `viva agree`: read files, grade articles, show and write scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from viva.api.terminal import plain, print_json, wide_console
from viva.api.text import TextColumn, show_columns
from viva.cli.articles.options import ArticlesOptions
from viva.cli.settings import settings_given
from viva.cli.terminal.process import long_command
from viva.cli.terminal.show import ELSEWHERE
from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.note_words import note_sentence, worded
from viva.core.notes import Note, NoteCode
from viva.core.records.articles import Article, QuestionBank, Verification
from viva.core.scores_articles import ArticleScores, Mean, RankAgreement
from viva.core.wording import counted
from viva.exams.articles.bank import read_bank, with_keys
from viva.exams.articles.boards import read_board
from viva.exams.articles.gradings import read_gradings
from viva.exams.articles.sources import Shelf, add_articles, add_gold, add_run, read_passages
from viva.exams.file import write_file
from viva.graphs.articles.exam import RATED, RIGHT, ArticlePlan, examine_articles
from viva.metrics.articles.leaderboards import Leaderboard, agreement
from viva.metrics.articles.scores import Graded, article_scores
from viva.reports.articles import render_articles
from viva.reports.sections.article_words import agreed, headline, told_pairs, told_unanswered
from viva.storage.lock import run_lock

SCORES_FILE, REPORT_FILE = "scores.json", "report.html"
DEPTHS = (1, 5, 10, 20)
_SETTINGS = ("model", "base_url", "max_cost", "max_tokens", "max_calls", "price", "concurrency")
_READING = ("articles", "run", "passages", "gold", "whole", *_SETTINGS)
"""Options that stored gradings leave without effect."""


def exam_of_articles(given: ArticlesOptions) -> None:
    """Run `viva exam-articles`."""
    folder = Path(given.out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder} is a file.", allowed="A folder.", next_step="Name another --out.")
    verification = _verification(given.verify)
    bank, notes = read_bank(given.bank)
    depths = sorted(set(given.depth or (depth for depth in DEPTHS if depth <= given.paragraphs)))
    boards = {Path(named).name: read_board(named) for named in given.official or ()}
    if given.gradings:
        scores = article_scores(_stored(given, given.gradings, bank, verification), depths, boards)
    else:
        scores = _read(given, bank, verification, depths, boards)
    scores = scores.model_copy(update={"notes": (*notes, *scores.notes)})
    with run_lock(folder):
        write_file(scores.model_dump_json(indent=1, context=worded()) + "\n", folder / SCORES_FILE)
        write_file(render_articles(scores, bank), folder / REPORT_FILE)
    if given.json:
        print_json(scores.model_dump(mode="json", context=worded()))
    else:
        print_scores(wide_console(), scores, folder / REPORT_FILE)


def agree_boards(first: str, second: str, *, as_json: bool) -> None:
    """Run `viva agree`."""
    found = agreement(Path(first).name, read_board(first), Path(second).name, read_board(second))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        print_agreement(wide_console(), found)


def _verification(named: str) -> Verification:
    try:
        return Verification(named)
    except ValueError:
        gone = replacement(f"exam-articles --verify {named}")
        problem = gone or f"--verify is {named!r}."
        raise UsageError(problem, allowed=f"One of {', '.join(Verification)}.") from None


def _stored(given: ArticlesOptions, file: Path, bank: QuestionBank, verification: Verification) -> Graded:
    """What stored gradings hold. They are ratings if a grade is above 1, or if --verify says so."""
    # 0 is a limit too
    told = {name: value for name in _READING if (value := getattr(given, name)) is not None and value is not False}
    idle = next((name for name, value in told.items() if value != []), None)
    if idle:
        raise UsageError(
            f"--gradings and --{idle.replace('_', '-')} are both given.",
            allowed="Stored gradings alone: with them, nothing else is read and no model is asked.",
        )
    found = read_gradings(file, bank)
    rated = verification is Verification.RATING or int(found.grades.grades.max()) > RIGHT
    at_least = given.min_grade or found.at_least or (RATED if rated else RIGHT)
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
        notes=() if given.min_grade or found.at_least else (note,),
    )


def _read(
    given: ArticlesOptions,
    bank: QuestionBank,
    verification: Verification,
    depths: Sequence[int],
    boards: Mapping[str, Leaderboard],
) -> ArticleScores:
    settings = settings_given(given, only=_SETTINGS)
    if not settings.model:
        raise UsageError(replacement("reading articles by rules") or "")
    articles, gold, unknown = _articles(given, bank)
    kept = bank if verification is Verification.RATING else with_keys(bank)
    # a bank without any key: the plan reports it
    kept = kept if kept.queries else bank
    asked = {query.id for query in kept.queries}
    plan = ArticlePlan(
        folder=Path(given.out),
        bank=kept,
        settings=settings,
        articles=[article for article in articles if article.query_id in asked],
        gold=[article for article in gold if article.query_id in asked],
        verification=verification,
        whole=given.whole,
        paragraphs=given.paragraphs,
        at_least=given.min_grade,
        unknown=(*_keyless(bank, kept), *unknown),
    )
    with long_command() as watch:
        return examine_articles(plan, depths, boards, watch)


def _keyless(bank: QuestionBank, kept: QuestionBank) -> list[str]:
    """A note on the questions of the bank that were left out because they have no key."""
    without = bank.size - kept.size
    return (
        [f"{counted(without, 'question')} of the bank without a key: no answer could be verified"] if without else []
    )


def _articles(given: ArticlesOptions, bank: QuestionBank) -> tuple[Sequence[Article], Sequence[Article], list[str]]:
    """Articles, gold articles, and what is for no query of the bank."""
    if not given.articles and not given.run:
        raise UsageError(
            "There is no article to judge.", next_step="Name them: --articles FOLDER, or --run FILE --passages FILE."
        )
    if bool(given.run) != bool(given.passages):
        raise UsageError("A run needs the texts of its passages.", next_step="Give both: --run FILE --passages FILE")
    shelf = Shelf(bank)
    for path in given.articles or ():
        add_articles(shelf, path)
    passages: dict[str, str] = {}
    for path in given.passages or ():
        passages |= read_passages(path)
    for named in given.run or ():
        name, _, file = named.rpartition("=")
        add_run(shelf, Path(file), passages, name)
    if not given.gold:
        return shelf.found, (), shelf.unknown
    gold = Shelf(bank)
    add_gold(gold, given.gold)
    return shelf.found, gold.found, [*shelf.unknown, *gold.unknown]


_SHOWN = 8


def print_scores(console: Console, scores: ArticleScores, report: Path) -> None:
    """Print leaderboard, pairs that differ, agreement, unanswered questions, leaks, and the path of the report."""
    console.print(plain(headline(scores)))
    show_columns(console, "Systems", _leaderboard(scores), ELSEWHERE)
    for note in scores.notes:
        console.print(plain(f"Note: {note_sentence(note)}"))
    _print_list(console, "Left out:", scores.unknown)
    _print_list(console, "Could not be graded:", [f"{n} times: {why}" for why, n in scores.failures.items()])
    if pairs := told_pairs(scores):
        console.print(plain(pairs))
    for each in scores.agreements:
        print_agreement(console, each)
    console.print(plain(told_unanswered(scores)))
    _print_list(console, "Leaked:", [f"question {e.question_id} in {e.where}: “{e.quote}”" for e in scores.leaks])
    console.print(plain(f"All questions: {report}"))


def print_agreement(console: Console, found: RankAgreement) -> None:
    """Print one agreement in sentences."""
    for sentence in agreed(found):
        console.print(plain(sentence))


def _leaderboard(scores: ArticleScores) -> list[TextColumn]:
    """The columns, with ranks by EXAM; tied systems share a rank."""
    rows = scores.systems
    columns = [TextColumn("EXAM", tuple(_mean(row.exam) for row in rows))]
    if any(row.n_exam for row in rows):
        columns.append(TextColumn("n-EXAM", tuple(_mean(row.n_exam) for row in rows), spare=1))
    depths = sorted({depth for row in rows for depth in row.cover})
    columns += [TextColumn(f"first {d}", tuple(_bare(row.cover.get(d)) for row in rows), spare=4) for d in depths]
    columns += [
        TextColumn("skipped", tuple(str(row.skipped) for row in rows), spare=2),
        TextColumn("empty", tuple(str(row.empty) for row in rows), spare=2),
        TextColumn("not graded", tuple(str(row.not_graded) for row in rows), spare=2),
        TextColumn("no text", tuple(str(row.passages_ungraded) for row in rows), spare=3),
    ]
    values = [row.exam.value if row.exam else None for row in rows]
    marks = tuple("-" if value is None else str(values.index(value) + 1) for value in values)
    names = tuple(row.system for row in rows)
    return [TextColumn("place", marks), TextColumn("system", names, is_figure=False), *columns]


def _mean(found: Mean | None) -> str:
    if found is None:
        return "-"
    return f"{found.value:.3f} ± {found.se:.3f}" if found.se is not None else f"{found.value:.3f}"


def _bare(found: Mean | None) -> str:
    return f"{found.value:.3f}" if found else "-"


def _print_list(console: Console, head: str, lines: list[str] | tuple[str, ...]) -> None:
    if lines:
        console.print(plain(f"{head} ({len(lines)})"))
    for line in lines[:_SHOWN]:
        console.print(plain(f"  {line}"))
    if len(lines) > _SHOWN:
        console.print(plain(f"  and {len(lines) - _SHOWN} more (--json shows all)"))
