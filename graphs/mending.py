"""What a person can do about a failure that an examinee showed when it was tried."""

from __future__ import annotations

import re
import shlex

from viva.core.records import Failure, FailureKind
from viva.examinees.specs import CallableSpec, ChatSpec, CommandSpec, HttpSpec, RecordedSpec, Spec

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_STATUS = re.compile(r"(?:HTTP |^[\w ]+: |: )([45]\d\d)\b")
_BY_STATUS = {
    404: "There is nothing at that address: see that its path is right: {address}.",
    405: "The address does not take this method: see `method` in the panel file (GET or POST): {address}.",
    422: "The server does not take what is sent: see `body` in the panel file: {address}.",
    400: "The server does not take what is sent: see `body` in the panel file: {address}.",
    429: "It has had too many requests: set `requests_per_minute` in the panel file.",
}


def mend(spec: Spec, failure: Failure) -> str:
    """The next step, in a sentence or two; it repeats no key, for it knows only the names of variables."""
    if failure.kind is FailureKind.TIMED_OUT:
        return f"Give it longer: `timeout: SECONDS` in a panel file, or --timeout SECONDS.{_alone(spec)}"
    if isinstance(spec, HttpSpec | ChatSpec):
        return _of_server(spec, failure.detail)
    return _alone(spec).strip()


def _of_server(spec: HttpSpec | ChatSpec, detail: str) -> str:
    address = spec.url if isinstance(spec, HttpSpec) else spec.base_url
    status = _STATUS.search(detail)
    code = int(status.group(1)) if status else None
    if code in {401, 403}:
        return _about_the_key(spec)
    if code in _BY_STATUS:
        return _BY_STATUS[code].format(address=address)
    if code is not None and code >= 500:
        return f"The server failed by itself: its own log says why: {address}."
    if "HTML" in detail:
        return f"That is a page for people: give the address of the API behind it instead of {address}."
    if re.search("connection|Connect|resolve", detail):
        return f"See that the server runs, and that host and port are right: {address}."
    if "JSON was expected" in detail and isinstance(spec, HttpSpec):
        return (
            "If it answers in plain text, leave `answer` out in the panel file: the whole reply is the answer then."
        )
    if isinstance(spec, HttpSpec) and spec.answer and f"at {spec.answer}" in detail:
        return f"Say in the panel file where the answer is, as a JSONPath: `answer: $.NAME` instead of {spec.answer}."
    if "no chat completion" in detail:
        return f"See that {address} is the address of the OpenAI-compatible API: most end in /v1."
    return ""


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
            return f" Try it alone, in Python: {spec.function} of {spec.target}."
        case CommandSpec():
            line = (
                '{"id": "1", "question": "How are you?", "stem": "How are you?", "options": null, "passages": null}'
            )
            return f" Try it alone: echo '{line}' | {shlex.join(spec.argv)}"
        case RecordedSpec():
            return f" See the lines of {spec.path}."
        case _:
            return ""
