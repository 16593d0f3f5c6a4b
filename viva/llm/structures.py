"""What formats and chat templates read as structure: one list for readers of replies and for `neutralised`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from viva.llm.formats.lookalikes import folded

MARK = "·"
"""What breaks up a structure: it is put between two characters that a reader wants to find side by side."""
FIELD_MARKER = r"\[\[?\s{0,3}#{1,3}\s{0,3}(\w[\w -]{0,60}?)\s{0,3}#{1,3}\s{0,3}\]\]?"
"""A marker of an output field, as replies are read: DSPy's `[[ ## name ## ]]` and its usual misspellings."""
THOUGHT = r"<(?:think(?:ing)?)>"
"""How the thoughts of a reasoning model begin."""

_ANY_NAME = r"\w[\w -]{0,60}?"
_TURN = "system|developer|assistant|user|human"
_SIGN = r"(?:[^\w\n]|_)"
_SIGN_UNMARKED = rf"(?:[^\w\n{MARK}]|_)"
_SIGN_BETWEEN = rf"(?:[^\w\n:{MARK}]|_)"
_QUOTE = "[\"'“”‘’`]"
_OPENINGS = (
    # DSPy's field markers, also half of one, and the identifiers under which it reads images and files out of text
    r"\[(?=\[\s*##)",
    r"##\s?\](?=\])",
    r"<(?=<(?:CUSTOM-TYPE|/?SYS)\b)",
    # chat templates: <|im_start|>, <start_of_turn>, </s>, [INST]
    r"<(?=\|[^\n|<>]{1,60}\|>)",
    r"<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn)>)",
    r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])",
    # our own fences
    r"<(?=<<)",
    # a line that is a heading or a name and nothing else opens a turn: "### System:", "**System**", "<system>"
    rf"#(?=[ \t]*(?:{_TURN}|instructions?|response|input)[ \t]*:?[ \t]*$)",
    rf"^{_SIGN_UNMARKED}*(?:[*_\[<~`]|=[ \t]*)(?=(?:{_TURN}){_SIGN_UNMARKED}*$)",
    rf"<(?=\s?/?\s?(?:{_TURN}|thoughts?|instructions?)(?:\s[^<>\n]{{0,40}})?/?>)",
)
_FLAGS = re.IGNORECASE | re.MULTILINE
_OPENING = tuple(re.compile(opening, _FLAGS) for opening in _OPENINGS)
# an outer bracket that is broken off leaves an inner one
_MARKER = re.compile(rf"(?<!\[{MARK}){FIELD_MARKER}")
_THOUGHT = re.compile(rf"</?{THOUGHT[1:]}", re.IGNORECASE)


def _line_named(one: str, colon: str = ":") -> re.Pattern[str]:
    numbered = rf"(?:\d{{1,3}}[.)]{_SIGN}*)?"
    return re.compile(rf"^{_SIGN}*{numbered}(?P<name>{one})(?={_SIGN_BETWEEN}{{0,40}}{colon})", _FLAGS)


# two colons part names in Rust and C++
_NAMED_TURN = _line_named(_TURN, ":(?!:)")


class Structure(NamedTuple):
    """Where a text could be read as structure, and where marks break it up; `field` is its name, "" for no field."""

    start: int
    end: int
    marks: tuple[int, ...]
    field: str


def written(name: str) -> str:
    """A pattern for the name of a field as models write it; case is the caller's matter."""
    return re.escape(name).replace("_", "[ _-]?")


def structures(text: str) -> Iterator[Structure]:
    """Every marker, thought, fence, turn and special token in the text, look-alikes included."""
    plain, places = folded(text)
    for match in _MARKER.finditer(plain):
        yield _at(places, match.span(), (match.start() + 1, match.end() - 1), match[1])
    for match in _THOUGHT.finditer(plain):
        yield _at(places, match.span(), (match.start() + 1,), "think")
    for pattern in _OPENING:
        for match in pattern.finditer(plain):
            yield _at(places, match.span(), (match.end(),))
    for match in _NAMED_TURN.finditer(plain) if ":" in plain else ():
        yield _at(places, match.span("name"), (match.end("name"),))


def named_fields(text: str, names: tuple[str, ...] | None = None) -> Iterator[Structure]:
    """Every line and every key of JSON in the text that gives a value to one of these fields; None is any field."""
    plain, places = folded(text)
    for pattern in _named_field(names) if ":" in plain and names != () else ():
        for match in pattern.finditer(plain):
            yield _at(places, match.span("name"), (match.end("name"),), match["name"])


def fields(text: str, names: tuple[str, ...]) -> list[Structure]:
    """What of the text is read as fields of a reply, or as thoughts, in order."""
    return sorted({*(each for each in structures(text) if each.field), *named_fields(text, names)})


def _at(places: Sequence[int], span: tuple[int, int], marks: tuple[int, ...], field: str = "") -> Structure:
    return Structure(places[span[0]], places[span[1]], tuple(places[mark] for mark in marks), field)


@lru_cache(maxsize=256)
def _named_field(names: tuple[str, ...] | None) -> tuple[re.Pattern[str], ...]:
    """`name:` at the beginning of a line, behind whatever signs; and as a key of JSON, also of slovenly JSON."""
    longest_first = sorted(names or (), key=len, reverse=True)
    one = "|".join(map(written, longest_first)) if names else _ANY_NAME
    keys = "|".join("".join(map(_or_escaped, name)) for name in longest_first) if names else rf"(?:{_ANY_NAME}|\\\w+)"
    return (
        _line_named(one),
        re.compile(rf"{_QUOTE}(?P<name>{one}|{keys})(?={_QUOTE}\s*:)", _FLAGS),
        re.compile(rf"[{{,]\s*(?P<name>{one})(?=\s*:)", _FLAGS),
    )


def _or_escaped(char: str) -> str:
    """The character, or what JSON may write for it."""
    return rf"(?:{re.escape(char)}|\\u00{ord(char):02x}|\\u00{ord(char.upper()):02x})"
