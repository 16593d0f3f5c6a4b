"""Questions that need the whole corpus: statements beside one another, and what codes name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from viva.agents.offline.bank import CODED, MEANING, ON_TERMS, STATEMENT, Bank, Fact
from viva.agents.offline.claims import Claim
from viva.agents.offline.coded_names import CodedName, named_beside, with_one_name
from viva.agents.offline.defined import DefinedTerms
from viva.agents.offline.defined_meanings import DefinedMeanings
from viva.agents.offline.embedding import Embed
from viva.agents.offline.exchanges import Exchanges
from viva.agents.offline.grammar import capitalised
from viva.agents.offline.mentions import EVERYDAY, Mentions
from viva.agents.offline.patterns import Proposal
from viva.agents.offline.spelling import Spelling
from viva.agents.offline.statement_sets import statement_sets
from viva.agents.offline.words import content_words
from viva.core.records import BloomLevel, QuestionType

STATEMENT_QUALITY = 0.9
_SHORT = re.compile(r"\b[A-Z]{2,5}\b")
_FEW, _FEW_DOCUMENTS = 0.04, 3
"""Share of the documents, and number of them, from which on readers of the corpus know an abbreviation."""
_CODED_QUALITY = 0.6
_BESIDE = 3
"""Terms beside a term with which it is asked for, and its sentence stands in no set of statements."""
_OF_ONE_SERIES, _OF_ONE_CHUNK, _PER_OTHER = 12, 3, 1.0
"""Codes of a series and of a chunk that are asked for, and of all of them for each other question, at most."""


def ask_for_statements(bank: Bank, embed: Embed | None) -> None:
    """One fact for each set of statements. No sentence of a set is asked about in any other way.

    A sentence that is only asked for its term may stand in a set: few terms find three others to stand beside them.
    """
    askable = _asked_of_definitions(bank, embed)
    asked = {
        (chunk_id, fact.start)
        for chunk_id, of_chunk in bank.facts.items()
        for fact in of_chunk
        if not _asks_for_term(fact) or _asked(fact.questions[0]) in askable
    }
    exchanged = Exchanges(bank, bank.named, embed).claims() if embed and bank.named else ()
    mentions = Mentions(bank)
    claims = _with_exchanges([_believable(claim, mentions) for claim in bank.claims], exchanged)
    spelling = Spelling(bank)
    fit = (c for c in claims if not _abbreviates(bank, c) and not spelling.is_doubtful(c.text))
    free = [c for c in fit if (c.chunk_id, c.start) not in asked]
    used: set[tuple[str, int]] = set()
    for found in statement_sets(free, bank.titles, embed):
        key = found.key
        bank.opposed[key.text] = found.wrong
        bank.contradicted.update((opposed.turned.text, opposed.claim.text) for opposed in found.wrong)
        kind, level = QuestionType.FACTOID, BloomLevel.UNDERSTAND
        asks = Proposal(found.stem, key.text, STATEMENT, kind, level, STATEMENT, STATEMENT_QUALITY)
        bank.facts[key.chunk_id].append(Fact(key.text, key.start, key.end, (asks,), definite=False))
        used.update((claim.chunk_id, claim.start) for claim in found.claims)
    for chunk_id, of_chunk in bank.facts.items():
        bank.facts[chunk_id] = [f for f in of_chunk if not _asks_for_term(f) or (chunk_id, f.start) not in used]


def _asked_of_definitions(bank: Bank, embed: Embed | None) -> frozenset[tuple[str, str]]:
    """Stem and key of each question on a definition of prose that has enough wrong options; of several one is kept.

    What a thing is called that can be shown tells less than what it is: of names most are seen to be wrong.
    """
    terms = DefinedTerms(bank, embed) if embed else None
    meanings = DefinedMeanings(bank, terms) if terms else None
    askable: set[tuple[str, str]] = set()
    for n, entry in enumerate(bank.defined):
        what = entry.definition
        if terms and meanings and entry.place is None and what.telling:
            if len(meanings.beside(n)) >= _BESIDE:
                askable.add((what.question, capitalised(what.meaning)))
            if len(terms.beside(n)) >= _BESIDE:
                askable.add((what.stem, capitalised(what.term)))
    for chunk_id, of_chunk in bank.facts.items():
        kept = (replace(fact, questions=_one_of(fact.questions, askable)) for fact in of_chunk)
        bank.facts[chunk_id] = [fact for fact in kept if fact.questions]
    return frozenset(askable)


def _asked(question: Proposal) -> tuple[str, str]:
    return question.stem, question.key


def _one_of(questions: tuple[Proposal, ...], askable: Set[tuple[str, str]]) -> tuple[Proposal, ...]:
    """Of the questions on a definition the one that can be asked, what a term means before the term."""
    meaning = [q for q in questions if q.form == MEANING and _asked(q) in askable]
    return tuple(q for q in questions if (q in meaning if meaning and q.form in ON_TERMS else q.form != MEANING))


def _abbreviates(bank: Bank, claim: Claim) -> bool:
    """Whether it uses an abbreviation of few documents: who has not read where it is spelt out cannot tell."""
    least = max(_FEW_DOCUMENTS, int(_FEW * len(bank.titles)))
    short = set(_SHORT.findall(claim.text)) - set(_SHORT.findall(bank.titles[claim.document_id]))
    return any(len(_documents_with(bank, word)) < least for word in sorted(short))


def _documents_with(bank: Bank, word: str) -> set[str]:
    return {bank.document_of[n] for folded in content_words(word)[:1] for n in bank.postings.get(folded, ())}


def _believable(claim: Claim, mentions: Mentions) -> Claim:
    """The claim without contraries that nobody believes: 'Corticosteroids increase swelling', of all drugs.

    What is said of people, or compared, is not so plain.
    """
    turned = tuple(one for one in claim.turned if not _is_known(claim.text, one.contrast, mentions))
    return claim if turned == claim.turned else replace(claim, turned=turned)


def _is_known(text: str, contrast: str, mentions: Mentions) -> bool:
    """Whether a term of many documents opens the sentence, right before what is exchanged."""
    sides = "|".join(re.escape(side) for side in contrast.split(" / "))
    opening = re.match(rf"(?:(?:The|An?) )?((?:\S+ ){{1,3}}?)(?:{sides})\b", text)
    if opening is None or contrast.startswith("more") or opening[1].endswith("with "):
        return False
    return mentions.is_common(opening[1], EVERYDAY)


def _asks_for_term(fact: Fact) -> bool:
    return all(question.form in ON_TERMS for question in fact.questions)


def ask_for_names(bank: Bank, embed: Embed) -> None:
    """One fact for each code whose name is asked for: of each series as many, those that the corpus uses most."""
    known = with_one_name(bank.coded)
    bank.named_beside.update(named_beside(known, embed))
    asked = [one for one in known if one.code in bank.named_beside]
    asked.sort(key=lambda one: (-_mentions(bank, one.code), one.code))
    most = int(_PER_OTHER * sum(map(len, bank.facts.values())))
    for one in _spread(asked)[:most]:
        kind, level = QuestionType.NAME, BloomLevel.REMEMBER
        asks = Proposal(one.stem, one.name, CODED, kind, level, CODED, _CODED_QUALITY)
        bank.facts[one.chunk_id].append(Fact(one.statement, one.start, one.end, (asks,), definite=False))


def _spread(ranked: Sequence[CodedName]) -> list[CodedName]:
    """A few of each series and of each chunk, the series in turn."""
    of_series: Counter[str] = Counter()
    of_chunk: Counter[str] = Counter()
    kept: list[tuple[int, CodedName]] = []
    for one in ranked:
        if of_series[one.series] < _OF_ONE_SERIES and of_chunk[one.chunk_id] < _OF_ONE_CHUNK:
            of_chunk[one.chunk_id] += 1
            of_series[one.series] += 1
            kept.append((of_series[one.series], one))
    return [one for _, one in sorted(kept, key=lambda entry: entry[0])]


def _mentions(bank: Bank, code: str) -> int:
    """Sentences that hold the code."""
    words = content_words(code)
    return min((len(bank.postings.get(word, ())) for word in words), default=0)


def _with_exchanges(claims: Sequence[Claim], exchanged: Iterable[Claim]) -> list[Claim]:
    """All claims by their text; one of both kinds can be turned in both ways."""
    found = {claim.text: claim for claim in claims}
    for claim in exchanged:
        plain = found.get(claim.text)
        found[claim.text] = replace(claim, turned=(*plain.turned, *claim.turned)) if plain else claim
    return list(found.values())
