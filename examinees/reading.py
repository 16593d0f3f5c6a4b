"""What a system returned, read as an answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from viva.core.records import Passage
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.choosing import chosen_option
from viva.storage.corpus.source import storable

LONGEST_TEXT = 20_000


def read_answer(value: Any, options: Sequence[str] | None) -> Answer:
    """What a user's function returned, as an Answer; the option it means, if it means one."""
    text = _text_of(value)
    choice = chosen_option(text, options) if options else None
    return Answer(text=storable(text[:LONGEST_TEXT]), choice=choice, passages=_passages_of(value))


def _text_of(value: Any) -> str:
    if value is None:
        raise NoAnswerError("It returned None; a text was expected.")
    if isinstance(value, str):
        return value
    text = _field(value, "text", "answer", "result", "output", "content")
    if not isinstance(text, str):
        raise BadAnswerError(f"It returned a {type(value).__name__} without a text; expected str or {{'text': ...}}.")
    return text


def _field(value: Any, *names: str) -> Any:
    for name in names:
        found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if found is not None and not callable(found):
            return found
    return None


def _passages_of(value: Any) -> tuple[Passage, ...]:
    found = _field(value, "passages", "contexts", "sources")
    if found is None:
        return ()
    if isinstance(found, str):
        return (_passage(found),)
    if not isinstance(found, Iterable):
        raise BadAnswerError(f"Its passages are a {type(found).__name__}; expected a list.")
    return tuple(_passage(each) for each in found)


def _passage(value: Any) -> Passage:
    if isinstance(value, str):
        return Passage(text=storable(value[:LONGEST_TEXT]))
    text = _field(value, "text", "page_content", "content")
    if not isinstance(text, str):
        raise BadAnswerError(
            f"A passage is a {type(value).__name__} without a text; expected str or {{'text': ...}}."
        )
    return Passage(text=storable(text[:LONGEST_TEXT]))
