"""The end of a command: its result on the terminal, or as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viva.api.result import Result

ELSEWHERE = "scores.json and the report have all columns"


def show(
    result: Result,
    *,
    as_json: bool,
    elsewhere: str = "--json has all",
    most: int | None = None,
    document: object = None,
) -> None:
    """Print a result, of each table so many rows at `most`; or its record, or the `document` instead."""
    from viva.api.terminal import print_json, wide_console

    if as_json:
        print_json(result.record if document is None else document)
    else:
        result.print(wide_console(), elsewhere, most)
