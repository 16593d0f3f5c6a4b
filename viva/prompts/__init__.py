"""The instructions of the roles: one Markdown file each, sent with every call.

Paragraphs on inputs that a call does not have are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files

from viva.core.ids import content_hash

_OF_INPUT = re.compile(r"(?:\w+, where there is|If there is an?|If there is) `(\w+)`")
"""How a paragraph begins that is for those alone who read that input."""
_OF_OUTPUT = re.compile(r"(\w+), where it is asked for")
"""How a paragraph begins that is for those alone who are asked for that output."""


@cache
def _all() -> dict[str, str]:
    found = (file for file in files(__name__).iterdir() if file.name.endswith(".md"))
    return {file.name.removesuffix(".md"): file.read_text(encoding="utf-8").strip() for file in found}


def prompt(name: str) -> str:
    """The instructions in `<name>.md`. KeyError, naming those there are, if there is no such file."""
    known = _all()
    if name not in known:
        raise KeyError(f"There is no prompt {name!r}. There are: {', '.join(sorted(known))}.")
    return known[name]


def instructions(name: str, fields: Collection[str]) -> str:
    """Give the instructions without the paragraphs on inputs and outputs that are not among `fields`.

    KeyError as `prompt`.
    """
    return for_fields(prompt(name), fields)


def for_fields(text: str, fields: Collection[str]) -> str:
    """Leave out a text's paragraphs on inputs and outputs that are not among `fields`."""
    of = ((each, _OF_INPUT.match(each) or _OF_OUTPUT.match(each)) for each in text.split("\n\n"))
    return "\n\n".join(paragraph for paragraph, field in of if field is None or field[1] in fields)


def fingerprint(name: str) -> str:
    """16 hex digits that change with the instructions, and with nothing else. KeyError as `prompt`."""
    return content_hash("prompt", prompt(name))
