"""`viva judges`: every available judge, with its measured agreement with people; and measuring one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from viva.cli.judges.options import MeasureOptions
from viva.cli.options import Json, takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from viva.core.records.judging import JudgeCard
    from viva.storage.judges import Unusable

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

_OF_CLASSES = ("mcc", "balanced accuracy")
"""The figures shown of a judge that names a class: ranks of classes say little."""


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
    from viva.api.terminal import print_json
    from viva.cli.judges.found import found_judges

    cards, unusable = found_judges(judge)
    if json:
        told = [{"file": str(each.file), "reason": each.reason} for each in unusable]
        print_json({"judges": [card.model_dump(mode="json") for card in cards], "unusable": told})
        return
    _print(cards, unusable, every=every or _is_one(judge, cards))


@judges.command(epilog="Example: viva judges measure labels.csv --judge faithfulness-offline")
@takes(MeasureOptions)
def measure(given: MeasureOptions) -> None:
    """Measure a judge on your labels.

    viva judges shows the figures from then on. The file is read as viva tune reads it (docs/tuning.md).
    """
    from viva.api.terminal import plain, print_json, wide_console
    from viva.cli.judges.judging import measured_judge
    from viva.cli.tune.screen import print_agreement, print_labels, print_worst
    from viva.core.wording import counted

    labelled, found = measured_judge(given)
    if given.json:
        print_json({"file": str(given.file), **found.model_dump(mode="json")})
        return
    console, name = wide_console(), found.judge.name
    print_labels(console, labelled, found.people)
    if found.learned_from:
        console.print(plain(f"  {name} was tuned on these labels: its figures are better than on others."))
    title = f"Agreement with people on {counted(len(labelled.cases), 'case')}, 95% intervals"
    print_agreement(console, [(name, found.agreement)], found.people, title)
    print_worst(console, found.worst, name)
    kept = "viva judges shows these figures." if found.judge.measured else "No figure has an interval: none is kept."
    console.print(plain(f"  {kept}"))


def _is_one(judge: str | None, cards: Sequence[JudgeCard]) -> bool:
    """Whether the argument is the name of a judge, not a quality."""
    return judge is not None and all(card.judges.value != judge.replace("-", "_") for card in cards)


def _print(cards: Sequence[JudgeCard], unusable: Sequence[Unusable], *, every: bool) -> None:
    from rich.table import Table

    from viva.api.terminal import plain, wide_console
    from viva.storage.judges import judges_folder

    console = wide_console()
    table = Table(title="Judges, and their agreement with people (95% intervals)", title_justify="left")
    table.title_style = "bold"
    for name in ("name", "type", "model", "agreement", "measured on"):
        table.add_column(name, no_wrap=name in {"name", "agreement"}, overflow="fold")
    measured = sum(bool(card.measured) for card in cards)
    for place, card in enumerate(cards):
        if place == measured:
            table.add_section()
        rows = measured_lines(card, every=every) or [("not measured", "")]
        for n, told in enumerate(rows):
            head = (card.name, card.make.value, card.model or "-") if n == 0 else ("", "", "")
            table.add_row(*map(plain, (*head, *told)))
    if cards:
        console.print(table)
    if measured < len(cards):
        names = ", ".join(dict.fromkeys(card.name for card in cards[measured:]))
        console.print(plain(f"  Not measured, so that their agreement with people is not known: {names}."))
    for card in cards:
        trained = f"trained on {', '.join(card.trained_on)}" if every and card.trained_on else ""
        tuned = f"tuned by {card.optimizer}" if every and card.optimizer else ""
        for note in (trained, tuned, card.note):
            if note:
                console.print(plain(f"  {card.name}: {note}"))
    for each in unusable:
        console.print(plain(f"  Not usable: {each.reason}"))
    console.print(plain(f"  Tuned judges are in {judges_folder()}. viva tune and viva judges measure add figures."))
    console.print(plain("  Agreement was measured with one model on one set of labels. On your data it may differ."))


def measured_lines(card: JudgeCard, *, every: bool = False) -> list[tuple[str, str]]:
    """Agreement and labels, for each set of labels: the first figure there is (two for classes), or all."""
    from viva.cli.judges.found import FIRST
    from viva.core.wording import number
    from viva.optimizers.objectives import IN_CLASSES

    rows: list[tuple[str, str]] = []
    for data in dict.fromkeys(each.data for each in card.measured):
        own = {each.statistic: each for each in card.measured if each.data == data}
        classes = [name for name in _OF_CLASSES if name in own] if card.judges in IN_CLASSES else []
        first = classes or [name for name in FIRST if name in own][:1] or list(own)[:1]
        shown = dict.fromkeys((*first, *own)) if every else first
        for name in shown:
            figure = own[name]
            left = f", {figure.unjudged} not judged" if figure.unjudged else ""
            told = f"{name} {number(figure.estimate, 3)} ({number(figure.low, 3)} to {number(figure.high, 3)})"
            people = f"; people among themselves {number(figure.people, 3)}" if figure.people is not None else ""
            rows.append((told, f"{data}, {figure.labels} labels{left}{people}"))
    return rows
