"""`viva exam-articles` and `viva agree`: articles judged by the questions they answer, and how leaderboards agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.articles.options import PARAGRAPHS, READER
from viva.cli.options import (
    BaseUrl,
    Concurrency,
    Examinees,
    Json,
    MaxCalls,
    MaxCost,
    MaxTokens,
    Price,
    Seed,
    Timeout,
)

commands = typer.Typer()
ReadingModel = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="Language model that reads articles (--reader model), rates them (--verify rating) or plays the judge "
        "(--verify judge): PROVIDER:MODEL, or solver=PROVIDER:MODEL for the reader and judge=PROVIDER:MODEL for "
        "judge and rater.",
    ),
]


@commands.command(
    "exam-articles",
    epilog="Example: viva exam-articles bank.csv --articles systems/ --gold gold/ --out exam1\n\n"
    "or: viva exam-articles bank.jsonl --gradings gradings.jsonl.gz --official official_ranks.json",
)
def exam_articles(
    bank: Annotated[
        Path,
        typer.Argument(
            help="The question bank: CSV or JSONL with query_id, question, key; TQA's JSON; exam.jsonl "
            "(docs/articles.md).",
            metavar="BANK",
        ),
    ],
    articles: Annotated[
        list[Path] | None,
        typer.Option(help="Folder SYSTEM/QUERY.md, or a JSONL; repeatable.", metavar="PATH"),
    ] = None,
    run: Annotated[
        list[str] | None, typer.Option(help="TREC run, its tag naming the system; repeatable.", metavar="[NAME=]FILE")
    ] = None,
    passages: Annotated[
        list[Path] | None,
        typer.Option(help="Texts of the runs' passages: JSONL or CSV with id, text.", metavar="FILE"),
    ] = None,
    gradings: Annotated[
        Path | None, typer.Option(help="Stored gradings (JSONL, .gz too): nothing is read again.", metavar="FILE")
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="Gold articles: folder of QUERY.md, or a JSONL.", metavar="PATH")
    ] = None,
    examinee: Examinees = None,
    documents: Annotated[
        Path | None, typer.Option(help="What reference retrievers named by --examinee collect from.", metavar="DOCS")
    ] = None,
    instructions: Annotated[
        list[Path] | None,
        typer.Option(
            help="A prompt that a system was given, searched for leaked questions; repeatable.", metavar="FILE"
        ),
    ] = None,
    reader: Annotated[str, typer.Option(help="Who answers from a text: lexical, oracle, or model.")] = READER,
    verify: Annotated[str, typer.Option(help="key, judge, or rating (0 to 5, needs no keys).")] = "key",
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="Who compares answers with the bank's, with --verify judge: one of those that viva judges lists "
            "(correctness-default).",
            metavar="NAME",
        ),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Read an article as one text, not by paragraphs.")] = False,
    paragraphs: Annotated[
        int, typer.Option(help="Paragraphs of an article that count.", min=1, max=1000)
    ] = PARAGRAPHS,
    tokens: Annotated[int | None, typer.Option(help="Words of an article that count, at most.", min=1)] = None,
    min_grade: Annotated[
        int | None,
        typer.Option(help="Grade from which on a question is answered (ratings: 4; else 1).", min=1, max=5),
    ] = None,
    depth: Annotated[
        list[int] | None, typer.Option(help="EXAM-Cover of the first N paragraphs, repeatable.", min=1)
    ] = None,
    k: Annotated[int, typer.Option("--k", help="Rank of nDCG and precision in EXAM-Qrels.", min=1)] = 20,
    normalise: Annotated[
        str | None,
        typer.Option(help="n-EXAM by: gold, systems (what any found), pool (any graded text)."),
    ] = None,
    official: Annotated[
        list[str] | None,
        typer.Option(help="Leaderboard to compare with, repeatable.", metavar="FILE[#COLUMN]"),
    ] = None,
    abilities: Annotated[
        bool | None, typer.Option("--abilities/--no-abilities", help="Systems and questions on one IRT scale.")
    ] = None,
    model: ReadingModel = None,
    base_url: BaseUrl = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    price: Price = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    seed: Seed = None,
    out: Annotated[Path, typer.Option(help="Folder of readings, scores and report.", metavar="DIR")] = Path(
        "viva-runs/articles"
    ),
    json: Json = False,
) -> None:
    """Judge articles and long answers by the exam questions they answer (EXAM). Interrupted, it goes on."""
    given = {**locals()}
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
