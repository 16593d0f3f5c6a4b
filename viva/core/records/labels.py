"""What people say of open answers: labels, each kept as it was given."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from viva.core.records import Record

LABELS: dict[str, float] = {"y": 1.0, "partial": 0.5, "n": 0.0}
"""What can be said of an answer, and the score that it stands for."""


class Label(Record):
    """One person's word on one open answer. `score` None: looked at and skipped, or taken back."""

    response_id: str
    by: str = Field(min_length=1, max_length=100)
    at: str = Field(description="ISO 8601, UTC")
    score: float | None = Field(ge=0, le=1)
    seed: int | None = Field(
        default=None, description="of the random draw that it came up in; None for one that somebody picked"
    )


def standing(labels: Iterable[Label]) -> dict[tuple[str, str], Label]:
    """By (response, person) the last word, in the order of the first."""
    found: dict[tuple[str, str], Label] = {}
    for label in labels:
        found[label.response_id, label.by] = label
    return found


def drawn_scores(labels: Iterable[Label]) -> dict[str, dict[str, float]]:
    """Of answers that were drawn at random: response id -> person -> score. Skipped ones have none.

    An answer that was drawn for one person counts as drawn whoever labelled it.
    """
    held = standing(labels)
    drawn = {label.response_id for label in held.values() if label.seed is not None}
    found: dict[str, dict[str, float]] = {}
    for (response_id, person), label in held.items():
        if response_id in drawn and label.score is not None:
            found.setdefault(response_id, {})[person] = label.score
    return found
