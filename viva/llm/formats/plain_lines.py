"""Lists written as lines: elements behind bullets, and objects whose parts stand on lines of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from viva.llm.formats.defects import Flawed, FormatDefect
from viva.llm.structures import written

BULLET = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)])(?:[ \t]+|$)")
"""How a line begins that is an element of a list."""
NOTHING = frozenset({"none", "null", "n/a", "nothing", "empty", "[]"})
"""Words for an empty list."""

_KEY = re.compile(r"[*_`\"]{0,3}(\w[\w -]{0,40}?)[*_`\"]{0,3}[ \t]{0,3}:[*_]{0,3}[ \t]*(.*)")
_AROUND_A_WORD = "*_`\"' \t\n"


def bare(text: str) -> str:
    """The text without the quotes, stars and full stop that often stand around one word."""
    return text.strip(_AROUND_A_WORD).rstrip(".").strip(_AROUND_A_WORD)


def plain_name(name: str) -> str:
    """A field's name without regard to case, spaces, hyphens and underscores."""
    return re.sub(r"[\s_-]+", " ", name.strip()).lower()


@lru_cache(maxsize=256)
def header(names: tuple[str, ...]) -> re.Pattern[str]:
    """A line `name: ...`, whatever bullet, number, emphasis or case the name has."""
    one = "|".join(map(written, sorted(names, key=len, reverse=True)))
    return re.compile(
        r"(?P<indent>[ \t]*)(?P<bullet>(?:[-*•+]|\d{1,3}[.)])[ \t]+)?"
        rf"[#*_`]{{0,4}}[ \t]{{0,3}}(?P<name>{one})[*_`]{{0,3}}"
        r"[ \t]{0,3}:[*_]{0,3}[ \t]*(?P<value>.*)",
        re.IGNORECASE,
    )


def names_a_field(text: str, names: tuple[str, ...]) -> bool:
    """Whether a line of the text gives one of the fields."""
    return any(header(names).fullmatch(line) for line in text.split("\n"))


def has_bullets(lines: Sequence[str]) -> bool:
    """Whether any line begins like an element of a list."""
    return any(BULLET.match(line) for line in lines)


def elements(lines: Sequence[str]) -> list[str]:
    """Elements that begin with a bullet, each with the lines that continue it; "- none" is no element."""
    found: list[str] = []
    for line in lines:
        bullet = BULLET.match(line)
        if bullet:
            found.append(line[bullet.end() :].strip())
        elif found and line.strip():
            found[-1] = f"{found[-1]} {line.strip()}".strip()
    return [] if len(found) == 1 and bare(found[0]).lower() in NOTHING else found


def objects(lines: Sequence[str], parts: Sequence[str]) -> list[dict[str, str]]:
    """Objects of these parts. The first part behind a bullet begins an object, and so does one that is there already.

    Lines before a further part of an object belong to its last one, whatever they look like. Raises Flawed
    (WRONG_TYPE) for an element that names no part.
    """
    names = {plain_name(part): part for part in parts}
    read = [_line(line, names) for line in lines]
    found: list[dict[str, str]] = []
    last = ""
    for place, (line, further) in enumerate(zip(read, _next_named(read), strict=True)):
        if line.name:
            if not found or line.begins_after(found[-1], parts[0]):
                found.append({})
            found[-1][line.name], last = line.text, line.name
        elif found and further and not further.begins_after(found[-1], parts[0]):
            found[-1][last] = f"{found[-1][last]} {lines[place].strip()}".strip()
        elif line.bullet and line.text and bare(line.text).lower() not in NOTHING:
            raise Flawed(FormatDefect.WRONG_TYPE)
        elif line.text and found:
            if _ends_list(lines, place):
                break
            found[-1][last] = f"{found[-1][last]} {line.text}".strip()
    return found


def until_prose(lines: Sequence[str]) -> list[str]:
    """The lines of a list, without the prose behind it."""
    return list(lines[: next((place for place in range(len(lines)) if _ends_list(lines, place)), len(lines))])


def _ends_list(lines: Sequence[str], place: int) -> bool:
    """Whether prose begins here: after an empty line, neither indented nor behind a bullet."""
    line = lines[place]
    after_blank = place > 1 and not lines[place - 1].strip()
    return after_blank and bool(line.strip()) and not line[0].isspace() and not BULLET.match(line)


class _Line(NamedTuple):
    """A line of an object: whether a bullet begins it, the part that it names, if any, and what else is on it."""

    bullet: bool
    name: str
    text: str

    def begins_after(self, current: Mapping[str, str], first: str) -> bool:
        """Whether the part on this line is of another object than the current one."""
        return self.name in current or (self.bullet and self.name == first)


def _line(line: str, names: Mapping[str, str]) -> _Line:
    bullet = BULLET.match(line)
    text = line[bullet.end() :].strip() if bullet else line.strip()
    key = _KEY.fullmatch(text)
    name = names.get(plain_name(key.group(1)), "") if key else ""
    return _Line(bullet is not None, name, key.group(2).strip() if key and name else text)


def _next_named(lines: Sequence[_Line]) -> list[_Line | None]:
    """For each line the next one that names a part."""
    found: list[_Line | None] = []
    for line in reversed([*lines[1:], None]):
        found.append(line if line and line.name else found[-1] if found else None)
    return found[::-1]
