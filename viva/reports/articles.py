"""The report of EXAM mode as one HTML file: no script, no network, everything of others escaped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate, islice

from viva.core.records.articles import QuestionBank
from viva.core.scores_articles import ArticleScores, QuestionOutcome
from viva.metrics.articles.exam import FEW
from viva.reports.embed import content_policy, own_source
from viva.reports.sections.article_words import agreed, headline, told_best, told_judge, told_pairs, told_unanswered
from viva.reports.templating import template

LISTED_QUERIES, LISTED_QUESTIONS, LISTED_MISSES, LISTED_PAIRS, LISTED_LEAKS = 200, 2000, 12, 100, 50
"""Rows that are shown; of what is more the number is told, and scores.json has all."""
_QUOTED = 400


@dataclass(frozen=True)
class QueryView:
    """One query with what became of its questions."""

    title: str
    outcomes: tuple[QuestionOutcome, ...]

    @property
    def answered(self) -> int:
        """Questions that some system's article answers."""
        return sum(bool(outcome.answered_by) for outcome in self.outcomes)


@dataclass(frozen=True)
class Missed:
    """What a system should have been forthcoming with: questions that another's article answers and its own not."""

    system: str
    count: int
    shown: tuple[QuestionOutcome, ...]


def render_articles(scores: ArticleScores, bank: QuestionBank) -> str:
    """The whole page; the same scores give the same bytes."""
    return template("articles.html.j2").render(
        scores=scores,
        headline=headline(scores),
        judge_told=told_judge(scores),
        best=told_best(scores),
        unanswered=told_unanswered(scores),
        pairs_told=told_pairs(scores),
        few=FEW,
        agreements=[agreed(each) for each in scores.agreements],
        depths=sorted({depth for row in scores.systems for depth in row.cover}),
        measures=[name for name in _MEASURES if any(name in row.qrels for row in scores.systems)],
        measure_names=_MEASURES,
        has_n_exam=any(row.n_exam for row in scores.systems),
        has_rouge=any(row.rouge for row in scores.systems),
        has_failed=any(row.failed for row in scores.systems),
        has_ability=any(row.ability for row in scores.systems),
        pairs=sorted(scores.differences, key=lambda d: (d.adjusted, d.p_value, -abs(d.difference))),
        views=_views(scores, bank),
        missed=list(_missed(scores)),
        quote=lambda outcome, passage: scores.quotes.get(f"{outcome.question_id} / {passage}", ""),
        quoted=_QUOTED,
        limits={"queries": LISTED_QUERIES, "pairs": LISTED_PAIRS, "leaks": LISTED_LEAKS},
        style=own_source(files("viva.reports.templates").joinpath("report.css").read_text(encoding="utf-8")),
        policy=content_policy(()),
    )


_MEASURES = {"precision": "P", "r_precision": "Prec@R", "map": "MAP", "ndcg": "nDCG"}


def _views(scores: ArticleScores, bank: QuestionBank) -> list[QueryView]:
    of: dict[str, list[QuestionOutcome]] = {}
    for outcome in scores.outcomes:
        of.setdefault(outcome.query_id, []).append(outcome)
    titles = {query.id: query.title for query in bank.queries}
    # whole queries: what is shown of one is counted beside its title
    fitting = sum(questions <= LISTED_QUESTIONS for questions in accumulate(map(len, of.values())))
    listed = islice(of.items(), min(fitting, LISTED_QUERIES))
    return [QueryView(titles.get(query, query), tuple(own)) for query, own in listed]


def _missed(scores: ArticleScores) -> Iterator[Missed]:
    for row in scores.systems:
        own = [o for o in scores.outcomes if (o.answered_by or o.pooled) and row.system not in o.answered_by]
        # what most others have is what it should have had
        own.sort(key=lambda outcome: -len(outcome.answered_by))
        yield Missed(row.system, len(own), tuple(own[:LISTED_MISSES]))
