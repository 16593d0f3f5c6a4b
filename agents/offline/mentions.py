"""Where the corpus names a term, and what it says of it there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property

from viva.agents.offline.bank import Bank
from viva.agents.offline.words import content_words, roots

_TOLD = 0.5
"""Share of a meaning's words, the rarer the heavier, that no sentence on another term may hold."""
_RUNNING = 8
"""Sentences of a document on another term that are read as one."""
_COMMON, _FEW = 0.105, 6
"""Share of the documents, and least number of them, that name a term which everybody knows."""
EVERYDAY = 0.05
"""Share of the documents that name a term of which what is said is seen to be right, or wrong: 'bowel movements'."""
_NAMED_SO = re.compile(
    r"\W{0,3}\b(?:or|also|called|known|termed|formerly|sometimes|i\.e)\b"
    r"|\s*\((?:also |or |formerly |called |the |an? )*$|\W*(?:is|are) (?:an? )?$",
    re.IGNORECASE,
)
"""What stands between two names of one thing, or a thing and its kind: 'A, or B', 'A (B)', 'A is a B'."""


@dataclass
class Mentions:
    """The sentences of a corpus by the terms they name, looked up once."""

    bank: Bank
    _numbers: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _documents: dict[str, frozenset[str]] = field(default_factory=dict)

    def numbers(self, term: str) -> tuple[int, ...]:
        """The sentences that hold all words of a term."""
        if term not in self._numbers:
            words = frozenset(content_words(term))
            rarest = min(sorted(words), key=lambda word: len(self.bank.postings.get(word, ())), default="")
            held = self.bank.sentence_words
            self._numbers[term] = tuple(n for n in self.bank.postings.get(rarest, ()) if words <= held[n])
        return self._numbers[term]

    def documents(self, term: str) -> frozenset[str]:
        """The documents that name a term."""
        if term not in self._documents:
            self._documents[term] = frozenset(self.bank.document_of[n] for n in self.numbers(term))
        return self._documents[term]

    def is_common(self, term: str, share: float = _COMMON) -> bool:
        """Whether so large a share of the documents name a term that who knows the subject knows what it is."""
        return len(self.documents(term)) > max(_FEW, share * len(self.bank.titles))

    def tell(self, other: str, meaning: str, genus: str) -> bool:
        """Whether some sentence that names the other term holds much of a meaning, its genus aside."""
        words = set(content_words(meaning)) - set(content_words(genus))
        least = _TOLD * self._weight(words)
        return any(self._weight(words & held) >= least for held in self._on(other))

    def tell_at_length(self, other: str, meaning: str, genus: str) -> bool:
        """Whether a few sentences running of a document that is on the other term hold much of a meaning."""
        words = set(content_words(meaning)) - set(content_words(genus))
        least = _TOLD * self._weight(words)
        held = self.bank.sentence_words
        return any(
            self._weight(words & frozenset().union(*(held[n] for n in numbers[at : at + _RUNNING]))) >= least
            for document_id in self._on_title.get(frozenset(roots(other)), ())
            for numbers in [self.bank.sentences_of[document_id]]
            for at in range(len(numbers))
        )

    def _weight(self, words: Set[str]) -> float:
        return sum(self.bank.weight(word) for word in sorted(words))

    @cached_property
    def _on_title(self) -> dict[frozenset[str], list[str]]:
        """The documents by the words of their titles."""
        found: dict[frozenset[str], list[str]] = defaultdict(list)
        for document_id, title in self.bank.titles.items():
            found[frozenset(roots(title))].append(document_id)
        return found

    def are_one(self, term: str, other: str) -> bool:
        """Whether a sentence gives both as names of one thing, or one as a kind of the other."""
        one, its = re.escape(term), re.escape(other)
        both = re.compile(rf"\b(?:{one}\b(.{{0,24}}?)\b{its}|{its}\b(.{{0,24}}?)\b{one})\b", re.IGNORECASE)
        plain = (self.bank.sentences[n] for n in self.numbers(f"{term} {other}"))
        words = content_words(term)
        naming = self._namings.get(words[-1], ()) if words else ()
        return any(
            _NAMED_SO.match(found[1] or found[2] or "") for text in (*plain, *naming) for found in both.finditer(text)
        )

    @cached_property
    def _namings(self) -> dict[str, list[str]]:
        """The sentences that may give a thing two names, by each of their words."""
        found: dict[str, list[str]] = defaultdict(list)
        for text in self.bank.namings:
            for word in dict.fromkeys(content_words(text)):
                found[word].append(text)
        return found

    def _on(self, term: str) -> Iterator[frozenset[str]]:
        return (self.bank.sentence_words[n] for n in self.numbers(term))
