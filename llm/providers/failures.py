"""Foreign exceptions become ours here, once. Known by what they carry: a status, a response, a family name."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from viva.core.calls import Outcome
from viva.llm.calls import ProviderError
from viva.llm.secrets import Secrets

_LONGEST_DETAIL = 400
_TIMEOUTS = ("Timeout",)
_CONNECTIONS = ("Connect", "Transport", "Network", "Protocol", "Disconnected", "Payload", "ReadError", "WriteError")
_TOO_LONG = (
    "context_length",
    "context length",
    "maximum context",
    "too long",
    "too many tokens",
    "prompt is too long",
)
# what an SDK stumbles over in a body that is not what it should be
_STUMBLES = (json.JSONDecodeError, TypeError, AttributeError, KeyError, IndexError, ValueError)


def translated(error: Exception, secrets: Secrets) -> ProviderError | None:
    """What the error means, or None if it is not a provider's. The detail holds no credentials."""
    status = _status(error)
    detail = _detail(error, status, secrets)
    if status is not None:
        outcome = _by_status(status, detail)
        return ProviderError(outcome, detail, retry_after_s=_retry_after(error))
    families = [cls.__name__ for cls in type(error).__mro__]
    if any(isinstance(cause, ConnectionError) for cause in _causes(error)):
        # said first: a transport may call a reset connection a timeout
        return ProviderError(Outcome.CONNECTION_LOST, detail)
    if isinstance(error, TimeoutError | asyncio.TimeoutError) or _named(families, _TIMEOUTS):
        return ProviderError(Outcome.TIMED_OUT, detail)
    if isinstance(error, OSError) or _named(families, _CONNECTIONS):
        return ProviderError(Outcome.CONNECTION_LOST, detail)
    if isinstance(error, _STUMBLES) or "APIResponseValidationError" in families or "OpenAIError" in families:
        return ProviderError(Outcome.GARBLED, f"the response could not be read ({type(error).__name__})")
    return None


def _status(error: Exception) -> int | None:
    """The HTTP status, as the SDKs of the providers carry it."""
    response = getattr(error, "response", None)
    found = [
        getattr(error, "status_code", None),
        getattr(response, "status_code", None),
        getattr(error, "code", None),
    ]
    if isinstance(response, Mapping):  # botocore
        found.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    return next((status for status in found if isinstance(status, int) and 400 <= status < 600), None)


def _by_status(status: int, detail: str) -> Outcome:
    if status == 429:
        # a used-up account is said with the same number, and waiting does not mend it
        return Outcome.DENIED if "insufficient_quota" in detail else Outcome.RATE_LIMITED
    if status in {401, 402, 403, 404}:
        return Outcome.DENIED
    if status in {408, 409} or status >= 500:
        return Outcome.TIMED_OUT if status in {408, 504} else Outcome.SERVER_ERROR
    if status == 413 or any(sign in detail.lower() for sign in _TOO_LONG):
        return Outcome.TOO_LONG
    return Outcome.INVALID


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it came from, the deepest last."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain


def _named(families: list[str], parts: tuple[str, ...]) -> bool:
    return any(part in family for family in families for part in parts)


def _detail(error: Exception, status: int | None, secrets: Secrets) -> str:
    # without a status the SDK says little more than "Connection error."; what happened stands deeper
    told = error if status is not None else _causes(error)[-1]
    said = " ".join(str(told).split()) or type(told).__name__
    text = secrets.redacted(said)[:_LONGEST_DETAIL]
    return text if status is None or str(status) in text else f"{status}: {text}"


def _retry_after(error: Exception) -> float | None:
    """Seconds the server asked to be left alone: Retry-After as seconds or date, or retry-after-ms."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    try:
        if headers.get("retry-after-ms"):
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        asked = headers.get("retry-after")
        if not asked:
            return None
        if asked.strip().replace(".", "", 1).isdigit():
            return float(asked)
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
