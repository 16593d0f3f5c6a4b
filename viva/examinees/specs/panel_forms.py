"""The forms of the parts of a panel file, and the error messages for wrong parts."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from viva.core.errors import UsageError
from viva.examinees.specs.panel_grid import Scalar
from viva.examinees.specs.records import AnyRetrieverName, ReaderName, ScoreName
from viva.examinees.specs.yaml_file import Place, YamlFile

_LONGEST_SHOWN = 80
_Form = TypeVar("_Form", bound="SystemForm")


def _named(name: str) -> str:
    if name != name.strip() or not name.isprintable():
        raise ValueError("a name must be text on one line, without spaces around it")
    return name


def _address(url: str) -> str:
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError("an address must begin with http:// or https://")
    return url


Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_named)]
Address = Annotated[str, AfterValidator(_address)]
Number = Annotated[float, Field(allow_inf_nan=False)]


class SystemForm(BaseModel):
    """A form that allows only declared keys and values of their types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Common(SystemForm):
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


class PanelForm(SystemForm):
    """The whole file. Its entries are validated one by one."""

    defaults: Common = Common()
    examinees: list[dict[str, JsonValue]] = Field(min_length=1)


class ReferenceForm(SystemForm):
    """A reference system. `k`, `chunk` None: as the run's settings say."""

    retriever: AnyRetrieverName
    reader: ReaderName = "lexical"
    k: int | None = Field(default=None, ge=1, le=100)
    chunk: int | None = Field(default=None, ge=32, le=4096)
    examples: int | None = Field(default=None, ge=0, le=20)
    encoder: str = ""
    rerank: str = ""
    score: ScoreName | None = None


class PythonForm(SystemForm):
    """A function that is the system; with arguments, a class or function that creates it."""

    target: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class HttpForm(SystemForm):
    """An HTTP endpoint."""

    url: Address
    method: Literal["GET", "POST"] = "POST"
    headers: dict[str, str | int | Number | bool] = Field(default_factory=dict)
    body: JsonValue = None
    query: dict[str, str | int | Number | bool] = Field(default_factory=dict)
    answer: str = ""
    passages: str = ""
    passage_ids: str = ""
    input_tokens: str = ""
    output_tokens: str = ""


class ChatForm(SystemForm):
    """An endpoint of the OpenAI chat protocol."""

    base_url: Address
    model: str = Field(min_length=1)
    key_from: str = Field(default="OPENAI_API_KEY", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")
    system: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)


class CommandForm(SystemForm):
    """A program."""

    run: list[str | int | Number] = Field(min_length=1)
    environment: dict[str, str | int | Number | bool] = Field(default_factory=dict)
    folder: str = ""
    memory_mb: int | None = Field(default=None, ge=16)
    takes_passages: bool = False


class RecordedForm(SystemForm):
    """Recorded answers."""

    path: str = Field(min_length=1)


KINDS: Mapping[str, type[SystemForm]] = {
    "reference": ReferenceForm,
    "python": PythonForm,
    "http": HttpForm,
    "chat": ChatForm,
    "command": CommandForm,
    "recorded": RecordedForm,
}


def filled(form: type[_Form], value: object, file: YamlFile, place: Place) -> _Form:
    """The form with these values. UsageError with the place, the mistake and what is allowed."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        raise _sentence(form, error, file, place) from None


def _sentence(form: type[SystemForm], error: ValidationError, file: YamlFile, place: Place) -> UsageError:
    # for a value with several possible types, the error for the first type comes first
    first = min(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden")
    key = next((step for step in reversed(first["loc"]) if isinstance(step, str)), "")
    # pydantic also names the type of a union that it tried
    steps = [step for step in first["loc"] if isinstance(step, int) or _stands(file, place, step)]
    where = file.at((*place, *steps))
    if first["type"] == "extra_forbidden":
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


def _keys(form: type[SystemForm], steps: list[str]) -> list[str]:
    for step in steps:
        inner: Any = form.model_fields[step].annotation if step in form.model_fields else None
        found = next(
            (t for t in (inner, *get_args(inner)) if isinstance(t, type) and issubclass(t, SystemForm)), None
        )
        if found is None:
            break
        form = found
    return list(form.model_fields)


def allowed_keys(key: str, known: list[str]) -> str:
    """The allowed keys, the most similar first."""
    near = get_close_matches(key, known, n=1, cutoff=0.6)
    meant = f"Did you mean “{near[0]}”? " if near and near[0] != key else ""
    return f"{meant}Allowed: {', '.join(known)}."
