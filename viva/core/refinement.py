"""What is kept of a refinement: what was asked for, every step, and why each item went or came."""

from __future__ import annotations

from pydantic import Field

from viva.core.records import Record

REFINEMENT = "refinement"
"""The kind under which the run store keeps them, the latest last."""


class RefinementPlan(Record):
    """What was asked for: the same plan on the same exam and answers gives the same refinement."""

    method: str = Field(default="viva", description="in records of earlier versions also guinet2024")
    rounds: int
    quantile: float | None = Field(default=None, description="of guinet2024")
    replenish: bool


class DroppedItem(Record):
    """An item that went, with what it was judged by."""

    item_id: str
    stem: str
    reason: str
    information: float | None = None
    slope_z: float | None = None


class AddedItem(Record):
    """An item that came, and what it was wanted for."""

    item_id: str
    stem: str
    topic: str


class Lacking(Record):
    """A region of ability (from `low` to `high`) and a topic of which the exam told too little."""

    low: float
    high: float
    topic: str
    missing: float = Field(description="information, a mean over the region")


class RefinementStep(Record):
    """One exam on the way: what led to it from the one before, and what it tells of examinees kept for judging."""

    items: tuple[str, ...]
    dropped: tuple[DroppedItem, ...] = ()
    added: tuple[AddedItem, ...] = ()
    lacking: tuple[Lacking, ...] = ()
    information: float = Field(description="in all")
    per_item: float
    accepted: bool = Field(description="False for a last step that did not help and was taken back")


class Refinement(Record):
    """A refinement of one exam into another, or into itself where nothing helped."""

    exam_before: str
    exam_after: str
    plan: RefinementPlan
    panel: tuple[str, ...] = Field(description="ids of the examinees whose answers were there")
    chosen_by: tuple[str, ...] = Field(description="names of those whose answers chose the items")
    chosen_by_ids: tuple[str, ...]
    judged_by: tuple[str, ...] = Field(description="names of those kept for judging; empty: too few to keep any")
    steps: tuple[RefinementStep, ...]
    end: str
    notes: tuple[str, ...] = ()
    gone: tuple[str, ...] = Field(
        description="stems of all that went, in earlier refinements too: they do not come back"
    )
    left_out: dict[str, int] = Field(description="accepted items that are not in the exam after, by reason")

    @property
    def changed(self) -> bool:
        """Whether the exam after is another one."""
        return self.exam_before != self.exam_after
