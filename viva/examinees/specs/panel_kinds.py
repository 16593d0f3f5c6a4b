"""A system of any kind: the value under the kind in a panel file in full, and the spec with its examinee."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.kinds import (
    BARE_ANSWER,
    KindDescription,
    callable_spec,
    chat_spec,
    command_spec,
    http_spec,
    recorded_spec,
    words,
)
from viva.examinees.specs.near_misses import of_python
from viva.examinees.specs.records import (
    CALLABLE,
    CallableSpec,
    ChatSpec,
    CommandSpec,
    HttpSpec,
    LiveSpec,
    RecordedSpec,
    ReferenceSpec,
    Spec,
)
from viva.examinees.specs.reference import reference_spec, reference_told


def in_full(kind: str, said: Any) -> dict[str, Any]:
    """The description of a system as a mapping, also if it is one line. UsageError for a wrong line."""
    if isinstance(said, dict):
        return said
    if isinstance(said, list):
        return {"run": said}
    match kind:
        case "reference":
            told = reference_told(said, said).model_dump(exclude_unset=True)
            return {name: value for name, value in told.items() if value != ""}
        case "python":
            return {"target": said}
        case "http":
            return {"url": said, "answer": BARE_ANSWER}
        case "command":
            return {"run": words(said)}
        case _:
            return {"path": said}


def spec_of(told: KindDescription, said: Spec, settings: Settings) -> Spec:
    """The spec with its examinee. UsageError for mistakes that no type shows, such as a file that does not exist."""
    match said:
        case ReferenceSpec():
            return reference_spec(told, said, settings)
        case CallableSpec():
            _check_function(told, said.target)
            return callable_spec(told, said)
        case HttpSpec():
            return http_spec(told, said)
        case ChatSpec():
            return chat_spec(told, said)
        case CommandSpec():
            return command_spec(told, said)
        case RecordedSpec():
            return recorded_spec(told, said)
        case LiveSpec():
            return said


def _check_function(told: KindDescription, text: str) -> None:
    if not CALLABLE.fullmatch(text):
        raise of_python(replace(told, spec=text), text) or UsageError(
            f"“{text}” names no function.", allowed="FILE.py:FUNCTION or MODULE:FUNCTION."
        )
