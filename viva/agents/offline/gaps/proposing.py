"""Questions without a model: a statement that stands alone, with its closing phrase or one of its values left out."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.gaps.closings import closing_phrase, closings
from viva.agents.offline.gaps.predicates import predicate, predicates
from viva.agents.offline.gaps.presentable import presentable
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.gaps.standing_alone import stands_alone
from viva.agents.offline.gaps.values import values
from viva.agents.offline.text.grammar import Token


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
