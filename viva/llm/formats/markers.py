"""Replies in DSPy's markers, or with one JSON object that holds all fields: read where they are unmistakable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import dspy
from pydantic import JsonValue

from viva.llm.formats.defects import Flawed, FormatDefect
from viva.llm.formats.field_values import shapes
from viva.llm.formats.json_text import objects_in, objects_within
from viva.llm.formats.plain_lines import names_a_field, plain_name
from viva.llm.structures import FIELD_MARKER, THOUGHT
from viva.llm.untrusted import seen

_MARKER = re.compile(rf"[ \t>*_#`-]{{0,8}}{FIELD_MARKER}[*_`]{{0,4}}:?(.*)")
_COMPLETED = re.compile(r"\[\[\s{0,3}##\s{0,3}completed\s{0,3}##\s{0,3}\]\]", re.IGNORECASE)
_THOUGHT = re.compile(rf"\s*{THOUGHT}.*?(?:</{THOUGHT[1:]}|\Z)", re.DOTALL | re.IGNORECASE)
_T = TypeVar("_T")


def read_chat(signature: type[dspy.Signature], text: str) -> dict[str, Any]:
    """All output fields of a reply in markers, or of a JSON object in it. Raises Flawed with what is wrong.

    An object counts only where no line names an output field: it may be what such a line speaks of.
    """
    text = spoken(text)
    sections = _marked(signature, text)
    if not sections:
        return _from_objects(signature, text)
    return {
        name: shape.from_text(sections[name]) if name in sections else shape.left_out()
        for name, shape in shapes(signature).items()
    }


def spoken(text: str) -> str:
    """The reply without the thoughts that some models put before it. Flawed (EMPTY) if nothing is left."""
    said = _THOUGHT.sub("", seen(text), count=1) if _THOUGHT.match(text) else seen(text)
    if not said.strip():
        raise Flawed(FormatDefect.EMPTY)
    return said


def _marked(signature: type[dspy.Signature], text: str) -> dict[str, str]:
    """The text under each output field's marker. Text under no marker, or another one, is left aside.

    Flawed (CONTRADICTION) where a field is given twice with different values, also after the end.
    """
    outputs = {plain_name(name): name for name in signature.output_fields}
    inputs = {plain_name(name) for name in signature.input_fields}
    found: list[tuple[str, list[str]]] = []
    here: list[str] = []
    for line in _COMPLETED.sub(r"\n\g<0>", text).split("\n"):
        marker = _MARKER.fullmatch(line)
        if marker is None:
            here.append(line)
            continue
        name, here = plain_name(marker.group(1)), [marker.group(2)]
        # models that do not know when to stop go on with a request of their own
        if name in inputs and len(dict(found)) == len(outputs):
            break
        if name in outputs:
            found.append((outputs[name], here))
    return once((name, _joined(lines)) for name, lines in found)


def _joined(lines: Sequence[str]) -> str:
    """The lines without a last fence that none of them opens."""
    text = "\n".join(lines).strip()
    fences = [line for line in text.split("\n") if line.lstrip().startswith("```")]
    return text.rstrip("`").rstrip() if len(fences) % 2 and text.endswith("\n```") else text


def once(pairs: Iterable[tuple[str, _T]]) -> dict[str, _T]:
    """The pairs as a mapping. Flawed (CONTRADICTION) where a name has two values."""
    found: dict[str, _T] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise Flawed(FormatDefect.CONTRADICTION, name)
        found[name] = value
    return found


def _from_objects(signature: type[dspy.Signature], text: str) -> dict[str, Any]:
    """The fields of the one JSON object in the text that holds them all."""
    flaws: list[Flawed] = []
    readings: list[dict[str, Any]] = []
    # what is mended may have swallowed an object that needs no mending
    for mend in (True, False):
        objects, unreadable, around = objects_in(text, mend=mend)
        if names_a_field(around, tuple(signature.output_fields)):
            raise Flawed(FormatDefect.NO_FIELDS)
        flaws += [unreadable] if unreadable else []
        readings += [reading for found in objects for reading in _readings(signature, found, flaws)]
        if not flaws:
            break
    if not readings:
        raise flaws[0] if flaws else Flawed(FormatDefect.NO_FIELDS)
    if any(reading != readings[0] for reading in readings):
        raise Flawed(FormatDefect.CONTRADICTION)
    return readings[0]


def _readings(
    signature: type[dspy.Signature], found: dict[str, JsonValue], flaws: list[Flawed]
) -> Iterator[dict[str, Any]]:
    """The object's fields, or those of objects in it. What is wrong with one that holds some goes to `flaws`."""
    outputs = {plain_name(name): name for name in signature.output_fields}
    try:
        given = once((outputs[plain_name(key)], v) for key, v in found.items() if plain_name(key) in outputs)
        if given:
            yield {
                name: shape.from_json(given[name]) if name in given else shape.left_out()
                for name, shape in shapes(signature).items()
            }
            return
    except Flawed as flawed:
        flaws.append(flawed)
    for inner in objects_within(found):
        yield from _readings(signature, inner, flaws)
