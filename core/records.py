"""The records, in walking order: what each room of the house hands to the next.

All records are frozen and JSON-able. An `id` is a content hash: the same thing has the same id in every
run and on every machine. Offsets are character offsets into `Document.text`, end exclusive.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from viva.core.ids import content_hash


class Record(BaseModel):
    """Base of all records: immutable, and no field that is not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- folder -> documents -> chunks -----------------------------------------------------------------------


class Document(Record):
    """One readable document: its extracted text and where it came from."""

    id: str
    path: str = Field(description="relative to the corpus folder, with forward slashes; '#n' for the n-th row")
    title: str
    topic: str
    format: str
    text: str
    presplit: bool = Field(default=False, description="the user's own chunk: never split further")
    metadata: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of(
        cls,
        text: str,
        *,
        path: str,
        title: str,
        topic: str = "",
        format: str,  # noqa: A002 - the field's name
        presplit: bool = False,
        metadata: dict[str, str] | None = None,
    ) -> Self:
        """The document with its content-hash id (the text alone: copies of a file share it)."""
        return cls(
            id=content_hash("document", text),
            path=path,
            title=title,
            topic=topic,
            format=format,
            text=text,
            presplit=presplit,
            metadata=metadata or {},
        )


class ExclusionReason(StrEnum):
    """Why a file, a document or a chunk takes no part."""

    UNREADABLE = "unreadable"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    BINARY = "binary"
    OVERSIZED = "oversized"
    GARBLED = "garbled"
    BAD_ENCODING = "bad encoding"
    BAD_RECORD = "bad record"
    UNKNOWN_TYPE = "unknown type"
    OUTSIDE_FOLDER = "outside the folder"
    EXACT_DUPLICATE = "exact duplicate"


class Exclusion(Record):
    """A file or row that was found and takes no part, with the reason in words."""

    path: str
    reason: ExclusionReason
    detail: str


class Chunk(Record):
    """A span of one document, small enough for one retrieval unit."""

    id: str
    document_id: str
    start: int
    end: int
    text: str
    tokens: int
    duplicate_of: str | None = Field(default=None, description="id of the earlier chunk this one nearly repeats")

    @classmethod
    def of(cls, document: Document, start: int, end: int, tokens: int, duplicate_of: str | None = None) -> Self:
        """The chunk `document.text[start:end]`."""
        return cls(
            id=content_hash("chunk", document.id, start, end),
            document_id=document.id,
            start=start,
            end=end,
            text=document.text[start:end],
            tokens=tokens,
            duplicate_of=duplicate_of,
        )


# --- chunks -> knowledge units -> drafts -> items --------------------------------------------------------


class Span(Record):
    """Where in the corpus a statement stands. `quote` is `document.text[start:end]`, to the character."""

    document_id: str
    start: int
    end: int
    quote: str


class QuestionType(StrEnum):
    """What kind of fact the question asks for. The offline cast knows the first eight."""

    DEFINITION = "definition"
    QUANTITY = "quantity"
    DATE = "date"
    NAME = "name"
    IDENTIFIER = "identifier"
    CAUSE = "cause"
    PURPOSE = "purpose"
    CONDITION = "condition"
    FACTOID = "factoid"
    PROCEDURE = "procedure"
    COMPARISON = "comparison"
    MULTI_SENTENCE = "multi-sentence"
    """the answer must be put together from two or more sentences (MultiRC: Khashabi et al. 2018)"""


class BloomLevel(StrEnum):
    """Level of the revised taxonomy (Anderson & Krathwohl 2001)."""

    REMEMBER = "remember"
    UNDERSTAND = "understand"
    APPLY = "apply"
    ANALYZE = "analyze"
    EVALUATE = "evaluate"
    CREATE = "create"


class KnowledgeUnit(Record):
    """One checkable fact of a chunk, in a sentence that can be read alone."""

    id: str
    chunk_id: str
    statement: str
    evidence: Span

    @classmethod
    def of(cls, chunk: Chunk, statement: str, evidence: Span) -> Self:
        """The unit stated at `evidence` in `chunk`."""
        return cls(
            id=content_hash("unit", evidence.document_id, evidence.start, evidence.end, statement),
            chunk_id=chunk.id,
            statement=statement,
            evidence=evidence,
        )


class Draft(Record):
    """A question as the writer put it, before the committee has finished with it."""

    unit: KnowledgeUnit
    attempt: int = Field(ge=0, description="0 for the first wording, then one more per revision")
    stem: str
    key: str = Field(description="the intended answer, as it will stand among the options")
    reference_answer: str
    question_type: QuestionType
    bloom: BloomLevel
    answer_form: str = Field(description="what an option must look like, e.g. 'quantity:litre' or 'code:function'")
    pattern: str = Field(description="the writer's pattern, for the trace")

    @property
    def id(self) -> str:
        """Content hash of the wording and the fact it rests on."""
        return content_hash("draft", self.unit.id, self.stem, self.key)


class Verdict(Record):
    """What one critic said of one draft."""

    critic: str
    passed: bool
    reason: str = Field(description="in words; of a rejection, what must change")
    code: str = Field(default="", description="short name under which rejections are counted")
    score: float | None = None
    failed: bool = Field(default=False, description="no judgement: the role could not do its work")


class Rejection(Record):
    """A knowledge unit that did not become an item: its last draft, if any, and the verdict that ended it."""

    id: str
    chunk_id: str
    unit: KnowledgeUnit
    draft: Draft | None
    verdict: Verdict

    @classmethod
    def of(cls, unit: KnowledgeUnit, draft: Draft | None, verdict: Verdict) -> Self:
        """The rejection of `unit` (a unit is asked about once per run, so its id makes the id)."""
        return cls(
            id=content_hash("rejection", unit.id), chunk_id=unit.chunk_id, unit=unit, draft=draft, verdict=verdict
        )


class Distractor(Record):
    """A wrong option and why it is wrong."""

    text: str
    reason: str


class Provenance(Record):
    """Who wrote the item and from where."""

    chunk_id: str
    unit_id: str
    cast: str
    pattern: str
    attempts: int


class Item(Record):
    """An accepted multiple-choice question. Options are shown in the order an `ExamItem` gives them."""

    id: str
    stem: str
    key: str
    distractors: tuple[Distractor, ...]
    reference_answer: str
    evidence: Span
    question_type: QuestionType
    bloom: BloomLevel
    topic: str
    provenance: Provenance

    @classmethod
    def of(cls, draft: Draft, distractors: tuple[Distractor, ...], *, topic: str, cast: str) -> Self:
        """The item made of an accepted draft and its distractors."""
        return cls(
            id=content_hash("item", draft.stem, draft.key, *(d.text for d in distractors), draft.unit.evidence.quote),
            stem=draft.stem,
            key=draft.key,
            distractors=distractors,
            reference_answer=draft.reference_answer,
            evidence=draft.unit.evidence,
            question_type=draft.question_type,
            bloom=draft.bloom,
            topic=topic,
            provenance=Provenance(
                chunk_id=draft.unit.chunk_id,
                unit_id=draft.unit.id,
                cast=cast,
                pattern=draft.pattern,
                attempts=draft.attempt + 1,
            ),
        )


class Step(Record):
    """One step of a role in the item graph, for `viva trace`."""

    chunk_id: str
    number: int = Field(description="position in the chunk's walk, from 0")
    unit_id: str | None = None
    draft_id: str | None = None
    item_id: str | None = None
    role: str
    input: str
    output: str
    verdict: str = ""
    duration_s: float
    calls: tuple[str, ...] = Field(default=(), description="keys of the model calls it took, in the ledger")


# --- exam -> responses -> grades -------------------------------------------------------------------------


class ExamItem(Record):
    """An item as it is put to every examinee: the options in one fixed order."""

    item: Item
    options: tuple[str, ...]
    key_position: int


class WorkedExample(Record):
    """An item set aside from the exam, shown solved to examinees that learn from examples."""

    stem: str
    options: tuple[str, ...]
    key_position: int
    context: str


class Exam(Record):
    """What is sat: items in order, and the worked examples set aside from it."""

    id: str
    items: tuple[ExamItem, ...]
    examples: tuple[WorkedExample, ...] = ()


class Passage(Record):
    """A retrieved text. Offsets are known for viva's own retrievers and looked up for others."""

    text: str
    document_id: str | None = None
    start: int | None = None
    end: int | None = None
    score: float | None = None


class Examinee(Record):
    """A RAG system under examination. `components` name what its ability is made of."""

    id: str
    name: str
    spec: str
    components: dict[str, str] = Field(default_factory=dict)


class FailureKind(StrEnum):
    """How an examinee failed to respond."""

    RAISED = "raised"
    TIMED_OUT = "timed out"
    NO_ANSWER = "no answer"
    BAD_ANSWER = "bad answer"
    WITHDRAWN = "withdrawn"


class Failure(Record):
    """An examinee's failure, kept as a value."""

    kind: FailureKind
    detail: str


class Response(Record):
    """What one examinee said to one exam item: an answer or a failure, never neither."""

    id: str
    examinee_id: str
    item_id: str
    text: str = ""
    choice: int | None = Field(default=None, description="index into ExamItem.options; None: no option was meant")
    passages: tuple[Passage, ...] = ()
    latency_s: float = 0.0
    failure: Failure | None = None

    @staticmethod
    def id_of(examinee_id: str, exam_item: ExamItem) -> str:
        """The id of this examinee's response to this item shown with these options in this order."""
        return content_hash("response", examinee_id, exam_item.item.id, *exam_item.options)


class Grade(Record):
    """A score in [0, 1] for one response."""

    kind: Literal["grade"] = "grade"
    response_id: str
    examinee_id: str
    item_id: str
    score: float


class Ungraded(Record):
    """A grade that could not be made; stays out of the statistics and is counted."""

    kind: Literal["ungraded"] = "ungraded"
    response_id: str
    examinee_id: str
    item_id: str
    reason: str


GradeResult = Annotated[Grade | Ungraded, Field(discriminator="kind")]


# --- grades -> abilities ---------------------------------------------------------------------------------


class ItemParameters(Record):
    """3PL parameters on the ability scale, each with its standard error (posterior sd)."""

    item_id: str
    discrimination: float
    difficulty: float
    guessing: float
    discrimination_se: float
    difficulty_se: float
    guessing_se: float


class Ability(Record):
    """An examinee's ability on the theta scale with its standard error."""

    examinee_id: str
    theta: float
    se: float


class ComponentEffect(Record):
    """What one level of one component adds to ability (effects of a component sum to zero)."""

    component: str
    level: str
    effect: float
    se: float


class Run(Record):
    """What a run folder is about: fixed when it is made, checked each time it is opened."""

    id: str
    documents_folder: str
    corpus_fingerprint: str
    settings: dict[str, str | int | float | bool | None]
