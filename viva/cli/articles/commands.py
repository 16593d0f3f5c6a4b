"""`viva exam-articles` and `viva agree`: articles judged by the questions they answer, and how leaderboards agree."""

from __future__ import annotations

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
    """Judge articles and long answers by the exam questions they answer (EXAM). Interrupted, it goes on."""
    from viva.cli.articles.run import exam_of_articles

    exam_of_articles(given)


@commands.command(epilog="Example: viva agree exam1/scores.json official.csv#rank")
def agree(
    first: Annotated[
        str, typer.Argument(help="A leaderboard: scores.json, CSV, TSV or JSON.", metavar="FILE[#COLUMN]")
    ],
    second: Annotated[str, typer.Argument(help="Another one.", metavar="FILE[#COLUMN]")],
    breaks: Annotated[int, typer.Option(help="Random orders of tied systems.", min=1, max=10_000)] = 10,
    seed: Annotated[int, typer.Option(help="Seed of all randomness.", min=0)] = 0,
    json: Json = False,
) -> None:
    """How two leaderboards agree: Spearman and Kendall, with ties within a standard error broken at random."""
    from viva.cli.articles.compare_boards import agree_boards

    agree_boards(first, second, breaks, seed, as_json=json)
