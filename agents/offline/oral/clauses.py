"""Plain clauses: subject, finite verb, rest. What cannot be read gives no question rather than a bad one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.agents.offline.text.grammar import FINITE, NOUN, Token

_COLLECTIVE = frozenset("staff crew police pair majority people media data".split())
_IN_SUBJECT = NOUN | {"AT0", "AJ0", "AJC", "AJS", "CRD", "ORD", "PRF", "PRP", "POS", "VVN", "AJ0-VVN", "DT0"}


@dataclass(frozen=True)
class Clause:
    """Subject, finite verb, rest. `tokens[verb]` is the finite verb; the subject is all before it."""

    text: str
    tokens: tuple[Token, ...]
    verb: int

    @property
    def subject(self) -> tuple[Token, ...]:
        return self.tokens[: self.verb]

    @property
    def predicate(self) -> tuple[Token, ...]:
        return self.tokens[self.verb :]


def clause(text: str, tokens: Sequence[Token]) -> Clause | None:
    """The clause these tokens make, or None where they are not plainly subject + finite verb + rest."""
    tokens = tuple(tokens)
    verb = next((n for n, token in enumerate(tokens) if token.tag in FINITE), None)
    if verb is None or verb == 0 or verb > 12 or verb == len(tokens) - 1:
        return None
    subject = tokens[:verb]
    if subject[-1].tag == "AV0" and len(subject) > 1:  # "The parser then returns": the adverb goes with the verb
        subject = subject[:-1]
    if not is_noun_phrase(subject) or not _agrees(subject, tokens[verb]):
        return None
    return Clause(text, tokens, verb)


def is_noun_phrase(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are one noun phrase without clauses, commas or pronouns."""
    if not tokens or tokens[-1].tag not in NOUN | {"CRD"}:
        return False
    if any(token.tag not in _IN_SUBJECT and token.text not in {"and", "'s"} for token in tokens):
        return False
    if any(token.tag == "AT0" and n and tokens[n - 1].tag in NOUN for n, token in enumerate(tokens)):
        return False  # two phrases run together, as where a heading lost its line
    if any(
        token.tag == "VVN" and 0 < n < len(tokens) - 1 and tokens[n - 1].tag == "NN2" and tokens[n + 1].tag in NOUN
        for n, token in enumerate(tokens)
    ):
        return False  # 'studies suggested television violence': a clause whose verb was taken for a participle
    opens = tokens[0].tag not in {"PRP", "PRF", "DT0"} or tokens[0].text.lower() in {"all", "each", "every"}
    return opens and any(token.tag in NOUN for token in tokens)


def head(tokens: Sequence[Token]) -> Token:
    """The head noun: the last noun before the first preposition."""
    stop = next((n for n, token in enumerate(tokens) if token.tag in {"PRF", "PRP"} and n), len(tokens))
    nouns = [token for token in tokens[:stop] if token.tag in NOUN]
    return nouns[-1] if nouns else tokens[-1]


def is_plural(tokens: Sequence[Token]) -> bool:
    """Whether a noun phrase is plural."""
    stop = next((n for n, token in enumerate(tokens) if token.tag in {"PRF", "PRP"} and n), len(tokens))
    return head(tokens).tag == "NN2" or any(token.text == "and" for token in tokens[:stop])


def _agrees(subject: Sequence[Token], verb: Token) -> bool:
    if head(subject).lemma.lower() in _COLLECTIVE or head(subject).tag == "NP0" or head(subject).text[:1].isupper():
        return True  # 'the crew sail', 'Skerrow Ferries runs'
    # a verb that does not agree with its subject is, nearly always, a noun that was tagged as a verb
    if verb.tag in {"VVZ", "VBZ", "VHZ", "VDZ"}:
        return not is_plural(subject)
    if verb.tag in {"VVB", "VHB", "VDB"} or verb.text in {"are", "were"}:
        return is_plural(subject)
    return True
