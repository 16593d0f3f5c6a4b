"""The value under a kind in a panel file: as a full mapping, and as a spec."""

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
    texts,
    words,
)
from viva.examinees.specs.near_misses import of_python
from viva.examinees.specs.panel_forms import (
    ChatForm,
    CommandForm,
    HttpForm,
    PythonForm,
    RecordedForm,
    ReferenceForm,
    SystemForm,
)
from viva.examinees.specs.panel_grid import level_text
from viva.examinees.specs.records import CALLABLE, Spec
from viva.examinees.specs.reference import reference_spec, reference_told


def in_full(kind: str, said: Any) -> dict[str, Any]:
    """The description of a system as a mapping, also if it is one line. UsageError for a wrong line."""
    if isinstance(said, dict):
        return said
    if isinstance(said, list):
        return {"run": said}
    match kind:
        case "reference":
            told = reference_told(said, said).model_dump()
            return {name: value for name, value in told.items() if value not in (None, "")}
        case "python":
            return {"target": said}
        case "http":
            return {"url": said, "answer": BARE_ANSWER}
        case "command":
            return {"run": words(said)}
        case _:
            return {"path": said}


def named_function(told: KindDescription, text: str) -> str:
    """The text. UsageError if it names no function."""
    if not CALLABLE.fullmatch(text):
        raise of_python(replace(told, spec=text), text) or UsageError(
            f"“{text}” names no function.", allowed="FILE.py:FUNCTION or MODULE:FUNCTION."
        )
    return text


def spec_of(told: KindDescription, form: SystemForm, settings: Settings) -> Spec:
    """The spec of a form. UsageError for mistakes that no form finds, such as a file that does not exist."""
    match form:
        case ReferenceForm():
            return reference_spec(told, form, settings)
        case PythonForm():
            return callable_spec(told, named_function(told, form.target), form.arguments)
        case HttpForm():
            return http_spec(told, form)
        case ChatForm():
            return chat_spec(told, form)
        case CommandForm():
            argv = [level_text(word) for word in form.run]
            return command_spec(
                told, argv, texts(form.environment), form.folder, form.memory_mb, takes_passages=form.takes_passages
            )
        case RecordedForm():
            return recorded_spec(told, form.path)
        case _:
            raise AssertionError(f"no spec is made of {type(form).__name__}")
