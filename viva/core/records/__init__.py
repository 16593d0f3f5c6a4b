"""The records, in walking order: what each room of the house hands to the next.

All records are frozen and JSON-able. An `id` is a content hash: the same thing has the same id in every
run and on every machine. Offsets are character offsets into `Document.text`, end exclusive.
"""

from viva.core.records.authoring import (
    CLOSING_PHRASE,
    OFFLINE_CAST,
    PLAIN_PATTERNS,
    PREDICATE,
    Distractor,
    Draft,
    ExpertAnswer,
    Extraction,
    Item,
    KnowledgeUnit,
    Provenance,
    Recall,
    Rejection,
    RepeatedUnits,
    Review,
    Rewording,
    Span,
    Step,
    Tier,
    Trial,
    Turn,
    Verdict,
    as_conversation,
    with_history,
)
from viva.core.records.base import Record
from viva.core.records.corpus import Chunk, Document, Exclusion, ExclusionReason
from viva.core.records.examination import (
    NO_CHOICE,
    PASSAGES_ALONE,
    WITHOUT_HISTORY,
    AnswerUsage,
    ComponentEffect,
    Exam,
    Examinee,
    ExamItem,
    Failure,
    FailureCause,
    FailureKind,
    Grade,
    GradeResult,
    ItemParameters,
    Passage,
    Response,
    Run,
    Ungraded,
    WorkedExample,
    responses_to,
)
from viva.core.records.judging import (
    Case,
    JudgeCard,
    JudgedCase,
    Judgement,
    LabelledCase,
    Make,
    Measured,
    Quality,
    Unjudged,
)
from viva.core.records.oral import (
    LONGEST_DESCRIPTION,
    OralCluster,
    OralPlan,
    OralTurn,
    OralUnit,
    QuestionForm,
    UnitJudgement,
    UnitStatus,
)
from viva.core.records.taxonomy import BloomLevel, Difficulty, FactSort, ItemKind, QuestionType, QuestionWord
