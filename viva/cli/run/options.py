"""The options of the commands that run stages, one class for each command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import (
    BaseUrl,
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
    """Options of a command that starts from documents."""

    docs: Docs = None
    loader: Loader = None
    out: Out = None
    json: Json = False


ExamGiven = Annotated[
    Path | None,
    typer.Option(
        "--exam",
        metavar="FILE",
        help="Questions of your own, in place of an exam from the documents: a file or a folder in a format of viva "
        "exam import, such as a table with the columns question, answer and contexts. The contexts are looked up in "
        "the documents as evidence. An exam that the run has is kept (docs/exam-file.md).",
    ),
]
Edited = Annotated[
    str | None,
    typer.Option(
        "--edited-exam",
        metavar="take|restore",
        help="If RUN/exam.jsonl was edited: take it as the exam of the run, or restore the file from the run.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class StageOptions(Options):
    """Options of a command that continues a run."""

    run: RunFolder
    database_url: Database = None
    edited_exam: Edited = None
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
    """Options of `viva run`."""

    exam: ExamGiven = None
    edited_exam: Edited = None
    examinee: Examinees = None
    call_timeout: CallTimeout = None
    sure_only: SureOnly = None
    oral_questions: OralQuestions = None


@dataclass(frozen=True, kw_only=True)
class PlanOptions(DocumentsOptions, ModelOptions, PaceOptions, CorpusOptions, WritingOptions):
    """Options of `viva plan`."""

    items: Items = None
    worked_examples: Worked = None
    price: Price = None


@dataclass(frozen=True, kw_only=True)
class IngestOptions(DocumentsOptions, ModelOptions, CorpusOptions, WritingOptions):
    """Options of `viva ingest`."""

    sure_only: SureOnly = None
    database_url: Database = None


@dataclass(frozen=True, kw_only=True)
class WriteOptions(StageOptions, ExamOptions, ModelOptions, BudgetOptions, PaceOptions, EngineOptions):
    """Options of `viva write`."""

    worked_examples: Worked = None
    call_timeout: CallTimeout = None


@dataclass(frozen=True, kw_only=True)
class SitOptions(StageOptions, SittingOptions, EngineOptions):
    """Options of `viva sit`."""

    run: Annotated[
        Path,
        typer.Argument(
            help="The run folder, as viva run prints it; or a file of questions, which are asked without documents.",
            metavar="RUN|FILE",
        ),
    ]
    exam: ExamGiven = None
    out: Annotated[
        Path | None,
        typer.Option(help="The run folder of FILE (default: viva-runs/ and the name of FILE).", metavar="RUN"),
    ] = None
    examinee: Examinees = None
    qdrant_url: Qdrant = None
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Ask only N questions, drawn at random over topics and difficulties, and estimate the accuracy on "
            "the whole exam. Needs --examinee.",
            min=1,
        ),
    ] = None
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Ask the systems anew what they have answered before. Their earlier answers are deleted first, with "
            "grades and labels.",
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class OralOptions(StageOptions, BudgetOptions):
    """Options of `viva oral`."""

    examinee: Examinees = None
    questions: Annotated[
        int | None, typer.Option(help="The most questions to ask each system in all (default: no limit).", min=1)
    ] = None
    tries: Annotated[
        int | None,
        typer.Option(
            help="Questions about one knowledge unit alone before it is given up (default: 2).", min=1, max=20
        ),
    ] = None
    flat: Annotated[
        int | None,
        typer.Option(
            help="Stop after this many questions in a row that settle no further unit; the other units stay open "
            "(default: the number of units, but at least 150; 0: never stop for this).",
            min=0,
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="The language model that examines: PROVIDER:MODEL, or one for each role: units=PROVIDER:MODEL, "
            "examiner=..., judge=... (default: that of the run).",
        ),
    ] = None
    base_url: BaseUrl = None
    timeout: Timeout = None
    qdrant_url: Qdrant = None


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(StageOptions, GradingOptions, BudgetOptions):
    """Options of `viva score`."""

    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'A vs B'",
            help="Test these two systems alone: their p-value is not adjusted for other pairs. Name a pair before "
            "you know its result. Can be repeated; later scores keep it, until --pair none.",
        ),
    ] = None
