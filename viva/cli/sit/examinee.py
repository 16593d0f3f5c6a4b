"""`viva examinee`: a system is tried before an exam is spent on it; a panel file is read before anybody sits."""

from __future__ import annotations

from typing import Annotated

import typer

SOMETHING_TO_MEND = 2

examinee = typer.Typer(
    help="Systems under examination, before they sit: try one, list those of a panel file.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Spec = Annotated[
    str,
    typer.Argument(
        help="As after --examinee: my_rag.py:answer, http://..., command:..., recorded:..., FILE.yaml[#NAME].",
        metavar="SPEC",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]


@examinee.command(
    epilog="Example: viva examinee check panel.yaml#ours. Exit code 2 where there is something to mend."
)
def check(
    spec: Spec,
    question: Annotated[
        str | None, typer.Option("--question", "-q", help="Ask this instead of viva's own two questions.")
    ] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds it has per question (30).", min=0.001)] = None,
    json: Json = False,
) -> None:
    """Ask a system one open and one multiple-choice question; say what came, or what is wrong and how to mend it."""
    from viva.cli.sit.examinee_check import check_examinees

    if not check_examinees(spec, question, timeout, as_json=json):
        raise typer.Exit(SOMETHING_TO_MEND)


@examinee.command("list", epilog="Example: viva examinee list panel.yaml")
def list_(spec: Spec, json: Json = False) -> None:
    """Whom a SPEC names: kind, components and manners of each. Nobody is asked anything."""
    from viva.cli.sit.examinee_check import list_examinees

    list_examinees(spec, as_json=json)
