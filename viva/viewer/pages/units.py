"""All knowledge units with their fates, to be filtered and searched."""

from __future__ import annotations

from typing import Any

from viva.viewer.loaded_run import FATES, RecordedRun
from viva.viewer.query import Query, Slice, options_of

_FILTERS = ("fate", "code", "critic", "kind", "topic", "path")


def units_page(state: RecordedRun, query: Query) -> dict[str, Any]:
    """The units that fit, a page of them; beside each filter how many fit it and the others."""
    query.one_of("fate", FATES)
    wanted = {name: query.value(name) for name in _FILTERS}
    searched = query.text("q").casefold()
    fitting = [row for row in state.units if not searched or row.holds(searched)]

    def fits(row: object, but: str = "") -> bool:
        return all(name == but or not value or getattr(row, name) == value for name, value in wanted.items())

    choices = {name: options_of([getattr(row, name) for row in fitting if fits(row, name)]) for name in _FILTERS}
    return {
        "slice": Slice.of([row for row in fitting if fits(row)], query.page),
        "choices": choices,
        "wanted": wanted,
        "searched": query.text("q"),
    }
