"""Terms that the corpus defines, each with the noun it is defined by: what another term is a wrong answer beside."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.agents.offline.bank import Bank, Candidate
from viva.agents.offline.likeness import head_word

_ASKED_FOR = re.compile(r"[Ww]hat (?:is|are) (?:the (?:term|name) (?:for|of) )?(.+?)(?: called)?\?$")
_DEFINED = re.compile(r"\b[Ww]hat (?:is|are) (.+)\?$")


def sort_asked_for(stem: str) -> str:
    """The noun by which a stem defines the term it asks for: 'tube' of 'the term for a thin tube that ...'."""
    asked = _ASKED_FOR.search(stem)
    return head_word(asked.group(1)) if asked else ""


def defined_terms(bank: Bank) -> Iterator[tuple[Candidate, str]]:
    """What the corpus defines, with the noun it defines it by: 'a biopsy' of 'What is a biopsy?', 'procedure'."""
    number = {text: n for n, text in enumerate(bank.sentences)}
    document = {n: document_id for document_id, numbers in bank.sentences_of.items() for n in numbers}
    for fact in (fact for facts in bank.facts.values() for fact in facts):
        for question in fact.questions:
            if fact.statement not in number:
                continue
            n = number[fact.statement]
            defined = _DEFINED.search(question.stem) if question.form.startswith("definition") else None
            if defined:
                term = defined.group(1)[:1].upper() + defined.group(1)[1:]
                yield Candidate(term, document[n], n), head_word(question.key)
            elif question.form == "term":
                yield Candidate(question.key, document[n], n), sort_asked_for(question.stem)
