"""The report of a tuning as one HTML page without scripts: what the screen says, and what has no room there."""

from __future__ import annotations

from importlib.resources import files

from viva.core.records.tuning import TuningReport
from viva.reports.embed import own_source
from viva.reports.templating import template

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render_tuning(report: TuningReport) -> str:
    """The page; the same report gives the same bytes. What cases and models say is escaped."""
    judges = [(name, found) for name, found in (("base", report.base), ("tuned", report.tuned)) if found]
    style = own_source(files("viva.reports.templates").joinpath("report.css").read_text(encoding="utf-8"))
    page = template("tuning.html.j2")
    columns = [*judges, *([("people", report.people)] if report.people else [])]
    return page.render(report=report, judges=judges, columns=columns, style=style, policy=_POLICY)
