"""What EXAM mode is to judge, and who reads and verifies for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from viva.agents.article_roles import AnswerVerifier, ArticleReader
from viva.agents.article_verifying import JudgedAnswers
from viva.agents.judges.roles import DEFAULT
from viva.agents.offline.articles import KeyMatch, LexicalArticleReader, LexicalRater, OracleReader, Telling
from viva.core.errors import UsageError
from viva.core.records.articles import Article, QuestionBank, Verification
from viva.core.records.judging import Quality
from viva.core.settings import Settings
from viva.graphs.articles.collect import Library
from viva.graphs.articles.read import Readers
from viva.graphs.grading.batch_judging import JudgePool
from viva.graphs.grading.judge_lookup import Named, named_judge
from viva.graphs.resources.model_client import ModelClient
from viva.storage.corpus import DocumentSource


@dataclass(frozen=True)
class ArticlePlan:
    """What is to be judged, and how."""

    folder: Path
    bank: QuestionBank
    settings: Settings
    articles: Sequence[Article] = ()
    gold: Sequence[Article] = ()
    examinees: Sequence[str] = ()
    documents: Path | DocumentSource | None = None
    instructions: Mapping[str, str] = field(default_factory=dict)
    """texts that systems were given, by name: prompts to look for leaks in"""
    reader: str = "lexical"
    verification: Verification = Verification.KEY
    judge: str = ""
    """by its name, where a judge verifies; '': the default judge of correctness"""
    whole: bool = False
    paragraphs: int = 20
    tokens: int | None = None
    at_least: int | None = None
    unknown: Sequence[str] = ()


def readers_of(plan: ArticlePlan, models: ModelClient, articles: Sequence[Article]) -> Readers:
    """Reader and verifier, or rater, as the plan names them. UsageError as `judge_of`."""
    telling = Telling(paragraph.text for article in articles for paragraph in article.paragraphs)
    if plan.verification is Verification.RATING:
        if plan.reader == "model":
            from viva.agents.language_model.articles import ModelArticleRater

            rater = ModelArticleRater(models.asker, str(models.roster.of("judge")))
            return Readers(plan.verification, rater=rater)
        return Readers(plan.verification, rater=LexicalRater(telling))
    return Readers(plan.verification, reader=_reader(plan, models, telling), verifier=_verifier(plan, models))


def _reader(plan: ArticlePlan, models: ModelClient, telling: Telling) -> ArticleReader:
    match plan.reader:
        case "oracle":
            return OracleReader(telling)
        case "model":
            from viva.agents.language_model.articles import ModelArticleReader

            return ModelArticleReader(models.asker, str(models.roster.of("solver")))
        case _:
            return LexicalArticleReader(telling)


def _verifier(plan: ArticlePlan, models: ModelClient) -> AnswerVerifier:
    if plan.verification is Verification.KEY:
        return KeyMatch()
    from viva.storage.judges import remembered

    judge = judge_of(plan)
    if judge.asks_a_model:
        found = judge.at(JudgePool(models))
    else:
        found = judge.without_model(Library(plan.folder, plan.folder, plan.settings).embedder)
    return JudgedAnswers(found, remembered(found.card))


def judge_of(plan: ArticlePlan) -> Named:
    """The judge that verifies, found and not made. UsageError for one that cannot."""
    named = named_judge(plan.judge or DEFAULT)
    if named.quality not in (Quality.CORRECTNESS, Quality.RUBRIC):
        raise UsageError(
            f"The judge {named.name} judges {named.quality}, and answers are compared with the bank's.",
            allowed=f"A judge of {Quality.CORRECTNESS} or {Quality.RUBRIC}; viva judges lists them.",
        )
    if named.asks_a_model and not plan.settings.model:
        raise UsageError(
            f"The judge {named.name} asks a language model, and none is named.", next_step="Name it with --model."
        )
    return named
