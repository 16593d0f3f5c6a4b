"""A system that is at hand as a Python object: its spec, and an id that changes with its source."""

from __future__ import annotations

import dis
import functools
import inspect
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from viva.core.ids import content_hash
from viva.core.records import Examinee
from viva.examinees.specs.records import LiveSpec

_DEEPEST = 6
"""Levels of functions that call each other, of which the source is read."""
_INSTALLED = {"site-packages", "dist-packages"}
_SETTING = {"STORE_GLOBAL", "STORE_DEREF"}
_PLAIN = (str, int, float, bool, type(None), bytes)


def live_spec(name: str, system: Any) -> LiveSpec:
    """Describe an object as the examinee of this name. Another source or other plain values make another examinee."""
    version = source_version(system)
    examinee = Examinee(
        id=content_hash("examinee", "live", name, version), name=name, spec=name, components={"system": name}
    )
    return LiveSpec(system=system, known_source=bool(version), examinee=examinee)


def source_version(system: Any) -> str:
    """Hash the source of a function, class or object, of what it calls in its own module, and its plain values.

    "" where no source is to be had, as of an object of a library that is made of others.
    """
    parts = list(_parts(system, set(), 0))
    return content_hash("source", *parts) if any(part.startswith("source ") for part in parts) else ""


def _parts(value: Any, seen: set[int], depth: int) -> Iterator[str]:
    if depth > _DEEPEST or id(value) in seen:
        return
    seen.add(id(value))
    match value:
        case functools.partial():
            yield from _parts(value.func, seen, depth + 1)
            for given in (*value.args, *sorted(value.keywords.items())):
                yield from _plain(given)
        case types.MethodType():
            yield from _parts(value.__func__, seen, depth + 1)
            yield from _parts(value.__self__, seen, depth + 1)
        case types.FunctionType():
            yield from _source(value)
            for given in (*(value.__defaults__ or ()), *sorted((value.__kwdefaults__ or {}).items())):
                yield from _plain(given)
            for name, used in _used(value):
                yield from (f"{name} {part}" for part in _plain(used))
                if getattr(used, "__module__", None) == value.__module__:
                    yield from _parts(used, seen, depth + 1)
        case type():
            yield from _source(value)
        case _ if not isinstance(value, _PLAIN) and not type(value).__module__.startswith("builtins"):
            yield from _source(type(value))
            for name in _given(type(value)):
                held = getattr(value, name, getattr(value, f"_{name}", None))
                yield from (f"{name} {part}" for part in _plain(held))


def _given(kind: type) -> list[str]:
    """What an object is made with; its other attributes may change as it is asked."""
    try:
        return sorted(inspect.signature(kind).parameters)
    except (TypeError, ValueError):
        return []


def _used(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Globals and variables around a function that its code names and does not set."""
    around = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    set_here = {each.argval for each in dis.get_instructions(function) if each.opname in _SETTING}
    for name in sorted({*function.__code__.co_names, *around} - set_here):
        if name in around:
            try:
                yield name, around[name].cell_contents
            except ValueError:  # not set yet
                continue
        elif name in function.__globals__:
            yield name, function.__globals__[name]


def _plain(value: Any) -> Iterator[str]:
    """A value that is text, a number, or a tuple of these: what can change as a system is asked does not count."""
    if isinstance(value, tuple):
        for each in value:
            yield from _plain(each)
    elif isinstance(value, _PLAIN):
        yield repr(value)


def _source(value: Any) -> Iterator[str]:
    try:
        # the class of a library says nothing of what its objects are made of
        if not _INSTALLED & set(Path(inspect.getsourcefile(value) or "").parts):
            yield f"source {inspect.getsource(value)}"
    except (OSError, TypeError):
        return
