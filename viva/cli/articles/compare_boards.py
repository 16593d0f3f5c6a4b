"""The work of `viva agree`: read and compare two leaderboards."""

from __future__ import annotations

from pathlib import Path

from viva.cli.articles.screen import print_agreement
from viva.cli.terminal.console import print_json, wide_console
from viva.exams.articles.boards import read_board
from viva.metrics.articles.leaderboards import agreement, told


def agree_boards(first: str, second: str, breaks: int, seed: int, *, as_json: bool) -> None:
    """Read both leaderboards, and print how they agree."""
    boards = read_board(first), read_board(second)
    found = told(Path(first).name, Path(second).name, agreement(*boards, seed=seed, breaks=breaks))
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    print_agreement(wide_console(), found)
