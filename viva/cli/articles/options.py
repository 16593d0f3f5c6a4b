"""Options of `viva exam-articles` that would do nothing beside the others: refused, never passed over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from viva.core.errors import UsageError
from viva.core.records.articles import Verification

READER, PARAGRAPHS = "lexical", 20
"""What is taken where nothing is said."""
_ASKING = ("model", "base_url", "max_cost", "max_tokens", "max_calls", "price", "concurrency")
"""What is about asking a language model."""
_SOURCES = ("articles", "run", "passages", "examinee", "documents", "gold", "instructions")
_READING = ("tokens", "whole", "judge", "timeout")
_USUAL = {"reader": READER, "paragraphs": PARAGRAPHS}
"""What says how articles are read and has a value where nobody says it."""


def refuse_idle(given: Mapping[str, Any], verification: Verification) -> None:
    """UsageError for the first option that would do nothing as the others are, and for a second judge."""
    judges = given["judge"] or []
    if len(judges) > 1:
        raise UsageError(
            f"--judge is given {len(judges)} times ({', '.join(judges)}).", allowed="One judge verifies articles."
        )
    if given["gradings"]:
        _refuse_beside_gradings(given, verification)
    else:
        _refuse_while_reading(given, verification)


def _refuse_beside_gradings(given: Mapping[str, Any], verification: Verification) -> None:
    named = [name for name in (*_SOURCES, *_READING, *_ASKING) if _is_given(given, name)]
    named += [name for name, usual in _USUAL.items() if given[name] != usual]
    named += ["verify judge"] if verification is Verification.JUDGE else []
    if named:
        raise UsageError(
            f"--gradings is given, and {_option(named[0])} too.",
            allowed="Gradings say who returned what and what it answers: nothing else is read, and nobody is asked.",
        )


def _refuse_while_reading(given: Mapping[str, Any], verification: Verification) -> None:
    _refuse_unread(given)
    if verification is not Verification.JUDGE and given["judge"]:
        raise UsageError(
            f"--judge {given['judge'][0]} is given, and --verify {verification}: no judge is asked.",
            next_step="Leave --judge out, or have it verify: --verify judge",
        )
    if given["reader"] == "model" or (verification is Verification.JUDGE and _judge_asks_a_model(given)):
        return
    asking = next((name for name in _ASKING if _is_given(given, name)), None)
    if asking is not None:
        raise UsageError(
            f"{_option(asking)} is given, and no language model is asked: {given['reader']} reads, and "
            f"{_told(given, verification)} say whether a question is answered.",
            next_step=f"Leave {_option(asking)} out, or have a model read: --reader model --model PROVIDER:MODEL",
        )


def _refuse_unread(given: Mapping[str, Any]) -> None:
    """What belongs to another option that is not there."""
    for name, needed in (("passages", "run"), ("documents", "examinee"), ("timeout", "examinee")):
        if _is_given(given, name) and not given[needed]:
            raise UsageError(
                f"{_option(name)} is given without {_option(needed)}: it would do nothing.",
                next_step=f"Leave it out, or add {_option(needed)} (docs/articles.md).",
            )


def _judge_asks_a_model(given: Mapping[str, Any]) -> bool:
    if not given["judge"]:
        return False
    from viva.graphs.grading.judge_lookup import named_judge

    return named_judge(given["judge"][0]).asks_a_model


def _told(given: Mapping[str, Any], verification: Verification) -> str:
    if verification is Verification.JUDGE:
        return f"verdicts of the judge {given['judge'][0]}" if given["judge"] else "verdicts of the default judge"
    return "ratings" if verification is Verification.RATING else "the bank's keys"


def _is_given(given: Mapping[str, Any], name: str) -> bool:
    # a limit of 0 is one
    return given[name] is not None and given[name] is not False and given[name] != []


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
