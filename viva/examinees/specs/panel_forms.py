"""The forms of the parts of a panel file, and the error messages for wrong parts."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, Field, JsonValue, ValidationError

from viva.core.errors import UsageError
from viva.examinees.specs.records import (
    CallableSpec,
    ChatSpec,
    CommandSpec,
    HttpSpec,
    PanelPart,
    RecordedSpec,
    ReferenceSpec,
    Scalar,
    Spec,
    SystemSpec,
)
from viva.examinees.specs.yaml_file import Place, YamlFile

_LONGEST_SHOWN = 80
_HIDDEN = {(name,) for name in SystemSpec.model_fields}
"""Fields of a spec that are no keys of a panel file."""
_Form = TypeVar("_Form", bound="PanelPart")


def _named(name: str) -> str:
    if name != name.strip() or not name.isprintable():
        raise ValueError("a name must be text on one line, without spaces around it")
    return name


Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_named)]


class Common(PanelPart):
    """The request settings and the components of a system."""

    timeout: float | None = Field(default=None, gt=0, le=86_400)
    concurrency: int | None = Field(default=None, ge=1, le=256)
    requests_per_minute: int | None = Field(default=None, ge=1, le=1_000_000)
    retries: int | None = Field(default=None, ge=0, le=20)
    components: dict[Name, Scalar] = Field(default_factory=dict)


class PanelEntry(Common):
    """One examinee, or one for each combination of its grid. It is described under one key of KINDS."""

    name: Name
    reference: str | dict[str, JsonValue] | None = None
    python: str | dict[str, JsonValue] | None = None
    http: str | dict[str, JsonValue] | None = None
    chat: dict[str, JsonValue] | None = None
    command: str | list[JsonValue] | dict[str, JsonValue] | None = None
    recorded: str | dict[str, JsonValue] | None = None
    grid: dict[Name, list[Scalar]] = Field(default_factory=dict)


class PanelForm(PanelPart):
    """The whole file. Its entries are validated one by one."""

    defaults: Common = Common()
    examinees: list[dict[str, JsonValue]] = Field(min_length=1)


KINDS: Mapping[str, type[Spec]] = {
    "reference": ReferenceSpec,
    "python": CallableSpec,
    "http": HttpSpec,
    "chat": ChatSpec,
    "command": CommandSpec,
    "recorded": RecordedSpec,
}


def filled(form: type[_Form], value: object, file: YamlFile, place: Place) -> _Form:
    """The form with these values. UsageError with the place, the mistake and what is allowed."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        raise _sentence(form, error, file, place) from None


def _sentence(form: type[PanelPart], error: ValidationError, file: YamlFile, place: Place) -> UsageError:
    # for a value with several possible types, the error for the first type comes first
    first = min(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden")
    key = next((step for step in reversed(first["loc"]) if isinstance(step, str)), "")
    # pydantic also names the type of a union that it tried
    steps = [step for step in first["loc"] if isinstance(step, int) or _stands(file, place, step)]
    where = file.at((*place, *steps))
    if first["type"] == "extra_forbidden" or first["loc"][:1] in _HIDDEN:
        allowed = _keys(form, [step for step in first["loc"][:-1] if isinstance(step, str)])
        return UsageError(f"{where}: there is no key “{key}” here.", allowed=allowed_keys(key, allowed))
    if first["type"] == "missing":
        return UsageError(f"{where}: “{key}” is missing.", allowed=allowed_keys(key, _keys(form, [])))
    subject = next((f"“{step}” is " for step in reversed(steps) if isinstance(step, str)), "here is ")
    shown = "nothing" if first["input"] is None else repr(first["input"])
    shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    if key == "[key]":
        return UsageError(f"{where}: the key {shown} is not text.", allowed="Text: write the key in quotes.")
    if first["type"] in {"model_type", "dict_type", "model_attributes_type"}:
        keys = _keys(form, [step for step in steps if isinstance(step, str)])
        return UsageError(f"{where}: {subject}{shown}.", allowed=f"A mapping with the keys {', '.join(keys)}.")
    message = f"{first['msg'][:1].lower()}{first['msg'][1:]}".removeprefix("value error, ")
    return UsageError(f"{where}: {subject}{shown}: {message}.")


def _stands(file: YamlFile, place: Place, step: str) -> bool:
    """Whether the file has such a key at this place."""
    return any(step in found for found in file.lines if found[: len(place)] == place)


def _keys(form: type[PanelPart], steps: list[str]) -> list[str]:
    for step in steps:
        inner: Any = form.model_fields[step].annotation if step in form.model_fields else None
        found = next((t for t in (inner, *get_args(inner)) if isinstance(t, type) and issubclass(t, PanelPart)), None)
        if found is None:
            break
        form = found
    return [name for name in form.model_fields if (name,) not in _HIDDEN]


def allowed_keys(key: str, known: list[str]) -> str:
    """The allowed keys, the most similar first."""
    near = get_close_matches(key, known, n=1, cutoff=0.6)
    meant = f"Did you mean “{near[0]}”? " if near and near[0] != key else ""
    return f"{meant}Allowed: {', '.join(known)}."
