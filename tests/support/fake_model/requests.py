"""What a conversation asks for, as the fake model reads it: output fields, inputs, and the format of the reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
_GIVEN = "You are given:\n"
_WANTED = "Reply with these fields, each after its marker on a line of its own, and nothing else:\n"
_DESCRIBED = re.compile(r"^\d+\. `(\w+)` \((.*?)\):[ \t]*(.*?)(?=^\d+\. `|\Z)", re.MULTILINE | re.DOTALL)
_JSON = "All interactions will be structured"
"""What parts the fields from the rest in the frame of DSPy's own optimizers, which ask for JSON."""
_LIST = re.compile(r"JSON list (?:\(.*?\) )?of ")
_ONE_OF = re.compile(r"(?:one|any) of (.*?)(?:: |\Z)")
_PART = re.compile(r'"(\w+)": <(.*?)>(?=, "|\})')
_PLAIN = re.compile(r"^Answer in plain lines,[^\n]*\n(?:[^\n]+\n)*\n", re.MULTILINE)
_PLAIN_LINE = re.compile(r"(?:(- |  )?(\w+): )?<(.*)>|- <.*>")
_WORDED = {
    "whole number": "integer",
    "number": "number",
    "true or false": "boolean",
    "list": "array",
    "JSON": "object",
}


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


def read_request(messages: Sequence[Message]) -> Request:
    """Read the conversation; no known field is style 'prose'."""
    text = "\n\n".join(message.text for message in messages)
    fences = _Fences()
    turns = [(m.role, fences.hidden(m.text)) for m in messages]
    asked = "\n\n".join(turn for role, turn in turns if role != "assistant")
    if _PLAIN.search(asked):
        outputs = tuple(_plain_fields(_PLAIN.split(asked)[1]))
        inputs = _plain_inputs(turns[-1][1])
        style: Style = "plain"
    else:
        style = "json" if _JSON in asked else "markers"
        outputs, names = (_fields_in_json if _JSON in asked else _fields)(asked)
        inputs = _marked([turn for role, turn in turns if role == "user"], names)
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


# --- markers ------------------------------------------------------------------------------------------------


def _fields(asked: str) -> tuple[tuple[RequestField, ...], list[str]]:
    """Output fields, and names of input fields, as the system message lists them."""
    head, _, wanted = asked.partition(_WANTED)
    parts = _MARKER.split(wanted.partition("[[ ## completed ## ]]")[0])
    pairs = [(name, line.strip()) for name, line in zip(parts[1::2], parts[2::2], strict=True)]
    names = re.findall(r"^- (\w+)", head.rpartition(_GIVEN)[2], re.MULTILINE) if pairs else []
    return tuple(RequestField(name, _schema(line), line) for name, line in pairs), names


def _fields_in_json(asked: str) -> tuple[tuple[RequestField, ...], list[str]]:
    """The same as DSPy lists them; all that is no list or object is a text."""
    head, _, rest = asked.partition("Your output fields are:")
    names = [match[1] for match in _DESCRIBED.finditer(head.rpartition("Your input fields are:")[2])]
    kinds = {"dict": "object", "list": "array"}
    found = (
        RequestField(match[1], {"type": kinds.get(match[2].partition("[")[0], "string")}, match[3].strip())
        for match in _DESCRIBED.finditer(rest.partition(_JSON)[0])
    )
    return tuple(found), names


def _schema(line: str) -> Schema:
    """The type that the first words under a marker say."""
    if a_list := _LIST.match(line):
        element = line[a_list.end() :]
        parts: Schema = {name: _worded(told) for name, told in _PART.findall(element)}
        return {"type": "array", "items": {"properties": parts} if parts else _schema(element)}
    if choices := _ONE_OF.match(line):
        return {"enum": re.split("; " if ";" in choices[1] else ", ", choices[1])}
    return _typed(line, line)


def _marked(turns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Input values of the last turn that has any (turns before it are demonstrations, one after it a re-ask)."""
    for turn in reversed(turns):
        parts = _MARKER.split(turn)
        values = {name: value for name, value in zip(parts[1::2], parts[2::2], strict=True) if name in names}
        if values:
            last = list(values)[-1]
            values[last] = re.split(r"\n\n(?:Reply with the fields from|Respond with a JSON) ", values[last])[0]
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
    at = max(0, told.find("(one of: ") if "(one of: " in told else told.rfind(" ("))
    said = told[at:].strip(" ()")
    # a description may begin with the same words, and parts what it names by commas
    if said.startswith("one of: ") and ("(one of: " in told or "; " in told):
        return {"enum": list(said.removeprefix("one of: ").split("; "))}
    return _typed(said.removeprefix("a "), told)


def _typed(words: str, told: str) -> Schema:
    kind = next((kind for start, kind in _WORDED.items() if words.casefold().startswith(start.casefold())), "string")
    scale = re.search(r"\b(\d)\s*(?:to|or|-|–|\.\.|/)\s*(\d)\b", told) if kind in {"integer", "number"} else None
    return {"type": kind, **({"minimum": int(scale[1]), "maximum": int(scale[2])} if scale else {})}


def _plain_inputs(turn: str) -> dict[str, str]:
    """Paragraphs that begin with a name."""
    given, _, _ = turn.rpartition("\n\nAnswer in plain lines")
    parts = re.split(r"(?:\A|\n\n)([a-z]\w*): ", given)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
