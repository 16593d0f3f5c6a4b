"""What the stages of a run are told, a value for each command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from viva.cli.options import (
    BudgetOptions,
    CallTimeout,
    CorpusOptions,
    Database,
    Docs,
    EngineOptions,
    Examinees,
    ExamOptions,
    GradingOptions,
    Items,
    Json,
    Loader,
    ModelOptions,
    Options,
    OralQuestions,
    Out,
    PaceOptions,
    Price,
    Qdrant,
    RunFolder,
    SittingOptions,
    StorageOptions,
    SureOnly,
    Timeout,
    Worked,
    WritingOptions,
)


@dataclass(frozen=True, kw_only=True)
class DocumentsOptions(Options):
    """A command that begins with documents."""

    docs: Docs = None
    loader: Loader = None
    out: Out = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class StageOptions(Options):
    """A command that goes on with a run."""

    run: RunFolder
    database_url: Database = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class RunOptions(
    DocumentsOptions,
    ExamOptions,
    GradingOptions,
    ModelOptions,
    BudgetOptions,
    PaceOptions,
    CorpusOptions,
    WritingOptions,
    SittingOptions,
    EngineOptions,
    StorageOptions,
):
    """Of `viva run`."""

    examinee: Examinees = None
    call_timeout: CallTimeout = None
    sure_only: SureOnly = None
    oral_questions: OralQuestions = None


@dataclass(frozen=True, kw_only=True)
class PlanOptions(DocumentsOptions, ModelOptions, PaceOptions, CorpusOptions, WritingOptions):
    """Of `viva plan`."""

    items: Items = None
    worked_examples: Worked = None
    price: Price = None
    sample: Annotated[int, typer.Option(help="Chunks that are rehearsed.", min=2, max=1000)] = 40


@dataclass(frozen=True, kw_only=True)
class IngestOptions(DocumentsOptions, ModelOptions, CorpusOptions, WritingOptions):
    """Of `viva ingest`."""

    sure_only: SureOnly = None
    database_url: Database = None


@dataclass(frozen=True, kw_only=True)
class WriteOptions(StageOptions, ExamOptions, ModelOptions, BudgetOptions, PaceOptions, EngineOptions):
    """Of `viva write`."""

    worked_examples: Worked = None
    call_timeout: CallTimeout = None


@dataclass(frozen=True, kw_only=True)
class SitOptions(StageOptions, SittingOptions, EngineOptions):
    """Of `viva sit`."""

    examinee: Examinees = None
    qdrant_url: Qdrant = None
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive",
            help="Ask a part of an exam that others sat and was scored: drawn at random, where enough sat it some "
            "of it chosen for what it tells.",
        ),
    ] = False
    target_se: Annotated[
        float | None, typer.Option("--se-target", help="Adaptive: standard error of ability to end at (0.3).", min=0)
    ] = None
    budget: Annotated[int | None, typer.Option(help="Adaptive: questions at most (20).", min=1)] = None


@dataclass(frozen=True, kw_only=True)
class OralOptions(StageOptions, BudgetOptions):
    """Of `viva oral`."""

    examinee: Examinees = None
    questions: Annotated[
        int | None, typer.Option(help="Questions that one examinee is put in all (as many as it takes).", min=1)
    ] = None
    tries: Annotated[
        int | None, typer.Option(help="How often a unit is asked for alone before it is given up (2).", min=1, max=20)
    ] = None
    flat: Annotated[
        int | None,
        typer.Option(
            help="Questions in a row that may settle no further unit before the rest is left open; 0: any number "
            "(the number of units, 150 at least).",
            min=0,
        ),
    ] = None
    timeout: Timeout = None
    qdrant_url: Qdrant = None


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(StageOptions, GradingOptions, BudgetOptions):
    """Of `viva score`."""
