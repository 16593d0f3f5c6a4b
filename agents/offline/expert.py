"""Offline expert answerer: finds the sentence a stem asks about and reads the answer off it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise

from viva.agents.offline.bank import CODED, DEFINED, MEANING, STATEMENT, Bank
from viva.agents.offline.bank_building import defined_by, says_what_it_is
from viva.agents.offline.coded_names import code_in, coded
from viva.agents.offline.entries import entries
from viva.agents.offline.expressions import expressions
from viva.agents.offline.glossary import Definition, one_statement
from viva.agents.offline.grammar import capitalised, tag, text_of
from viva.agents.offline.header import header_fields
from viva.agents.offline.patterns import first_statement
from viva.agents.offline.prose import Sentence, sentences
from viva.agents.offline.scope import scope_of
from viva.agents.offline.statements import statement
from viva.agents.offline.vocabulary import Vocabulary
from viva.agents.offline.words import content_words, stemmed
from viva.agents.roles import Source
from viva.core.records import ExpertAnswer, Span, Verdict

_WORD = re.compile(r"[\w.'’()-]+")
_BLANKED = re.compile(r"[“„«]\s?([^“„«]*)____([^“”»]*)[”“»]")
_ARTICLES = frozenset({"a", "an", "the"})
_COPULAS = frozenset({"is", "are", "was", "were"})
_AUXILIARIES = _COPULAS | frozenset("do does doe did has have had can may must should will".split())
_ASKING = frozenset("what which who when where why how in on at for to by under since within".split())
_QUOTED = re.compile(r"“([^”]+)”\?$")
_NOTHING = (0.0, "", 0, 0, "")
_SAID = 0.8
"""Share of a stem that a definition must say for its term to be the answer."""
_TERM = 6
"""'What is X?' asks for what X is where X is so short a term; else a participle follows."""


class OfflineExpert:
    """Answers from the chunk alone; has seen neither key nor options."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    async def answer(
        self,
        stem: str,
        answer_form: str,
        source: Source,
        dispute: Verdict | None = None,  # noqa: ARG002 - it reads as it read before: it has no second opinion
    ) -> ExpertAnswer | None:
        """The words of the best-matching sentence that answer the stem; None where no sentence matches."""
        if answer_form.startswith("field:"):
            return _field(stem, source)
        if answer_form == DEFINED:
            return self._term(stem, source)
        if answer_form == MEANING:
            return _meaning(stem, source)
        if answer_form == STATEMENT:
            return _claims(source)
        if answer_form == CODED:
            return _name_of(stem, source)
        filled = _filled(stem, source)
        if filled is not None:
            return filled
        question = _without_scope(stem, source)
        asked = content_words(question)
        order = _order(question)
        whole = [statement(s, source.document.title) for s in _sentences(source)]
        covered = {s.start: self._covered(asked, s.text) for s in whole}
        most = max(covered.values(), default=0.0)
        if most < 0.5:
            return None
        best = max(
            _readings([s for s in whole if covered[s.start] == most]),
            key=lambda s: (
                self._covered(asked, s.text),
                len(order & _order(s.text)) + _defines(answer_form, s.text),
                -len(s.text),
                -s.start,
            ),
        )
        text = _typed(question, answer_form, best) or _remainder(question, best.text)
        return _read_at(source, best.start, best.end, text, best.text) if text else None

    def _term(self, stem: str, source: Source) -> ExpertAnswer | None:
        """The term of the chunk's definition that says most of what the stem says."""
        quoted = _QUOTED.search(stem[len(stem) - len(_without_scope(stem, source)) :])
        asked = content_words(quoted[1] if quoted else _without_scope(stem, source))
        read = [
            (self._covered(asked, definition.meaning), definition.term, start, end, reference)
            for definition, start, end, reference in _definitions(source)
        ]
        said, term, start, end, reference = max(read, key=lambda one: (one[0], -one[2]), default=_NOTHING)
        return _read_at(source, start, end, capitalised(term), reference) if said > _SAID else None

    def _covered(self, asked: Sequence[str], sentence: str) -> float:
        """Share of the stem's words, weighted by how telling they are, that the sentence holds."""
        total = sum(self._bank.weight(word) for word in asked)
        held = set(content_words(sentence))
        return sum(self._bank.weight(word) for word in asked if word in held) / total if total else 0.0


def _without_scope(stem: str, source: Source) -> str:
    """The question itself: 'In PEP 205 (Weak References), what ...?' asks 'what ...?'."""
    for scope in (f"In the context of {scope_of(source.document.title)}", f"In {scope_of(source.document.title)}"):
        if stem.startswith(scope):
            return stem[len(scope) :].lstrip(",: ")
    return stem


def _readings(whole: Sequence[Sentence]) -> list[Sentence]:
    """Each sentence whole, and its first statement alone: the shorter of two that say as much is read."""
    found = []
    for plain in whole:
        first = first_statement(plain.text, tag(plain))
        found += [plain] if first == plain.text else [plain, replace(plain, text=first, code=())]
    return found


def _defines(form: str, text: str) -> bool:
    """Whether a sentence says what something is in the form asked for: 'is a ...', not 'is treated with ...'."""
    kind, _, opening = form.partition(":")
    return kind == "definition" and bool(re.search(rf"\b(?:is|are) {re.escape(opening)}\b", text, re.IGNORECASE))


def _order(text: str) -> frozenset[tuple[str, str]]:
    """Which word follows which, as a statement would say it: 'What is bile?' has ('', 'bile'), ('bile', 'is')."""
    return frozenset(pairwise(["", *_declared([w for w in _WORD.findall(text) if w.lower() not in _ARTICLES])]))


def _declared(words: Sequence[str]) -> list[str]:
    """A question's words in the order of a statement, as far as it is plain: 'What is bile?' has 'bile is'."""
    bare = [stemmed(word.lower()) for word in words]
    at = next((n for n, word in enumerate(bare[:5]) if word in _AUXILIARIES), None)
    if not bare or bare[0] not in _ASKING or at is None:
        return bare
    after = bare[at + 1 :]
    return [*after, bare[at]] if bare[at] in _COPULAS and len(after) <= _TERM else after


def _definitions(source: Source) -> Iterator[tuple[Definition, int, int, str]]:
    """What the chunk defines, in its prose and in its lists, with the place and the words of it."""
    for sentence in _sentences(source):
        plain = statement(sentence, source.document.title)
        definition = defined_by(sentence, plain, Vocabulary())
        if definition:
            yield definition, sentence.start, sentence.end, plain.text
    for entry in entries(source.document.text):
        if source.chunk.start <= entry.start and entry.end <= source.chunk.end:
            yield entry.definition, entry.start, entry.end, entry.statement


def _meaning(stem: str, source: Source) -> ExpertAnswer | None:
    """What the chunk first says plainly that the term of the stem is."""
    for sentence in _sentences(source):
        plain = statement(sentence, source.document.title)
        found = defined_by(sentence, plain, Vocabulary())
        # a term that opens the sentence may be a name
        if found and says_what_it_is(sentence, found) and found.question.casefold() == stem.casefold():
            return _read_at(source, sentence.start, sentence.end, capitalised(found.meaning), plain.text)
    return None


def _sentences(source: Source) -> list[Sentence]:
    return sentences(source.document.text, source.chunk.start, source.chunk.end)


def _read_at(source: Source, start: int, end: int, text: str, reference: str) -> ExpertAnswer:
    """The answer with the sentence that decided it, where it stands."""
    quote = source.document.text[start:end]
    span = Span(document_id=source.document.id, start=start, end=end, quote=quote)
    return ExpertAnswer(text=text, reference=reference, evidence=(span,))


def _field(stem: str, source: Source) -> ExpertAnswer | None:
    asked = set(content_words(stem)) - set(content_words(source.document.title))
    named = [entry for entry in header_fields(source.document) if set(content_words(entry.name)) <= asked]
    if len(named) != 1:
        return None
    return _read_at(source, named[0].start, named[0].end, named[0].value, f"{named[0].name}: {named[0].value}")


def _claims(source: Source) -> ExpertAnswer | None:
    """Asked which statement is correct, without the statements: every one that the source makes, a line each."""
    made = [statement(s, source.document.title) for s in _sentences(source)]
    if not made:
        return None
    text = "\n".join(said for plain in made for said in dict.fromkeys((plain.text, _first_said(plain))))
    return _read_at(source, made[0].start, made[-1].end, text, text)


def _first_said(plain: Sentence) -> str:
    """The sentence without what follows its first statement: ', and it is ...'."""
    return f"{text_of(plain.text, one_statement(tag(plain)))}."


def _name_of(stem: str, source: Source) -> ExpertAnswer | None:
    """The name that the chunk gives a code."""
    asked = code_in(stem)
    inside = source.chunk.start, source.chunk.end
    for code, name, start, end in coded(source.document.text):
        if code == asked and inside[0] <= start and end <= inside[1]:
            return _read_at(source, start, end, name, f"{code}: {name}")
    return None


def _filled(stem: str, source: Source) -> ExpertAnswer | None:
    """What stands in a sentence where the stem leaves a blank in it."""
    quoted = _BLANKED.search(stem)
    if quoted is None:
        return None
    before, after = (part.strip(" .") for part in quoted.groups())
    for plain in (statement(s, source.document.title) for s in _sentences(source)):
        text = plain.text.strip(" .")
        if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
            said = text[len(before) : len(text) - len(after)].strip()
            return _read_at(source, plain.start, plain.end, said, plain.text)
    return None


def _typed(stem: str, form: str, sentence: Sentence) -> str | None:
    if form == "number":
        return _counted(sentence)
    wanted = form.replace("interval:", "quantity:")
    if wanted.split(":")[0] not in {"quantity", "money", "time", "date", "version", "id", "code"}:
        return None
    found = [e.text for e in expressions(sentence.text, tag(sentence)) if e.form == wanted]
    fresh = [text for text in found if text.lower() not in stem.lower()]
    return fresh[0] if fresh else None


def _counted(sentence: Sentence) -> str | None:
    """The number that a sentence gives, if it gives one: 'There are three kinds: a, b and c.'"""
    numbers = [token.text.lower() for token in tag(sentence) if token.tag == "CRD"]
    return numbers[0] if len(numbers) == 1 else None


def _remainder(stem: str, sentence: str) -> str | None:
    """The longest stretch of the sentence that the stem does not repeat, each word of the stem counted once."""
    words = sentence.rstrip(".!").split()
    said = [stemmed(word.strip(".,;:'\"“”").lower()) for word in words]
    asked = _declared(_WORD.findall(stem))
    blocks = SequenceMatcher(None, asked, said, autojunk=False).get_matching_blocks()
    ends = [(0, 0), *((block.b, block.b + block.size) for block in blocks)]
    stretches = [words[before[1] : after[0]] for before, after in pairwise(ends)]
    longest = max(stretches, key=len, default=[])
    while longest and stemmed(longest[0].lower()) in _AUXILIARIES:
        longest = longest[1:]
    return " ".join(longest) or None
