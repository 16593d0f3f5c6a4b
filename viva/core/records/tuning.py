"""What a tuning came to: agreement with people before and after, on cases nothing was chosen by, and the verdict."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from viva.core.records.base import Record
from viva.core.records.judging import Measured, Quality


class Figure(Record):
    """One figure with its interval of 95%; without an estimate or an interval, `undefined` says why."""

    name: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str = Field(default="", description="how the interval was made")
    standard_error: float | None = None
    undefined: str = ""


class Bin(Record):
    """Cases that the judge scored about alike, and what people said of them on average."""

    low: float
    high: float
    cases: int
    judge: float
    people: float


class Agreement(Record):
    """A judge against people on `cases` cases, of which it left `unjudged` without a judgement."""

    cases: int
    groups: int
    unjudged: int
    figures: tuple[Figure, ...]
    labels: tuple[float, ...] = Field(default=(), description="of the confusion matrix, in order")
    counts: tuple[tuple[int, ...], ...] = Field(default=(), description="a row for each label people gave")
    curve: tuple[Bin, ...] = ()

    def figure(self, name: str) -> Figure | None:
        """The figure of that name, None where this judge has none."""
        return next((each for each in self.figures if each.name == name), None)

    def estimate(self, name: str) -> float | None:
        """The figure of that name without its interval, None where there is none."""
        found = self.figure(name)
        return None if found is None else found.estimate

    def measured(self, data: str, data_fingerprint: str, people: Agreement | None = None) -> tuple[Measured, ...]:
        """The figures that have an interval, as a judge's card keeps them, with the same figures of `people`."""
        return tuple(
            Measured(
                data=data,
                data_fingerprint=data_fingerprint,
                statistic=each.name,
                estimate=each.estimate,
                low=each.low,
                high=each.high,
                labels=self.cases,
                unjudged=self.unjudged,
                people=people.estimate(each.name) if people else None,
            )
            for each in self.figures
            if each.estimate is not None and each.low is not None and each.high is not None
        )


class Disagreement(Record):
    """A case that judge and people see differently, its texts cut short."""

    question: str
    reference: str
    answer: str
    passages: str
    people: float
    judge: float
    reason: str


class Data(Record):
    """The labels that were used, and how every row of the file was counted."""

    name: str
    fingerprint: str
    columns: dict[str, str]
    rows: int
    unlabelled: int = 0
    lacking: int = 0
    repeated: int = 0
    contradicted: int = 0
    undecided: int = 0
    annotators: dict[str, int] = Field(default_factory=dict, description="the cases that each labelled")
    people: Agreement | None = Field(default=None, description="of annotators with each other, on all cases")
    words: dict[str, float] = Field(default_factory=dict, description="labels whose meaning was known")
    groups: int
    merged: int = 0
    taken_out: int = 0
    test_name: str
    test_fingerprint: str
    train: int
    validation: int
    test: int
    test_groups: int = Field(description="sources of the test part")


class CandidatePrompt(Record):
    """A candidate on the validation part: the base first, then what the search left."""

    how: str
    value: float | None = Field(description="the figure that is tuned for; None where it is undefined")
    undefined: str = ""
    second: float | None = None
    unjudged: int = 0
    chosen: bool = False
    refused: str = Field(default="", description="why it was out, if it was")


class PromptComparison(Record):
    """The tuned judge less the base one, on the same test cases."""

    statistic: str
    base: float
    tuned: float
    difference: float
    low: float
    high: float
    p_value: float
    cases: int
    missing: int
    groups: int


class Cost(Record):
    """What was spent in the folder of the tuning over all its processes, and how long the last one took."""

    requests: int = 0
    tokens: int = 0
    dollars: float = Field(default=0.0, description="where prices are known")
    seconds: float = 0.0


class AdoptionDecision(Record):
    """Whether the tuned judge takes the place of the base one, and why."""

    adopted: bool
    why: str
    comparison: PromptComparison | None = None
    fell_back: str = Field(default="", description="why another figure than the one tuned for decided")


class TuningReport(Record):
    """All of one tuning. `tuned` is None where no candidate got as far as the test part."""

    kind: Literal["tuning"] = "tuning"
    judge: str
    quality: Quality
    model: str
    optimizer: str
    effort: str
    seed: int
    statistic: str
    data: Data
    candidates: tuple[CandidatePrompt, ...] = ()
    base: Agreement
    tuned: Agreement | None = None
    people: Agreement | None = Field(default=None, description="of annotators with each other, on the test cases")
    decision: AdoptionDecision
    worst: tuple[Disagreement, ...] = ()
    cost: Cost = Cost()
    instructions: str = ""
    demos: int = 0
    installed: str = Field(default="", description="where the judge was installed, if it was")
    page: str = Field(default="", description="the name of the report as a page, in the folder of the tuning")
    earlier: int = Field(default=0, description="other tunings in the folder that were decided on the same cases")
