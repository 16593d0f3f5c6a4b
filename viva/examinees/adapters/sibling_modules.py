"""The modules of the folder of a user's file: imported as from a script, and apart from those of other systems.

Two systems may have a module of the same name in their folders. Each is loaded with an `__import__` of its own, which
finds the modules of its folder whenever it imports, also later, within a question.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

_LOCK = threading.RLock()
"""Held while the modules of one folder are in `sys.modules`: another folder may have some of the same names."""
_NEVER = frozenset(sys.stdlib_module_names) | {"viva", "__main__"}


class SiblingModules:
    """The modules of a folder for one system, a finder of `sys.meta_path` while that system imports."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = frozenset(_names_in(folder))
        self._modules: dict[str, ModuleType] = {}
        self._thread: int | None = None
        """which imports now; others find what they would find without"""
        self.builtins: dict[str, Any] = {**vars(builtins), "__import__": self._import}
        """what stands for Python's builtins in the system's modules"""

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """The folder's modules can be imported; afterwards modules of the same names are what they were before."""
        with _LOCK:
            if self._thread is not None:
                yield
                return
            before = {name: module for name, module in sys.modules.items() if self._is_here(name)}
            for name in before:
                del sys.modules[name]
            sys.modules.update(self._modules)
            sys.meta_path.insert(0, self)
            sys.path.append(str(self._folder))
            self._thread = threading.get_ident()
            try:
                yield
            finally:
                self._thread = None
                sys.path.remove(str(self._folder))
                sys.meta_path.remove(self)
                self._modules = {name: module for name, module in sys.modules.items() if self._is_here(name)}
                # the newest of a file stays where pickles look for its classes
                sys.modules.update({n: m for n, m in before.items() if not self._replaces(n, m)})

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Where a module of the folder is, with a loader that gives it the system's builtins."""
        if not self._is_here(name) or self._thread != threading.get_ident():
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path or [str(self._folder)], target)
        if found is not None and type(found.loader) is importlib.machinery.SourceFileLoader:
            found.loader = OwnLoader(self.builtins, found.loader.name, found.loader.path)
        return found

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if not level and not self._is_here(name):
            return builtins.__import__(name, globals, locals, fromlist, level)
        with self.at_hand():
            return builtins.__import__(name, globals, locals, fromlist, level)

    def _is_here(self, name: str) -> bool:
        return name.partition(".")[0] in self._names

    def _replaces(self, name: str, earlier: ModuleType) -> bool:
        own = self._modules.get(name)
        return own is not None and isinstance(getattr(earlier, "__loader__", None), OwnLoader) and _same(own, earlier)


class OwnLoader(importlib.machinery.SourceFileLoader):
    """Loads a file of the folder from its source: of an edit within a second Python would use the compiled code."""

    def __init__(self, own: dict[str, Any], name: str, path: str) -> None:
        super().__init__(name, path)
        self._own = own

    def get_code(self, fullname: str) -> CodeType:
        """The compiled source. Raises what compiling raises."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        """Run it with the system's builtins. Raises what it raises."""
        # functions keep the builtins that their module has when they are defined
        module.__dict__["__builtins__"] = self._own
        super().exec_module(module)


def _same(one: ModuleType, other: ModuleType) -> bool:
    return getattr(one, "__file__", None) == getattr(other, "__file__", None)


def _names_in(folder: Path) -> Iterator[str]:
    """Modules and packages; a folder without __init__.py counts where nothing that is installed has its name."""
    try:
        places = list(folder.iterdir())
    except OSError:  # the file can be read, and what is beside it not
        return
    for place in places:
        name = place.stem if place.suffix == ".py" else place.name
        if name.isidentifier() and name not in _NEVER and _is_module(place):
            yield name


def _is_module(place: Path) -> bool:
    try:
        if place.suffix == ".py" and place.is_file():
            return True
        if not place.is_dir():
            return False
        return (place / "__init__.py").is_file() or (any(place.glob("*.py")) and not _is_installed(place.name))
    except OSError:  # another person's folder
        return False


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False
