"""Lists written as lines: elements behind bullets, and objects whose parts stand on lines of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.llm.formats.defects import Flawed, FormatDefect

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

    Raises Flawed (WRONG_TYPE) for an element that names no part.
    """
    names = {plain_name(part): part for part in parts}
    found: list[dict[str, str]] = []
    last = ""
    for line in lines:
        bullet = BULLET.match(line)
        text = line[bullet.end() :].strip() if bullet else line.strip()
        key = _KEY.fullmatch(text)
        name = names.get(plain_name(key.group(1))) if key else None
        if key and name:
            if not found or name in found[-1] or (bullet and name == parts[0]):
                found.append({})
            found[-1][name], last = key.group(2).strip(), name
        elif bullet and text and bare(text).lower() not in NOTHING:
            raise Flawed(FormatDefect.WRONG_TYPE)
        elif text and found:
            found[-1][last] = f"{found[-1][last]} {text}".strip()
    return found
