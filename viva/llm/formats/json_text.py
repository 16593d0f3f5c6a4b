"""JSON in replies: found anywhere in a text, mended where it is only misspelt, never where its end is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from viva.llm.formats.defects import Flawed, FormatDefect
from viva.llm.untrusted import seen

_LONGEST_MENDED = 20_000
_MOST_TRIES = 1000
_LARGEST_NUMBER = 2**63 - 1
_DEEPEST = 50
_CLOSES = {"{": "}", "[": "]"}
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|["{}\[\]]', re.DOTALL)


def objects_in(text: str, *, mend: bool) -> tuple[list[dict[str, JsonValue]], Flawed | None, str]:
    """Readable JSON objects in the text, outermost only, what is wrong with the first unreadable one, and the rest.

    The rest is the text with the readable objects left empty. Without `mend`, what is misspelt is unreadable.
    """
    found: list[dict[str, JsonValue]] = []
    flaw: Flawed | None = None
    around, rest = list[str](), 0
    position = text.find("{")
    for _ in range(_MOST_TRIES):
        if position < 0:
            break
        end = _end_of(text, position)
        try:
            value = parsed(text[position:end], mend=mend)
        except Flawed as flawed:
            flaw = flaw or flawed
            position = text.find("{", position + 1)
        else:
            found += [value] if isinstance(value, dict) else []
            around.append(f"{text[rest:position]}{{}}")
            rest = len(text) if end is None else end
            position = text.find("{", rest)
    return found, flaw, "".join([*around, text[rest:]])


def objects_within(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """The objects that stand in this value, but not those within them."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(inner, dict):
            yield inner
        else:
            yield from objects_within(inner)


def parsed(text: str, *, mend: bool = True) -> JsonValue:
    """The JSON value that the whole text is, with `mend` single quotes and the like mended. Flawed if it is none."""
    text = text.strip()
    if text[:1] in _CLOSES and _end_of(text, 0) != len(text):
        raise Flawed(FormatDefect.BAD_JSON)
    try:
        return _plain(json.loads(text, strict=False, object_pairs_hook=_without_contradiction))
    except (ValueError, RecursionError):
        if not mend or text[:1] not in _CLOSES or len(text) > _LONGEST_MENDED:
            raise Flawed(FormatDefect.BAD_JSON) from None
    return _mended(text)


def _mended(text: str) -> JsonValue:
    import json_repair

    try:
        value: Any = json_repair.loads(text)
    except (ValueError, RecursionError):
        raise Flawed(FormatDefect.BAD_JSON) from None
    if not isinstance(value, dict | list):
        raise Flawed(FormatDefect.BAD_JSON)
    return _plain(value)


def _end_of(text: str, start: int) -> int | None:
    """Where the bracket that opens at `start` is closed, exclusive; None if it is not, or too deep, or crossed."""
    open_brackets: list[str] = []
    for match in _STRUCTURE.finditer(text, start):
        sign = match.group()
        if sign == '"':
            return None  # a string without an end
        if sign in _CLOSES:
            open_brackets.append(_CLOSES[sign])
            if len(open_brackets) > _DEEPEST + 1:
                return None  # not worth the way to its end, from every bracket in it
        elif sign in "]}":
            if open_brackets.pop() != sign:
                return None
            if not open_brackets:
                return match.end()
    return None


def _without_contradiction(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise Flawed(FormatDefect.CONTRADICTION)
        found[name] = value
    return found


def _plain(value: JsonValue, depth: int = 0) -> JsonValue:
    """The value with cleaned texts. Flawed for numbers that are none, or larger than any database takes."""
    if depth > _DEEPEST:
        raise Flawed(FormatDefect.BAD_JSON)
    if isinstance(value, str):
        return seen(value)
    if isinstance(value, dict):
        return {seen(name): _plain(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    # the comparison is False for NaN
    if isinstance(value, int | float) and not abs(value) <= _LARGEST_NUMBER:
        raise Flawed(FormatDefect.OUT_OF_RANGE)
    return value
