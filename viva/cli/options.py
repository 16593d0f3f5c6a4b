"""Options that several commands take, each in one wording; and commands that take them as one typed value."""

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
        help="Folder of documents (or one file), here or at an address: s3://, gs://, az://, https://; or --loader.",
        metavar="DOCS",
    ),
]
Loader = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="Documents from a LangChain loader instead: MODULE:CLASS[?KEY=VALUE&...], or FILE.py:FUNCTION of your "
        "own that gives one. It runs in this process, with your rights (docs/sources.md).",
    ),
]
RunFolder = Annotated[Path, typer.Argument(help="Run folder, as printed by viva run.", metavar="RUN")]
Out = Annotated[Path | None, typer.Option(help="Run folder; by default viva-runs/<name of DOCS>.", metavar="RUN")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Examinees = Annotated[
    list[str] | None,
    typer.Option(
        "--examinee",
        "-e",
        metavar="SPEC",
        help="Who sits, repeatable: RETRIEVER+READER[,k=N][,chunk=N][,examples=N], FILE.py:NAME, MODULE:NAME, "
        "PANEL.yaml[#NAME], http://..., command:PROGRAM, recorded:FILE.jsonl, or panel (all reference systems); each "
        "may be named: NAME=SPEC.",
    ),
]
Items = Annotated[int | None, typer.Option(help="Questions in the exam (100).", min=1)]
OpenShare = Annotated[
    float | None,
    typer.Option(
        "--open",
        metavar="SHARE",
        help="Share of the questions that are put without options, answered in words and graded by a judge (0).",
        min=0,
        max=1,
    ),
]
MaxKnown = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Share of the questions, at most, that a language model knows without any document (0.3); more only "
        "where the exam would otherwise be smaller.",
        min=0,
        max=1,
    ),
]
Judge = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Who grades open answers: offline (the default, correctness-default), or one that viva judges lists; "
        "given several times, a jury: the mean of its judges' scores, where more than half of them could judge.",
    ),
]
JudgeRepeats = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Ask the judges N times in all about 50 of the open answers, to see how far their scores change of "
        "themselves; 0: not (the default).",
        min=0,
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of all randomness (0).", min=0)]
MaxDocuments = Annotated[int | None, typer.Option(help="Read only the first N documents.", min=1)]
Ignore = Annotated[
    list[str] | None, typer.Option(help="Files to leave out, repeatable: a pattern such as 'drafts/*'.")
]
MaxFileMb = Annotated[float | None, typer.Option(help="Largest file read, in MB (20).")]
ChunkTokens = Annotated[int | None, typer.Option(help="Largest chunk, in tokens (254).")]
ChunkOverlap = Annotated[int | None, typer.Option(help="Tokens that neighbouring chunks share (32).")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="Language models write the exam: PROVIDER:MODEL for all roles, ROLE=PROVIDER:MODEL for one "
        "(units, writer, expert, judge, distractors, solver, examiner), comma-separated or repeated. The judge also "
        "tells which option an answer means and how wrong ones failed (judge.failure). Whoever reads for a RAG "
        "(reader) is named with it: --examinee bm25+PROVIDER:MODEL. Without --model: the offline cast.",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(help="An OpenAI-compatible server, for models openai:, ollama:, lmstudio:, llamacpp:, vllm:."),
]
Temperature = Annotated[str | None, typer.Option(help="Of the language models (0), or default: the model's own.")]
MaxCost = Annotated[float | None, typer.Option(help="US dollars that the run may cost in all.", min=0)]
MaxTokens = Annotated[int | None, typer.Option(help="Tokens that the run may use in all.", min=0)]
MaxCalls = Annotated[int | None, typer.Option(help="Requests to models that the run may send in all.", min=0)]
Price = Annotated[
    list[str] | None,
    typer.Option(help="PROVIDER:MODEL=INPUT,OUTPUT in US dollars per million tokens, repeatable."),
]
Concurrency = Annotated[int | None, typer.Option(help="Requests to models in flight at most (8).", min=1)]
Rpm = Annotated[int | None, typer.Option("--requests-per-minute", help="Requests to a model per minute.", min=1)]
Tpm = Annotated[int | None, typer.Option("--tokens-per-minute", help="Tokens of a model per minute.", min=1)]
CallTimeout = Annotated[float | None, typer.Option("--call-timeout", help="Seconds a model has per request (120).")]
Model = Annotated[
    str | None,
    typer.Option("--embedding-model", help="minilm (the default), or a sentence-transformers name or path."),
]
PerChunk = Annotated[int | None, typer.Option("--items-per-chunk", help="Items accepted from one chunk at most (2).")]
Worked = Annotated[int | None, typer.Option("--worked-examples", help="Items set aside as worked examples (4).")]
SureOnly = Annotated[
    bool | None,
    typer.Option(
        "--sure-only/--both-tiers",
        help="Whether the offline cast leaves out completions of statements, which it writes where values, dates and "
        "codes do not fill the exam: they are plentiful and poorer (--both-tiers).",
    ),
]
BlueprintGiven = Annotated[
    str | None,
    typer.Option(
        "--blueprint",
        metavar="SHARES",
        help="Shares of the exam by topic, type, bloom, difficulty and kind: a TOML or JSON file, or "
        "kind.multi-hop=0.1,bloom.apply=0.3,topic.Billing=0.5. What they leave is free.",
    ),
]
Audience = Annotated[
    str | None, typer.Option(help="For whom questions are to be useful (somebody who works with these documents).")
]
Passages = Annotated[int | None, typer.Option(help="Passages a reference system reads (1).")]
Timeout = Annotated[float | None, typer.Option("--timeout", help="Seconds an examinee has per question (30).")]
Manufactured = Annotated[
    bool | None,
    typer.Option(
        "--manufactured/--no-manufactured",
        help="Whether viva sets reference systems and variants of your own system beside it, where too few sit the "
        "exam for its questions to be measured (--manufactured).",
    ),
]
Ablations = Annotated[
    int | None,
    typer.Option(
        "--ablation-questions",
        help="Further questions that a system of your own is asked for each variant, its passages exchanged (100); "
        "where it reads passages itself, no more wrong answers than this, and 60 at most, are diagnosed; 0: none.",
        min=0,
    ),
]
OralQuestions = Annotated[
    int | None,
    typer.Option(
        help="Open questions that a system of your own is put after the exam, at most, to find out what it knows "
        "(60); 0: no oral examination.",
        min=0,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="ENGINE",
        help="Who does the work: local (this process, the default), or ray (workers on a Ray cluster; needs "
        "--database-url).",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of the Ray cluster: auto (that of this node) or ray://HOST:10001; by default one is started here.",
    ),
]
Workers = Annotated[
    int | None, typer.Option(help="Workers on Ray (one for each CPU of the cluster).", min=1, max=1000)
]
Database = Annotated[
    str | None, typer.Option("--database-url", help="Keep the run in PostgreSQL: postgresql://... (default: SQLite).")
]
Qdrant = Annotated[
    str | None, typer.Option("--qdrant-url", help="Keep vectors in a Qdrant server (default: embedded).")
]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a command was given: a field is an argument or an option, as its annotation says."""

    @property
    def by_name(self) -> dict[str, Any]:
        """Every value by the name of its field."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


Given = TypeVar("Given", bound=Options)


def takes(given: type[Given]) -> Callable[[Callable[[Given], None]], Callable[..., None]]:
    """Decorates a command of one such value with the signature that Typer reads arguments and options from.

    Help shows the command's own fields first, then those of its bases, from left to right.
    """
    hints = get_type_hints(given, include_extras=True)
    defaults = {each.name: each.default for each in fields(given)}
    names = [name for place in given.__mro__ for name in get_annotations(place)]
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
    """How large the exam is, and of what."""

    items: Items = None
    open_share: OpenShare = None
    max_known: MaxKnown = None


@dataclass(frozen=True, kw_only=True)
class GradingOptions(Options):
    """Who grades open answers."""

    judge: Judge = None
    judge_repeats: JudgeRepeats = None


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Options):
    """Which language models play the roles."""

    model: Models = None
    base_url: BaseUrl = None
    temperature: Temperature = None


@dataclass(frozen=True, kw_only=True)
class BudgetOptions(Options):
    """What a run may cost."""

    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_calls: MaxCalls = None
    price: Price = None


@dataclass(frozen=True, kw_only=True)
class PaceOptions(Options):
    """How fast models are asked."""

    concurrency: Concurrency = None
    requests_per_minute: Rpm = None
    tokens_per_minute: Tpm = None


@dataclass(frozen=True, kw_only=True)
class CorpusOptions(Options):
    """What is read, and how it is cut."""

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
    """How systems sit."""

    worked_examples: Worked = None
    passages: Passages = None
    timeout: Timeout = None
    manufactured: Manufactured = None
    ablation_questions: Ablations = None


@dataclass(frozen=True, kw_only=True)
class EngineOptions(Options):
    """Who does the work."""

    engine: Engine = None
    ray_address: RayAddress = None
    workers: Workers = None


@dataclass(frozen=True, kw_only=True)
class StorageOptions(Options):
    """Where runs and vectors are kept."""

    database_url: Database = None
    qdrant_url: Qdrant = None
