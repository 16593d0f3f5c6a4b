"""--loader MODULE:CLASS[?key=value&...]: documents from any LangChain document loader."""

from __future__ import annotations

import inspect
import json
import logging
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import unquote

from viva.core.errors import UsageError
from viva.core.records import Document, Exclusion, ExclusionReason
from viva.examinees.adapters.loading import named_object, said_by
from viva.examinees.specs.records import CALLABLE
from viva.llm.secrets import Secrets, without_credentials
from viva.storage.corpus.listing import check_patterns, matches
from viva.storage.corpus.source import (
    Loaded,
    SourceFile,
    TooSlow,
    document_of,
    each_in_time,
    one_line,
    storable,
)
from viva.storage.corpus.spool import Spool

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader

FAILURES_IN_A_ROW = 100
"""Failures in a row after which a loader is stopped."""
LONGEST_REASON = 500
SILENCE_S = 300
"""Seconds to wait for a loader's next document."""
MOST_DOCUMENTS, MOST_CHARACTERS = 1_000_000, 10**10
_MISSING = "All documents after it are missing."
_KEY_NAME = re.compile(
    r"(?:api|access|secret|private|auth|account|subscription)?keys?|\w*tokens?|\w*pass(?:word|wd|phrase)s?|pwd"
    r"|\w*secrets?|credentials?|authorization|auth",
    re.IGNORECASE,
)
"""The last word of the name of an argument that holds a secret; 'authors' does not match."""
_PLAIN_KEYS = frozenset("content text metadata title source space".split())
"""Words before 'key' that make it the name of a field, such as content_key."""
_KEY_WITHIN = re.compile(r"(?:\A|;)\s*[\w ]*(?:key|pwd|password|secret|token|signature)\s*=\s*\S", re.IGNORECASE)
"""A secret within a value, such as 'AccountName=docs;AccountKey=...'."""
_SCHEME = re.compile(r"\A[a-z][a-z0-9+.-]*://(?:[^/@]*@)?", re.IGNORECASE)
"""The scheme of an address, with the user."""
_FORMATS = {".md": "md", ".markdown": "md", ".rst": "rst"}
"""Formats whose markup is known; all other documents are plain text."""
_ALLOWED = (
    "MODULE:CLASS or FILE.py:NAME: a LangChain document loader, or a function that returns one. Arguments follow a "
    "question mark: langchain_community.document_loaders:CSVLoader?file_path=faq.csv"
)


@dataclass(frozen=True)
class LoaderSource:
    """Documents of a LangChain loader. Its code is the user's, and runs in this process."""

    text: str
    target: str
    arguments: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> LoaderSource:
        """The loader that the text names, not yet loaded. UsageError for a wrong name, or a key in it."""
        target, _, query = text.partition("?")
        pairs = [piece.partition("=") for piece in query.split("&") if piece]
        arguments = {unquote(name): unquote(value) for name, _, value in pairs}
        if any(_holds_key(name, value) for name, value in arguments.items()):
            # the message must not repeat the secret
            raise UsageError(
                "--loader contains what looks like a key or a password. It would be stored with the run.",
                next_step="Let the loader read it from the environment, or use a function FILE.py:NAME that does.",
            )
        if not CALLABLE.fullmatch(target) or not all(name and equals for name, equals, _ in pairs):
            raise UsageError(f"--loader {text} is not the name of a loader.", allowed=_ALLOWED)
        return cls(text, target, arguments)

    def __str__(self) -> str:
        return f"--loader {self.text}"

    @property
    def name(self) -> str:
        """The name of the class or function."""
        return self.target.rpartition(":")[2]

    def entries(self, ignore: Sequence[str], max_bytes: int) -> Sequence[Loaded]:
        """Failures, then documents sorted by source; those of one source in the order of the loader.

        UsageError for a loader that cannot be created.
        """
        check_patterns(ignore)
        found, characters = _Found(), 0
        # imported here: a module may want the main thread
        made = self._maker()
        try:
            for loaded in each_in_time(self._read(made, max_bytes), SILENCE_S):
                if isinstance(loaded, Exclusion):
                    found.failed.append(loaded)
                elif not any(matches(PurePosixPath(loaded.path), each, is_folder=False) for each in ignore):
                    found.add(loaded)
                    characters += len(loaded.text)
                if len(found) >= MOST_DOCUMENTS or characters > MOST_CHARACTERS:
                    limits = f"{MOST_DOCUMENTS:,} documents, or {MOST_CHARACTERS / 1e9:g} GB of text"
                    found.failed.append(self._ended(f"{limits}, have come"))
                    break
        except TooSlow as error:
            found.failed.append(self._ended(str(error)))
        return found

    def _ended(self, why: str) -> Exclusion:
        last = _failed(self.name, why, ExclusionReason.ENDED_EARLY)
        return last.model_copy(update={"detail": f"{last.detail} {_MISSING}"})

    def _read(self, make: Callable[[], Any], max_bytes: int) -> Iterator[Loaded]:
        """What the loader gives, and at last what its package logged."""
        loader, secrets = self._checked(make()), Secrets()
        with _warnings_of(loader) as said:
            for given in _each(loader, self.name):
                yield given if isinstance(given, Exclusion) else self._loaded(given, max_bytes, secrets)
        yield from (_failed(self.name, warning) for warning in dict.fromkeys(said))

    def _loaded(self, given: _Given, max_bytes: int, secrets: Secrets) -> Loaded:
        """The document, what looks like a credential in its metadata blanked, or why it cannot be used."""
        text, metadata = given.content
        place = f"{self.name}#{given.number}"
        if not isinstance(text, str):
            return _failed(place, f"its content is {type(text).__name__}, not text", ExclusionReason.BAD_RECORD)
        if not text.strip():
            return _failed(place, "it contains no text", ExclusionReason.EMPTY)
        try:
            told = {str(key): _as_text(value) for key, value in metadata.items() if value is not None}
        except (RecursionError, TypeError, ValueError) as error:
            return _failed(place, f"its metadata cannot be stored: {said_by(error)}", ExclusionReason.BAD_RECORD)
        kept = {key: secrets.redacted(value) for key, value in told.items()}
        if len(text) + sum(map(len, kept.values())) > max_bytes:
            return _failed(place, "it is larger than --max-file-mb allows", ExclusionReason.OVERSIZED)
        relative = storable(self._relative(kept.get("source", "")))
        format_ = _FORMATS.get(PurePosixPath(relative).suffix.lower(), "txt")
        return document_of(SourceFile(relative, b"", max_bytes), text, format=format_, metadata=kept)

    def _relative(self, source: str) -> str:
        """The source relative to the folder or file of the loader; the name of the loader if there is none."""
        if re.match("https?://", source, re.IGNORECASE):
            # what cannot be read as an address was blanked as text already
            with suppress(UsageError):
                source = without_credentials(source)
        path = _SCHEME.sub("", source.replace("\\", "/"))
        path = PurePosixPath(path).as_posix()
        for value in self.arguments.values():
            given = PurePosixPath(value).as_posix()
            if value and path == given:
                return PurePosixPath(path).name
            if value and path.startswith(f"{given}/"):
                return path[len(given) + 1 :]
        return path.strip("/") if source.strip() and path.strip("./") else self.name

    def _maker(self) -> Callable[[], Any]:
        """What makes the loader, once it is called: nothing is called before it is known to be a loader.

        UsageError for what is no loader class, and no function or loader of a FILE.py.
        """
        found = named_object(self.target)
        if not (_is_langchains(found, loaders_only=True) or _is_own(found, self.target)):
            raise UsageError(
                f"--loader {self.target} is no document loader: it is not called.",
                allowed=f"{_ALLOWED}. A function must be defined in the FILE.py that is named.",
            )
        if not callable(found):
            return lambda: found
        given = {key: _typed(found, key, text) for key, text in self.arguments.items()}

        def make() -> Any:
            try:
                return found(**given)
            except (Exception, SystemExit) as error:  # a user's code may raise anything
                raise UsageError(
                    f"--loader {self.target} cannot be created with {', '.join(given) or 'no arguments'}: "
                    f"{said_by(error)}.",
                    allowed=f"Its signature is {self.name}{_signature(found)}.",
                ) from error

        return make

    def _checked(self, found: Any) -> BaseLoader:
        if not callable(getattr(found, "lazy_load", None)):
            raise UsageError(
                f"--loader {self.target} is a {type(found).__name__}, which cannot load documents.", allowed=_ALLOWED
            )
        loader: BaseLoader = found
        return loader


def _is_langchains(found: Any, *, loaders_only: bool = False) -> bool:
    """Whether it is a class of LangChain's document loaders or an object of one; else also of its parsers."""
    from langchain_core.document_loaders import BaseBlobParser, BaseLoader, BlobLoader

    kinds = (BaseLoader,) if loaders_only else (BaseLoader, BaseBlobParser, BlobLoader)
    return issubclass(found if inspect.isclass(found) else type(found), kinds)


def _is_own(found: Any, target: str) -> bool:
    """Whether it is what a FILE.py of the user's defines: nothing callable that the file has only imported."""
    file = target.rpartition(":")[0]
    if not file.endswith(".py") or not callable(found):
        return file.endswith(".py")
    defined = getattr(sys.modules.get(str(getattr(found, "__module__", ""))), "__file__", None)
    return defined is not None and Path(defined).resolve() == Path(file).resolve()


# --- arguments -------------------------------------------------------------------------------------------


def _holds_key(name: str, value: str) -> bool:
    if Secrets().redacted(value) != value or _KEY_WITHIN.search(value):
        return True
    *before, last = re.split(r"[-_]", name.lower())
    if last == "tokens" and value.isdigit():
        # a number of tokens
        return False
    is_plain = last in {"key", "keys"} and bool(_PLAIN_KEYS.intersection(before[-1:]))
    return _KEY_NAME.fullmatch(last) is not None and not is_plain


def _signature(maker: Callable[..., Any]) -> str:
    try:
        return str(inspect.signature(maker))
    except (TypeError, ValueError):  # built in: it shows none
        return "(...)"


def _typed(maker: Callable[..., Any], name: str, text: str) -> Any:
    """The text as the type in the signature: a plain value, JSON, or an object named as MODULE:NAME."""
    from pydantic import ConfigDict, PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError

    try:
        wanted = inspect.signature(maker, eval_str=True).parameters[name].annotation
    except (KeyError, NameError, TypeError, ValueError, AttributeError):
        # the type is not known: the loader itself checks the value
        return text
    if wanted in (inspect.Parameter.empty, Any):
        return text
    try:
        adapter = TypeAdapter(wanted, config=ConfigDict(arbitrary_types_allowed=True))
    except PydanticSchemaGenerationError:
        return text
    except PydanticUserError:  # a pydantic model has a configuration of its own
        adapter = TypeAdapter(wanted)
    reading = (adapter.validate_python, adapter.validate_json)
    for read in reversed(reading) if text.startswith(("[", "{")) else reading:
        try:
            return read(text)
        except ValidationError:
            continue
    if CALLABLE.fullmatch(text):
        found = named_object(text)
        if not (_is_langchains(found) or _is_own(found, text)):
            raise UsageError(
                f"--loader: {name}={text} names no loader and no parser of LangChain: the loader might call it.",
                allowed="A class or object of these, or what a FILE.py of yours defines.",
            )
        try:
            return adapter.validate_python(found)
        except ValidationError:
            pass
    shown = inspect.formatannotation(wanted)
    raise UsageError(
        f"--loader: {name}={text} is not a value of type {shown}.",
        allowed=f"A value of that type; lists and mappings as JSON, such as {name}=[1,2].",
    )


# --- loading ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Given:
    """The n-th value of a loader, counted from 1."""

    number: int
    value: Any

    @property
    def content(self) -> tuple[object, Mapping[Any, Any]]:
        metadata = getattr(self.value, "metadata", None)
        return getattr(self.value, "page_content", self.value), metadata if isinstance(metadata, Mapping) else {}


def _each(loader: BaseLoader, name: str) -> Iterator[_Given | Exclusion]:
    """The values of the loader, and its failures. After an error an iterator may continue; a generator ends."""
    failures: list[Exclusion] = []
    documents: Iterator[Any] | None = None
    for number in count(1):
        try:
            documents = iter(loader.lazy_load()) if documents is None else documents
            value = next(documents)
        except StopIteration:
            break
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's code may raise anything
            failures.append(_failed(f"{name}#{number}", said_by(error)))
            if documents is None or len(failures) == FAILURES_IN_A_ROW:
                break
            continue
        yield from failures
        failures = []
        yield _Given(number, value)
    yield from failures[:-1]
    for last in failures[-1:]:
        missing = f"{last.detail} {_MISSING}"
        yield Exclusion(path=last.path, reason=ExclusionReason.ENDED_EARLY, detail=missing)


def _failed(path: str, why: str, reason: ExclusionReason = ExclusionReason.UNREADABLE) -> Exclusion:
    said = one_line(storable(Secrets().redacted(why)), LONGEST_REASON).rstrip(".")
    return Exclusion(path=path, reason=reason, detail=f"{said[:1].upper()}{said[1:]}.")


@contextmanager
def _warnings_of(loader: BaseLoader) -> Iterator[list[str]]:
    """Warnings and errors that the loader's package logs: some loaders only log their failures and continue."""
    said: list[str] = []

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    heard = Heard(logging.WARNING)
    loggers = [logging.getLogger(name) for name in {type(loader).__module__.partition(".")[0], "langchain_community"}]
    for logger in loggers:
        logger.addHandler(heard)
    try:
        yield said
    finally:
        for logger in loggers:
            logger.removeHandler(heard)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


class _Found(Sequence[Loaded]):
    """Failures, then documents sorted by source, numbered if a source has several."""

    def __init__(self) -> None:
        self.failed: list[Exclusion] = []
        self._documents = Spool(Document)
        self._paths: list[str] = []

    def add(self, document: Document) -> None:
        """Add a document after those of the same source. Raises DiskFull."""
        self._documents.append(document)
        self._paths.append(document.path)

    def __len__(self) -> int:
        return len(self.failed) + len(self._documents)

    @overload
    def __getitem__(self, at: int) -> Loaded: ...
    @overload
    def __getitem__(self, at: slice) -> list[Loaded]: ...
    def __getitem__(self, at: int | slice) -> Loaded | list[Loaded]:
        if isinstance(at, slice):
            return [self[each] for each in range(len(self))[at]]
        at = range(len(self))[at]
        if at < len(self.failed):
            return self.failed[at]
        path, place = self._in_order[at - len(self.failed)]
        return self._documents[place].model_copy(update={"path": path})

    @cached_property
    def _in_order(self) -> list[tuple[str, int]]:
        """(path, place in the order of the loader) of each document."""
        came = sorted((path, place) for place, path in enumerate(self._paths))
        several = Counter(self._paths)
        number = Counter[str]()
        found = []
        for path, place in came:
            number[path] += 1
            found.append((f"{path}#{number[path]}" if several[path] > 1 else path, place))
        return found
