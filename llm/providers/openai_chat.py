"""LangChain's ChatOpenAI with less work per call: bodies go out as LangChain made them, replies come in as JSON."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI


class LeanChatOpenAI(ChatOpenAI):
    """For chat completions, asynchronous and whole.

    The SDK checks and rebuilds every request and reply against its type hints, and LangChain hands each reply to a
    thread: 40% of a call's CPU (docs/decisions/0008), for what a dictionary serves as well.
    """

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        extra = payload.pop("extra_body", None) or {}
        response: Any = await self.root_async_client.post(
            "/chat/completions", cast_to=object, body={**payload, **extra}
        )
        result = self._create_chat_result(response)
        refusal = response["choices"][0]["message"].get("refusal")
        message = result.generations[0].message
        if refusal and isinstance(message, AIMessage):
            message.additional_kwargs["refusal"] = refusal
        return result
