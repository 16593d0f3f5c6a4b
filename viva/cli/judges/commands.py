"""`viva judges`: every available judge, with its measured agreement with people; and measuring one."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from viva.cli.judges.options import MeasureOptions
from viva.cli.options import Json, takes
from viva.cli.settings import MODEL_SETTINGS, chosen_settings, settings_of
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import show

_LIST = "list"


class JudgeCommands(TyperGroup):
    """`viva judges [JUDGE]` lists judges: what is no name of a command is an argument of `list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        own = {*self.commands, *ctx.help_option_names}
        return super().parse_args(ctx, args if args and args[0] in own else [_LIST, *args])


judges = typer.Typer(
    cls=JudgeCommands,
    help="List judges with their agreement with people; measure one on your labels.",
    epilog="viva judges, and viva judges JUDGE, are viva judges list.",
    rich_markup_mode=None,
)


@judges.command(_LIST, epilog="Example: viva judges correctness, or viva judges correctness-offline")
def list_judges(
    judge: Annotated[
        str | None,
        typer.Argument(
            help="A quality, such as correctness, to list only its judges; or the name of one judge, to see all its "
            "figures.",
            metavar="[JUDGE]",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show all measured figures of each judge, not only the first.")
    ] = False,
    json: Json = False,
) -> None:
    """List the judges, measured ones first.

    Of each quality, the one whose agreement with people is surely highest comes first.
    """
    from viva.api.judges.agreement import judges as listed

    show(listed(judge, every=every), as_json=json)


@judges.command(epilog="Example: viva judges measure labels.csv --judge faithfulness-offline")
@takes(MeasureOptions)
def measure(given: MeasureOptions) -> None:
    """Measure a judge on your labels.

    viva judges shows the figures from then on. The file is read as viva tune reads it (docs/tuning.md).
    """
    from viva.api.judges.grading import judge_of

    settings = settings_of(chosen_settings(given, MODEL_SETTINGS))
    with prepared_process():
        judge = judge_of(given.judge, given.quality, settings, given.calls)
        found = judge.measure(given.file, given.columns, given.label_range, given.labels)
    show(found, as_json=given.json)
