"""What all question patterns share: what they read, what they propose, when a sentence is fit to be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.grammar import FINITE, FINITE_BE, NOUN, Clause, Token, clause, is_noun_phrase
from viva.core.records import BloomLevel, QuestionType

_SUBORDINATORS = frozenset(
    "that which who whose where when if unless because while before after until as than whether since"
    " once so how what whenever wherever although though".split()
)
_RELEASES = frozenset({"version", "release", "Version", "Release"})
_YEAR = re.compile(r"^(?:1[5-9]|20)\d\ds?$")
_IN_MEMBER = NOUN | {"AJ0", "AT0", "CRD", "PUN"}
_IN_LONG_LIST = frozenset({"PRF", "PRP", "VVG", "VVN", "POS", "AV0", "AJC"})
_COUNTABLE = frozenset(
    "server client user browser attacker application developer system function method institution reviewer"
    " organization".split()
)
_TRANSPARENT = {"AV0", "XX0"}
# 'the disorder' is a name for what was told of before
_MEASURES = frozenset("level rate amount number degree size limit".split())
"""'low levels': of what, another sentence says."""
_SHARES = frozenset("portion majority minority proportion".split())
"""'a significant portion of the studies' names none of them."""
_KINDS = frozenset(
    "disorder disease condition symptom illness need appraisal vulnerability attack problem diagnosis portion".split()
)
_PAST = frozenset({"VVD", "VBD", "VHD", "VDD"})
# with these a sentence says itself that there is more to tell, or that it does not always hold
_HEDGES = frozenset(
    "also often sometimes occasionally frequently rarely partly especially particularly mainly again still instead"
    " too additionally largely arguably ideally only being".split()
)
# many do many things: 'What do researchers study?' has no one answer
_PEOPLE = frozenset(
    "people person individual human man woman child boy girl adult adolescent parent family friend student"
    " participant"
    " subject patient researcher scientist psychologist psychiatrist therapist doctor physician provider"
    " clinician nurse"
    " user developer programmer attacker customer employee worker employer manager team group company organization"
    " organisation vendor member observer author everyone everybody someone somebody anyone anybody infant baby"
    " teenager teacher professor instructor executive judge juror client expert professional specialist surgeon"
    " maintainer contributor reader implementer study"
    " research evidence survey test experiment scholar critic".split()
)


@dataclass(frozen=True)
class Reading:
    """A tagged statement without its full stop. `known`: nouns that the question's scope makes definite."""

    text: str
    tokens: tuple[Token, ...]
    known: frozenset[str] = frozenset()
    unique: frozenset[str] | None = None
    """those of them of which there is but one; None: all"""

    def is_contextual(self, subject: Sequence[Token]) -> bool:
        """Whether a subject is 'the' and a noun of which there are many: 'the website', one told of before."""
        words = [t for t in subject if t.tag != "AV0"]
        numbered = len(words) == 2 and words[0].text.lower() in {"each", "every"} and words[1].tag == "NN1"
        if numbered and words[1].lemma.lower() not in _PEOPLE | {"passenger", "vessel"}:
            return True  # 'each gauge': of which set, another sentence says
        if any(t.lemma.lower() in _SHARES for t in words):
            return True
        if words[-1].lemma.lower() in _MEASURES and all(t.tag in {"AJ0", "AT0"} for t in words[:-1]):
            return True
        if self.unique is None or len(words) != 2 or words[0].text.lower() != "the" or words[1].code:
            return False
        noun = words[1].lemma.lower()
        if noun in _KINDS or leaning.is_generic(words[1]):
            return True
        return words[1].tag == "NN1" and noun not in self.unique and not leaning.is_known_definite(noun)

    def leans(self, tokens: Sequence[Token]) -> bool:
        """Whether some of these words can only be understood from outside the sentence."""
        return leaning.leans(tokens, self.known)


@dataclass(frozen=True)
class Proposal:
    """A question that a sentence allows. `quality` in (0, 1]: the pattern's usual standing with teachers."""

    stem: str
    key: str
    form: str
    question_type: QuestionType
    bloom: BloomLevel
    pattern: str
    quality: float


Pattern = Callable[[Reading], Iterator[Proposal]]


def is_plain(reading: Reading) -> bool:
    """Whether the statement is one plain sentence of fitting length that opens without pointing back."""
    text, tokens = reading.text, reading.tokens
    if not 5 <= len(tokens) <= 34 or leaning.leans_at_start(tokens):
        return False
    if any(a.tag == b.tag == "CRD" and (a.text + b.text).isdigit() for a, b in pairwise(tokens)):
        return False  # '5 50 years': a range that lost its dash
    prose = text
    for token in tokens:
        if token.code:
            prose = prose.replace(token.text, "X")
    if re.search(
        r"https?:|www\.|@|[?{}|<>\[\]=→⇒•§©®]|\.\.\.|…|--|(?<!\d)[:;]|[:;](?!\d)|\s[-–—]\s|—|[a-z]\.[A-Z][a-z]"
        r"|[\"“”‘*]|\bNOT\b|'\s|\s'|[a-z)]\.\d|,[A-Za-z]",
        prose,
    ):
        return False
    return not any(token.text in {"(", ")", "/", "\\"} for token in tokens)


def plain_clause(reading: Reading, tokens: Sequence[Token], *, single: bool = True) -> Clause | None:
    """Subject + predicate with one finite verb outside subordinate clauses, no comma, nothing that leans."""
    tokens = without_comma(tokens)
    body = clause(reading.text, tokens)
    if body is None or not has_only_list_commas(body) or reading.leans(tokens):
        return None
    if _tells_an_episode(body) or reading.is_contextual(body.subject):
        return None
    return body if not single or is_single(body) else None


def _tells_an_episode(body: Clause) -> bool:
    """'The students were paid': a past event with neither name nor date was introduced by sentences before it."""
    if body.tokens[body.verb].tag not in _PAST:
        return False
    return not any(t.code or t.tag == "NP0" or _YEAR.match(t.text) or t.text in _RELEASES for t in body.tokens)


def has_only_list_commas(body: Clause) -> bool:
    """Whether all commas only separate the members of a list of nouns ('a, b and c')."""
    commas = [n for n, t in enumerate(body.tokens) if t.text == ","]
    if not commas:
        return True
    joint = next((n for n, t in enumerate(body.tokens) if n > commas[-1] and t.text in {"and", "or"}), None)
    if joint is None or commas[0] <= body.verb or joint - commas[-1] > 4:
        return False
    if len(commas) == 1 and joint == commas[0] + 1:
        return False  # ', and' joins two clauses unless an earlier comma has begun a list
    members = body.tokens[commas[0] : joint]
    # with one comma, a participle or preposition after it more likely opens an aside than a member
    fitting = _IN_MEMBER | (_IN_LONG_LIST if len(commas) > 1 else frozenset())
    return all(t.tag in fitting or t.text == "," for t in members)


def is_single(body: Clause) -> bool:
    """Whether no second predicate is coordinated with the first ('... and is ...')."""
    subordinate = begun = False
    for token in body.predicate[1:]:
        if token.text.lower() in _SUBORDINATORS:
            subordinate, begun = True, False
        elif token.text in {"and", "but", "or"}:
            # 'in which a witness or bystander does not ...': the clause's verb is still to come
            subordinate = subordinate and not begun
        elif token.tag in FINITE:
            if not subordinate:
                return False
            begun = True
    return not has_coordinated_verb(body.predicate)


def has_coordinated_verb(tokens: Sequence[Token]) -> bool:
    """Whether 'and', 'or', 'but' joins a second verb."""
    for n, token in enumerate(tokens):
        if token.text in {"and", "but", "or"}:
            after = next((t for t in tokens[n + 1 :] if t.tag not in _TRANSPARENT), None)
            if after is not None and after.tag in FINITE | {"VVI", "VBI", "VHI"}:
                return True
    return False


def has_specific_subject(reading: Reading, body: Clause) -> bool:
    """Whether the subject says what it is: a name, an identifier, a compound noun, a noun of the scope."""
    subject = [t for t in body.subject if t.tag != "AV0"]
    if any(t.code or t.tag == "NP0" for t in subject):
        return True
    if any(_says_which(t, reading.known) for t in subject):
        return True
    content = [t for t in subject if t.tag in NOUN | {"AJ0", "VVN", "CRD"}]
    if len(subject) == 1 and subject[0].lemma.lower() in _COUNTABLE:
        return False  # "server generates": a note, not a sentence
    if any(leaning.is_generic(t) for t in subject if t.tag in NOUN) and len(content) < 3:
        return False
    return len(content) >= 2


def _says_which(noun: Token, known: frozenset[str]) -> bool:
    word = noun.lemma.lower()
    return word in known and not leaning.is_generic(noun) and word not in _COUNTABLE


def is_qualified(body: Clause) -> bool:
    """Whether a word such as 'also' or 'sometimes' says that there is more to tell."""
    return any(t.text.lower() in _HEDGES for t in body.tokens)


def starts_participle(body: Clause) -> bool:
    """Whether a form of 'be' is followed by a participle or adjective (not by a noun phrase)."""
    if body.predicate[0].tag not in FINITE_BE:
        return True
    after = next((t for t in body.predicate[1:] if t.tag not in _TRANSPARENT), None)
    return after is not None and after.tag in {"VVN", "VVD", "VVG", "AJ0", "VBN"}


def without_comma(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The tokens without a comma at their end."""
    tokens = tuple(tokens)
    return tokens[:-1] if tokens and tokens[-1].text == "," else tokens


__all__ = [
    "Pattern",
    "Proposal",
    "Reading",
    "has_coordinated_verb",
    "has_specific_subject",
    "is_noun_phrase",
    "is_plain",
    "is_qualified",
    "is_single",
    "plain_clause",
    "starts_participle",
    "without_comma",
]
