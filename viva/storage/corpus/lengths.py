"""Token counts for many overlapping pieces of text at the price of one count per distinct word."""

from __future__ import annotations

import re
from collections.abc import Callable

_ATOM = re.compile(r"\s*\S+|\s+")
_REMEMBERED = 48  # characters; longer atoms are rarely met twice
_TOKEN_CHARACTERS = 16  # tokenizers give one token for a word they cannot read, however long


class Lengths:
    """Counts tokens word by word and remembers each word.

    The sum is exact for tokenizers that never join words and close for the others; `exact` asks the tokenizer.
    """

    def __init__(self, count_tokens: Callable[[str], int]) -> None:
        self.exact = count_tokens
        self.framing = count_tokens("")  # tokens put around any text
        self._known: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Estimated tokens of the text, without the framing; at least 1 for any text.

        The splitter repeats pieces of length 0, which is what some tokenizers make of control characters.
        """
        estimate = sum(map(self._atom, _ATOM.findall(text)))
        return max(estimate, len(text) // _TOKEN_CHARACTERS, min(len(text), 1))

    def tail(self, text: str, tokens: int) -> int:
        """Offset from which the rest of the text has at most so many tokens, at the start of a word."""
        room = tokens
        start = len(text)
        for atom in reversed([match.group() for match in _ATOM.finditer(text)]):
            room -= self._atom(atom)
            if room < 0:
                break
            start -= len(atom)
        return start

    def _atom(self, atom: str) -> int:
        count = self._known.get(atom)
        if count is None:
            count = self.exact(atom) - self.framing
            if len(atom) <= _REMEMBERED:
                self._known[atom] = count
        return count
