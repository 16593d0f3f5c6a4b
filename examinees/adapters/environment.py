"""Values from the environment, named as ${NAME}: read once, shown nowhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping

from viva.core.errors import UsageError
from viva.llm.secrets import BLANK, Secrets, without_credentials

_NAMED = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_PLACE = re.compile(r"\$?\{[^{}]*\}")
_KEYS = "Keys are named, as in Authorization: Bearer ${MY_KEY}, and read from the environment."


class Environment:
    """Fills ${NAME} in, and remembers which values it gave out."""

    def __init__(self, whose: str, environ: Mapping[str, str] | None = None) -> None:
        self._whose = whose
        self._environ = os.environ if environ is None else environ
        self._given: set[str] = set()

    @property
    def given(self) -> list[str]:
        """The values that must not be shown, also as JSON writes them; the longest first."""
        forms = {form for value in self._given for form in (value, json.dumps(value)[1:-1])}
        return sorted(forms, key=lambda value: (-len(value), value))

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
        self._given.add(found)
        return found

    def filled(self, text: str) -> str:
        """The text with every ${NAME} replaced."""
        return _NAMED.sub(lambda named: self.value(named[1]), text)

    def hidden_in(self, text: str) -> str:
        """The text without the values that were given out: a server may say back what it was sent."""
        for value in self.given:
            text = text.replace(value, BLANK)
        return text


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
