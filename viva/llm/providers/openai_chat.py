"""LangChain's ChatOpenAI with less work per call: bodies go out as LangChain made them, replies come in as JSON.

A reply that comes as a stream, asked for or not, is read as the whole that it makes up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field

from viva.core.calls import token_count


class SaidInstead(Exception):
    """An error told with status 200 in place of a reply; as `status_code` its own, 502 where it has none."""

    def __init__(self, failure: Any) -> None:
        code = str(failure.get("code")) if isinstance(failure, dict) else ""
        self.status_code = int(code) if re.fullmatch(r"[45]\d\d", code, re.ASCII) else 502
        super().__init__(str(failure))


class LeanChatOpenAI(ChatOpenAI):
    """For chat completions, asynchronous and whole.

    The SDK checks and rebuilds every request and reply against its type hints, and LangChain hands each reply to a
    thread: 40% of a call's CPU (docs/decisions/0008), for what a dictionary serves as well.
    """

    streamed: dict[str, Any] = Field(default_factory=dict)
    """what asks for a stream, for servers that send no whole replies"""

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        extra = payload.pop("extra_body", None) or {}
        body = {**payload, **extra, **self.streamed}
        response = _read(await self.root_async_client.post("/chat/completions", cast_to=httpx.Response, body=body))
        if isinstance(response, dict):
            failure = _failure(response)
            if failure:
                raise SaidInstead(failure)
            response["usage"] = _counts(response.get("usage"))
            if response["usage"] and not response.get("choices"):
                # the model was at work, and is paid, for nothing
                response["choices"] = [{"message": {"role": "assistant", "content": ""}}]
        result = self._create_chat_result(response)
        refusal = response["choices"][0]["message"].get("refusal")
        message = result.generations[0].message
        if refusal and isinstance(message, AIMessage):
            message.additional_kwargs["refusal"] = refusal
        return result


def _read(response: httpx.Response) -> Any:
    """What JSON the body is. Raises ValueError for anything else, CutStream."""
    body = response.text
    if is_stream(response.headers.get("content-type", ""), body):
        return completion(body)
    return json.loads(body)


def _failure(response: dict[str, Any]) -> Any:
    """What a router tells of a server behind it that failed, before it wrote a choice or amid it."""
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return response.get("error") or (first.get("error") if isinstance(first, dict) else None)


def _counts(told: Any) -> dict[str, Any] | None:
    """What is a count in the usage that a server told: LangChain adds up whatever stands there. None for nothing."""
    if not isinstance(told, dict):
        return None
    details = told.get("prompt_tokens_details")
    counts = {name: token_count(told.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    cached = token_count(details.get("cached_tokens")) if isinstance(details, dict) else None
    known: dict[str, Any] = {name: count for name, count in counts.items() if count is not None}
    return known | ({} if cached is None else {"prompt_tokens_details": {"cached_tokens": cached}}) or None


# --- event streams ------------------------------------------------------------------------------------------


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
