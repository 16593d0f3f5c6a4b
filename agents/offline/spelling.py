"""Words that a source seems to have misspelt: 'perixisome' among peroxisomes, 'Schnlein', which lost a letter."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from viva.agents.offline.bank import Bank
from viva.agents.offline.words import content_words

_SHORTEST = 7
"""Letters of a word that is like another by chance no more."""
_SELDOM, _TIMES = 2, 3
"""Sentences with a word that may be a slip, and how many times as many its like has."""
_NO_VOWEL = re.compile(r"\b[A-Z]?[a-z]*[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)


@dataclass(frozen=True)
class Spelling:
    """The words of a corpus, to tell a slip of it by."""

    bank: Bank

    def is_doubtful(self, text: str) -> bool:
        """Whether some word holds five consonants running, or is a rare word's neighbour by one slip."""
        return bool(_NO_VOWEL.search(text)) or any(self._is_slip(word) for word in content_words(text))

    def _is_slip(self, word: str) -> bool:
        often = len(self.bank.postings.get(word, ()))
        if len(word) < _SHORTEST or not word.isalpha() or often > _SELDOM:
            return False
        others = self._alike.get((word[0], len(word)), ())
        return any(
            _differ_by_a_slip(word, other) and self._often(other) >= _TIMES * max(often, 1) for other in others
        )

    def _often(self, word: str) -> int:
        return len(self.bank.postings.get(word, ()))

    @cached_property
    def _alike(self) -> dict[tuple[str, int], list[str]]:
        """The words by first letter and length, of those that are no slips themselves."""
        found: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word, numbers in self.bank.postings.items():
            if len(word) >= _SHORTEST and len(numbers) >= _TIMES:
                found[word[0], len(word)].append(word)
        return found


def _differ_by_a_slip(one: str, other: str) -> bool:
    """Whether one letter differs, or two neighbours changed places."""
    apart = [n for n, (mine, theirs) in enumerate(zip(one, other, strict=True)) if mine != theirs]
    if len(apart) == 1:
        return True
    swapped = len(apart) == 2 and apart[1] == apart[0] + 1
    return swapped and one[apart[0]] == other[apart[1]] and one[apart[1]] == other[apart[0]]
