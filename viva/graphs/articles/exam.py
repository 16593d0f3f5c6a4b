"""EXAM mode from beginning to end: articles gathered, read, verified, scored; leaks looked for on the way."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from threadpoolctl import threadpool_limits

from viva.agents.article_verifying import JudgedAnswers
from viva.core.errors import UsageError
from viva.core.records.articles import Article, QuestionFound, Verification
from viva.core.scores_articles import ArticleScores
from viva.examinees.specs.records import ReferenceSpec, Spec
from viva.exams.articles.gradings import GradedBy, Gradings
from viva.exams.articles.sources import limited
from viva.exams.file import write_file
from viva.graphs.articles.collect import ARTICLES, Library, collect, named, specs_of, written
from viva.graphs.articles.leaks import leaks_of, rouge_of
from viva.graphs.articles.read import READINGS, ArticleReading
from viva.graphs.articles.readers import ArticlePlan, judge_of, readers_of
from viva.graphs.context import Watcher, unwatched
from viva.graphs.resources.model_client import ModelClient
from viva.llm import interrupts
from viva.metrics.articles.scores import Graded, Wanted, article_scores
from viva.storage.lock import run_lock
from viva.storage.record_log import RecordLog

READER_NAMES = ("lexical", "oracle", "model")
GRADINGS_FILE = "gradings.jsonl"
RATED, RIGHT = 4, 1
"""The grade from which on a question is answered: of ratings, and of right and wrong."""


def examine_articles(plan: ArticlePlan, wanted: Wanted, watch: Watcher = unwatched) -> ArticleScores:
    """Gather, read, score. What was read or written before is not read or asked for again.

    Raises RunLocked, UsageError for what cannot be done, BudgetReached where the budget ended the reading.
    """
    _check(plan)
    with run_lock(plan.folder), threadpool_limits(limits=1, user_api="blas"):
        return interrupts.run(_examined(plan, wanted, watch))


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
    if plan.judge and plan.verification is not Verification.JUDGE:
        raise UsageError(
            f"The judge {plan.judge} is named, and no judge verifies.",
            next_step="Leave --judge out, or have it verify: --verify judge",
        )
    if plan.verification is Verification.JUDGE:
        judge_of(plan)
    if plan.reader not in READER_NAMES:
        raise UsageError(f"There is no reader “{plan.reader}”.", allowed=f"{', '.join(READER_NAMES)}.")
    if plan.reader == "model" and not plan.settings.model:
        raise UsageError("No language model is named to read.", next_step="Name it: --model openai:gpt-4o-mini")


async def _examined(plan: ArticlePlan, wanted: Wanted, watch: Watcher) -> ArticleScores:
    given = await _gathered(plan, watch)
    articles = [limited(each, paragraphs=plan.paragraphs, tokens=plan.tokens) for each in given.articles]
    if not articles:
        why = f" ({given.unknown[0]})" if given.unknown else ""
        raise UsageError(f"There is no article to judge{why}.", next_step=_where_articles(given))
    if not any(paragraph.text.strip() for each in (*articles, *plan.gold) for paragraph in each.paragraphs):
        why = "No article holds a text: there is nothing to read."
        raise UsageError(why, next_step=_where_texts(articles, given))
    models = ModelClient(plan.folder, plan.settings, run_id=lambda: "articles")
    try:
        if plan.reader == "model":
            models.check()
        reading = ArticleReading(
            plan.bank,
            articles,
            plan.gold,
            readers_of(plan, models, [*articles, *plan.gold]),
            RecordLog(plan.folder / READINGS, QuestionFound),
            whole=plan.whole,
            watch=watch,
            asked=tuple(given.failed),
        )
        await reading.read()
    finally:
        await models.aclose()
    return _scored(plan, wanted, reading, given)


def _where_articles(given: Gathered) -> str:
    """What to do where there is no article."""
    if given.failed_spec:
        return f"See what ails it: viva examinee check {shlex.quote(given.failed_spec)}"
    return "Name them: --articles FOLDER, --run FILE --passages FILE, or --examinee SPEC."


def _where_texts(articles: Sequence[Article], given: Gathered) -> str:
    """What to do where no article holds a text."""
    if given.collected == {article.system for article in articles}:
        return "Retrievers found nothing for any query's title: see that --documents are about what the bank asks."
    if any(article.missing for article in articles):
        return "See that --passages has the texts that the run names."
    return "See that articles are not empty."


def _scored(plan: ArticlePlan, wanted: Wanted, reading: ArticleReading, given: Gathered) -> ArticleScores:
    graded_by = GradedBy(
        bank=plan.bank.id,
        reader=_told(plan),
        verification=plan.verification,
        at_least=plan.at_least or (RATED if plan.verification is Verification.RATING else RIGHT),
        surest=reading.surest,
        judge=reading.readers.verifier.card if isinstance(reading.readers.verifier, JudgedAnswers) else None,
        gold=bool(plan.gold),
        systems=reading.systems,
        empty=dict(reading.empty),
        failed=given.failed,
        failures=dict(reading.failures),
    )
    rows = ({"graded_by": graded_by.model_dump(mode="json")}, *reading.exported())
    write_file("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), plan.folder / GRADINGS_FILE)
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
        judge=graded_by.judge,
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
    failed_spec: str = ""
    """of the first that failed, as it was given"""
    collected: set[str] = field(default_factory=set)
    """systems that are retrievers"""


async def _gathered(plan: ArticlePlan, watch: Watcher) -> Gathered:
    found = Gathered(list(plan.articles))
    specs = specs_of(plan.examinees, plan.settings)
    _refuse_namesakes(plan, specs)
    reference = [spec for spec in specs if isinstance(spec, ReferenceSpec)]
    if plan.documents is not None and not reference:
        raise UsageError(
            "Documents are named, and no system given collects from them.",
            next_step="Leave --documents out, or name a retriever: --examinee bm25",
        )
    collecting = [spec for spec in reference if spec.retriever != "oracle"]
    if reference:
        # alone it is refused; beside others, as in a panel, it is left out
        found.articles += _collected(plan, collecting or reference, watch)
        found.collected = {named(spec) for spec in collecting}
        if len(collecting) < len(reference):
            found.unknown.append("oracle: it knows the evidence of exam items, and a title has none")
    log = RecordLog(plan.folder / ARTICLES, Article)
    for spec in specs:
        if not isinstance(spec, ReferenceSpec):
            articles, problems = await written(log, spec, plan.bank, plan.settings, watch)
            found.articles += articles
            found.unknown += problems
            if problems:
                found.failed[named(spec)] = len(problems)
                found.failed_spec = found.failed_spec or spec.examinee.spec
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
    with closing(Library(plan.folder, plan.documents, plan.settings, watch)) as library:
        return collect(library, specs, plan.bank, plan.paragraphs)


def _told(plan: ArticlePlan) -> str:
    """Who read and who checked, in words."""
    who = ", ".join(plan.settings.model) if plan.reader == "model" else plan.reader
    if plan.verification is Verification.RATING:
        return f"{who}, rating texts"
    by_judge = plan.verification is Verification.JUDGE
    return f"{who}, verified by " + (judge_of(plan).name if by_judge else "the bank's keys")
