"""What all question patterns share: what they read, what they propose, when a sentence is fit to be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from viva.agents.offline import leaning
from viva.agents.offline.grammar import FINITE, FINITE_BE, NOUN, Clause, Token, clause, is_noun_phrase
from viva.core.records import BloomLevel, QuestionType

_SUBORDINATORS = frozenset(
    "that which who whose where when if unless because while before after until as than whether since"
    " once so how what whenever wherever although though".split()
)
_COUNTABLE = frozenset(
    "server client user browser attacker application developer system function method institution reviewer"
    " organization".split()
)
_TRANSPARENT = {"AV0", "XX0"}


@dataclass(frozen=True)
class Reading:
    """A tagged statement without its full stop. `known`: nouns that the question's scope makes definite."""

    text: str
    tokens: tuple[Token, ...]
    known: frozenset[str] = frozenset()

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
    prose = text
    for token in tokens:
        if token.code:
            prose = prose.replace(token.text, "X")
    if re.search(
        r"https?:|www\.|@|[?{}|<>\[\]=]|\.\.\.|…|--|(?<!\d)[:;]|[:;](?!\d)|\s[-–—]\s|—|[a-z]\.[A-Z][a-z]|[\"“”*]|\bNOT\b|'\s|\s'",
        prose,
    ):
        return False
    return not any(token.text in {"(", ")", "/", "\\"} for token in tokens)


def presentable(proposal: Proposal) -> bool:
    """Whether the question is of readable length, does not speak of the document, and does not give its key away."""
    words = proposal.stem.split()
    if not 4 <= len(words) <= 36 or leaning.mentions_place_in_document(f"{proposal.stem} {proposal.key}"):
        return False
    if re.search(r"\b(\w+) \1\b|\b(?:and|or|but|the|a|an)\?$|\(\s*\)\s*\w*\($", proposal.stem):
        return False
    if proposal.key.count("(") != proposal.key.count(")"):
        return False
    key_words = proposal.key.split()
    if len(key_words) > 20 or key_words[-1].lower() in {"and", "or", "of", "the", "a", "to", "not"}:
        return False
    return proposal.key.lower() not in proposal.stem.lower()


def plain_clause(reading: Reading, tokens: Sequence[Token]) -> Clause | None:
    """Subject + predicate with one finite verb outside subordinate clauses, no comma, nothing that leans."""
    tokens = without_comma(tokens)
    body = clause(reading.text, tokens)
    if body is None or not has_only_list_commas(body) or reading.leans(tokens):
        return None
    return body if is_single(body) else None


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
    return all(t.tag in NOUN | {"AJ0", "AT0", "CRD", "PUN"} or t.text == "," for t in members)


def is_single(body: Clause) -> bool:
    """Whether no second predicate is coordinated with the first ('... and is ...')."""
    subordinate = False
    for token in body.predicate[1:]:
        if token.text.lower() in _SUBORDINATORS:
            subordinate = True
        elif token.text in {"and", "but", "or"}:
            subordinate = False
        elif token.tag in FINITE and not subordinate:
            return False
    return not has_coordinated_verb(body.predicate)


def has_coordinated_verb(tokens: Sequence[Token]) -> bool:
    """Whether 'and', 'or', 'but' joins a second verb."""
    return any(
        token.text in {"and", "but", "or"} and any(t.tag in FINITE | {"VVI", "VBI"} for t in tokens[n + 1 : n + 4])
        for n, token in enumerate(tokens)
    )


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


def is_statement_of_fact(body: Clause) -> bool:
    """Whether the predicate asserts something definite (no 'might', 'probably', 'no', 'never')."""
    if leaning.is_vague(body.tokens) or body.predicate[0].text.lower() in {"would", "could", "might"}:
        return False
    return not any(t.tag == "XX0" or t.text.lower() in {"never", "no", "too", "even"} for t in body.predicate)


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


def first_index(tokens: Sequence[Token], words: frozenset[str] | set[str], start: int = 0) -> int | None:
    """Where the first of these words stands."""
    return next((n for n, t in enumerate(tokens) if n >= start and t.text.lower() in words), None)


__all__ = [
    "Pattern",
    "Proposal",
    "Reading",
    "first_index",
    "has_coordinated_verb",
    "has_specific_subject",
    "is_noun_phrase",
    "is_plain",
    "is_single",
    "is_statement_of_fact",
    "plain_clause",
    "presentable",
    "starts_participle",
    "without_comma",
]
