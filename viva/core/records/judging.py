"""What a judge reads and says, the labels people gave, and what was measured of a judge's agreement with them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from viva.core.ids import content_hash
from viva.core.records.base import Record


class Quality(StrEnum):
    """What a judge judges. The value is the name on the command line and of the prompt, judged_<value>.md."""

    CORRECTNESS = "correctness"
    """does the answer say what the reference says? 0 to 1"""
    RUBRIC = "rubric"
    """the same on a rubric of five steps, (step - 1) / 4, with feedback before the score"""
    ANSWERABILITY = "answerability"
    """can the question be answered from the passages? 0 or 1"""
    FAITHFULNESS = "faithfulness"
    """share of the answer's claims that the passages support"""
    RELEVANCE = "relevance"
    """does the answer speak to the question? 0 to 1"""
    GROUNDEDNESS = "groundedness"
    """how clearly do the passages answer the question? five steps"""
    USEFULNESS = "usefulness"
    """would the stated user ask this? five steps"""
    STAND_ALONE = "stand_alone"
    """is the question clear without the passages? five steps"""
    PREFERENCE = "preference"
    """which of two answers is better? 1 the first, 0 the second, .5 neither; both orders are asked"""


class Case(Record):
    """What a judge is handed. What its question does not need stays empty; all of it is untrusted."""

    question: str = ""
    answer: str = ""
    reference: str = ""
    key: str = Field(
        default="", description="the same in few words, where it is known; judges with a model never see it"
    )
    passages: tuple[str, ...] = ()
    other: str = Field(default="", description="the second answer, for a preference")

    @property
    def id(self) -> str:
        """Of its content: the same case has one id wherever it is met."""
        key = [f"key {self.key}"] if self.key else []
        return content_hash("case", self.question, self.answer, self.reference, self.other, *self.passages, *key)


class Judgement(Record):
    """What a judge said of a case: the reason first, then the score in [0, 1]."""

    kind: Literal["judgement"] = "judgement"
    reason: str
    score: float = Field(ge=0, le=1)


class Unjudged(Record):
    """A judgement that could not be made. It is counted, shown, and stays out of every mean."""

    kind: Literal["unjudged"] = "unjudged"
    code: str
    reason: str


JudgedCase = Annotated[Judgement | Unjudged, Field(discriminator="kind")]


class LabelledCase(Record):
    """A case that people judged. `group` is what it shares a source with (article, question): never split apart."""

    case: Case
    label: float = Field(ge=0, le=1, description="what people said, on the scale of the judge's score")
    group: str
    by: dict[str, float] = Field(default_factory=dict, description="the labels of annotators, where they are known")


class Make(StrEnum):
    """What a judge is made of."""

    BASE = "base"
    """a model with the prompt as it ships"""
    TUNED = "tuned"
    """a model with a prompt or demonstrations that an optimizer found"""
    OFFLINE = "offline"
    """embeddings and rules; no language model, nothing trained but the scale of the scores"""
    LOCAL = "local"
    """trained weights, in cards of earlier versions"""
    BLEND = "blend"
    """rules and trained weights, in cards of earlier versions"""
    JURY = "jury"
    """several judges, in cards of earlier versions"""


class Measured(Record):
    """One figure of agreement with people: on which labels, of which size, with which interval of 95%."""

    data: str = Field(description="what the labels are called, for example 'stsb/dev'")
    data_fingerprint: str
    statistic: str = Field(description="'spearman', 'mcc', 'balanced accuracy', ...")
    estimate: float
    low: float
    high: float
    labels: int
    unjudged: int = 0
    people: float | None = Field(
        default=None, description="the same figure of each annotator with the others on these labels, their ceiling"
    )


class JudgeCard(Record):
    """Who a judge is and what is known of it. Stamped: a judge whose stamp does not fit is not used."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$", description="as it is asked for: 'correctness-offline'")
    judges: Quality
    make: Make
    model: str = Field(default="", description="PROVIDER:MODEL it was tuned and measured with")
    prompt: str = Field(default="", description="fingerprint of the instructions it started from")
    signature: str = Field(default="", description="fingerprint of its fields, in order, with types and descriptions")
    content: str = Field(default="", description="hash of what is installed: the compiled prompt")
    trained_on: tuple[str, ...] = ()
    optimizer: str = ""
    measured: tuple[Measured, ...] = ()
    note: str = ""

    @model_validator(mode="before")
    @classmethod
    def _without_probes(cls, stored: object) -> object:
        """Earlier versions kept here which probes moved the judge."""
        return {k: v for k, v in stored.items() if k != "probed"} if isinstance(stored, dict) else stored

    @property
    def asks_a_model(self) -> bool:
        """Whether a language model plays it."""
        return self.make in {Make.BASE, Make.TUNED}
