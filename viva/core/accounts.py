"""What a run and its systems took, where its knowledge units went, and what of the corpus its exam covers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from viva.core.records import Record


class Funnel(Record):
    """Where the knowledge units went. units = accepted + the rejected + the failed + not_asked."""

    chunks: int
    units: int
    accepted: int
    rejected: dict[str, int] = Field(description="by the code of the verdict that ended it")
    failed: dict[str, int] = Field(default_factory=dict, description="no judgement: a role could not do its work")
    passed_over: dict[str, int] = Field(
        default_factory=dict,
        description="chunks that nobody was asked to read: they hold nothing to ask about, by why",
    )
    failed_chunks: dict[str, int] = Field(default_factory=dict, description="chunks whose units could not be found")
    not_asked: int = Field(description="units left over where a chunk had its share of items")
    in_exam: int
    examples: int = Field(description="items set aside as worked examples")
    left_out: dict[str, int] = Field(description="accepted items not in the exam, by reason")
    own: int = Field(default=0, description="questions of an exam that was given, and is made of no units")


class OwnExam(Record):
    """An exam that was given to a run: its file, what of it was taken, and which of its contexts were found again."""

    exam_id: str
    file: str
    format: str
    title: str = Field(description="of the format, in words")
    items: int
    multiple_choice: int
    problems: tuple[str, ...] = Field(description="what was left out or changed, by its place in the file")
    reasons: dict[str, int] = Field(default_factory=dict, description="the same counted by reason")
    documents: bool = Field(description="whether the run has documents")
    contexts: dict[str, int] = Field(default_factory=dict, description="found: exact, normalised, fuzzy")
    lost: tuple[tuple[str, str], ...] = Field(default=(), description="question and context of those not found")
    canary: str = Field(default="", description="of a published exam")
    several: int = Field(default=0, description="contexts of which there are several places alike")
    replaced: str = Field(default="", description="id of the exam that the run had before, if it was another")

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was taken, in words."""
        form = f"{self.multiple_choice} of multiple choice, {self.items - self.multiple_choice} open"
        taken = f"The exam is that of {self.file} ({self.title}): {self.items} questions, {form}."
        if self.problems:
            told = ", ".join(f"{reason}: {n}" for reason, n in list(self.reasons.items())[:4])
            taken += f" Left out or changed: {len(self.problems)} ({told}); the first: {self.problems[0]}."
        return (taken, *filter(None, (self._evidence(), self._places(), self.replacement)))

    @property
    def replacement(self) -> str:
        """State where the exam is that the run had before; "" where it had none, or this one."""
        if not self.replaced:
            return ""
        return (
            f"The run had another exam before: exam.{self.replaced}.jsonl in its folder keeps it, and the run keeps "
            "all answers to it. To go back, give that file as the exam; to keep both, give each a folder (--out)."
        )

    def _evidence(self) -> str:
        if not self.documents:
            return "There are no documents, so there are no figures of retrieval."
        total = sum(self.contexts.values()) + len(self.lost)
        if not total:
            return "The questions name no contexts, so there are no figures of retrieval."
        exact, normalised, fuzzy = (self.contexts.get(how, 0) for how in ("exact", "normalised", "fuzzy"))
        told = (
            f"Of {total} reference contexts {total - len(self.lost)} are in the documents ({exact} word for word, "
            f"{normalised} but for looks, {fuzzy} nearly)"
        )
        if not self.lost:
            return f"{told}."
        stem, context = self.lost[0]
        return f"{told}; {len(self.lost)} were not found, the first is “{_short(context)}” of “{_short(stem)}”."

    def _places(self) -> str:
        if not self.several:
            return ""
        return f"Of the contexts {self.several} are in several places alike: the first is taken for the evidence."


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"


class Coverage(Record):
    """What an exam covers of one topic, or of one cluster of chunks that use the same words.

    A multi-hop question counts to both its chunks.
    """

    by: Literal["topic", "cluster"]
    name: str = Field(description="of a cluster, the words that stand out in it; '' where there is no name")
    chunks: int = Field(description="chunks of the corpus")
    walked: int = Field(description="of these, chunks that the committee has read")
    in_exam: int = Field(description="questions of the exam")


class StageTime(Record):
    """How long one stage ran, over all its (possibly interrupted) runs."""

    stage: str
    seconds: float


class ModelUse(Record):
    """What one role has asked of one model, over all processes of a run. requests = calls + the failures."""

    role: str
    provider: str
    model: str
    calls: int = Field(description="answered by the model; those served from the ledger are hits")
    requests: int = Field(description="sent, retries included")
    hits: int = Field(description="calls served from the ledger, not paid again")
    failures: dict[str, int] = Field(description="requests without an answer, by outcome")
    unreadable: dict[str, int] = Field(description="answers that could not be read, by kind of defect")
    input_tokens: int | None = Field(description="as the provider counted them; None where it counted none")
    output_tokens: int | None = Field(description="as the provider counted them; None where it counted none")
    cached_tokens: int | None = Field(
        description="of the input tokens, those from the provider's own prompt cache; None where it does not say"
    )
    uncounted: int = Field(default=0, description="replies whose tokens the provider did not count, or not all")
    uncounted_tokens: int = Field(description="an estimate of those that the provider did not count")
    cost: float | None = Field(description="US dollars, over the replies whose price is known; None where none is")
    unpriced: int = Field(description="replies whose price is not known")
    seconds: float = Field(description="sum of the latencies of the requests")

    @property
    def tokens(self) -> int:
        """All that were used: those counted and those estimated."""
        return (self.input_tokens or 0) + (self.output_tokens or 0) + self.uncounted_tokens


class PerAcceptedItem(Record):
    """What one accepted item has taken, on average over those that were accepted."""

    calls: float
    tokens: float
    cost: float | None = Field(description="US dollars; None unless the price of every reply is known")


class SystemUsage(Record):
    """What the answers of a system took, failures left out. The first answer is apart: loading is part of it."""

    answers: int
    counted: int = Field(description="answers with tokens or a cost")
    input_tokens: float | None = Field(description="mean of an answer, over those that count them")
    output_tokens: float | None = Field(description="the same of what it wrote")
    cost: float | None = Field(description="US dollars, mean of an answer, over those that name a cost")
    first_s: float | None = Field(description="latency of the first answer; None where no latency is known")
    p50_s: float | None = Field(description="median latency of the other answers; None where there are none")
    p95_s: float | None = Field(description="95th percentile of the same")

    @property
    def tokens(self) -> float | None:
        """Mean tokens of an answer, read and written; None where neither is counted."""
        known = [count for count in (self.input_tokens, self.output_tokens) if count is not None]
        return sum(known) if known else None


class SittingRecord(Record):
    """One sitting of one system."""

    exam_id: str
    at: str
    """date and time of its end, ISO 8601, UTC"""
    asked: int
    kept: int
    """questions that were answered before"""
