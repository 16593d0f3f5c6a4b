"""`viva`: all commands. What takes long to import is imported inside the command that needs it."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from viva.api.failures import check_command_line
from viva.cli.articles.commands import commands as article_commands
from viva.cli.diagnose import diagnose
from viva.cli.exam import exam
from viva.cli.examinee import examinee as examinee_group
from viva.cli.gate import gate
from viva.cli.inspect import commands as look_commands
from viva.cli.irt.command import irt
from viva.cli.judges.commands import judges
from viva.cli.judges.grade import grade
from viva.cli.judges.label import label
from viva.cli.models import models
from viva.cli.refine import REFRESH_EPILOG, refine, refresh
from viva.cli.run.commands import commands as walk_commands
from viva.cli.tune.commands import tune
from viva.cli.view import view

GROUPS = {
    "First steps": {
        "run": "read documents, write an exam, examine systems, report",
        "plan": "predict the calls, tokens, money and minutes of an exam",
        "models": "list the models that can be used now",
        "show": "show the state of a run",
        "report": "write the report, one HTML file",
        "view": "browse runs in a web browser, review, label",
        "items": "list the questions, or what was rejected",
        "trace": "show every step of the committee for one item",
        "sit": "let more systems take the exam",
        "examinee": "test a system before it takes an exam",
    },
    "More examinations": {
        "ledger": "show model calls, tokens and money by role",
        "oral": "examine a system orally, unit by unit",
        "gate": "tell whether a changed system is worse, for CI",
        "compare": "tell whether one system is better than another, and why",
        "diagnose": "find out why a system gave wrong answers",
        "exam-articles": "grade articles by the questions they answer",
        "agree": "compare two leaderboards",
        "irt": "fit item response theory to any 0/1 matrix",
        "equate": "put two forms of an exam on one scale",
        "history": "show the scores of systems over runs and dates",
    },
    "Exams and judges": {
        "exam": "check, review, compare or convert an exam",
        "refine": "improve an exam by its scores",
        "refresh": "check an exam against newer documents",
        "label": "label open answers in a file",
        "grade": "grade the answers of a file",
        "judges": "list judges and their agreement with people; measure one",
        "tune": "tune a judge on your labels",
    },
    "Single stages of a run": {
        "ingest": "read the documents only",
        "write": "write the exam only",
        "score": "grade the responses and estimate abilities",
    },
}


class CommandGroups(TyperGroup):
    """Lists the commands by group. Typer's own list has no groups and cuts sentences off."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line. UsageError for a command or an option that viva had in an earlier version."""
        check_command_line(args)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the groups to the formatter that Typer passes in."""
        longest = max(map(len, self.commands))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{longest}}", told) for name, told in commands.items()])


EXIT_CODES = (
    "Exit codes: 0 done; 1 an error in viva itself; 2 an error that you can correct, with a message; 3 the budget is "
    "used up: raise it to continue; 4 and 5 of viva gate: regress, undecided; "
    "130 interrupted (143 by SIGTERM): run the same command again to continue."
)
BUDGET_REACHED = 3

INTERRUPTED = 130

app = typer.Typer(
    name="viva",
    cls=CommandGroups,
    help="Examine RAG systems: write an exam from documents, let systems take it, score systems and questions.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

further = typer.Typer()
for command in (diagnose, gate, grade, label, refine, irt, models, tune, view):
    further.command(epilog=sys.modules[command.__module__].EPILOG)(command)
further.command(epilog=REFRESH_EPILOG)(refresh)

for commands in (walk_commands, look_commands, article_commands, further):
    app.add_typer(commands)
app.add_typer(exam, name="exam")
app.add_typer(examinee_group, name="examinee")
app.add_typer(judges, name="judges")


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
    """Examine RAG systems: write an exam from documents, let systems take it, score systems and questions."""


def main() -> None:
    """Run the command line; an error becomes a message and an exit code."""
    from viva.api.failures import BudgetReached, TransientError, UsageError, interrupts, room_for

    # what was imported stays: the last collection of the process need not look through it
    atexit.register(gc.freeze)
    interrupts.listen()
    for stream in (sys.stdout, sys.stderr):
        # a terminal or pipe without Unicode gets escapes, not a crash
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with room_for():
            _run()
    except BudgetReached as error:
        _say("Stopped", error.problem, error.allowed, error.next_step)
        _leave(BUDGET_REACHED)
    except UsageError as error:
        _say("Cannot do that", error.problem, error.allowed, error.next_step)
        _leave(2)
    except TransientError as error:
        _say("Temporary error", str(error), "Nothing is lost. Run the same command again.")
        _leave(2)
    except SystemExit as leaving:
        # typer ends an interrupted command with this code and without a message
        if leaving.code != INTERRUPTED:
            raise
        sys.stderr.write(interrupts.STOPPED)
        _leave(interrupts.exit_code())


def _run() -> None:
    from viva.api.failures import room_for

    try:
        app()
    finally:
        # here a full disk can still be reported; a reader that closed the pipe has read enough
        with suppress(BrokenPipeError), room_for("standard output"):
            sys.stdout.flush()


def _say(head: str, *parts: str) -> None:
    from viva.api.terminal import harmless

    text = "\n  ".join(harmless(part) for part in parts if part)
    # where nothing can be printed, the exit code still tells it
    with suppress(OSError):
        sys.stderr.write(f"{head}: {text}\n")


def _leave(code: int) -> None:
    """Exit at once: a user's system that hangs in a thread must not delay the exit."""
    for stream in (sys.stdout, sys.stderr):
        # a failed write was reported before, or cannot be
        with suppress(OSError):
            stream.flush()
    os._exit(code)
