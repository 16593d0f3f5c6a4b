"""A command takes its options as one typed value, and Typer reads them from its class."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer.testing import CliRunner

from viva.cli.options import Options, takes

SOURCES = sorted((Path(__file__).parents[3] / "viva/cli").rglob("*.py"))


@dataclass(frozen=True, kw_only=True)
class Colours(Options):
    shade: Annotated[int, typer.Option(help="How dark.", min=0)] = 3


@dataclass(frozen=True, kw_only=True)
class Paint(Colours):
    wall: Annotated[str, typer.Argument(help="Which.")]
    coats: Annotated[list[str] | None, typer.Option("--coat", help="Repeatable.")] = None


def painted(*words: str) -> tuple[int, str]:
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @takes(Paint)
    def paint(given: Paint) -> None:
        """Paint a wall."""
        typer.echo(repr(given.by_name))

    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


def test_what_is_said_arrives_as_one_value_with_what_is_not_said_at_its_default() -> None:
    assert painted("north", "--coat", "a", "--coat", "b") == (
        0,
        "{'shade': 3, 'wall': 'north', 'coats': ['a', 'b']}\n",
    )


def test_what_a_field_forbids_is_refused_and_its_help_is_shown_own_fields_first() -> None:
    assert painted("north", "--shade", "-1")[0] == 2
    assert painted()[0] == 2
    told = painted("--help")[1]
    assert "Paint a wall." in told
    assert told.index("--coat") < told.index("--shade")


def test_no_command_hands_on_whatever_its_local_names_are() -> None:
    assert not [file for file in SOURCES if re.search(r"\blocals\(\)", file.read_text(encoding="utf-8"))]
