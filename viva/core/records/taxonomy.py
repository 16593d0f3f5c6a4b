"""The classes an item can belong to: what a blueprint gives shares to, and what an exam is reported by."""

from __future__ import annotations

from enum import StrEnum


class ItemKind(StrEnum):
    """What an item must be answered from."""

    SINGLE_HOP = "single-hop"
    MULTI_HOP = "multi-hop"
    """two stretches of text, neither of which is enough alone"""
    UNANSWERABLE = "unanswerable"
    """nothing in the corpus supports an answer: to say so is right"""
    FOLLOW_UP = "follow-up"
    """it follows on a conversation, without which it cannot be understood"""


class QuestionType(StrEnum):
    """What kind of fact the question asks for. The offline cast knows the first eight."""

    DEFINITION = "definition"
    QUANTITY = "quantity"
    DATE = "date"
    NAME = "name"
    IDENTIFIER = "identifier"
    CAUSE = "cause"
    PURPOSE = "purpose"
    CONDITION = "condition"
    FACTOID = "factoid"
    PROCEDURE = "procedure"
    COMPARISON = "comparison"
    MULTI_SENTENCE = "multi-sentence"
    """the answer must be put together from two or more sentences (MultiRC: Khashabi et al. 2018)"""


class FactSort(StrEnum):
    """What a stated fact says, and so what can be asked about it beyond recalling it."""

    CAUSE = "cause"
    """why something is so"""
    CONSEQUENCE = "consequence"
    """what follows from it"""
    CONDITION = "condition"
    """when it holds, or what to do in which case"""
    PROCEDURE = "procedure"
    """how something is done"""
    COMPARISON = "comparison"
    """what parts two things"""
    DETAIL = "detail"
    """anything else: a figure, a name, what a thing is"""


class QuestionWord(StrEnum):
    """What a stem asks with, by its English name in every language (auto-rag-eval, arXiv 2405.13622)."""

    WHAT = "what"
    WHICH = "which"
    HOW = "how"
    WHEN = "when"
    WHERE = "where"
    WHY = "why"
    WHO = "who"
    OTHER = "other"


class BloomLevel(StrEnum):
    """Level of the revised taxonomy (Anderson & Krathwohl 2001)."""

    REMEMBER = "remember"
    UNDERSTAND = "understand"
    APPLY = "apply"
    ANALYZE = "analyze"
    EVALUATE = "evaluate"
    CREATE = "create"


class Difficulty(StrEnum):
    """How hard an item is expected to be, before anybody sat it."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
