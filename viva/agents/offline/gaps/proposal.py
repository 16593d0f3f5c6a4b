"""What a gap proposes: a stem, its key, and the form that options must share with it."""

from __future__ import annotations

from dataclasses import dataclass

from viva.core.records import BloomLevel, QuestionType


@dataclass(frozen=True)
class Proposal:
    """A question that a sentence allows. `quality` in (0, 1]: which of a sentence's questions is asked first."""

    stem: str
    key: str
    form: str
    question_type: QuestionType
    bloom: BloomLevel
    pattern: str
    quality: float
