"""Reads which option an answer means: by its last final statement, else by what it says of the options; never a guess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from viva.examinees.choices import lexicon
from viva.examinees.choices.decision import Decision
from viva.examinees.choices.fields import fields_marked
from viva.examinees.choices.marking import marked
from viva.examinees.choices.options import OptionTexts
from viva.examinees.choices.plain import normalised, without_markup, without_private
from viva.examinees.choices.result import ChoiceReading, NoChoice
from viva.examinees.choices.statements import Weight, statements
from viva.examinees.choices.thoughts import without_thoughts

HEAD, TAIL = 8_000, 32_000
"""Characters that are read of an answer that is longer than both: its beginning and its end."""
_BOLD = re.compile(r"\*\*([^*\n]{1,300})\*\*|<(?:b|strong)>([^<>]{1,300})</(?:b|strong)>", re.IGNORECASE)


def read_choice(text: str, options: Sequence[str], *, lettered: bool = True) -> ChoiceReading:
    """The option that an answer means, or why none. `lettered`: whether options were shown with letters."""
    if not text.strip():
        return ChoiceReading.none(NoChoice.EMPTY)
    said = without_thoughts(without_private(text))
    if not said.strip():
        return ChoiceReading.none(NoChoice.ONLY_THOUGHTS)
    return _reader(tuple(options), lettered).read(said)


@lru_cache(maxsize=512)
def _reader(options: tuple[str, ...], lettered: bool) -> _Reader:
    return _Reader(options, lettered=lettered)


class _Reader:
    """Reads answers to one question."""

    def __init__(self, options: Sequence[str], *, lettered: bool) -> None:
        self._options = OptionTexts(options, lettered=lettered)
        self._lettered = lettered

    def read(self, said: str, depth: int = 3) -> ChoiceReading:
        """The option of an answer without thoughts."""
        if depth:
            said = fields_marked(said, lambda inner: self.read(inner, depth - 1))
        cut = len(said) > HEAD + TAIL
        if cut:
            said = f"{said[:HEAD]}\n{said[-TAIL:]}"
        text = normalised(without_markup(said, tags=self._options.tags))
        plain = marked(text, self._options, lettered=self._lettered)
        decision = Decision.of(statements(plain), self._options.count)
        refused = lexicon.REFUSES.search(plain) is not None
        reading, weight = decision.outcome(self._bold(said) if depth else None, refused=refused)
        if cut and weight < Weight.ALONE:
            return ChoiceReading.none(NoChoice.TOO_LONG)
        return reading

    def _bold(self, said: str) -> int | None:
        """The one option that is written in bold; None where there is none, or more than one."""
        found = {self.read(match[1] or match[2], depth=0).option for match in _BOLD.finditer(said)} - {None}
        return found.pop() if len(found) == 1 else None
