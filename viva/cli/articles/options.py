"""The options of `viva exam-articles`; an option without effect is an error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import BaseUrl, BudgetOptions, Concurrency, Examinees, Json, Seed, Timeout
from viva.core.errors import UsageError
from viva.core.records.articles import Verification

READER, PARAGRAPHS = "lexical", 20
"""Defaults."""
_ASKING = ("model", "base_url", "max_cost", "max_tokens", "max_calls", "price", "concurrency")
"""Options of language models."""
_SOURCES = ("articles", "run", "passages", "examinee", "documents", "gold", "instructions")
_READING = ("tokens", "whole", "judge", "timeout")
_USUAL = {"reader": READER, "paragraphs": PARAGRAPHS}
"""Options of reading that have a default, so that a value does not show whether they were given."""


ReadingModel = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="The language model that reads articles (--reader model), rates them (--verify rating) or judges "
        "answers (--verify judge): PROVIDER:MODEL. Or one model for each: solver=PROVIDER:MODEL reads, "
        "judge=PROVIDER:MODEL rates and judges.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ArticlesOptions(BudgetOptions):
    """Options of `viva exam-articles`."""

    bank: Annotated[
        Path,
        typer.Argument(
            help="The question bank: a CSV or JSONL file with query_id, question and key; a JSON file of TQA; or the "
            "exam.jsonl of a run (docs/articles.md).",
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
    gradings: Annotated[
        Path | None,
        typer.Option(
            help="Use stored gradings instead of reading articles: a JSONL file, also with .gz.", metavar="FILE"
        ),
    ] = None
    gold: Annotated[
        Path | None, typer.Option(help="Gold articles: a folder of files QUERY.md, or a JSONL file.", metavar="PATH")
    ] = None
    examinee: Examinees = None
    documents: Annotated[
        str | None, typer.Option(help="The documents that reference retrievers (--examinee) search.", metavar="DOCS")
    ] = None
    instructions: Annotated[
        list[Path] | None,
        typer.Option(
            help="A prompt that a system had: viva searches it for leaked questions; repeatable.", metavar="FILE"
        ),
    ] = None
    reader: Annotated[
        str, typer.Option(help="The reader that answers questions from a text: lexical, oracle or model.")
    ] = READER
    verify: Annotated[
        str,
        typer.Option(
            help="How answers are verified: key, judge, or rating (a model rates each text 0 to 5; no keys needed)."
        ),
    ] = "key"
    judge: Annotated[
        str | None,
        typer.Option(
            help="With --verify judge: the judge that compares answers with the keys, by its name in viva judges "
            "(default: correctness-offline).",
            metavar="NAME",
        ),
    ] = None
    whole: Annotated[bool, typer.Option("--whole", help="Read an article as one text instead of by paragraphs.")] = (
        False
    )
    paragraphs: Annotated[
        int, typer.Option(help="Read this many paragraphs of an article at most.", min=1, max=1000)
    ] = PARAGRAPHS
    tokens: Annotated[
        int | None, typer.Option(help="Read this many words of an article at most (default: all).", min=1)
    ] = None
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
    k: Annotated[int, typer.Option("--k", help="The rank at which EXAM-Qrels cuts nDCG and precision.", min=1)] = 20
    normalise: Annotated[
        str | None,
        typer.Option(
            help="The questions that n-EXAM counts: gold (those a gold article answers), systems (those any system "
            "answers) or pool (those any graded text answers). Default: gold with --gold, else pool."
        ),
    ] = None
    official: Annotated[
        list[str] | None,
        typer.Option(help="A leaderboard to compare with; repeatable.", metavar="FILE[#COLUMN]"),
    ] = None
    abilities: Annotated[
        bool | None,
        typer.Option(
            "--abilities/--no-abilities",
            help="Whether to estimate systems and questions on one scale of item response theory.",
        ),
    ] = None
    model: ReadingModel = None
    base_url: BaseUrl = None
    concurrency: Concurrency = None
    timeout: Timeout = None
    seed: Seed = None
    out: Annotated[Path, typer.Option(help="The folder for answers, scores and the report.", metavar="DIR")] = Path(
        "viva-runs/articles"
    )
    json: Json = False


def refuse_idle(given: ArticlesOptions, verification: Verification) -> None:
    """UsageError for the first option that has no effect with the others."""
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
            f"--gradings and {_option(named[0])} are both given.",
            allowed="Stored gradings alone: with them, nothing else is read and no model is asked.",
        )


def _refuse_while_reading(given: ArticlesOptions, verification: Verification) -> None:
    _refuse_unread(given)
    if verification is not Verification.JUDGE and given.judge:
        raise UsageError(
            f"--judge {given.judge} has no effect with --verify {verification}.",
            next_step="Leave --judge out, or use it: --verify judge",
        )
    if given.reader == "model" or (verification is Verification.JUDGE and _judge_asks_a_model(given)):
        return
    asking = next((name for name in _ASKING if _is_given(given, name)), None)
    if asking is not None:
        raise UsageError(
            f"{_option(asking)} has no effect, because no language model is asked. The reader is {given.reader}, and "
            f"{_told(given, verification)} verify the answers.",
            next_step=f"Leave {_option(asking)} out, or let a model read: --reader model --model PROVIDER:MODEL",
        )


def _refuse_unread(given: ArticlesOptions) -> None:
    """UsageError for an option that needs another option."""
    for name, needed in (("passages", "run"), ("documents", "examinee"), ("timeout", "examinee")):
        if _is_given(given, name) and not getattr(given, needed):
            raise UsageError(
                f"{_option(name)} has no effect without {_option(needed)}.",
                next_step=f"Leave it out, or add {_option(needed)} (docs/articles.md).",
            )


def _judge_asks_a_model(given: ArticlesOptions) -> bool:
    if not given.judge:
        return False
    from viva.graphs.grading.judge_lookup import named_judge

    return named_judge(given.judge).asks_a_model


def _told(given: ArticlesOptions, verification: Verification) -> str:
    if verification is Verification.JUDGE:
        return f"verdicts of the judge {given.judge}" if given.judge else "verdicts of the default judge"
    return "ratings" if verification is Verification.RATING else "the bank's keys"


def _is_given(given: ArticlesOptions, name: str) -> bool:
    # 0 is a limit too
    return getattr(given, name) is not None and getattr(given, name) is not False and getattr(given, name) != []


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
