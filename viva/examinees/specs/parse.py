"""Specs of examinees: 'hybrid+embedding,k=3', 'mine=my_rag.py:answer', 'panel.yaml#mine', 'http://localhost:8000/ask'.

SPEC      := panel | FILE.yaml[#NAME] | [NAME=] ONE
ONE       := REFERENCE | FILE.py:FUNCTION | MODULE:FUNCTION | http(s)://ADDRESS | command:PROGRAM [ARGUMENT ...]
             | recorded:FILE.jsonl
REFERENCE := RETRIEVER[:ENCODER][+READER][,k=N][,chunk=N][,examples=N][,rerank=CROSS_ENCODER][,score=SCORE]
"""

from __future__ import annotations

import re

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.kinds import BARE_ANSWER, KindDescription, words
from viva.examinees.specs.near_misses import near_miss
from viva.examinees.specs.panel_kinds import spec_of
from viva.examinees.specs.records import (
    CALLABLE,
    READERS,
    RETRIEVERS,
    CallableSpec,
    CommandSpec,
    HttpSpec,
    RecordedSpec,
    Spec,
)
from viva.examinees.specs.reference import names_reference, reference_told
from viva.llm.secrets import Secrets, without_credentials

PANEL = "panel"
_NAME = re.compile(r"^([\w .\-]{1,40})=(?=.)")
_PANEL_FILE = re.compile(r"(.+?\.ya?ml)(?:#(.*))?", re.IGNORECASE | re.DOTALL)


def parse_specs(text: str, settings: Settings) -> list[Spec]:
    """The examinees that one --examinee names; a panel has several. UsageError for a wrong spec."""
    text = text.strip()
    if text == PANEL:
        return default_panel(settings)
    file = _PANEL_FILE.fullmatch(text)
    if file is None:
        return [parse_spec(text, settings)]
    if _NAME.match(file.group(1)):
        raise UsageError(
            f"“{text}” gives a name to a panel file, which cannot have one.",
            allowed="FILE.yaml for all its examinees, FILE.yaml#NAME for one of them.",
        )
    from viva.examinees.specs.panel_file import read_panel

    return list(read_panel(file.group(1), settings, only=file.group(2)))


def parse_spec(text: str, settings: Settings) -> Spec:
    """The one examinee that a spec names. UsageError for a wrong spec."""
    if text.strip() == PANEL or _PANEL_FILE.fullmatch(text.strip()):
        found = parse_specs(text, settings)
        if len(found) == 1:
            return found[0]
        names = ", ".join(spec.examinee.name for spec in found[:8])
        raise UsageError(
            f"“{text}” names {len(found)} examinees, but only one is allowed.", allowed=f"One of them: {names}."
        )
    named = _NAME.match(text)
    name, body = (named.group(1).strip(), text[named.end() :]) if named else ("", text)
    return _one(KindDescription(name=name, spec=text), body.strip(), settings)


def default_panel(settings: Settings) -> list[Spec]:
    """Each retriever with each reader, and two retrievers with worked examples."""
    texts = [f"{retriever}+{reader}" for retriever in RETRIEVERS for reader in READERS]
    if settings.worked_examples:
        count = settings.worked_examples
        texts += [f"{retriever}+{reader},examples={count}" for retriever in ("bm25", "hybrid") for reader in READERS]
    return [parse_spec(text, settings) for text in texts]


def _one(told: KindDescription, body: str, settings: Settings) -> Spec:
    kind, _, rest = body.partition(":")
    missed = near_miss(told, body)
    if missed is not None:
        raise missed
    said: Spec
    match kind.lower():
        case "recorded" if rest:
            said = RecordedSpec(path=rest.strip())
        case "command" if rest:
            _check_no_secret(told.spec, "Let the program read it from an environment variable.")
            said = CommandSpec(run=words(rest))
        case "http" | "https" if rest.startswith("//"):
            _check_address(body)
            said = HttpSpec(url=body, answer=BARE_ANSWER)
        case _ if CALLABLE.fullmatch(body) and not names_reference(body):
            said = CallableSpec(target=body)
        case _:
            said = reference_told(body, told.spec)
    return spec_of(told, said, settings)


def _check_address(url: str) -> None:
    scheme, _, rest = url.partition("#")[0].partition(":")
    if without_credentials(url, named="The examinee's address") != f"{scheme.lower()}:{rest}":
        raise _with_secret(
            "Describe the endpoint in a panel file, with ${NAME} in its headers for an environment variable."
        )


def _check_no_secret(text: str, next_step: str) -> None:
    if Secrets(environ={}).redacted(text) != text:
        raise _with_secret(next_step)


def _with_secret(next_step: str) -> UsageError:
    # the message must not repeat the secret
    return UsageError(
        "An examinee's SPEC contains what looks like a key or a password. It would be stored with the answers.",
        next_step=next_step,
    )
