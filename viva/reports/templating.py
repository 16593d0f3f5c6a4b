"""Templates of pages, with what they say numbers, notes and names with."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from viva.core import wording
from viva.core.note_words import note_sentence
from viva.reports.embed import breakable, shortened
from viva.reports.sections import spending

_FILTERS = ("number", "signed", "percent", "seconds", "dollars", "plain", "p_value", "counted", "option_letter")


def template(name: str, package: str = "viva.reports") -> Template:
    """A template of a package: what is put into it is escaped, and a name that is not given is an error."""
    return _environment(package).get_template(name)


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({name: getattr(wording, name) for name in _FILTERS})
    environment.filters.update(shortened=shortened, breakable=breakable)
    environment.filters.update(money=spending.money, mean_seconds=spending.mean_seconds, kinds=spending.kinds)
    environment.filters.update(tokens=spending.tokens, note_sentence=note_sentence)
    environment.globals["percent_range"] = wording.percent_range
    return environment
