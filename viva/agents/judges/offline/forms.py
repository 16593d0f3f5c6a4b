"""What form an answer beside a reference has: how the two are best compared depends on it."""

from __future__ import annotations

from enum import StrEnum

_VALUE = 6
"""Words of a reference, to a question, that is a value: to be told and not to be paraphrased."""
_LONG = 40
"""Words of a reference whose points are counted: long texts on one subject are near in meaning whatever they say."""


class Form(StrEnum):
    """The form of a case of correctness, by its question and reference."""

    VALUE = "value"
    """the answer to a question is a value: up to six words"""
    LONGER = "longer"
    """the answer to a question is more than that, up to 40 words"""
    LONG = "long"
    """the reference has more than 40 words"""
    TEXTS = "texts"
    """two texts of up to 40 words without a question"""


def form_of(question: str, reference: str) -> Form:
    """The form of a case, of the one wording of its reference that the answer is set against."""
    words = len(reference.split())
    if words > _LONG:
        return Form.LONG
    if not question:
        return Form.TEXTS
    return Form.VALUE if words <= _VALUE else Form.LONGER
