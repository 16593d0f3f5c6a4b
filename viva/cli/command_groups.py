"""The commands of `viva --help`, in groups, each in a few words: those of the first hour come first."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "First hour": {
        "run": "read documents, write an exam, examine systems, report",
        "plan": "predict calls, tokens, money and minutes of an exam",
        "models": "list the models that can be used now",
        "show": "say how a run stands",
        "report": "write the report, one HTML file",
        "view": "look into runs in a browser, review, label",
        "items": "show the questions, or the rejected drafts",
        "trace": "show every step of the committee for one item",
        "sit": "let further systems take the exam",
        "examinee": "try a system before it takes an exam",
    },
    "Examine further": {
        "ledger": "show model calls, tokens and money by role",
        "oral": "examine a system orally, unit by unit",
        "diagnose": "find out why a system answered wrong",
        "exam-articles": "judge articles by the questions they answer",
        "agree": "compare two leaderboards",
        "irt": "fit item response theory to any 0/1 matrix",
    },
    "Exams and judges": {
        "exam": "statistics, lint, review, differences, formats",
        "refine": "make a better exam of a scored one",
        "label": "label open answers yourself",
        "judges": "list judges, with their agreement with people",
        "tune": "tune or train a judge on your labels",
        "probe": "try to mislead a judge",
    },
    "Single stages of a run": {
        "ingest": "read the documents only",
        "write": "write the exam only",
        "score": "grade the responses and estimate abilities",
    },
}


class CommandGroups(TyperGroup):
    """Lists the commands by group. Typer's own listing is one list, whose sentences it cuts off."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Typer hands in the formatter that the help is written to."""
        longest = max(map(len, self.commands))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{longest}}", told) for name, told in commands.items()])
