"""Questions without a model: a statement that stands alone, with its closing phrase or one of its values left out."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.gaps.closings import closing_phrase, closings
from viva.agents.offline.gaps.presentable import presentable
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.gaps.standing_alone import stands_alone
from viva.agents.offline.gaps.values import VALUE, values
from viva.agents.offline.grammar import Token


def proposals(text: str, tokens: Sequence[Token]) -> list[Proposal]:
    """All questions this sentence allows, values first; none for a sentence that leans on others."""
    if tokens and tokens[-1].text in {".", "!"}:
        tokens = tokens[:-1]
    if not stands_alone(text, tokens):
        return []
    found = [each for each in (*values(text, tokens), *closings(text, tokens)) if presentable(each)]
    return sorted(found, key=lambda p: (-p.quality, p.stem))


__all__ = ["VALUE", "Proposal", "closing_phrase", "proposals"]
