"""What a person can do about a failure that an examinee showed when it was tried."""

from __future__ import annotations

import re
import shlex

from viva.core.records import Failure, FailureKind
from viva.examinees.specs.records import CallableSpec, ChatSpec, CommandSpec, HttpSpec, RecordedSpec, Spec

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_STATUS = re.compile(r"(?:HTTP |^[\w ]+: |: )([45]\d\d)\b")
_ELSEWHERE = re.compile(r"to another server, (\S+), which")
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
    by_words = _by_words(spec, detail, address)
    if by_words is not None:
        return by_words
    status = _STATUS.search(detail)
    code = int(status.group(1)) if status else None
    if code in {401, 403}:
        return _about_the_key(spec)
    if code is not None and code >= 500:
        return f"The server failed by itself: its own log says why: {address}."
    return _BY_STATUS.get(code or 0, "").format(address=address)


def _by_words(spec: HttpSpec | ChatSpec, detail: str, address: str) -> str | None:
    """By what the adapters say of a reply; None where no status is told in other words."""
    if "cannot be unpacked" in detail:
        return f"See what the server, or a proxy before it, sends as Content-Encoding: {address}."
    if moved := _ELSEWHERE.search(detail):
        return f"If that is your system too, give its address there, {moved[1]}, in place of {address}."
    if "It streams" in detail:
        return (
            "Ask it for one whole reply in JSON: often `stream: false` in `body` of the panel file, or another path."
        )
    if "HTML came" in detail or "Its reply is HTML" in detail:
        return f"That is a page for people: give the address of the API behind it instead of {address}."
    if "no chat completion" in detail:
        return f"See that {address} is the address of the OpenAI-compatible API: most end in /v1."
    if isinstance(spec, HttpSpec) and (said := _of_reply(spec, detail)):
        return said
    if _STATUS.search(detail):
        return None
    if re.search("connection|Connect|resolve", detail):
        return f"See that the server runs, and that host and port are right: {address}."
    return None


def _of_reply(spec: HttpSpec, detail: str) -> str:
    if "Its JSON breaks off" in detail:
        return f"See what the server writes: {spec.url}."
    if "JSON was expected" in detail:
        return (
            "If it answers in plain text, leave `answer` out in the panel file: the whole reply is the answer then."
        )
    if spec.answer and f"at {spec.answer}" in detail:
        return f"Say in the panel file where the answer is, as a JSONPath: `answer: $.NAME` instead of {spec.answer}."
    if spec.answer and "without a text" in detail:
        return f"Lead to the text itself in the panel file: `answer: {spec.answer}.NAME` instead of {spec.answer}."
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
