"""What a server refuses of a request: in all that it is asked afterwards it is left out, or put otherwise."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from viva.core.calls import Message

SYSTEM, WHOLE = "system messages", "whole replies"
LIMITS = ("max_tokens", "max_completion_tokens")
"""Names of the limit of a reply; servers know one of them, or both."""

_V = TypeVar("_V")
_REFUSED = re.compile(
    "|".join(
        (
            r"unsupported|\bnot support|n't support|\bonly supports?\b|\bonly the default\b",
            r"\bnot (?:currently |yet )?(?:supported|permitted|allowed|accepted|recogni[sz]ed|available|enabled)\b",
            r"\bdoes not (?:accept|allow|know)\b|\bcannot be (?:used|set|specified)\b",
            r"\bdeprecated\b|\bincompatible\b|\bnot valid\b",
            r"\bunknown\b|\bunrecogni[sz]ed\b|\bunexpected\b|\bno such\b|\bextra[ _](?:inputs?|fields?|forbidden)",
            r"\bis invalid\b|\binvalid (?:parameter|argument|field)|\bmust alternate\b",
        )
    ),
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"\b(?:system|developer)\W{0,3}(?:role|message|prompt|instruction)|\broles?\b.{0,40}\b(?:system|developer)\b"
    r"|\broles must alternate\b|\bonly user and assistant roles\b",
    re.IGNORECASE,
)
_STREAM = re.compile(
    "|".join(
        (
            r"\bonly supports? (?:the )?stream|\bnon-?stream\w*\b.{0,60}\bnot\b|\bnot\b.{0,40}\bnon-?stream",
            r"\bstream\w*\W{0,3} (?:must be|is required)|\benable (?:the )?stream|\bfor non-?streaming\b",
            r"\bstream\W{0,3}=\W{0,3}true\b|\bset stream to true\b",
        )
    ),
    re.IGNORECASE,
)
_QUOTE = "['\"]"
_NAMED = re.compile(
    rf"{_QUOTE}param{_QUOTE}:\s*{_QUOTE}([\w.]+){_QUOTE}"
    rf"|{_QUOTE}loc{_QUOTE}:\s*[\[(]{_QUOTE}body{_QUOTE},\s*{_QUOTE}(\w+){_QUOTE}"
)
_WORDS = {
    SYSTEM: "takes no system message: its text is put before the first question",
    WHOLE: "answers in streams only: they are asked for and read",
}


class RefusedParts:
    """The parts of requests that one model has refused so far."""

    def __init__(self) -> None:
        self._parts: set[str] = set()

    def __contains__(self, part: str) -> bool:
        return part in self._parts

    def add(self, part: str) -> str:
        """Remember a part as refused. Gives the words for what is done, "" where it was known."""
        if part in self._parts:
            return ""
        self._parts.add(part)
        other = self.limit(part) if part in LIMITS else None
        return _WORDS.get(part, f"takes no {part}: {f'{other} is sent' if other else 'it is left out'}")

    def parameters(self, asked: Mapping[str, _V]) -> dict[str, _V]:
        """Those of the parameters that are sent. The limit of a reply is renamed before it is left out."""
        return {
            name: value
            for name, value in asked.items()
            if (self.limit(name) if name in LIMITS else name not in self._parts)
        }

    def limit(self, usual: str) -> str | None:
        """By which name the limit of a reply is sent: the usual one, the other one, or none."""
        return next((name for name in (usual, *LIMITS) if name not in self._parts), None)

    def turns(self, messages: Sequence[Message]) -> list[tuple[str, str]]:
        """The conversation; where system messages are refused, their text is put before the first user turn."""
        turns: list[tuple[str, str]] = [(message.role, message.text) for message in messages]
        if SYSTEM not in self._parts:
            return turns
        system = [text for role, text in turns if role == "system"]
        others = [(role, text) for role, text in turns if role != "system"]
        first = next((place for place, (role, _) in enumerate(others) if role == "user"), None)
        if first is None:
            return [("user", "\n\n".join(system)), *others]
        return [*others[:first], ("user", "\n\n".join([*system, others[first][1]])), *others[first + 1 :]]


def refused_part(words: str, sent: Collection[str]) -> str | None:
    """The part of a request that the server's words refuse, of those that were sent; None where they refuse none."""
    if WHOLE in sent and _STREAM.search(words):
        return WHOLE
    if not _REFUSED.search(words):
        return None
    if SYSTEM in sent and _SYSTEM.search(words):
        return SYSTEM
    named = _NAMED.search(words)
    if named and (named[1] or named[2]) in sent:
        return named[1] or named[2]
    places = {name: re.search(rf"\b{re.escape(name)}\b", words) for name in sent if name not in {SYSTEM, WHOLE}}
    found = [(match.start(), name) for name, match in places.items() if match]
    return min(found)[1] if found else None
