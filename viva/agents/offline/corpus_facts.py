"""What the offline cast knows of the corpus: every prose sentence, every question it allows, every answer.

Built once before writing begins, from the same chunks in the same order, so it is the same in every run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

from viva.agents.offline.gaps.proposal import Proposal
from viva.core.records import PLAIN_PATTERNS
from viva.core.text.words import content_words

HEADER_FIELD = "header-field"
"""The pattern of the questions that say what they are about."""


@dataclass(frozen=True)
class StatedFact:
    """A sentence of a chunk and the questions it allows, best first."""

    statement: str
    start: int
    end: int
    questions: tuple[Proposal, ...]

    @property
    def sure(self) -> bool:
        """Whether a rule knows the wrong options of its best question to be wrong: that is of the sure tier."""
        return self.questions[0].pattern not in PLAIN_PATTERNS


@dataclass(frozen=True)
class CandidateOption:
    """An expression somewhere in the corpus that could stand as a wrong option."""

    text: str
    document_id: str
    sentence: int
    """number of the sentence it stands in, in `CorpusFacts.sentences`; header fields stand in none"""


@dataclass
class CorpusFacts:
    """Facts by chunk, candidate options by form, and all sentences for looking a claim up."""

    facts: dict[str, list[StatedFact]] = field(default_factory=dict)
    candidates: dict[str, list[CandidateOption]] = field(default_factory=lambda: defaultdict(list))
    standing_in: dict[int, list[tuple[str, CandidateOption]]] = field(default_factory=lambda: defaultdict(list))
    """(form, candidate) by number of the sentence, repeated where it is repeated"""
    sentences_of: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """numbers of a document's sentences"""
    document_of: list[str] = field(default_factory=list)
    """by number of a sentence: the document that it stands in"""
    titles: dict[str, str] = field(default_factory=dict)
    languages: dict[str, str] = field(default_factory=dict)
    """ISO 639-1, by document id"""
    sentences: list[str] = field(default_factory=list)
    sentence_words: list[frozenset[str]] = field(default_factory=list)
    postings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def candidate(self, form: str, text: str, document_id: str) -> None:
        """Remember an expression of the sentence that comes next, in the list of its form once."""
        found = CandidateOption(text, document_id, len(self.sentences))
        self.standing_in[found.sentence].append((form, found))
        if (form, text.lower()) not in self._seen:
            self._seen.add((form, text.lower()))
            self.candidates[form].append(found)

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
