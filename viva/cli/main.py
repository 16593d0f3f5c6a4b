"""`viva`: the commands. Everything heavy is imported inside the command that needs it."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.diagnosis import EPILOG as DIAGNOSE_EPILOG
from viva.cli.diagnosis import diagnose
from viva.cli.exam import exam
from viva.cli.examinee import examinee as examinee_group
from viva.cli.irt import EPILOG as IRT_EPILOG
from viva.cli.irt import irt
from viva.cli.refining import EPILOG as REFINE_EPILOG
from viva.cli.refining import refine

EXIT_CODES = (
    "Exit codes: 0 done; 1 a fault in viva; 2 something to mend, said in words; "
    "3 the budget is reached, raise it to go on; 130 interrupted, run it again to go on."
)
BUDGET_REACHED = 3

INTERRUPTED = 130

app = typer.Typer(
    name="viva",
    help="A viva voce for RAG systems: writes an exam from your documents, lets systems sit it, scores both.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Docs = Annotated[Path, typer.Argument(help="Folder of documents (or one file).", metavar="DOCS")]
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
        "(units, writer, expert, judge, distractors, solver), comma-separated or repeated. Without it: the offline "
        "cast.",
    ),
]
BaseUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible server, for models openai:, vllm:, ollama:.")]
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
PhraseKeys = Annotated[
    bool | None,
    typer.Option(
        "--phrase-keys/--sure-keys",
        help="Whether the offline cast also asks for definitions, reasons and other phrases. More questions, and "
        "poorer ones: no rule can tell whether a wrong phrase is not right too (--sure-keys).",
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
        help="Further questions that a system of your own is asked for each variant, its passages exchanged, and "
        "wrong answers that are diagnosed at most (100); 0: none.",
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
Database = Annotated[
    str | None, typer.Option("--database-url", help="Keep the run in PostgreSQL: postgresql://... (default: SQLite).")
]
Qdrant = Annotated[
    str | None, typer.Option("--qdrant-url", help="Keep vectors in a Qdrant server (default: embedded).")
]


@app.command(epilog="Example: viva run handbook/ --items 80 --examinee panel --examinee my_rag.py:answer")
def run(
    docs: Docs,
    out: Out = None,
    examinee: Examinees = None,
    items: Items = None,
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
    phrase_keys: PhraseKeys = None,
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
    from viva.cli.walking import walk_documents

    walk_documents(given, last="report")


@app.command(epilog="Example: viva plan handbook/ --items 80 --model openai:gpt-4o-mini")
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
    from viva.cli.planning import show_plan

    show_plan(given, sample=sample, as_json=json)


@app.command(epilog="Example: viva ingest handbook/ --out run1")
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
    phrase_keys: PhraseKeys = None,
    blueprint: BlueprintGiven = None,
    audience: Audience = None,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Only read DOCS: documents, chunks, duplicates, and what could not be read and why."""
    given = {**locals()}
    from viva.cli.walking import walk_documents

    walk_documents(given, last="ingest")


@app.command(epilog="Example: viva write run1 --items 80")
def write(
    run: RunFolder,
    items: Items = None,
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
    """Write the exam of a run that was ingested."""
    given = {**locals()}
    from viva.cli.walking import walk_stage

    walk_stage(given, "write")


@app.command(epilog="Example: viva sit run1 --examinee hybrid+embedding,k=3 --examinee mine=my_rag.py:answer")
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
        bool, typer.Option("--adaptive", help="Ask only what tells most, of an exam that others sat and was scored.")
    ] = False,
    target_se: Annotated[
        float | None, typer.Option("--se-target", help="Adaptive: standard error of ability to end at (0.3).", min=0)
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Adaptive: questions at most (20).", min=1)] = None,
    json: Json = False,
) -> None:
    """Let systems sit the exam of a run. More can sit later: nobody is asked twice."""
    given = {**locals()}
    from viva.cli.sitting import sit_run

    sit_run(given)


@app.command(epilog="Example: viva oral run1 --examinee my_rag.py:answer --questions 200")
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
            "(the number of units, 40 at least).",
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
    from viva.cli.oral import oral_run

    oral_run(given)


@app.command(epilog="Example: viva score run1")
def score(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """Grade all responses, estimate abilities and item parameters."""
    given = {**locals()}
    from viva.cli.walking import walk_stage

    walk_stage(given, "score")


@app.command(epilog="Example: viva report run1")
def report(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """Write RUN/report.html: one file, no network."""
    given = {**locals()}
    from viva.cli.walking import walk_stage

    walk_stage(given, "report")


@app.command(epilog="Example: viva show run1")
def show(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """How a run stands: corpus, funnel, leaderboard, baselines."""
    from viva.cli.looking import show_run

    show_run(run, database_url, as_json=json)


@app.command(epilog="Example: viva ledger run1")
def ledger(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """What was asked of language models: calls, tokens, money and cache hits, by role and by model."""
    from viva.cli.looking import show_ledger

    show_ledger(run, database_url, as_json=json)


@app.command(epilog="Example: viva items run1 --type quantity --limit 20")
def items(
    run: RunFolder,
    question_type: Annotated[str | None, typer.Option("--type", help="Only this question type.")] = None,
    contains: Annotated[str | None, typer.Option(help="Only items that hold this text.")] = None,
    rejected: Annotated[bool, typer.Option(help="The rejected drafts instead.")] = False,
    limit: Annotated[int, typer.Option(help="At most so many (all: 0).", min=0)] = 0,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """The exam's questions with options, key and evidence; or the rejected drafts with their reasons."""
    from viva.cli.looking import show_items

    show_items(run, database_url, question_type, contains, rejected=rejected, limit=limit, as_json=json)


@app.command(epilog="Example: viva trace run1 3f2a")
def trace(
    run: RunFolder,
    item: Annotated[str, typer.Argument(help="Item, draft or unit id (or its beginning), or words of a stem.")],
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Every step of the committee for an item or a rejected draft: role, input, output, verdict, duration."""
    from viva.cli.looking import show_trace

    show_trace(run, database_url, item, as_json=json)


app.command(epilog=DIAGNOSE_EPILOG)(diagnose)
app.command(epilog=REFINE_EPILOG)(refine)
app.command(epilog=IRT_EPILOG)(irt)
app.add_typer(exam, name="exam")
app.add_typer(examinee_group, name="examinee")


def _version(value: bool) -> None:
    if value:
        from viva import __version__

        typer.echo(f"viva {__version__}")
        raise typer.Exit


@app.callback()
def face(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A viva voce for RAG systems: writes an exam from your documents, lets systems sit it, scores both."""


def main() -> None:
    """Run the command line; turn what goes wrong into a sentence and an exit code."""
    from viva.core.errors import BudgetReached, TransientError, UsageError

    for stream in (sys.stdout, sys.stderr):
        # a terminal or pipe without Unicode gets escapes, not a crash
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except BudgetReached as error:
        _say("Stopped", error.problem, error.allowed, error.next_step)
        _leave(BUDGET_REACHED)
    except UsageError as error:
        _say("Cannot do that", error.problem, error.allowed, error.next_step)
        _leave(2)
    except TransientError as error:
        _say("A passing failure", str(error), "Nothing is lost: run the same command again.")
        _leave(2)
    except SystemExit as leaving:
        # typer ends a command that was interrupted with this code and without a word
        if leaving.code != INTERRUPTED:
            raise
        _say("Stopped", "What was done is kept.", "Run the same command again to go on.")
        _leave(INTERRUPTED)


def _say(head: str, *parts: str) -> None:
    from viva.cli.safe import harmless

    text = "\n  ".join(harmless(part) for part in parts if part)
    sys.stderr.write(f"{head}: {text}\n")


def _leave(code: int) -> None:
    """Leave at once: a user's system that hangs in a thread must not hold up the end."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
