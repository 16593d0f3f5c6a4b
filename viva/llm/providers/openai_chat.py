"""LangChain's ChatOpenAI with less work per call: bodies go out as LangChain made them, replies come in as JSON.

A reply that comes as a stream, asked for or not, is read as the whole that it makes up.
"""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field

from viva.core.calls import token_count
from viva.llm.providers.event_stream import completion, is_stream


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
