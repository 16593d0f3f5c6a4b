"""A question as a system sees it, and the option that its answer means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase as LETTERS  # noqa: N812 - the constant it is

from viva.core.wording import option_letter

_INTRODUCTION = re.compile(
    r"\A\s*+(?:(?:the )?(?:correct )?(?:answer|option|choice)(?: is\b)?\s*+(?::\s*+)?)?", re.IGNORECASE
)
_LETTER = re.compile(r"[(\[]?([A-Z])([)\].:,]*+)(?=\s|$)", re.IGNORECASE)
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
    """The option a text means: by being its text, by its letter, else by holding only its text. Never a guess."""
    said = _EMPHASIS.sub("", text)
    answer = _INTRODUCTION.sub("", said, count=1)
    letter = _letter(answer, len(options), introduced=answer != said.lstrip())
    if letter and not answer[letter.end() :].strip():
        return _place(letter)
    plain = [_plain(option) for option in options]
    for words in (_plain(text), _plain(answer)):
        if plain.count(words) == 1:
            return plain.index(words)
    if letter is None:
        found = [n for n, option in enumerate(plain) if _holds(_plain(text), option)]
        return found[0] if len(found) == 1 else None
    # a letter on a line of its own is one, whatever the lines below it begin with
    alone = letter.group(2) or answer[letter.end() :].lstrip(" \t")[:1] == "\n"
    begun = [] if alone else [n for n, option in enumerate(plain) if _begins(_plain(answer), option)]
    return begun[0] if len(begun) == 1 else _place(letter)


def _letter(answer: str, options: int, *, introduced: bool) -> re.Match[str] | None:
    """The letter of one of so many options with which an answer begins.

    'A valve is closed', 'The answer is a valve', 'I do not know': an article or a pronoun is no letter.
    """
    letter = _LETTER.match(answer)
    if letter is None or _place(letter) >= options:
        return None
    word, mark = letter.groups()
    may_be_a_word = not mark and word in ({"a"} if introduced else {"A", "a", "I"})
    return None if may_be_a_word and answer[letter.end() :].strip()[:1].islower() else letter


def _place(letter: re.Match[str]) -> int:
    return LETTERS.index(letter.group(1).upper())


def _plain(text: str) -> str:
    """As it is compared: one line, without case and without the full stop at the end."""
    folded = " ".join(text.casefold().split())
    return folded.rstrip(". ") or folded


def _begins(text: str, option: str) -> bool:
    """Whether the text begins with the option's words, an article aside; an option of one letter has no words."""
    pattern = rf"(?:a )?{re.escape(option)}(?![.,]?\w)"
    return len(option) > 1 and option in text and re.match(pattern, text) is not None


def _holds(text: str, option: str) -> bool:
    """Whether the option stands in the text as words of its own: '30 litres' is not in '130 litres'."""
    # a pattern is made only for what may be there: of many options there are more than are kept
    return option in text and re.search(rf"(?<![\w.,]){re.escape(option)}(?![.,]?\w)", text) is not None
