"""`viva --help` names every command once, in its group, and in a line of its own."""

from __future__ import annotations

import pytest
from typer.main import get_command

from viva.cli.main import GROUPS, app
from viva.core.errors import UsageError


def test_every_command_stands_in_one_group() -> None:
    listed = [name for commands in GROUPS.values() for name in commands]
    assert sorted(listed) == sorted(get_command(app).commands)  # type: ignore[attr-defined]


def test_the_ten_commands_of_the_first_steps_come_first_and_no_line_is_cut() -> None:
    command = get_command(app)
    told = command.get_help(command.make_context("viva", [], resilient_parsing=True)).splitlines()
    assert len(GROUPS["First steps"]) == 10
    assert next(line for line in told if line.startswith("  run ")).endswith("examine systems, report")
    assert told.index("First steps:") < min(told.index(f"{title}:") for title in list(GROUPS)[1:])
    assert not any(line.endswith("...") for line in told if not line.startswith("Usage"))


def test_an_option_that_is_gone_gets_a_sentence_that_says_what_to_do() -> None:
    for option in (["--sample", "40"], ["--sample=40"]):
        with pytest.raises(UsageError, match="leave --sample out"):
            get_command(app).main(["plan", "docs", *option], standalone_mode=False)
