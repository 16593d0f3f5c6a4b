"""A question as a system sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.wording import option_letter


@dataclass(frozen=True)
class Asked:
    """What a system is asked. Without options the question is open; without passages it retrieves its own."""

    stem: str
    options: tuple[str, ...] | None = None
    passages: tuple[str, ...] | None = None
    """the texts to answer from instead; () is a closed book"""

    @property
    def question(self) -> str:
        """The question with its options written under it."""
        return posed(self.stem, self.options)


def posed(stem: str, options: Sequence[str] | None) -> str:
    """The question as a user's system sees it; an open one as it is."""
    if not options:
        return stem
    return "\n".join([stem, lettered(options), "Answer with the letter of the right option."])


def lettered(options: Sequence[str]) -> str:
    """The options as lines 'A) ...'; those beyond the alphabet are numbered."""
    return "\n".join(f"{option_letter(n)}) {option}" for n, option in enumerate(options))
