"""What the offline cast knows of the corpus: every prose sentence, every question it allows, every answer.

Built once before writing begins, from the same chunks in the same order, so it is the same in every run.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from viva.agents.offline import leaning
from viva.agents.offline.expressions import expressions, named_codes
from viva.agents.offline.grammar import Token, bare_name, tag
from viva.agents.offline.header import header_fields
from viva.agents.offline.patterns import Proposal, proposals
from viva.agents.offline.prose import Sentence, sentences
from viva.agents.offline.statements import statement
from viva.agents.offline.words import content_words
from viva.agents.roles import Progress
from viva.core.ids import content_hash
from viva.core.records import BloomLevel, Chunk, Document, QuestionType

_KNOWN_AFTER = 4
_KNOWN_AFTER_IN_SHORT = 2
_SHORT_WORDS = 1500
"""A noun used this often in a (short) document is one of its subjects: a question scoped to it may say 'the'."""
_KNOWN_IN_DOCUMENTS = 3
"""A noun that so many documents use with 'the' is one that the whole corpus takes as known: 'the board'."""
_FIELD_VALUES = 4
"""A header field with fewer values in the whole corpus cannot be made into options."""


@dataclass(frozen=True)
class Fact:
    """A sentence of a chunk and the questions it allows, best first."""

    statement: str
    start: int
    end: int
    questions: tuple[Proposal, ...]
    definite: bool
    """whether it says 'the launcher' of a launcher that only its document makes known"""


@dataclass(frozen=True)
class Candidate:
    """An expression somewhere in the corpus that could stand as a wrong option."""

    text: str
    document_id: str


@dataclass
class Bank:
    """Facts by chunk, candidate options by form, and all sentences for looking a claim up."""

    facts: dict[str, list[Fact]] = field(default_factory=dict)
    candidates: dict[str, list[Candidate]] = field(default_factory=lambda: defaultdict(list))
    sentences: list[str] = field(default_factory=list)
    sentence_words: list[frozenset[str]] = field(default_factory=list)
    postings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def candidate(self, form: str, text: str, document_id: str) -> None:
        """Remember an expression once per form."""
        if (form, text.lower()) not in self._seen:
            self._seen.add((form, text.lower()))
            self.candidates[form].append(Candidate(text, document_id))

    def sentence(self, text: str) -> None:
        """Index a sentence by its content words."""
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


def build_bank(documents: Sequence[Document], chunks: Sequence[Chunk], progress: Progress | None = None) -> Bank:
    """Read the corpus. Time is linear in its words (about 10,000 words per second and core)."""
    bank = Bank()
    names = capitalised_names(document.text for document in documents)
    by_id = {document.id: document for document in documents}
    common = commonly_definite(document.text for document in documents)
    known = {document.id: known_nouns(document) | common for document in documents}
    seen: set[tuple[str, int]] = set()
    for done, chunk in enumerate(chunks, start=1):
        document = by_id[chunk.document_id]
        # chunks overlap: a sentence belongs to the first chunk that holds it
        bank.facts[chunk.id] = [
            fact
            for fact in _facts(bank, document, chunk, names, known[document.id], seen)
            if chunk.duplicate_of is None and fact.questions
        ]
        if progress:
            progress(done, len(chunks))
    _thin_headers(bank)
    return bank


def _thin_headers(bank: Bank) -> None:
    """One header field per document, of those that differ enough between documents to be asked about."""
    for chunk_id, facts in bank.facts.items():
        plain = [fact for fact in facts if fact.questions[0].pattern != "header-field"]
        headers = [
            fact
            for fact in facts
            if fact.questions[0].pattern == "header-field"
            and len(bank.candidates[fact.questions[0].form]) >= _FIELD_VALUES
        ]
        chosen = min(headers, key=lambda fact: content_hash("header", chunk_id, fact.statement), default=None)
        bank.facts[chunk_id] = [chosen, *plain] if chosen else plain


def _facts(
    bank: Bank,
    document: Document,
    chunk: Chunk,
    names: frozenset[str],
    known: frozenset[str],
    seen: set[tuple[str, int]],
) -> Iterable[Fact]:
    if (document.id, -1) not in seen and chunk.start == _first_character(document):
        seen.add((document.id, -1))
        yield from _header_facts(bank, document, chunk)
    for sentence in sentences(document.text, chunk.start, chunk.end):
        if (document.id, sentence.start) in seen:
            continue
        seen.add((document.id, sentence.start))
        yield _fact(bank, document, statement(sentence, document.title), names, known)


def _fact(bank: Bank, document: Document, plain: Sentence, names: frozenset[str], known: frozenset[str]) -> Fact:
    tokens = tag(plain, names)
    questions = () if _heading_ran_in(tokens, names) else tuple(proposals(plain.text, tokens, known))
    for expression in expressions(plain.text, tokens):
        bank.candidate(expression.form, expression.text, document.id)
    for form, text in named_codes(tokens):
        bank.candidate(form, text, document.id)
    for question in questions:
        bank.candidate(question.form, question.key, document.id)
    bank.sentence(plain.text)
    definite = bool(questions) and leaning.leans(tokens)
    return Fact(plain.text, plain.start, plain.end, questions, definite)


def _heading_ran_in(tokens: Sequence[Token], names: frozenset[str]) -> bool:
    """'Expenses Employees claim ...': a heading that lost its line and stands in front of the sentence."""
    return any(
        token.tag == "NN2" and token.text[:1].isupper() and not token.code and bare_name(token.text) not in names
        for token in tokens[1:5]
    )


def _header_facts(bank: Bank, document: Document, chunk: Chunk) -> Iterable[Fact]:
    for entry in header_fields(document):
        if entry.end > chunk.end or entry.value.lower() in document.title.lower():
            continue
        form = f"field:{entry.name.lower()}"
        bank.candidate(form, entry.value, document.id)
        dated = bool(re.search(r"\b(?:19|20)\d\d\b", entry.value))
        plain = entry.name.isalpha() and not entry.name.isupper()
        label = entry.name.lower() if plain and not dated else f"“{entry.name}”"
        noun = " date" if dated and not entry.name.lower().endswith("date") else ""
        stem = f"What is the {label}{noun} of {quoted_title(document.title)}?"
        kind = QuestionType.DATE if dated else QuestionType.NAME
        yield Fact(
            f"{document.title}: {entry.name}: {entry.value}",
            entry.start,
            entry.end,
            (Proposal(stem, entry.value, form, kind, BloomLevel.REMEMBER, "header-field", 0.5),),
            definite=False,
        )


def _first_character(document: Document) -> int:
    return len(document.text) - len(document.text.lstrip())


def capitalised_names(texts: Iterable[str]) -> frozenset[str]:
    """Words that carry a capital inside sentences at least as often as not."""
    upper: Counter[str] = Counter()
    lower: Counter[str] = Counter()
    for text in texts:
        upper.update(re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b", text))
        lower.update(re.findall(r"\b[a-z]{3,}\b", text))
    return frozenset(word for word, count in upper.items() if count >= 2 and count >= lower[word.lower()])


def known_nouns(document: Document) -> frozenset[str]:
    """Words that the document is about: those of its title, and those it keeps using."""
    words = [word.lower() for word in re.findall(r"[A-Za-z]{4,}", document.text)]
    enough = _KNOWN_AFTER_IN_SHORT if len(words) < _SHORT_WORDS else _KNOWN_AFTER
    title = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", document.title)}
    return frozenset({word for word, count in Counter(words).items() if count >= enough} | title)


def commonly_definite(texts: Iterable[str]) -> frozenset[str]:
    """Nouns that several documents use with 'the' as if everybody knew which one."""
    found: Counter[str] = Counter()
    for text in texts:
        found.update({word.lower() for word in re.findall(r"\b[Tt]he ([a-z]{4,})\b", text)})
    return frozenset(word for word, count in found.items() if count >= _KNOWN_IN_DOCUMENTS)


_LABELLED_TITLE = re.compile(r"^([A-Z]{2,6}[ -]\d+)\s*[:–—-]\s*(.+)$")


def needs_scope(stem: str, document: Document) -> bool:
    """Whether a stem names nothing by which its subject could be looked up."""
    return not leaning.names_something(stem) and document.title.lower() not in stem.lower()


def has_scope(document: Document) -> bool:
    """Whether the document's title says what it is about (a row's or record's number does not)."""
    return "#" not in document.path or "title" in document.metadata


def scope_of(title: str) -> str:
    """A title as a scope: 'PEP 205 (Weak References)', or in quotes without the site's name."""
    labelled = _LABELLED_TITLE.match(re.sub(r"[`*]+", "", title))
    return f"{labelled.group(1)} ({labelled.group(2)})" if labelled else quoted_title(title)


def quoted_title(title: str) -> str:
    """A title in quotes, unless it begins with a label such as 'PEP 205'."""
    return title if _LABELLED_TITLE.match(title) else f"“{re.split(r' [|·»] ', title)[0]}”"
