"""The records, in walking order: what each room of the house hands to the next.

All records are frozen and JSON-able. An `id` is a content hash: the same thing has the same id in every
run and on every machine. Offsets are character offsets into `Document.text`, end exclusive.
"""

from viva.core.records.authoring import (
    Distractor,
    Draft,
    ExpertAnswer,
    Item,
    KnowledgeUnit,
    Provenance,
    Rejection,
    Review,
    Span,
    Step,
    Trial,
    Verdict,
)
from viva.core.records.base import Record
from viva.core.records.corpus import Chunk, Document, Exclusion, ExclusionReason
from viva.core.records.examination import (
    Ability,
    ComponentEffect,
    Exam,
    Examinee,
    ExamItem,
    Failure,
    FailureKind,
    Grade,
    GradeResult,
    ItemParameters,
    Passage,
    Response,
    Run,
    Ungraded,
    WorkedExample,
)
from viva.core.records.taxonomy import BloomLevel, Difficulty, ItemKind, QuestionType, QuestionWord

__all__ = [
    "Ability",
    "BloomLevel",
    "Chunk",
    "ComponentEffect",
    "Difficulty",
    "Distractor",
    "Document",
    "Draft",
    "Exam",
    "ExamItem",
    "Examinee",
    "Exclusion",
    "ExclusionReason",
    "ExpertAnswer",
    "Failure",
    "FailureKind",
    "Grade",
    "GradeResult",
    "Item",
    "ItemKind",
    "ItemParameters",
    "KnowledgeUnit",
    "Passage",
    "Provenance",
    "QuestionType",
    "QuestionWord",
    "Record",
    "Rejection",
    "Response",
    "Review",
    "Run",
    "Span",
    "Step",
    "Trial",
    "Ungraded",
    "Verdict",
    "WorkedExample",
]
