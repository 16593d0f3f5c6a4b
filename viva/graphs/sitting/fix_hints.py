"""What a person can do about a failure that an examinee showed when it was tried."""

from __future__ import annotations

import re
import shlex

from viva.core.records import Failure, FailureCause, FailureKind
from viva.examinees.specs.records import CallableSpec, ChatSpec, CommandSpec, HttpSpec, RecordedSpec, Spec

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_BY_STATUS = {
    404: "There is nothing at that address: see that its path is right: {address}.",
    405: "The address does not take this method: see `method` in the panel file (GET or POST): {address}.",
    422: "The server does not take what is sent: see `body` in the panel file: {address}.",
    400: "The server does not take what is sent: see `body` in the panel file: {address}.",
    429: "It has had too many requests: set `requests_per_minute` in the panel file.",
}
_BY_CAUSE = {
    FailureCause.COMPRESSED: "See what the server, or a proxy before it, sends as Content-Encoding: {address}.",
    FailureCause.MOVED: "If that is your system too, give its address there, {about}, in place of {address}.",
    FailureCause.STREAMED: "Ask it for one whole reply in JSON: often `stream: false` in `body` of the panel file, "
    "or another path.",
    FailureCause.WEB_PAGE: "That is a page for people: give the address of the API behind it instead of {address}.",
    FailureCause.NO_COMPLETION: "See that {address} is the address of the OpenAI-compatible API: most end in /v1.",
    FailureCause.INSECURE: "See that the server speaks TLS at {address} (else give http:// in place of https://), "
    "and that its certificate is valid.",
    FailureCause.UNREACHABLE: "See that the server runs, and that host and port are right: {address}.",
    FailureCause.BROKEN_JSON: "See what the server writes: {address}.",
    FailureCause.NO_JSON: "If it answers in plain text, leave `answer` out in the panel file: the whole reply is the "
    "answer then.",
    FailureCause.NO_FIELD: "Say in the panel file where the answer is, as a JSONPath: `answer: $.NAME` instead of "
    "{path}.",
    FailureCause.NO_TEXT: "Lead to the text itself in the panel file: `answer: {path}.NAME` instead of {path}.",
}
_OF_THE_PATH = {FailureCause.NO_FIELD, FailureCause.NO_TEXT}
"""What is said of the place of the answer, where one was named."""


def mend(spec: Spec, failure: Failure) -> str:
    """The next step, in a sentence or two; it repeats no key, for it knows only the names of variables."""
    if failure.kind is FailureKind.TIMED_OUT:
        return f"Give it longer: `timeout: SECONDS` in a panel file, or --timeout SECONDS.{_alone(spec)}"
    if isinstance(spec, HttpSpec | ChatSpec):
        return _of_server(spec, failure)
    return _alone(spec).strip()


def _of_server(spec: HttpSpec | ChatSpec, failure: Failure) -> str:
    address, path = (spec.url, spec.answer) if isinstance(spec, HttpSpec) else (spec.base_url, "")
    if failure.cause is FailureCause.STATUS:
        return _by_status(spec, int(failure.about), address)
    cause = failure.cause
    if cause is None or (cause in _OF_THE_PATH and not path):
        return ""
    if cause is FailureCause.NO_JSON and isinstance(spec, ChatSpec):
        cause = FailureCause.NO_COMPLETION
    return _BY_CAUSE[cause].format(address=address, about=failure.about, path=path)


def _by_status(spec: HttpSpec | ChatSpec, status: int, address: str) -> str:
    if status in {401, 403}:
        return _about_the_key(spec)
    if status >= 500:
        return f"The server failed by itself: its own log says why: {address}."
    return _BY_STATUS.get(status, "").format(address=address)


def _about_the_key(spec: HttpSpec | ChatSpec) -> str:
    if isinstance(spec, ChatSpec):
        names = [spec.key_from] if spec.key_from else []
    else:
        told = [*spec.headers.values(), *spec.query.values()]
        names = list(dict.fromkeys(name for text in told for name in _VARIABLE.findall(text)))
    if names:
        return f"The server does not accept the key: see what the environment variable {' and '.join(names)} holds."
    if isinstance(spec, ChatSpec):
        return "The server wants a key: name the environment variable that holds it: `key_from: NAME`."
    return (
        "The server wants a key, and none is sent: put the key in an environment variable, and name it in a panel "
        'file: `headers: {Authorization: "Bearer ${NAME}"}`.'
    )


def _alone(spec: Spec) -> str:
    match spec:
        case CallableSpec():
            return f" Try it alone, in Python: {spec.function} of {spec.module}."
        case CommandSpec():
            line = (
                '{"id": "1", "question": "How are you?", "stem": "How are you?", "options": null, "passages": null}'
            )
            return f" Try it alone: echo '{line}' | {shlex.join(spec.run)}"
        case RecordedSpec():
            return f" See the lines of {spec.path}."
        case _:
            return ""
