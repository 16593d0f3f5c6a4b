"""Options that several commands share, and the decorator that hands a command its options as one typed value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature, get_annotations
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

Docs = Annotated[
    str | None,
    typer.Argument(
        help="A folder of documents or one file: a path, or an address (s3://, gs://, az://, https://). Leave it out "
        "if you use --loader.",
        metavar="DOCS",
    ),
]
Loader = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="Take documents from a LangChain document loader instead of DOCS: MODULE:CLASS[?KEY=VALUE&...], or "
        "FILE.py:FUNCTION, a function of yours that returns a loader. The loader runs in viva's process with your "
        "rights (docs/sources.md).",
    ),
]
RunFolder = Annotated[Path, typer.Argument(help="The run folder, as viva run prints it.", metavar="RUN")]
Out = Annotated[
    Path | None, typer.Option(help="The run folder (default: viva-runs/ and the name of DOCS).", metavar="RUN")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
RunDatabase = Annotated[
    str | None,
    typer.Option("--database-url", help="The PostgreSQL server of the run, if the run is not kept in its folder."),
]
Examinees = Annotated[
    list[str] | None,
    typer.Option(
        "--examinee",
        "-e",
        metavar="SPEC",
        help="A system to examine; repeatable. A reference system: RETRIEVER+READER, with options k, chunk "
        "and examples, such as hybrid+embedding,k=3; or panel for all of them. A system of yours: FILE.py:NAME, "
        "MODULE:NAME, PANEL.yaml[#NAME], http://..., command:PROGRAM or recorded:FILE.jsonl. NAME=SPEC gives it a "
        "name.",
    ),
]
Items = Annotated[int | None, typer.Option(help="Number of questions in the exam (default: 100).", min=1)]
OpenShare = Annotated[
    float | None,
    typer.Option(
        "--open",
        metavar="SHARE",
        help="Share of open questions, from 0 to 1 (default: 0). An open question is asked without its options, "
        "answered in words and graded by a judge.",
        min=0,
        max=1,
    ),
]
MaxKnown = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Largest share of questions that a language model can answer without documents, from 0 to 1 "
        "(default: 0.3). It is exceeded only where the exam would otherwise be smaller.",
        min=0,
        max=1,
    ),
]
Judge = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The judge that grades open answers: offline (the default; it is correctness-offline), or a name that "
        "viva judges lists.",
    ),
]
Qualities = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="What else open answers are graded for, comma-separated: faithfulness (to the passages that the system "
        "returned), relevance (to the question); by the language model of the run, or by rules if it has none. A "
        "judge can be named too: faithfulness-offline. It changes no rank (default: none).",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of all random draws (default: 0).", min=0)]
MaxDocuments = Annotated[int | None, typer.Option(help="Read only the first N documents (default: all).", min=1)]
Ignore = Annotated[
    list[str] | None, typer.Option(help="Leave out files that match this pattern, such as 'drafts/*'; repeatable.")
]
MaxFileMb = Annotated[float | None, typer.Option(help="Leave out files larger than this, in MB (default: 20).")]
ChunkTokens = Annotated[int | None, typer.Option(help="Largest size of a chunk, in tokens (default: 254).")]
ChunkOverlap = Annotated[int | None, typer.Option(help="Tokens that neighbouring chunks share (default: 32).")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="The language models that write the exam; repeatable or comma-separated. PROVIDER:MODEL for all roles, "
        "ROLE=PROVIDER:MODEL for one role: units, writer, expert, judge, distractors, solver or examiner. The judge "
        "also tells which option an answer means, and how a wrong answer failed (judge.failure). The reader of a "
        "reference system is named elsewhere: --examinee bm25+PROVIDER:MODEL. Without --model, rules write the exam "
        "(the offline cast).",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        help="Address of an OpenAI-compatible server for models openai:, ollama:, lmstudio:, llamacpp: and vllm:."
    ),
]
Temperature = Annotated[
    str | None,
    typer.Option(help="Temperature of the language models, 0 to 2, or default for the model's own (default: 0)."),
]
MaxCost = Annotated[
    float | None, typer.Option(help="The most that the whole run may cost, in US dollars (default: no limit).", min=0)
]
MaxTokens = Annotated[
    int | None, typer.Option(help="The most tokens that the whole run may use (default: no limit).", min=0)
]
MaxCalls = Annotated[
    int | None,
    typer.Option(help="The most requests that the whole run may send to models (default: no limit).", min=0),
]
Price = Annotated[
    list[str] | None,
    typer.Option(
        help="Price of a model, PROVIDER:MODEL=INPUT,OUTPUT in US dollars per million tokens; repeatable. Example: "
        "openai:my-model=0.15,0.60"
    ),
]
Concurrency = Annotated[
    int | None, typer.Option(help="The most requests to models at the same time (default: 8).", min=1)
]
Rpm = Annotated[
    int | None,
    typer.Option("--requests-per-minute", help="The most requests to a model per minute (default: no limit).", min=1),
]
Tpm = Annotated[
    int | None,
    typer.Option("--tokens-per-minute", help="The most tokens of a model per minute (default: no limit).", min=1),
]
CallTimeout = Annotated[
    float | None,
    typer.Option("--call-timeout", help="Seconds that a model has for one request (default: 120)."),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--embedding-model",
        help="The embedding model: minilm (the default), or the name or path of a sentence-transformers model.",
    ),
]
PerChunk = Annotated[
    int | None,
    typer.Option("--items-per-chunk", help="The most questions accepted from one chunk, 1 to 20 (default: 2)."),
]
Worked = Annotated[
    int | None,
    typer.Option(
        "--worked-examples",
        help="Solved questions kept out of the exam, as examples for systems that take examples: 0 to 20 "
        "(default: 4).",
    ),
]
SureOnly = Annotated[
    bool | None,
    typer.Option(
        "--sure-only/--both-tiers",
        help="Which questions the offline cast writes. --sure-only: only questions on values, dates and codes. "
        "--both-tiers (the default): where those do not fill the exam, it also writes completions of statements, "
        "which are plentiful but poorer.",
    ),
]
BlueprintGiven = Annotated[
    str | None,
    typer.Option(
        "--blueprint",
        metavar="SHARES",
        help="Shares of the exam by topic, type, bloom, difficulty and kind: a TOML or JSON file, or a list such as "
        "kind.multi-hop=0.1,bloom.apply=0.3,topic.Billing=0.5. The rest of the exam is free.",
    ),
]
Audience = Annotated[
    str | None,
    typer.Option(
        help="The readers whom the questions should be useful to (default: somebody who works with these documents)."
    ),
]
Passages = Annotated[
    int | None, typer.Option(help="Passages that a reference system reads per question, 1 to 100 (default: 1).")
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", help="Seconds that an examinee has for one question (default: 30)."),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Ask each system every question N times, 1 to 20 (default: 1), to see how far it answers alike; its "
        "accuracy is the mean. What was answered is not asked again. Recorded answers and viva's own systems stay "
        "the same and are asked once.",
        min=1,
        max=20,
    ),
]
PassMarkGiven = Annotated[
    float | None,
    typer.Option(
        "--pass",
        metavar="SHARE",
        help="The share of right answers that a system has to reach, such as 0.8. For each system: pass, fail or not "
        "sure. Later scores keep it, until --pass 0.",
    ),
]
Manufactured = Annotated[
    bool | None,
    typer.Option(
        "--manufactured/--no-manufactured",
        help="Whether viva examines reference systems and variants of your system too, if too few systems take the "
        "exam to measure its questions (default: --manufactured; docs/diagnosis.md).",
    ),
]
Ablations = Annotated[
    int | None,
    typer.Option(
        "--ablation-questions",
        help="Questions that each added variant of your system is asked, with other passages than its own (default: "
        "100; 0: none). If your system takes passages, it also limits how many of its wrong answers are diagnosed "
        "(60 at most).",
        min=0,
    ),
]
OralQuestions = Annotated[
    int | None,
    typer.Option(
        help="The most open questions that a language model (--model) asks your system after the exam, to find out "
        "what it knows (default: 60; 0: no oral examination).",
        min=0,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="ENGINE",
        help="Where the work is done: local (in this process, the default), or ray (on workers of a Ray cluster; "
        "needs --database-url).",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of the Ray cluster: auto (the cluster of this machine) or ray://HOST:10001 (default: start a "
        "cluster on this machine).",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(help="Number of Ray workers (default: one for each CPU of the cluster).", min=1, max=1000),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database-url",
        help="Keep the run in PostgreSQL: postgresql://USER@HOST/NAME (default: SQLite, in the run folder).",
    ),
]
Qdrant = Annotated[
    str | None,
    typer.Option(
        "--qdrant-url", help="Keep vectors on a Qdrant server: http://HOST:6333 (default: in the run folder)."
    ),
]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The arguments and options of a command; the annotation of a field says which of the two it is."""

    @property
    def by_name(self) -> dict[str, Any]:
        """Every value by the name of its field."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


Given = TypeVar("Given", bound=Options)


def takes(given: type[Given]) -> Callable[[Callable[[Given], None]], Callable[..., None]]:
    """Give a command that takes one such value the signature that Typer reads its arguments and options from.

    The help shows the fields of the class first, then those of its bases from left to right.
    """
    hints = get_type_hints(given, include_extras=True)
    defaults = {each.name: each.default for each in fields(given)}
    # a class may say anew what its base says of a field
    names = list(dict.fromkeys(name for place in given.__mro__ for name in get_annotations(place)))
    parameters = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if defaults[name] is MISSING else defaults[name],
            annotation=hints[name],
        )
        for name in names
    ]

    def typed(command: Callable[[Given], None]) -> Callable[..., None]:
        def called(**named: Any) -> None:
            command(given(**named))

        called.__name__, called.__doc__, called.__module__ = command.__name__, command.__doc__, command.__module__
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        return called

    return typed


@dataclass(frozen=True, kw_only=True)
class ExamOptions(Options):
    """How large the exam is, and which questions it has."""

    items: Items = None
    open_share: OpenShare = None
    max_known: MaxKnown = None


@dataclass(frozen=True, kw_only=True)
class GradingOptions(Options):
    """The judges of open answers, and the mark to pass."""

    judge: Judge = None
    qualities: Qualities = None
    pass_mark: PassMarkGiven = None


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Options):
    """The language models of the roles."""

    model: Models = None
    base_url: BaseUrl = None
    temperature: Temperature = None


@dataclass(frozen=True, kw_only=True)
class BudgetOptions(Options):
    """The limits on what a run spends."""

    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_calls: MaxCalls = None
    price: Price = None


@dataclass(frozen=True, kw_only=True)
class PaceOptions(Options):
    """How fast requests are sent to models."""

    concurrency: Concurrency = None
    requests_per_minute: Rpm = None
    tokens_per_minute: Tpm = None


@dataclass(frozen=True, kw_only=True)
class CorpusOptions(Options):
    """Which documents are read, and how they are split into chunks."""

    seed: Seed = None
    max_documents: MaxDocuments = None
    ignore: Ignore = None
    max_file_mb: MaxFileMb = None
    chunk_tokens: ChunkTokens = None
    chunk_overlap: ChunkOverlap = None
    embedding_model: Model = None


@dataclass(frozen=True, kw_only=True)
class WritingOptions(Options):
    """How questions are written."""

    items_per_chunk: PerChunk = None
    blueprint: BlueprintGiven = None
    audience: Audience = None


@dataclass(frozen=True, kw_only=True)
class SittingOptions(Options):
    """How systems take the exam."""

    worked_examples: Worked = None
    passages: Passages = None
    timeout: Timeout = None
    repeats: Repeats = None
    manufactured: Manufactured = None
    ablation_questions: Ablations = None


@dataclass(frozen=True, kw_only=True)
class EngineOptions(Options):
    """Where the work is done."""

    engine: Engine = None
    ray_address: RayAddress = None
    workers: Workers = None


@dataclass(frozen=True, kw_only=True)
class StorageOptions(Options):
    """Where runs and vectors are kept."""

    database_url: Database = None
    qdrant_url: Qdrant = None
