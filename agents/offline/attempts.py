"""One reader's attempts at one finished item, its options in several orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.ids import seeded_order
from viva.core.records import Draft, Trial
from viva.examinees.readers.option_reading import Reader

SURE = 0.09
"""Margin above which wording decides, not chance."""
SHUFFLES = 3


@dataclass(frozen=True)
class OptionTrials:
    """How often the key was picked, and by what margin over the best other option at least."""

    trial: Trial
    margin: float

    @property
    def sure(self) -> bool:
        """Whether the key was picked in every order, and by more than chance explains."""
        return self.trial.picked == self.trial.tried and self.margin > SURE


def attempt_item(
    reader: Reader, draft: Draft, options: Sequence[str], passages: Sequence[str], seed: int
) -> OptionTrials:
    """Let the reader try. `options` hold the key once; `passages` may be none."""
    picked, margins = 0, []
    for shuffle in range(SHUFFLES):
        shown = seeded_order(options, seed, "solve", draft.id, shuffle)
        key = shown.index(draft.key)
        answer = reader.read(draft.stem, shown, passages)
        picked += answer.choice == key
        margins.append(answer.scores[key] - max(s for n, s in enumerate(answer.scores) if n != key))
    trial = Trial(reader=reader.name, with_evidence=bool(passages), picked=picked, tried=SHUFFLES)
    return OptionTrials(trial, min(margins))
