"""`viva examinee`: test a system, or list the systems of a panel file, before they take an exam."""

from __future__ import annotations

from typing import Annotated

import typer

from viva.cli.options import Json

SOMETHING_TO_MEND = 2

examinee = typer.Typer(
    help="Test a system before it takes an exam, or list the systems of a panel file.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Spec = Annotated[
    str,
    typer.Argument(
        help="A system: my_rag.py:answer, http://..., command:..., recorded:..., FILE.yaml[#NAME] and so on."
        " See --examinee of viva run.",
        metavar="SPEC",
    ),
]


@examinee.command(epilog="Example: viva examinee check panel.yaml#ours. The exit code is 2 if a system failed.")
def check(
    spec: Spec,
    question: Annotated[
        str | None, typer.Option("--question", "-q", help="Ask this question instead of viva's own two questions.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds that the system has for one question (default: 30).", min=0.001)
    ] = None,
    json: Json = False,
) -> None:
    """Ask a system an open and a multiple-choice question. Show its answers, or the error and how to correct it."""
    from viva.cli.sit.examinee_check import check_examinees

    if not check_examinees(spec, question, timeout, as_json=json):
        raise typer.Exit(SOMETHING_TO_MEND)


@examinee.command("list", epilog="Example: viva examinee list panel.yaml")
def list_(spec: Spec, json: Json = False) -> None:
    """List the systems that SPEC names. No system is asked.

    It shows the kind, the components and the request settings of each.
    """
    from viva.cli.sit.examinee_check import list_examinees

    list_examinees(spec, as_json=json)
