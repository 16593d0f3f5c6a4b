"""Templates of pages, and text of others made safe where it meets a script, a plot or the page's policy."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from viva.core import wording
from viva.core.note_words import note_sentence
from viva.reports.sections import spending

# with these escaped, no string can close the element or be read as a line end by a script
_IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_IN_PLOT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_ENDS = re.compile(r"</script|</style|<!--", re.IGNORECASE)
_CONTROLS = ("Cc", "Cf", "Cs")
# before a letter only: numbers and what follows a sign stay whole
_BREAKS = re.compile(r"(?<=[+,/_=:])(?=[^\W\d])")
ELLIPSIS = "\u2026"


def json_for_script(value: Any) -> Markup:
    """`value` as JSON that can stand inside a script element. Raises ValueError for nan and infinity."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return Markup(text.translate(_IN_SCRIPT))  # noqa: S704 - every character of HTML is escaped


def own_source(text: str) -> Markup:
    """Script or style of this package (or of plotly) as it stands. Raises ValueError where it would end early."""
    if _ENDS.search(text):
        raise ValueError("A script or style holds a tag that would end it inside the page.")
    return Markup(text)  # noqa: S704 - files that are installed with the package


def content_policy(scripts: Iterable[str]) -> str:
    """The page's policy: no request at all, and no script but these (by the hash of their exact text)."""
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    parts = (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        f"script-src {hashes}",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(parts)


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def shortened(text: str, limit: int) -> str:
    """One line of at most `limit` characters, without control and direction characters."""
    visible = "".join(" " if char.isspace() else char for char in text if char.isspace() or _shown(char))
    line = " ".join(visible.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + ELLIPSIS


def breakable(text: str) -> Markup:
    """The text, escaped, with leave to break a long name after its joints."""
    return Markup("<wbr>").join(escape(part) for part in _BREAKS.split(text))


def plot_text(text: str, limit: int = 30) -> str:
    """A label that plotly, which reads a small part of HTML, shows as the text it is."""
    return shortened(text, limit).translate(_IN_PLOT)


def _shown(char: str) -> bool:
    return unicodedata.category(char) not in _CONTROLS


_FILTERS = ("number", "signed", "percent", "seconds", "dollars", "plain", "p_value", "counted", "option_letter")
_OF_USAGE = ("latency_in_words", "tokens_in_words", "cost_in_words", "usage_sentence")


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
    environment.filters.update({name: getattr(spending, name) for name in _OF_USAGE})
    environment.globals["percent_range"] = wording.percent_range
    return environment
