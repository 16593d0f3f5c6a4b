"""What is found out about open answers: by format, by the judge, and by people's labels."""

from __future__ import annotations

from pydantic import Field

from viva.core.estimates import Estimate
from viva.core.notes import Note
from viva.core.records import JudgeCard, Measured, Record


class FormatScore(Record):
    """One examinee on the questions of one format, where an exam has both."""

    format: str = Field(description="'multiple choice' or 'open'")
    asked: int
    graded: int
    correct: int = Field(description="right answers; an open one is right from a score of .5 on")
    accuracy: Estimate | None = Field(description="share of right answers among the graded; None where none was")
    mean_score: Estimate | None = Field(
        default=None, description="of open answers, the mean of the judge's scores; None for multiple choice"
    )


class Juror(Record):
    """One judge of a jury."""

    card: JudgeCard
    graded: int
    ungraded: int = Field(description="answers put to the jury that it could not judge, or was not asked yet")
    with_others: float | None = Field(description="Spearman with the mean of the other judges' scores")
    with_others_low: float | None = Field(default=None, description="of its interval of 95%, over documents")
    with_others_high: float | None = None
    reason: str = Field(default="", description="why there is none, or no interval")


class JuryFinding(Record):
    """What a jury made of the open answers that were put to it; empty ones are nobody's to judge."""

    judges: tuple[Juror, ...]
    rule: str = Field(description="'mean' or 'majority'")
    quorum: int = Field(description="judges that must grade an answer for a verdict")
    answers: int
    hung: int = Field(description="of the answers, those without a verdict: ungraded")
    alpha: Estimate | None = Field(description="Krippendorff's among the judges; None where `alpha_reason` says why")
    alpha_reason: str = ""
    odd_one_out: str = Field(default="", description="who agrees least with the others, of three or more; '' if open")


class VarianceShare(Record):
    """One source of the variance of repeated scores."""

    source: str = Field(description="item, system, response, judge, judge x response, or run")
    levels: int
    share: float
    variance: Estimate = Field(description="in squared units of the score, by profile likelihood")


class Steadiness(Record):
    """How often one judge, asked the same again, gave an answer another score."""

    judge: str
    asks_a_model: bool = Field(description="a judge that asks none cannot say something else")
    moved: int
    compared: int = Field(description="answers with two scores of this judge or more")
    unjudged: int = Field(description="of its judgements, those that could not be had")


class RepeatsFinding(Record):
    """What came of asking the judges again about a random part of the graded answers."""

    times: int = Field(description="how often each judge was asked, the judging itself included")
    answers: int
    judges: tuple[Steadiness, ...]
    shares: tuple[VarianceShare, ...]
    left_out: dict[str, str] = Field(description="by source: why it could not be told apart")
    reason: str = Field(default="", description="why there are no shares")


class JudgeUsed(Record):
    """Who graded the open answers, what is known of its agreement with people, and how many it graded."""

    card: JudgeCard
    graded: int
    ungraded: int = Field(description="answers that it could not judge, and failures to answer")
    jury: JuryFinding | None = Field(default=None, description="None where one judge graded")
    repeats: RepeatsFinding | None = Field(default=None, description="None where no judge was asked again")


class PeopleScore(Record):
    """One examinee's mean score on open questions as people would give it (prediction-powered inference)."""

    examinee_id: str
    answers: int = Field(description="open answers that the judge graded or people labelled")
    labels: int
    judge_mean: Estimate | None = Field(description="the judge's mean, as it stands; None where it graded nothing")
    people_mean: Estimate | None = Field(description="put right by the labels; None where `reason` says why")
    labels_alone: Estimate | None = Field(description="the mean of the labels, without the judge")
    effective_labels: float | None = Field(
        description="labels alone that would give as narrow an interval; None where they would carry none"
    )
    reason: str = ""


class PeopleDifference(Record):
    """The first's mean score less the second's as people would give them, over the open questions both answered."""

    first_id: str
    second_id: str
    questions: int
    labels: int
    difference: Estimate = Field(description="the interval is of this pair alone")


class PeopleFindings(Record):
    """What people's labels of open answers say of the systems, of the judge and of each other."""

    labels: int = Field(description="answers of this exam that people labelled, drawn at random")
    by: dict[str, int] = Field(description="labels by each person")
    not_drawn: int = Field(description="answers labelled though never drawn: kept, and in no figure")
    agreement: float | None = Field(description="Krippendorff's alpha (interval) among people")
    agreement_reason: str = Field(default="", description="why there is none")
    judge_agreement: tuple[Measured, ...] = Field(description="the judge's with these labels")
    systems: tuple[PeopleScore, ...]
    differences: tuple[PeopleDifference, ...]
    notes: tuple[Note, ...] = ()
