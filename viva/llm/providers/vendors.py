"""What LangChain's packages want each in its own way: names of parameters, retries, keys."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from viva.core.settings import Settings

EXTRAS = {"anthropic": "anthropic", "bedrock": "bedrock", "bedrock_converse": "bedrock", "google_genai": "google"}
_AWS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK, with AWS_REGION"
KEY_VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google_genai": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "bedrock_converse": ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"),
}
"""Environment variables any one of which tells that a provider's key is set."""
KEYS = {provider: " or ".join(names) for provider, names in KEY_VARIABLES.items()}
KEYS |= {"bedrock": _AWS, "bedrock_converse": _AWS}
"""The same in words, with what else is needed."""


class Address(NamedTuple):
    """A server's address, and apart from it what it is opened with: LangChain tells tracers how a model was made."""

    bare: str
    query: dict[str, str]
    login: tuple[str, str] | None


def address_of(url: str) -> Address:
    """The parts of a URL that may hold user, password and keys."""
    parts = urlsplit(url)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
    login = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    return Address(urlunsplit(bare), dict(parse_qsl(parts.query)), login)


def takes_completion_tokens(url: str) -> bool:
    """Whether OpenAI listens there, or Azure's same interface.

    Their reasoning models refuse `max_tokens`. Others, and Azure's interface of before, know only that.
    """
    parts = urlsplit(url)
    host = f".{parts.hostname or ''}"
    azure = host.endswith(".openai.azure.com") and parts.path.rstrip("/").endswith("/openai/v1")
    return azure or host.endswith(".openai.com")


def options_of(provider: str, parameters: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """What the chat model's constructor is given: the parameters by their names there, no retries but the gateway's.

    ImportError where the provider's package is not installed.
    """
    options = dict(parameters)
    match provider:
        case "google_genai" | "google_vertexai":
            # 0 retries would mean the SDK's usual ones, and no temperature the package's 0.7
            return {"temperature": None, **options, "max_retries": 1}
        case "bedrock" | "bedrock_converse":
            return {**options, **_bedrock_client(settings)}
    return {**options, "max_retries": 0}


def _bedrock_client(settings: Settings) -> dict[str, Any]:
    # left to itself, botocore gives up after a minute and keeps ten connections
    return {
        "max_retries": 0,
        "timeout": math.ceil(settings.call_timeout_s),
        "config": import_module("botocore.config").Config(max_pool_connections=settings.concurrency),
        "disable_streaming": True,
    }


def require_key(provider: str, chat: Any) -> None:
    """ValueError for a model without a key, where its package would notice at the first request only."""
    match provider:
        case "anthropic":
            found = bool(chat.anthropic_api_key.get_secret_value())
        case "bedrock" | "bedrock_converse":
            token = os.environ.get("AWS_BEARER_TOKEN_BEDROCK")
            found = bool(token or import_module("boto3").Session().get_credentials())
        case _:
            return
    if not found:
        raise ValueError("there is no key for it.")
