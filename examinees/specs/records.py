"""What is known of an examinee before it is made: one frozen spec per way of plugging a system in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator

from viva.core.records import Examinee

RetrieverName = Literal["closed-book", "oracle", "bm25", "dense", "hybrid", "hybrid-rerank"]
OfflineReaderName = Literal["lexical", "embedding"]
ScoreName = Literal["acc", "acc_norm", "acc_bytes"]
"""How log-likelihoods of options are compared: as they are, per character, or per byte of the option."""
CALLABLE = re.compile(r".+:[A-Za-z_]\w*", re.DOTALL)
"""A module or file, and a name in it."""
RETRIEVERS: tuple[RetrieverName, ...] = get_args(RetrieverName)
READERS: tuple[OfflineReaderName, ...] = get_args(OfflineReaderName)
SCORES: tuple[ScoreName, ...] = get_args(ScoreName)
RETRIEVER_FORMS = f"{', '.join(RETRIEVERS)}, or MODULE:NAME or FILE.py:NAME of a LangChain retriever or vector store"
READER_FORMS = f"{', '.join(READERS)}, PROVIDER:MODEL, hf:FOLDER or logprob:http://ADDRESS#MODEL"
_MODEL_READER = re.compile(
    r"(?!(?:hf|logprob):)[a-z][a-z0-9_]*:[^\s:/].*|hf:\s*\S.*|logprob:https?://[^#\s]+#\S+", re.DOTALL
)


def known_reader(name: str) -> str:
    """The name. ValueError where it is none of READER_FORMS."""
    if name not in READERS and not _MODEL_READER.fullmatch(name):
        raise ValueError(f"a reader is {READER_FORMS}")
    return name


def known_retriever(name: str) -> str:
    """The name. ValueError where it is none of viva's own, and names no object in Python."""
    if name not in RETRIEVERS and not CALLABLE.fullmatch(name):
        raise ValueError(f"a retriever is {RETRIEVER_FORMS}")
    return name


ReaderName = Annotated[str, AfterValidator(known_reader)]
AnyRetrieverName = Annotated[str, AfterValidator(known_retriever)]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True)
class Manners:
    """How a system wants to be asked. None: as the run's settings say."""

    timeout_s: float | None = None
    """seconds per question"""
    concurrency: int = 1
    """questions in flight at once"""
    requests_per_minute: int | None = None
    retries: int = 2
    """after a failure that the adapter knows to be transient"""


@dataclass(frozen=True)
class ReferenceSpec:
    """A reference system: retriever (or MODULE:NAME), reader, passages per question, own chunk size, worked examples.

    `encoder` names the dense encoder of a retriever that has one, `rerank` the cross-encoder of hybrid-rerank ("":
    the run's embedding model, and re-ranking by words); `score` is for readers that go by log-likelihood.
    """

    examinee: Examinee
    retriever: AnyRetrieverName
    reader: ReaderName
    k: int
    chunk: int
    examples: int
    manners: Manners = Manners()
    encoder: str = ""
    rerank: str = ""
    score: ScoreName = "acc_norm"


@dataclass(frozen=True)
class CallableSpec:
    """Somebody's own system in Python, by file or by module: a function, a class, a Runnable, a graph, a tool.

    A class is made into the system, with `arguments`; so does a function with `arguments` make it. Without them a
    function is the system itself.
    """

    examinee: Examinee
    target: str
    function: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    manners: Manners = Manners()


@dataclass(frozen=True)
class HttpSpec:
    """An HTTP endpoint, told in words: what is sent, and where in the reply the answer is.

    Placeholders in `body` and `query`: {question} (with the options as lettered lines), {stem}, {options} (a list),
    {passages} (a list of texts, for `answer_from`); {NAME} for a component of that name. `headers` and `query` may
    name environment variables as ${NAME}. `answer`, `passages`, `passage_ids`, `input_tokens`, `output_tokens` are
    JSONPaths; without `answer` the reply's text is the answer.
    """

    examinee: Examinee
    url: str
    method: Literal["GET", "POST"] = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Json = None
    query: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    passages: str = ""
    passage_ids: str = ""
    input_tokens: str = ""
    output_tokens: str = ""
    manners: Manners = Manners()


@dataclass(frozen=True)
class ChatSpec:
    """An endpoint that speaks the OpenAI chat protocol. `key_from` names the variable with its key; "": none."""

    examinee: Examinee
    base_url: str
    model: str
    key_from: str = "OPENAI_API_KEY"
    system: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    manners: Manners = Manners()


@dataclass(frozen=True)
class CommandSpec:
    """A program that reads one JSON object per line and writes one per line, in any order.

    It reads {"id", "question" (with the options as lettered lines), "stem", "options", "passages"} and writes {"id",
    "answer" or "text", "passages", "usage"}, or {"id", "error"}. It is started once, and again if it dies.
    """

    examinee: Examinee
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    memory_mb: int | None = None
    """the most address space it may have, where the system can hold it to that"""
    manners: Manners = Manners()
    takes_passages: bool = False
    """whether it answers from `passages` where they are no null, instead of those it would retrieve"""


@dataclass(frozen=True)
class RecordedSpec:
    """Answers somebody's system gave before, one JSON object per line: {"question" or "item_id", "answer", ...}."""

    examinee: Examinee
    path: Path
    manners: Manners = Manners()


Spec = ReferenceSpec | CallableSpec | HttpSpec | ChatSpec | CommandSpec | RecordedSpec
