"""The corpus's glossary: which term is defined by which words, 'biofeedback' by 'a technique that uses ...'.

A definition asked for its term makes the surest item of prose: every option is a term of the corpus, of one sort, and
defined there by other words (docs/decisions/0012).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from viva.agents.offline import leaning
from viva.agents.offline.genus import DOING, FORM_OF, HAPPENING, QUOTED, UNSORTED
from viva.agents.offline.grammar import FINITE, NOUN, Token, is_plural, text_of, uncapitalised
from viva.agents.offline.likeness import is_person
from viva.agents.offline.words import content_words

_ARTICLES = frozenset({"a", "an", "the"})
_IN_TERM = NOUN | {"AJ0", "VVG", "VVN", "CRD", "POS", "PRF"}
_LONGEST_TERM = 5
_FEWEST_WORDS, _MOST_WORDS = 6, 36
_LONGEST_SENTENCE = 120
_TELLING = 5
"""Content words that a definition must have for it to fit one thing."""
_ROOT = 5
_APART = frozenset(
    "of that which who whose where when in for used by with from caused characterized characterised involving to"
    " containing consisting made designed based between located found marked occurring".split()
)
_AFTER_GENUS = _APART | {"on", "at"}
_ITS_OWN = frozenset("it its they their them itself themselves".split())
_VAGUE = frozenset("various several certain variety numerous something things".split())
_PEOPLE = frozenset("we us our you your one one's one’s".split())
"""Whom a definition may speak of: 'memory aids that help us organize information'."""
_PERSONS = frozenset(
    "captain pilot engineer writer slayer czar inventor founder philosopher judge actor singer painter leader"
    " contractor programmer professor lawyer soldier".split()
)
_FULL_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z]\.)*(?: [A-Z][a-z]+)+$")
"""Who 'Ada Brannoch', a pilot, is, is not asked as the name of a thing."""
_EVALUATIVE = frozenset(
    "good bad nice great common simple bit sign very useful poor better best natural popular special minor"
    " major key reasonable valid important critical essential crucial vital primary main leading powerful effective"
    " valuable frequent second third first fundamental only concern target cornerstone topic alternative choice"
    " candidate challenge risk advantage disadvantage responsibility priority detail new recent modern typical"
    " possible potential serious next last same similar easy hard difficult ideal excellent perfect spiritual"
    " certain particular such another other way result example reason cause problem issue attempt goal idea lot"
    " most more less complication member aspect source subject core bedrock heart standard popular pro pros"
    " mistake reminder job following legendary foundation significant matter question answer thing trend mixture"
    " one".split()
)
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
_DANGLING = frozenset("and or of the a an to in on at by for with from as that which who than is are was be".split())
_DEFINING = frozenset("is are refers refer occurs occur happens happen".split())
_NAMING = (["called"], ["termed"], ["known", "as"], ["referred", "to", "as"])
_COMPARES = frozenset("broader narrower wider other rather instead".split())
_COMMONLY = frozenset("also commonly often sometimes usually generally collectively together".split())
_MARKS = re.compile(r"[()\[\]{}<>=:;“”\"*|…?#—]|https?|e\.g|i\.e")
_TERM_FOR = re.compile(
    r"^an? (?:\w+ )?(?:term|name|word) (?:that |which )?(?:used to (?:describe|refer to)|used for|refers to|describes"
    r"|for|given to) "
)


_ANY_DISORDER = frozenset(
    word
    for each in "rare genetic inherited hereditary chronic progressive neurological disorder disease condition"
    " syndrome affects primarily mainly usually almost exclusively equally males females children infants newborn"
    " girls boys adolescent childhood adults people months old begins develops occurs often age years body group"
    " typically takes long features congenital birth before after first common person women men symptoms different"
    " parts".split()
    for word in content_words(each)
)
"""Words that any illness is defined with: of whom it befalls and when, there are many."""
_DISTINCT = 4


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
    tokens = _one_statement(tokens)
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


def _one_statement(tokens: Sequence[Token]) -> Sequence[Token]:
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
    bare, article = _bare(tokens[:verb])
    if tokens[verb + 1].text != "when" or not _FEWEST_WORDS <= len(clause) <= _MOST_WORDS:
        return None
    if not _is_term(bare, article) or not is_checkable(clause):
        return None
    if not any(t.tag in FINITE for t in clause):
        return None
    term, meaning = uncapitalised(text, bare), text_of(text, clause)
    return Definition(term, meaning, HAPPENING, is_plural(bare), _is_named(bare), tells(term, meaning))


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
    bare, article = _bare(subject)
    if not _is_term(bare, article):
        return None
    inner = _TERM_FOR.match(text_of(text, predicate))
    if inner:  # 'a term used to describe people who ...': the people are meant
        predicate = [t for t in predicate if t.start >= predicate[0].start + inner.end()]
    genus = _genus(predicate)
    if genus is None or not _opens(predicate, plural=is_plural(bare)):
        return None
    term, meaning = uncapitalised(text, bare), text_of(text, predicate)
    whole = _FEWEST_WORDS <= len(predicate) <= _MOST_WORDS and is_checkable(predicate)
    named = _is_named(bare)
    person = bool(_FULL_NAME.match(term) and (genus in _PERSONS or is_person(genus)))
    return Definition(term, meaning, genus, is_plural(bare), named, whole and not person and tells(term, meaning))


def _bare(subject: Sequence[Token]) -> tuple[Sequence[Token], str]:
    """The noun phrase without its article and adverbs, and the article."""
    kept = [t for t in subject if not (t.tag == "AV0" and t.text.lower() in {"also", "generally"})]
    article = kept[0].text.lower() if kept and kept[0].text.lower() in _ARTICLES else ""
    return (kept[1:] if article else kept), article


def _is_named(bare: Sequence[Token]) -> bool:
    return bare[0].code or any(t.tag == "NP0" for t in bare)


def _is_term(bare: Sequence[Token], article: str) -> bool:
    """Whether the words name a thing that could stand in a glossary."""
    if not 1 <= len(bare) <= _LONGEST_TERM or bare[-1].tag not in NOUN | {"VVG", "CRD"}:
        return False
    if len(bare) == 1 and re.search(r"(?:ed|able)$|[&\[\]]", bare[0].text):
        return False
    if any(t.tag not in _IN_TERM and not t.code for t in bare) or bare[0].tag in {"PRF", "POS", "CRD"}:
        return False
    if any({t.text.lower(), t.lemma.lower()} & _EVALUATIVE for t in bare):
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
        return first.text.lower() not in _ARTICLES and first.tag in {"AJ0", "NN2", "NN1"}
    return first.text.lower() in _ARTICLES and predicate[1].tag not in {"AJS", "ORD", "CRD"}


def is_checkable(meaning: Sequence[Token]) -> bool:
    """Whether the words can be understood alone, say something checkable, affirm it, and end where they should."""
    if _leans(meaning):
        return False
    said = {t.text.lower() for t in meaning}
    words = " ".join(t.text for t in meaning)
    if (
        leaning.mentions_place_in_document(words)
        or leaning.is_unsure(meaning)
        or said & _VAGUE
        or meaning[-1].text.lower() in _DANGLING
    ):
        return False
    if said & {"not", "also", "no", "never"} or (said & _COMPARES and "than" not in said):
        return False
    # 'joined in a long': the noun was cut off
    torn = meaning[-1].tag in {"AJ0", "AT0"} and meaning[-2].tag in {"AT0", "AJ0"}
    return not torn and not any(_MARKS.search(t.text) for t in meaning)


def _leans(meaning: Sequence[Token]) -> bool:
    """Whether a word points out of the definition: to people, and to nouns of its own, it may point."""
    kept = [t for n, t in enumerate(meaning) if t.text not in _PEOPLE and not (n > 2 and t.text in _ITS_OWN)]
    return leaning.leans(kept, frozenset(t.lemma.lower() for t in meaning))


def _genus(predicate: Sequence[Token]) -> str | None:
    """The noun before what sets the thing apart; of 'a form of psychotherapy' psychotherapy."""
    if len(predicate) < 3:
        return None
    if predicate[0].tag == "VVG":
        return DOING
    start = 1 if predicate[0].text.lower() in _ARTICLES else 0
    at = next((n for n, _ in enumerate(predicate) if n > start and _ends_genus(predicate, n)), None)
    if at is None or at > 8:
        return None
    opening = predicate[start:at]
    noun = opening[-1]
    if any(t.tag in {"PRP", "PRF", "TO0"} or t.text in {"to", "of"} for t in opening):
        return None  # 'present in the stool'
    if any({t.text.lower(), t.lemma.lower()} & _EVALUATIVE for t in opening) or noun.lemma.lower() in UNSORTED:
        return None
    if noun.lemma.lower() in FORM_OF and predicate[at].text == "of":
        return _genus(predicate[at + 1 :])
    apart = any(t.text.lower() in _APART or t.tag in {"VVN", "VVG"} for t in predicate[at:])
    return noun.lemma.lower() if apart else None


def _ends_genus(tokens: Sequence[Token], n: int) -> bool:
    token = tokens[n]
    ends = token.text.lower() in _AFTER_GENUS or token.tag in {"VVN", "VVG", "PRP", "PRF"} or token.text == ","
    return ends and tokens[n - 1].tag in NOUN


def tells(term: str, meaning: str) -> bool:
    """Whether the meaning says enough, and does not give the term away."""
    said = set(content_words(meaning))
    if len(said) < _TELLING or sum(word not in _ANY_DISORDER for word in said) < _DISTINCT:
        return False
    return not _gives_away(term, meaning)


def _gives_away(term: str, meaning: str) -> bool:
    """Whether term and meaning share a root, or the meaning spells the term's initials."""
    parts = [part for word in content_words(term) for part in re.split(r"[-/]", word)]
    own = {part[:_ROOT] for part in parts if len(part) > 2}
    said = {part[:_ROOT] for word in content_words(meaning) for part in re.split(r"[-/]", word)}
    if not own or own & said:
        return True
    letters = re.sub(r"[^a-z]", "", term.lower())
    short = len(term) <= 6 and sum(letter.isupper() for letter in term) > 1
    return short and set(letters) <= {w[0].lower() for w in re.findall(r"[A-Za-z]+", meaning)}
