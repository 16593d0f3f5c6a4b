"""Plain clauses: subject, finite verb, rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.agents.offline.text.grammar import FINITE, NOUN, Token

_IN_SUBJECT = NOUN | {"AT0", "AJ0", "AJC", "AJS", "CRD", "ORD", "PRF", "PRP", "POS", "VVN", "AJ0-VVN", "DT0"}


@dataclass(frozen=True)
class Clause:
    """`tokens[verb]` is the finite verb; the subject is all before it."""

    tokens: tuple[Token, ...]
    verb: int

    @property
    def subject(self) -> tuple[Token, ...]:
        return self.tokens[: self.verb]

    @property
    def predicate(self) -> tuple[Token, ...]:
        return self.tokens[self.verb :]


def clause(tokens: Sequence[Token]) -> Clause | None:
    """The clause that the tokens of a sentence make; None where no noun phrase stands before a finite verb."""
    tokens = tuple(token for token in tokens if token.text not in {".", "!"})
    verb = next((n for n, token in enumerate(tokens) if token.tag in FINITE), 0)
    subject = tokens[:verb]
    if len(subject) > 1 and subject[-1].tag == "AV0":  # "The parser then returns": the adverb goes with the verb
        subject = subject[:-1]
    return Clause(tokens, verb) if _is_noun_phrase(subject) and verb < len(tokens) - 1 else None


def _is_noun_phrase(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are a noun phrase without clauses, commas or pronouns."""
    if not tokens or tokens[-1].tag not in NOUN | {"CRD"}:
        return False
    opens = tokens[0].tag not in {"PRP", "PRF", "DT0"} or tokens[0].text.lower() in {"all", "each", "every"}
    return opens and all(token.tag in _IN_SUBJECT or token.text in {"and", "'s"} for token in tokens)
