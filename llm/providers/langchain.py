"""Real models, through LangChain's init_chat_model: any provider it knows, any OpenAI-compatible server."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from pydantic import JsonValue

from viva.core.calls import Call, Outcome, Reply, Usage
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.llm.prices import Prices
from viva.llm.providers.failures import translated
from viva.llm.roster import ModelName
from viva.llm.secrets import Secrets, without_credentials

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

COMPATIBLE = {"openai": None, "vllm": "http://127.0.0.1:8000/v1"}
"""Providers that speak OpenAI's protocol, with the server that is meant if none is given."""
_LOCAL = {*COMPATIBLE, "ollama"}
_EXTRAS = {
    "anthropic": "viva[anthropic]",
    "bedrock": "viva[bedrock]",
    "bedrock_converse": "viva[bedrock]",
    "google_genai": "viva[google]",
    "ollama": "viva[ollama]",
}
_KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "bedrock": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    "bedrock_converse": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
}
_TRUNCATED = {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
_FILTERED = {
    "content_filter",
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "guardrail_intervened",
}
_AT_CALL = ("response_format", "logprobs", "top_logprobs")


class LangChainProvider:
    """One model behind LangChain. The SDK's own retries are off: there is one retry layer, the gateway's."""

    def __init__(self, name: ModelName, base_url: str | None, prices: Prices, secrets: Secrets) -> None:
        self.name = name.provider
        self.model = name.model
        self.endpoint = without_credentials(base_url, named="--base-url") if base_url else ""
        self._base_url = base_url
        self._prices = prices
        self._secrets = secrets
        self._http: Any = None
        self._models: dict[str, BaseChatModel] = {}

    @classmethod
    def of(cls, name: ModelName, settings: Settings, prices: Prices, secrets: Secrets) -> LangChainProvider:
        """The provider, with package and key checked. UsageError where one is missing."""
        provider = cls(name, _base_url(name, settings), prices, secrets)
        provider._chat_model({})
        return provider

    async def complete(self, call: Call) -> Reply:
        """One request. ProviderError for whatever kept it from being answered."""
        at_call: dict[str, Any] = {key: call.parameters[key] for key in _AT_CALL if key in call.parameters}
        fixed = {key: value for key, value in call.parameters.items() if key not in at_call}
        chat = self._chat_model(fixed)
        messages = [(m.role, m.text) for m in call.messages]
        try:
            said = await chat.ainvoke(messages, **at_call)
        except Exception as error:
            # SDKs raise what they like; what is not theirs is a fault of ours and must be seen
            failure = translated(error, self._secrets)
            if failure is None:
                raise
            raise failure from None
        return self._reply(said)

    async def aclose(self) -> None:
        """Close the connections that are ours."""
        self._models.clear()
        if self._http is not None:
            await self._http.aclose()

    def _chat_model(self, parameters: Mapping[str, JsonValue]) -> BaseChatModel:
        key = json.dumps(parameters, sort_keys=True)
        if key not in self._models:
            self._models[key] = self._made(dict(parameters))
        return self._models[key]

    def _made(self, parameters: dict[str, Any]) -> BaseChatModel:
        from langchain.chat_models import init_chat_model

        provider = "openai" if self.name in COMPATIBLE else self.name
        options: dict[str, Any] = {**parameters, **self._connection(parameters)}
        try:
            if provider == "openai":
                from viva.llm.providers.openai_chat import LeanChatOpenAI

                return LeanChatOpenAI(model=self.model, **options)
            chat: BaseChatModel = init_chat_model(self.model, model_provider=provider, **options)
        except ImportError as error:
            package = _EXTRAS.get(self.name) or f"langchain-{self.name.replace('_', '-')}"
            raise UsageError(
                f"The package for models of {self.name} is not installed.", next_step=f"pip install '{package}'"
            ) from error
        except Exception as error:  # noqa: BLE001 - see below
            # constructors of a dozen packages: whatever they say, the person who named the model must mend it
            said = self._secrets.redacted(str(error)).splitlines()[0][:300] if str(error) else type(error).__name__
            if said.startswith("Unsupported provider"):
                raise UsageError(
                    f"“{self.name}” is no provider of models.",
                    allowed="openai, anthropic, google_genai, bedrock_converse, ollama, vllm, mistralai, groq and "
                    "others that LangChain knows; fake and replay.",
                ) from None
            raise UsageError(
                f"The model {self.name}:{self.model} cannot be used: {said}",
                next_step=f"Its key is read from the environment: {_KEYS.get(self.name, 'its package says which')}.",
            ) from None
        return chat

    def _connection(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """How to reach the model: one HTTP client for all, no retries of the SDK's."""
        if self.name not in COMPATIBLE:
            local = {"base_url": self._base_url} if self._base_url else {}
            return local if self.name == "ollama" else {"max_retries": 0 if self.name == "anthropic" else 1}
        import openai

        if self._http is None:
            # a fifth of the default transport's time per call (docs/decisions/0008)
            self._http = openai.DefaultAioHttpClient()
        options: dict[str, Any] = {
            "max_retries": 0,
            "http_async_client": self._http,
            "use_responses_api": False,
            "stream_usage": False,
        }
        if self._base_url:
            options |= _address(self._base_url)
            # a server of one's own mostly asks for none, and the SDK will not start without
            options["api_key"] = os.environ.get("VIVA_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"
            if "max_tokens" in parameters:
                # compatible servers know the older name of the limit
                options["extra_body"] = {"max_tokens": parameters.pop("max_tokens")}
                options["max_tokens"] = None
        return options

    def _reply(self, said: AIMessage) -> Reply:
        finish = str(_finish(said.response_metadata))
        text = str(said.text)
        usage = _usage(said)
        refusal = said.additional_kwargs.get("refusal")
        outcome = _outcome(text, finish.lower(), refused=bool(refusal))
        return Reply(
            text=text or str(refusal or ""),
            outcome=outcome,
            finish_reason=finish,
            usage=usage,
            cost=self._prices.cost(self.name, self.model, self.endpoint, usage),
        )


def _address(url: str) -> dict[str, Any]:
    """The address as the client takes it: user and password as a header, the query apart from the path."""
    parts = urlsplit(url)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
    options: dict[str, Any] = {"base_url": urlunsplit(bare)}
    if parts.query:
        options["default_query"] = dict(parse_qsl(parts.query))
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        options["default_headers"] = {"Authorization": f"Basic {b64encode(pair).decode()}"}
    return options


def endpoint_of(name: ModelName, settings: Settings) -> str:
    """The server's address without credentials; "" for the provider's own."""
    base_url = _base_url(name, settings)
    return without_credentials(base_url, named="--base-url") if base_url else ""


def _base_url(name: ModelName, settings: Settings) -> str | None:
    given = settings.base_url if name.provider in _LOCAL else None
    return given or COMPATIBLE.get(name.provider)


def _finish(metadata: Mapping[str, Any]) -> Any:
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
    counted = said.usage_metadata
    if not counted:
        return Usage()
    cached = (counted.get("input_token_details") or {}).get("cache_read")
    return Usage(counted["input_tokens"], counted["output_tokens"], cached)
