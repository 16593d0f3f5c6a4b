"""Reads the corpus into a bank: the facts of every chunk, with the questions they allow and that are worth asking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from viva.agents.offline.cloze import cloze
from viva.agents.offline.corpus_facts import CorpusFacts, StatedFact
from viva.agents.offline.gaps.closings import closing_phrase, closings
from viva.agents.offline.gaps.predicates import predicate, predicates
from viva.agents.offline.gaps.presentable import presentable, stands_alone
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.gaps.values import VALUE, values
from viva.agents.offline.header_questions import header_facts, thin_headers
from viva.agents.offline.scope import is_denied, named_by_scope
from viva.agents.offline.statements import statement
from viva.agents.offline.text.expressions import expressions
from viva.agents.offline.text.grammar import Token, tag
from viva.agents.offline.text.vocabulary import Vocabulary
from viva.agents.offline.torn import cannot_be_asked_about, example_names
from viva.agents.roles import Progress
from viva.core.records import PLAIN_PATTERNS, PREDICATE, Chunk, Document
from viva.core.text.language_detection import detect_language
from viva.core.text.prose import Sentence, sentences
from viva.core.text.words import content_words

_READ_FOR_LANGUAGE = 4000
"""Characters of a document that tell its language."""
_BOILERPLATE = 3
"""Documents from which on a sentence that stands in all of them says nothing of any."""


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
    copied: set[int] = set()
    for done, chunk in enumerate(chunks, start=1):
        document, first = by_id[chunk.document_id], len(bank.sentences)
        # chunks overlap: a sentence belongs to the first chunk that holds it
        bank.facts[chunk.id] = [
            fact
            for found in _facts(bank, document, chunk, vocabulary, examples[document.id], seen)
            if chunk.duplicate_of is None and (fact := _kept(bank, document, found, surnames, plain=plain)).questions
        ]
        if chunk.duplicate_of is not None:
            copied.update(range(first, len(bank.sentences)))
        if progress:
            progress(done, len(chunks))
    _leave_out_repeated(bank, chunks, copied)
    thin_headers(bank)
    return bank


def _leave_out_repeated(bank: CorpusFacts, chunks: Sequence[Chunk], copied: Set[int]) -> None:
    """Ask nothing of boilerplate, and of a sentence that stands in two documents only in the first.

    Sentences are compared without the words of their documents' titles: 'Support groups for ... are listed online'.
    `copied`: numbers of sentences in chunks that repeat another; editions of one text are no boilerplate.
    """
    # a number is a value, though the title has it too
    titles = {
        document_id: frozenset(word for word in content_words(title) if word.isalpha())
        for document_id, title in bank.titles.items()
    }
    standing_in: dict[frozenset[str], dict[str, None]] = {}
    for n, words in enumerate(bank.sentence_words):
        if n not in copied:
            document_id = bank.document_of[n]
            standing_in.setdefault(words - titles[document_id], {})[document_id] = None
    for chunk in chunks:
        own = chunk.document_id
        bank.facts[chunk.id] = [
            fact
            for fact in bank.facts[chunk.id]
            if len(found := standing_in.get(frozenset(content_words(fact.statement)) - titles[own], {own: None}))
            < _BOILERPLATE
            and next(iter(found)) == own
        ]


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
    if questions and is_denied(document, sentence.start):
        questions = ()
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


# --- what is worth asking -----------------------------------------------------------------------------------


_OF_ONE_STUDY = re.compile(
    r"\b(?:stud(?:y|ies)|surveys?|surveyed|trial|participants?|respondents|subjects|et al|found|report(?:ed)?"
    r"|poll(?:ed)?|sampled?)\b",
    re.IGNORECASE,
)
"""What one study found, and of how many people, is a figure of that study."""
_OF_ONE_LIFE = re.compile(
    r"\b(?:diploma|degree|born|marr(?:y|ied)|divorced?|graduated?|die[ds]?|hired?|retired?|aware|\d+-year-old)\b",
    re.IGNORECASE,
)
_FIRST_OF_ALL = re.compile(r"\bthe first (?:\w+ ){1,4}(?:awarded|to) [^”?]*|\bfirst reported\b")
"""'The first woman awarded the doctoral degree': of no one life alone."""
_COUNTS_PEOPLE = re.compile(r"\d .*\b(?:people|persons|participants|patients|men|women|children|babies|students)$")
_ACTOR = re.compile(r"[“,] ?([A-Z][a-z]+) [a-z]")
_OTHER_NUMBERS = 2
_RATIO = re.compile(r"\b(?:\w+ times|twice|half|double|thirds?|the rest)\b", re.IGNORECASE)
"""Beside a share, another ratio of the same thing: '4 times higher' is 80%."""


def is_worth_asking(question: Proposal, statement: str, surnames: Set[str]) -> bool:
    """Whether what is asked for is a fact of the subject, not of one study or one life, and a value the only one.

    `statement`: the sentence asked about. `surnames`: words that stand in full names somewhere in the corpus; alone
    they name nobody.
    """
    if question.pattern not in {VALUE, *PLAIN_PATTERNS}:
        return True
    stem = f"“{statement}”" if question.pattern == PREDICATE else question.stem
    without_first = _FIRST_OF_ALL.sub("", stem)
    if _OF_ONE_STUDY.search(without_first) or _OF_ONE_LIFE.search(without_first):
        return False
    if any(name in surnames for name in _ACTOR.findall(stem)):
        return False
    return question.pattern in PLAIN_PATTERNS or _is_telling(stem, question.key)


def _is_telling(stem: str, value: str) -> bool:
    """Whether a value is the only one that fits: no headcount, no share beside a ratio, one number of few."""
    if _COUNTS_PEOPLE.search(value) or (_RATIO.search(stem) and re.search(r"%|per ?cent", value)):
        return False
    return len(re.findall(r"(?<![\w.-])\d+(?![\w-])", stem)) < _OTHER_NUMBERS


_FULL_NAME = re.compile(r"(?<=[a-z,;:(] )([A-Z][a-z]{2,})(?: [A-Z]\.)* ([A-Z][a-z]{2,})(?=[ ,.;)’'](?! ?[A-Z]))")


def surnames_in(text: str, common: Set[str]) -> set[str]:
    """Both parts of the full names in a text: capitalised pairs of words that are never written small."""
    return {word for pair in _FULL_NAME.findall(text) if not any(w.lower() in common for w in pair) for word in pair}
