"""A question as a system sees it, and the option that its answer means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase as LETTERS  # noqa: N812 - the constant it is

from viva.core.wording import option_letter

_LETTER = re.compile(
    r"^\s*((?:the )?(?:correct )?(?:answer|option|choice)(?: is)?\s*+(?::\s*+)?)?[(\[]?([A-Z])([)\].:,]?)(?=\s|$)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*`]+")


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


def chosen_option(text: str, options: Sequence[str]) -> int | None:
    """The option a text means: by its letter, else by holding exactly one option's text. Never a guess."""
    letter = _LETTER.match(_EMPHASIS.sub("", text))
    if letter and not _is_a_word(letter) and LETTERS.index(letter.group(2).upper()) < len(options):
        return LETTERS.index(letter.group(2).upper())
    folded = " ".join(text.casefold().split())
    plain = [" ".join(option.casefold().split()) for option in options]
    exact = [n for n, option in enumerate(plain) if option == folded.rstrip(".")]
    found = exact or [n for n, option in enumerate(plain) if _holds(folded, option)]
    return found[0] if len(found) == 1 else None


def _is_a_word(letter: re.Match[str]) -> bool:
    """'A valve is closed', 'The answer is a valve', 'I do not know': an article or a pronoun is no letter."""
    introduced, word, mark = letter.groups()
    if word not in {"A", "a", "I"} or mark or (introduced and word != "a"):
        return False
    return letter.string[letter.end() :].strip()[:1].islower()


def _holds(text: str, option: str) -> bool:
    """Whether the option stands in the text as words of its own: '30 litres' is not in '130 litres'."""
    # a pattern is made only for what may be there: of many options there are more than are kept
    return option in text and re.search(rf"(?<![\w.,]){re.escape(option)}(?![.,]?\w)", text) is not None
