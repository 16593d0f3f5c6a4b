"""The walk from documents to report: whole, or stage by stage."""

from __future__ import annotations

from typing import Annotated

import typer

from viva.cli.options import (
    Ablations,
    Audience,
    BaseUrl,
    BlueprintGiven,
    CallTimeout,
    ChunkOverlap,
    ChunkTokens,
    Concurrency,
    Database,
    Docs,
    Examinees,
    Ignore,
    Items,
    Json,
    Judge,
    JudgeRepeats,
    Manufactured,
    MaxCalls,
    MaxCost,
    MaxDocuments,
    MaxFileMb,
    MaxKnown,
    MaxTokens,
    Model,
    Models,
    OpenShare,
    OralQuestions,
    Out,
    Passages,
    PerChunk,
    Price,
    Qdrant,
    Rpm,
    RunFolder,
    Seed,
    SureOnly,
    Temperature,
    Timeout,
    Tpm,
    Worked,
)

commands = typer.Typer()


@commands.command(epilog="Example: viva run handbook/ --items 80 --examinee panel --examinee my_rag.py:answer")
def run(
    docs: Docs,
    out: Out = None,
    examinee: Examinees = None,
    items: Items = None,
    open_share: OpenShare = None,
    max_known: MaxKnown = None,
    judge: Judge = None,
    judge_repeats: JudgeRepeats = None,
    model: Models = None,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    price: Price = None,
    concurrency: Concurrency = None,
    requests_per_minute: Rpm = None,
    tokens_per_minute: Tpm = None,
    call_timeout: CallTimeout = None,
    seed: Seed = None,
    max_documents: MaxDocuments = None,
    ignore: Ignore = None,
    max_file_mb: MaxFileMb = None,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    embedding_model: Model = None,
    items_per_chunk: PerChunk = None,
    sure_only: SureOnly = None,
    blueprint: BlueprintGiven = None,
    audience: Audience = None,
    worked_examples: Worked = None,
    passages: Passages = None,
    timeout: Timeout = None,
    manufactured: Manufactured = None,
    ablation_questions: Ablations = None,
    oral_questions: OralQuestions = None,
    database_url: Database = None,
    qdrant_url: Qdrant = None,
    json: Json = False,
) -> None:
    """The whole walk: read DOCS, write an exam, let systems sit it, score, report. Run again to go on."""
    given = {**locals()}
    from viva.cli.run.stages import walk_documents

    walk_documents(given, last="report")


@commands.command(epilog="Example: viva plan handbook/ --items 80 --model openai:gpt-4o-mini")
def plan(
    docs: Docs,
    out: Out = None,
    items: Items = None,
    model: Models = None,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    price: Price = None,
    concurrency: Concurrency = None,
    requests_per_minute: Rpm = None,
    tokens_per_minute: Tpm = None,
    sample: Annotated[int, typer.Option(help="Chunks that are rehearsed.", min=2, max=1000)] = 40,
    seed: Seed = None,
    max_documents: MaxDocuments = None,
    ignore: Ignore = None,
    max_file_mb: MaxFileMb = None,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    embedding_model: Model = None,
    items_per_chunk: PerChunk = None,
    blueprint: BlueprintGiven = None,
    audience: Audience = None,
    worked_examples: Worked = None,
    json: Json = False,
) -> None:
    """Predict calls, tokens, money and minutes of writing an exam with language models, before anything is paid."""
    given = {**locals()}
    from viva.cli.run.plan import show_plan

    show_plan(given, sample=sample, as_json=json)


@commands.command(epilog="Example: viva ingest handbook/ --out run1")
def ingest(
    docs: Docs,
    out: Out = None,
    model: Models = None,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    seed: Seed = None,
    max_documents: MaxDocuments = None,
    ignore: Ignore = None,
    max_file_mb: MaxFileMb = None,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    embedding_model: Model = None,
    items_per_chunk: PerChunk = None,
    sure_only: SureOnly = None,
    blueprint: BlueprintGiven = None,
    audience: Audience = None,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Only read DOCS: documents, chunks, duplicates, and what could not be read and why."""
    given = {**locals()}
    from viva.cli.run.stages import walk_documents

    walk_documents(given, last="ingest")


@commands.command(epilog="Example: viva write run1 --items 80")
def write(
    run: RunFolder,
    items: Items = None,
    open_share: OpenShare = None,
    max_known: MaxKnown = None,
    model: Models = None,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    price: Price = None,
    concurrency: Concurrency = None,
    requests_per_minute: Rpm = None,
    tokens_per_minute: Tpm = None,
    call_timeout: CallTimeout = None,
    worked_examples: Worked = None,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Write the exam of a run that was ingested. A --model may be named until the first chunk was read."""
    given = {**locals()}
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "write")


@commands.command(epilog="Example: viva sit run1 --examinee hybrid+embedding,k=3 --examinee mine=my_rag.py:answer")
def sit(
    run: RunFolder,
    examinee: Examinees = None,
    worked_examples: Worked = None,
    passages: Passages = None,
    timeout: Timeout = None,
    manufactured: Manufactured = None,
    ablation_questions: Ablations = None,
    database_url: Database = None,
    qdrant_url: Qdrant = None,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive",
            help="Ask a part of an exam that others sat and was scored: drawn at random, where enough sat it some "
            "of it chosen for what it tells.",
        ),
    ] = False,
    target_se: Annotated[
        float | None, typer.Option("--se-target", help="Adaptive: standard error of ability to end at (0.3).", min=0)
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Adaptive: questions at most (20).", min=1)] = None,
    json: Json = False,
) -> None:
    """Let systems sit the exam of a run. More can sit later: nobody is asked twice. For open questions: viva oral."""
    given = {**locals()}
    from viva.cli.sit.commands import sit_run

    sit_run(given)


@commands.command(epilog="Example: viva oral run1 --examinee my_rag.py:answer --questions 200")
def oral(
    run: RunFolder,
    examinee: Examinees = None,
    questions: Annotated[
        int | None, typer.Option(help="Questions that one examinee is put in all (as many as it takes).", min=1)
    ] = None,
    tries: Annotated[
        int | None, typer.Option(help="How often a unit is asked for alone before it is given up (2).", min=1, max=20)
    ] = None,
    flat: Annotated[
        int | None,
        typer.Option(
            help="Questions in a row that may settle no further unit before the rest is left open; 0: any number "
            "(the number of units, 150 at least).",
            min=0,
        ),
    ] = None,
    timeout: Timeout = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    price: Price = None,
    database_url: Database = None,
    qdrant_url: Qdrant = None,
    json: Json = False,
) -> None:
    """Quiz systems until every unit of knowledge was asked about. Interrupted, it goes on where it was."""
    given = {**locals()}
    from viva.cli.sit.oral import oral_run

    oral_run(given)


@commands.command(epilog="Example: viva score run1")
def score(
    run: RunFolder,
    judge: Judge = None,
    judge_repeats: JudgeRepeats = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    price: Price = None,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Grade all responses, open ones by a judge or a jury, and estimate abilities and item parameters."""
    given = {**locals()}
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "score")


@commands.command(epilog="Example: viva report run1")
def report(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """Write RUN/report.html: one file, no network."""
    given = {**locals()}
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "report")
