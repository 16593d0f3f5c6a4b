"""Specs of reference systems: 'hybrid+embedding,k=3', 'dense:lsa+openai:gpt-4o-mini,examples=2'."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Examinee
from viva.core.settings import Settings
from viva.examinees.specs.kinds import KindDescription, module_file, python_version
from viva.examinees.specs.records import (
    READER_FORMS,
    READERS,
    RETRIEVERS,
    SCORES,
    CallableSpec,
    Manners,
    ReferenceSpec,
    RetrieverName,
    ScoreName,
    Spec,
)
from viva.llm.embedding_models import BUNDLED, LSA, content_fingerprint, find_local, find_model
from viva.llm.roster import ModelName
from viva.llm.secrets import Secrets, without_credentials
from viva.prompts import fingerprint

ENCODED: tuple[RetrieverName, ...] = ("dense", "hybrid", "hybrid-rerank")
"""Retrievers that have a dense encoder."""
RANGE: tuple[RetrieverName, ...] = ("closed-book", "oracle")
"""Retrievers that show what can be had at least and at most."""
SLOW_S = 600.0
"""Seconds per question of a reader that uses a language model."""
_USUAL_K = int(Settings.model_fields["passages"].default)
_REFERENCE = re.compile(rf"(?:{'|'.join(ENCODED)})\s*:|(?:{'|'.join(RETRIEVERS)})\s*(?:[+,]|$)")
_OPTION = re.compile(r",\s*(?=\w+\s*=)")
_ALLOWED = (
    f"A reference system: RETRIEVER+READER with options such as ,k=3 ,chunk=128 ,examples=2. RETRIEVER is one of "
    f"{', '.join(RETRIEVERS)}; {', '.join(ENCODED)} can name an encoder, such as dense:lsa. READER is one of "
    f"{READER_FORMS}. A system of yours: FILE.py:FUNCTION, MODULE:FUNCTION, http://ADDRESS, command:PROGRAM or "
    "recorded:FILE.jsonl. NAME=SPEC gives it a name. A panel file: FILE.yaml, or FILE.yaml#NAME for one of its "
    "examinees."
)


def names_reference(text: str) -> bool:
    """Whether the text begins like the spec of a reference system."""
    return _REFERENCE.match(text) is not None


def reference_told(text: str, named: str) -> ReferenceSpec:
    """The description in the text. UsageError quotes `named` and says what is allowed."""
    system, *options = _OPTION.split(text.strip())
    retriever, plus, reader = system.partition("+")
    name, colon, encoder = (part.strip() for part in retriever.partition(":"))
    known = next((each for each in RETRIEVERS if each == name), None)
    if known is None or bool(colon) != bool(encoder):
        raise _unknown(named)
    try:
        told = ReferenceSpec(retriever=known, reader=reader.strip() if plus else READERS[0], encoder=encoder)
    except ValueError:
        raise _unknown(named) from None
    for option in options:
        told = _with_option(told, option, named)
    return told


def reference_spec(told: KindDescription, said: ReferenceSpec, settings: Settings) -> ReferenceSpec:
    """The system. UsageError for a model that is not on this machine, and for options that conflict."""
    _check(said, told.spec)
    k, chunk, examples = said.k or settings.passages, said.chunk or settings.chunk_tokens, said.examples
    if examples > settings.worked_examples:
        raise UsageError(
            f"The examinee “{told.spec}” needs {examples} worked examples; the exam has {settings.worked_examples}.",
            next_step=f"Add --worked-examples {examples}.",
        )
    slow = said.reader not in READERS
    retriever, retriever_file = _own_retriever(told, said.retriever)
    encoder, rerank = _located(told, said.encoder), _located(told, said.rerank)
    kind, _, where = said.reader.partition(":")
    reader = f"hf:{_located(told, where.strip())}" if kind == "hf" else said.reader
    own = {
        "retriever": _short_retriever(retriever) + _short(":", encoder) + _short("/", rerank),
        "reader": _reads(kind, reader),
        "examples": str(examples),
        "k": str(k),
        "chunk": str(chunk),
        **({"score": said.score} if said.given("score") else {}),
    }
    labels = {name: level for name, level in told.components.items() if name not in own}
    # an id depends on the content of files, not on their paths
    versions = _versions(encoder, rerank, reader, said.score)
    if retriever_file:
        versions["retriever"] = python_version(CallableSpec(target=retriever), retriever_file)
    canonical = f"{said.retriever}+{own['reader']},k={k},chunk={chunk},examples={examples}"
    extra = [json.dumps(dict(sorted(found.items()))) for found in (versions, labels) if found]
    examinee = Examinee(
        id=content_hash("examinee", told.name, canonical, *extra),
        name=told.name or _shown(own, said, settings),
        spec=told.spec,
        components={**own, **labels},
        # with a name of its own it is a system that the user chooses from
        reference=said.retriever in RANGE
        or (not told.name and said.retriever in RETRIEVERS and said.reader in READERS),
    )
    manners = _patient(told.manners, settings, at_once=slow and kind != "hf") if slow else told.manners
    changed = {"retriever": retriever, "reader": reader, "k": k, "chunk": chunk, "encoder": encoder, "rerank": rerank}
    return replace(told, manners=manners).known(said, examinee, **changed)


def reader_model(spec: Spec) -> ModelName | None:
    """The language model of the reader, if it is asked through the gateway."""
    if not isinstance(spec, ReferenceSpec) or spec.reader in READERS:
        return None
    provider, _, model = spec.reader.partition(":")
    return None if provider in {"hf", "logprob"} else ModelName(provider, model)


# --- description --------------------------------------------------------------------------------------------


def _with_option(told: ReferenceSpec, option: str, named: str) -> ReferenceSpec:
    key, _, value = (part.strip() for part in option.partition("="))
    if key == "rerank" and value:
        return told.model_copy(update={"rerank": value})
    score = next((each for each in SCORES if key == "score" and each == value), None)
    if score is not None:
        return told.model_copy(update={"score": score})
    if key not in {"k", "chunk", "examples"} or not value.isascii() or not value.isdigit():
        raise _unknown(named)
    least, most = ReferenceSpec.model_fields[key].metadata
    low, high = least.ge, most.le
    if not low <= int(value) <= high:
        raise UsageError(f"{key}={value} in the examinee “{named}” is out of range.", allowed=f"{low} to {high}.")
    return told.model_copy(update={key: int(value)})


def _check(said: ReferenceSpec, named: str) -> None:
    if said.encoder and said.retriever not in ENCODED:
        raise UsageError(
            f"The examinee “{named}” names an encoder, but {said.retriever} has none.",
            allowed=f"An encoder for {', '.join(ENCODED)}.",
        )
    if said.rerank and said.retriever != "hybrid-rerank":
        raise UsageError(
            f"The examinee “{named}” has rerank=, but {said.retriever} does not re-rank.",
            allowed="rerank= for hybrid-rerank.",
        )
    kind, _, address = said.reader.partition(":")
    if said.given("score") and kind not in {"hf", "logprob"}:
        raise UsageError(
            f"The examinee “{named}” has score=, but its reader has no log-likelihoods.",
            allowed="score= for readers hf: and logprob:.",
        )
    if kind == "logprob":
        url = address.partition("#")[0]
        if without_credentials(url, named="The reader's address") != url or Secrets(environ={}).redacted(url) != url:
            # the message must not repeat the secret
            raise UsageError(
                "The address of a logprob: reader contains what looks like a key or a password.",
                next_step="Put the key into the environment variable VIVA_LOGPROB_KEY.",
            )


def _unknown(text: str) -> UsageError:
    near = _near(text)
    next_step = f"Did you mean {near}?" if near else "For example: --examinee hybrid+embedding,k=3"
    return UsageError(f"“{text}” is not the spec of an examinee.", allowed=_ALLOWED, next_step=next_step)


def _near(text: str) -> str:
    """The reference system that a misspelt text may mean; "" if that is not clear."""
    retriever, _, reader = text.partition("+")
    found = get_close_matches(retriever, RETRIEVERS, n=1, cutoff=0.7)
    read = get_close_matches(reader, READERS, n=1) if reader else [READERS[0]]
    return f"{found[0]}+{read[0]}" if found and read else ""


# --- the spec ----------------------------------------------------------------------------------------------


def _located(told: KindDescription, name: str) -> str:
    """A folder, relative to the place of the description; any other name unchanged."""
    folder = told.folder / Path(name).expanduser()
    return str(folder) if name not in {"", LSA, BUNDLED} and folder.is_dir() else name


def _own_retriever(told: KindDescription, name: str) -> tuple[str, Path | None]:
    """A retriever in Python, relative to the place of the description, and its file; others unchanged."""
    target, _, function = name.rpartition(":")
    if not target.endswith(".py"):
        return name, module_file(target) if target else None
    path = told.folder / target
    if not path.is_file():
        raise UsageError(
            f"The examinee “{told.spec}” names the file {target}, which does not exist.",
            next_step="Give the path relative to the panel file.",
        )
    return f"{path}:{function}", path


def _short_retriever(name: str) -> str:
    target, _, function = name.rpartition(":")
    return f"{Path(target).stem}:{function}" if target.endswith(".py") else name


def _short(mark: str, name: str) -> str:
    return mark + (Path(name).resolve().name if Path(name).is_dir() else name) if name else ""


def _reads(kind: str, reader: str) -> str:
    """The name of the reader: for a recording its model, for a folder the name of the folder."""
    if kind == "hf":
        return _short("hf:", reader[3:])
    return reader.partition("#")[2] or reader if kind == "replay" else reader


def _versions(encoder: str, rerank: str, reader: str, score: ScoreName) -> dict[str, str]:
    """What the answers depend on besides the names. UsageError for models that are not on this machine."""
    kind, _, where = reader.partition(":")
    found: dict[str, str] = {}
    if encoder:
        found["encoder"] = LSA if encoder == LSA else content_fingerprint(find_model(encoder))
    if rerank:
        found["rerank"] = content_fingerprint(find_local(rerank, "cross-encoder"))
    if kind in {"hf", "logprob"}:
        found["score"] = score
    if kind == "hf":
        found["reader"] = content_fingerprint(find_local(where, "causal language model"))
    elif where and kind != "logprob":
        found["reader"] = f"{fingerprint('reader')} {fingerprint('reader_open')}"
    return found


def _shown(own: dict[str, str], said: ReferenceSpec, settings: Settings) -> str:
    k = said.k or (settings.passages if settings.passages != _USUAL_K else None)
    given = {name: getattr(said, name) if said.given(name) else None for name in ("chunk", "examples", "k", "score")}
    options = "".join(f",{name}={value}" for name, value in (given | {"k": k}).items() if value is not None)
    return f"{own['retriever']}+{own['reader']}{options}"


def _patient(manners: Manners, settings: Settings, *, at_once: bool) -> Manners:
    """Request settings for a slow reader: the model client has limits and retries of its own."""
    if manners == Manners():
        manners = replace(manners, concurrency=settings.concurrency if at_once else 1, retries=0 if at_once else 2)
    return replace(manners, timeout_s=manners.timeout_s or SLOW_S)
