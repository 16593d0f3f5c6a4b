"""Regular expressions that are compiled when they are first used: long ones take milliseconds, few are needed."""

from __future__ import annotations

import re
from typing import Any, cast


class _LatePattern:
    """A pattern until its first use, which gives it the attributes and methods of the compiled one."""

    def __init__(self, text: str, flags: int) -> None:
        self._source = (text, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        # kept on the object: a method is looked up here once
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)
        return found


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Give a pattern that is compiled when one of its methods is first called; an error in it shows then."""
    return cast("re.Pattern[str]", _LatePattern(text, flags))
