"""A YAML file as plain data, with the line of every value, so that a mistake can be pointed at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from viva.core.errors import UsageError
from viva.llm.secrets import Secrets

LARGEST_FILE = 250_000
"""Bytes: five hundred examinees, told at length, are half of it."""
MOST_VALUES, DEEPEST = 50_000, 30
Place = tuple[str | int, ...]
_REFERENCE = re.compile(r"\$\{[A-Za-z_]\w*\}")


class _Loader(yaml.SafeLoader):
    """A date stays the text that it is written as: JSON has none."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own way
        first: [(tag, form) for tag, form in forms if tag != "tag:yaml.org,2002:timestamp"]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@dataclass(frozen=True)
class YamlFile:
    """What the file holds: mappings, lists, texts, numbers, truth values. Lines are counted from 1."""

    path: Path
    data: Any
    lines: dict[Place, int]

    def at(self, place: Place) -> str:
        """The file, and the line of this value or of what holds it."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.path}, line {self.lines[place]}" if place in self.lines else str(self.path)


def read_yaml(path: Path) -> YamlFile:
    """The file. UsageError where it cannot be read, is too large, repeats a key, or holds what looks like a key."""
    text = _text_of(path)
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        lines = dict(_walked(node, (), path)) if node is not None else {}
        data = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        raise _unreadable(path, error) from error
    except (RecursionError, ValueError, OverflowError) as error:
        raise UsageError(
            f"{path} is no YAML that can be read: nested too deeply, or a number is too large."
        ) from error
    finally:
        loader.dispose()
    file = YamlFile(path, data, lines)
    _check_no_secrets(file)
    return file


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise UsageError(
                f"{path} is larger than {LARGEST_FILE // 1000} kB.", allowed="Describe less in one file."
            )
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(
            f"There is no file {path}.", next_step="A panel file is described in docs/panel-file.md."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}.") from error


def _unreadable(path: Path, error: yaml.YAMLError) -> UsageError:
    mark = getattr(error, "problem_mark", None)
    where = f"{path}, line {mark.line + 1}" if mark else str(path)
    said = getattr(error, "problem", None) or "a character that YAML does not allow"
    return UsageError(
        f"{where}: this is no YAML: {said}.",
        allowed="A text that holds ': ' or begins with {, [, *, & is put in quotes.",
    )


def _walked(node: yaml.Node, place: Place, path: Path) -> Iterator[tuple[Place, int]]:
    """The line of every value. What aliases make of a small file is bounded here, before it is built."""
    waiting: list[tuple[yaml.Node, Place]] = [(node, place)]
    count = 0
    while waiting:
        node, place = waiting.pop()
        count += 1
        if count > MOST_VALUES or len(place) > DEEPEST:
            raise UsageError(f"{path} holds more than {MOST_VALUES} values, or nests deeper than {DEEPEST}.")
        yield place, node.start_mark.line + 1
        if isinstance(node, yaml.SequenceNode):
            waiting += [(each, (*place, n)) for n, each in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            _check_keys(node, path)
            waiting += [(each, (*place, str(key.value))) for key, each in node.value]


def _check_keys(node: yaml.MappingNode, path: Path) -> None:
    """YAML itself would let the last of two equal keys win."""
    seen = set()
    for key, _ in node.value:
        if str(key.value) in seen:
            raise UsageError(f"{path}, line {key.start_mark.line + 1}: the key “{key.value}” stands here twice.")
        seen.add(str(key.value))


# --- secrets ------------------------------------------------------------------------------------------------


def _check_no_secrets(file: YamlFile) -> None:
    secrets = Secrets(environ={})
    for place, text in _texts(file.data, ()):
        named = next((str(part) for part in reversed(place) if isinstance(part, str)), "")
        bare = _REFERENCE.sub("", text)
        if any(secrets.redacted(form) != form for form in (bare, f"{named}: {bare}")):
            # what it is may not be repeated
            raise UsageError(
                f"{file.at(place)}: the value of “{named}” looks like a key or a password.",
                allowed="Only names of environment variables may stand in the file: ${NAME} in an endpoint's headers "
                "and query, key_from: NAME for chat. A program has viva's own environment.",
                next_step="Put the key in a variable: export NAME=...",
            )


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _texts(each, (*place, str(key)))
    elif isinstance(value, list):
        # a program's words, of which one may name what the next one is
        if all(isinstance(each, str) for each in value):
            yield place, " ".join(value)
        for n, each in enumerate(value):
            yield from _texts(each, (*place, n))
    elif isinstance(value, str):
        yield place, value
