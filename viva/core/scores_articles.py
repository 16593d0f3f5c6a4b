"""What EXAM mode came to: systems by the questions their articles answer, pair by pair, question by question."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from viva.core.notes import Note
from viva.core.records.articles import Verification
from viva.core.records.base import Record


class Mean(Record):
    """A macro-average over queries with its standard error and 95% interval.

    Both are None where fewer than two queries counted, or all have the same score: they show no spread.
    """

    value: float
    se: float | None = None
    low: float | None = None
    high: float | None = None
    queries: int = Field(description="that have a value; a skipped one counts 0, one without any is left out")


class SystemScore(Record):
    """One system. Scores are None where no query has one."""

    system: str
    exam: Mean | None = Field(description="share of a query's questions that the article answers")
    n_exam: Mean | None = Field(
        description="the same of the questions that can be answered (`normalised_by`); None also where only its own "
        "paragraphs could say what these are"
    )
    cover: dict[int, Mean] = Field(description="EXAM-Cover: of the first so many paragraphs together")
    skipped: int = Field(description="queries without an article: counted 0")
    empty: int = Field(description="articles without a paragraph: counted 0")
    not_graded: int = Field(description="questions that could not be graded: left out")
    passages_ungraded: int = Field(description="paragraphs without a text or a grade: they answer nothing")


class SystemDifference(Record):
    """Two systems on the same queries, by EXAM: the first less the second."""

    first: str
    second: str
    queries: int
    difference: float
    low: float | None = Field(description="of the 95% interval; None for few queries, and where there is no spread")
    high: float | None
    p_value: float
    adjusted: float = Field(description="after Holm, over all pairs")


class QuestionOutcome(Record):
    """One question: whose articles answer it, and where."""

    query_id: str
    question_id: str
    stem: str
    key: str
    answered_by: dict[str, str] = Field(description="by system: id of its first paragraph that answers")
    pooled: bool = Field(description="whether any paragraph that was graded answers it, returned or not")


class Leak(Record):
    """A question of the bank that an article repeats word by word."""

    question_id: str
    where: str
    quote: str


class RankAgreement(Record):
    """How two leaderboards agree. None where a correlation or an interval is not defined: `reasons` say why."""

    first: str
    second: str
    systems: int
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    spearman: float | None
    spearman_low: float | None = None
    spearman_high: float | None = None
    kendall: float | None
    kendall_low: float | None = None
    kendall_high: float | None = None
    reasons: tuple[str, ...] = ()


class ArticleScores(Record):
    """Everything that EXAM mode found out."""

    bank_id: str
    queries: int
    questions: int
    reader: str = Field(description="who answered the questions from the articles")
    verification: Verification
    at_least: int = Field(description="the grade from which on a question is answered")
    normalised_by: str = Field(description="what n-EXAM takes for answerable, in words")
    systems: tuple[SystemScore, ...] = Field(description="best EXAM first")
    differences: tuple[SystemDifference, ...]
    outcomes: tuple[QuestionOutcome, ...]
    quotes: Mapping[str, str] = Field(
        default_factory=dict, description="by 'question id / paragraph id': the words that the answer rests on"
    )
    agreements: tuple[RankAgreement, ...] = ()
    leaks: tuple[Leak, ...] = ()
    unknown: tuple[str, ...] = Field(default=(), description="what was left out, and why")
    failures: dict[str, int] = Field(default_factory=dict, description="why questions could not be graded: how often")
    notes: tuple[Note, ...] = Field(default=(), description="what a reader of the scores must know")
