"""From a name to the Python object it names, and from a class or a factory to the system it makes."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import signal
import sys
import threading
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, TypeVar

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.examinees.adapters.base import raised_at
from viva.examinees.adapters.sibling_modules import OwnLoader, SiblingModules
from viva.examinees.own_loop import OwnLoop, started
from viva.examinees.specs.kinds import module_file
from viva.examinees.specs.records import CallableSpec, LiveSpec
from viva.examinees.specs.versions import own_files, program_version
from viva.llm import interrupts
from viva.llm.secrets import Secrets

_T = TypeVar("_T")
METHODS = ("answer", "invoke", "query", "chat", "retrieve", "__call__")
"""By which an object is asked; the first that it has. LlamaIndex has `query` (engines), `chat` and `retrieve`."""

_LOADED: dict[str, str] = {}
"""The versions of modules when they were imported last."""
_LISTED = 8
"""Functions of a file that are named."""


def load_system(spec: CallableSpec | LiveSpec, loop: OwnLoop) -> tuple[Any, bool]:
    """The object a spec names, made where a class or a factory must make it; and whether it was made here.

    UsageError in words for a file, module or name that is not there or fails.
    """
    if isinstance(spec, LiveSpec):
        return _at_hand(spec), False
    target = _named(spec)
    if not inspect.isclass(target) and not spec.arguments:
        return target, False
    return _made(spec, target, loop), True


def named_object(text: str) -> Any:
    """The object that FILE.py:NAME or MODULE:NAME names. UsageError in words for what is not there or fails."""
    target, _, name = text.rpartition(":")
    module = _module(target)
    found = getattr(module, name, None)
    if found is None:
        near = get_close_matches(name, sorted({*dir(module), *getattr(module, "__all__", ())}), n=3)
        raise UsageError(
            f"{target} has no {name}.", next_step=f"Did you mean {' or '.join(near)}?" if near else "Check the name."
        )
    return found


def _at_hand(spec: LiveSpec) -> Any:
    if inspect.isclass(spec.system) or not _can_be_asked(spec.system):
        raise UsageError(
            f"The system {spec.function} is a {type(spec.system).__name__}, which cannot be asked.",
            allowed="A function, or an object with a method answer, invoke or __call__; not its class.",
        )
    return spec.system


def _named(spec: CallableSpec) -> Any:
    module = _module(spec.module)
    found = getattr(module, spec.function, None)
    if not _can_be_asked(found):
        offered = _offered(module)
        compiled = (
            f" It is compiled first: {spec.function}.compile()." if callable(getattr(found, "compile", None)) else ""
        )
        raise UsageError(
            f"{spec.module} has no function {spec.function}.{compiled}",
            allowed=f"It has: {', '.join(offered[:_LISTED])}{', and more' if len(offered) > _LISTED else ''}."
            if offered
            else "It has no functions.",
        )
    return found


def _offered(module: ModuleType) -> list[str]:
    """Names that can be asked, those made in the module before those that it has only imported."""
    found = {n: v for n, v in vars(module).items() if _can_be_asked(v) and not n.startswith("_")}
    own = [n for n, v in found.items() if getattr(v, "__module__", module.__name__) == module.__name__]
    return sorted(own or found)


def _can_be_asked(value: Any) -> bool:
    return any(callable(getattr(value, method, None)) for method in METHODS)


def _made(spec: CallableSpec, maker: Any, loop: OwnLoop) -> Any:
    """What the maker makes of the spec's arguments, in a thread: it may want an event loop of its own."""
    name = f"{spec.function} in {spec.module}"
    if not callable(maker):
        raise UsageError(f"{name} is a {type(maker).__name__}: it makes no system and takes no arguments.")
    _check_arguments(spec, maker, name)
    try:
        value = started(lambda: maker(**spec.arguments)).result()
        if inspect.isawaitable(value):
            value = loop.send(value).result()
    except Exception as error:  # a user's code may raise anything: it is told to them in words
        raise UsageError(
            f"{name} made no system of its arguments: {said_by(error)}.",
            next_step=f"Try it alone: {spec.function}(**{dict(spec.arguments)})",
        ) from error
    if not _can_be_asked(value):
        raise UsageError(
            f"{name} made a {type(value).__name__}, which cannot be asked.",
            allowed=f"A system has one of the methods {', '.join(METHODS)}.",
        )
    return value


def _check_arguments(spec: CallableSpec, maker: Any, name: str) -> None:
    try:
        signature = inspect.signature(maker)
    except (TypeError, ValueError):  # built in: it shows none
        return
    try:
        signature.bind(**spec.arguments)
    except TypeError as error:
        raise UsageError(
            f"{name} cannot be called with the arguments {', '.join(spec.arguments) or '(none)'}: {error}.",
            allowed=f"It is {spec.function}{signature}.",
        ) from error


def _module(target: str) -> ModuleType:
    return _load_file(target) if target.endswith(".py") else _load_module(target)


def _load_file(target: str) -> ModuleType:
    path = Path(target).resolve()
    if not path.is_file():
        raise UsageError(f"{target} cannot be loaded: there is no such file.")
    name = f"viva_examinee_{content_hash('file', str(path))}"
    siblings = SiblingModules(path.parent)
    loader = OwnLoader(siblings.builtins, name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise UsageError(f"{target} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with siblings.at_hand():
            _uninterrupted(lambda: loader.exec_module(module))
    except _Raised as raised:
        error = raised.error
        raise UsageError(
            f"{target} cannot be loaded: {said_by(error)}.", next_step=f"Try it alone: python {target}"
        ) from error
    return module


def _load_module(target: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    _forget_edited(target)
    try:
        return _uninterrupted(lambda: importlib.import_module(target))
    except _Raised as raised:
        error = raised.error
        raise UsageError(
            f"The module {target} cannot be imported: {said_by(error)}.",
            next_step=f"Try it alone: python -c 'import {target}'",
        ) from error


def _forget_edited(target: str) -> None:
    """Let an edited module, and what it imports of its own, be imported anew by a process that has them already."""
    path = module_file(target)
    if path is None or path.is_absolute():
        return
    version = program_version(path, target)
    if _LOADED.get(target, version) != version:
        own = {str(file.resolve()) for file in own_files(path, target)}
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in own:
                del sys.modules[name]
    _LOADED[target] = version


class _Raised(Exception):
    """What a user's module raised while it was loaded, of whatever kind."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def _uninterrupted(load: Callable[[], _T]) -> _T:
    """What `load` gives. Raises _Raised for all that a module raises, also for what would end a program.

    A KeyboardInterrupt comes through where a signal told to end, and there alone.
    """
    told: list[int] = []

    def watch(number: int, _frame: FrameType | None) -> None:
        told.append(number)
        interrupts.count(number)
        # at once: whoever cancels a task would wait until the module has loaded
        raise KeyboardInterrupt

    # elsewhere than in the main thread no signal is heard of; a program that uses viva hears its own
    ours = threading.current_thread() is threading.main_thread() and interrupts.listening()
    heard = interrupts.SIGNALS if ours else ()
    before = {number: known for number in heard if callable(known := signal.getsignal(number))}
    for number in before:
        signal.signal(number, watch)
    try:
        return load()
    except BaseException as error:
        if told:
            raise KeyboardInterrupt from error
        raise _Raised(error) from error
    finally:
        for number, known in before.items():
            # unless the module has put its own there
            if signal.getsignal(number) is watch:
                signal.signal(number, known)


def said_by(error: BaseException) -> str:
    """What was raised, without the keys it may quote, and where in the user's code."""
    return f"{type(error).__name__}: {Secrets().redacted(str(error))}{raised_at(error)}"
