"""`viva exam-articles` grades articles by the questions they answer; `viva agree` compares leaderboards."""

from __future__ import annotations

from typing import Annotated

import typer

from viva.cli.articles.options import ArticlesOptions
from viva.cli.options import Json, takes
from viva.cli.settings import chosen_settings, settings_of
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import ELSEWHERE, show

commands = typer.Typer()
_SETTINGS = ("model", "base_url", "max_cost", "max_tokens", "max_calls", "price", "concurrency")


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
    from viva.api.articles import grade_articles

    chosen = chosen_settings(given, _SETTINGS)
    with prepared_process():
        found = grade_articles(
            given.bank,
            articles=given.articles or (),
            runs=given.run or (),
            passages=given.passages or (),
            gold=given.gold,
            gradings=given.gradings,
            verify=given.verify,
            whole=given.whole,
            paragraphs=given.paragraphs,
            min_grade=given.min_grade,
            depths=given.depth or (),
            official=given.official or (),
            out=given.out,
            settings=settings_of(chosen),
            **chosen,
        )
    show(found, as_json=given.json, elsewhere=ELSEWHERE)


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
    from viva.api.articles import compare_boards

    show(compare_boards(first, second), as_json=json)
