"""What is kept of a refinement: the questions that went and came in each round, and why."""

from __future__ import annotations

from pydantic import ConfigDict, Field, field_validator

from viva.core.records.base import Record

REFINEMENT = "refinement"
"""The kind under which the run store keeps them, the latest last."""


class _OfAnyVersion(Record):
    """Earlier versions kept more: fields that are gone are passed over."""

    model_config = ConfigDict(extra="ignore")


class ReplacedItem(_OfAnyVersion):
    """An item that went, and why, or one that came."""

    item_id: str
    stem: str
    reason: str = ""


class RefinementStep(_OfAnyVersion):
    """What one round changed."""

    dropped: tuple[ReplacedItem, ...] = ()
    added: tuple[ReplacedItem, ...] = ()


class Refinement(_OfAnyVersion):
    """A refinement of one exam into another."""

    exam_before: str
    exam_after: str
    steps: tuple[RefinementStep, ...] = ()
    end: str = Field(default="", description="why it ended; '' while it is at work")
    notes: tuple[str, ...] = ()
    gone: tuple[str, ...] = Field(
        default=(), description="stems of all that went, in earlier refinements too: they do not come back"
    )
    left_out: dict[str, int] = Field(
        default_factory=dict, description="accepted items that are not in the exam after, by reason"
    )

    @field_validator("steps", mode="before")
    @classmethod
    def _changes_alone(cls, given: object) -> object:
        """Earlier versions also kept the exam before any step, and a last step that was undone."""
        if not isinstance(given, list):
            return given
        return [step for step in given if step.get("accepted", True) and (step.get("dropped") or step.get("added"))]
