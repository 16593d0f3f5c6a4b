"""The oral examination: units of knowledge, what was asked about them, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from pydantic import Field

from viva.core.ids import content_hash
from viva.core.records.authoring import Span
from viva.core.records.base import Record, ignoring
from viva.core.records.examination import Failure
from viva.core.records.taxonomy import QuestionType

LONGEST_DESCRIPTION = 20
"""Words in the description of a unit (RecKon, arXiv 2504.00756, section 3)."""


class OralUnit(Record):
    """One thing that can be known from the documents, and that an answer may or may not show."""

    _gone = ignoring("question")

    id: str
    chunk_id: str
    topic: str
    type: QuestionType
    keyword: str = Field(description="what it is about, as the examiner may name it without giving it away")
    description: str = Field(description="what there is to know, at most LONGEST_DESCRIPTION words")
    evidence: Span = Field(description="the words of the source that settle it")

    @classmethod
    def of(
        cls,
        *,
        chunk_id: str,
        topic: str,
        type: QuestionType,  # noqa: A002 - the field's name
        keyword: str,
        description: str,
        evidence: Span,
    ) -> Self:
        """The unit with its content-hash id."""
        identity = content_hash("oral unit", evidence.document_id, evidence.start, evidence.end, description)
        return cls(
            id=identity,
            chunk_id=chunk_id,
            topic=topic,
            type=type,
            keyword=keyword,
            description=description,
            evidence=evidence,
        )


class UnitStatus(StrEnum):
    """Where a unit stands. All but open are verdicts: it is not asked about again."""

    OPEN = "open"
    CORRECT = "covered, correct"
    INCORRECT = "covered, incorrect"
    GIVEN_UP = "given up"
    """asked alone, as often as is allowed, and still not covered: the examinee does not know"""


class UnitJudgement(Record):
    """What a judge found about one unit in one answer."""

    unit_id: str
    quote: str = Field(default="", description="the part of the answer that is about the unit; '' where none is")
    correct: bool | None = Field(default=None, description="against the source's words; None where nothing is quoted")
    reason: str = ""
    failed: bool = Field(default=False, description="no judgement: the judge could not do its work")

    @property
    def covered(self) -> bool:
        """Whether the answer says something about the unit, right or wrong."""
        return self.correct is not None


class QuestionForm(StrEnum):
    """How many units a question is meant to reach."""

    BROAD = "broad"
    """all open units of a cluster; the examinee is invited to tell more"""
    NARROW = "narrow"
    """a few units that earlier answers missed"""
    SINGLE = "single"
    """one unit alone"""


class OralTurn(Record):
    """One question, the answer to it, and the judgement of each unit it was asked for (and of others it reached)."""

    number: int
    round: int
    cluster: int
    form: QuestionForm
    unit_ids: tuple[str, ...] = Field(description="the units it was asked for")
    question: str
    answer: str = ""
    failure: Failure | None = Field(default=None, description="of the examinee; a failed turn counts as no try")
    judgements: tuple[UnitJudgement, ...] = ()
    flags: tuple[str, ...] = Field(default=(), description="what is odd about the answer: 'capped', 'pasted', ...")
    latency_s: float = 0.0
    tokens: Mapping[str, int] = Field(default_factory=dict, description="by role: examiner, examinee, judge")
    calls: tuple[str, ...] = Field(default=(), description="keys of the model calls it took, in the ledger")


class OralCluster(Record):
    """Units that lie together, named by the one at their centre."""

    number: int
    name: str
    unit_ids: tuple[str, ...]


class OralPlan(Record):
    """What is examined: all units, in clusters, and how the clusters were made (in words)."""

    id: str
    units: tuple[OralUnit, ...]
    clusters: tuple[OralCluster, ...]
    how_clustered: str
    map: Mapping[str, tuple[float, float]] = Field(
        default_factory=dict, description="by unit id, its place on a map of two dimensions"
    )
