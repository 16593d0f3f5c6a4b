"""Which version of a system this is: a hash of the code of its own that it runs, so that an edit is noticed.

The code of a file is the file and what it imports from its own folder, and so on from there; that of a module in a
package is what it imports from the package. Of a notebook it is the source of the function or class, and of what it
uses of the notebook. Installed packages, data files and what is imported by a name made at run time are not read.
"""

from __future__ import annotations

import ast
import dis
import functools
import hashlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

from viva.core.errors import UsageError
from viva.core.ids import content_hash

NOTEBOOK = "__main__"
"""The module of what a notebook, or a script that runs, defines."""
LARGEST_PROGRAM = 4 * 2**20
"""Bytes of a file that is read for its imports, or among the words of a command; a larger file is data."""
_MOST_FILES = 2_000
_DEEPEST = 8
"""Levels of definitions that use each other."""
_PLAIN = (str, bytes, int, float, complex, bool, type(None), frozenset)
_SETTING = {"STORE_GLOBAL", "STORE_DEREF"}
_INSTALLED = {"site-packages", "dist-packages"}
_SOURCE = "source "


def file_version(path: Path) -> str:
    """16 hex digits of a file's content. UsageError if it cannot be read."""
    digest = hashlib.blake2b(digest_size=8)
    try:
        with path.open("rb") as file:
            while piece := file.read(2**20):
                digest.update(piece)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    return digest.hexdigest()


# --- files ------------------------------------------------------------------------------------------------


def program_version(path: Path, package: str = "") -> str:
    """The version of a Python file with the modules of its own folder that it imports; of the file, if it has none.

    `package`: the dotted name that the file has in its top package; "" for a file by itself.
    """
    files = own_files(path, package)
    if len(files) == 1:
        return file_version(path)
    top = _search_folder(path, package)
    return content_hash("modules", *(f"{file.relative_to(top).as_posix()}:{file_version(file)}" for file in files))


def own_files(path: Path, package: str = "") -> list[Path]:
    """The file and all that it imports, directly or not, from its own folder or top package; sorted."""
    search = _search_folder(path, package)
    in_package = "." in package or (package and path.name == "__init__.py")
    within = search / package.partition(".")[0] if in_package else search
    found, waiting = {path}, [path]
    while waiting and len(found) < _MOST_FILES:
        for file in _imported(waiting.pop(), search):
            if file not in found and file.is_relative_to(within):
                found.add(file)
                waiting.append(file)
    return sorted(found)


def _search_folder(path: Path, package: str) -> Path:
    """Where absolute imports are looked up: the folder of the file, or the one that holds its top package."""
    levels = package.count(".") + (path.name == "__init__.py" and bool(package))
    return path.parents[levels]


def _imported(file: Path, search: Path) -> Iterator[Path]:
    try:
        if file.stat().st_size > LARGEST_PROGRAM:
            return
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # what cannot be read imports nothing; loading it tells why
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(search, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            above = min(node.level, len(file.parents)) - 1
            base = file.parents[above] if node.level else search
            module = node.module.split(".") if node.module else []
            if not module:
                yield from _of_package(base)
            for alias in node.names:
                yield from _modules(base, [*module, alias.name])


def _modules(base: Path, parts: list[str]) -> Iterator[Path]:
    """The files of a dotted name and of the packages that it is in, those that are there."""
    for length in range(1, len(parts) + 1):
        place = base.joinpath(*parts[:length])
        yield from _of_package(place)
        if (file := place.with_name(f"{place.name}.py")).is_file():
            yield file


def _of_package(folder: Path) -> Iterator[Path]:
    if (file := folder / "__init__.py").is_file():
        yield file


# --- objects at hand --------------------------------------------------------------------------------------


def notebook_version(name: str) -> str:
    """The version of what a notebook defines under this name; "" where its source cannot be known."""
    found = vars(sys.modules[NOTEBOOK]).get(name)
    return "" if found is None else object_version(found)


def object_version(system: Any) -> str:
    """Hash the source of a function, class or object, and what it uses of its own module.

    Of what it uses, definitions count with their source, and texts, numbers and tuples with their value; of an object
    also what it was made with. What changes as a system is asked, such as a list or a counter, does not count. Of a
    file, all of its code and that of its own folder counts. "" where no source is to be had, as of a chain that is
    made of a library's parts.
    """
    parts = list(_parts(system, set(), 0))
    return content_hash("source", *parts) if any(part.startswith(_SOURCE) for part in parts) else ""


def _parts(value: Any, seen: set[int], depth: int) -> Iterator[str]:
    if depth > _DEEPEST or id(value) in seen:
        return
    seen.add(id(value))
    match value:
        case functools.partial():
            yield from _parts(value.func, seen, depth + 1)
            yield from _plain((*value.args, *sorted(value.keywords.items())))
        case MethodType():
            yield from _parts(value.__func__, seen, depth + 1)
            yield from _parts(value.__self__, seen, depth + 1)
        case FunctionType():
            value = inspect.unwrap(value)
            yield from _source(value)
            yield from _plain((*(value.__defaults__ or ()), *sorted((value.__kwdefaults__ or {}).items())))
            yield from _parts_used(value, seen, depth)
        case type():
            if _is_own(value):
                yield from _source(value)
                for function in _functions(value):
                    yield from _parts_used(function, seen, depth)
                for base in value.__bases__:
                    yield from _parts(base, seen, depth + 1)
        case _ if not isinstance(value, _PLAIN):
            yield from _parts(type(value), seen, depth + 1)
            for name in _given(type(value)):
                held = getattr(value, name, getattr(value, f"_{name}", None))
                yield from (f"{name} {part}" for part in _plain(held))


def _parts_used(function: FunctionType, seen: set[int], depth: int) -> Iterator[str]:
    for name, used in _used(function):
        yield from (f"{name} {part}" for part in _plain(used))
        kind = used if isinstance(used, FunctionType | type) else type(used)
        if kind.__module__ == function.__module__:
            yield from _parts(used, seen, depth + 1)


def _used(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Globals and variables around a function that its code names and does not set."""
    around = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    codes = list(_codes(function.__code__))
    set_here = {each.argval for code in codes for each in dis.get_instructions(code) if each.opname in _SETTING}
    for name in sorted({name for code in codes for name in code.co_names} | {*around} - set_here):
        if name in around:
            try:
                yield name, around[name].cell_contents
            except ValueError:  # not set yet
                continue
        elif name in function.__globals__ and name not in set_here:
            yield name, function.__globals__[name]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _functions(kind: type) -> Iterator[FunctionType]:
    for each in vars(kind).values():
        plain = getattr(each, "__func__", getattr(each, "fget", each))
        if isinstance(plain, FunctionType):
            yield inspect.unwrap(plain)


def _given(kind: type) -> list[str]:
    """What an object is made with; its other attributes may change as it is asked."""
    try:
        return sorted(inspect.signature(kind).parameters)
    except (TypeError, ValueError):
        return []


def _plain(value: Any) -> Iterator[str]:
    if isinstance(value, tuple):
        for each in value:
            yield from _plain(each)
    elif isinstance(value, _PLAIN):
        yield repr(value)


def _source(value: FunctionType | type) -> Iterator[str]:
    if not _is_own(value):
        return
    if file := _file(value):
        yield f"{_SOURCE}{program_version(file, value.__module__)}"
    try:
        yield f"{_SOURCE}{inspect.getsource(value)}"
    except (OSError, TypeError):  # a cell of a console that keeps no source
        for function in _functions(value) if isinstance(value, type) else [value]:
            yield f"{_SOURCE}{_compiled(function.__code__)}"


def _is_own(value: FunctionType | type) -> bool:
    """Tell whether it is the user's: a library's class says nothing of what its objects are made of."""
    module = sys.modules.get(value.__module__)
    place = Path(getattr(module, "__file__", None) or "")
    return not (_INSTALLED & set(place.parts) or value.__module__.partition(".")[0] in sys.stdlib_module_names)


def _file(value: FunctionType | type) -> Path | None:
    """The file of a module that was imported; None for what a notebook or a script defines."""
    module = sys.modules.get(value.__module__)
    place = getattr(module, "__file__", None)
    return Path(place) if place and value.__module__ != NOTEBOOK and Path(place).is_file() else None


def _compiled(code: CodeType) -> str:
    consts = [_compiled(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {consts}"
