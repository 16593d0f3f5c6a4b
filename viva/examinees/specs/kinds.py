"""Make the spec and the id of an examinee from its description on the command line or in a panel file.

An id is a hash of everything that changes the answers, and of the name and the components. The content of files
counts. Their paths do not count, and neither do request settings such as time limits.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Examinee
from viva.examinees.specs.records import (
    CallableSpec,
    ChatSpec,
    CommandSpec,
    HttpSpec,
    Json,
    LiveSpec,
    Manners,
    RecordedSpec,
    Spec,
    SystemSpec,
)
from viva.examinees.specs.versions import LARGEST_PROGRAM, NOTEBOOK, file_version, notebook_version, program_version

_Spec = TypeVar("_Spec", bound=SystemSpec)
BARE_BODY: Json = {"question": "{question}"}
BARE_ANSWER = "$.answer"


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

    def known(self, said: _Spec, examinee: Examinee, **changed: object) -> _Spec:
        """The system that was described, as this examinee."""
        return said.model_copy(update={**changed, "examinee": examinee, "manners": self.manners})


# --- Python -------------------------------------------------------------------------------------------------


def callable_spec(told: KindDescription, said: CallableSpec) -> CallableSpec:
    """The system in Python. UsageError for a file that does not exist."""
    path: Path | None
    if said.module.endswith(".py"):
        path = told.folder / said.module
        if not path.is_file():
            raise UsageError(
                f"The examinee “{told.spec}” names the file {said.module}, which does not exist.",
                next_step="Give the path relative to this folder."
                if told.folder == Path()
                else f"Give the path relative to {told.folder}.",
            )
        target, shown = f"{path}:{said.function}", told.name or f"{path.stem}:{said.function}"
    else:
        path, target = module_file(said.module), said.target
        shown = told.name or said.target
    # an edited file is another system: its answers must not be mixed with those of the old one
    version = python_version(said, path)
    arguments = json.dumps([said.arguments, dict(told.components)], sort_keys=True)
    extra = [arguments] if said.arguments or told.components else []
    examinee = Examinee(
        id=content_hash(
            "examinee", told.name, said.target, version, *(extra if said.arguments or told.components else ())
        ),
        name=shown,
        spec=told.spec,
        components=dict(told.components) or {"system": shown},
    )
    return told.known(said, examinee, target=target)


def python_version(said: CallableSpec, path: Path | None) -> str:
    """The version of a system in Python by the file of its module; "" where its source is not known."""
    if said.module == NOTEBOOK:
        return notebook_version(said.function)
    if path is None:
        return ""
    # of an installed module the neighbours are other packages
    return file_version(path) if path.is_absolute() and not said.module.endswith(".py") else _of_module(said, path)


def _of_module(said: CallableSpec, path: Path) -> str:
    return program_version(path, "" if said.module.endswith(".py") else said.module)


def identity_is_known(spec: Spec) -> bool:
    """Tell whether an edit of the system makes it another examinee: not of an endpoint that declares no version."""
    match spec:
        case HttpSpec() | ChatSpec():
            return bool(spec.version)
        case CommandSpec():
            return bool(spec.version) or any((Path(spec.folder) / word).is_file() for word in spec.run)
        case LiveSpec():
            return spec.known_source
        case CallableSpec():
            path = Path(spec.module) if spec.module.endswith(".py") else module_file(spec.module)
            return bool(python_version(spec, path))
        case _:
            return True


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


def http_spec(told: KindDescription, http: HttpSpec) -> HttpSpec:
    """Without a body, the endpoint gets {"question": ...}; without a JSONPath, the reply's text is the answer."""
    body, query = http.body, http.query
    if http.method == "POST" and body is None and not query:
        body = BARE_BODY
    if http.method == "GET" and not query:
        query = {"question": "{question}"}
    paths = [http.answer, http.passages, http.passage_ids, http.input_tokens, http.output_tokens]
    paths += [http.cost] if http.cost else []
    content: Json = [http.url, http.method, {**http.headers}, body, {**query}, [*paths]]
    shown = http.url.partition("://")[2].partition("?")[0]
    examinee = told.examinee("http", shown, content, *_declared(http.version))
    return told.known(http, examinee, body=body, query=query)


def chat_spec(told: KindDescription, chat: ChatSpec) -> ChatSpec:
    """The variable that holds the key changes no answer, so it is not part of the id."""
    content: Json = [chat.base_url, chat.model, chat.system, chat.temperature, chat.max_tokens]
    return told.known(chat, told.examinee("chat", chat.model, content, *_declared(chat.version)))


def _declared(version: str) -> list[Json]:
    return [{"version": version}] if version else []


def command_spec(told: KindDescription, said: CommandSpec) -> CommandSpec:
    """A program, with the files among its words. UsageError for no word and for a folder that does not exist."""
    if not said.run or not said.run[0].strip():
        raise UsageError(f"The examinee “{told.spec}” names no program.", allowed="command:PROGRAM [ARGUMENT ...]")
    where = told.folder / said.folder
    if not where.is_dir():
        raise UsageError(f"The examinee “{told.spec}” runs in the folder {said.folder}, which does not exist.")
    files = (where / word for word in said.run)
    versions: list[Json] = [
        program_version(file) if file.suffix == ".py" else file_version(file)
        for file in files
        if file.is_file() and file.stat().st_size <= LARGEST_PROGRAM
    ]
    content: Json = [[*said.run], {**said.environment}, said.folder, versions]
    shown = " ".join(said.run)
    shown = shown if len(shown) <= 40 else shown[:39] + "…"
    examinee = told.examinee("command", shown, content, *_declared(said.version))
    return told.known(said, examinee, folder="" if where == Path() else str(where))


def words(line: str) -> list[str]:
    """The words of a command line, as a shell splits them. UsageError for a quotation that does not end."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(
            f"“{line}” cannot be split into words: {str(error).lower()}.",
            allowed="Words and quotes as in a shell.",
        ) from error


def recorded_spec(told: KindDescription, said: RecordedSpec) -> RecordedSpec:
    """Answers in a file. UsageError if it does not exist."""
    file = told.folder / said.path
    if not file.is_file():
        raise UsageError(
            f"The examinee “{told.spec}” names the file {said.path}, which does not exist.",
            allowed='One JSON object per line: {"question" or "item_id": ..., "answer": ...}.',
        )
    return told.known(said, told.examinee("recorded", file.stem, file_version(file)), path=str(file))
