"""Types of output fields: which kind of value an annotation asks for, and how to say so to a model."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import dspy
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

Kind = Literal["text", "whole", "number", "truth", "choice", "texts", "objects", "json"]

_SCALARS: dict[Any, Kind] = {str: "text", dspy.Reasoning: "text", int: "whole", float: "number", bool: "truth"}
_LIMITS = {
    "ge": "at least",
    "gt": "above",
    "le": "at most",
    "lt": "below",
    "min_length": "of length at least",
    "max_length": "of length at most",
}


def core_of(annotation: Any) -> tuple[Any, list[Any], bool]:
    """The annotation without Annotated and Optional, its constraints, and whether None is allowed."""
    metadata: list[Any] = []
    nullable = False
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            metadata += [c for m in more for c in (m.metadata if isinstance(m, FieldInfo) else [m])]
        elif get_origin(annotation) in {Union, types.UnionType} and type(None) in get_args(annotation):
            inner = [arg for arg in get_args(annotation) if arg is not type(None)]
            annotation, nullable = inner[0] if len(inner) == 1 else Union[tuple(inner)], True  # noqa: UP007
        else:
            return annotation, metadata, nullable


def kind_of(annotation: Any) -> Kind:
    """The kind of a core annotation; "json" for all that is neither a scalar nor a plain list."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if get_origin(annotation) is Literal or (isinstance(annotation, type) and issubclass(annotation, Enum)):
        return "choice"
    if get_origin(annotation) is list:
        element = core_of(get_args(annotation)[0])[0]
        if kind_of(element) in {"text", "whole", "number", "truth", "choice"}:
            return "texts"
        if isinstance(element, type) and issubclass(element, BaseModel) and _is_flat(element):
            return "objects"
    return "json"


def _is_flat(model: type[BaseModel]) -> bool:
    kinds = {kind_of(core_of(field.rebuild_annotation())[0]) for field in model.model_fields.values()}
    return bool(kinds) and not kinds & {"texts", "objects", "json"}


def parts_of(model: type[BaseModel]) -> dict[str, str]:
    """What to say of each field of a model, by name, in order."""
    told = {}
    for name, field in model.model_fields.items():
        annotation, metadata, _ = core_of(field.rebuild_annotation())
        expected = in_words(kind_of(annotation), annotation, metadata)
        told[name] = described(field.description, expected) if field.description else expected
    return told


def described(description: str, expected: str) -> str:
    """The description, and what is expected where that is more than some text."""
    return description if expected == "text" else f"{description} ({expected})"


def choices_of(annotation: Any) -> dict[str, Any]:
    """The values of a Literal or an Enum, by how they may be written."""
    if get_origin(annotation) is Literal:
        return {str(value): value for value in get_args(annotation)}
    return {member.name: member for member in annotation} | {str(member.value): member for member in annotation}


def in_words(kind: Kind, annotation: Any, metadata: Sequence[Any], parts: Iterable[str] = ()) -> str:
    """What is expected: "a whole number from 1 to 5"."""
    words = {
        "text": "text",
        "whole": "a whole number",
        "number": "a number",
        "truth": "true or false",
        "texts": "a list",
        "objects": f"a list of objects with {', '.join(parts)}",
        "json": "JSON of the form described",
    }
    if kind == "choice":
        return f"one of: {'; '.join(_allowed(annotation))}"
    return " ".join([words[kind], *_limits(metadata)])


def in_markers(kind: Kind, annotation: Any, metadata: Sequence[Any], parts: Mapping[str, str]) -> str:
    """Give how a value is written under its marker: "whole number from 1 to 5", "JSON list of texts"; "" for text."""
    limits = " ".join(_limits(metadata))
    a_list = f"JSON list ({limits}) of" if limits else "JSON list of"
    match kind:
        case "choice":
            return f"one of {_listed(annotation)}"
        case "texts":
            return f"{a_list} {_elements(get_args(annotation)[0])}"
        case "objects":
            told = ", ".join(f'"{name}": <{part}>' for name, part in parts.items())
            return f"{a_list} objects {{{told}}}"
        case "json":
            return f"JSON of the schema {json.dumps(TypeAdapter(annotation).json_schema(), ensure_ascii=False)}"
        case _:
            words = in_words(kind, annotation, metadata).removeprefix("a ")
            return "" if words == "text" else words


def _elements(annotation: Any) -> str:
    core, metadata, _ = core_of(annotation)
    kind = kind_of(core)
    if kind == "choice":
        return f"any of {_listed(core)}"
    words = {"text": "texts", "whole": "whole numbers", "number": "numbers", "truth": "true or false"}
    return " ".join([words[kind], *_limits(metadata)])


def _listed(annotation: Any) -> str:
    allowed = _allowed(annotation)
    return ("; " if any("," in choice for choice in allowed) else ", ").join(allowed)


def _allowed(annotation: Any) -> list[str]:
    """List the values of a Literal or an Enum as they are written, each once."""
    values = choices_of(annotation).values()
    return list(dict.fromkeys(str(v if get_origin(annotation) is Literal else v.value) for v in values))


def _limits(metadata: Sequence[Any]) -> Iterator[str]:
    found = {name: getattr(m, name) for m in metadata for name in _LIMITS if getattr(m, name, None) is not None}
    if {"ge", "le"} <= found.keys():
        yield f"from {found.pop('ge')} to {found.pop('le')}"
    yield from (f"{_LIMITS[name]} {value}" for name, value in found.items())
