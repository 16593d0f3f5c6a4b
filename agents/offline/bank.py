"""What the offline cast knows of the corpus: every prose sentence, every question it allows, every answer.

Built once before writing begins, from the same chunks in the same order, so it is the same in every run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

from viva.agents.offline.claims import Claim
from viva.agents.offline.coded_names import CodedName
from viva.agents.offline.glossary import Definition
from viva.agents.offline.identities import Named
from viva.agents.offline.patterns import PLAIN, Proposal
from viva.agents.offline.statement_sets import Opposed
from viva.agents.offline.words import content_words

DEFINED = "defined"
"""The form of a term that is asked for by its definition."""
TERM = "term-for"
"""The pattern that asks for a term that prose defines."""
MEANING = "meaning"
"""The form of what a term means, and the pattern of the question."""
ON_TERMS = frozenset({DEFINED, MEANING})
"""Forms of the questions on definitions: for the term, and for what it means."""
STATEMENT = "statement"
"""The form of a statement among its likes, and the pattern of the question which of them is correct."""

CODED = "coded-name"
"""The form of what a code names, and the pattern of the question."""
OF_THE_CORPUS = frozenset({STATEMENT, CODED, MEANING})
"""Patterns of the questions that the whole corpus is read for; each says what it is about."""


@dataclass(frozen=True)
class Fact:
    """A sentence of a chunk and the questions it allows, best first."""

    statement: str
    start: int
    end: int
    questions: tuple[Proposal, ...]
    definite: bool
    """whether it says 'the launcher' of a launcher that only its document makes known"""

    @property
    def sure(self) -> bool:
        """Whether a rule knows the wrong options of its best question to be wrong: that is of the sure tier."""
        return self.questions[0].pattern != PLAIN


@dataclass(frozen=True)
class Candidate:
    """An expression somewhere in the corpus that could stand as a wrong option."""

    text: str
    document_id: str
    sentence: int
    """number of the sentence it stands in, in `Bank.sentences`; header fields stand in none"""


@dataclass(frozen=True)
class Defined:
    """A definition and the document that makes it."""

    definition: Definition
    document_id: str
    place: int | None = None
    """the number of the labelled list that it is an entry of; None for prose"""


@dataclass
class Bank:
    """Facts by chunk, candidate options by form, and all sentences for looking a claim up."""

    facts: dict[str, list[Fact]] = field(default_factory=dict)
    candidates: dict[str, list[Candidate]] = field(default_factory=lambda: defaultdict(list))
    standing_in: dict[int, list[tuple[str, Candidate]]] = field(default_factory=lambda: defaultdict(list))
    """(form, candidate) by number of the sentence, repeated where it is repeated"""
    sentences_of: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """numbers of a document's sentences"""
    document_of: list[str] = field(default_factory=list)
    """by number of a sentence: the document that it stands in"""
    defined: list[Defined] = field(default_factory=list)
    """the glossary, in the corpus's order"""
    claims: list[Claim] = field(default_factory=list)
    """sentences that can be turned into their contradiction"""
    named: list[Named] = field(default_factory=list)
    """sentences that say what a term is"""
    coded: list[CodedName] = field(default_factory=list)
    """every line that says what a code names"""
    named_beside: dict[str, tuple[CodedName, ...]] = field(default_factory=dict)
    """by code: other codes of its series, with their names"""
    opposed: dict[str, tuple[Opposed, ...]] = field(default_factory=dict)
    """by the statement that is the key: those that stand turned beside it"""
    contradicted: dict[str, str] = field(default_factory=dict)
    """by a statement that is turned: the one that it contradicts"""
    titles: dict[str, str] = field(default_factory=dict)
    languages: dict[str, str] = field(default_factory=dict)
    """ISO 639-1, by document id"""
    sentences: list[str] = field(default_factory=list)
    sentence_words: list[frozenset[str]] = field(default_factory=list)
    postings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    namings: list[str] = field(default_factory=list)
    """sentences, with their brackets and asides, that may give a thing two names"""
    asked: set[tuple[str, str]] = field(default_factory=set)
    """(form, term in lower case) of the questions on definitions"""
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def candidate(self, form: str, text: str, document_id: str) -> None:
        """Remember an expression of the sentence that comes next, in the list of its form once."""
        found = Candidate(text, document_id, len(self.sentences))
        self.standing_in[found.sentence].append((form, found))
        if (form, text.lower()) not in self._seen:
            self._seen.add((form, text.lower()))
            self.candidates[form].append(found)

    def is_new(self, text: str) -> bool:
        """Whether a statement is met for the first time."""
        mark = (STATEMENT, text.lower())
        new = mark not in self._seen
        self._seen.add(mark)
        return new

    def sentence(self, text: str, document_id: str) -> None:
        """Index a sentence by its content words."""
        self.sentences_of[document_id].append(len(self.sentences))
        self.document_of.append(document_id)
        words = frozenset(content_words(text))
        for word in sorted(words):
            self.postings[word].append(len(self.sentences))
        self.sentences.append(text)
        self.sentence_words.append(words)

    def weight(self, word: str) -> float:
        """How telling a word is: close to 1 for a rare one, close to 0 for one found everywhere."""
        total = len(self.sentences)
        if not total:
            return 1.0
        return math.log((1 + total) / (1 + len(self.postings.get(word, ())))) / math.log(1 + total)
