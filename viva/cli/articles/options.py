"""The options of `viva exam-articles`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import BaseUrl, BudgetOptions, Concurrency, Json

ReadingModel = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="The language model that reads articles, or rates them (--verify rating): PROVIDER:MODEL. Or one model "
        "for each: solver=PROVIDER:MODEL reads, judge=PROVIDER:MODEL rates.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ArticlesOptions(BudgetOptions):
    """Options of `viva exam-articles`."""

    bank: Annotated[
        Path,
        typer.Argument(
            help="The question bank: a CSV or JSONL file with query_id, question and key; or the exam.jsonl of a "
            "run (docs/articles.md).",
            metavar="BANK",
        ),
    ]
    articles: Annotated[
        list[Path] | None,
        typer.Option(
            help="Articles: a folder with files SYSTEM/QUERY.md, or a JSONL file; repeatable.", metavar="PATH"
        ),
    ] = None
    run: Annotated[
        list[str] | None,
        typer.Option(help="A TREC run file; its tag, or NAME, names the system; repeatable.", metavar="[NAME=]FILE"),
    ] = None
    passages: Annotated[
        list[Path] | None,
        typer.Option(
            help="The texts of the passages in --run: a JSONL or CSV file with id and text; repeatable.",
            metavar="FILE",
        ),
    ] = None
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Gold articles: a folder of files QUERY.md, or a JSONL file. n-EXAM then counts only questions that "
            "these answer.",
            metavar="PATH",
        ),
    ] = None
    gradings: Annotated[
        Path | None,
        typer.Option(
            help="Use stored gradings instead of reading articles: a JSONL file, also with .gz.", metavar="FILE"
        ),
    ] = None
    verify: Annotated[
        str,
        typer.Option(
            help="How answers are verified: key, or rating (the model rates each text 0 to 5; no keys needed)."
        ),
    ] = "key"
    whole: Annotated[bool, typer.Option("--whole", help="Read an article as one text instead of by paragraphs.")] = (
        False
    )
    paragraphs: Annotated[
        int, typer.Option(help="Read this many paragraphs of an article at most.", min=1, max=1000)
    ] = 20
    min_grade: Annotated[
        int | None,
        typer.Option(
            help="The lowest grade with which a question counts as answered (default: 4 for ratings, else 1).",
            min=1,
            max=5,
        ),
    ] = None
    depth: Annotated[
        list[int] | None,
        typer.Option(
            help="Report EXAM-Cover of the first N paragraphs; repeatable (default: 1, 5, 10 and 20).", min=1
        ),
    ] = None
    official: Annotated[
        list[str] | None,
        typer.Option(help="A leaderboard to compare with; repeatable.", metavar="FILE[#COLUMN]"),
    ] = None
    model: ReadingModel = None
    base_url: BaseUrl = None
    concurrency: Concurrency = None
    out: Annotated[Path, typer.Option(help="The folder for answers, scores and the report.", metavar="DIR")] = Path(
        "viva-runs/articles"
    )
    json: Json = False
