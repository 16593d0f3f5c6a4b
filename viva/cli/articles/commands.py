"""`viva exam-articles` grades articles by the questions they answer; `viva agree` compares leaderboards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.articles.options import ArticlesOptions
from viva.cli.options import Json, takes

commands = typer.Typer()


@commands.command(
    "exam-articles",
    epilog="Example: viva exam-articles bank.csv --articles systems/ --gold gold/ --out exam1\n\n"
    "or: viva exam-articles bank.jsonl --gradings gradings.jsonl.gz --official official_ranks.json",
)
@takes(ArticlesOptions)
def exam_articles(given: ArticlesOptions) -> None:
    """Grade articles and long answers by the exam questions that they answer (the EXAM measure).

    If it is interrupted, run the same command again: it continues where it stopped.
    """
    from viva.cli.articles.run import exam_of_articles

    exam_of_articles(given)


@commands.command(epilog="Example: viva agree exam1/scores.json official.csv#rank")
def agree(
    first: Annotated[
        str,
        typer.Argument(
            help="The first leaderboard: scores.json, or a CSV, TSV or JSON file.", metavar="FILE[#COLUMN]"
        ),
    ],
    second: Annotated[str, typer.Argument(help="The second leaderboard.", metavar="FILE[#COLUMN]")],
    breaks: Annotated[int, typer.Option(help="Number of random orders of tied systems.", min=1, max=10_000)] = 10,
    seed: Annotated[int, typer.Option(help="Seed of all random draws.", min=0)] = 0,
    json: Json = False,
) -> None:
    """Compare two leaderboards by Spearman's and Kendall's rank correlations.

    Both are computed once more with systems within a standard error of each other in random orders.
    """
    from viva.cli.articles.screen import print_agreement
    from viva.cli.terminal.console import print_json, wide_console
    from viva.exams.articles.boards import read_board
    from viva.metrics.articles.leaderboards import agreement, told

    boards = read_board(first), read_board(second)
    found = told(Path(first).name, Path(second).name, agreement(*boards, seed=seed, breaks=breaks))
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        print_agreement(wide_console(), found)
