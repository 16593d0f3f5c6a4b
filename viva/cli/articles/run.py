"""The work of `viva exam-articles`: read files, grade articles, show and write scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from viva.cli.articles.options import ArticlesOptions, refuse_idle
from viva.cli.articles.screen import print_scores
from viva.cli.settings import settings_given
from viva.cli.terminal.console import print_json, wide_console
from viva.cli.terminal.escape import output_kept_clean
from viva.cli.terminal.progress import shown_progress
from viva.core.errors import UsageError
from viva.core.note_words import worded
from viva.core.notes import Note, NoteCode
from viva.core.records.articles import QuestionBank, Verification
from viva.core.scores_articles import ArticleScores
from viva.core.tables import read_text
from viva.core.wording import counted
from viva.exams.articles.bank import bank_and_notes, with_keys
from viva.exams.articles.boards import read_board
from viva.exams.articles.gradings import GradedBy, Gradings, read_gradings
from viva.exams.articles.naming import named_queries
from viva.exams.articles.sources import Shelf, Sources, add_articles, add_gold, add_run, read_passages
from viva.exams.file import write_file
from viva.graphs.articles.exam import RATED, RIGHT, examine_articles, graded_as
from viva.graphs.articles.readers import ArticlePlan
from viva.metrics.articles.scores import Wanted, article_scores
from viva.reports.articles import render_articles
from viva.storage.corpus import documents_at
from viva.storage.lock import run_lock

SCORES_FILE, REPORT_FILE = "scores.json", "report.html"
DEPTHS = (1, 5, 10, 20)
_SETTINGS = (
    "model",
    "base_url",
    "max_cost",
    "max_tokens",
    "max_calls",
    "price",
    "concurrency",
    "timeout",
    "seed",
)


def exam_of_articles(given: ArticlesOptions) -> None:
    """Run the command."""
    folder = Path(given.out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder} is a file.", allowed="A folder.", next_step="Name another --out.")
    refuse_idle(given, _verification(given))
    bank, notes = bank_and_notes(given.bank, lambda: _named(given))
    wanted = _wanted(given)
    gradings = given.gradings
    scores = _from_gradings(given, gradings, bank, wanted) if gradings else _from_articles(given, bank, wanted)
    not_made = {**scores.not_made, **_incomparable(scores, wanted)}
    scores = scores.model_copy(update={"not_made": not_made, "notes": (*notes, *scores.notes)})
    with run_lock(folder):
        write_file(scores.model_dump_json(indent=1, context=worded()) + "\n", folder / SCORES_FILE)
        write_file(render_articles(scores, bank), folder / REPORT_FILE)
    if given.json:
        print_json(scores.model_dump(mode="json", context=worded()))
        return
    print_scores(wide_console(), scores, folder / REPORT_FILE)


def _named(given: ArticlesOptions) -> list[str]:
    """The queries that the given files name, for an exam without topics."""
    runs = [Path(named.rpartition("=")[2]) for named in given.run or ()]
    return named_queries(given.articles or (), runs, given.gradings)


def _from_gradings(given: ArticlesOptions, file: Path, bank: QuestionBank, wanted: Wanted) -> ArticleScores:
    gradings = read_gradings(file, bank)
    graded_by, notes = gradings.graded_by, list[Note]()
    if graded_by is None:
        graded_by = _guessed(given, gradings)
        code, named = NoteCode.GRADING_GUESSED, (str(given.gradings),)
        notes.append(Note(code=code, names=named, count=graded_by.at_least))
    elif _verification(given) is Verification.RATING and graded_by.verification is not Verification.RATING:
        raise UsageError(
            f"--verify rating needs ratings, but {given.gradings} has none: its grades are of answers.",
            next_step="Leave --verify out, or leave --gradings out to rate the texts again.",
        )
    known = {"at_least": given.min_grade or graded_by.at_least, "reader": f"{graded_by.reader} (kept in {file.name})"}
    graded = replace(graded_as(gradings, graded_by.model_copy(update=known)), notes=notes)
    graded = replace(graded, unknown=(*_keyless(bank, gradings.bank), *graded.unknown))
    if graded.gold is not None and not given.normalise:
        wanted = replace(wanted, normalised_by="gold")
    return article_scores(graded, wanted)


def _guessed(given: ArticlesOptions, gradings: Gradings) -> GradedBy:
    """How to read gradings that do not say it: as ratings if a grade is above 1, or if --verify says so."""
    rated = _verification(given) is Verification.RATING or int(gradings.grades.grades.max()) > RIGHT
    return GradedBy(
        bank=gradings.bank.id,
        reader="unknown",
        verification=Verification.RATING if rated else Verification.KEY,
        at_least=RATED if rated else RIGHT,
        surest=False,
    )


def _from_articles(given: ArticlesOptions, bank: QuestionBank, wanted: Wanted) -> ArticleScores:
    found, gold = _sources(given, bank), _gold(given, bank)
    verification = _verification(given)
    kept = bank if verification is Verification.RATING else with_keys(bank)
    # a bank without any key: the plan reports it
    kept = kept if kept.queries else bank
    asked = {query.id for query in kept.queries}
    plan = ArticlePlan(
        folder=Path(given.out),
        bank=kept,
        settings=settings_given(given, only=_SETTINGS),
        articles=[article for article in found.articles if article.query_id in asked],
        gold=[article for article in gold.articles if article.query_id in asked],
        examinees=tuple(given.examinee or ()),
        documents=documents_at(given.documents) if given.documents else None,
        instructions={str(path): read_text(path) for path in given.instructions or ()},
        reader=given.reader,
        verification=verification,
        judge=given.judge or "",
        whole=given.whole,
        paragraphs=given.paragraphs,
        tokens=given.tokens,
        at_least=given.min_grade,
        unknown=(*_keyless(bank, kept), *found.unknown, *gold.unknown),
    )
    with output_kept_clean(), shown_progress() as watch:
        return examine_articles(plan, wanted, watch)


def _keyless(bank: QuestionBank, kept: QuestionBank) -> list[str]:
    """A note on the questions of the bank that were left out because they have no key."""
    if bank.size == kept.size:
        return []
    without = counted(bank.size - kept.size, "question")
    queries = len(bank.queries) - len(kept.queries)
    of_these = f"; {counted(queries, 'query', 'queries')} had no other questions" if queries else ""
    return [f"{without} of the bank without a key: no answer could be verified{of_these}"]


def _incomparable(scores: ArticleScores, wanted: Wanted) -> dict[str, Note]:
    """Notes on official leaderboards that share too few systems with this one."""
    compared = {found.second for found in scores.agreements}
    known = tuple(row.system for row in scores.systems)
    return {
        f"agreement with {name}": Note(code=NoteCode.FEW_SHARED, examinees=known[:3], others=tuple(board)[:3])
        for name, board in wanted.boards.items()
        if name not in compared
    }


def _sources(given: ArticlesOptions, bank: QuestionBank) -> Sources:
    shelf = Shelf(bank)
    for path in given.articles or ():
        add_articles(shelf, path)
    passages: dict[str, str] = {}
    for path in given.passages or ():
        passages |= read_passages(path)
    for named in given.run or ():
        if not passages:
            raise UsageError(
                "--run is given without the texts of its passages.", next_step="Give the texts: --passages FILE"
            )
        name, _, file = named.rpartition("=")
        add_run(shelf, Path(file), passages, name)
    return shelf.found if given.articles or given.run else Sources(())


def _gold(given: ArticlesOptions, bank: QuestionBank) -> Sources:
    if not given.gold:
        return Sources(())
    shelf = Shelf(bank)
    add_gold(shelf, given.gold)
    return shelf.found


def _wanted(given: ArticlesOptions) -> Wanted:
    depths = tuple(sorted(set(given.depth or (d for d in DEPTHS if d <= given.paragraphs))))
    return Wanted(
        depths=depths,
        k=given.k,
        normalised_by=given.normalise or ("gold" if given.gold else "pool"),
        abilities=given.abilities,
        boards={Path(named).name: read_board(named) for named in given.official or ()},
        seed=given.seed or 0,
    )


def _verification(given: ArticlesOptions) -> Verification:
    try:
        return Verification(given.verify)
    except ValueError:
        raise UsageError(f"--verify is {given.verify!r}.", allowed=f"One of {', '.join(Verification)}.") from None
