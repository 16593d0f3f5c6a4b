"""What the SDKs of the providers raise, by its shape, and what it means here."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from viva.core.calls import Outcome
from viva.core.errors import UsageError
from viva.llm.calls import ProviderError
from viva.llm.providers.failures import translated
from viva.llm.secrets import Secrets

NO_SECRETS = Secrets(environ={})


def meaning(error: Exception, secrets: Secrets = NO_SECRETS) -> ProviderError:
    failure = translated(error, secrets)
    assert failure is not None
    return failure


def raised(error: Exception, cause: Exception) -> Exception:
    """The error as one that was raised from this cause."""
    error.__cause__ = cause
    return error


# --- the shapes ------------------------------------------------------------------------------------------


class StatusError(Exception):
    """OpenAI's and Anthropic's: a status, and the response."""

    def __init__(self, status: int, said: str = "said", **headers: str) -> None:
        super().__init__(f"Error code: {status} - {said}")
        self.status_code = status
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.response = SimpleNamespace(status_code=status, headers=named)


class ClientError(Exception):
    """botocore's: the response is a dictionary."""

    def __init__(self, status: int, said: str = "said", **headers: str) -> None:
        super().__init__(f"An error occurred (SomeException) when calling the Converse operation: {said}")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.response = {
            "Error": {"Code": "SomeException", "Message": said},
            "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": named},
        }


class GenaiError(Exception):
    """Google's: the code is the status, and the status a word."""

    def __init__(self, code: int, status: str, details: Any = "said") -> None:
        super().__init__(f"{code} {status}. {details}")
        self.code = code
        self.status = status
        self.response = SimpleNamespace(headers={})


class ChatGoogleError(Exception):
    """LangChain's around Google's: a text, and the other as its cause."""


class RpcError(Exception):
    """gRPC's: the code is asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(f"<RPC that terminated with: {name}>")
        self._name = name

    def code(self) -> SimpleNamespace:
        return SimpleNamespace(name=self._name, value=(8, self._name.lower()))


class ResponseError(Exception):
    """Ollama's: a status and nothing else."""

    def __init__(self, status: int) -> None:
        super().__init__(f"said (status code: {status})")
        self.status_code = status


class AioHttpError(Exception):
    """aiohttp's: the status is called so."""

    def __init__(self, status: int) -> None:
        super().__init__(f"{status}, message='said', url='http://h'")
        self.status = status


STATUSES = [
    (400, Outcome.INVALID),
    (401, Outcome.DENIED),
    (403, Outcome.DENIED),
    (404, Outcome.DENIED),
    (408, Outcome.TIMED_OUT),
    (413, Outcome.TOO_LONG),
    (424, Outcome.SERVER_ERROR),
    (429, Outcome.RATE_LIMITED),
    (500, Outcome.SERVER_ERROR),
    (503, Outcome.SERVER_ERROR),
    (504, Outcome.TIMED_OUT),
    (529, Outcome.SERVER_ERROR),
]


@pytest.mark.parametrize(("status", "outcome"), STATUSES)
def test_a_status_means_the_same_whoever_carries_it(status: int, outcome: Outcome) -> None:
    google = GenaiError(status, "SOME_STATUS")
    shapes = [
        StatusError(status),
        ClientError(status),
        google,
        raised(ChatGoogleError(f"Error calling model: {google}"), google),
        ResponseError(status),
        AioHttpError(status),
    ]
    assert [meaning(shape).outcome for shape in shapes] == [outcome] * len(shapes)
    assert all(str(status) in meaning(shape).detail for shape in shapes)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("RESOURCE_EXHAUSTED", Outcome.RATE_LIMITED),
        ("UNAVAILABLE", Outcome.SERVER_ERROR),
        ("DEADLINE_EXCEEDED", Outcome.TIMED_OUT),
        ("UNAUTHENTICATED", Outcome.DENIED),
        ("INVALID_ARGUMENT", Outcome.INVALID),
        ("SOMETHING_NEW", Outcome.INVALID),
    ],
)
def test_the_codes_of_grpc_are_known_by_name(name: str, outcome: Outcome) -> None:
    assert meaning(RpcError(name)).outcome is outcome


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (StatusError(429, "insufficient_quota"), Outcome.DENIED),
        (StatusError(400, "Your credit balance is too low to access the Anthropic API."), Outcome.DENIED),
        (GenaiError(400, "INVALID_ARGUMENT", {"reason": "API_KEY_INVALID"}), Outcome.DENIED),
        (StatusError(500, "insufficient_quota"), Outcome.SERVER_ERROR),
        (StatusError(400, "You have reached your specified API usage limits."), Outcome.DENIED),
        (StatusError(400, "Budget has been exceeded! Current cost: 5.01, Max budget: 5.0"), Outcome.DENIED),
        (StatusError(400, "{'type': 'budget_exceeded'}"), Outcome.DENIED),
        (StatusError(429, "{'code': 'billing_not_active'}"), Outcome.DENIED),
        (StatusError(403, "The model requires moderation. Your input was flagged for violence."), Outcome.FILTERED),
        (StatusError(403, "Your account has been flagged."), Outcome.DENIED),
        (StatusError(403, "Your account access is suspended; flagged activity."), Outcome.DENIED),
        (StatusError(403, "Access to the moderation endpoint is denied for this API key"), Outcome.DENIED),
        (StatusError(400, "Unknown model 'text-moderation-latest'"), Outcome.INVALID),
        (StatusError(400, "invalid_prompt: flagged as potentially violating our usage policy"), Outcome.FILTERED),
        (StatusError(400, "{'code': 'content_policy_violation'}"), Outcome.FILTERED),
        (StatusError(400, "{'code': 'content_filter'}"), Outcome.FILTERED),
        (StatusError(401, "flagged"), Outcome.DENIED),
        (StatusError(400, "context_length_exceeded"), Outcome.TOO_LONG),
        (StatusError(400, "prompt is too long: 212345 tokens > 200000 maximum"), Outcome.TOO_LONG),
        (ClientError(400, "Input is too long for requested model."), Outcome.TOO_LONG),
        (StatusError(400, "x" * 1000 + "maximum context length"), Outcome.TOO_LONG),
    ],
)
def test_a_status_of_several_meanings_is_known_by_what_was_said(error: Exception, outcome: Outcome) -> None:
    assert meaning(error).outcome is outcome


# --- how long to wait ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (StatusError(429, retry_after="7"), 7.0),
        (StatusError(429, retry_after="0.25"), 0.25),
        (StatusError(429, retry_after="7", retry_after_ms="1500"), 1.5),
        (StatusError(429, retry_after="soon"), None),
        (StatusError(429), None),
        (ClientError(429, retry_after="7"), 7.0),
        (GenaiError(429, "RESOURCE_EXHAUSTED", {"details": [{"retryDelay": "34.5s"}]}), 34.5),
        (GenaiError(429, "RESOURCE_EXHAUSTED", json.dumps({"retryDelay": "3s"})), 3.0),
        (ResponseError(429), None),
    ],
)
def test_the_server_says_how_long_to_leave_it_alone(error: Exception, seconds: float | None) -> None:
    assert meaning(error).retry_after_s == seconds
    assert meaning(raised(ChatGoogleError(str(error)), error)).retry_after_s == seconds


def test_a_date_to_come_back_at_is_turned_into_seconds() -> None:
    in_a_minute = meaning(StatusError(429, retry_after=formatdate(time.time() + 60, usegmt=True))).retry_after_s
    past = meaning(StatusError(429, retry_after=formatdate(0, usegmt=True))).retry_after_s
    assert in_a_minute == pytest.approx(60, abs=3)
    assert past == 0.0


# --- without a status ------------------------------------------------------------------------------------


def named(name: str, *bases: type[Exception], said: str = "said") -> Exception:
    """An exception of a class of this name."""
    return type(name, bases or (Exception,), {})(said)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (TimeoutError(), Outcome.TIMED_OUT),
        (named("ReadTimeout"), Outcome.TIMED_OUT),
        (named("APITimeoutError"), Outcome.TIMED_OUT),
        (named("ReadTimeoutError", OSError), Outcome.TIMED_OUT),
        (ConnectionRefusedError("refused"), Outcome.CONNECTION_LOST),
        (raised(named("ConnectTimeout"), ConnectionResetError("reset")), Outcome.CONNECTION_LOST),
        (raised(named("APIConnectionError"), named("ConnectError")), Outcome.CONNECTION_LOST),
        (named("EndpointConnectionError"), Outcome.CONNECTION_LOST),
        (named("ClientPayloadError"), Outcome.CONNECTION_LOST),
        (named("NoCredentialsError"), Outcome.DENIED),
        (named("UnauthorizedSSOTokenError"), Outcome.DENIED),
        (raised(named("APIConnectionError"), named("LocalProtocolError")), Outcome.INVALID),
        (named("ParamValidationError"), Outcome.INVALID),
        (named("SomethingNobodyKnows"), Outcome.INVALID),
    ],
)
def test_an_error_without_a_status_is_known_by_its_family(error: Exception, outcome: Outcome) -> None:
    assert meaning(error).outcome is outcome


def test_a_number_deep_below_a_lost_connection_is_no_status() -> None:
    broken = named("ContentLengthError", said="400, message: not enough data")
    broken.code = 400  # type: ignore[attr-defined]
    error = raised(named("APIConnectionError"), raised(named("ReadError"), broken))
    assert meaning(error).outcome is Outcome.CONNECTION_LOST
    assert "not enough data" in meaning(error).detail


class Body(BaseModel):
    """A reply as an SDK wants it."""

    text: str


def stumble(text: str) -> Exception:
    """What reading this body raises."""
    try:
        Body(**json.loads(text)["reply"][0])
    except Exception as error:  # noqa: BLE001 - all that comes
        return error
    raise AssertionError(text)


@pytest.mark.parametrize("text", ["<html>", "{}", '{"reply": []}', '{"reply": null}', '{"reply": [{"text": 1}]}'])
def test_a_body_that_an_sdk_stumbles_over_is_garbled_and_may_come_whole_next_time(text: str) -> None:
    assert meaning(stumble(text)).outcome is Outcome.GARBLED


@pytest.mark.parametrize(
    "error",
    [
        ValueError("`temperature` is not supported for this model."),
        TypeError("create() got an unexpected keyword argument 'seed'"),
        AssertionError("Expected code to be unreachable, but got: 'json_object'"),
    ],
)
def test_what_an_sdk_will_not_send_is_invalid_and_says_why(error: Exception) -> None:
    failure = meaning(error)
    assert failure.outcome is Outcome.INVALID
    assert failure.detail == str(error)


def test_an_error_in_place_of_a_reply_is_garbled() -> None:
    assert meaning(ValueError({"message": "upstream failed", "code": 502})).outcome is Outcome.GARBLED


@pytest.mark.parametrize("error", [NameError("x"), RuntimeError("Event loop is closed"), UsageError("ours")])
def test_what_is_no_providers_error_is_left_as_it_is(error: Exception) -> None:
    assert translated(error, NO_SECRETS) is None


# --- what is said ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        StatusError(401, "Incorrect API key provided: planted-key-0123"),
        ClientError(403, "the token planted-key-0123 is invalid"),
        raised(named("APIConnectionError"), named("LocalProtocolError", said="bad header b'planted-key-0123'")),
        ValueError("planted-key-0123 is no number"),
        named("SomethingNobodyKnows", said="key=planted-key-0123"),
    ],
)
def test_no_detail_holds_a_credential(error: Exception) -> None:
    detail = meaning(error, Secrets("planted-key-0123", environ={})).detail
    assert "planted" not in detail
    assert "***" in detail


def test_a_detail_is_one_line_of_bounded_length() -> None:
    detail = meaning(StatusError(500, "many words\n" * 1000)).detail
    assert "\n" not in detail
    assert len(detail) <= 400
