"""What earlier versions of viva had and this one has not, with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_EXAM_FORMATS = "use csv, a table with a row per question: --format csv (docs/exam-file.md)."

GONE: Mapping[str, str] = MappingProxyType(
    {
        "--format aiken": f"Exams in the format Aiken are no longer read or written; {_EXAM_FORMATS}",
        "--format gift": f"Exams in Moodle's format GIFT are no longer read or written; {_EXAM_FORMATS}",
    }
)
"""By what a user may still name (a command, an option, a value, a setting): a sentence that names its replacement."""


def replacement(name: str) -> str | None:
    """The sentence on a name that is gone; None if viva never had it or has it still."""
    return GONE.get(name)
