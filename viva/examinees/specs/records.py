"""The specs of examinees before they are created: one frozen class for each way to connect a system.

A panel file describes a system by the same classes: their fields are its keys, `examinee` and `manners` excepted.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)

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
Scalar = str | int | float | bool | None
"""A value as it is in a panel file, such as the level of a component."""


def level_text(level: Scalar) -> str:
    """A level as text; true, false and null as in YAML."""
    return level if isinstance(level, str) else json.dumps(level)


def _number_text(value: Any) -> Any:
    """A finite number as text, anything else unchanged."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return level_text(value) if is_number and (isinstance(value, int) or math.isfinite(value)) else value


def _scalar_text(value: Any) -> Any:
    """A finite number or a truth value as text, anything else unchanged."""
    return level_text(value) if isinstance(value, bool) else _number_text(value)


def _address(url: str) -> str:
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError("an address must begin with http:// or https://")
    return url


Address = Annotated[str, AfterValidator(_address)]
Word = Annotated[str, BeforeValidator(_number_text)]
Value = Annotated[str, BeforeValidator(_scalar_text)]
"""Of a header, a query or an environment variable."""


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


class PanelPart(BaseModel):
    """A part of a panel file that allows only declared keys and values of their types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class SystemSpec(PanelPart):
    """What the specs of all kinds have in common."""

    examinee: Examinee = Examinee(id="", name="", spec="")
    """set once the id is computed from all other values (kinds.py)"""
    manners: Manners = Manners()

    def of(self, examinee: Examinee) -> Self:
        """The same system as another examinee, such as one with another name."""
        return self.model_copy(update={"examinee": examinee})


class ReferenceSpec(SystemSpec):
    """A reference system: retriever (or MODULE:NAME), reader, passages per question, chunk size, worked examples.

    `encoder` is the dense encoder of a retriever that has one ("": the run's embedding model). `rerank` is the
    cross-encoder of hybrid-rerank ("": re-ranking by words). `score` is for readers that use log-likelihoods.
    """

    retriever: AnyRetrieverName
    reader: ReaderName = "lexical"
    k: int = Field(default=0, ge=1, le=100)
    """0, as with `chunk`: not given yet, and taken from the run's settings"""
    chunk: int = Field(default=0, ge=32, le=4096)
    examples: int = Field(default=0, ge=0, le=20)
    encoder: str = ""
    rerank: str = ""
    score: ScoreName = "acc_norm"

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, given: Any) -> Any:
        """Count a null as not given."""
        may_be_null = {"k", "chunk", "examples", "score"}
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if value is not None or key not in may_be_null}

    def given(self, name: str) -> bool:
        """Whether the description of the system has a value of this name."""
        return name in self.model_fields_set


class CallableSpec(SystemSpec):
    """A user's system in Python, in a file or a module: a function, a class, a Runnable, a graph or a tool.

    A class is called with `arguments` to create the system, and so is a function with `arguments`. A function without
    arguments is the system itself.
    """

    target: str
    """FILE.py:FUNCTION or MODULE:FUNCTION"""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def module(self) -> str:
        """The file or the module."""
        return self.target.rpartition(":")[0]

    @property
    def function(self) -> str:
        """The name in it."""
        return self.target.rpartition(":")[2]


class HttpSpec(SystemSpec):
    """An HTTP endpoint: what is sent to it, and where the answer is in its reply.

    Placeholders in `body` and `query`: {question} (with the options as lettered lines), {stem}, {options} (a list),
    {passages} (a list of texts, for `answer_from`); {NAME} for a component of that name. `headers` and `query` may
    name environment variables as ${NAME}. `answer`, `passages`, `passage_ids`, `input_tokens`, `output_tokens`
    and `cost` are JSONPaths; without `answer` the reply's text is the answer.
    """

    url: Address
    method: Literal["GET", "POST"] = "POST"
    headers: dict[str, Value] = Field(default_factory=dict)
    body: JsonValue = None
    query: dict[str, Value] = Field(default_factory=dict)
    answer: str = ""
    passages: str = ""
    passage_ids: str = ""
    input_tokens: str = ""
    output_tokens: str = ""
    cost: str = ""
    version: Value = ""
    """what the endpoint is called where it changes: another version is another examinee"""


class ChatSpec(SystemSpec):
    """An endpoint of the OpenAI chat protocol. `key_from`: the variable with its key; "": there is no key."""

    base_url: Address
    model: str = Field(min_length=1)
    key_from: str = Field(default="OPENAI_API_KEY", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")
    system: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    version: Value = ""


class CommandSpec(SystemSpec):
    """A program that reads one JSON object per line and writes one per line, in any order.

    It reads {"id", "question" (with the options as lettered lines), "stem", "options", "passages"} and writes {"id",
    "answer" or "text", "passages", "usage"}, or {"id", "error"}. It is started once, and again if it dies.
    """

    run: list[Word]
    """the program and its arguments"""
    environment: dict[str, Value] = Field(default_factory=dict)
    folder: str = ""
    """where it runs; "": in the working folder"""
    memory_mb: int | None = Field(default=None, ge=16)
    """limit of its address space, if the operating system can enforce it"""
    takes_passages: bool = False
    """whether it answers from `passages`, if they are not null, instead of retrieving its own"""
    version: Value = ""


class RecordedSpec(SystemSpec):
    """Recorded answers of a system, one JSON object per line: {"question" or "item_id", "answer", ...}."""

    path: str


class LiveSpec(SystemSpec):
    """A system that is at hand as a Python object: what a CallableSpec names, without the name.

    `known_source`: whether the id changes with its source. Else an edited system is taken for the same.
    """

    system: Any = Field(exclude=True, repr=False)
    known_source: bool = True

    @property
    def function(self) -> str:
        """What messages call it."""
        return self.examinee.name


Spec = ReferenceSpec | CallableSpec | LiveSpec | HttpSpec | ChatSpec | CommandSpec | RecordedSpec
