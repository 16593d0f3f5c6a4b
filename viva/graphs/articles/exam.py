"""EXAM mode from beginning to end: articles read by a language model, verified, scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.agents.language_model.articles import ArticleGrader, ModelArticleRater, ModelArticleReader
from viva.core.errors import UsageError
from viva.core.records.articles import Article, QuestionBank, QuestionFound, Verification
from viva.core.scores_articles import ArticleScores, Leak
from viva.core.settings import Settings
from viva.graphs.articles.read import READINGS, ArticleReading
from viva.graphs.context import Watcher, unwatched
from viva.graphs.resources.model_client import ModelClient
from viva.llm import interrupts
from viva.metrics.articles.leaderboards import Leaderboard
from viva.metrics.articles.leaks import leaks
from viva.metrics.articles.scores import Graded, article_scores
from viva.storage.lock import run_lock
from viva.storage.record_log import RecordLog

RATED, RIGHT = 4, 1
"""The grade from which on a question is answered: of ratings, and of right and wrong."""


@dataclass(frozen=True)
class ArticlePlan:
    """What is to be judged, and how."""

    folder: Path
    bank: QuestionBank
    settings: Settings
    articles: Sequence[Article]
    gold: Sequence[Article] = ()
    verification: Verification = Verification.KEY
    whole: bool = False
    paragraphs: int = 20
    at_least: int | None = None
    unknown: Sequence[str] = ()


def examine_articles(
    plan: ArticlePlan,
    depths: Sequence[int] = (),
    boards: Mapping[str, Leaderboard] | None = None,
    watch: Watcher = unwatched,
) -> ArticleScores:
    """Read and score. What was read before is not read again.

    Raises RunLocked, UsageError for what cannot be done, BudgetReached where the budget ended the reading.
    """
    _check(plan)
    with run_lock(plan.folder):
        graded = interrupts.run(_graded(plan, watch))
    return article_scores(graded, depths, boards)


def _check(plan: ArticlePlan) -> None:
    by_key = plan.verification is Verification.KEY
    if by_key and not any(question.key for query in plan.bank.queries for question in query.questions):
        raise UsageError(
            "The question bank has no keys, so no answer can be verified.",
            next_step="Rate the texts instead, which needs none: --verify rating",
        )
    if by_key and plan.at_least is not None and plan.at_least > RIGHT:
        raise UsageError(
            f"--min-grade {plan.at_least}, and verified answers are right (1) or not (0).",
            next_step="Leave it out, or rate the texts: --verify rating",
        )
    if not any(paragraph.text.strip() for each in (*plan.articles, *plan.gold) for paragraph in each.paragraphs):
        missing = any(article.missing for article in plan.articles)
        where = "--passages has the texts that the run names" if missing else "articles are not empty"
        raise UsageError("No article holds a text: there is nothing to read.", next_step=f"See that {where}.")


async def _graded(plan: ArticlePlan, watch: Watcher) -> Graded:
    models = ModelClient(plan.folder, plan.settings, run_id=lambda: "articles")
    articles = [each.model_copy(update={"paragraphs": each.paragraphs[: plan.paragraphs]}) for each in plan.articles]
    try:
        models.check()
        grader = _grader(plan, models)
        log = RecordLog(plan.folder / READINGS, QuestionFound)
        reading = ArticleReading(plan.bank, articles, plan.gold, grader, log, whole=plan.whole, watch=watch)
        await reading.read()
    finally:
        await models.aclose()
    found, rated = reading.gradings(), plan.verification is Verification.RATING
    at_least = plan.at_least or (RATED if rated else RIGHT)
    return Graded(
        bank=plan.bank,
        passages=found.passages,
        grades=found.grades,
        runs=found.runs,
        at_least=at_least,
        reader=", ".join(plan.settings.model),
        verification=plan.verification,
        gold=found.gold if plan.gold else None,
        quotes=reading.quotes(at_least),
        empty=reading.empty,
        leaks=tuple(_leaks(plan)),
        unknown=plan.unknown,
        failures=reading.failures,
    )


def _grader(plan: ArticlePlan, models: ModelClient) -> ArticleGrader:
    if plan.verification is Verification.RATING:
        return ModelArticleRater(models.asker, str(models.roster.of("judge")))
    return ModelArticleReader(models.asker, str(models.roster.of("solver")))


def _leaks(plan: ArticlePlan) -> Iterator[Leak]:
    """The questions of its query that an article repeats."""
    asked = {query.id: query.questions for query in plan.bank.queries}
    for article in plan.articles:
        text = "\n".join(paragraph.text for paragraph in article.paragraphs)
        yield from leaks(asked[article.query_id], f"the article of {article.system} for “{article.query_id}”", text)
