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
