"""A YAML file as plain data, with the line of each value for error messages."""

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
"""Bytes: a long description of 500 examinees is half as large."""
MOST_VALUES, DEEPEST = 50_000, 30
Place = tuple[str | int, ...]
_REFERENCE = re.compile(r"\$\{[A-Za-z_]\w*\}")


class _Loader(yaml.SafeLoader):
    """Loads a date as its text, because JSON has no dates."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own way
        first: [(tag, form) for tag, form in forms if tag != "tag:yaml.org,2002:timestamp"]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@dataclass(frozen=True)
class YamlFile:
    """The content of the file: mappings, lists, texts, numbers, booleans. Lines are counted from 1."""

    path: Path
    data: Any
    lines: dict[Place, int]

    def at(self, place: Place) -> str:
        """The path of the file, and the line of this value or of the part that contains it."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.path}, line {self.lines[place]}" if place in self.lines else str(self.path)


def read_yaml(path: Path) -> YamlFile:
    """The file. UsageError if it cannot be read, is too large, repeats a key, or contains a secret."""
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
            f"{path} is not YAML that can be read: it is nested too deeply, or a number is too large."
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
                f"{path} is too large.", allowed=f"At most {LARGEST_FILE // 1000} kB.", next_step="Use several files."
            )
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(
            f"There is no file {path}.", next_step="For the format of a panel file, see docs/panel-file.md."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}.") from error


def _unreadable(path: Path, error: yaml.YAMLError) -> UsageError:
    mark = getattr(error, "problem_mark", None)
    where = f"{path}, line {mark.line + 1}" if mark else str(path)
    said = getattr(error, "problem", None) or "a character that YAML does not allow"
    return UsageError(
        f"{where}: this is not valid YAML: {said}.",
        allowed="YAML. Write text in quotes if it contains ': ' or begins with {, [, * or &.",
    )


def _walked(node: yaml.Node, place: Place, path: Path) -> Iterator[tuple[Place, int]]:
    """The line of each value. Limits how far aliases expand a small file, before its data are built."""
    waiting: list[tuple[yaml.Node, Place]] = [(node, place)]
    count = 0
    while waiting:
        node, place = waiting.pop()
        count += 1
        if count > MOST_VALUES or len(place) > DEEPEST:
            raise UsageError(f"{path} has more than {MOST_VALUES} values, or more than {DEEPEST} levels.")
        yield place, node.start_mark.line + 1
        if isinstance(node, yaml.SequenceNode):
            waiting += [(each, (*place, n)) for n, each in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            _check_keys(node, path)
            waiting += [(each, (*place, str(key.value))) for key, each in node.value]


def _check_keys(node: yaml.MappingNode, path: Path) -> None:
    """UsageError for a key that occurs twice; YAML itself would use the last one."""
    seen = set()
    for key, _ in node.value:
        if str(key.value) in seen:
            raise UsageError(f"{path}, line {key.start_mark.line + 1}: the key “{key.value}” occurs twice.")
        seen.add(str(key.value))


# --- secrets ------------------------------------------------------------------------------------------------


def _check_no_secrets(file: YamlFile) -> None:
    secrets = Secrets(environ={})
    for place, text in _texts(file.data, ()):
        named = next((str(part) for part in reversed(place) if isinstance(part, str)), "")
        bare = _REFERENCE.sub("", text)
        if any(secrets.redacted(form) != form for form in (bare, f"{named}: {bare}")):
            # the message must not repeat the secret
            raise UsageError(
                f"{file.at(place)}: the value of “{named}” looks like a key or a password.",
                allowed="The name of an environment variable: ${NAME} in the headers and the query of an endpoint, "
                "key_from: NAME for chat. A program gets most environment variables of viva.",
                next_step="Put the key in a variable: export NAME=...",
            )


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _texts(each, (*place, str(key)))
    elif isinstance(value, list):
        # in the words of a program, one may name the next one
        if all(isinstance(each, str) for each in value):
            yield place, " ".join(value)
        for n, each in enumerate(value):
            yield from _texts(each, (*place, n))
    elif isinstance(value, str):
        yield place, value
