"""What the offline cast knows of the corpus: every prose sentence, every question it allows, every answer.

Built once before writing begins, from the same chunks in the same order, so it is the same in every run.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.cloze import cloze
from viva.agents.offline.entries import entries
from viva.agents.offline.expressions import expressions, named_codes
from viva.agents.offline.glossary import Definition, definition_in, glossed
from viva.agents.offline.grammar import FINITE, Token, bare_name, capitalised, tag
from viva.agents.offline.header import header_fields
from viva.agents.offline.likeness import TYPED
from viva.agents.offline.patterns import Proposal, proposals
from viva.agents.offline.phrases import phrases
from viva.agents.offline.prose import Sentence, sentences
from viva.agents.offline.statements import statement
from viva.agents.offline.vocabulary import Vocabulary
from viva.agents.offline.words import content_words
from viva.agents.offline.worth import is_worth_asking, surnames_in
from viva.agents.roles import Progress
from viva.agents.rules.language import detect_language
from viva.core.ids import content_hash
from viva.core.records import BloomLevel, Chunk, Document, QuestionType

_KNOWN_AFTER = 4
_KNOWN_AFTER_IN_SHORT = 2
_SHORT_WORDS = 1500
"""A noun used this often in a (short) document is one of its subjects: a question scoped to it may say 'the'."""
_KNOWN_IN_DOCUMENTS = 3
"""A noun that so many documents use with 'the' is one that the whole corpus takes as known: 'the board'."""
_HEADER_SHARE = 3
"""Where there is enough else to ask, one header in so many is asked about: it tells little of its subject."""
_OWNERS = frozenset({"persons", "providers", "patients", "doctors", "infants", "mothers", "adults", "womens"})
"""Before a singular noun, a genitive that lost its apostrophe: 'the persons skin'."""
_OPENING = 8
_SELDOM = 4
_ONE_OF_MANY = re.compile(r"\b(?:an?|every|each|any|another|one) ([A-Za-z]{4,})\b")
"""'a website': there is more than one, so that 'the website' does not say which."""
DEFINED = "defined"
"""The form of a term that is asked for by its definition."""
ENTRY = "entry-term"
"""The pattern that asks for the label of a list's entry."""
_SURE = TYPED - {"code", "version"} | {DEFINED}
"""Families of forms whose options are of one kind, by their form or their definition (docs/decisions/0011, 0012)."""
_ENTRY = re.compile(r"^(?:\S+ ){0,5}\S+(?::| [–—]) (?:A|An|The) ")
"""'Caching: The concept that ...', an entry of a list of terms."""
_DEFINES = re.compile(r"\b(?:is|are|refers? to|(?:occurs?|happens?) when)\b")
TERM_QUALITY = 0.95
_READ_FOR_LANGUAGE = 4000
"""Characters of a document that tell its language."""
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
    defined: list[Defined] = field(default_factory=list)
    """the glossary, in the corpus's order"""
    titles: dict[str, str] = field(default_factory=dict)
    languages: dict[str, str] = field(default_factory=dict)
    """ISO 639-1, by document id"""
    sentences: list[str] = field(default_factory=list)
    sentence_words: list[frozenset[str]] = field(default_factory=list)
    postings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    asked: set[str] = field(default_factory=set)
    """terms asked for, lower case"""
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def candidate(self, form: str, text: str, document_id: str) -> None:
        """Remember an expression of the sentence that comes next, in the list of its form once."""
        found = Candidate(text, document_id, len(self.sentences))
        self.standing_in[found.sentence].append((form, found))
        if (form, text.lower()) not in self._seen:
            self._seen.add((form, text.lower()))
            self.candidates[form].append(found)

    def sentence(self, text: str, document_id: str) -> None:
        """Index a sentence by its content words."""
        self.sentences_of[document_id].append(len(self.sentences))
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


@dataclass(frozen=True)
class _Known:
    """Nouns that a document makes definite, and those of them of which it knows but one."""

    nouns: frozenset[str]
    unique: frozenset[str]

    @classmethod
    def of(cls, document: Document, common: frozenset[str]) -> _Known:
        nouns = known_nouns(document) | common
        return cls(nouns, nouns - one_of_many(document))


def build_bank(
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    progress: Progress | None = None,
    *,
    phrase_keys: bool = True,
) -> Bank:
    """Read the corpus. Time is linear in its words (about 10,000 words per second and core).

    Without `phrase_keys` only questions are kept whose wrong options a rule can know to be wrong.
    """
    bank = Bank(
        titles={document.id: document.title for document in documents},
        languages={document.id: _language(document) for document in documents},
    )
    vocabulary = Vocabulary.of(documents)
    by_id = {document.id: document for document in documents}
    common = commonly_definite(document.text for document in documents)
    known = {document.id: _Known.of(document, common) for document in documents}
    surnames = frozenset(name for d in documents for name in surnames_in(d.text, vocabulary.common))
    seen: set[tuple[str, int]] = set()
    for done, chunk in enumerate(chunks, start=1):
        document = by_id[chunk.document_id]
        # chunks overlap: a sentence belongs to the first chunk that holds it
        bank.facts[chunk.id] = [
            fact
            for found in _facts(bank, document, chunk, vocabulary, known[document.id], seen)
            if chunk.duplicate_of is None and (fact := found if phrase_keys else _sure(found, surnames)).questions
        ]
        if progress:
            progress(done, len(chunks))
    _thin_headers(bank)
    return bank


def _sure(fact: Fact, surnames: frozenset[str]) -> Fact:
    kept = (q for q in fact.questions if q.form.split(":")[0] in _SURE and is_worth_asking(q, surnames))
    return replace(fact, questions=tuple(kept))


def _thin_headers(bank: Bank) -> None:
    """One header field per document, of those that differ enough between documents to be asked about."""
    of_headers = [fact.questions[0].pattern == "header-field" for facts in bank.facts.values() for fact in facts]
    enough = of_headers.count(False) >= len(bank.titles)
    for chunk_id, facts in bank.facts.items():
        plain = [fact for fact in facts if fact.questions[0].pattern != "header-field"]
        headers = [
            fact
            for fact in facts
            if fact.questions[0].pattern == "header-field"
            and len(bank.candidates[fact.questions[0].form]) >= _FIELD_VALUES
        ]
        if enough and int(content_hash("header", chunk_id), 16) % _HEADER_SHARE:
            headers = []
        chosen = min(headers, key=lambda fact: content_hash("header", chunk_id, fact.statement), default=None)
        bank.facts[chunk_id] = [chosen, *plain] if chosen else plain


def _facts(
    bank: Bank,
    document: Document,
    chunk: Chunk,
    vocabulary: Vocabulary,
    known: _Known,
    seen: set[tuple[str, int]],
) -> Iterable[Fact]:
    language = bank.languages[document.id]
    if language == "en" and (document.id, -1) not in seen and chunk.start == _first_character(document):
        seen.add((document.id, -1))
        yield from _header_facts(bank, document, chunk)
    if language == "en":
        yield from _entry_facts(bank, document, chunk, seen)
    for sentence in sentences(document.text, chunk.start, chunk.end):
        if (document.id, sentence.start) in seen:
            continue
        seen.add((document.id, sentence.start))
        if language == "en":
            yield _fact(bank, document, sentence, vocabulary, known)
        else:
            yield _foreign_fact(bank, document, sentence, language)


def _entry_facts(bank: Bank, document: Document, chunk: Chunk, seen: set[tuple[str, int]]) -> Iterable[Fact]:
    """What labelled lists say of their labels. A list is read with its first entry, as options for all of it."""
    for entry in entries(document.text):
        if chunk.start <= entry.start and entry.end <= chunk.end and (document.id, -2 - entry.start) not in seen:
            seen.add((document.id, -2 - entry.start))
            questions = tuple(_term_asked(bank, entry.definition, ENTRY))
            bank.defined.append(Defined(entry.definition, document.id, entry.place))
            if questions:
                yield Fact(entry.statement, entry.start, entry.end, questions, definite=True)


def _language(document: Document) -> str:
    """What is too short or too odd to tell is taken for English: no rule of its grammar will fit it."""
    found = detect_language(document.text[:_READ_FOR_LANGUAGE])
    return "en" if found == "und" else found


def _foreign_fact(bank: Bank, document: Document, sentence: Sentence, language: str) -> Fact:
    """A sentence whose grammar is not known here."""
    questions = tuple(cloze(sentence.text, language))
    for question in questions:
        bank.candidate(question.form, question.key, document.id)
    bank.sentence(sentence.text, document.id)
    return Fact(sentence.text, sentence.start, sentence.end, questions, definite=False)


def _fact(bank: Bank, document: Document, sentence: Sentence, vocabulary: Vocabulary, known: _Known) -> Fact:
    plain = statement(sentence, document.title)
    tokens = tag(plain, vocabulary)
    unfit = plain.illustrates or _is_torn(tokens, vocabulary)
    definition = None if unfit else defined_by(sentence, plain, vocabulary, tokens)
    questions = () if unfit else tuple(proposals(plain.text, tokens, known.nouns, known.unique))
    if definition:
        questions = (*_term_asked(bank, definition, "term-for"), *questions)
        bank.defined.append(Defined(definition, document.id))
    for expression in expressions(plain.text, tokens):
        bank.candidate(expression.form, expression.text, document.id)
    for form, text in named_codes(tokens):
        bank.candidate(form, text, document.id)
    for question in questions:
        bank.candidate(question.form, question.key, document.id)
    for phrase in () if unfit else phrases(plain.text, tokens):
        bank.candidate(phrase.form, phrase.text, document.id)
    bank.sentence(plain.text, document.id)
    definite = bool(questions) and leaning.leans(tokens)
    return Fact(plain.text, plain.start, plain.end, questions, definite)


def defined_by(
    sentence: Sentence, plain: Sentence, vocabulary: Vocabulary, tokens: Sequence[Token] | None = None
) -> Definition | None:
    """The definition that a sentence, or its plain statement, makes; `tokens`: the statement's, if tagged before."""
    if _ENTRY.match(sentence.text):
        return glossed(sentence.text, tag(sentence, vocabulary))
    if not _DEFINES.search(plain.text):
        return None
    return definition_in(plain.text, tag(plain, vocabulary) if tokens is None else tokens)


def _term_asked(bank: Bank, definition: Definition, pattern: str) -> Iterable[Proposal]:
    """The question that a definition allows; of several of one term the first that tells enough is asked."""
    term = definition.term.lower()
    if definition.telling and term not in bank.asked:
        bank.asked.add(term)
        kind, level = QuestionType.DEFINITION, BloomLevel.REMEMBER
        yield Proposal(definition.stem, capitalised(definition.term), DEFINED, kind, level, pattern, TERM_QUALITY)


def _is_torn(tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """Words that extraction spoilt, a heading that lost its line ('Expenses Employees claim'), a story's actor."""
    words = [token.text for token in tokens if not token.code]
    if any(word.lower() in vocabulary.spoilt for word in words) or _has_passing_name(words, vocabulary):
        return True
    return (
        _repeats_itself([word.lower() for word in words[:12]])
        or any(a.text in _OWNERS and b.tag == "NN1" for a, b in pairwise(tokens))
        or _lacks_article(tokens, vocabulary)
        or any(_opens_after_heading(a, b, vocabulary) for a, b in pairwise(tokens[:5]))
    )


def _lacks_article(tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """'Positive security model is ...', 'Diet Must limit ...': a note or a label, no sentence."""
    verb = next((n for n, t in enumerate(tokens[:_OPENING]) if t.tag in FINITE), None)
    if not verb or tokens[verb].tag in {"VVB", "VBB", "VHB", "VDB"} or tokens[verb].text == "are":
        return False
    named = next((n for n in range(1, verb + 1) if tokens[n].tag in {"PRF", "PRP"}), verb)
    noun = tokens[named - 1]
    if any(t.code or t.tag not in {"AJ0", "AJC", "NN1", "VVN", "VVG", "NN0", "UNC"} for t in tokens[:named]):
        return False
    return noun.text.islower() and noun.lemma.lower() in vocabulary.countable


def _has_passing_name(words: Sequence[str], vocabulary: Vocabulary) -> bool:
    """A story's actor is called by one name: 'Maria', not 'Maria Lopez'."""
    around = ["", *words, ""]
    return any(
        word in vocabulary.passing and not around[n][:1].isupper() and not around[n + 2][:1].isupper()
        for n, word in enumerate(words)
    )


def _opens_after_heading(before: Token, token: Token, vocabulary: Vocabulary) -> bool:
    if token.tag != "NN2" or not token.text[:1].isupper() or token.code or before.tag in {"AT0", "PRP", "PRF"}:
        return False
    return bare_name(token.text) not in vocabulary.names


def _repeats_itself(words: Sequence[str]) -> bool:
    """'Nephrotic Syndrome Nephrotic syndrome is ...': the heading, then the sentence."""
    return any(
        words[at : at + size] == words[at + size : at + 2 * size]
        for size in (1, 2, 3, 4)
        for at in range(len(words) - 2 * size + 1)
    )


def _header_facts(bank: Bank, document: Document, chunk: Chunk) -> Iterable[Fact]:
    for entry in header_fields(document):
        if entry.end > chunk.end or entry.value.lower() in document.title.lower():
            continue
        form = f"field:{entry.name.lower()}"
        bank.candidate(form, entry.value, document.id)
        dated = bool(re.search(r"\b(?:19|20)\d\d\b", entry.value))
        stem = _header_stem(entry.name, scope_of(document.title), dated=dated)
        kind = QuestionType.DATE if dated else QuestionType.NAME
        yield Fact(
            f"{document.title}: {entry.name}: {entry.value}",
            entry.start,
            entry.end,
            (Proposal(stem, entry.value, form, kind, BloomLevel.REMEMBER, "header-field", 0.5),),
            definite=False,
        )


def _header_stem(name: str, title: str, *, dated: bool) -> str:
    """'Created' with a date asks when it was created; any other field is asked for by its name."""
    label = name.replace("-", " ")
    if dated and re.fullmatch(r"[A-Z][a-z]+ed", label):
        return f"On what date was {title} {label.lower()}?"
    words = [
        word if word.isupper() or (n == 0 and "-" in name) else word.lower() for n, word in enumerate(label.split())
    ]
    noun = " date" if dated and not label.lower().endswith("date") else ""
    return f"What is the {' '.join(words)}{noun} of {title}?"


def _first_character(document: Document) -> int:
    return len(document.text) - len(document.text.lstrip())


def known_nouns(document: Document) -> frozenset[str]:
    """Words that the document is about: those of its title, and those it keeps using."""
    words = [word.lower() for word in re.findall(r"[A-Za-z]{4,}", document.text)]
    enough = _KNOWN_AFTER_IN_SHORT if len(words) < _SHORT_WORDS else _KNOWN_AFTER
    title = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", document.title)}
    return frozenset({word for word, count in Counter(words).items() if count >= enough} | title)


def one_of_many(document: Document) -> frozenset[str]:
    """Nouns of which the document knows several ('a website'); of its title's nouns one use does not show it."""
    title = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", document.title)}
    times = Counter(word.lower() for word in _ONE_OF_MANY.findall(document.text))
    return frozenset(word for word, count in times.items() if word not in title or count >= _KNOWN_IN_DOCUMENTS)


def commonly_definite(texts: Iterable[str]) -> frozenset[str]:
    """Nouns that several documents use with 'the', and seldom otherwise, as if everybody knew which one."""
    definite: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for text in texts:
        definite.update({word.lower() for word in re.findall(r"\b[Tt]he ([a-z]{4,})\b", text)})
        other.update({word.lower() for word in _ONE_OF_MANY.findall(text)})
    return frozenset(w for w, n in definite.items() if n >= _KNOWN_IN_DOCUMENTS and n >= _SELDOM * other[w])


_TITLE_FIELDS = frozenset({"title", "focus", "name"})
_LABELLED_TITLE = re.compile(r"^([A-Z]{2,6}[ -]\d+)\s*[:–—-]\s*(.+)$")


def needs_scope(stem: str, document: Document) -> bool:
    """Whether a stem names nothing by which its subject could be looked up."""
    return not leaning.names_something(stem) and document.title.lower() not in stem.lower()


def has_scope(document: Document) -> bool:
    """Whether the document's title says what it is about (a row's or record's number does not)."""
    return "#" not in document.path or not {name.casefold() for name in document.metadata}.isdisjoint(_TITLE_FIELDS)


def scope_of(title: str) -> str:
    """A title as a scope: 'PEP 205 (Weak References)', or in quotes without the site's name."""
    title = re.sub(r"\\?[`*]+", "", title)
    labelled = _LABELLED_TITLE.match(title)
    return f"{labelled.group(1)} ({labelled.group(2)})" if labelled else quoted_title(title)


def quoted_title(title: str) -> str:
    """A title in quotes, unless it begins with a label such as 'PEP 205'."""
    return title if _LABELLED_TITLE.match(title) else f"“{re.split(r' [|·»] ', title)[0]}”"
