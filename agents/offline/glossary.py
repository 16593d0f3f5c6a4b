"""The corpus's glossary: which term is defined by which words, 'biofeedback' by 'a technique that uses ...'.

A definition asked for its term makes the surest item of prose: every option is a term of the corpus, of one sort, and
defined there by other words (docs/decisions/0012).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from viva.agents.offline import leaning
from viva.agents.offline.genus import HAPPENING, QUOTED
from viva.agents.offline.grammar import FINITE, NOUN, Token, is_plural, text_of, uncapitalised
from viva.agents.offline.likeness import is_person
from viva.agents.offline.meanings import ARTICLES, EVALUATIVE, genus_of, is_checkable, tells

_IN_TERM = NOUN | {"AJ0", "VVG", "VVN", "CRD", "POS", "PRF"}
_LONGEST_TERM = 5
_FEWEST_WORDS, _MOST_WORDS = 6, 36
_LONGEST_SENTENCE = 120
_PERSONS = frozenset(
    "captain pilot engineer writer slayer czar inventor founder philosopher judge actor singer painter leader"
    " contractor programmer professor lawyer soldier".split()
)
_FULL_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z]\.)*(?: [A-Z][a-z]+)+$")
"""Who 'Ada Brannoch', a pilot, is, is not asked as the name of a thing."""
_NOT_TERMS = frozenset(
    "it this that these those there they he she we you i one which what who everyone someone people here such both"
    " all many most some several another other others each every any no none goal purpose result reason cause"
    " problem issue example idea difference question answer following aim advantage disadvantage benefit author"
    " researcher study therapist client patient child student participant person user attacker application"
    " developer company approach process method technique system type form kind treatment symptom diagnosis"
    " outlook prognosis condition disorder disease test case part role name term word step section chapter function"
    " value argument module class code file option solution proposal version change feature implementation point"
    " rest way fact time year day rationale motivation intent intention alternative default component".split()
)
_LABELS = frozenset(
    "figure table scenario definition description example note rule purpose vulnerability threat issue pattern step"
    " foreword assertion impact action risk summary question answer goal source people research project".split()
)
_EARLIEST = 5
"""A second statement, or an aside, begins no sooner."""
_SECOND = frozenset("once provides has can includes including it they is are the this there he she its".split())
_DEFINING = frozenset("is are refers refer occurs occur happens happen".split())
_NAMING = (["called"], ["termed"], ["known", "as"], ["referred", "to", "as"])
_COMMONLY = frozenset("also commonly often sometimes usually generally collectively together".split())
_TERM_FOR = re.compile(
    r"^an? (?:\w+ )?(?:term|name|word) (?:that |which )?(?:used to (?:describe|refer to)|used for|refers to|describes"
    r"|for|given to) "
)


@dataclass(frozen=True)
class Definition:
    """`term` is what a sentence says `meaning` of; `genus` is the noun it is sorted under, lower case."""

    term: str
    meaning: str
    genus: str
    plural: bool
    named: bool
    """whether the term is a name or an identifier"""
    telling: bool
    """whether the meaning says enough, and does not give the term away: else it can only be told from others"""
    article: str = ""
    """with which the term stands, 'the' in 'the Asch effect'; "" for none"""

    @property
    def question(self) -> str:
        """The question that the meaning answers."""
        return f"What {'are' if self.plural else 'is'} {f'{self.article} {self.term}'.strip()}?"

    @property
    def stem(self) -> str:
        """The question that the term answers."""
        if self.genus == HAPPENING:
            return f"What is it called when {self.meaning}?"
        if self.genus == QUOTED:
            return f"Which term is explained by these words: “{self.meaning}”?"
        one = re.match(r"(?:an?|the) ", self.meaning)
        if self.named and one:
            return f"What is the name of the {self.meaning[one.end() :]}?"
        return f"What is the term for {self.meaning}?"


def definition_in(text: str, tokens: Sequence[Token]) -> Definition | None:
    """The definition that a statement makes, or None where it is not plainly one. English only."""
    if len(tokens) > _LONGEST_SENTENCE:
        return None
    tokens = one_statement(tokens)
    verb = next((n for n, t in enumerate(tokens[:24]) if t.text in _DEFINING), None)
    if not verb or verb + 2 >= len(tokens):
        return None
    for read in (_said_to_be, _happening, _called):
        found = read(text, tokens, verb)
        if found is not None:
            return found
    return None


def glossed(text: str, tokens: Sequence[Token]) -> Definition | None:
    """The definition in an entry of a list, 'Caching: The concept that data is stored so that ...'."""
    if len(tokens) > _LONGEST_SENTENCE:
        return None
    colon = next((n for n, t in enumerate(tokens[:7]) if t.text in {":", "–", "—"}), None)
    if not colon or colon + 2 >= len(tokens) or tokens[colon + 1].text not in {"A", "An", "The"}:
        return None
    ended = tokens[:-1] if tokens[-1].text == "." else tokens
    first = replace(ended[colon + 1], text=ended[colon + 1].text.lower())
    found = _definition(text, ended[:colon], (first, *ended[colon + 2 :]))
    return replace(found, meaning=found.meaning[0].lower() + found.meaning[1:]) if found else None


def one_statement(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without the full stop, empty brackets, and what follows the first statement: ', and it is affected by ...'."""
    ended = [t for t in tokens if t.text not in {"(", ")"}] if _is_emptied(tokens) else list(tokens)
    ended = ended[:-1] if ended and ended[-1].text in {".", "!"} else ended
    cut = next((n for n in range(_EARLIEST, len(ended) - 2) if _begins_second(ended, n)), len(ended))
    return ended[:cut]


def _is_emptied(tokens: Sequence[Token]) -> bool:
    """Whether brackets were left empty, as where a citation was taken out: they say nothing."""
    inside = [n for n, t in enumerate(tokens) if t.text == "("]
    return bool(inside) and all(n + 1 < len(tokens) and tokens[n + 1].text == ")" for n in inside)


def _begins_second(tokens: Sequence[Token], n: int) -> bool:
    first, second, third = (t.text for t in tokens[n : n + 3])
    if first == "," and second in {"and", "but", "so"}:
        return third in _SECOND
    return first in {"—", "–"} or (first == "such" and second == "as")


def _said_to_be(text: str, tokens: Sequence[Token], verb: int) -> Definition | None:
    """'Biofeedback is a technique that ...', 'Coping refers to efforts that ...'"""
    word, after = tokens[verb].text, tokens[verb + 1]
    refers = word.startswith("refer")
    if word.startswith(("occur", "happen")) or (refers and after.text != "to"):
        return None
    if not refers and after.tag == "VVG":
        return None  # 'the project is producing components'
    return _definition(text, tokens[:verb], tokens[verb + 1 + refers :])


def _happening(text: str, tokens: Sequence[Token], verb: int) -> Definition | None:
    """'Retroactive interference happens when ...'"""
    clause = tokens[verb + 2 :]
    bare, article = bare_phrase(tokens[:verb])
    if tokens[verb + 1].text != "when" or not _FEWEST_WORDS <= len(clause) <= _MOST_WORDS:
        return None
    if not is_term(bare, article) or not is_checkable(clause):
        return None
    if not any(t.tag in FINITE for t in clause):
        return None
    term, meaning = uncapitalised(text, bare), text_of(text, clause)
    return Definition(term, meaning, HAPPENING, is_plural(bare), _is_named(bare), tells(term, meaning), article)


def _called(text: str, tokens: Sequence[Token], verb: int) -> Definition | None:
    """'The tendency of an individual to work less hard in a group is known as social loafing'"""
    rest = [t for t in tokens[verb + 1 :] if t.text not in _COMMONLY]
    naming = next((words for words in _NAMING if [t.text for t in rest[: len(words)]] == words), None)
    if naming is None:
        return None
    meaning = (replace(tokens[0], text=tokens[0].text.lower()), *tokens[1:verb])
    found = _definition(text, rest[len(naming) :], meaning)
    return replace(found, meaning=uncapitalised(text, tokens[:verb])) if found else None


def _definition(text: str, subject: Sequence[Token], predicate: Sequence[Token]) -> Definition | None:
    bare, article = bare_phrase(subject)
    if not is_term(bare, article):
        return None
    inner = _TERM_FOR.match(text_of(text, predicate))
    if inner:  # 'a term used to describe people who ...': the people are meant
        predicate = [t for t in predicate if t.start >= predicate[0].start + inner.end()]
    genus = genus_of(predicate)
    if genus is None or not _opens(predicate, plural=is_plural(bare)):
        return None
    term, meaning = uncapitalised(text, bare), text_of(text, predicate)
    whole = _FEWEST_WORDS <= len(predicate) <= _MOST_WORDS and is_checkable(predicate)
    named = _is_named(bare)
    return Definition(
        term,
        meaning,
        genus,
        is_plural(bare),
        named,
        telling=whole and not names_person(term, genus) and tells(term, meaning),
        article=article,
    )


def bare_phrase(subject: Sequence[Token]) -> tuple[Sequence[Token], str]:
    """The noun phrase without its article and adverbs, and the article."""
    kept = [t for t in subject if not (t.tag == "AV0" and t.text.lower() in {"also", "generally"})]
    article = kept[0].text.lower() if kept and kept[0].text.lower() in ARTICLES else ""
    return (kept[1:] if article else kept), article


def _is_named(bare: Sequence[Token]) -> bool:
    return bare[0].code or any(t.tag == "NP0" for t in bare)


def names_person(term: str, genus: str) -> bool:
    """Whether a term is somebody's name: who 'Ada Brannoch', a pilot, is, is no meaning of a term."""
    return _FULL_NAME.match(term) is not None and (genus in _PERSONS or is_person(genus))


def is_term(bare: Sequence[Token], article: str) -> bool:
    """Whether the words name a thing that could stand in a glossary."""
    if not 1 <= len(bare) <= _LONGEST_TERM or bare[-1].tag not in NOUN | {"VVG", "CRD"}:
        return False
    if len(bare) == 1 and re.search(r"(?:ed|able)$|[&\[\]]", bare[0].text):
        return False
    if any(t.tag not in _IN_TERM and not t.code for t in bare) or bare[0].tag in {"PRF", "POS", "CRD"}:
        return False
    if any({t.text.lower(), t.lemma.lower()} & EVALUATIVE for t in bare):
        return False
    low = [t.text.lower() for t in bare]
    if set(low) & _LABELS or len(set(low)) < len(low) or _is_doubled(bare):
        return False
    if any(re.search(r"[–—:#*]|^[A-Z]*\d", t.text) or (t.code and (" " in t.text or len(t.text) < 3)) for t in bare):
        return False
    single = len(bare) == 1
    if single and ({bare[0].lemma.lower(), low[0]} & _NOT_TERMS or leaning.is_generic(bare[0])):
        return False
    if bare[0].lemma.lower() in _NOT_TERMS and any(t.tag == "PRF" for t in bare):
        return False  # 'the treatment of scurvy'
    # 'the website': one told of before
    return not (article == "the" and single and not bare[0].code and bare[0].tag != "NP0")


def _is_doubled(bare: Sequence[Token]) -> bool:
    """'HUS Hemolytic uremic syndrome': a heading that lost its line, before what it stands for."""
    first, initials = bare[0].text, "".join(t.text[0] for t in bare[1:]).lower()
    return first.isupper() and len(first) > 1 and initials.startswith(first.lower()[:2])


def _opens(predicate: Sequence[Token], *, plural: bool) -> bool:
    """Whether what follows is a noun phrase of the term's number, which sorts it without ranking it."""
    first = predicate[0]
    if first.tag == "VVG":
        return not plural
    if plural:
        return first.text.lower() not in ARTICLES and first.tag in {"AJ0", "NN2", "NN1"}
    return first.text.lower() in ARTICLES and predicate[1].tag not in {"AJS", "ORD", "CRD"}
