"""Reads which option an answer means: by its last final statement, else by what it says of each; never a guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import islice

from viva.metrics.text.choices import lexicon
from viva.metrics.text.choices.decision import ChoiceDecision
from viva.metrics.text.choices.fields import fields_marked, meant_by_whole
from viva.metrics.text.choices.marking import marked
from viva.metrics.text.choices.options import OptionTexts
from viva.metrics.text.choices.plain import normalised, without_markup, without_private
from viva.metrics.text.choices.result import ChoiceReading, NoChoice, ReadFrom
from viva.metrics.text.choices.statements import Weight, statements
from viva.metrics.text.choices.thoughts import without_thoughts

MOST_BOLD = 12
"""Passages in bold: with more of them bold marks nothing."""
HEAD, TAIL = 4_000, 16_000
"""Characters that are read of an answer that is longer than both: its beginning and its end."""
_REPLY_OR_LETTER = re.compile(r"A\s?:")
_BOLD = re.compile(r"\*\*([^*\n]{1,300})\*\*|<(?:b|strong)>([^<>]{1,300})</(?:b|strong)>", re.IGNORECASE)


def read_choice(text: str, options: Sequence[str], *, lettered: bool = True) -> ChoiceReading:
    """The option that an answer means, or why none. `lettered`: whether options were shown with letters."""
    if not text.strip():
        return ChoiceReading.none(NoChoice.EMPTY)
    said = without_thoughts(without_private(text))
    if not said.strip():
        return ChoiceReading.none(NoChoice.ONLY_THOUGHTS)
    return _reader(tuple(options), lettered).read(said)


@cache
def prepare_reading() -> None:
    """Compile the patterns that answers are read with, so that no system's time limit pays for it."""
    for said in ("I think the answer is B, not A: option 2 (the second one) is wrong.", "yes"):
        read_choice(said, ("yes", "no"))


@lru_cache(maxsize=512)
def _reader(options: tuple[str, ...], lettered: bool) -> _Reader:
    return _Reader(options, lettered=lettered)


class _Reader:
    """Reads answers to one question."""

    def __init__(self, options: Sequence[str], *, lettered: bool) -> None:
        self._options = OptionTexts(options, lettered=lettered)
        self._lettered = lettered

    def read(self, said: str, depth: int = 3) -> ChoiceReading:
        """The option of an answer without thoughts. `depth`: of objects within objects that are looked into."""
        whole = meant_by_whole(said, self._inner(depth)) if depth else None
        if whole is not None:
            return whole
        cut = len(said) > HEAD + TAIL
        said = f"{said[:HEAD]}\n{said[-TAIL:]}" if cut else said
        if depth:
            said = fields_marked(said, self._inner(depth))
        text = normalised(without_markup(said, tags=self._options.tags))
        plain = marked(text, self._options, lettered=self._lettered)
        if depth and _REPLY_OR_LETTER.match(text) and self._means_another(said, depth):
            return ChoiceReading.none(NoChoice.CONTRADICTION)
        decision = ChoiceDecision.of(statements(plain), self._options.count)
        refused = lexicon.REFUSES.search(plain) is not None
        reading, weight = decision.outcome(self._bold(said) if depth else None, refused=refused)
        if cut and weight < Weight.ALONE:
            return ChoiceReading.none(NoChoice.TOO_LONG)
        return reading

    def _means_another(self, said: str, depth: int) -> bool:
        """Whether what follows "A:" has the words of another option: it may be short for "Answer:"."""
        rest = self.read(said.partition(":")[2], depth - 1)
        return rest.option not in {None, 0} and rest.read_from is ReadFrom.TEXT

    def _inner(self, depth: int) -> Callable[[str], ChoiceReading]:
        return lambda inner: self.read(inner, depth - 1)

    def _bold(self, said: str) -> int | None:
        """The one option that is written in bold; None where there is none, or more than one."""
        spans = list(islice(_BOLD.finditer(said), MOST_BOLD + 1))
        if len(spans) > MOST_BOLD:
            return None
        found = {self.read(match[1] or match[2], depth=0).option for match in spans} - {None}
        return found.pop() if len(found) == 1 else None
