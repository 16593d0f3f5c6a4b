"""Values from the environment, named as ${NAME}: read once, shown nowhere."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from viva.core.errors import UsageError
from viva.llm.secrets import BLANK, SHORTEST, Secrets, without_credentials

_NAMED = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_PLACE = re.compile(r"\$?\{[^{}]*\}")
_LONG, _SHORT = 16, 6
"""Characters from which any value is a key, and one that is not of letters alone."""
_KEYS = "Keys are named, as in Authorization: Bearer ${MY_KEY}, and read from the environment."


class Environment:
    """Fills ${NAME} in, and remembers which values it gave out."""

    def __init__(self, whose: str, environ: Mapping[str, str] | None = None) -> None:
        self._whose = whose
        self._environ = os.environ if environ is None else environ
        self.given: list[str] = []
        """The values that must not be shown, the longest first; none that may be an ordinary word."""
        self._written: re.Pattern[str] | None = None

    def value(self, name: str) -> str:
        """The variable's value. UsageError that names a missing one."""
        found = self._environ.get(name, "").strip()
        if not found:
            raise UsageError(
                f"{self._whose} needs the environment variable {name}, which is not set.",
                next_step=f"Set it before the command: export {name}=...",
            )
        if not found.isprintable() or not found.isascii():
            raise UsageError(f"The environment variable {name} holds characters that cannot be sent.")
        if is_key(found):
            self.given = sorted({*self.given, found}, key=lambda value: (-len(value), value))
            self._written = re.compile("|".join("".join(map(_written, value)) for value in self.given))
        return found

    def filled(self, text: str) -> str:
        """The text with every ${NAME} replaced."""
        return _NAMED.sub(lambda named: self.value(named[1]), text)

    def hidden_in(self, told: Any) -> Any:
        """A text, or JSON, without the values that were given out: a server may say back what it was sent."""
        if isinstance(told, dict):
            return {self.hidden_in(name): self.hidden_in(value) for name, value in told.items()}
        if isinstance(told, list):
            return [self.hidden_in(each) for each in told]
        return self._written.sub(BLANK, told) if self._written and isinstance(told, str) else told


def is_key(value: str) -> bool:
    """Tell whether a value is long enough, or of such signs, that it is no ordinary word or number of a message.

    With "wrong" for a key, "missing or wrong API key" would lose a word.
    """
    if len(value) >= _LONG:
        return True
    if value.isalpha():
        return len(value) >= SHORTEST and not (value.islower() or value.isupper() or value.istitle())
    return len(value) >= _SHORT


def _written(sign: str) -> str:
    """A pattern for a character of ASCII: as it is, and as JSON (also within JSON) and addresses may write it."""
    if sign.isalnum():
        return sign
    plus = r"|\+" if sign == " " else ""
    return rf"(?:\\{{0,3}}{re.escape(sign)}|(?:\\{{1,2}}u00|%)(?i:{ord(sign):02x}){plus})"


def check_no_keys(url: str, headers: Mapping[str, str], query: Mapping[str, str], whose: str) -> None:
    """UsageError for an address that cannot be read, and for a key that is written out instead of named.

    What is written in a spec is kept with the run and shown.
    """
    named = f"The address of {whose[:1].lower()}{whose[1:]}"
    written = [f"{name}: {_PLACE.sub('', value)}" for name, value in headers.items()]
    written += [f"?{name}={_PLACE.sub('', value)}" for name, value in query.items()]
    seen = Secrets(environ={})
    if without_credentials(url, named=named).lower() != url.partition("#")[0].lower():
        raise UsageError(f"{named} holds a key or a password.", allowed=_KEYS)
    if any(seen.redacted(text) != text for text in written):
        raise UsageError(f"{whose} has a key written out in its headers or query.", allowed=_KEYS)
