"""`viva judges`: every available judge, with its measured agreement with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from viva.core.records.judging import JudgeCard
    from viva.storage.judges import Unusable

EPILOG = "Example: viva judges correctness, or viva judges correctness-offline"
_FIRST = ("spearman", "mcc", "balanced accuracy", "accuracy", "mean absolute error")
_OF_CLASSES = ("mcc", "balanced accuracy")
"""The figures shown of a judge that names a class: ranks of classes say little."""


def judges(
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
    """List the judges with their agreement with people: judges with a model, tuned judges and judges of rules."""
    from viva.cli.judges.found import found_judges
    from viva.cli.terminal.console import print_json

    cards, unusable = found_judges(judge)
    if json:
        told = [{"file": str(each.file), "reason": each.reason} for each in unusable]
        print_json({"judges": [card.model_dump(mode="json") for card in cards], "unusable": told})
        return
    _print(cards, unusable, every=every or _is_one(judge, cards))


def _is_one(judge: str | None, cards: Sequence[JudgeCard]) -> bool:
    """Whether the argument is the name of a judge, not a quality."""
    return judge is not None and all(card.judges.value != judge.replace("-", "_") for card in cards)


def _print(cards: Sequence[JudgeCard], unusable: Sequence[Unusable], *, every: bool) -> None:
    from rich.table import Table

    from viva.cli.terminal.console import wide_console
    from viva.cli.terminal.escape import plain
    from viva.storage.judges import judges_folder

    console = wide_console()
    table = Table(title="Judges, and their agreement with people (95% intervals)", title_justify="left")
    table.title_style = "bold"
    for name in ("name", "type", "model", "agreement", "measured on"):
        table.add_column(name, no_wrap=name in {"name", "agreement"}, overflow="fold")
    for card in cards:
        rows = _measured(card, every=every) or [("not measured", "")]
        for n, told in enumerate(rows):
            head = (card.name, card.make.value, card.model or "-") if n == 0 else ("", "", "")
            table.add_row(*map(plain, (*head, *told)))
    if cards:
        console.print(table)
    for card in cards:
        trained = f"trained on {', '.join(card.trained_on)}" if every and card.trained_on else ""
        tuned = f"tuned by {card.optimizer}" if every and card.optimizer else ""
        for note in (trained, tuned, card.note):
            if note:
                console.print(plain(f"  {card.name}: {note}"))
    for each in unusable:
        console.print(plain(f"  Not usable: {each.reason}"))
    console.print(plain(f"  Tuned judges are in {judges_folder()}. viva tune measures the base judge too."))
    console.print(plain("  Agreement was measured with one model on one set of labels. On your data it may differ."))


def _measured(card: JudgeCard, *, every: bool) -> list[tuple[str, str]]:
    """Agreement and labels, for each set of labels: the first figure there is (two for classes), or all."""
    from viva.core.wording import number
    from viva.optimizers.objectives import IN_CLASSES

    rows: list[tuple[str, str]] = []
    for data in dict.fromkeys(each.data for each in card.measured):
        own = {each.statistic: each for each in card.measured if each.data == data}
        classes = [name for name in _OF_CLASSES if name in own] if card.judges in IN_CLASSES else []
        first = classes or [name for name in _FIRST if name in own][:1] or list(own)[:1]
        shown = dict.fromkeys((*first, *own)) if every else first
        for name in shown:
            figure = own[name]
            left = f", {figure.unjudged} not judged" if figure.unjudged else ""
            told = f"{name} {number(figure.estimate, 3)} ({number(figure.low, 3)} to {number(figure.high, 3)})"
            people = f"; people among themselves {number(figure.people, 3)}" if figure.people is not None else ""
            rows.append((told, f"{data}, {figure.labels} labels{left}{people}"))
    return rows
