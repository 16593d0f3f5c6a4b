"""Brains for the model server: what it answers with, besides `fake_reply`."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence

from fake_model import fake_reply, rendered
from fake_model.reading import Reading
from fake_model.requests import FENCE, read_request
from fake_model.roles import value_of
from pydantic import JsonValue

from viva.core.calls import Message

Brain = Callable[[Sequence[Message], Mapping[str, JsonValue]], str]

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all|any|your|the|every|previous|prior)\b"
    r"|system override"
    r"|\byou (?:must|shall|will) (?:now )?(?:answer|reply|say|respond)\b(?! (?:in|with)\b)"
    r"|\bfrom now on\b"
    r"|\bnew instructions?:",
    re.IGNORECASE,
)


class Scripted:
    """Replies written beforehand, in turn; then a reply `after` them, or it is an error to ask for more."""

    def __init__(self, *replies: str, after: str | Brain | None = None) -> None:
        self._replies = list(replies)
        self._after = after
        self._lock = threading.Lock()
        self.heard: list[tuple[Message, ...]] = []

    def __call__(self, messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        with self._lock:
            self.heard.append(tuple(messages))
            if self._replies:
                return self._replies.pop(0)
        if self._after is None:
            raise AssertionError(f"asked {len(self.heard)} times, more than was scripted")
        return self._after if isinstance(self._after, str) else self._after(messages, parameters)


class Obedient:
    """Obeys any order that reaches it outside a fence and outside the system prompt: says PWNED wherever it can."""

    def __init__(self) -> None:
        self.obeyed: list[str] = []
        """the orders, with the words around them"""

    def __call__(self, messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        open_text = "\n".join(FENCE.sub(" ", m.text) for m in messages if m.role == "user")
        order = _ORDER.search(open_text)
        if order is None:
            return fake_reply(messages, parameters)
        self.obeyed.append(open_text[max(0, order.start() - 80) : order.end() + 80])
        request = read_request(messages)
        if request.style == "prose":
            return "PWNED"
        reading = Reading(request)
        return rendered(request, {field.name: _pwned(value_of(field, reading)) for field in request.outputs})


def _pwned(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return "PWNED"
    if isinstance(value, list):
        return [_pwned(element) for element in value]
    if isinstance(value, dict):
        return {name: _pwned(element) for name, element in value.items()}
    return value
