"""What can go wrong with a model's server, and when it does: by rate and seed, never by chance."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from viva.core.ids import content_hash


class Fault(StrEnum):
    """One way for a request to go wrong."""

    # instead of an answer
    RATE_LIMIT = "429"
    QUOTA = "429 quota"
    SERVER_ERROR = "500"
    UNAVAILABLE = "503"
    TOO_LONG = "400 too long"
    BAD_REQUEST = "400"
    RESET = "reset"
    HANG = "hang"
    # an answer that does not arrive whole
    TRUNCATED_BODY = "truncated body"
    CUT_CHUNKS = "cut chunks"
    INVALID_JSON = "invalid JSON"
    # an answer that says nothing, or not all
    EMPTY = "empty"
    REFUSAL = "refusal"
    FILTERED = "content filter"
    LENGTH = "length"
    # an answer not in the format asked for
    WRONG_TYPES = "wrong types"
    EXTRA_PROSE = "extra prose"
    MISSING_FIELD = "missing last field"
    MISSING_MARKERS = "missing markers"


UNREADABLE = (Fault.WRONG_TYPES, Fault.EXTRA_PROSE, Fault.MISSING_FIELD, Fault.MISSING_MARKERS)
"""The model has answered, and was paid; what it said is out of form."""
MALFORMED = (Fault.TRUNCATED_BODY, Fault.CUT_CHUNKS, Fault.INVALID_JSON, Fault.EMPTY, Fault.LENGTH, *UNREADABLE)


@dataclass(frozen=True)
class Faults:
    """How often which fault strikes.

    The draw hangs on the seed, the request's body and how often that body came: the same run meets the same faults,
    in whatever order its requests arrive. `first` are the fates of every body's first requests; rates rule after.
    """

    rates: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0
    first: tuple[Fault | None, ...] = ()
    retry_after_s: float | None = 1.0
    """what 429 and 503 ask for; None: they do not say"""
    retry_after_as_date: bool = False

    def strike(self, body: str, earlier: int) -> Fault | None:
        """The fault of a request whose body came `earlier` times before; None: it is answered well."""
        if earlier < len(self.first):
            return self.first[earlier]
        drawn = int(content_hash("fault", self.seed, body, earlier), 16) / 2**64
        for fault, rate in self.rates.items():
            drawn -= rate
            if drawn < 0:
                return fault
        return None


def shared(rate: float, kinds: Iterable[Fault]) -> dict[Fault, float]:
    """The rate, shared evenly among the kinds."""
    kinds = tuple(kinds)
    return dict.fromkeys(kinds, rate / len(kinds))


_HEADER = re.compile(r"^\[\[ ## (\w+) ## \]\]\n?", re.MULTILINE)
_TYPED = re.compile(r"^(\[\[ ## \w+ ## \]\]\n|\w+: )(?:-?\d+(?:\.\d+)?|True|False|[\[{].*)$", re.MULTILINE)


def spoiled(text: str, fault: Fault) -> str:
    """The reply as it stands when the fault has struck; other faults leave the text alone."""
    match fault:
        case Fault.EMPTY | Fault.REFUSAL | Fault.FILTERED:
            return ""
        case Fault.LENGTH:
            return text[: len(text) // 2]
        case Fault.EXTRA_PROSE:
            return f"Sure! Here is what you asked for:\n\n{text}\n\nLet me know if you need [anything] {{else}}."
        case Fault.WRONG_TYPES | Fault.MISSING_FIELD | Fault.MISSING_MARKERS:
            return _spoiled_json(text, fault) if text.lstrip().startswith("{") else _spoiled_fields(text, fault)
        case _:
            return text


def _spoiled_json(text: str, fault: Fault) -> str:
    values = json.loads(text)
    if fault is Fault.MISSING_MARKERS:
        return "\n".join(str(value) for value in values.values())
    if fault is Fault.MISSING_FIELD:
        values.popitem()
    else:
        values = {name: value if isinstance(value, str) else "several" for name, value in values.items()}
    return json.dumps(values, ensure_ascii=False)


def _spoiled_fields(text: str, fault: Fault) -> str:
    if fault is Fault.WRONG_TYPES:
        return _TYPED.sub(r"\1several", text)
    marked = bool(_HEADER.search(text))
    header = _HEADER if marked else re.compile(r"^(\w+):[ \n]?", re.MULTILINE)
    if fault is Fault.MISSING_MARKERS:
        return header.sub("", text)
    starts = [match.start() for match in header.finditer(text) if match[1] != "completed"]
    return text[: starts[-1]] if starts else ""
