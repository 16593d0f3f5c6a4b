"""The commands as `viva --help` lists them, in groups; what a new user needs comes first."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from viva.core.gone import check_command_line

GROUPS = {
    "First steps": {
        "run": "read documents, write an exam, examine systems, report",
        "plan": "predict the calls, tokens, money and minutes of an exam",
        "models": "list the models that can be used now",
        "show": "show the state of a run",
        "report": "write the report, one HTML file",
        "view": "browse runs in a web browser, review, label",
        "items": "list the questions, or the rejected drafts",
        "trace": "show every step of the committee for one item",
        "sit": "let more systems take the exam",
        "examinee": "test a system before it takes an exam",
    },
    "More examinations": {
        "ledger": "show model calls, tokens and money by role",
        "oral": "examine a system orally, unit by unit",
        "diagnose": "find out why a system gave wrong answers",
        "exam-articles": "grade articles by the questions they answer",
        "agree": "compare two leaderboards",
        "irt": "fit item response theory to any 0/1 matrix",
    },
    "Exams and judges": {
        "exam": "check, review, compare or convert an exam",
        "refine": "improve an exam by its scores",
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
