"""A question as a system sees it, and the option that its answer means."""

from __future__ import annotations

import re
from collections.abc import Sequence

LETTERS = "ABCDEF"
_LETTER = re.compile(
    r"^\s*((?:the )?(?:correct )?(?:answer|option|choice)(?: is)?\s*:?\s*)?[(\[]?([A-F])([)\].:,]?)(?=\s|$)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*`]+")


def posed(stem: str, options: Sequence[str] | None) -> str:
    """The question as a user's system sees it; an open one as it is."""
    if not options:
        return stem
    lines = [f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([stem, *lines, "Answer with the letter of the right option."])


def chosen_option(text: str, options: Sequence[str]) -> int | None:
    """The option a text means: by its letter, else by holding exactly one option's text. Never a guess."""
    letter = _LETTER.match(_EMPHASIS.sub("", text))
    if letter and not _is_article(letter) and LETTERS.index(letter.group(2).upper()) < len(options):
        return LETTERS.index(letter.group(2).upper())
    folded = " ".join(text.casefold().split())
    plain = [" ".join(option.casefold().split()) for option in options]
    exact = [n for n, option in enumerate(plain) if option == folded.rstrip(".")]
    held = [n for n, option in enumerate(plain) if _holds(folded, option)]
    found = exact or held
    return found[0] if len(found) == 1 else None


def _is_article(letter: re.Match[str]) -> bool:
    """'A valve is closed', 'The answer is a valve': an article is no letter."""
    introduced, word, mark = letter.groups()
    if word not in {"A", "a"} or mark or (introduced and word == "A"):
        return False
    return letter.string[letter.end() :].strip()[:1].islower()


def _holds(text: str, option: str) -> bool:
    """Whether the option stands in the text as words of its own: '30 litres' is not in '130 litres'."""
    return re.search(rf"(?<![\w.,]){re.escape(option)}(?![.,]?\w)", text) is not None
