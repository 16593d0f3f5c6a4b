"""A request as the user has written it, with places for the question and its parts (PLACES)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from viva.core.errors import UsageError
from viva.examinees.readers.choosing import Asked, lettered
from viva.examinees.specs.records import Json

PLACES = ("question", "stem", "options", "passages", "history", "messages")
# {{name}} is the literal {name}; braces around anything else are left alone
_PLACE = re.compile(r"\{\{([A-Za-z_][\w .-]*)\}\}|\{([A-Za-z_][\w .-]*)\}")


def places_in(template: Json) -> set[str]:
    """The names of all placeholders in a template."""
    return {found[2] for text in _texts(template) for found in _PLACE.finditer(text) if found[2]}


def check_template(template: Json, components: Mapping[str, str], whose: str) -> None:
    """UsageError for a placeholder that stands for nothing, and for a template without the question."""
    found = places_in(template)
    unknown = sorted(found - {*PLACES, *components})
    if unknown:
        raise UsageError(
            f"{whose} has the placeholder {{{unknown[0]}}}, which stands for nothing.",
            allowed=", ".join(f"{{{name}}}" for name in (*PLACES, *sorted(components))) + ".",
            next_step=f"For the literal text, double the braces: {{{{{unknown[0]}}}}}.",
        )
    if not found & {"question", "stem", "messages"}:
        raise UsageError(
            f"{whose} says nowhere where the question goes.",
            allowed="{question}, {stem} or {messages}, in its body or query.",
        )


def filled(template: Json, asked: Asked, components: Mapping[str, str]) -> Json:
    """The template with its places filled. Nothing is pasted into JSON: only its strings are replaced.

    A string that is only {options} or {passages} becomes the list, or null where there is none; one that is only
    {history} or {messages} the list of messages; one that is only a component's name its number, where it is one.
    """
    if isinstance(template, dict):
        return {key: filled(value, asked, components) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, asked, components) for value in template]
    if not isinstance(template, str):
        return template
    whole = _PLACE.fullmatch(template)
    if whole is None or whole[2] is None:
        return filled_text(template, asked, components)
    return _value(whole[2], asked, components)


def filled_text(template: str, asked: Asked, components: Mapping[str, str]) -> str:
    """The text with its places filled; options as lettered lines, passages as paragraphs, messages as a script."""
    said = [turn.line for turn in asked.history]
    texts = {
        **components,
        "question": asked.question,
        "stem": asked.stem,
        "options": lettered(asked.options or ()),
        "passages": "\n\n".join(asked.passages or ()),
        "history": "\n".join(said),
        "messages": "\n".join([*said, f"User: {asked.question}"] if said else [asked.question]),
    }
    return _PLACE.sub(lambda place: texts[place[2]] if place[2] else f"{{{place[1]}}}", template)


def _value(name: str, asked: Asked, components: Mapping[str, str]) -> Json:
    if name in {"options", "passages"}:
        listed = asked.options if name == "options" else asked.passages
        return None if listed is None else list(listed)
    if name in {"history", "messages"}:
        told = asked.earlier if name == "history" else asked.messages
        return [{"role": each["role"], "content": each["content"]} for each in told]
    if name in PLACES:
        return asked.question if name == "question" else asked.stem
    with suppress(ValueError):
        plain = json.loads(components[name])
        if isinstance(plain, int | float):
            return plain
    return components[name]


def _texts(template: Json) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, dict):
        for value in template.values():
            yield from _texts(value)
    elif isinstance(template, list):
        for value in template:
            yield from _texts(value)
