"""What a conversation asks for, as the fake model reads it: output fields, inputs, and the format of the reply."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from viva.core.calls import Message

Style = Literal["markers", "json", "plain", "prose"]
Schema = dict[str, JsonValue]

_BREAK = r"(?:\n|\\n)"
FENCE = re.compile(
    rf"<<<(?P<label>[^<>\n]*?) (?P<tag>[0-9a-f]{{8}})>>>{_BREAK}(?P<text>.*?){_BREAK}?<<<end (?P=label) (?P=tag)>>>",
    re.DOTALL,
)
"""Untrusted text in a prompt; the tag that opened it must close it."""

_MARKER = re.compile(r"^[ \t]*\[\[ ## (\w+) ## \]\][ \t]*", re.MULTILINE)
_DESCRIBED = re.compile(r"^\d+\. `(\w+)` \((.*?)\):[ \t]*(.*?)(?=^\d+\. `|\Z)", re.MULTILINE | re.DOTALL)
_NOTE = re.compile(r"\{(\w+)\}(?: {8}# note: the value you produce (.*))?")
_PLAIN = re.compile(r"^Answer in plain lines,[^\n]*\n(?:[^\n]+\n)*\n", re.MULTILINE)
_PLAIN_LINE = re.compile(r"(?:(- |  )?(\w+): )?<(.*)>|- <.*>")
_BASIC: dict[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
}
_WORDED = {
    "a whole number": "integer",
    "a number": "number",
    "true or false": "boolean",
    "a list": "array",
    "JSON": "object",
}
_ADHERE = "must adhere to the JSON schema: "
_LEAST, _MOST = re.compile(r"greater than or equal to: (-?\d+)"), re.compile(r"less than or equal to: (-?\d+)")


@dataclass(frozen=True)
class RequestField:
    """An output field: its type is a JSON schema, whatever wording it was asked in."""

    name: str
    schema: Schema
    description: str = ""


@dataclass(frozen=True)
class Request:
    """What is asked. `inputs` hold the values by name, without fences; `text` is the whole conversation."""

    style: Style
    outputs: tuple[RequestField, ...]
    inputs: dict[str, str]
    text: str


def read_request(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> Request:
    """Read the conversation; no known field is style 'prose'."""
    text = "\n\n".join(message.text for message in messages)
    fences = _Fences()
    turns = [(m.role, fences.hidden(m.text)) for m in messages]
    asked = "\n\n".join(turn for role, turn in turns if role != "assistant")
    wanted = parameters.get("response_format")
    if _PLAIN.search(asked):
        outputs = tuple(_plain_fields(_PLAIN.split(asked)[1]))
        inputs = _plain_inputs(turns[-1][1])
        style: Style = "plain"
    else:
        outputs, names = _dspy_fields(asked)
        inputs = _marked([turn for role, turn in turns if role == "user"], names)
        style = (
            "json" if wanted or re.search(r"Respond with a JSON object|Outputs will be a JSON", asked) else "markers"
        )
        outputs = outputs or _of_schema(wanted)
    inputs = {name: fences.restored(value).strip() for name, value in inputs.items()}
    return Request(style if outputs else "prose", outputs, inputs, text)


class _Fences:
    """Fenced text is put aside while the format is read, so that nothing in it can pass for the format."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def hidden(self, text: str) -> str:
        return FENCE.sub(self._put_aside, text.replace("\x00", ""))

    def _put_aside(self, match: re.Match[str]) -> str:
        self._texts.append(match["text"])
        return f"\x00{len(self._texts) - 1}\x00"

    def restored(self, text: str) -> str:
        return re.sub(r"\x00(\d+)\x00", lambda match: self._texts[int(match[1])], text)


# --- DSPy's wordings ----------------------------------------------------------------------------------------


def _dspy_fields(asked: str) -> tuple[tuple[RequestField, ...], list[str]]:
    """Output fields, and names of input fields, as DSPy's system message lists them."""
    head, _, rest = asked.partition("Your output fields are:")
    described, _, structure = rest.partition("All interactions will be structured")
    structure = structure.partition("In adhering to this structure")[0]
    names = [match[1] for match in _DESCRIBED.finditer(head.rpartition("Your input fields are:")[2])]
    notes = dict(_notes(structure))
    found = (
        RequestField(match[1], _schema(match[2], notes.get(match[1], ""), match[3]), match[3].strip())
        for match in _DESCRIBED.finditer(described)
    )
    return tuple(found), names


def _notes(structure: str) -> Iterator[tuple[str, str]]:
    _, _, after = structure.partition("Outputs will be a JSON object with the following fields.")
    with suppress(ValueError):
        told = json.JSONDecoder().raw_decode(after.lstrip())[0]
        structure = "\n".join(map(str, told.values())) if isinstance(told, dict) else structure
    for match in _NOTE.finditer(structure):
        yield match[1], match[2] or ""


def _schema(annotation: str, note: str, description: str) -> Schema:
    if annotation in _BASIC:
        return {**_BASIC[annotation], **_bounds(description)}
    # what looks like a type and is none is answered with a text
    with suppress(ValueError, SyntaxError):
        if annotation.startswith("Literal["):
            return {"enum": list(ast.literal_eval(annotation.removeprefix("Literal")))}
        if note.startswith(_ADHERE):
            schema = json.loads(note.removeprefix(_ADHERE))
            if isinstance(schema, dict) and isinstance(definitions := schema.get("$defs", {}), dict):
                return _inlined(schema, definitions)
    if note.startswith("must be one of: "):
        return {"enum": list(note.removeprefix("must be one of: ").split("; "))}
    return _BASIC["str"]


def _bounds(description: str) -> Schema:
    least, most = _LEAST.search(description), _MOST.search(description)
    scale = re.search(r"\b(\d)\s*(?:to|or|-|–|\.\.|/)\s*(\d)\b", description)
    if least and most:
        return {"minimum": int(least[1]), "maximum": int(most[1])}
    return {"minimum": int(scale[1]), "maximum": int(scale[2])} if scale else {}


def _inlined(schema: JsonValue, definitions: Mapping[str, JsonValue], depth: int = 0) -> Schema:
    """The schema without references; one that refers to itself ends after a few rounds."""
    if not isinstance(schema, dict) or depth > 8:
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _inlined(definitions.get(reference.rpartition("/")[2]), definitions, depth + 1)
    whole: Schema = {name: value for name, value in schema.items() if name != "$defs"}
    if isinstance(properties := whole.get("properties"), dict):
        whole["properties"] = {name: _inlined(p, definitions, depth + 1) for name, p in properties.items()}
    if "items" in whole:
        whole["items"] = _inlined(whole["items"], definitions, depth + 1)
    if isinstance(choices := whole.get("anyOf"), list):
        whole["anyOf"] = [_inlined(choice, definitions, depth + 1) for choice in choices]
    return whole


def _of_schema(wanted: JsonValue) -> tuple[RequestField, ...]:
    """The fields of an OpenAI response_format of type json_schema."""
    inner = wanted.get("json_schema") if isinstance(wanted, dict) else None
    schema = inner.get("schema", inner) if isinstance(inner, dict) else None
    if not isinstance(schema, dict) or not isinstance(definitions := schema.get("$defs", {}), dict):
        return ()
    properties = _inlined(schema, definitions).get("properties")
    if not isinstance(properties, dict):
        return ()
    return tuple(
        RequestField(name, p, str(p.get("description", ""))) for name, p in properties.items() if isinstance(p, dict)
    )


def _marked(turns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Input values of the last turn that has any (turns before it are demonstrations, one after it a re-ask)."""
    for turn in reversed(turns):
        parts = _MARKER.split(turn)
        values = {name: value for name, value in zip(parts[1::2], parts[2::2], strict=True) if name in names}
        if values:
            last = list(values)[-1]
            values[last] = re.split(r"\n\nRespond with (?:the corresponding|a JSON)", values[last])[0]
            return values
    return {}


# --- plain lines --------------------------------------------------------------------------------------------


def _plain_fields(layout: str) -> Iterator[RequestField]:
    """The fields of the lines that show what an answer looks like, up to the first that shows none."""
    field: RequestField | None = None
    for line in layout.splitlines():
        match = _PLAIN_LINE.fullmatch(line)
        if match is None:
            break
        _, part, told = match.groups()
        if field is not None and line.startswith(("- ", "  ")):
            one: Schema = {"properties": {}} if part else {"type": "string"}
            items = field.schema.setdefault("items", one)
            if part and isinstance(items, dict) and isinstance(parts := items.get("properties"), dict):
                parts[part] = _worded(told)
            continue
        if field is not None:
            yield field
        field = RequestField(part, _worded(told), told) if part else None
    if field is not None:
        yield field


def _worded(told: str) -> Schema:
    """The type that the last words of a description say, in brackets."""
    said = told[told.rfind(" (") :] if " (one of: " not in told else told[told.rfind(" (one of: ") :]
    said = said.strip(" ()")
    if said.startswith("one of: "):
        return {"enum": list(said.removeprefix("one of: ").split("; "))}
    kind = next((kind for words, kind in _WORDED.items() if said.startswith(words)), "string")
    return {"type": kind, **(_bounds(told) if kind in {"integer", "number"} else {})}


def _plain_inputs(turn: str) -> dict[str, str]:
    """Paragraphs that begin with a name."""
    given, _, _ = turn.rpartition("\n\nAnswer in plain lines")
    parts = re.split(r"(?:\A|\n\n)([a-z]\w*): ", given)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
