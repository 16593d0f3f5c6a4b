"""Examinees by name: 'hybrid+embedding,k=3', 'my_rag.py:answer', 'mine=package.module:answer'.

SPEC     := [NAME=] (REFERENCE | CALLABLE)
REFERENCE := RETRIEVER[+READER][,k=N][,chunk=N][,examples=N]
CALLABLE  := FILE.py:FUNCTION | MODULE:FUNCTION
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Examinee
from viva.core.settings import Settings
from viva.examinees.specs import READERS, RETRIEVERS, CallableSpec, ReferenceSpec, Spec

_OPTION_RANGES = {"k": (1, 100), "chunk": (32, 4096), "examples": (0, 20)}
_USUAL_K = int(Settings.model_fields["passages"].default)
_NAME = re.compile(r"^([\w .\-]{1,40})=(?=.)")
_ALLOWED = (
    f"An examinee is RETRIEVER+READER, with RETRIEVER one of {', '.join(RETRIEVERS)} and READER one of "
    f"{', '.join(READERS)}, then options such as ,k=3 ,chunk=128 ,examples=2; or your own system as "
    "FILE.py:FUNCTION or MODULE:FUNCTION; either may be named: NAME=SPEC."
)


def parse_spec(text: str, settings: Settings) -> Spec:
    """The examinee a spec names. UsageError that says what is allowed."""
    named = _NAME.match(text)
    name, body = (named.group(1).strip(), text[named.end() :]) if named and "," not in named.group(1) else ("", text)
    body = body.strip()
    if re.search(r":[A-Za-z_]\w*$", body):
        return _callable(text, name, body)
    return _reference(text, name, body, settings)


def default_panel(settings: Settings) -> list[Spec]:
    """Every retriever with every reader, and two retrievers with worked examples."""
    texts = [f"{retriever}+{reader}" for retriever in RETRIEVERS for reader in READERS]
    if settings.worked_examples:
        count = settings.worked_examples
        texts += [f"{retriever}+{reader},examples={count}" for retriever in ("bm25", "hybrid") for reader in READERS]
    return [parse_spec(text, settings) for text in texts]


def _reference(text: str, name: str, body: str, settings: Settings) -> ReferenceSpec:
    system, *options = [part.strip() for part in body.split(",")]
    retriever, _, reader = system.partition("+")
    known_retriever = next((r for r in RETRIEVERS if r == retriever), None)
    known_reader = next((r for r in READERS if r == (reader or "lexical")), None)
    if known_retriever is None or known_reader is None:
        raise _unknown(text)
    given = dict(_option(text, option) for option in options if option)
    k, chunk = given.get("k", settings.passages), given.get("chunk", settings.chunk_tokens)
    examples = given.get("examples", 0)
    if examples > settings.worked_examples:
        raise UsageError(
            f"The examinee “{text}” wants {examples} worked examples; {settings.worked_examples} are set aside.",
            next_step=f"Add --worked-examples {examples}.",
        )
    components = {
        "retriever": known_retriever,
        "reader": known_reader,
        "examples": str(examples),
        "k": str(k),
        "chunk": str(chunk),
    }
    canonical = f"{known_retriever}+{known_reader},k={k},chunk={chunk},examples={examples}"
    differs = {**({"k": k} if k != _USUAL_K else {}), **given}
    shown = name or f"{known_retriever}+{known_reader}" + "".join(f",{o}={differs[o]}" for o in sorted(differs))
    examinee = Examinee(id=content_hash("examinee", name, canonical), name=shown, spec=text, components=components)
    return ReferenceSpec(examinee, known_retriever, known_reader, k, chunk, examples)


def _option(text: str, option: str) -> tuple[str, int]:
    key, _, value = option.partition("=")
    if key not in _OPTION_RANGES or not value.isascii() or not value.isdigit():
        raise _unknown(text)
    low, high = _OPTION_RANGES[key]
    if not low <= int(value) <= high:
        raise UsageError(f"{key}={value} in the examinee “{text}” is out of range.", allowed=f"{low} to {high}.")
    return key, int(value)


def _callable(text: str, name: str, body: str) -> CallableSpec:
    target, _, function = body.rpartition(":")
    if not target:
        raise _unknown(text)
    path: Path | None
    if target.endswith(".py"):
        path = Path(target)
        if not path.is_file():
            raise UsageError(
                f"The examinee “{text}” names the file {target}, which is not there.",
                next_step="Give the path as seen from this folder.",
            )
        shown = name or f"{path.stem}:{function}"
    else:
        path = _module_file(target)
        shown = name or f"{target}:{function}"
    # an edited file is another system: its answers must not be taken for the old one's
    version = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest() if path else ""
    examinee = Examinee(
        id=content_hash("examinee", name, body, version), name=shown, spec=text, components={"system": shown}
    )
    return CallableSpec(examinee, target, function)


def _module_file(module: str) -> Path | None:
    """The module's own file, looked for beside the working folder first; None where it cannot be told."""
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


def _unknown(text: str) -> UsageError:
    return UsageError(
        f"“{text}” names no examinee.", allowed=_ALLOWED, next_step="For example: --examinee hybrid+embedding,k=3"
    )
