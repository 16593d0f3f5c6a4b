"""What the item reviewer reads and must give."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Brief, one_of, some_of

LETTERS = "ABCDEFGH"
NONE = "N"
_RATING = Annotated[int, Field(ge=1, le=5)]
_RATED = (_RATING, "whole number from 1 to 5")


def lettered(options: Sequence[str]) -> str:
    """Give the options as roles read them: one to a line, each after its letter."""
    return "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))


class SuggestedEdit(BaseModel):
    """An edit of the wording that the reviewer asks for."""

    old: str = Field(description="words of the question or an option")
    new: str = Field(description="what is printed instead, or NONE")


_READS = {
    "audience": "the user",
    "kind": "what kind of question it is",
    **READS,
    "elsewhere": "what other places of the library say",
    "question": "the stem",
    "options": "one to a line, each after its letter",
    "how_many": "wrong options that will be printed",
    "guesses": "what somebody without documents and options guessed, the likeliest first",
    "recalled": "what somebody without documents gave as the answer from memory",
}


@cache
def brief(
    options: int,
    *,
    elsewhere: bool = False,
    absent: bool = False,
    kind: bool = False,
    follows: bool = False,
    guessed: bool = False,
    recalled: bool = False,
) -> Brief:
    """State what the reviewer of so many options reads and must give.

    `elsewhere`: it reads passages from other places too; `absent`: one of the options is that the documents do not
    answer; `kind`: it reads what is no fault of such a question; `follows`: the question follows on a conversation;
    `guessed`: a reader without documents guessed; `recalled`: it knew an answer.
    """
    shown = {"kind": kind, "elsewhere": elsewhere, "guesses": guessed, "recalled": recalled}
    asked = {
        "supported_elsewhere": elsewhere,
        "other_answer": elsewhere and not absent,
        "same_answer": recalled,
        "conversation_stated": follows,
        **dict.fromkeys(("stated", "defensible", "odd", "tempting", "hidden"), not absent),
    }
    reads = {name: text for name, text in _READS.items() if shown.get(name, True)}
    gives = {name: field for name, field in _gives(options, absent=absent).items() if asked.get(name, True)}
    return Brief(role="judge.item", prompt="judge_item", reads=reads, gives=gives)


def _gives(options: int, *, absent: bool) -> dict[str, tuple[Any, str]]:
    """State all that a reviewer of so many options may be asked for, in its order."""
    letters = LETTERS[:options]
    none = () if absent else (NONE,)
    best = "the letter of the right option" if absent else "the letter of the right option; N if there is none"
    return {
        "quote": (str, "the words of the passage that answer the question, copied letter for letter, or NONE"),
        "rationale": (str, "why each option is right or wrong, and which an outsider leans to"),
        "best_option": (one_of((*letters, *none)), best),
        "stated": (bool, "True or False: the passage says all that this option says"),
        "conversation_stated": (bool, "True or False: the passage says all that the assistant answered before"),
        "also_correct": (some_of(letters), "right by the passage too"),
        "supported_elsewhere": (some_of(letters), "right by a text elsewhere"),
        "other_answer": (str, "words of a text elsewhere, letter for letter, or NONE"),
        "same_answer": (bool, "True or False: recalled says what the key says"),
        "defensible": (some_of(letters), "right by what else is known"),
        "odd": (some_of(letters), "that nobody would choose or print"),
        "tempting": (some_of(letters), "to be printed"),
        "edits": (list[SuggestedEdit], "what a copy editor mends; mostly empty"),
        "hidden": _RATED,
        "natural": _RATED,
        "worth": _RATED,
        "change": (str, "what would mend it, in one sentence; or NONE"),
    }
