"""The roles of the committee and of the oral examination, and the casts that play them.

Graph nodes call roles and never know which cast plays. Every role is asynchronous, sees only what it is
handed, and returns records; a role that finds nothing to do says so with a value (None, or a verdict). One that
cannot do its work (a model refused, its reply could not be read) raises RoleFailed: the unit is counted as failed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from viva.core.ids import content_hash
from viva.core.records import (
    Chunk,
    Distractor,
    Document,
    Draft,
    ExpertAnswer,
    Item,
    ItemKind,
    KnowledgeUnit,
    OralUnit,
    QuestionForm,
    Recall,
    UnitJudgement,
    Verdict,
)

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


MODEL_CAST = "language-model"
"""The name of the cast that language models play."""


def source_id(kind: ItemKind, chunk_ids: Sequence[str]) -> str:
    """`Source.id` of these chunks."""
    return chunk_ids[0] if kind is ItemKind.SINGLE_HOP else content_hash("source", kind, *chunk_ids)


@dataclass(frozen=True)
class Source:
    """What a role may read, and what kind of item is to come of it: a chunk of a document, or two linked ones."""

    chunk: Chunk
    document: Document
    kind: ItemKind = ItemKind.SINGLE_HOP
    second: Source | None = None
    """the other half of a multi-hop item's source"""
    above_recall: bool = False
    """whether only questions are wanted that ask for more than remembering"""

    @property
    def id(self) -> str:
        """The chunk's id where one chunk is read for a single-hop item; else a hash of kind and chunks."""
        return source_id(self.kind, [part.chunk.id for part in self.parts])

    @property
    def parts(self) -> tuple[Source, ...]:
        """The chunks it is made of, each as a source."""
        return (self, *self.second.parts) if self.second else (self,)

    @property
    def text(self) -> str:
        """All that may be read."""
        return "\n\n".join(part.chunk.text for part in self.parts)

    @property
    def title(self) -> str:
        """What it is about: the documents' titles."""
        return " / ".join(dict.fromkeys(part.document.title for part in self.parts))


class UnitExtractor(Protocol):
    """Reads a source and names the checkable facts in it, the most askable first.

    Of two linked chunks it names pairs of facts that a question can join; for an unanswerable item, facts that a
    question can go beyond. A cast that can do neither gives no units.
    """

    async def extract(self, source: Source) -> list[KnowledgeUnit]: ...


class QuestionWriter(Protocol):
    """Words a question about one unit; None when it has no (other) way to ask about it.

    On a revision `previous` is the draft that failed and `feedback` the verdict it failed on.
    """

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None: ...


class ExpertAnswerer(Protocol):
    """Answers a stem from the source alone, having seen neither key nor options. None: it cannot.

    Asked again, `dispute` is why a reader of the finished item doubted the answer.
    """

    async def answer(
        self, stem: str, answer_form: str, source: Source, dispute: Verdict | None = None
    ) -> ExpertAnswer | None: ...


class QuestionReader(Protocol):
    """Rates a stem without documents, answer and options, and gives its own answer.

    Its guesses show the item's reviewer what leads to the key, and the distractor writer what tempts. Verdict.edits
    of what it rates is the question in better words.
    """

    async def read(self, draft: Draft) -> tuple[Recall, tuple[Verdict, ...]]: ...


class DraftCritic(Protocol):
    """Judges a draft before there are distractors: the question alone, or with the expert's answer to it.

    One that rates several things at once gives a verdict for each.
    """

    name: str

    async def judge(
        self, draft: Draft, answer: ExpertAnswer | None, source: Source
    ) -> Verdict | tuple[Verdict, ...]: ...


class DistractorWriter(Protocol):
    """Writes the wrong options, and a few to spare.

    `attempt` counts from 0; `feedback` is why the last set, `refused`, will not do. None: there are too few.
    """

    async def write(
        self, draft: Draft, source: Source, attempt: int, feedback: Verdict | None, refused: Sequence[Distractor] = ()
    ) -> tuple[Distractor, ...] | None: ...


class OptionCritic(Protocol):
    """Judges the finished set of options. Verdict.blames states whose work is at fault."""

    name: str

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict: ...


class ItemReviewer(Protocol):
    """Reviews question, key and all wrong options, the spare ones too; Verdict.unfit names those not to be used.

    Verdict.edits are what it would change in the wording of what is printed. One verdict for each thing that it
    judges, the review of the whole item last; the first that fails counts.
    """

    async def review(
        self, draft: Draft, distractors: Sequence[Distractor], source: Source
    ) -> tuple[Verdict, ...]: ...


Worded = tuple[Draft, tuple[Distractor, ...]]
"""A question and its wrong options, as they are worded."""


class ItemProofreader(Protocol):
    """Compares an item whose wording was edited with its wording before; a verdict that fails keeps the latter."""

    async def read(self, edited: Worded, before: Worded, source: Source) -> Verdict: ...


class ItemPairVerdict(StrEnum):
    """Why two accepted items cannot be in one exam; `NONE` where they can."""

    NONE = "none"
    GIVES_AWAY = "gives away"
    SAME_FACT = "same fact"
    SAME_EVENT = "same event"


class PairCritic(Protocol):
    """Judges pairs of accepted items, one verdict for each; None where there is none that can be read."""

    async def judge(self, pairs: Sequence[tuple[Item, Item]]) -> list[ItemPairVerdict | None]: ...


class BlindOutcome(StrEnum):
    """How a model without documents fared with an item: the key was missed, or picked for a reason."""

    MISSED = "missed"
    KNOWN = "known"
    CUE = "cue"
    LIKELIEST = "likeliest"
    """by common sense or by chance"""


@dataclass(frozen=True)
class BlindAnswer:
    """How a model without documents fared with an item, and why it chose as it did."""

    outcome: BlindOutcome
    why: str


class BlindSolver(Protocol):
    """Tries chosen items without any document; None of one that it gave no readable answer to."""

    async def solve(self, items: Sequence[Item]) -> list[BlindAnswer | None]: ...


@dataclass(frozen=True)
class ChosenItem:
    """A chosen item as the final reader reads it."""

    item: Item
    passage: str
    """'' where nothing answers it"""
    guess: str = ""
    """why a model without documents picked the key; '' where none did"""


class FinalReader(Protocol):
    """Reads chosen items before they are printed: the fault of each, '' of one that has none; None if not judged."""

    async def read(self, chosen: Sequence[ChosenItem]) -> list[str | None]: ...


@dataclass(frozen=True)
class Cast:
    """One implementation of every role.

    Draft critics sit in panels: one panel after the other, cheapest first, the critics of a panel at once. A panel
    that fails a draft spares the next ones their work. Those of the screen judge the question by rules before the
    expert is asked, and so are handed no answer.
    """

    name: str
    units: UnitExtractor
    writer: QuestionWriter
    expert: ExpertAnswerer
    screen: tuple[tuple[DraftCritic, ...], ...]
    draft_critics: tuple[tuple[DraftCritic, ...], ...]
    distractors: DistractorWriter
    option_critics: tuple[OptionCritic, ...]
    """asked in turn, cheapest first"""
    reviewer: ItemReviewer | None = None
    """asked of each item that the option critics pass"""
    proofreader: ItemProofreader | None = None
    """asked of each item that the reviewer passes with edits, once they are made; without one none is made"""
    question_reader: QuestionReader | None = None
    """asked of each question that the screen passes"""
    pair_critic: PairCritic | None = None
    """asked when all items are accepted, about pairs that may not be in one exam"""
    final_reader: FinalReader | None = None
    """asked when all items are accepted, about those that were chosen"""
    blind_solver: BlindSolver | None = None
    """asked when all items are accepted, about those that were chosen"""


# --- oral examination ---------------------------------------------------------------------------------------


class OralUnitExtractor(Protocol):
    """Names what can be known from a chunk: checkable facts, each with the words that settle it."""

    async def extract(self, source: Source) -> list[OralUnit]: ...


class Examiner(Protocol):
    """Words one question that reaches as many of the units as it can, without giving any of them away.

    `subject` is the name of the units' cluster, `missed` what earlier questions asked for and answers did not cover,
    `attempt` how often these units were asked for before (0: never; of one alone: alone), so that a question is not
    put in the same words.
    """

    async def question(
        self,
        units: Sequence[OralUnit],
        *,
        subject: str,
        form: QuestionForm,
        missed: Sequence[OralUnit] = (),
        attempt: int = 0,
    ) -> str: ...


class OralJudge(Protocol):
    """Says of each unit whether the answer covers it, and if so whether what it says is right.

    The answer is untrusted: what it says of itself, of the units or of the judge counts for nothing. One judgement
    per unit, in their order; a quote is a part of the answer, to the character.
    """

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]: ...


@dataclass(frozen=True)
class OralCast:
    """An implementation of every role."""

    units: OralUnitExtractor
    examiner: Examiner
    judge: OralJudge
    units_per_judgement: int
    """units that the judge is handed at once, at most"""
