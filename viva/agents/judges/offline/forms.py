"""What form a case has: how its texts are best compared depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

_VALUE = 6
"""Words of a reference, to a question, that is a value: to be told and not to be paraphrased."""
_LONG = 40
"""Words of a text that makes many points: long texts on one subject are near in meaning whatever they say."""


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


class ClaimForm(StrEnum):
    """The form of a case of faithfulness, by its passages."""

    SENTENCE = "sentence"
    """up to 40 words in all: near in meaning counts"""
    PASSAGES = "passages"
    """more than that: the words of a claim count, since most sentences are about other things"""


def claim_form_of(passages: Sequence[str]) -> ClaimForm:
    """The form of all claims that are set against these passages."""
    words = sum(len(passage.split()) for passage in passages)
    return ClaimForm.PASSAGES if words > _LONG else ClaimForm.SENTENCE
