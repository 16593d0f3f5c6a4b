"""`viva compare`: is one system better than another, why, and what does each cost?"""

from __future__ import annotations

from pathlib import Path

from viva.api.runs import open_run
from viva.api.terminal import print_json, wide_console

_SHOWN = 10
"""Rows of a table that are shown."""


def compare_run(run: Path, database_url: str | None, first: str, second: str, *, as_json: bool) -> None:
    """Print the verdict on two systems of a run, and what parts them."""
    found = open_run(run, database_url=database_url).compare(first, second)
    if as_json:
        print_json({"folder": str(run), **found.record})
    else:
        found.print(wide_console(), "--json has all", most=_SHOWN)
