"""A question as a system sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from viva.core.records import Turn
from viva.core.wording import option_letter

_OPTION_LINE = re.compile(r"([A-Z])[).:]\s+(.{1,2000})")


@dataclass(frozen=True)
class Asked:
    """What a system is asked. Without options the question is open; without passages it retrieves its own."""

    stem: str
    options: tuple[str, ...] | None = None
    passages: tuple[str, ...] | None = None
    """the texts to answer from instead; () is a closed book"""
    history: tuple[Turn, ...] = ()
    """the conversation that the question follows on"""

    @property
    def question(self) -> str:
        """The question with its options written under it."""
        return posed(self.stem, self.options)

    @property
    def earlier(self) -> list[dict[str, str]]:
        """The messages before the question, as chats have them."""
        return [{"role": turn.role, "content": turn.text} for turn in self.history]

    @property
    def messages(self) -> list[dict[str, str]]:
        """The whole conversation, the question last."""
        return [*self.earlier, {"role": "user", "content": self.question}]


def posed(stem: str, options: Sequence[str] | None) -> str:
    """The question as a user's system sees it; an open one as it is."""
    if not options:
        return stem
    return "\n".join([stem, lettered(options), "Answer with the letter of the right option."])


def unposed(question: str) -> tuple[str, tuple[str, ...]] | None:
    """Stem and options of a question that was posed with lettered options under it; None of any other."""
    lines = question.strip().splitlines()
    listed = [(n, match) for n, line in enumerate(lines) if (match := _OPTION_LINE.fullmatch(line.strip()))]
    letters = "".join(match[1] for _, match in listed)
    if len(listed) < 2 or not ascii_uppercase.startswith(letters):
        return None
    return "\n".join(lines[: listed[0][0]]), tuple(match[2] for _, match in listed)


def lettered(options: Sequence[str]) -> str:
    """The options as lines 'A) ...'; those beyond the alphabet are numbered."""
    return "\n".join(f"{option_letter(n)}) {option}" for n, option in enumerate(options))
