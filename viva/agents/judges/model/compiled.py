"""What an optimizer made of a judge: other instructions, demonstrations; and the fingerprint of the fields they fit.

A saved DSPy program maps descriptions to fields by their position, so that a reordered field is undone in silence.
Here instructions and demonstrations alone are kept, by name, and the fingerprint tells whether the fields changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.fields import FieldInfo

from viva.core.errors import UsageError
from viva.core.ids import content_hash

if TYPE_CHECKING:
    import dspy

_AGAIN = "Tune the judge again, or install the file anew."


@dataclass(frozen=True)
class Compiled:
    """Instructions in place of the prompt's, and solved cases: input and output fields by name, as they are sent."""

    instructions: str
    demos: tuple[Mapping[str, object], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "demos", tuple(MappingProxyType(dict(demo)) for demo in self.demos))

    @property
    def fingerprint(self) -> str:
        """16 hex digits of the content, for a card's `content`."""
        return content_hash("compiled", self.to_json())

    def to_json(self) -> str:
        """One JSON object, the same text for the same content. TypeError for a value that JSON cannot hold."""
        demos = [dict(demo) for demo in self.demos]
        told = {"instructions": self.instructions, "demos": demos}
        return json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Compiled:
        """What `to_json` wrote. UsageError for anything else."""
        try:
            read = _File.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "the file"
            raise UsageError(
                f"This is no compiled judge: {place}: {first['msg']}.",
                allowed='A JSON object {"instructions": TEXT, "demos": [{FIELD: VALUE, ...}, ...]}.',
                next_step=_AGAIN,
            ) from None
        return cls(read.instructions, tuple(read.demos))

    def check(self, signature: type[dspy.Signature]) -> None:
        """UsageError for a demonstration that has a field which the signature has not, or lacks one that it reads."""
        known, read = signature.fields.keys(), signature.input_fields.keys()
        for number, demo in enumerate(self.demos, 1):
            strange, lacking = sorted(demo.keys() - known), sorted(read - demo.keys())
            if strange or lacking:
                told = f"has {', '.join(strange)}" if strange else f"lacks {', '.join(lacking)}"
                raise UsageError(
                    f"Demonstration {number} of the compiled judge {told}.",
                    allowed=f"The fields {', '.join(known)}.",
                    next_step=_AGAIN,
                )


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    instructions: str = Field(min_length=1)
    demos: list[dict[str, JsonValue]]


def signature_fingerprint(signature: type[dspy.Signature]) -> str:
    """16 hex digits of the fields: order, side, names, types with their limits, descriptions; no instructions.

    It does not depend on the versions of Python, pydantic and DSPy.
    """
    parts: list[str] = []
    for side, fields in (("reads", signature.input_fields), ("gives", signature.output_fields)):
        for name, info in fields.items():
            extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
            parts += [side, name, _type(info.rebuild_annotation()), str(extra.get("desc", ""))]
    return content_hash("signature", *parts)


def _type(annotation: Any) -> str:
    """A type in words of our own, which no library changes."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        return " ".join([_type(inner), *_limits(metadata)])
    if get_origin(annotation) is Literal:
        return f"one of {json.dumps(get_args(annotation))}"
    if get_args(annotation):
        return f"{_name(get_origin(annotation))} of {', '.join(map(_type, get_args(annotation)))}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.items()
        return "; ".join(f"{name}: {_type(i.rebuild_annotation())}: {i.description or ''}" for name, i in fields)
    return _name(annotation)


def _limits(metadata: list[Any]) -> Iterator[str]:
    for one in metadata:
        inner = one.metadata if isinstance(one, FieldInfo) else [one]
        for each in inner:
            for name in ("ge", "gt", "le", "lt", "min_length", "max_length"):
                if getattr(each, name, None) is not None:
                    yield f"{name} {getattr(each, name)}"


def _name(kind: Any) -> str:
    return str(getattr(kind, "__name__", kind))
