"""The components of examinees from a file, for a matrix of responses. Errors name the place in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from viva.core.errors import UsageError
from viva.exams.response_matrix import MISSING, read_grid, shown, text_of, unique_names
from viva.metrics.irt import Continuous

Level = str | float | None


def read_components(
    path: Path, examinees: Sequence[str], continuous: Mapping[str, int]
) -> dict[str, Sequence[Level] | Continuous]:
    """Components of the examinees, in their order, from CSV, TSV, YAML or JSON.

    `continuous` maps components with numbers as levels to the degree of their effect. UsageError if the matrix and
    the file do not have the same examinees, or if a value is not allowed.
    """
    by_examinee = _records(path)
    _same_examinees(path, list(by_examinee), examinees)
    names = list(dict.fromkeys(name for record in by_examinee.values() for name in record))
    if not names:
        raise UsageError(f"{path} names no component.", allowed="A column of examinees, and one for each component.")
    for name in continuous:
        if name not in names:
            raise UsageError(
                f"A continuous component is named '{name}', which {path} does not have.",
                allowed=f"One of {', '.join(names)}.",
            )
    found: dict[str, Sequence[Level] | Continuous] = {}
    for name in names:
        levels = [_level(path, each, name, by_examinee[each].get(name)) for each in examinees]
        degree = continuous.get(name)
        if degree is None:
            found[name] = levels
        else:
            numbers = [_number(path, each, name, level) for each, level in zip(examinees, levels, strict=True)]
            found[name] = Continuous(numbers, degree)
    return found


def _records(path: Path) -> dict[str, Mapping[str, object]]:
    """Examinee -> component -> value as it is in the file."""
    suffix = path.suffix.lower()
    if suffix in (".json", ".yaml", ".yml"):
        return _mapping(path, _parsed_json(path) if suffix == ".json" else _parsed_yaml(path))
    header, rows = read_grid(path)
    header = header if len(header) == len(rows[0][1]) else ["", *header]
    names = unique_names(header[1:], "component", "column", range(2, len(header) + 1))
    examinees = unique_names([row[0] for _, row in rows], "examinee", "row", [place for place, _ in rows])
    return {name: dict(zip(names, row[1:], strict=True)) for name, (_, row) in zip(examinees, rows, strict=True)}


def _parsed_json(path: Path) -> object:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        unique_names([key for key, _ in pairs], "key", "place", range(1, len(pairs) + 1))
        return dict(pairs)

    try:
        return json.loads(text_of(path), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid JSON: {error}.") from error


class _StrictLoader(yaml.SafeLoader):
    """YAML in which a key that occurs twice is an error, not a silent loss."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [str(key.value) for key, _ in node.value]
        unique_names(keys, "key", "line", [key.start_mark.line + 1 for key, _ in node.value])
        return super().construct_mapping(node, deep)


def _parsed_yaml(path: Path) -> object:
    try:
        return yaml.load(text_of(path), Loader=_StrictLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid YAML: {' '.join(str(error).split())}.") from error


def _mapping(path: Path, value: object) -> dict[str, Mapping[str, object]]:
    if isinstance(value, list) and all(isinstance(each, dict) and "examinee" in each for each in value):
        examinees = unique_names(
            [str(each["examinee"]) for each in value], "examinee", "record", range(1, len(value) + 1)
        )
        value = {
            name: {key: level for key, level in each.items() if key != "examinee"}
            for name, each in zip(examinees, value, strict=True)
        }
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise UsageError(
            f"{path} does not give the components of the examinees.",
            allowed="EXAMINEE: {COMPONENT: LEVEL} for each, or a list of {examinee: NAME, COMPONENT: LEVEL}.",
        )
    return {str(name): {str(key): level for key, level in each.items()} for name, each in value.items()}


def _same_examinees(path: Path, given: Sequence[str], examinees: Sequence[str]) -> None:
    there, asked = set(given), set(examinees)
    missing = [name for name in examinees if name not in there]
    unknown = [name for name in given if name not in asked]
    told = [f"{path} has no entry for {_few(missing)}."] if missing else []
    told += [f"It has an entry for {_few(unknown)}, not in the matrix."] if unknown else []
    if told:
        raise UsageError(" ".join(told), allowed="The examinees of the matrix, each once, with the same names.")


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(shown, names[:5])) + more


def _level(path: Path, examinee: str, component: str, value: object) -> Level:
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING):
        return None
    if isinstance(value, bool):
        raise UsageError(
            f"{path}: '{component}' of {shown(examinee)} is read as {str(value).lower()}, not as text.",
            allowed="Write yes, no, on, off, true and false in quotes.",
        )
    if isinstance(value, dict | list | set):
        raise UsageError(f"{path}: '{component}' of {shown(examinee)} is not a single level.", allowed="One value.")
    if isinstance(value, float) and np.isnan(value):
        return None
    return value if isinstance(value, int | float) else str(value).strip()


def _number(path: Path, examinee: str, component: str, level: Level) -> float | None:
    try:
        number = None if level is None else float(level)
    except (ValueError, OverflowError):
        number = float("inf")
    if number is not None and not np.isfinite(number):
        told = f"{path}: '{component}' of {shown(examinee)} is {shown(str(level))}, and no number."
        raise UsageError(told, allowed="Of a continuous component finite numbers, or empty.")
    return number
