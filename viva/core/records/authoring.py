"""Chunks -> knowledge units -> drafts -> items."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field

from viva.core.ids import content_hash
from viva.core.records.base import Record, ignoring
from viva.core.records.corpus import Chunk
from viva.core.records.taxonomy import BloomLevel, Difficulty, FactSort, ItemKind, QuestionType, QuestionWord


class Span(Record):
    """Where in the corpus a statement stands. `quote` is `document.text[start:end]`, to the character."""

    document_id: str
    start: int
    end: int
    quote: str


class KnowledgeUnit(Record):
    """One checkable fact of a chunk, in a sentence that can be read alone.

    Of a multi-hop item's unit, `statement` joins two facts and `second` is where the other one stands; of an
    unanswerable item's, it is the fact that the question goes beyond.
    """

    id: str
    chunk_id: str = Field(description="Source.id: the chunk, or the pair of chunks, it was found in")
    statement: str
    evidence: Span
    second: Span | None = None
    sort: FactSort = FactSort.DETAIL

    @classmethod
    def of(
        cls,
        chunk: Chunk,
        statement: str,
        evidence: Span,
        second: Span | None = None,
        *,
        at: str = "",
        sort: FactSort = FactSort.DETAIL,
    ) -> Self:
        """The unit stated at `evidence` in `chunk`, or in the source whose id is `at`."""
        spans = (evidence, second) if second else (evidence,)
        return cls(
            id=content_hash("unit", *(part for s in spans for part in (s.document_id, s.start, s.end)), statement),
            chunk_id=at or chunk.id,
            statement=statement,
            evidence=evidence,
            second=second,
            sort=sort,
        )

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where all of it stands."""
        return (self.evidence, self.second) if self.second else (self.evidence,)


class Turn(Record):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str

    @property
    def line(self) -> str:
        """The message with its speaker, as a transcript shows it."""
        return f"{self.role.capitalize()}: {self.text}"


class Recall(Record):
    """What a reader answers who has neither documents nor options."""

    known: bool = Field(description="it knows the answer, and does not guess")
    answer: str = Field(description="'' where it does not know it")
    guesses: tuple[str, ...] = Field(
        default=(), description="what those would answer who do not know it, the likeliest first"
    )


def _words_of(history: Sequence[Turn]) -> list[str]:
    return [part for turn in history for part in (turn.role, turn.text)]


def as_conversation(stem: str, history: Sequence[Turn]) -> str:
    """The question as a reader is shown it: after the messages that it follows on, if any."""
    if not history:
        return stem
    said = {"user": "The user asked", "assistant": "The assistant answered"}
    before = (f"{said[turn.role]}: {turn.text}" for turn in history)
    return "\n".join([_CONVERSATION, *before, f"The user asks now: {stem}"])


def with_history(stem: str, history: Sequence[Turn]) -> str:
    """The words of the conversation and of the stem, as they are searched with and compared."""
    return " ".join([*(turn.text for turn in history), stem])


_CONVERSATION = "A conversation. Its last line is the question; those before it tell what it is about."


class Draft(Record):
    """A question as the writer put it, before the committee has finished with it."""

    unit: KnowledgeUnit
    attempt: int = Field(ge=0, description="0 for the first wording, then one more per revision")
    stem: str
    key: str = Field(description="the answer as it will stand among the options; '' until the expert has given it")
    key_from: Literal["writer", "expert"] = Field(
        default="writer", description="a writer who names no key leaves it to the expert, who has seen none"
    )
    reference_answer: str
    question_type: QuestionType
    bloom: tuple[BloomLevel, ...]
    kind: ItemKind = ItemKind.SINGLE_HOP
    language: str = Field(default="en", description="ISO 639-1, as detected in the source; 'und' where it is not")
    answer_form: str = Field(description="what an option must look like, e.g. 'quantity:litre' or 'code:function'")
    pattern: str = Field(description="the writer's pattern, for the trace")
    recall: Recall | None = Field(default=None, description="of a reader without documents, where one was asked")
    history: tuple[Turn, ...] = Field(default=(), description="the conversation that the stem follows on")
    subject: str = Field(
        default="", description="of a follow-up, what it is about, in words of the first question; '' of others"
    )

    @property
    def shown(self) -> str:
        """The question as readers are shown it, with the conversation that it follows on."""
        return as_conversation(self.stem, self.history)

    @property
    def asked(self) -> str:
        """The words of stem and conversation."""
        return with_history(self.stem, self.history)

    @property
    def id(self) -> str:
        """Content hash of the wording and the fact it rests on."""
        return content_hash("draft", self.unit.id, self.stem, self.key, *_words_of(self.history))

    def answered(self, answer: ExpertAnswer) -> Self:
        """With the expert's answer as its key, where it is left to the expert."""
        if self.key_from == "writer":
            return self
        return self.model_copy(update={"key": answer.text, "reference_answer": answer.reference})


class ExpertAnswer(Record):
    """What the expert found in the source, having seen no intended answer."""

    text: str = Field(description="the shortest full answer")
    reference: str = Field(description="the answer in one or two sentences")
    evidence: tuple[Span, ...] = Field(default=(), description="the words it rests on, where they stand")
    groundedness: int | None = Field(
        default=None, ge=1, le=5, description="how clearly the source settles the question, by the expert's rating"
    )


class Trial(Record):
    """How one reader fared with one finished item: how often it picked the key."""

    reader: str
    with_evidence: bool
    picked: int
    tried: int


class Rewording(Record):
    """What a critic would print in the place of some words."""

    old: str = Field(min_length=1, description="words of the stem or an option, letter for letter")
    new: str = Field(description="what is printed instead; '' where they are left out")


class Verdict(Record):
    """What one critic said of one draft."""

    critic: str
    passed: bool
    reason: str = Field(description="in words; of a rejection, what must change")
    code: str = Field(default="", description="short name under which rejections are counted")
    score: float | None = None
    failed: bool = Field(default=False, description="no judgement: the role could not do its work")
    blames: Literal["question", "key", "options"] = Field(
        default="question", description="whose work is at fault: the writer's, the expert's, the distractor writer's"
    )
    bloom: tuple[BloomLevel, ...] = Field(default=(), description="where the critic classified the question too")
    trials: tuple[Trial, ...] = Field(default=(), description="where the critic let readers try the item")
    known: bool = Field(default=False, description="a reader without documents knew the answer; no fault of the item")
    guessable: bool = Field(
        default=False, description="an outsider would guess the answer: a reserve, where it passes"
    )
    disputable: bool = Field(default=False, description="another option can be defended: a reserve, where it passes")
    slight: bool = Field(default=False, description="a fault that is tried to be mended once, and then borne")
    final: bool = Field(default=False, description="no other wording helps: the unit is given up without a call")
    unfit: tuple[str, ...] = Field(
        default=(), description="wrong options that are not to be used, where others are left"
    )
    tempting: tuple[str, ...] = Field(default=(), description="wrong options that an outsider would choose, in order")
    edits: tuple[Rewording, ...] = Field(default=(), description="of wording, that the critic would make")
    _gone = ignoring("hides", "well_hidden")


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
    """A wrong option: why it is wrong, and which mistake leads to it ("" where neither is told)."""

    text: str
    reason: str = ""
    mistake: str = ""


class Review(Record):
    """What a person decided about an item."""

    decision: Literal["accept", "edit", "reject"]
    by: str
    at: str = Field(description="ISO 8601, UTC")
    note: str = ""
    before: str = Field(default="", description="id of the item before it was edited")


OFFLINE_CAST = "offline"
CLOSING_PHRASE = "closing-phrase"
"""The pattern of completions: the phrase that closes a statement is left out, and asked for."""
PREDICATE = "predicate"
"""The pattern of questions after what is said of a subject."""
PLAIN_PATTERNS = frozenset({CLOSING_PHRASE, PREDICATE})
"""Of whose wrong options no rule can be sure."""


class Tier(StrEnum):
    """How sure the offline cast can be of a question's wrong options (docs/decisions/0037)."""

    SURE = "sure"
    PLAIN = "plain"


class Provenance(Record):
    """Who wrote the item and from where. An imported item knows of no chunk and no unit."""

    chunk_id: str | None = Field(default=None, description="Source.id of what it was written from")
    unit_id: str | None = None
    cast: str = Field(description="the cast that wrote it, or 'imported: <format>'")
    pattern: str = ""
    attempts: int = 1
    original: str = Field(default="", description="an imported item as its file had it, to give it back the same")
    reviews: tuple[Review, ...] = ()

    @property
    def tier(self) -> Tier | None:
        """Of a question that was written without a model."""
        if self.cast != OFFLINE_CAST:
            return None
        return Tier.PLAIN if self.pattern in PLAIN_PATTERNS else Tier.SURE


class Item(Record):
    """An accepted question. An `ExamItem` gives the order of its options; an open one has no distractors."""

    id: str
    stem: str
    history: tuple[Turn, ...] = Field(default=(), description="the conversation that the stem follows on")
    key: str
    distractors: tuple[Distractor, ...]
    reference_answer: str
    evidence: tuple[Span, ...] = Field(description="two of a multi-hop item; none of an unanswerable or imported one")
    contexts: tuple[str, ...] = Field(default=(), description="of an imported item, its sources in its file's words")
    first_quotes: tuple[str, ...] = Field(
        default=(), description="the evidence as it was first quoted, where newer documents word it otherwise"
    )
    kind: ItemKind = ItemKind.SINGLE_HOP
    question_type: QuestionType
    question_word: QuestionWord = QuestionWord.OTHER
    bloom: tuple[BloomLevel, ...]
    topic: str = ""
    language: str = "en"
    difficulty: Difficulty | None = Field(default=None, description="expected; None where no reader tried it")
    trials: tuple[Trial, ...] = ()
    known: bool = Field(default=False, description="known without documents: a language model knew the answer")
    guessable: bool = Field(
        default=False, description="an outsider would guess the answer, or tell it by the options: held in reserve"
    )
    disputable: bool = Field(
        default=False, description="another option can be defended, by common sense: held in reserve"
    )
    doubts: int = Field(
        default=0, ge=0, description="points of five that its critics' ratings lack together; 0 where nobody rated it"
    )
    provenance: Provenance

    @staticmethod
    def id_of(
        stem: str,
        key: str,
        distractors: Sequence[str],
        evidence: Sequence[Span],
        history: Sequence[Turn] = (),
        first_quotes: Sequence[str] = (),
    ) -> str:
        """Content hash of all that an examinee is shown and judged by."""
        quotes = first_quotes or [span.quote for span in evidence]
        return content_hash("item", stem, key, *distractors, *quotes, *_words_of(history))

    @property
    def shown(self) -> str:
        """The question as judges are shown it, with the conversation that it follows on."""
        return as_conversation(self.stem, self.history)

    @property
    def asked(self) -> str:
        """The words of stem and conversation."""
        return with_history(self.stem, self.history)

    @property
    def turn(self) -> int:
        """Which question of its conversation it is, from 1; 1 where it stands alone."""
        return 1 + sum(message.role == "user" for message in self.history)

    @property
    def without_documents(self) -> bool:
        """Whether it can be answered without documents: known, or guessed by common sense or by a cue."""
        return self.known or self.guessable

    @property
    def in_reserve(self) -> bool:
        """Whether it takes a place in an exam only where that would otherwise stay empty."""
        return self.guessable or self.disputable

    @property
    def is_open(self) -> bool:
        """Whether it is to be answered in words."""
        return not self.distractors


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


class Extraction(Record):
    """What the unit extractor made of one source, before any unit of it is asked about."""

    chunk_id: str = Field(description="Source.id of what was read")
    units: tuple[KnowledgeUnit, ...] = Field(description="the most askable first")
    failure: Verdict | None = Field(default=None, description="why no units could be found")
    duration_s: float
    calls: tuple[str, ...] = Field(default=(), description="keys of the model calls it took, in the ledger")


class RepeatedUnits(Record):
    """The units of one source that state what a unit before them states; most sources have none."""

    chunk_id: str
    rejections: tuple[Rejection, ...] = ()
