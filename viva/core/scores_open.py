"""What is found out about open answers: by format, by the judge, and by people's labels."""

from __future__ import annotations

from pydantic import Field, model_validator

from viva.core.estimates import Estimate
from viva.core.notes import Note
from viva.core.records import JudgeCard, Measured, Quality, Record


class FormatScore(Record):
    """One examinee on the questions of one format, where an exam has both."""

    format: str = Field(description="'multiple choice' or 'open'")
    asked: int
    graded: int = Field(description="responses that count: graded answers, and failures as wrong ones")
    correct: int = Field(description="right answers; an open one is right from a score of .5 on")
    accuracy: Estimate | None = Field(description="share of right answers among these; None where there are none")
    mean_score: Estimate | None = Field(
        default=None,
        description="of the open answers that were graded, the mean of the scores; None for multiple choice",
    )


class JudgeUsed(Record):
    """Who graded the open answers, what is known of its agreement with people, and how many it graded."""

    card: JudgeCard
    graded: int
    ungraded: int = Field(description="answers that it could not judge, and failures to answer")

    @model_validator(mode="before")
    @classmethod
    def _of_one_judge(cls, stored: object) -> object:
        """Earlier versions stored what several judges, or repeats, had come to."""
        if not isinstance(stored, dict):
            return stored
        return {name: value for name, value in stored.items() if name not in ("jury", "repeats")}


class QualityScore(Record):
    """One examinee's open answers, graded for a further quality."""

    examinee_id: str
    graded: int
    ungraded: dict[str, int] = Field(
        description="answers without a grade, by the code of the reason (no_passages, no_claims, ...) or the kind of "
        "failure"
    )
    mean_score: Estimate | None = Field(description="over the graded; None where none was")

    @property
    def asked(self) -> int:
        """Open questions that it was asked."""
        return self.graded + sum(self.ungraded.values())


class QualityFindings(Record):
    """What open answers came to in a quality besides correctness; it is in no rank, accuracy or ability."""

    quality: Quality
    card: JudgeCard
    systems: tuple[QualityScore, ...] = Field(description="in the order of the leaderboard")


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
