"""The specs of examinees before they are created: one frozen class for each way to connect a system."""

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
"""A module or a file, and a name in it."""
RETRIEVERS: tuple[RetrieverName, ...] = get_args(RetrieverName)
READERS: tuple[OfflineReaderName, ...] = get_args(OfflineReaderName)
SCORES: tuple[ScoreName, ...] = get_args(ScoreName)
RETRIEVER_FORMS = f"{', '.join(RETRIEVERS)}, or MODULE:NAME or FILE.py:NAME of a LangChain retriever or vector store"
READER_FORMS = f"{', '.join(READERS)}, PROVIDER:MODEL, hf:FOLDER or logprob:http://ADDRESS#MODEL"
_MODEL_READER = re.compile(
    r"(?!(?:hf|logprob):)[a-z][a-z0-9_]*:[^\s:/].*|hf:\s*\S.*|logprob:https?://[^#\s]+#\S+", re.DOTALL
)


def known_reader(name: str) -> str:
    """The name. ValueError if it has none of READER_FORMS."""
    if name not in READERS and not _MODEL_READER.fullmatch(name):
        raise ValueError(f"a reader must be {READER_FORMS}")
    return name


def known_retriever(name: str) -> str:
    """The name. ValueError if it is neither one of viva's retrievers nor the name of a Python object."""
    if name not in RETRIEVERS and not CALLABLE.fullmatch(name):
        raise ValueError(f"a retriever must be {RETRIEVER_FORMS}")
    return name


ReaderName = Annotated[str, AfterValidator(known_reader)]
AnyRetrieverName = Annotated[str, AfterValidator(known_retriever)]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True)
class Manners:
    """The request settings of a system. None: those of the run."""

    timeout_s: float | None = None
    """seconds per question"""
    concurrency: int = 1
    """questions in flight at once"""
    requests_per_minute: int | None = None
    retries: int = 2
    """attempts after a transient failure"""


@dataclass(frozen=True)
class ReferenceSpec:
    """A reference system: retriever (or MODULE:NAME), reader, passages per question, chunk size, worked examples.

    `encoder` is the dense encoder of a retriever that has one ("": the run's embedding model). `rerank` is the
    cross-encoder of hybrid-rerank ("": re-ranking by words). `score` is for readers that use log-likelihoods.
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
    """A user's system in Python, in a file or a module: a function, a class, a Runnable, a graph or a tool.

    A class is called with `arguments` to create the system, and so is a function with `arguments`. A function without
    arguments is the system itself.
    """

    examinee: Examinee
    target: str
    function: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    manners: Manners = Manners()


@dataclass(frozen=True)
class HttpSpec:
    """An HTTP endpoint: what is sent to it, and where the answer is in its reply.

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
    """An endpoint of the OpenAI chat protocol. `key_from`: the variable with its key; "": there is no key."""

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
    """limit of its address space, if the operating system can enforce it"""
    manners: Manners = Manners()
    takes_passages: bool = False
    """whether it answers from `passages`, if they are not null, instead of retrieving its own"""


@dataclass(frozen=True)
class RecordedSpec:
    """Recorded answers of a system, one JSON object per line: {"question" or "item_id", "answer", ...}."""

    examinee: Examinee
    path: Path
    manners: Manners = Manners()


Spec = ReferenceSpec | CallableSpec | HttpSpec | ChatSpec | CommandSpec | RecordedSpec
