"""The text of what a system returned: of a text, a number, a message, blocks of content, or a list of answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import islice
from numbers import Real
from typing import Any

from viva.core.records import FailureCause
from viva.examinees.answering import BadAnswerError

TEXT_FIELDS = ("text", "answer", "result", "output", "generation", "response", "content")
_TRUTHS = {"bool", "bool_"}
"""Python's and, in its two generations, numpy's."""
_NOT_REPLIES = {"human", "user", "system", "tool", "function"}
_THOUGHTS = {"thinking", "reasoning", "thought", "reasoning_content", "redacted_thinking"}
"""Types of the blocks of a message that hold thoughts."""


def texts_of(value: Any, fallback: str = "", depth: int = 3) -> list[str]:
    """Its text; the texts of a list of answers. `fallback` is the text of what has none of its own.

    BadAnswerError where there is no text.
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, Real | Decimal) or type(value).__name__ in _TRUTHS:
        return [text_of_number(value)]
    found = value if isinstance(value, list | tuple) else _answer_in(value)
    if isinstance(found, str):
        return [str(found)]
    if isinstance(found, list | tuple):
        listed = _texts_of_list(found, depth, blocks=found is field_of(value, "content"))
        if listed:
            return listed
    elif found is not None and depth:
        return texts_of(found, fallback, depth - 1)
    if fallback:
        return [fallback]
    fields = f" (it has {', '.join(map(str, islice(value, 8)))})" if isinstance(value, Mapping) and value else ""
    raise BadAnswerError(
        f"It returned a {type(value).__name__} without a text{fields}; expected str or {{'text': ...}}.",
        FailureCause.NO_TEXT,
    )


def _answer_in(value: Any) -> Any:
    """The field that holds the answer; of messages the last one."""
    found = field_of(value, *TEXT_FIELDS)
    if found is None or found == "":
        messages = field_of(value, "messages")
        if isinstance(messages, Sequence) and messages and not isinstance(messages, str | bytes):
            return _reply(messages[-1])
    return found


def _texts_of_list(found: Sequence[Any], depth: int, *, blocks: bool) -> list[str]:
    """Blocks of one message as one text; of a list of messages the last one; else an answer for each element."""
    if blocks or any(isinstance(field_of(part, "type"), str) for part in found if not isinstance(part, str)):
        return _joined(found)
    if found and all(isinstance(field_of(part, "role"), str) for part in found):
        return texts_of(_reply(found[-1]), "", depth - 1) if depth else []
    if depth == 0 or any(isinstance(part, bytes) or part is None for part in found):
        return []
    return [text for part in found for text in texts_of(part, "", depth - 1)]


def _joined(blocks: Sequence[Any]) -> list[str]:
    """The text of the blocks of a message; thoughts alone stand in their tags."""
    said = [part for part in blocks if field_of(part, "type") not in _THOUGHTS]
    parts = [part if isinstance(part, str) else field_of(part, "text") for part in said]
    if not all(isinstance(part, str) or part is None for part in parts):
        return []
    text = "".join(part for part in parts if part)
    if text or len(said) == len(blocks):
        return [text] if text else []
    thoughts = (field_of(part, "thinking", "reasoning", "text") for part in blocks)
    return [f"<think>{' '.join(each for each in thoughts if isinstance(each, str))}</think>"]


def text_of_number(value: Any) -> str:
    """A number as a text: 30 is "30", 30.0 is "30.0". BadAnswerError for truth values and what is not finite."""
    if type(value).__name__ in _TRUTHS:
        raise BadAnswerError(f"Its answer is the truth value {value}; expected a text or a number.")
    try:
        told, finite = str(value), math.isfinite(value)
    except (ValueError, OverflowError):  # Python writes no integer of more than some thousand digits
        raise BadAnswerError("Its answer is a number beyond all bounds; expected a text or a number.") from None
    if not finite:
        raise BadAnswerError(f"Its answer is {told}, which is no finite number; expected a text or a number.")
    return told


def _reply(message: Any) -> Any:
    kind = field_of(message, "type", "role")
    if isinstance(kind, str) and kind.lower() in _NOT_REPLIES:
        raise BadAnswerError(f"Its last message is of “{kind[:40]}”; expected a reply.")
    return message


def field_of(value: Any, *names: str) -> Any:
    """The first of these fields, or attributes, that a value has."""
    for name in names:
        found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        # LangChain's texts can be called, for the sake of older programs
        if found is not None and (isinstance(found, str) or not callable(found)):
            return found
    return None
