"""EXAM mode from beginning to end: articles gathered, read, verified, scored; leaks looked for on the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from viva.agents.article_roles import AnswerVerifier, ArticleReader
from viva.agents.offline.articles import KeyMatch, LexicalArticleReader, LexicalRater, OracleReader, Telling
from viva.core.errors import UsageError
from viva.core.records.articles import Article, QuestionBank, Verification
from viva.core.records.judging import Quality
from viva.core.scores_articles import ArticleScores, Leakage
from viva.core.settings import Settings
from viva.examinees.specs import ReferenceSpec, Spec
from viva.exams.articles.sources import limited
from viva.exams.file import write_text
from viva.graphs.article_collecting import ArticleLog, Library, collect, named, specs_of, written
from viva.graphs.articles import ArticleReading, Readers
from viva.graphs.desk import Watcher, unwatched
from viva.graphs.judging import Bench, JudgesDoor
from viva.metrics.article_scores import Graded, Wanted, article_scores
from viva.metrics.bank_leaks import leaks
from viva.metrics.exam_articles import PerQuery
from viva.metrics.rouge_words import rouge1_f1
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
    if plan.reader not in READER_NAMES:
        raise UsageError(f"There is no reader “{plan.reader}”.", allowed=f"{', '.join(READER_NAMES)}.")
    if plan.reader == "model" and not plan.settings.model:
        raise UsageError("No language model is named to read.", next_step="Name it: --model openai:gpt-4o-mini")


async def _examined(plan: ArticlePlan, wanted: Wanted, watch: Watcher) -> ArticleScores:
    given, unknown = await _gathered(plan, watch)
    articles = [limited(each, paragraphs=plan.paragraphs, tokens=plan.tokens) for each in given]
    if not articles:
        raise UsageError(
            "There is no article to judge.",
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
        )
        await reading.read()
    finally:
        await door.aclose()
    return _scored(plan, wanted, reading, given, unknown)


def _scored(
    plan: ArticlePlan, wanted: Wanted, reading: ArticleReading, given: Sequence[Article], unknown: Sequence[str]
) -> ArticleScores:
    gradings = reading.gradings()
    rows = (json.dumps(row, ensure_ascii=False) for row in reading.exported(gradings))
    write_text("".join(f"{row}\n" for row in rows), plan.folder / GRADINGS_FILE)
    at_least = plan.at_least or (RATED if plan.verification is Verification.RATING else RIGHT)
    graded = Graded(
        bank=plan.bank,
        passages=gradings.passages,
        grades=gradings.grades,
        runs=gradings.runs,
        at_least=at_least,
        reader=_told(plan),
        verification=plan.verification,
        read_whole=reading.whole_answers(),
        gold=reading.gold_rows(gradings),
        rouge=_rouge(plan, reading.articles) if plan.gold else None,
        quotes=reading.quotes(at_least),
        empty=reading.empty,
        leaks=_leaks(plan, given),
        unknown=(*plan.unknown, *unknown),
        failures=reading.failures,
    )
    return article_scores(graded, wanted)


async def _gathered(plan: ArticlePlan, watch: Watcher) -> tuple[list[Article], list[str]]:
    """The articles given, collected and written; and who failed to write, in words."""
    articles, failed = list(plan.articles), list[str]()
    specs = specs_of(plan.examinees, plan.settings)
    _refuse_namesakes(plan, specs)
    reference = [spec for spec in specs if isinstance(spec, ReferenceSpec)]
    collecting = [spec for spec in reference if spec.retriever != "oracle"]
    if reference:
        # alone it is refused; beside others, as in a panel, it is left out
        articles += _collected(plan, collecting or reference, watch)
        if len(collecting) < len(reference):
            failed.append("oracle: it knows the evidence of exam items, and a title has none")
    log = ArticleLog(plan.folder)
    for spec in specs:
        if not isinstance(spec, ReferenceSpec):
            found, problems = await written(log, spec, plan.bank, plan.settings, watch)
            articles += found
            failed += problems
    return articles, failed


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


# --- beside the exam ----------------------------------------------------------------------------------------


def _rouge(plan: ArticlePlan, articles: Sequence[Article]) -> PerQuery:
    """ROUGE-1 F1 of each article against the gold one; a query without a gold article is left out."""
    from viva.agents.offline.lemmas import lemmas

    def words(article: Article) -> list[str]:
        return [lemma for paragraph in article.paragraphs for lemma in lemmas(paragraph.text)]

    gold = {article.query_id: words(article) for article in plan.gold}
    systems = tuple(sorted({article.system for article in articles}))
    place = {query.id: n for n, query in enumerate(plan.bank.queries)}
    values = np.full((len(systems), len(place)), np.nan)
    values[:, [place[query] for query in gold]] = 0.0
    for article in articles:
        if article.query_id in gold:
            score = rouge1_f1(words(article), gold[article.query_id])
            values[systems.index(article.system), place[article.query_id]] = score
    return PerQuery(systems, values)


def _leaks(plan: ArticlePlan, articles: Sequence[Article]) -> list[Leakage]:
    """Questions and keys in instructions; questions, word by word, in articles."""
    asked = [(q.id, q.stem, q.key) for query in plan.bank.queries for q in query.questions]
    told = dict(plan.instructions)
    for article in articles:
        if article.instructions:
            told[f"the instructions of {article.system} for “{article.query_id}”"] = article.instructions
    found = [*leaks(asked, told.items(), keys=True)]
    own = {query.id: [(q.id, q.stem, q.key) for q in query.questions] for query in plan.bank.queries}
    for article in articles:
        text = "\n".join(paragraph.text for paragraph in article.paragraphs)
        where = f"the article of {article.system} for “{article.query_id}”"
        found += leaks(own[article.query_id], [(where, text)], keys=False)
    return [Leakage(question_id=e.question_id, where=e.where, what=e.what, quote=e.quote) for e in found]
