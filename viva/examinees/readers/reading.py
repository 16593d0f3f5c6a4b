"""What a system returned, read as an answer. Nothing of it is believed to be short, whole or of the right type."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from numbers import Real
from typing import Any

from viva.core.calls import token_count
from viva.core.records import AnswerUsage, FailureCause, Passage
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.readers.choosing import chosen_option
from viva.storage.corpus.source import storable

LONGEST_TEXT = 20_000
"""Characters of an answer, and of a passage."""
MOST_PASSAGES = 50
LONGEST_NAME = 500
"""Characters of what a system calls a passage."""

_TEXT = ("text", "answer", "result", "output", "generation", "response", "content")
_PASSAGES = ("passages", "contexts", "context", "sources", "source_documents", "documents")
_TRUTHS = {"bool", "bool_"}
"""Python's and, in its two generations, numpy's."""
_NOT_REPLIES = {"human", "user", "system", "tool", "function"}


def read_answer(value: Any, options: Sequence[str] | None, *, said: str = "") -> Answer:
    """What a system returned, as an Answer; the option it means, if it means one.

    `value` is a text, a number, a message, or a mapping or object with `text` (or `answer`, `output`, ..., or
    `messages`) and, if it likes, `passages`, `usage` and `choice`. `said` is its text where it has none of its own.
    NoAnswerError for None, BadAnswerError for what holds no text. What was cut off is told in `meta["capped"]`.
    """
    if value is None:
        raise NoAnswerError("It returned None; a text was expected.")
    choice = _choice_of(value, options)
    fallback = said or (options[choice] if options and choice is not None else "")
    text = _text_of(value, fallback)
    passages, of = _passages_of(value)
    capped = [f"text ({len(text):,} characters)"] if len(text) > LONGEST_TEXT else []
    longest = max((len(p) for p, _ in passages), default=0)
    capped += [f"passages ({of})"] if of else []
    capped += [f"a passage ({longest:,} characters)"] if longest > LONGEST_TEXT else []
    if options and choice is None:
        choice = chosen_option(text[:LONGEST_TEXT], options)
    return Answer(
        text=bounded(text),
        choice=choice,
        passages=tuple(passage for _, passage in passages),
        usage=usage_of(value),
        meta={"capped": ", ".join(capped)} if capped else {},
    )


def bounded(text: str, limit: int = LONGEST_TEXT) -> str:
    """The text as it can be kept: cut, and without what no file or database takes."""
    return storable(str(text[:limit]))


def first_words(text: str, limit: int = 80) -> str:
    """The beginning of a text, on one line, to be quoted in a complaint."""
    line = " ".join(storable(text[: 4 * limit]).split())
    return f"“{line[:limit]}{'…' if len(line) > limit or len(text) > 4 * limit else ''}”"


# --- the text --------------------------------------------------------------------------------------------


def _text_of(value: Any, fallback: str = "", depth: int = 3) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Real | Decimal) or type(value).__name__ in _TRUTHS:
        return text_of_number(value)
    found = _field(value, *_TEXT)
    if found is None or found == "":
        messages = _field(value, "messages")
        if isinstance(messages, Sequence) and messages and not isinstance(messages, str | bytes):
            found = _reply(messages[-1])
    if isinstance(found, str):
        return str(found)
    if isinstance(found, list | tuple):
        parts = [part if isinstance(part, str) else _field(part, "text") for part in found]
        if parts and all(isinstance(part, str) or part is None for part in parts) and any(parts):
            return "".join(part for part in parts if part)
    elif found is not None and depth:
        return _text_of(found, fallback, depth - 1)
    if fallback:
        return fallback
    fields = f" (it has {', '.join(map(str, islice(value, 8)))})" if isinstance(value, Mapping) and value else ""
    raise BadAnswerError(
        f"It returned a {type(value).__name__} without a text{fields}; expected str or {{'text': ...}}.",
        FailureCause.NO_TEXT,
    )


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
    kind = _field(message, "type", "role")
    if isinstance(kind, str) and kind.lower() in _NOT_REPLIES:
        raise BadAnswerError(f"Its last message is of “{kind[:40]}”; expected a reply.")
    return message


def _choice_of(value: Any, options: Sequence[str] | None) -> int | None:
    """The option that it names itself, by its index from 0 or its letter."""
    given = None if isinstance(value, str) or not options else _field(value, "choice")
    if given is None or not options:
        return None
    if isinstance(given, str):
        return chosen_option(given[:LONGEST_TEXT], options)
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < len(options):
        raise BadAnswerError(f"Its choice is {first_words(str(given), 40)}; expected 0 to {len(options) - 1}.")
    return given


def _field(value: Any, *names: str) -> Any:
    for name in names:
        found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        # LangChain's texts can be called, for the sake of older programs
        if found is not None and (isinstance(found, str) or not callable(found)):
            return found
    return None


# --- the passages ----------------------------------------------------------------------------------------


def _passages_of(value: Any) -> tuple[list[tuple[str, Passage]], str]:
    """The passages, each with its whole text; and how many there were, where some were left out."""
    found = None if isinstance(value, str) else _field(value, *_PASSAGES)
    if found is None:
        found = _from_tools(value)
    if isinstance(found, str | Mapping) or _field(found, "page_content", "text") is not None:
        found = (found,)
    if not isinstance(found, Iterable):
        raise BadAnswerError(f"Its passages are a {type(found).__name__}; expected a list.")
    first = list(islice(found, MOST_PASSAGES + 1))
    many = f"{len(found):,}" if isinstance(found, Sequence) else f"more than {MOST_PASSAGES}"
    return [_passage(each) for each in first[:MOST_PASSAGES]], many if len(first) > MOST_PASSAGES else ""


def _from_tools(value: Any) -> list[Any]:
    """Documents that an agent's retrieval tools have left beside their messages."""
    messages = None if isinstance(value, str) else _field(value, "messages")
    if not isinstance(messages, list | tuple):
        return []
    kept = (_field(message, "artifact") for message in messages)
    return [each for found in kept if holds_passages(found) for each in found]


def holds_passages(value: Any) -> bool:
    """Whether this is a list of nothing but documents."""
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(_field(each, "page_content", "text"), str) for each in value)


def _passage(value: Any) -> tuple[str, Passage]:
    text = value if isinstance(value, str) else _field(value, "text", "page_content", "content")
    if not isinstance(text, str):
        raise BadAnswerError(
            f"A passage is a {type(value).__name__} without a text; expected str or {{'text': ...}}."
        )
    if isinstance(value, str):
        return text, Passage(text=bounded(text))
    metadata = _field(value, "metadata") or {}
    name = _field(metadata, "id") or _field(value, "source_id", "id") or _field(metadata, "source")
    score = _field(value, "score")
    return text, Passage(
        text=bounded(text),
        source_id=bounded(str(name), LONGEST_NAME) if isinstance(name, str | int) else None,
        score=finite(score),
    )


# --- what it cost ----------------------------------------------------------------------------------------


def usage_of(value: Any) -> AnswerUsage | None:
    """The tokens and the money that an answer says it took; None where it says nothing that can be read."""
    if isinstance(value, str):
        return None
    told = _field(value, "usage", "usage_metadata")
    if told is not None:
        return _usage(told)
    answer = _field(value, *_TEXT)
    if answer is not None and not isinstance(answer, str | list | tuple):
        return usage_of(answer)
    messages = _field(value, "messages")
    counted = [usage for m in messages if (usage := usage_of(m))] if isinstance(messages, list | tuple) else []
    if not counted:
        return None
    return AnswerUsage(
        input_tokens=_sum(usage.input_tokens for usage in counted),
        output_tokens=_sum(usage.output_tokens for usage in counted),
    )


def _usage(told: Any) -> AnswerUsage | None:
    read = token_count(_field(told, "input_tokens", "prompt_tokens"))
    written = token_count(_field(told, "output_tokens", "completion_tokens"))
    cost = finite(_field(told, "cost"))
    cost = cost if cost is not None and cost >= 0 else None
    if read is None and written is None and cost is None:
        return None
    return AnswerUsage(input_tokens=read, output_tokens=written, cost=cost)


def _sum(counts: Iterable[int | None]) -> int | None:
    """None where one of them is not known."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def finite(value: Any) -> float | None:
    """The number, if it is one that a float holds; None for all else."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer beyond all floats
        return None
