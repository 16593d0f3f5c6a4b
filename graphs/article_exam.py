"""EXAM mode from beginning to end: articles gathered, read, verified, scored; leaks looked for on the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from viva.agents.article_roles import AnswerVerifier, ArticleReader
from viva.agents.offline.articles import KeyMatch, LexicalArticleReader, LexicalRater, OracleReader, Telling
from viva.core.errors import UsageError
from viva.core.records.articles import Article, QuestionBank, Verification
from viva.core.records.judging import Quality
from viva.core.scores_articles import ArticleScores
from viva.core.settings import Settings
from viva.examinees.specs import ReferenceSpec, Spec
from viva.exams.articles.gradings import GradedBy, Gradings
from viva.exams.articles.sources import limited
from viva.exams.file import write_text
from viva.graphs.article_beside import leaks_of, rouge_of
from viva.graphs.article_collecting import ArticleLog, Library, collect, named, specs_of, written
from viva.graphs.articles import ArticleReading, Readers
from viva.graphs.desk import Watcher, unwatched
from viva.graphs.judging import Bench, JudgesDoor
from viva.metrics.article_scores import Graded, Wanted, article_scores
from viva.storage.finding_log import FindingLog
from viva.storage.lock import run_lock

READER_NAMES = ("lexical", "oracle", "model")
GRADINGS_FILE = "gradings.jsonl"
RATED, RIGHT = 4, 1
"""The grade from which on a question is answered: of ratings, and of right and wrong."""


@dataclass(frozen=True)
class ArticlePlan:
    """What is to be judged, and how."""

    folder: Path
    bank: QuestionBank
    settings: Settings
    articles: Sequence[Article] = ()
    gold: Sequence[Article] = ()
    examinees: Sequence[str] = ()
    documents: Path | None = None
    instructions: Mapping[str, str] = field(default_factory=dict)
    """texts that systems were given, by name: prompts to look for leaks in"""
    reader: str = "lexical"
    verification: Verification = Verification.KEY
    judge: str = "correctness-offline"
    """by its name, where a judge verifies"""
    whole: bool = False
    paragraphs: int = 20
    tokens: int | None = None
    at_least: int | None = None
    unknown: Sequence[str] = ()


def examine_articles(plan: ArticlePlan, wanted: Wanted, watch: Watcher = unwatched) -> ArticleScores:
    """Gather, read, score. What was read or written before is not read or asked for again.

    Raises RunLocked, UsageError for what cannot be done, BudgetReached where the budget ended the reading.
    """
    _check(plan)
    with run_lock(plan.folder), threadpool_limits(limits=1, user_api="blas"):
        return asyncio.run(_examined(plan, wanted, watch))


def _check(plan: ArticlePlan) -> None:
    if plan.verification is Verification.RATING:
        if plan.reader == "oracle":
            raise UsageError("The oracle answers with keys and rates nothing.", allowed="lexical or model.")
    elif not any(question.key for query in plan.bank.queries for question in query.questions):
        raise UsageError(
            "The question bank has no keys, so no answer can be verified.",
            next_step="Rate the texts instead, which needs none: --verify rating",
        )
    elif plan.at_least is not None and plan.at_least > RIGHT:
        raise UsageError(
            f"--min-grade {plan.at_least}, and verified answers are right (1) or not (0).",
            next_step="Leave it out, or rate the texts: --verify rating",
        )
    if plan.reader not in READER_NAMES:
        raise UsageError(f"There is no reader “{plan.reader}”.", allowed=f"{', '.join(READER_NAMES)}.")
    if plan.reader == "model" and not plan.settings.model:
        raise UsageError("No language model is named to read.", next_step="Name it: --model openai:gpt-4o-mini")


async def _examined(plan: ArticlePlan, wanted: Wanted, watch: Watcher) -> ArticleScores:
    given = await _gathered(plan, watch)
    articles = [limited(each, paragraphs=plan.paragraphs, tokens=plan.tokens) for each in given.articles]
    if not articles:
        why = f" ({given.unknown[0]})" if given.unknown else ""
        raise UsageError(
            f"There is no article to judge{why}.",
            next_step="Name them: --articles FOLDER, --run FILE --passages FILE, or --examinee SPEC.",
        )
    if not any(paragraph.text.strip() for each in (*articles, *plan.gold) for paragraph in each.paragraphs):
        raise UsageError(
            "No article holds a text: there is nothing to read.",
            next_step="See that files are not empty, and that --passages has the texts that a run names.",
        )
    door = JudgesDoor(plan.folder, plan.settings, run_id=lambda: "articles")
    try:
        if plan.reader == "model":
            door.check()
        reading = ArticleReading(
            plan.bank,
            articles,
            plan.gold,
            _readers(plan, door, [*articles, *plan.gold]),
            FindingLog(plan.folder),
            whole=plan.whole,
            watch=watch,
            asked=tuple(given.failed),
        )
        await reading.read()
    finally:
        await door.aclose()
    return _scored(plan, wanted, reading, given)


def _scored(plan: ArticlePlan, wanted: Wanted, reading: ArticleReading, given: Gathered) -> ArticleScores:
    graded_by = GradedBy(
        bank=plan.bank.id,
        reader=_told(plan),
        verification=plan.verification,
        at_least=plan.at_least or (RATED if plan.verification is Verification.RATING else RIGHT),
        surest=reading.surest,
        gold=bool(plan.gold),
        systems=reading.systems,
        empty=dict(reading.empty),
        failed=given.failed,
        failures=dict(reading.failures),
    )
    rows = ({"graded_by": graded_by.model_dump(mode="json")}, *reading.exported())
    write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), plan.folder / GRADINGS_FILE)
    graded = replace(
        graded_as(reading.gradings(), graded_by),
        rouge=rouge_of(plan.bank, reading.articles, plan.gold, reading.systems) if plan.gold else None,
        quotes=reading.quotes(graded_by.at_least),
        leaks=leaks_of(plan.bank, plan.instructions, given.articles),
        unknown=(*plan.unknown, *given.unknown),
    )
    return article_scores(graded, wanted)


def graded_as(gradings: Gradings, graded_by: GradedBy) -> Graded:
    """What was graded, to be scored; the same for articles that were read and for gradings that are given back."""
    return Graded(
        bank=gradings.bank,
        passages=gradings.passages,
        grades=gradings.grades,
        runs=gradings.runs,
        at_least=graded_by.at_least,
        reader=graded_by.reader,
        verification=graded_by.verification,
        surest=gradings.confidences if graded_by.surest else None,
        gold=gradings.gold if graded_by.gold else None,
        empty=graded_by.empty,
        failed=graded_by.failed,
        unknown=gradings.unknown,
        failures=graded_by.failures,
    )


@dataclass
class Gathered:
    """The articles given, collected and written."""

    articles: list[Article]
    unknown: list[str] = field(default_factory=list)
    """who did not write for what, and why, in words"""
    failed: dict[str, int] = field(default_factory=dict)
    """by system that was asked live: queries for which it failed to write"""


async def _gathered(plan: ArticlePlan, watch: Watcher) -> Gathered:
    found = Gathered(list(plan.articles))
    specs = specs_of(plan.examinees, plan.settings)
    _refuse_namesakes(plan, specs)
    reference = [spec for spec in specs if isinstance(spec, ReferenceSpec)]
    collecting = [spec for spec in reference if spec.retriever != "oracle"]
    if reference:
        # alone it is refused; beside others, as in a panel, it is left out
        found.articles += _collected(plan, collecting or reference, watch)
        if len(collecting) < len(reference):
            found.unknown.append("oracle: it knows the evidence of exam items, and a title has none")
    log = ArticleLog(plan.folder)
    for spec in specs:
        if not isinstance(spec, ReferenceSpec):
            articles, problems = await written(log, spec, plan.bank, plan.settings, watch)
            found.articles += articles
            found.unknown += problems
            if problems:
                found.failed[named(spec)] = len(problems)
    return found


def _refuse_namesakes(plan: ArticlePlan, specs: Sequence[Spec]) -> None:
    """Raise UsageError where two systems have one name: whose article is whose could not be told."""
    names = [named(spec) for spec in specs] + sorted({article.system for article in plan.articles})
    twice = next((name for n, name in enumerate(names) if name in names[:n]), None)
    if twice is not None:
        raise UsageError(
            f"Two systems are called “{twice}”.",
            allowed="Each system its own name.",
            next_step=f"Name one otherwise: --examinee NAME=SPEC, or another folder than {twice}.",
        )


def _collected(plan: ArticlePlan, specs: Sequence[ReferenceSpec], watch: Watcher) -> list[Article]:
    if plan.documents is None:
        raise UsageError(
            "A reference system collects from documents, and none are named.", next_step="Name them: --documents DOCS"
        )
    library = Library(plan.folder, plan.documents, plan.settings, watch)
    try:
        return collect(library, specs, plan.bank, plan.paragraphs)
    finally:
        library.close()


def _told(plan: ArticlePlan) -> str:
    """Who read and who checked, in words."""
    who = ", ".join(plan.settings.model) if plan.reader == "model" else plan.reader
    if plan.verification is Verification.RATING:
        return f"{who}, rating texts"
    return f"{who}, verified by " + (plan.judge if plan.verification is Verification.JUDGE else "the bank's keys")


# --- who reads ----------------------------------------------------------------------------------------------


def _readers(plan: ArticlePlan, door: JudgesDoor, articles: Sequence[Article]) -> Readers:
    telling = Telling(paragraph.text for article in articles for paragraph in article.paragraphs)
    if plan.verification is Verification.RATING:
        if plan.reader == "model":
            from viva.agents.language_model.articles import ModelArticleRater

            rater = ModelArticleRater(door.asker, str(door.roster.of("judge")))
            return Readers(plan.verification, rater=rater)
        return Readers(plan.verification, rater=LexicalRater(telling))
    return Readers(plan.verification, reader=_reader(plan, door, telling), verifier=_verifier(plan, door))


def _reader(plan: ArticlePlan, door: JudgesDoor, telling: Telling) -> ArticleReader:
    match plan.reader:
        case "oracle":
            return OracleReader(telling)
        case "model":
            from viva.agents.language_model.articles import ModelArticleReader

            return ModelArticleReader(door.asker, str(door.roster.of("solver")))
        case _:
            return LexicalArticleReader(telling)


def _verifier(plan: ArticlePlan, door: JudgesDoor) -> AnswerVerifier:
    if plan.verification is Verification.KEY:
        return KeyMatch()
    from viva.agents.article_verifying import JudgedAnswers
    from viva.graphs.named_judges import named_judge

    named = named_judge(plan.judge)
    if named.quality not in (Quality.CORRECTNESS, Quality.RUBRIC):
        raise UsageError(
            f"The judge {plan.judge} judges {named.quality}, and answers are compared with the bank's.",
            allowed=f"A judge of {Quality.CORRECTNESS} or {Quality.RUBRIC}; viva judges lists them.",
        )
    if named.asks_a_model:
        if not plan.settings.model:
            raise UsageError(
                f"The judge {plan.judge} asks a language model, and none is named.", next_step="Name it with --model."
            )
        return JudgedAnswers(named.at(Bench(door)))
    return JudgedAnswers(named.without_model(Library(plan.folder, plan.folder, plan.settings).embedder))
