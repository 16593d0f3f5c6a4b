"""A reply that comes as a stream of events, read as the whole reply that it makes up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BEGINS = re.compile(r"\s*(?:data|event|id|retry)?:")
_END = "[DONE]"


class CutStream(Exception):
    """The stream ended before its last event; `status_code` is that of a server behind a router that failed."""

    status_code = 502

    def __init__(self) -> None:
        super().__init__("the stream ended before the reply was complete")


def is_stream(content_type: str, body: str) -> bool:
    """Whether the body is a stream of events, by its type or by how it begins."""
    return content_type.startswith("text/event-stream") or _BEGINS.match(body) is not None


def completion(body: str) -> dict[str, Any]:
    """The chat completion that the events make up, or the error that one of them is. Raises CutStream, ValueError."""
    made: dict[str, Any] = {"message": {"role": "assistant", "content": ""}, "finish_reason": None}
    whole: dict[str, Any] = {"choices": [made]}
    ended = False
    for data in _events(body):
        if data == _END:
            ended = True
            break
        event = json.loads(data)
        if not isinstance(event, dict):
            raise TypeError("an event of the stream is no object")
        if event.get("error"):
            return event
        whole |= {name: event[name] for name in ("id", "created", "model", "usage") if event.get(name) is not None}
        choices = event.get("choices")
        if isinstance(choices, list) and choices:
            _add(made, choices[0])
    if not ended and made["finish_reason"] is None:
        raise CutStream
    return whole


def _events(body: str) -> Iterator[str]:
    """The data of each event; comments and names of events are left out."""
    lines: list[str] = []
    for line in [*body.splitlines(), ""]:
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


def _add(made: dict[str, Any], choice: Mapping[str, Any]) -> None:
    """Put one piece to what there is of the choice."""
    piece = choice.get("delta") or choice.get("message") or {}
    message = made["message"]
    message["content"] += _text(piece.get("content"))
    if piece.get("refusal"):
        message["refusal"] = f"{message.get('refusal', '')}{piece['refusal']}"
    for call in piece.get("tool_calls") or ():
        _add_call(message.setdefault("tool_calls", []), call)
    logprobs = (choice.get("logprobs") or {}).get("content")
    if logprobs:
        made.setdefault("logprobs", {"content": []})["content"] += logprobs
    if choice.get("finish_reason"):
        made["finish_reason"] = choice["finish_reason"]


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _add_call(calls: list[dict[str, Any]], piece: Mapping[str, Any]) -> None:
    """Put one piece to the tool call that it belongs to: one with a name begins a call."""
    function = piece.get("function") or {}
    if function.get("name") or not calls:
        named = {"name": str(function.get("name") or ""), "arguments": ""}
        calls.append({"id": str(piece.get("id") or len(calls)), "type": "function", "function": named})
    calls[-1]["function"]["arguments"] += str(function.get("arguments") or "")
