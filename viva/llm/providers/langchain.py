"""Real models, through LangChain's init_chat_model: any provider it knows, any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, ValidationError

from viva.core.calls import Call, Outcome, Reply, Usage, token_count
from viva.core.errors import UsageError, how_to_install
from viva.core.settings import Settings
from viva.llm.calls import ProviderError
from viva.llm.prices import Prices
from viva.llm.providers.endpoints import COMPATIBLE, LOCAL, base_url_of, endpoint_of
from viva.llm.providers.failures import translated
from viva.llm.providers.refused_parts import LIMITS, SYSTEM, WHOLE, RefusedParts, refused_part
from viva.llm.providers.vendors import EXTRAS, KEYS, address_of, options_of, require_key, takes_completion_tokens
from viva.llm.roster import ModelName
from viva.llm.secrets import Secrets
from viva.llm.untrusted import one_line

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

_log = logging.getLogger(__name__)

_TRUNCATED = frozenset(
    "length max_tokens max_output_tokens token_limit model_length model_context_window_exceeded time_limit abort "
    "cancelled insufficient_system_resource error".split()
)
_FILTERED = frozenset(
    "content_filter content_filtered safety recitation blocklist prohibited_content spii guardrail_intervened "
    "error_toxic".split()
)
_LONGEST_WORDS = 300
_CHANGING = {"response_format", "logprobs", "top_logprobs"}
"""Parameters that differ from call to call; a chat model is made for the others, once."""


class LangChainProvider:
    """One model behind LangChain. The SDK's own retries are off: there is one retry layer, the gateway's."""

    def __init__(self, name: ModelName, settings: Settings, prices: Prices, secrets: Secrets) -> None:
        self.name = name.provider
        self.model = name.model
        self.endpoint = endpoint_of(name, settings)
        self._base_url = base_url_of(name, settings)
        self._settings = settings
        self._prices = prices
        self._secrets = secrets
        self._http: Any = None
        self._threads = ThreadPoolExecutor(settings.concurrency, thread_name_prefix=f"viva-{self.name}")
        self._models: dict[str, BaseChatModel] = {}
        self._refused = RefusedParts()

    @classmethod
    def of(cls, name: ModelName, settings: Settings, prices: Prices, secrets: Secrets) -> LangChainProvider:
        """The provider, with package and key checked. UsageError where one is missing."""
        provider = cls(name, settings, prices, secrets)
        provider._chat_model({})
        return provider

    async def complete(self, call: Call) -> Reply:
        """One request. ProviderError for whatever kept it from being answered."""
        from langchain_core.messages import AIMessage

        asked = self._refused.parameters(call.parameters)
        changing = {key: value for key, value in asked.items() if key in _CHANGING}
        chat = self._chat_model({key: value for key, value in asked.items() if key not in _CHANGING})
        parts = self._parts(call)
        try:
            said: Any = await self._invoked(chat, self._refused.turns(call.messages), changing)
        except Exception as error:
            # SDKs raise what they like; what is not theirs is a fault of ours and must be seen
            failure = translated(error, self._secrets)
            if failure is None:
                raise
            raise self._after(failure, parts) from None
        if not isinstance(said, AIMessage):
            raise ProviderError(Outcome.GARBLED, "the response is no model's message")
        return self._reply(said)

    def _parts(self, call: Call) -> set[str]:
        """What is sent of the call that a server may refuse."""
        asked = self._refused.parameters(call.parameters)
        parts = {str(self._limit()) if name == "max_tokens" else name for name in asked}
        if any(message.role == "system" for message in call.messages) and SYSTEM not in self._refused:
            parts.add(SYSTEM)
        if self.name in COMPATIBLE:
            parts |= {WHOLE} if WHOLE not in self._refused else self._streamed().keys() - {"stream"}
        return parts

    def _after(self, failure: ProviderError, parts: set[str]) -> ProviderError:
        """The failure; where a part of the request was refused, that the same call is worth asking without it."""
        part = refused_part(failure.detail, parts) if failure.outcome is Outcome.INVALID else None
        if part is None:
            return failure
        notice = self._refused.add(part)
        if notice:
            self._models.clear()
            words = one_line(failure.detail, _LONGEST_WORDS)
            _log.warning("%s:%s %s. The server's words: %s", self.name, self.model, notice, words)
        return ProviderError(Outcome.UNSUPPORTED, failure.detail, status=failure.status)

    async def aclose(self) -> None:
        """Close the connections that are ours."""
        self._models.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._http is not None:
            await self._http.aclose()

    async def _invoked(
        self, chat: BaseChatModel, messages: Sequence[tuple[str, str]], at_call: Mapping[str, Any]
    ) -> AIMessage:
        from langchain_core.language_models import BaseChatModel

        if type(chat)._agenerate is not BaseChatModel._agenerate:  # noqa: SLF001 - nothing public says it
            return await chat.ainvoke(messages, **at_call)
        # it would share the event loop's few threads with all else, and wait for one while its time runs out
        asked = partial(copy_context().run, chat.invoke, messages, **at_call)
        return await asyncio.get_running_loop().run_in_executor(self._threads, asked)

    def _chat_model(self, parameters: Mapping[str, JsonValue]) -> BaseChatModel:
        key = json.dumps(parameters, sort_keys=True)
        if key not in self._models:
            self._models[key] = self._made(dict(parameters))
        return self._models[key]

    def _made(self, parameters: dict[str, Any]) -> BaseChatModel:
        try:
            return self._constructed(parameters)
        except ImportError as error:
            extra, package = EXTRAS.get(self.name), f"langchain-{self.name.replace('_', '-')}"
            raise UsageError(
                f"The package for models of {self.name} is not installed.",
                next_step=how_to_install(extra) if extra else f"pip install '{package}'",
            ) from error
        except Exception as error:  # noqa: BLE001 - see below
            # constructors of a dozen packages: whatever they say, the person who named the model must mend it
            said = self._secrets.redacted(_reason(error))[:300]
            if said.startswith("Unsupported provider"):
                raise UsageError(
                    f"“{self.name}” is no provider of models.",
                    allowed=f"openai, anthropic, google_genai, bedrock_converse, {', '.join(LOCAL)}, hf, mistralai, "
                    "groq and others that LangChain knows; replay.",
                    next_step="`viva models` lists what can be used here and now.",
                ) from None
            raise UsageError(
                f"The model {self.name}:{self.model} cannot be used: {said}",
                next_step=f"Its key is read from the environment: {KEYS.get(self.name, 'its package says which')}.",
            ) from None

    def _constructed(self, parameters: dict[str, Any]) -> BaseChatModel:
        if self.name in COMPATIBLE:
            from viva.llm.providers.openai_chat import LeanChatOpenAI

            # a cache that an application has set for LangChain would answer past the ledger
            options = {**parameters, **self._connection(parameters)}
            return LeanChatOpenAI(model=self.model, cache=False, **options)
        from langchain.chat_models import init_chat_model

        options = options_of(self.name, parameters, self._settings)
        chat: BaseChatModel = init_chat_model(self.model, model_provider=self.name, cache=False, **options)
        require_key(self.name, chat)
        return chat

    def _connection(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """How to reach a server that speaks OpenAI's protocol: one HTTP client for all, no retries of the SDK's."""
        import openai

        address = address_of(self._base_url or "")
        if self._http is None:
            # a fifth of the default transport's time per call (docs/decisions/0008)
            self._http = openai.DefaultAioHttpClient(auth=address.login, params=address.query)
        options: dict[str, Any] = {
            "max_retries": 0,
            "http_async_client": self._http,
            # for the synchronous client, which nobody uses; where a proxy is set, LangChain would warn of it
            "http_socket_options": (),
            "use_responses_api": False,
            "stream_usage": False,
            "streamed": self._streamed(),
        }
        limit = self._limit()
        if "max_tokens" in parameters and limit == "max_tokens":
            # LangChain knows the newer name alone
            options |= {"extra_body": {"max_tokens": parameters["max_tokens"]}, "max_tokens": None}
        if self._base_url:
            options["base_url"] = address.bare
            # a server of one's own mostly asks for none, and the SDK will not start without
            # the vendor's key goes to who was named as the vendor, and to no server that merely speaks its protocol
            vendors = os.environ.get("OPENAI_API_KEY") if self.name == "openai" else None
            options["api_key"] = os.environ.get("VIVA_API_KEY") or vendors or "none"
        return options

    def _limit(self) -> str | None:
        """By which name the limit of a reply is sent: compatible servers know the older one."""
        newer = self.name in COMPATIBLE and (not self._base_url or takes_completion_tokens(self._base_url))
        return self._refused.limit(LIMITS[newer])

    def _streamed(self) -> dict[str, Any]:
        """What asks for a stream, where the server sends no whole replies."""
        asked = {"stream": True, "stream_options": {"include_usage": True}}
        return {name: value for name, value in asked.items() if WHOLE in self._refused and name not in self._refused}

    def _reply(self, said: AIMessage) -> Reply:
        finish = str(_finish(said.response_metadata))
        text = str(said.text)
        usage = _usage(said)
        refusal = said.additional_kwargs.get("refusal")
        outcome = _outcome(text, finish.lower(), refused=bool(refusal))
        called = "; ".join(f"{call['name']}({json.dumps(call['args'])})" for call in said.tool_calls)
        if outcome is Outcome.EMPTY and (called or "tool" in finish or "function" in finish):
            outcome = Outcome.TOOL_CALL
        return Reply(
            text=text or str(refusal or called),
            outcome=outcome,
            finish_reason=finish,
            usage=usage,
            cost=self._prices.cost(self.name, self.model, self.endpoint, usage),
        )


def _reason(error: Exception) -> str:
    """The first line of what a constructor said; what pydantic found, where it was pydantic that looked."""
    said = str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else str(error)
    return (said.strip() or type(error).__name__).splitlines()[0].removeprefix("Value error, ")


def _finish(metadata: Mapping[str, Any]) -> Any:
    if (metadata.get("prompt_feedback") or {}).get("block_reason"):  # Google's, where the prompt was refused already
        return "content_filter"
    for key in ("finish_reason", "stop_reason", "stopReason", "done_reason"):
        if metadata.get(key):
            return metadata[key]
    return "unknown"


def _outcome(text: str, finish: str, *, refused: bool) -> Outcome:
    if refused or finish == "refusal":
        return Outcome.REFUSED
    if finish in _FILTERED:
        return Outcome.FILTERED
    if finish in _TRUNCATED:
        return Outcome.TRUNCATED
    return Outcome.ANSWERED if text.strip() else Outcome.EMPTY


def _usage(said: AIMessage) -> Usage:
    told = said.response_metadata.get("token_usage")
    if isinstance(told, Mapping) and {"prompt_tokens", "completion_tokens"} & told.keys():
        # in OpenAI's words; LangChain would take a count that is missing for 0
        cached = _within(told.get("prompt_tokens_details"), "cached_tokens")
        counts = ("prompt_tokens", "completion_tokens", "total_tokens")
        prompt, written, total = (token_count(told.get(name)) for name in counts)
        if prompt is not None and written is not None and total is not None:
            # some vendors count reasoning beside the completion, and bill it
            written = max(written, total - prompt)
        return Usage.told(prompt, written, cached)
    counted: Any = said.usage_metadata or {}
    cached = _within(counted.get("input_token_details"), "cache_read")
    return Usage.told(counted.get("input_tokens"), counted.get("output_tokens"), cached)


def _within(details: object, name: str) -> object:
    return details.get(name) if isinstance(details, Mapping) else None
