"""The brain of `fake:` models: a pure function from a conversation to a reply, in the format that is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from fake_model import judges, reader
from fake_model.reading import Reading
from fake_model.requests import Request, read_request
from fake_model.roles import better_instruction, value_of
from viva.core.calls import Message


def fake_reply(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
    """What a fake model says: every field that is asked for, of its type; of none, what a reader says, or prose."""
    request = read_request(messages)
    if request.style == "prose":
        told = reader.read(messages)
        return f"```\n{better_instruction(request)}\n```" if told is None else told
    judged = judges.judged(request)
    if judged is not None:
        return rendered(request, judged)
    reading = Reading(request)
    return rendered(request, {field.name: value_of(field, reading) for field in request.outputs})


def rendered(request: Request, values: Mapping[str, JsonValue]) -> str:
    """The values in the format of the request."""
    if request.style == "json":
        return json.dumps(values, ensure_ascii=False)
    # neither of the other formats has a word for null: the field is left out
    said = {name: value for name, value in values.items() if value is not None}
    if request.style == "plain":
        return "\n".join(line for name, value in said.items() for line in _plain_lines(name, value))
    fields = [f"[[ ## {name} ## ]]\n{_shown(value)}" for name, value in said.items()]
    return "\n\n".join([*fields, "[[ ## completed ## ]]"])


def _shown(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _plain_lines(name: str, value: JsonValue) -> list[str]:
    if not isinstance(value, list):
        return [f"{name}: {_flat(value)}"]
    if not value:
        return [f"{name}: none"]
    return [f"{name}:", *(line for element in value for line in _plain_element(element))]


def _plain_element(element: JsonValue) -> list[str]:
    if not isinstance(element, dict):
        return [f"- {_flat(element)}"]
    lines = [f"{name}: {_flat(value)}" for name, value in element.items()]
    return [("- " if number == 0 else "  ") + line for number, line in enumerate(lines)]


def _flat(value: JsonValue) -> str:
    return " ".join(_shown(value).split())
