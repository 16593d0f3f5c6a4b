"""`viva exam-articles` grades articles by the questions they answer; `viva agree` compares leaderboards."""

from __future__ import annotations

from typing import Annotated

import typer

from viva.cli.articles.options import ArticlesOptions
from viva.cli.options import Json, takes

commands = typer.Typer()


@commands.command(
    "exam-articles",
    epilog="Example: viva exam-articles bank.csv --articles systems/ --gold gold/ --model openai:gpt-4o-mini\n\n"
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
    json: Json = False,
) -> None:
    """Compare two leaderboards by Spearman's and Kendall's rank correlations."""
    from viva.cli.articles.run import agree_boards

    agree_boards(first, second, as_json=json)
