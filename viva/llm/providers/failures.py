"""Foreign exceptions become ours here, once. Known by what they carry: a status, a response, a family name."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

from viva.core.calls import Outcome
from viva.llm.calls import ProviderError
from viva.llm.secrets import Secrets

_LONGEST_DETAIL = 400
# parts of the names of exception classes
_KEYLESS = ("Credential", "SSOToken", "UnauthorizedSSO", "RefreshError")
_UNSENDABLE = ("LocalProtocol", "ParamValidation", "UnsupportedProtocol", "InvalidURL")
_TIMEOUTS = ("Timeout",)
_CONNECTIONS = (
    *("Connect", "Transport", "Network", "Protocol", "Disconnected", "Payload", "HTTPClient"),
    *("ReadError", "WriteError"),
)
# what servers say with a status that means several things
_REFUSED_ACCOUNT = (
    *("insufficient_quota", "credit balance is too low", "api_key_invalid", "api key not valid"),
    *("api usage limits", "budget has been exceeded", "budget_exceeded", "billing_not_active"),
)
_FILTERED = re.compile(
    r"content_filter|content_policy|invalid_prompt|\b(?:prompt|input|message|request|content)s?\b[^.]{0,60}\bflagged"
)
_TOO_LONG = ("context_length", "context length", "maximum context", "context limit", "too long", "too many tokens")
# what an SDK stumbles over in a body that is not what it should be
_STUMBLES = (
    *(json.JSONDecodeError, TypeError, AttributeError, KeyError, IndexError, ValueError),
    # a body that is nested deeper than Python goes, a number that is larger than a float
    *(RecursionError, ArithmeticError),
)
# gRPC's names, and Google's in an HTTP body
_GRPC = {
    "INVALID_ARGUMENT": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
_GOOGLE_DELAY = re.compile(r"retryDelay\W{1,8}(\d{1,6}(?:\.\d{1,9})?)s")


def translated(error: Exception, secrets: Secrets) -> ProviderError | None:
    """What the error means; None if it is not a provider's but ours. The detail holds no credentials."""
    chain = _causes(error)
    # LangChain's packages wrap an SDK's error in one of theirs; deeper down, 400 means that a body is no HTTP
    told = chain[:2]
    status = next((found for each in told for found in _statuses(each)), None)
    if status is not None:
        detail = _shown(str(error), secrets)
        detail = detail if str(status) in detail else f"{status}: {detail}"
        return ProviderError(_by_status(status, error), detail, retry_after_s=_retry_after(told), status=status)
    outcome = _by_kind(error, chain)
    if outcome is None:
        return None
    if outcome is Outcome.GARBLED:
        return ProviderError(outcome, f"the response could not be read ({type(error).__name__})")
    # without a status the SDK says little more than "Connection error."; what happened stands deeper
    return ProviderError(outcome, _shown(str(chain[-1]) or type(chain[-1]).__name__, secrets))


# --- with a status ---------------------------------------------------------------------------------------


def _statuses(error: BaseException) -> Iterator[int]:
    """HTTP statuses, as the SDKs of the providers carry them."""
    response = getattr(error, "response", None)
    code = getattr(error, "code", None)
    found = [
        getattr(error, "status_code", None),
        getattr(response, "status_code", None),
        _GRPC.get(getattr(code(), "name", "")) if callable(code) else code,
        getattr(error, "status", None),
    ]
    if isinstance(response, Mapping):  # botocore
        found.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    yield from (int(status) for status in found if isinstance(status, int) and 400 <= status < 600)


def _by_status(status: int, error: Exception) -> Outcome:
    said = str(error).lower()
    if status in {400, 403, 422} and _FILTERED.search(said):
        # the prompt was refused, before a model saw it
        return Outcome.FILTERED
    if status in {401, 402, 403, 404} or (status < 500 and any(sign in said for sign in _REFUSED_ACCOUNT)):
        # a used-up account may be said with 429, and waiting does not mend it
        return Outcome.DENIED
    if status == 429:
        return Outcome.RATE_LIMITED
    if status in {408, 504}:
        return Outcome.TIMED_OUT
    if status in {409, 424} or status >= 500:
        return Outcome.SERVER_ERROR
    if status == 413 or any(sign in said for sign in _TOO_LONG) or "ContextOverflowError" in _families([error]):
        return Outcome.TOO_LONG
    return Outcome.INVALID


def _retry_after(told: Sequence[BaseException]) -> float | None:
    """Seconds the server asked to be left alone: retry-after-ms, Retry-After, or retryDelay in Google's body."""
    asked = next((seconds for error in told if (seconds := _in_headers(error)) is not None), None)
    delay = _GOOGLE_DELAY.search(str(told[0]))
    return float(delay[1]) if asked is None and delay else asked


def _in_headers(error: BaseException) -> float | None:
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore
        headers: Any = response.get("ResponseMetadata", {}).get("HTTPHeaders")
    else:
        headers = getattr(response, "headers", None)
    if headers is None:
        return None
    try:
        if headers.get("retry-after-ms"):
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return seconds_of(headers.get("retry-after") or "")
    except (ValueError, TypeError):
        return None


def seconds_of(asked: str) -> float | None:
    """What a Retry-After asks for: a number or a date (RFC 9110, section 10.2.3); None for anything else."""
    try:
        if re.fullmatch(r"\d{1,12}(?:\.\d{0,12})?", asked.strip()):
            return float(asked)
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


# --- without one -----------------------------------------------------------------------------------------


def _by_kind(error: Exception, chain: Sequence[BaseException]) -> Outcome | None:
    families, all_families = _families([error]), _families(chain)
    if _named(all_families, _KEYLESS):
        return Outcome.DENIED
    if _named(all_families, _UNSENDABLE) or _was_refused_here(error):
        return Outcome.INVALID
    if any(isinstance(cause, ConnectionError) for cause in chain):
        # said first: a transport may call a reset connection a timeout
        return Outcome.CONNECTION_LOST
    if isinstance(error, TimeoutError) or _named(families, _TIMEOUTS):
        return Outcome.TIMED_OUT
    if isinstance(error, OSError) or _named(families, _CONNECTIONS):
        return Outcome.CONNECTION_LOST
    if isinstance(error, _STUMBLES) or families & {"APIResponseValidationError", "DecodingError", "OpenAIError"}:
        return Outcome.GARBLED
    # an SDK has more kinds of exception than anybody knows; a fault of ours must be seen
    return None if type(error).__module__.partition(".")[0] in {"builtins", "viva"} else Outcome.INVALID


def _was_refused_here(error: Exception) -> bool:
    """Whether the SDK would not send it: a parameter it does not know, a value it does not take."""
    said = type(error) is ValueError and isinstance(next(iter(error.args), None), str)
    return said or isinstance(error, AssertionError) or "unexpected keyword argument" in str(error)


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it came from, the deepest last."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain


def _families(errors: Sequence[BaseException]) -> set[str]:
    return {cls.__name__ for error in errors for cls in type(error).__mro__}


def _named(families: set[str], parts: tuple[str, ...]) -> bool:
    return any(part in family for family in families for part in parts)


def _shown(said: str, secrets: Secrets) -> str:
    return secrets.redacted(" ".join(said.split()))[:_LONGEST_DETAIL]
