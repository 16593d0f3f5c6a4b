"""Make the spec and the id of an examinee from its description on the command line or in a panel file.

An id is a hash of everything that changes the answers, and of the name and the components. The content of files
counts. Their paths do not count, and neither do request settings such as time limits.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Examinee
from viva.examinees.specs.panel_forms import ChatForm, HttpForm
from viva.examinees.specs.panel_grid import Scalar, level_text
from viva.examinees.specs.records import CallableSpec, ChatSpec, CommandSpec, HttpSpec, Json, Manners, RecordedSpec

BARE_BODY: Json = {"question": "{question}"}
BARE_ANSWER = "$.answer"
LARGEST_PROGRAM = 4 * 2**20
"""Bytes of a file in a command that is read to tell two versions apart; a larger file is data."""


@dataclass(frozen=True)
class KindDescription:
    """What all kinds of descriptions share. `name`: "" if none was given; `spec`: the text that names it again."""

    name: str
    spec: str
    components: Mapping[str, str] = field(default_factory=dict)
    manners: Manners = field(default_factory=Manners)
    folder: Path = Path()
    """paths are relative to this folder"""

    def examinee(self, kind: str, shown: str, *content: Json) -> Examinee:
        """The examinee of this content. Without components, its only component is the system itself."""
        extra = [json.dumps(dict(sorted(self.components.items())))] if self.components else []
        parts = [json.dumps(part, sort_keys=True) for part in content]
        name = self.name or shown
        return Examinee(
            id=content_hash("examinee", kind, self.name, *parts, *extra),
            name=name,
            spec=self.spec,
            components=dict(self.components) or {"system": name},
        )


# --- Python -------------------------------------------------------------------------------------------------


def callable_spec(told: KindDescription, body: str, arguments: Mapping[str, Json]) -> CallableSpec:
    """`body` is FILE.py:FUNCTION or MODULE:FUNCTION. UsageError for a file that does not exist."""
    target, _, function = body.rpartition(":")
    path: Path | None
    if target.endswith(".py"):
        path = told.folder / target
        if not path.is_file():
            raise UsageError(
                f"The examinee “{told.spec}” names the file {target}, which does not exist.",
                next_step="Give the path relative to this folder."
                if told.folder == Path()
                else f"Give the path relative to {told.folder}.",
            )
        target, shown = str(path), told.name or f"{path.stem}:{function}"
    else:
        path = module_file(target)
        shown = told.name or f"{target}:{function}"
    # an edited file is another system: its answers must not be mixed with those of the old one
    version = file_version(path) if path else ""
    extra = [json.dumps([dict(arguments), dict(told.components)], sort_keys=True)]
    examinee = Examinee(
        id=content_hash("examinee", told.name, body, version, *(extra if arguments or told.components else ())),
        name=shown,
        spec=told.spec,
        components=dict(told.components) or {"system": shown},
    )
    return CallableSpec(examinee, target, function, dict(arguments), told.manners)


def module_file(module: str) -> Path | None:
    """The file of the module, first looked for in the working folder; None if it is not known."""
    local = Path(*module.split("."))
    candidates = (local.with_suffix(".py"), local / "__init__.py")
    found = next((path for path in candidates if path.is_file()), None)
    if found is not None or "." in module:
        return found
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    origin = Path(spec.origin) if spec and spec.origin else None
    return origin if origin and origin.is_file() else None


# --- outside of this process --------------------------------------------------------------------------------


def http_spec(told: KindDescription, http: HttpForm) -> HttpSpec:
    """Without a body, the endpoint gets {"question": ...}; without a JSONPath, the reply's text is the answer."""
    body, query, headers = http.body, texts(http.query), texts(http.headers)
    if http.method == "POST" and body is None and not query:
        body = BARE_BODY
    if http.method == "GET" and not query:
        query = {"question": "{question}"}
    paths = (http.answer, http.passages, http.passage_ids, http.input_tokens, http.output_tokens)
    content: Json = [http.url, http.method, {**headers}, body, {**query}, list(paths)]
    examinee = told.examinee("http", http.url.partition("://")[2].partition("?")[0], content)
    return HttpSpec(examinee, http.url, http.method, headers, body, query, *paths, manners=told.manners)


def chat_spec(told: KindDescription, chat: ChatForm) -> ChatSpec:
    """The variable that holds the key changes no answer, so it is not part of the id."""
    content: Json = [chat.base_url, chat.model, chat.system, chat.temperature, chat.max_tokens]
    return ChatSpec(
        told.examinee("chat", chat.model, content),
        chat.base_url,
        chat.model,
        chat.key_from,
        chat.system,
        chat.temperature,
        chat.max_tokens,
        told.manners,
    )


def command_spec(
    told: KindDescription,
    argv: Sequence[str],
    environment: Mapping[str, str] | None = None,
    folder: str = "",
    memory_mb: int | None = None,
    *,
    takes_passages: bool = False,
) -> CommandSpec:
    """A program, with the files among its words. UsageError for no word and for a folder that does not exist."""
    if not argv or not argv[0].strip():
        raise UsageError(f"The examinee “{told.spec}” names no program.", allowed="command:PROGRAM [ARGUMENT ...]")
    where = told.folder / folder
    if not where.is_dir():
        raise UsageError(f"The examinee “{told.spec}” runs in the folder {folder}, which does not exist.")
    files = (where / word for word in argv)
    versions: list[Json] = [
        file_version(file) for file in files if file.is_file() and file.stat().st_size <= LARGEST_PROGRAM
    ]
    content: Json = [list(argv), dict(environment or {}), folder, versions]
    shown = " ".join(argv)
    examinee = told.examinee("command", shown if len(shown) <= 40 else shown[:39] + "…", content)
    # None: the working folder
    at = None if where == Path() else where
    return CommandSpec(
        examinee,
        tuple(argv),
        dict(environment or {}),
        at,
        memory_mb,
        takes_passages=takes_passages,
        manners=told.manners,
    )


def texts(values: Mapping[str, Scalar]) -> dict[str, str]:
    """The values as the text that a header or a variable holds."""
    return {name: level_text(value) for name, value in values.items()}


def words(line: str) -> list[str]:
    """The words of a command line, as a shell splits them. UsageError for a quotation that does not end."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(
            f"“{line}” cannot be split into words: {str(error).lower()}.",
            allowed="Words and quotes as in a shell.",
        ) from error


def recorded_spec(told: KindDescription, path: str) -> RecordedSpec:
    """Answers in a file. UsageError if it does not exist."""
    file = told.folder / path
    if not file.is_file():
        raise UsageError(
            f"The examinee “{told.spec}” names the file {path}, which does not exist.",
            allowed='One JSON object per line: {"question" or "item_id": ..., "answer": ...}.',
        )
    return RecordedSpec(told.examinee("recorded", file.stem, file_version(file)), file, told.manners)


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
