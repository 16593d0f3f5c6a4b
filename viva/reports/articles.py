"""The report of EXAM mode as one HTML file: no script, no network, everything of others escaped."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate, islice

from viva.core.records.articles import QuestionBank
from viva.core.scores_articles import ArticleScores, QuestionOutcome
from viva.metrics.articles.exam import FEW
from viva.reports.embed import content_policy, own_source, template
from viva.reports.sections.article_words import agreed, headline, told_best, told_pairs, told_unanswered

LISTED_QUERIES, LISTED_QUESTIONS, LISTED_PAIRS, LISTED_LEAKS = 200, 2000, 100, 50
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


def render_articles(scores: ArticleScores, bank: QuestionBank) -> str:
    """The whole page; the same scores give the same bytes."""
    return template("articles.html.j2").render(
        scores=scores,
        headline=headline(scores),
        best=told_best(scores),
        unanswered=told_unanswered(scores),
        pairs_told=told_pairs(scores),
        few=FEW,
        agreements=[agreed(each) for each in scores.agreements],
        depths=sorted({depth for row in scores.systems for depth in row.cover}),
        has_n_exam=any(row.n_exam for row in scores.systems),
        pairs=sorted(scores.differences, key=lambda d: (d.adjusted, d.p_value, -abs(d.difference))),
        views=_views(scores, bank),
        quote=lambda outcome, passage: scores.quotes.get(f"{outcome.question_id} / {passage}", ""),
        quoted=_QUOTED,
        limits={"pairs": LISTED_PAIRS, "leaks": LISTED_LEAKS},
        style=own_source(files("viva.reports.templates").joinpath("report.css").read_text(encoding="utf-8")),
        policy=content_policy(()),
    )


def _views(scores: ArticleScores, bank: QuestionBank) -> list[QueryView]:
    of: dict[str, list[QuestionOutcome]] = {}
    for outcome in scores.outcomes:
        of.setdefault(outcome.query_id, []).append(outcome)
    titles = {query.id: query.title for query in bank.queries}
    # whole queries: what is shown of one is counted beside its title
    fitting = sum(questions <= LISTED_QUESTIONS for questions in accumulate(map(len, of.values())))
    listed = islice(of.items(), min(fitting, LISTED_QUERIES))
    return [QueryView(titles.get(query, query), tuple(own)) for query, own in listed]
