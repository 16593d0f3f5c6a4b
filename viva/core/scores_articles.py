"""What EXAM mode came to: systems by the questions their articles answer, pair by pair, question by question."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from viva.core.notes import Note
from viva.core.records.articles import Verification
from viva.core.records.base import Record
from viva.core.records.judging import JudgeCard


class Mean(Record):
    """A macro-average over queries with its standard error and 95% interval.

    Both are None where fewer than two queries counted, or all have the same score: they show no spread.
    """

    value: float
    se: float | None = None
    low: float | None = None
    high: float | None = None
    queries: int = Field(description="that have a value; a skipped one counts 0, one without any is left out")


class ArticleAbility(Record):
    """Where a system stands on the scale of item response theory, its questions as items."""

    theta: float
    se: float


class SystemScore(Record):
    """One system. Scores are None where no query has one."""

    system: str
    exam: Mean | None = Field(description="share of a query's questions that the article answers")
    n_exam: Mean | None = Field(
        description="the same of the questions that can be answered (`normalised_by`); None also where only its own "
        "paragraphs could say what these are"
    )
    cover: dict[int, Mean] = Field(description="EXAM-Cover: of the first so many paragraphs together")
    qrels: dict[str, Mean] = Field(description="EXAM-Qrels: the ranking, a paragraph that answers being relevant")
    rouge: Mean | None = Field(default=None, description="ROUGE-1 F1 of the article against the gold article")
    ability: ArticleAbility | None = Field(default=None, description="None for a system that failed on every query")
    skipped: int = Field(description="queries without an article: counted 0")
    failed: int = Field(default=0, description="of the skipped: its system was asked, and failed to write")
    empty: int = Field(description="articles without a paragraph: counted 0")
    not_graded: int = Field(description="questions that could not be graded: left out")
    passages_ungraded: int = Field(description="paragraphs without a text or a grade: they answer nothing")


class SystemDifference(Record):
    """Two systems on the same queries, by EXAM: the first less the second.

    The 95% interval is None where they differ alike on all queries, which then show no spread, and where fewer than
    six queries can exclude no difference.
    """

    first: str
    second: str
    queries: int
    difference: float
    low: float | None
    high: float | None
    p_value: float
    adjusted: float = Field(description="after Holm, over all pairs")


class QuestionOutcome(Record):
    """One question: whose articles answer it, and where."""

    query_id: str
    question_id: str
    stem: str
    key: str
    rate: float | None = Field(description="share of systems whose article answers it; None: nobody was graded")
    answered_by: dict[str, str] = Field(description="by system: id of its first paragraph that answers")
    pooled: bool = Field(description="whether any paragraph that was graded answers it, returned or not")
    difficulty: float | None = Field(default=None, description="on the scale of abilities, if these were estimated")


class Leakage(Record):
    """A question of the bank that stands where it should be withheld."""

    question_id: str
    where: str
    what: str
    quote: str


class RankAgreement(Record):
    """How two leaderboards agree. Intervals are None where they are not defined."""

    first: str
    second: str
    systems: int
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    spearman: float | None
    spearman_low: float | None = None
    spearman_high: float | None = None
    spearman_bootstrap: tuple[float, float] | None = None
    kendall: float | None
    kendall_low: float | None = None
    kendall_high: float | None = None
    kendall_bootstrap: tuple[float, float] | None = None
    broken_spearman: tuple[float, float, float] | None = Field(
        default=None, description="mean, least, most over random orders of those within a standard error"
    )
    broken_kendall: tuple[float, float, float] | None = None
    tied: tuple[int, int] = Field(description="systems of each leaderboard within a standard error of another")
    breaks: int
    why_not: str = Field(default="", description="in words, where there is no correlation")
    spearman_unbounded: str = Field(default="", description="why it has no interval")
    kendall_unbounded: str = Field(default="", description="why it has no interval")
    not_drawn: str = Field(default="", description="why there are no intervals by drawing systems anew")


class ArticleScores(Record):
    """Everything that EXAM mode found out."""

    bank_id: str
    queries: int
    questions: int
    reader: str = Field(description="who answered the questions from the articles")
    verification: Verification
    judge: JudgeCard | None = Field(default=None, description="who compared answers with the bank's, if a judge did")
    at_least: int = Field(description="the grade from which on a question is answered")
    normalised_by: str = Field(description="what n-EXAM takes for answerable, in words")
    k: int = Field(description="of nDCG and precision in EXAM-Qrels")
    systems: tuple[SystemScore, ...] = Field(description="best EXAM first")
    differences: tuple[SystemDifference, ...]
    outcomes: tuple[QuestionOutcome, ...]
    quotes: Mapping[str, str] = Field(
        default_factory=dict, description="by 'question id / paragraph id': the words that the answer rests on"
    )
    agreements: tuple[RankAgreement, ...] = ()
    leaks: tuple[Leakage, ...] = ()
    unknown: tuple[str, ...] = Field(default=(), description="what was found for no query of the bank")
    failures: dict[str, int] = Field(default_factory=dict, description="why questions could not be graded: how often")
    not_made: dict[str, Note] = Field(default_factory=dict, description="what could not be worked out, and why")

    notes: tuple[Note, ...] = Field(default=(), description="what a reader of the scores must know")

    @property
    def unanswered(self) -> int:
        """Questions that no system's article answers."""
        return sum(not outcome.answered_by for outcome in self.outcomes)
