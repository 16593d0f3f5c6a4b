"""Exam -> responses -> grades -> abilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from viva.core.ids import content_hash
from viva.core.records.authoring import Item, Provenance
from viva.core.records.base import Record
from viva.core.records.taxonomy import QuestionType


class ExamItem(Record):
    """An item as it is put to every examinee: the options in one fixed order. Of an open item, the key alone."""

    item: Item
    options: tuple[str, ...]
    key_position: int

    @classmethod
    def asked(cls, question: str, cast: str) -> Self:
        """A question that is put in words, of no exam: it has no options and no key."""
        item = Item(
            id=content_hash(f"{cast} question", question),
            stem=question,
            key="",
            distractors=(),
            reference_answer="",
            evidence=(),
            question_type=QuestionType.FACTOID,
            bloom=(),
            provenance=Provenance(cast=cast),
        )
        return cls(item=item, options=(), key_position=0)

    @property
    def offered(self) -> tuple[str, ...] | None:
        """The options that an examinee is shown; None of an open item, whose key is nobody's to see."""
        return None if self.item.is_open else self.options or None


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

    @classmethod
    def of(cls, items: Sequence[ExamItem], examples: Sequence[WorkedExample] = ()) -> Self:
        """The exam with its content-hash id: the items, the order of their options, the stems of the examples."""
        identity = content_hash(
            "exam", *(f"{s.item.id}:{s.options}" for s in items), "|", *(w.stem for w in examples)
        )
        return cls(id=identity, items=tuple(items), examples=tuple(examples))

    def without(self, item_ids: Set[str]) -> Self:
        """The exam without these items; it keeps its id, for it is the one that was sat."""
        return self.model_copy(update={"items": tuple(each for each in self.items if each.item.id not in item_ids)})


class Passage(Record):
    """A retrieved text. Offsets are known for viva's own retrievers and looked up for others."""

    text: str
    document_id: str | None = None
    start: int | None = None
    end: int | None = None
    score: float | None = None
    source_id: str | None = Field(default=None, description="what the examinee itself calls it")


class AnswerUsage(Record):
    """What an answer cost, as its system tells it; None where it does not, or tells what is no count."""

    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0, description="US dollars")


_REFERENCE_COMPONENTS = {"retriever", "reader", "examples", "k", "chunk"}
_OWN_RANGE, _OWN_RETRIEVERS = ("closed-book", "oracle"), ("bm25", "dense", "hybrid")
_OWN_READERS = ("lexical", "embedding")


class Examinee(Record):
    """A RAG system under examination. `components` name what its ability is made of."""

    id: str
    name: str
    spec: str
    components: dict[str, str] = Field(default_factory=dict)
    manufactured: str = Field(
        default="", description="why viva set it beside the user's own, in words; '' for one that was asked for"
    )
    reference: bool = Field(
        default=False,
        description="whether it is viva's: its own retriever with a reader without a model, closed-book or oracle",
    )

    @property
    def can_learn(self) -> bool:
        """Tell whether it may learn from questions: all but viva's retrievers with a reader without a model."""
        by_rules = self.components.get("reader") in _OWN_READERS
        return not (by_rules and self.components.keys() >= _REFERENCE_COMPONENTS)

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_version(cls, given: object) -> object:
        """It did not say what is a reference; one has all of these components."""
        if not isinstance(given, Mapping) or "reference" in given:
            return given
        told = given.get("components") or {}
        if not told.keys() >= _REFERENCE_COMPONENTS:
            return given
        in_range, own = told["retriever"] in _OWN_RANGE, told["retriever"].startswith(_OWN_RETRIEVERS)
        return {**given, "reference": in_range or (own and told["reader"] in _OWN_READERS)}


class FailureKind(StrEnum):
    """How an examinee failed to respond."""

    RAISED = "raised"
    TIMED_OUT = "timed out"
    NO_ANSWER = "no answer"
    BAD_ANSWER = "bad answer"
    WITHDRAWN = "withdrawn"


class FailureCause(StrEnum):
    """What was wrong with a reply, where its adapter can tell: what can be done about it hangs on this alone."""

    STATUS = "status"
    UNREACHABLE = "unreachable"
    INSECURE = "insecure"
    COMPRESSED = "compressed"
    MOVED = "moved"
    STREAMED = "streamed"
    WEB_PAGE = "web page"
    NO_COMPLETION = "no completion"
    BROKEN_JSON = "broken JSON"
    NO_JSON = "no JSON"
    NO_FIELD = "no field"
    NO_TEXT = "no text"


class Failure(Record):
    """An examinee's failure, kept as a value."""

    kind: FailureKind
    detail: str = Field(description="in words, for people")
    cause: FailureCause | None = None
    about: str = Field(default="", description="of a cause: the HTTP status, or the address it moved to")


NO_CHOICE = "no_choice"
"""In what is kept of an answer: why it means no option."""


PASSAGES_ALONE = "passages_alone"
"""In what is kept of an answer: it is passages and no answer, as of a retriever by itself."""

WITHOUT_HISTORY = "without_history"
"""In what is kept of an answer: its system was asked the bare question, without the conversation before it."""


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
    occasion: int = Field(default=0, ge=0, description="which time it was asked, from 0: with viva sit --repeats")
    usage: AnswerUsage | None = None
    meta: dict[str, str] = Field(default_factory=dict, description="what else its system told, for the trace")

    @property
    def is_retrieval(self) -> bool:
        """Tell whether it is what a retriever found, and no answer."""
        return PASSAGES_ALONE in self.meta

    @staticmethod
    def id_of(examinee_id: str, exam_item: ExamItem, occasion: int = 0) -> str:
        """The id of this examinee's response to this item shown with these options in this order."""
        kind = f"response {occasion}" if occasion else "response"
        return content_hash(kind, examinee_id, exam_item.item.id, *exam_item.options)


def responses_to(
    items: Iterable[ExamItem], responses: Iterable[Response], *, all_occasions: bool = False
) -> list[Response]:
    """Those of the responses that answer these items as they are shown, in the order given: on the first occasion.

    A response to the same item with its options in another order chose among other letters.
    """
    shown = {each.item.id: each for each in items}
    return [
        r
        for r in responses
        if r.item_id in shown
        and (all_occasions or not r.occasion)
        and r.id == Response.id_of(r.examinee_id, shown[r.item_id], r.occasion)
    ]


class Grade(Record):
    """A score in [0, 1] for one response."""

    kind: Literal["grade"] = "grade"
    response_id: str
    examinee_id: str
    item_id: str
    score: float
    judge: str = Field(default="", description="name of the judge that graded it; '' for a choice of options")
    reason: str = Field(default="", description="what the judge said before the score")


class Ungraded(Record):
    """A grade that could not be made; stays out of the statistics and is counted."""

    kind: Literal["ungraded"] = "ungraded"
    response_id: str
    examinee_id: str
    item_id: str
    reason: str
    code: str = Field(default="", description="the reason in short, by which it is counted")


GradeResult = Annotated[Grade | Ungraded, Field(discriminator="kind")]


class ItemParameters(Record):
    """3PL parameters on the ability scale, each with its standard error (posterior sd)."""

    item_id: str
    discrimination: float
    difficulty: float
    guessing: float
    discrimination_se: float
    difficulty_se: float
    guessing_se: float


class ComponentEffect(Record):
    """What one level of one component adds to ability (effects of a component sum to zero)."""

    component: str
    level: str
    effect: float
    se: float
    reach: float = Field(description="how far the 95% interval reaches either way; in earlier versions 1.96 se")

    @model_validator(mode="before")
    @classmethod
    def _with_reach(cls, given: object) -> object:
        if not isinstance(given, Mapping) or "reach" in given or "se" not in given:
            return given
        return {**given, "reach": 1.96 * given["se"]}


class Run(Record):
    """What a run folder is about: fixed when it is made, checked each time it is opened."""

    id: str
    documents_folder: str
    corpus_fingerprint: str
    settings: dict[str, str | int | float | bool | None]
