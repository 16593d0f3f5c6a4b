"""What is known of an examinee before it is made: one frozen spec per way of plugging a system in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from viva.core.records import Examinee

RetrieverName = Literal["closed-book", "oracle", "bm25", "dense", "hybrid", "hybrid-rerank"]
ReaderName = Literal["lexical", "embedding"]
RETRIEVERS: tuple[RetrieverName, ...] = get_args(RetrieverName)
READERS: tuple[ReaderName, ...] = get_args(ReaderName)
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
    """A reference system: retriever, reader, passages per question, own chunk size, worked examples."""

    examinee: Examinee
    retriever: RetrieverName
    reader: ReaderName
    k: int
    chunk: int
    examples: int
    manners: Manners = Manners()


@dataclass(frozen=True)
class CallableSpec:
    """Somebody's own system in Python, by file or by module: a function, a class, a Runnable, a graph, a tool.

    `arguments` are given to a class or a factory that makes the system; without them the name is the system itself.
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
    {passages} (a list of texts, for `answer_from`); {NAME} for a component of that name. `headers` may name
    environment variables as ${NAME}. `answer`, `passages`, `passage_ids`, `input_tokens`, `output_tokens` are
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
    """An endpoint that speaks the OpenAI chat protocol; its key is in the environment variable `key_from`."""

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

    It reads {"id", "question", "stem", "options", "passages"} and writes {"id", "answer" or "text", "passages",
    "usage"}. It is started once, and again if it dies.
    """

    examinee: Examinee
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    memory_mb: int | None = None
    """the most address space it may have, where the system can hold it to that"""
    manners: Manners = Manners()


@dataclass(frozen=True)
class RecordedSpec:
    """Answers somebody's system gave before, one JSON object per line: {"question" or "item_id", "answer", ...}."""

    examinee: Examinee
    path: Path
    manners: Manners = Manners()


Spec = ReferenceSpec | CallableSpec | HttpSpec | ChatSpec | CommandSpec | RecordedSpec
