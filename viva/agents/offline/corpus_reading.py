"""Reads the corpus into a bank: the facts of every chunk, with the questions they allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from viva.agents.offline.cloze import cloze
from viva.agents.offline.corpus_facts import CorpusFacts, StatedFact
from viva.agents.offline.gaps.closings import closing_phrase, closings
from viva.agents.offline.gaps.predicates import predicate, predicates
from viva.agents.offline.gaps.presentable import presentable
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.gaps.standing_alone import stands_alone
from viva.agents.offline.gaps.values import values
from viva.agents.offline.header_questions import header_facts, thin_headers
from viva.agents.offline.scope import named_by_scope
from viva.agents.offline.statements import statement
from viva.agents.offline.text.expressions import expressions
from viva.agents.offline.text.grammar import Token, tag
from viva.agents.offline.text.vocabulary import Vocabulary
from viva.agents.offline.torn import cannot_be_asked_about, example_names
from viva.agents.offline.worth import is_worth_asking, surnames_in
from viva.agents.roles import Progress
from viva.core.records import PLAIN_PATTERNS, Chunk, Document
from viva.core.text.language_detection import detect_language
from viva.core.text.prose import Sentence, sentences

_READ_FOR_LANGUAGE = 4000
"""Characters of a document that tell its language."""


def read_facts(
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    progress: Progress | None = None,
    *,
    plain: bool = True,
) -> CorpusFacts:
    """Read the corpus. Time is linear in its words (about 10,000 words per second and core).

    Without `plain` only questions are kept whose wrong options a rule can know to be wrong.
    """
    bank = CorpusFacts(
        titles={document.id: document.title for document in documents},
        languages={document.id: _language(document) for document in documents},
    )
    vocabulary = Vocabulary.of(documents)
    by_id = {document.id: document for document in documents}
    surnames = frozenset(name for d in documents for name in surnames_in(d.text, vocabulary.common))
    examples = example_names(documents)
    seen: set[tuple[str, int]] = set()
    for done, chunk in enumerate(chunks, start=1):
        document = by_id[chunk.document_id]
        # chunks overlap: a sentence belongs to the first chunk that holds it
        bank.facts[chunk.id] = [
            fact
            for found in _facts(bank, document, chunk, vocabulary, examples[document.id], seen)
            if chunk.duplicate_of is None and (fact := _kept(bank, document, found, surnames, plain=plain)).questions
        ]
        if progress:
            progress(done, len(chunks))
    thin_headers(bank)
    return bank


def _kept(
    bank: CorpusFacts, document: Document, fact: StatedFact, surnames: frozenset[str], *, plain: bool
) -> StatedFact:
    if bank.languages[document.id] != "en":
        # the rules of worth are of English words: “Die Reederei” is about nobody's death
        return fact
    asked = (q for q in fact.questions if plain or q.pattern not in PLAIN_PATTERNS)
    return replace(fact, questions=tuple(q for q in asked if is_worth_asking(q, fact.statement, surnames)))


def _facts(
    bank: CorpusFacts,
    document: Document,
    chunk: Chunk,
    vocabulary: Vocabulary,
    examples: frozenset[str],
    seen: set[tuple[str, int]],
) -> Iterable[StatedFact]:
    language = bank.languages[document.id]
    if language == "en" and (document.id, -1) not in seen and chunk.start == _first_character(document):
        seen.add((document.id, -1))
        yield from header_facts(bank, document, chunk)
    for sentence in sentences(document.text, chunk.start, chunk.end):
        if (document.id, sentence.start) in seen:
            continue
        seen.add((document.id, sentence.start))
        if language == "en":
            yield _fact(bank, document, sentence, vocabulary, examples)
        else:
            yield _foreign_fact(bank, document, sentence, language)


def _language(document: Document) -> str:
    """What is too short or too odd to tell is taken for English: no rule of its grammar will fit it."""
    found = detect_language(document.text[:_READ_FOR_LANGUAGE])
    return "en" if found == "und" else found


def _foreign_fact(bank: CorpusFacts, document: Document, sentence: Sentence, language: str) -> StatedFact:
    """A sentence whose grammar is not known here."""
    questions = tuple(cloze(sentence.text, language))
    for question in questions:
        bank.candidate(question.form, question.key, document.id)
    bank.sentence(sentence.text, document.id)
    return StatedFact(sentence.text, sentence.start, sentence.end, questions)


def _fact(
    bank: CorpusFacts, document: Document, sentence: Sentence, vocabulary: Vocabulary, examples: frozenset[str]
) -> StatedFact:
    plain = statement(sentence)
    tokens = tag(plain, vocabulary)
    unfit = plain.illustrates or cannot_be_asked_about(tokens, vocabulary, examples)
    known = vocabulary.definite | named_by_scope(document, sentence.start)
    questions = () if unfit else tuple(proposals(plain.text, tokens, known))
    if not plain.ended:
        questions = tuple(q for q in questions if q.pattern not in PLAIN_PATTERNS)
    for expression in expressions(plain.text, tokens):
        bank.candidate(expression.form, expression.text, document.id)
    for question in questions:
        bank.candidate(question.form, question.key, document.id)
    for form, text in () if unfit else left_out(plain.text, tokens, known):
        bank.candidate(form, text, document.id)
    bank.sentence(plain.text, document.id)
    return StatedFact(plain.text, plain.start, plain.end, questions)


def _first_character(document: Document) -> int:
    return len(document.text) - len(document.text.lstrip())


def left_out(text: str, tokens: Sequence[Token], known: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """(form, text) of what may stand beside a key: how a sentence closes and, if it stands alone, its predicate."""
    tokens = _unended(tokens)
    closing = closing_phrase(text, tokens)
    said = predicate(text, tokens) if stands_alone(text, tokens, known) else None
    return [(each.form, each.text) for each in (closing, said) if each is not None]


def proposals(text: str, tokens: Sequence[Token], known: frozenset[str] = frozenset()) -> list[Proposal]:
    """All questions this sentence allows, values first; none for a sentence that leans on others."""
    tokens = _unended(tokens)
    if not stands_alone(text, tokens, known):
        return []
    found = (*values(text, tokens), *predicates(text, tokens), *closings(text, tokens))
    return sorted(filter(presentable, found), key=lambda p: (-p.quality, p.stem))


def _unended(tokens: Sequence[Token]) -> Sequence[Token]:
    return tokens[:-1] if tokens and tokens[-1].text in {".", "!"} else tokens
