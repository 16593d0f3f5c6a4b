"""What `viva exam-articles` is told; options that would do nothing beside the others are refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import BaseUrl, BudgetOptions, Concurrency, Examinees, Json, Seed, Timeout
from viva.core.errors import UsageError
from viva.core.records.articles import Verification

READER, PARAGRAPHS = "lexical", 20
"""What is taken where nothing is said."""
_ASKING = ("model", "base_url", "max_cost", "max_tokens", "max_calls", "price", "concurrency")
"""What is about asking a language model."""
_SOURCES = ("articles", "run", "passages", "examinee", "documents", "gold", "instructions")
_READING = ("tokens", "whole", "judge", "timeout")
_USUAL = {"reader": READER, "paragraphs": PARAGRAPHS}
"""What says how articles are read and has a value where nobody says it."""


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


@dataclass(frozen=True, kw_only=True)
class ArticlesOptions(BudgetOptions):
    """Of `viva exam-articles`."""

    bank: Annotated[
        Path,
        typer.Argument(
            help="The question bank: CSV or JSONL with query_id, question, key; TQA's JSON; exam.jsonl "
            "(docs/articles.md).",
            metavar="BANK",
        ),
    ]
    articles: Annotated[
        list[Path] | None,
        typer.Option(help="Folder SYSTEM/QUERY.md, or a JSONL; repeatable.", metavar="PATH"),
    ] = None
    run: Annotated[
        list[str] | None, typer.Option(help="TREC run, its tag naming the system; repeatable.", metavar="[NAME=]FILE")
    ] = None
    passages: Annotated[
        list[Path] | None,
        typer.Option(help="Texts of the runs' passages: JSONL or CSV with id, text.", metavar="FILE"),
    ] = None
    gradings: Annotated[
        Path | None, typer.Option(help="Stored gradings (JSONL, .gz too): nothing is read again.", metavar="FILE")
    ] = None
    gold: Annotated[
        Path | None, typer.Option(help="Gold articles: folder of QUERY.md, or a JSONL.", metavar="PATH")
    ] = None
    examinee: Examinees = None
    documents: Annotated[
        str | None, typer.Option(help="What reference retrievers named by --examinee collect from.", metavar="DOCS")
    ] = None
    instructions: Annotated[
        list[Path] | None,
        typer.Option(
            help="A prompt that a system was given, searched for leaked questions; repeatable.", metavar="FILE"
        ),
    ] = None
    reader: Annotated[str, typer.Option(help="Who answers from a text: lexical, oracle, or model.")] = READER
    verify: Annotated[str, typer.Option(help="key, judge, or rating (0 to 5, needs no keys).")] = "key"
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="Who compares answers with the bank's, with --verify judge: one of those that viva judges lists "
            "(correctness-default).",
            metavar="NAME",
        ),
    ] = None
    whole: Annotated[bool, typer.Option("--whole", help="Read an article as one text, not by paragraphs.")] = False
    paragraphs: Annotated[int, typer.Option(help="Paragraphs of an article that count.", min=1, max=1000)] = (
        PARAGRAPHS
    )
    tokens: Annotated[int | None, typer.Option(help="Words of an article that count, at most.", min=1)] = None
    min_grade: Annotated[
        int | None,
        typer.Option(help="Grade from which on a question is answered (ratings: 4; else 1).", min=1, max=5),
    ] = None
    depth: Annotated[
        list[int] | None, typer.Option(help="EXAM-Cover of the first N paragraphs, repeatable.", min=1)
    ] = None
    k: Annotated[int, typer.Option("--k", help="Rank of nDCG and precision in EXAM-Qrels.", min=1)] = 20
    normalise: Annotated[
        str | None,
        typer.Option(help="n-EXAM by: gold, systems (what any found), pool (any graded text)."),
    ] = None
    official: Annotated[
        list[str] | None,
        typer.Option(help="Leaderboard to compare with, repeatable.", metavar="FILE[#COLUMN]"),
    ] = None
    abilities: Annotated[
        bool | None, typer.Option("--abilities/--no-abilities", help="Systems and questions on one IRT scale.")
    ] = None
    model: ReadingModel = None
    base_url: BaseUrl = None
    concurrency: Concurrency = None
    timeout: Timeout = None
    seed: Seed = None
    out: Annotated[Path, typer.Option(help="Folder of readings, scores and report.", metavar="DIR")] = Path(
        "viva-runs/articles"
    )
    json: Json = False


def refuse_idle(given: ArticlesOptions, verification: Verification) -> None:
    """UsageError for the first option that would do nothing as the others are, and for a second judge."""
    judges = given.judge or []
    if len(judges) > 1:
        raise UsageError(
            f"--judge is given {len(judges)} times ({', '.join(judges)}).", allowed="One judge verifies articles."
        )
    if given.gradings:
        _refuse_beside_gradings(given, verification)
    else:
        _refuse_while_reading(given, verification)


def _refuse_beside_gradings(given: ArticlesOptions, verification: Verification) -> None:
    named = [name for name in (*_SOURCES, *_READING, *_ASKING) if _is_given(given, name)]
    named += [name for name, usual in _USUAL.items() if getattr(given, name) != usual]
    named += ["verify judge"] if verification is Verification.JUDGE else []
    if named:
        raise UsageError(
            f"--gradings is given, and {_option(named[0])} too.",
            allowed="Gradings say who returned what and what it answers: nothing else is read, and nobody is asked.",
        )


def _refuse_while_reading(given: ArticlesOptions, verification: Verification) -> None:
    _refuse_unread(given)
    if verification is not Verification.JUDGE and given.judge:
        raise UsageError(
            f"--judge {given.judge[0]} is given, and --verify {verification}: no judge is asked.",
            next_step="Leave --judge out, or have it verify: --verify judge",
        )
    if given.reader == "model" or (verification is Verification.JUDGE and _judge_asks_a_model(given)):
        return
    asking = next((name for name in _ASKING if _is_given(given, name)), None)
    if asking is not None:
        raise UsageError(
            f"{_option(asking)} is given, and no language model is asked: {given.reader} reads, and "
            f"{_told(given, verification)} say whether a question is answered.",
            next_step=f"Leave {_option(asking)} out, or have a model read: --reader model --model PROVIDER:MODEL",
        )


def _refuse_unread(given: ArticlesOptions) -> None:
    """What belongs to another option that is not there."""
    for name, needed in (("passages", "run"), ("documents", "examinee"), ("timeout", "examinee")):
        if _is_given(given, name) and not getattr(given, needed):
            raise UsageError(
                f"{_option(name)} is given without {_option(needed)}: it would do nothing.",
                next_step=f"Leave it out, or add {_option(needed)} (docs/articles.md).",
            )


def _judge_asks_a_model(given: ArticlesOptions) -> bool:
    if not given.judge:
        return False
    from viva.graphs.grading.judge_lookup import named_judge

    return named_judge(given.judge[0]).asks_a_model


def _told(given: ArticlesOptions, verification: Verification) -> str:
    if verification is Verification.JUDGE:
        return f"verdicts of the judge {given.judge[0]}" if given.judge else "verdicts of the default judge"
    return "ratings" if verification is Verification.RATING else "the bank's keys"


def _is_given(given: ArticlesOptions, name: str) -> bool:
    # a limit of 0 is one
    return getattr(given, name) is not None and getattr(given, name) is not False and getattr(given, name) != []


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
