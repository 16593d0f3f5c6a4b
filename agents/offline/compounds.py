"""Terms of one noun: 'confirmation bias' and 'actor-observer bias' beside 'hindsight bias'.

What a term is told apart by is the word before its noun; another that stands there makes another term, whether or not
the corpus defines it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from viva.agents.offline.mentions import Mentions
from viva.agents.offline.phrases import NOUN_PHRASE

_LONGEST = 3
_OFTEN, _EACH = 2, 1.5
"""Times that a document, and that each document that does, uses a term: 'a particular role' is met here and there."""
_FEW, _WIDER = 6, 2
"""Nouns that a first word may tell apart, and how many times as many as the key's: 'chronic disease' names none."""
_ANY = frozenset(
    "new old other own same such certain specific particular general common typical usual normal different various"
    " similar given important main major minor primary big large small great greater good better best bad high"
    " higher low lower long short strong stronger weak early late later recent modern current past future next"
    " previous prior first second third last whole entire complete total single individual several many more most"
    " possible potential likely actual real true false correct mild moderate severe serious rare positive negative"
    " developing bilateral unilateral secondary additional associated related refractory recurrent overall"
    " personal human phrase term word".split()
)
"""Words that make no term of a noun."""
_TORN = re.compile(r"[\d“”\"()\[\]/_=<>{}|*@#]|\b(?:of|in|for|and|or|to|with|by|on|at|from|an?|the)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Compound:
    """A term of several words, and the document that uses it most."""

    term: str
    document_id: str


@dataclass(frozen=True)
class Compounds:
    """The terms of several words that a corpus uses, by their noun."""

    mentions: Mentions
    _known: dict[str, Compound | None] = field(default_factory=dict)

    def beside(self, term: str) -> tuple[Compound, ...]:
        """Those of its noun whose first word says as much, in the order of the corpus; none of a term of one word."""
        words = term.lower().split()
        if len(words) == 1:
            return ()
        most = max(_FEW, _WIDER * len(self._nouns_after.get(words[0], ())))
        return tuple(
            found
            for text in self._by_noun.get(words[-1], ())
            if len(self._nouns_after[text.lower().split()[0]]) <= most and (found := self._term(text))
        )

    @cached_property
    def _by_noun(self) -> dict[str, tuple[str, ...]]:
        """Each as it is written most often."""
        written: dict[str, Counter[str]] = defaultdict(Counter)
        for candidates in self.mentions.bank.standing_in.values():
            for form, candidate in candidates:
                text = re.sub(r"^(?:an?|the) ", "", candidate.text, flags=re.IGNORECASE)
                words = text.lower().split()
                if form == NOUN_PHRASE and 1 < len(words) <= _LONGEST and _is_term(text):
                    written[" ".join(words)][text[:1].upper() + text[1:]] += 1
        found: dict[str, list[str]] = defaultdict(list)
        for text, ways in written.items():
            found[text.split()[-1]].append(
                min(ways, key=lambda way: (-ways[way], sum(c.isupper() for c in way), way))
            )
        return {noun: tuple(texts) for noun, texts in found.items()}

    @cached_property
    def _nouns_after(self) -> dict[str, set[str]]:
        """By a first word: the nouns that it tells apart."""
        found: dict[str, set[str]] = defaultdict(set)
        for noun, texts in self._by_noun.items():
            for text in texts:
                found[text.lower().split()[0]].add(noun)
        return found

    def _term(self, text: str) -> Compound | None:
        """The compound, if some document uses it as a term."""
        if text not in self._known:
            self._known[text] = self._used(text)
        return self._known[text]

    def _used(self, text: str) -> Compound | None:
        said = re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])", re.IGNORECASE)
        bank = self.mentions.bank
        used = Counter(
            bank.document_of[n] for n in self.mentions.numbers(text) for _ in said.finditer(bank.sentences[n])
        )
        if not used:
            return None
        where, often = max(used.items(), key=lambda entry: (entry[1], entry[0]))
        return Compound(text, where) if often >= _OFTEN and used.total() >= _EACH * len(used) else None


def _is_term(text: str) -> bool:
    words = text.lower().split()
    return not _TORN.search(text) and _ANY.isdisjoint(words[:-1]) and not words[0].endswith("ly")
