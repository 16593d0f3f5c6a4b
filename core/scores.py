"""The scores: everything the score stage found out, as the report shows it."""

from __future__ import annotations

from pydantic import Field

from viva.core.records import Ability, ComponentEffect, Examinee, ItemParameters, Record


class Estimate(Record):
    """A number with its 95% interval."""

    value: float
    low: float
    high: float


class RetrievalScore(Record):
    """How much of the evidence an examinee's passages cover, by characters. Absent where it shows no passages."""

    recall_at: dict[int, Estimate] = Field(description="share of the evidence covered by the first k passages")
    mrr: Estimate = Field(description="mean reciprocal rank of the first passage that covers half of it")
    responses: int = Field(description="responses that came with passages")


class ExamineeScore(Record):
    """One row of the leaderboard."""

    examinee: Examinee
    asked: int
    graded: int
    correct: int
    accuracy: Estimate | None = Field(description="over graded responses; None where none could be graded")
    ability: Ability | None
    failures: dict[str, int] = Field(description="ungraded responses by failure kind")
    no_choice: int = Field(description="answers that meant no option (graded wrong)")
    retrieval: RetrievalScore | None
    mean_latency_s: float | None


class GroupScore(Record):
    """Accuracy of one examinee on the items of one topic, question type or Bloom level."""

    examinee_id: str
    attribute: str
    level: str
    items: int
    accuracy: Estimate


class ItemScore(Record):
    """What the responses say of one item."""

    item_id: str
    graded: int
    proportion_correct: float | None
    point_biserial: float | None = Field(description="with the score on the other items; None where undefined")
    option_counts: tuple[int, ...]
    parameters: ItemParameters | None


class Comparison(Record):
    """Two examinees on the same items."""

    first_id: str
    second_id: str
    items: int
    difference: float = Field(description="accuracy of the first minus that of the second")
    low: float = Field(description="95% interval of the difference")
    high: float
    p_value: float = Field(description="exact McNemar test, Holm-adjusted over all pairs")
    probability_better: float | None = Field(description="that the first has the higher ability")


class Scores(Record):
    """Everything the score stage found out, best examinee first."""

    exam_id: str
    examinees: tuple[ExamineeScore, ...]
    items: tuple[ItemScore, ...]
    effects: tuple[ComponentEffect, ...]
    groups: tuple[GroupScore, ...]
    comparisons: tuple[Comparison, ...]
    baselines: dict[str, float] = Field(description="accuracy of 'always A' ... and of 'longest option'")
    key_positions: tuple[int, ...]
    residual_sd: float | None
    notes: tuple[str, ...] = Field(description="what the reader of the numbers must know")


class Funnel(Record):
    """Where the knowledge units went. units = accepted + the rejected + not_asked."""

    chunks: int
    units: int
    accepted: int
    rejected: dict[str, int] = Field(description="by the code of the verdict that ended it")
    not_asked: int = Field(description="units left over where a chunk had its share of items")
    in_exam: int
    examples: int = Field(description="items set aside as worked examples")
    left_out: dict[str, int] = Field(description="accepted items not in the exam, by reason")


class StageTime(Record):
    """How long one stage ran, over all its (possibly interrupted) runs."""

    stage: str
    seconds: float
