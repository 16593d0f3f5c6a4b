"""`viva examinee`: test a system, or list the systems of a panel file, before they take an exam."""

from __future__ import annotations

from typing import Annotated

import typer

from viva.cli.options import Json
from viva.cli.terminal.show import show

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
    from viva.api.system_checks import check_systems
    from viva.cli.terminal.process import output_kept_clean

    with output_kept_clean():
        checked = check_systems(spec, question, timeout)
    show(checked, as_json=json)
    if not checked.record["ok"]:
        raise typer.Exit(SOMETHING_TO_MEND)


@examinee.command("list", epilog="Example: viva examinee list panel.yaml")
def list_(spec: Spec, json: Json = False) -> None:
    """List the systems that SPEC names. No system is asked.

    It shows the kind, the components and the request settings of each.
    """
    from viva.api.system_checks import list_systems

    show(list_systems(spec), as_json=json)
