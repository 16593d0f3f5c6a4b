"""What a diagnosis came to: for each wrong answer, what it was put down to, and on what ground."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from viva.core.estimates import Estimate
from viva.core.records import Examinee, Record


class Condition(StrEnum):
    """What the reader was handed with the question."""

    CLOSED_BOOK = "no passages"
    OWN = "own passages"
    ORACLE = "oracle passage"
    MIXED = "oracle passage among distractors"


class Blame(StrEnum):
    """What a wrong answer is put down to."""

    ITEM = "item"
    RETRIEVAL = "retrieval"
    READING = "reading"
    DISTRACTION = "distraction"
    KNOWLEDGE = "knowledge"
    UNDECIDED = "undecided"


class FailureMode(StrEnum):
    """How an answer went wrong: the ten modes of RAGalyst (arXiv 2511.04502), each in a few words of ours."""

    OVER_SPECIFIC = "over-specific question"
    UNDER_SPECIFIC = "under-specific question"
    NOT_EXTRACTED = "not extracted"
    MISSED_TOP_RANKED = "missed top ranked"
    WRONG_FORMAT = "wrong format"
    CONTEXT_INCONSISTENCY = "context inconsistency"
    FABRICATION = "fabrication"
    CONTRADICTION = "contradiction"
    LOGIC = "logic"
    INSTRUCTION = "instruction"


class FailureModeFound(Record):
    """A failure mode and who told it; `mode` is None where nobody could."""

    mode: FailureMode | None = None
    by: str = Field(default="", description="rule, critic, or '' where it is not told")
    why: str = ""


class EvidenceCounts(Record):
    """Where the words that settle a question stood among the passages that the examinee told it had."""

    held: bool = Field(description="each stretch of the evidence is covered by half or more")
    share: float = Field(description="of the evidence's characters, the worst covered stretch's")
    rank: int | None = Field(default=None, description="of the first passage that covers half of a stretch, from 1")


class WrongAnswer(Record):
    """One wrong answer, the interventions on it and the blame. A condition that is not there was not asked."""

    item_id: str
    document_id: str = Field(description="of the evidence; answers about one document are no independent draws")
    choice: int | None
    evidence: EvidenceCounts | None = Field(
        default=None, description="None where it told no passages, or there is none"
    )
    right: dict[Condition, bool] = Field(default_factory=dict)
    failed: dict[Condition, str] = Field(default_factory=dict, description="by condition: the kind of failure")
    known: bool | None = Field(default=None, description="right without passages, in two orders of the options")
    changed: bool | None = Field(default=None, description="asked again unchanged, it answered otherwise")
    blame: Blame
    why: str
    mode: FailureModeFound = FailureModeFound()


class BlameRow(Record):
    """How many of the answers diagnosed are put down to one thing."""

    blame: Blame
    answers: int
    share: Estimate | None = Field(description="95% interval, answers of one document drawn together")


class ConditionRow(Record):
    """How the reader fared with these questions under one condition."""

    condition: Condition
    asked: int
    right: int
    failed: int
    share: Estimate | None = Field(description="of right ones among those not failed; None where all failed")


class Diagnosis(Record):
    """Why one examinee's answers to an exam were wrong. wrong = diagnosed + beyond."""

    examinee: Examinee
    exam_id: str
    reader: str = Field(description="who read the passages: the examinee itself, or the stand-in by name")
    own_reader: bool
    agreement: Estimate | None = Field(
        default=None, description="share of its own answers that the stand-in gives too, from the same passages"
    )
    graded: int
    failures: int = Field(description="responses that are no answers; not diagnosed")
    wrong: int
    diagnosed: int
    beyond: int = Field(description="wrong answers left out of a random sample")
    rows: tuple[BlameRow, ...]
    conditions: tuple[ConditionRow, ...]
    undecided: dict[str, int] = Field(description="by reason")
    asked_again: int
    changed: int = Field(description="of those asked again, answers that came out otherwise")
    modes: dict[str, int] = Field(description="failure modes told, 'not told' for the rest")
    by_luck: float | None = Field(description="chance of a right answer by guessing, mean over those diagnosed")
    notes: tuple[str, ...]
    answers: tuple[WrongAnswer, ...]


class DiagnosisFinding(StrEnum):
    """What a diagnosis allows to be said of the cause."""

    NOTHING = "no answer is put down to anything"
    TOO_FEW = "too few answers are put down to anything"
    STAND_IN = "the stand-in answers too differently"
    LEVEL = "no cause is ahead of the next by more than chance"
    LEADS = "one cause is ahead"
