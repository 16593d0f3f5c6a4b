"""Replies in plain lines: `name: value`, lists behind bullets, whatever prose stands around them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Any

import dspy

from viva.llm.formats.defects import Flawed
from viva.llm.formats.field_values import Shape, shapes
from viva.llm.formats.markers import once, read_chat, spoken
from viva.llm.formats.plain_lines import has_bullets, header, plain_name, until_prose


def read_plain(signature: type[dspy.Signature], text: str) -> dict[str, Any]:
    """All output fields of a reply in plain lines, or as `read_chat` reads them. Raises Flawed with what is wrong."""
    # a JSON object on several lines looks like plain lines, so it has the first word
    try:
        return read_chat(signature, text)
    except Flawed as flawed:
        sections = _lines(signature, spoken(text))
        if not sections:
            raise flawed from None
    return {
        name: shape.from_lines(sections[name]) if name in sections else shape.left_out()
        for name, shape in shapes(signature).items()
    }


@dataclass
class _Section:
    """The lines of one field, and how its name stood on the line."""

    shape: Shape
    indent: int
    bulleted: bool
    lines: list[str]

    def holds(self, name: str, indent: int, bulleted: bool) -> bool:
        """Whether a line `name: ...` belongs to this list rather than begins a field."""
        if self.shape.kind not in {"texts", "objects"}:
            return False
        deeper = indent > self.indent or (bulleted and not self.bulleted)
        return deeper and (bulleted if self.shape.kind == "texts" else name in map(plain_name, self.shape.parts))

    def value_lines(self, *, last: bool) -> list[str]:
        """The lines that make the value: without prose after it, a wrapped line joined to the one before."""
        said = [line.strip() for line in self.lines if line.strip()]
        match self.shape.kind:
            case "objects" if has_bullets(self.lines):
                return self.lines
            case "texts" | "objects":
                return until_prose(self.lines)
            case "text" if last:
                return [" ".join(takewhile(bool, dropwhile(lambda line: not line, map(str.strip, self.lines))))]
            case "text" | "json":
                return [" ".join(said)]
            case _:
                return said[:1]


def _lines(signature: type[dspy.Signature], text: str) -> dict[str, list[str]]:
    """The lines of each output field. Those before the first, and fences, are left aside."""
    outputs = {plain_name(name): shape for name, shape in shapes(signature).items()}
    named = header(tuple(signature.fields))
    found: list[_Section] = []
    for line in text.split("\n"):
        match = named.fullmatch(line)
        name = plain_name(match["name"]) if match else ""
        if match and name not in outputs and len({s.shape.name for s in found}) == len(outputs):
            break
        indent, bulleted = (len(match["indent"]), bool(match["bullet"])) if match else (0, False)
        if match and name in outputs and not (found and found[-1].holds(name, indent, bulleted)):
            found.append(_Section(outputs[name], indent, bulleted, [match["value"]]))
        elif found and not line.lstrip().startswith("```"):
            found[-1].lines.append(line)
    return once((s.shape.name, s.value_lines(last=s is found[-1])) for s in found)
