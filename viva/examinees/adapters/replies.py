"""What comes back over a connection: read up to a limit, understood as JSON or as text, or told why not."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, Mapping
from typing import Any

from viva.core.records import FailureCause
from viva.examinees.adapters.base import LONGEST_REPLY, SystemBusy
from viva.examinees.answering import BadAnswerError, NoAnswerError
from viva.examinees.readers.reading import first_words
from viva.llm.providers.failures import seconds_of

PASSING = frozenset({408, 429, 502, 503, 504})
"""HTTP statuses that may be another one later."""
DEEPEST = 100
"""Levels of JSON that are read: what walks through a value later must not run out of stack."""
_HTML = re.compile(r"\s*(?:<!doctype html|<html\b)", re.IGNORECASE)


async def read_within_limit(chunks: AsyncIterable[bytes]) -> bytes:
    """All of it. BadAnswerError when it is more than LONGEST_REPLY."""
    found = bytearray()
    async for chunk in chunks:
        found += chunk
        if len(found) > LONGEST_REPLY:
            raise BadAnswerError(f"Its reply is longer than {LONGEST_REPLY / 1e6:g} MB; it was not read to its end.")
    return bytes(found)


def as_json(text: str, kind: str = "") -> Any:
    """The JSON. BadAnswerError that quotes what came instead; `kind` is the content type it came with."""
    if not text.strip():
        raise NoAnswerError("Its reply is empty; JSON was expected.")
    try:
        return parsed(text)
    except TooDeep as error:
        raise BadAnswerError(f"Its JSON is nested deeper than {DEEPEST} levels: {first_words(text)}.") from error
    except ValueError as error:
        what = "HTML" if _HTML.match(text) else kind or "something else"
        if what == "application/json":
            told = f"Its JSON breaks off, or is none: {first_words(text)}."
            raise BadAnswerError(told, FailureCause.BROKEN_JSON) from error
        cause = FailureCause.WEB_PAGE if what == "HTML" else FailureCause.NO_JSON
        raise BadAnswerError(f"JSON was expected, {what} came: {first_words(text)}.", cause) from error


class TooDeep(ValueError):
    """JSON of more levels than are read."""


def parsed(text: str) -> Any:
    """The JSON. ValueError for what is none, TooDeep for what is nested deeper than DEEPEST levels."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise TooDeep from error
    level = [value]
    for _ in range(DEEPEST + 1):
        held = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [inner for each in held for inner in each]
        if not level:
            return value
    raise TooDeep


def as_text(text: str) -> str:
    """The text. BadAnswerError for a web page: it is where an answer should be, and is none."""
    if not text.strip():
        raise NoAnswerError("Its reply is empty; a text was expected.")
    if _HTML.match(text):
        raise BadAnswerError(f"A text was expected, HTML came: {first_words(text)}.", FailureCause.WEB_PAGE)
    return text


def decoded(raw: bytes, charset: str | None) -> str:
    """The text of these bytes: in UTF-8, unless another encoding is named that exists."""
    try:
        return raw.decode(charset or "utf-8-sig", errors="replace")
    except (LookupError, ValueError):
        return raw.decode("utf-8", errors="replace")


def check_status(status: int, headers: Mapping[str, str], text: str) -> None:
    """SystemBusy for a status that may pass, BadAnswerError for any other that brings no answer."""
    if status in PASSING:
        told = f"HTTP {status}: {first_words(text)}"
        raise SystemBusy(
            told, FailureCause.STATUS, str(status), retry_after_s=seconds_of(headers.get("Retry-After", ""))
        )
    if not 200 <= status < 300:
        raise BadAnswerError(f"HTTP {status}: {first_words(text)}", FailureCause.STATUS, str(status))
