"""Reads the corpus into a bank: the facts of every chunk, with the questions they allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from viva.agents.offline import leaning
from viva.agents.offline.bank import DEFINED, MEANING, TERM, Bank, Defined, Fact
from viva.agents.offline.called import called_in
from viva.agents.offline.claims import Claim, contradictions, nouns_of
from viva.agents.offline.cloze import cloze
from viva.agents.offline.coded_names import CodedName, coded
from viva.agents.offline.corpus_questions import ask_for_names, ask_for_statements
from viva.agents.offline.embedding import Embed
from viva.agents.offline.entries import entries
from viva.agents.offline.expressions import expressions, named_codes
from viva.agents.offline.genus import class_seen
from viva.agents.offline.glossary import Definition, definition_in, glossed
from viva.agents.offline.grammar import Token, capitalised, tag
from viva.agents.offline.header_questions import header_facts, thin_headers
from viva.agents.offline.identities import Named, identity_in
from viva.agents.offline.meanings import has_distinct
from viva.agents.offline.patterns import PLAIN, Proposal, proposals
from viva.agents.offline.patterns.closings import closing_phrase
from viva.agents.offline.phrases import phrases
from viva.agents.offline.prose import Sentence, plain_sentence, sentences
from viva.agents.offline.scope import commonly_definite, known_nouns, one_of_many, widespread
from viva.agents.offline.statements import statement
from viva.agents.offline.torn import is_torn
from viva.agents.offline.vocabulary import Vocabulary
from viva.agents.offline.worth import full_names_in, is_worth_asking, named_in_full, surnames_in
from viva.agents.roles import Progress
from viva.agents.rules.language import detect_language
from viva.core.records import BloomLevel, Chunk, Document, QuestionType

ENTRY = "entry-term"
"""The pattern that asks for the label of a list's entry."""
_ENTRY = re.compile(
    r"^(?P<term>(?:[^\s:–—]+ ){0,5}?[^\s:–—]+?)(?: ?\([^()]*\))?(?P<mark>: | ?[–—] ?| ‑ )(?=(?:A|An|The) )"
)
"""'Caching: The concept that ...', 'Easter Egg – A type of ...': an entry of a list of terms."""
_DEFINES = re.compile(r"\b(?:is|are|refers? to|(?:occurs?|happens?) when)\b")
_NAMES = re.compile(r"\(|\b(?:or|called|known as|termed|formerly|i\.e\.)\b")
TERM_QUALITY, MEANING_QUALITY = 0.95, 0.94
_LISTS = re.compile(r", (?:including|such as|e\.g\.)[^.]* (?:with|that|who|which|in which|to) ")
"""'to form networks, including friendships and marriage, with others who are alike': a list is cut off, and more."""
_MORE_EXACTLY = re.compile(r" (?:--|—|–) (?:the|an?) [^—–]*$")
"""'A specific area of the brain -- the left parietal lobe': what tells it from others is cut off."""
_END = 16
"""Characters at the end of a sentence that must stand where its closing phrase is asked for."""
_DISTINCT = 6
"""Words that a sentence must define a term by for the term to be asked for; a list's other labels bound an entry."""
_READ_FOR_LANGUAGE = 4000
"""Characters of a document that tell its language."""


@dataclass(frozen=True)
class _Known:
    """Nouns that a document makes definite, and those of them of which it knows but one."""

    nouns: frozenset[str]
    unique: frozenset[str]
    widespread: frozenset[str]
    """nouns of many documents that are not of its title"""

    @classmethod
    def of(cls, document: Document, common: frozenset[str], widespread: frozenset[str]) -> _Known:
        nouns = known_nouns(document) | common
        title = {word.lower().removesuffix("s") for word in re.findall(r"[A-Za-z]{3,}", document.title)}
        return cls(nouns, nouns - one_of_many(document), widespread - title)


def build_bank(
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    progress: Progress | None = None,
    *,
    plain: bool = True,
    embed: Embed | None = None,
) -> Bank:
    """Read the corpus. Time is linear in its words (about 10,000 words per second and core).

    Without `plain` only questions are kept whose wrong options a rule can know to be wrong.
    With `embed` statements of several topics come together where one topic has too few.
    """
    bank = Bank(
        titles={document.id: document.title for document in documents},
        languages={document.id: _language(document) for document in documents},
    )
    vocabulary = Vocabulary.of(documents)
    by_id = {document.id: document for document in documents}
    common = commonly_definite(document.text for document in documents)
    everywhere = widespread(document.text for document in documents)
    known = {document.id: _Known.of(document, common, everywhere) for document in documents}
    surnames = frozenset(name for d in documents for name in surnames_in(d.text, vocabulary.common))
    names = {d.id: full_names_in(d.text, surnames, vocabulary.common) for d in documents}
    seen: set[tuple[str, int]] = set()
    for done, chunk in enumerate(chunks, start=1):
        document = by_id[chunk.document_id]
        # chunks overlap: a sentence belongs to the first chunk that holds it
        bank.facts[chunk.id] = [
            fact
            for found in _facts(bank, document, chunk, vocabulary, known[document.id], seen)
            if chunk.duplicate_of is None
            and (fact := _kept(bank, document, found, surnames, names[document.id], plain=plain)).questions
        ]
        if progress:
            progress(done, len(chunks))
    thin_headers(bank)
    ask_for_statements(bank, embed)
    if embed is not None:
        ask_for_names(bank, embed)
    return bank


def _kept(
    bank: Bank, document: Document, fact: Fact, surnames: frozenset[str], names: Mapping[str, str], *, plain: bool
) -> Fact:
    if bank.languages[document.id] != "en":
        # the rules of worth are of English words: “Die Reederei” is about nobody's death
        return fact
    asked = (named_in_full(q, names) for q in fact.questions if plain or q.pattern != PLAIN)
    return replace(fact, questions=tuple(q for q in asked if is_worth_asking(q, surnames)))


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
        yield from header_facts(bank, document, chunk)
    if language == "en":
        yield from _entry_facts(bank, document, chunk, seen)
        if chunk.duplicate_of is None:
            _coded_names(bank, document, chunk, seen)
    for sentence in sentences(document.text, chunk.start, chunk.end):
        if (document.id, sentence.start) in seen:
            continue
        seen.add((document.id, sentence.start))
        if language == "en":
            yield _fact(bank, document, chunk, sentence, vocabulary, known)
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


def _coded_names(bank: Bank, document: Document, chunk: Chunk, seen: set[tuple[str, int]]) -> None:
    for code, name, start, end in coded(document.text):
        if chunk.start <= start and end <= chunk.end and (document.id, -2 - start) not in seen:
            seen.add((document.id, -2 - start))
            bank.coded.append(CodedName(code, name, document.id, chunk.id, start, end))


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


def _fact(
    bank: Bank, document: Document, chunk: Chunk, sentence: Sentence, vocabulary: Vocabulary, known: _Known
) -> Fact:
    plain = statement(sentence, document.title)
    tokens = tag(plain, vocabulary)
    unfit = plain.illustrates or is_torn(tokens, vocabulary)
    definition = None if unfit else defined_by(sentence, plain, vocabulary, tokens)
    questions = () if unfit else tuple(proposals(plain.text, tokens, known.nouns, known.unique))
    if plain.text[-_END:] != sentence.text[-_END:]:
        questions = tuple(q for q in questions if q.pattern != PLAIN)
    if definition:
        term = _term_asked(bank, definition, TERM) if has_distinct(definition.meaning, _DISTINCT) else ()
        meaning = _meaning_asked(bank, definition) if says_what_it_is(sentence, definition) else ()
        questions = (*term, *meaning, *questions)
        bank.defined.append(Defined(definition, document.id))
    for expression in expressions(plain.text, tokens):
        bank.candidate(expression.form, expression.text, document.id)
    for form, text in named_codes(tokens):
        bank.candidate(form, text, document.id)
    for question in questions:
        bank.candidate(question.form, question.key, document.id)
    for phrase in () if unfit else phrases(plain.text, tokens):
        bank.candidate(phrase.form, phrase.text, document.id)
    closed = None if unfit else closing_phrase(plain.text, tokens[:-1])
    if closed:
        bank.candidate(closed.form, closed.text, document.id)
    if not unfit and chunk.duplicate_of is None:
        _claim(bank, chunk, plain, tokens, known, whole=not _LISTS.search(sentence.text))
    if _NAMES.search(sentence.text):
        bank.namings.append(sentence.text)
    bank.sentence(plain.text, document.id)
    definite = bool(questions) and leaning.leans(tokens)
    return Fact(plain.text, plain.start, plain.end, questions, definite)


def _claim(bank: Bank, chunk: Chunk, plain: Sentence, tokens: Sequence[Token], known: _Known, *, whole: bool) -> None:
    """Remember a sentence that can be turned into its contradiction, or says what a term is, once in the corpus.

    Of one that is not `whole` what set its term apart may have been cut off.
    """
    found = contradictions(plain, tokens, known.nouns, known.widespread)
    identity = identity_in(plain.text, tokens, known.unique) or called_in(plain.text, tokens)
    if identity and not whole:
        identity = replace(identity, can_be_said=False)
    if (found or identity) and bank.is_new(plain.text):
        term = identity.term if identity else ""
        claim = Claim(
            plain.text, chunk.document_id, chunk.id, plain.start, plain.end, found, nouns_of(tokens), term=term
        )
        if found:
            bank.claims.append(claim)
        if identity:
            bank.named.append(Named(replace(claim, text=identity.text, turned=()), identity))


def defined_by(
    sentence: Sentence, plain: Sentence, vocabulary: Vocabulary, tokens: Sequence[Token] | None = None
) -> Definition | None:
    """The definition that a sentence, or its plain statement, makes; `tokens`: the statement's, if tagged before."""
    entry = _ENTRY.match(sentence.text)
    if entry:
        listed = plain_sentence(f"{entry['term']}: {sentence.text[entry.end('mark') :]}")
        return glossed(listed.text, tag(listed, vocabulary))
    if not _DEFINES.search(plain.text):
        return None
    found = definition_in(plain.text, tag(plain, vocabulary) if tokens is None else tokens)
    return replace(found, telling=False) if found and _MORE_EXACTLY.search(sentence.text) else found


def says_what_it_is(sentence: Sentence, definition: Definition) -> bool:
    """Whether a definition tells enough of a thing that can be shown. The label of an entry has lost its article."""
    return definition.telling and class_seen(definition.genus) != "" and not _ENTRY.match(sentence.text)


def _term_asked(bank: Bank, definition: Definition, pattern: str) -> Iterable[Proposal]:
    """The question that a definition allows; of several of one term the first that tells enough is asked."""
    asked = (DEFINED, definition.term.lower())
    if definition.telling and asked not in bank.asked:
        bank.asked.add(asked)
        kind, level = QuestionType.DEFINITION, BloomLevel.REMEMBER
        yield Proposal(definition.stem, capitalised(definition.term), DEFINED, kind, level, pattern, TERM_QUALITY)


def _meaning_asked(bank: Bank, definition: Definition) -> Iterable[Proposal]:
    """The question what the term means, once."""
    asked = (MEANING, definition.term.lower())
    if asked not in bank.asked:
        bank.asked.add(asked)
        kind, level = QuestionType.DEFINITION, BloomLevel.REMEMBER
        yield Proposal(
            definition.question, capitalised(definition.meaning), MEANING, kind, level, MEANING, MEANING_QUALITY
        )


def _first_character(document: Document) -> int:
    return len(document.text) - len(document.text.lstrip())
