"""What a system returned, read as an answer. Nothing of it is believed to be short, whole or of the right type."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from viva.core.calls import token_count
from viva.core.records import PASSAGES_ALONE, AnswerUsage, Passage
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.readers.answer_text import TEXT_FIELDS, field_of, texts_of
from viva.metrics.text.choices.result import ChoiceReading, NoChoice
from viva.metrics.text.choices.thoughts import without_thoughts
from viva.storage.corpus.source import storable

LONGEST_TEXT = 20_000
"""Characters of an answer, and of a passage."""
MOST_PASSAGES = 50
MOST_ANSWERS = 20
"""Different ones in a list; more of them are not read one by one."""
LONGEST_NAME = 500
"""Characters of what a system calls a passage."""

_PASSAGES = ("passages", "contexts", "context", "source_nodes", "sources", "source_documents", "documents")


def read_answer(value: Any, options: Sequence[str] | None, *, said: str = "") -> Answer:
    """What a system returned, as an Answer; the option it means, if it means one.

    `value` is a text, a number, a message, or a mapping or object with `text` (or `answer`, `output`, ..., or
    `messages`) and, if it likes, `passages`, `usage` and `choice`. `said` is its text where it has none of its own.
    A list is several answers: they mean an option where all of them mean it. A list of documents, and a mapping that
    has passages and no other field, is what a retriever found, and no answer.
    NoAnswerError for None, BadAnswerError for what holds no text. What was cut off is told in `meta["capped"]`.
    """
    if value is None:
        raise NoAnswerError("It returned None; a text was expected.")
    if not said and _is_passages_alone(value):
        return read_passages(value)
    choice = _choice_of(value, options)
    fallback = said or (options[choice] if options and choice is not None else "")
    texts = texts_of(value, fallback)
    text = "\n".join(texts)
    passages, of = _passages_of(value)
    capped = [f"text ({len(text):,} characters)"] if len(text) > LONGEST_TEXT else []
    longest = max((len(p) for p, _ in passages), default=0)
    capped += [f"passages ({of})"] if of else []
    capped += [f"a passage ({longest:,} characters)"] if longest > LONGEST_TEXT else []
    reading = _read(texts, options) if options and choice is None else None
    return Answer(
        text=bounded(text if len(text) <= LONGEST_TEXT else without_thoughts(text) or text),
        choice=reading.option if reading else choice,
        reading=reading,
        passages=tuple(passage for _, passage in passages),
        usage=usage_of(value),
        meta={"capped": ", ".join(capped)} if capped else {},
    )


def read_passages(value: Any) -> Answer:
    """What a retriever by itself found: a list of documents, maybe empty, or a mapping with nothing but passages."""
    found, of = _passages_of(value if isinstance(value, Mapping) else {"passages": value})
    capped = {"capped": f"passages ({of})"} if of else {}
    return Answer(text="", passages=tuple(passage for _, passage in found), meta={PASSAGES_ALONE: "yes", **capped})


def _is_passages_alone(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(name in _PASSAGES and not isinstance(value[name], str) for name in value)
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_document, value))


def _is_document(value: Any) -> bool:
    """Tell whether it is a text with what only a found passage has; a list of plain texts is several answers."""
    if isinstance(field_of(value, "page_content"), str):
        return True
    if isinstance(value, str) or not isinstance(field_of(value, "text"), str):
        return False
    is_message = isinstance(field_of(value, "type", "role"), str)
    return not is_message and field_of(value, "score", "metadata", "source_id", "document_id", "node_id") is not None


def with_reading(answer: Answer, options: Sequence[str] | None) -> Answer:
    """The answer with the option that its text means, where it names none and was not read yet."""
    if not options or answer.choice is not None or answer.reading is not None or PASSAGES_ALONE in answer.meta:
        return answer
    reading = _read_choice(answer.text, options)
    return replace(answer, choice=reading.option, reading=reading)


def bounded(text: str, limit: int = LONGEST_TEXT) -> str:
    """The text as it can be kept: cut, and without what no file or database takes."""
    return storable(str(text[:limit]))


def first_words(text: str, limit: int = 80) -> str:
    """The beginning of a text, on one line, to be quoted in a complaint."""
    line = " ".join(storable(text[: 4 * limit]).split())
    return f"“{line[:limit]}{'…' if len(line) > limit or len(text) > 4 * limit else ''}”"


# --- the choice -----------------------------------------------------------------------------------------


def _read(texts: Sequence[str], options: Sequence[str]) -> ChoiceReading:
    different = list(dict.fromkeys(texts))
    if len(different) > MOST_ANSWERS:
        return ChoiceReading.none(NoChoice.SEVERAL_ANSWERS)
    from viva.metrics.text.choices.fields import one_of_several

    return one_of_several([_read_choice(text, options) for text in different])


def _read_choice(text: str, options: Sequence[str]) -> ChoiceReading:
    # its patterns are compiled when it is imported, which no command without answers needs
    from viva.metrics.text.choices.reader import read_choice

    return read_choice(text, options)


def _choice_of(value: Any, options: Sequence[str] | None) -> int | None:
    """The option that it names itself, by its index from 0 or its letter."""
    given = None if isinstance(value, str) or not options else field_of(value, "choice")
    if given is None or not options:
        return None
    if isinstance(given, str):
        return _read_choice(given, options).option
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < len(options):
        raise BadAnswerError(f"Its choice is {first_words(str(given), 40)}; expected 0 to {len(options) - 1}.")
    return given


# --- the passages ----------------------------------------------------------------------------------------


def _passages_of(value: Any) -> tuple[list[tuple[str, Passage]], str]:
    """The passages, each with its whole text; and how many there were, where some were left out."""
    found = None if isinstance(value, str) else field_of(value, *_PASSAGES)
    if found is None:
        found = _from_tools(value)
    if isinstance(found, str | Mapping) or field_of(found, "page_content", "text") is not None:
        found = (found,)
    if not isinstance(found, Iterable):
        raise BadAnswerError(f"Its passages are a {type(found).__name__}; expected a list.")
    first = list(islice(found, MOST_PASSAGES + 1))
    many = f"{len(found):,}" if isinstance(found, Sequence) else f"more than {MOST_PASSAGES}"
    return [_passage(each) for each in first[:MOST_PASSAGES]], many if len(first) > MOST_PASSAGES else ""


def passages_of(documents: Sequence[Any]) -> tuple[Passage, ...]:
    """The first documents as passages, as many as are kept."""
    return tuple(_passage(each)[1] for each in documents[:MOST_PASSAGES])


def _from_tools(value: Any) -> list[Any]:
    """Documents that an agent's retrieval tools have left beside their messages."""
    messages = None if isinstance(value, str) else field_of(value, "messages")
    if not isinstance(messages, list | tuple):
        return []
    kept = (field_of(message, "artifact") for message in messages)
    return [each for found in kept if holds_passages(found) for each in found]


def holds_passages(value: Any) -> bool:
    """Whether this is a list of nothing but documents."""
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(field_of(each, "page_content", "text"), str) for each in value)


def _passage(value: Any) -> tuple[str, Passage]:
    text = value if isinstance(value, str) else field_of(value, "text", "page_content", "content")
    if not isinstance(text, str):
        raise BadAnswerError(
            f"A passage is a {type(value).__name__} without a text; expected str or {{'text': ...}}."
        )
    if isinstance(value, str):
        return text, Passage(text=bounded(text))
    metadata = field_of(value, "metadata") or {}
    name = field_of(metadata, "id") or field_of(value, "source_id", "id", "node_id") or field_of(metadata, "source")
    score = field_of(value, "score")
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
    told = field_of(value, "usage", "usage_metadata")
    if told is not None:
        return _usage(told)
    answer = field_of(value, *TEXT_FIELDS)
    if answer is not None and not isinstance(answer, str | list | tuple):
        return usage_of(answer)
    messages = field_of(value, "messages")
    counted = [usage for m in messages if (usage := usage_of(m))] if isinstance(messages, list | tuple) else []
    return usage_sum(counted)


def usage_sum(counted: Sequence[AnswerUsage | None]) -> AnswerUsage | None:
    """The tokens of several calls together; None without any, a count is None where a call does not name it."""
    if not any(counted):
        return None
    return AnswerUsage(
        input_tokens=_sum(usage.input_tokens if usage else None for usage in counted),
        output_tokens=_sum(usage.output_tokens if usage else None for usage in counted),
    )


def _usage(told: Any) -> AnswerUsage | None:
    read = token_count(field_of(told, "input_tokens", "prompt_tokens"))
    written = token_count(field_of(told, "output_tokens", "completion_tokens"))
    cost = finite(field_of(told, "cost"))
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
