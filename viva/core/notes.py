"""Notes on figures: what their reader must know, as a code with its values. core/note_words.py has the words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import Field, SerializationInfo, SerializerFunctionWrapHandler, model_serializer, model_validator

from viva.core.records.base import Record

WORDED = "worded"
"""In the context of a dump: what words a note, so that it is written with its sentence."""


FIRST_OCCASION = "first occasion"


class NoteCode(StrEnum):
    """What is noted; behind each, the values that its note has. 'count of': so many of how many."""

    EARLIER = "earlier"  # sentence: a note in records of an earlier version

    # of a fit; the reason FIRST_OCCASION: of the first answers of systems that were asked repeatedly
    PERFECT_SCORE = "perfect_score"  # examinees
    NO_RIGHT_ANSWER = "no_right_answer"  # examinees
    NO_GRADED_RESPONSE = "no_graded_response"  # examinees
    ITEMS_ALL_RIGHT = "items_all_right"  # count of items
    ITEMS_NONE_RIGHT = "items_none_right"  # count of items
    ITEMS_UNGRADED = "items_ungraded"  # count of items
    ONE_LEVEL = "one_level"  # names: component, level
    NO_SPREAD = "no_spread"  # names: component
    ALIASED = "aliased"  # names: component
    PARTLY_CONFOUNDED = "partly_confounded"  # names: component
    INTERACTION_LEFT_OUT = "interaction_left_out"  # names: two components
    NOT_CONVERGED = "not_converged"
    CALIBRATED_ON_ALL = "calibrated_on_all"  # of
    SATURATED = "saturated"
    FEW_ITEMS = "few_items"  # count
    DISCONNECTED = "disconnected"  # count: groups; of: examinees
    LEVELS_APART = "levels_apart"  # names: components

    # of its checks
    LEVELS_NOT_JUDGED = "levels_not_judged"  # names: component=level
    COPIES = "copies"  # count: examinees
    FAULTS_DRAWN = "faults_drawn"  # count of examinees
    OPEN_NOT_JUDGED = "open_not_judged"  # count: items
    SECOND_DIMENSION = "second_dimension"  # examinees, others; names: questions of each; figures: gain, low, high

    # of scores
    NO_ABILITIES = "no_abilities"  # reason
    MANUFACTURED = "manufactured"  # count of examinees
    FAILED_WRONG = "failed_wrong"  # examinees; count of questions; figures: accuracy, answered (accuracy over these)
    FAILED_UNRANKED = "failed_unranked"  # examinees; count of questions; figures: accuracy
    FAILURES_LEFT_OUT = "failures_left_out"
    CHOICES_UNREAD = "choices_unread"  # examinees; count of answers; examples; reason: the most frequent
    HISTORY_NOT_GIVEN = "history_not_given"  # examinees; count: questions; of: all questions
    STRAY = "stray"  # examinees; figures: person_fit
    SET_ASIDE = "set_aside"  # count, reason
    OPEN_CUT = "open_cut"
    OPEN_UNGRADED = "open_ungraded"  # count of answers; reason
    OPEN_NOT_ASKED = "open_not_asked"  # examinees; count: questions
    NO_OPEN_ANSWERS = "no_open_answers"  # names: judges
    JUDGE_UNMAPPED = "judge_unmapped"  # reason; count: questions wanted
    SITTING_UNFINISHED = "sitting_unfinished"  # examinees; count of questions
    SAMPLED = "sampled"  # examinees; count of questions; figures: accuracy, low, high
    SAMPLED_UNFINISHED = "sampled_unfinished"  # examinees
    SAMPLED_UNGRADED = "sampled_ungraded"  # examinees; count; figures: failures by kind

    # of oral examinations
    UNITS_DEPEND = "units_depend"
    UNITS_OF_FEW = "units_of_few"

    # of articles
    WITHOUT_TOPIC = "without_topic"  # count: questions; names: file
    GRADING_GUESSED = "grading_guessed"  # names: file; count: the least grade
    MEASURED_BY_ITSELF = "measured_by_itself"


_ADAPTIVE = "adaptive"
"""How codes of earlier versions begin that are now those of a sample."""


class Note(Record):
    """A code and the values that it has (NoteCode). What it does not have is left out where it is written down."""

    code: NoteCode
    examinees: tuple[str, ...] = Field(
        default=(), description="ids; of a fit what its rows are called; names of who is in no figure"
    )
    others: tuple[str, ...] = Field(default=(), description="those whom the examinees are compared with")
    names: tuple[str, ...] = Field(default=(), description="of components, levels, files or questions")
    count: int | None = None
    of: int | None = None
    figures: Mapping[str, float] = Field(default_factory=dict)
    examples: tuple[str, ...] = Field(default=(), description="of texts that systems gave, shortened")
    reason: str = Field(default="", description="as a check, a judge or an error gave it")
    sentence: str = Field(
        default="", description="in words: for readers of a file, and in records of earlier versions"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_version(cls, given: object) -> object:
        """A sentence, or a code that viva no longer writes: with its sentence if the record has it."""
        if isinstance(given, str):
            return {"code": NoteCode.EARLIER, "sentence": given}
        if isinstance(given, Mapping) and str(given.get("code")).startswith(_ADAPTIVE):
            return {**given, "code": str(given["code"]).replace(_ADAPTIVE, NoteCode.SAMPLED)}
        if isinstance(given, Mapping) and given.get("code") not in set(NoteCode):
            told = given.get("sentence") or f"An earlier version of viva noted here: {given.get('code')}."
            return {"code": NoteCode.EARLIER, "sentence": told}
        return given

    @model_serializer(mode="wrap")
    def _written(self, dumped: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        told = {name: value for name, value in dumped(self).items() if value not in (None, "", (), [], {})}
        return {**told, "sentence": info.context[WORDED](self)} if info.context and WORDED in info.context else told
