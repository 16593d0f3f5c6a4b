"""Which version of a system this is: a hash of the code of its own that it runs, so that an edit is noticed.

The code of a file is the file and what it imports from its own folder, and so on from there; that of a module in a
package is what it imports from the package. Of a notebook it is the source of the function or class, and of what it
uses of the notebook. Installed packages, data files and what is imported by a name made at run time are not read.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from viva.core.errors import UsageError
from viva.core.ids import content_hash

NOTEBOOK = "__main__"
"""The module of what a notebook, or a script that runs, defines."""
LARGEST_PROGRAM = 4 * 2**20
"""Bytes of a file that is read for its imports, or among the words of a command; a larger file is data."""
_MOST_FILES = 2_000
_PLAIN = (str, bytes, int, float, complex, bool, type(None), tuple, frozenset)


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


# --- notebooks --------------------------------------------------------------------------------------------


def notebook_version(name: str) -> str:
    """The version of what a notebook defines under this name; "" where its source cannot be known."""
    namespace = vars(sys.modules[NOTEBOOK])
    if name not in namespace:
        return ""
    sources: dict[str, str] = {}
    return content_hash("notebook", *_gathered(name, namespace, sources)) if _reads(namespace[name]) else ""


def _reads(value: Any) -> bool:
    """Whether it is defined in the notebook, so that its source tells all of it."""
    kind = value if isinstance(value, FunctionType | type) else type(value)
    return kind.__module__ == NOTEBOOK


def _gathered(name: str, namespace: Mapping[str, Any], sources: dict[str, str]) -> list[str]:
    """The sources of a definition and of what it uses of the notebook, by name."""
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in sources or current not in namespace:
            continue
        value = namespace[current]
        if isinstance(value, _PLAIN):
            sources[current] = repr(value)
        elif _reads(value):
            parts = list(_functions(value))
            sources[current] = "\n".join([*map(_source, parts), *_state(value)])
            waiting += [used for part in parts for used in _names(part.__code__)]
            waiting += [base.__name__ for base in getattr(value, "__bases__", (type(value),))]
    return [f"{each}:{sources[each]}" for each in sorted(sources)]


def _functions(value: Any) -> Iterator[FunctionType]:
    """The functions of a definition: itself, or those of a class."""
    value = inspect.unwrap(value) if isinstance(value, FunctionType) else value
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, type):
        for each in vars(value).values():
            plain = getattr(each, "__func__", getattr(each, "fget", each))
            if isinstance(plain, FunctionType):
                yield inspect.unwrap(plain)


def _state(value: Any) -> Iterator[str]:
    """Plain values of an object or a class, which change its answers as its source does."""
    held = {} if isinstance(value, FunctionType) else getattr(value, "__dict__", {})
    for name, each in sorted(held.items()):
        if isinstance(each, _PLAIN) and not name.startswith("__"):
            yield f"{name}={each!r}"
    yield repr(getattr(value, "__defaults__", None) or ())


def _source(function: FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # a cell of a console that keeps no source
        return _compiled(function.__code__)


def _compiled(code: CodeType) -> str:
    consts = [_compiled(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {consts}"


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)
