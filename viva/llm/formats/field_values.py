"""Values of output fields: what a signature expects, and how it is read from text or JSON. Nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

import dspy
from pydantic import JsonValue, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from viva.llm.formats.defects import Flawed, FormatDefect
from viva.llm.formats.field_types import Kind, choices_of, core_of, in_markers, in_words, kind_of, parts_of
from viva.llm.formats.json_text import parsed
from viva.llm.formats.plain_lines import BULLET, NOTHING, bare, elements, has_bullets, objects

_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0{1,6})?")
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][+-]?\d{1,2})?")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
_NO_VALUE = {"none", "null", "n/a"}
_FENCED = re.compile(r"^```\w*\n(.*?)\n?```$", re.DOTALL)
_DEFECT_OF = {
    "missing": FormatDefect.MISSING_FIELD,
    "literal_error": FormatDefect.NOT_IN_LIST,
    "enum": FormatDefect.NOT_IN_LIST,
    "greater_than": FormatDefect.OUT_OF_RANGE,
    "greater_than_equal": FormatDefect.OUT_OF_RANGE,
    "less_than": FormatDefect.OUT_OF_RANGE,
    "less_than_equal": FormatDefect.OUT_OF_RANGE,
    "multiple_of": FormatDefect.OUT_OF_RANGE,
    "finite_number": FormatDefect.OUT_OF_RANGE,
    "too_short": FormatDefect.WRONG_LENGTH,
    "too_long": FormatDefect.WRONG_LENGTH,
    "string_too_short": FormatDefect.WRONG_LENGTH,
    "string_too_long": FormatDefect.WRONG_LENGTH,
    "extra_forbidden": FormatDefect.EXTRA_FIELD,
}


@dataclass(frozen=True, eq=False)
class Shape:
    """What is expected of one output field."""

    name: str
    description: str
    kind: Kind
    expected: str
    """in words: "a whole number from 1 to 5" """
    form: str
    """how it is written under its marker: "whole number from 1 to 5", "JSON list of texts"; "" for text"""
    choices: Mapping[str, Any]
    """of a choice: how each allowed value is written"""
    parts: Mapping[str, str]
    """of a list of objects: their fields, in order, with descriptions"""
    nullable: bool
    info: FieldInfo
    adapter: TypeAdapter[Any]

    def flawed(self, defect: FormatDefect) -> Flawed:
        """That this field has this defect."""
        return Flawed(defect, self.name, self.expected)

    def left_out(self) -> Any:
        """The value where none is given. Flawed (MISSING_FIELD) if one is needed."""
        return self._default(FormatDefect.MISSING_FIELD)

    def from_text(self, text: str) -> Any:
        """The value that this text is. Flawed where it is not plainly one."""
        text = text.strip()
        if not text or text == f"{{{self.name}}}":
            return self._default(FormatDefect.EMPTY_VALUE)
        if self.nullable and bare(text).lower() in _NO_VALUE:
            return None
        if self.kind in {"texts", "objects", "json"}:
            return self._checked(self._list_or_json(text))
        return self._checked(self._scalar(text))

    def from_json(self, value: JsonValue) -> Any:
        """The value that this JSON value is; texts that stand for a number, a choice ... are read as in from_text."""
        if value is None:
            return self._default(FormatDefect.EMPTY_VALUE)
        if self.kind in {"texts", "objects"}:
            if not isinstance(value, list):
                raise self.flawed(FormatDefect.WRONG_TYPE)
            return self._checked(_without_blanks(value))
        if self.kind == "json":
            return self._checked(value)
        if isinstance(value, str):
            return self.from_text(value)
        if isinstance(value, bool) != (self.kind == "truth") or isinstance(value, list | dict):
            raise self.flawed(FormatDefect.WRONG_TYPE)
        if self.kind in {"text", "choice"} and isinstance(value, int):
            return self.from_text(str(value))
        return self._checked(value)

    def from_lines(self, lines: Sequence[str]) -> Any:
        """The value that these lines are: of a list, its elements behind bullets; of any other, one text."""
        if self.kind in {"texts", "objects"} and not any(line.strip() for line in lines):
            return self._checked([])
        if self.kind != "objects" or not has_bullets(lines):
            return self.from_text("\n".join(lines))
        try:
            return self._checked(_without_blanks(objects(lines, list(self.parts))))
        except Flawed as flawed:
            raise self.flawed(flawed.flaw.defect) from None

    def _default(self, defect: FormatDefect) -> Any:
        if not self.info.is_required():
            return self.info.get_default(call_default_factory=True)
        if self.nullable:
            return None
        raise self.flawed(defect)

    def _scalar(self, text: str) -> Any:
        word = bare(text)
        match self.kind:
            case "text":
                return text
            case "whole" if _WHOLE.fullmatch(word):
                return int(word.partition(".")[0])
            case "number" if _NUMBER.fullmatch(word):
                return float(word)
            case "truth" if word.lower() in _TRUTH:
                return _TRUTH[word.lower()]
            case "choice":
                return self._choice(word)
        raise self.flawed(FormatDefect.OUT_OF_RANGE if word.lstrip("+-").isdigit() else FormatDefect.WRONG_TYPE)

    def _choice(self, word: str) -> Any:
        if word in self.choices:
            return self.choices[word]
        alike = [value for written, value in self.choices.items() if written.casefold() == word.casefold()]
        if len(alike) != 1:
            raise self.flawed(FormatDefect.NOT_IN_LIST)
        return alike[0]

    def _list_or_json(self, text: str) -> Any:
        fenced = _FENCED.match(text)
        text = fenced.group(1).strip() if fenced else text
        if text[:1] in {"[", "{"}:
            try:
                value = parsed(text)
            except Flawed as flawed:
                raise self.flawed(flawed.flaw.defect) from None
            return _without_blanks(value) if isinstance(value, list) else value
        if self.kind == "json":
            return text
        if bare(text).lower() in NOTHING:
            return []
        lines = text.split("\n")
        if self.kind == "objects" or not BULLET.match(lines[0]):
            raise self.flawed(FormatDefect.WRONG_TYPE)
        return _without_blanks(elements(lines))

    def _checked(self, candidate: Any) -> Any:
        try:
            return self.adapter.validate_python(candidate)
        except ValidationError as error:
            kind = error.errors(include_url=False, include_context=False, include_input=False)[0]["type"]
            defect = _DEFECT_OF.get(kind, FormatDefect.WRONG_TYPE)
            raise self.flawed(FormatDefect.EMPTY_LIST if candidate == [] else defect) from None
        except RecursionError:
            raise self.flawed(FormatDefect.BAD_JSON) from None


def shapes(signature: type[dspy.Signature]) -> dict[str, Shape]:
    """What is expected of each output field, by name, in order."""
    key: Any = signature
    return _shapes(key)


def names_in_reply(signature: type[dspy.Signature]) -> tuple[str, ...]:
    """Every name that the reply gives a value to: the output fields, and the parts of those that are objects."""
    return tuple(dict.fromkeys(name for shape in shapes(signature).values() for name in (shape.name, *shape.parts)))


def description_of(name: str, info: FieldInfo) -> str:
    """Give the field's description in the signature, on one line; "" where there is none."""
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    description = str(extra.get("desc", ""))
    return "" if description == f"${{{name}}}" else " ".join(description.split())


@lru_cache(maxsize=256)
def _shapes(signature: Any) -> dict[str, Shape]:
    return {name: _shape(name, info) for name, info in signature.output_fields.items()}


def _shape(name: str, info: FieldInfo) -> Shape:
    annotation, metadata, nullable = core_of(info.rebuild_annotation())
    kind = kind_of(annotation)
    parts = parts_of(get_args(annotation)[0]) if kind == "objects" else {}
    form = in_markers(kind, annotation, metadata, parts)
    return Shape(
        name=name,
        description=description_of(name, info),
        kind=kind,
        expected=in_words(kind, annotation, metadata, parts),
        form=f"{form or 'text'}, or none" if nullable else form,
        choices=choices_of(annotation) if kind == "choice" else {},
        parts=parts,
        nullable=nullable,
        info=info,
        adapter=TypeAdapter(info.rebuild_annotation()),
    )


def _without_blanks(values: Sequence[Any]) -> list[Any]:
    """The list without empty texts, and its objects without empty parts: what is empty was not given."""
    stripped = [value.strip() if isinstance(value, str) else value for value in values]
    kept = [
        {name: part for name, part in value.items() if not isinstance(part, str) or part.strip()}
        if isinstance(value, dict)
        else value
        for value in stripped
    ]
    return [value for value in kept if value not in ("", {})]
