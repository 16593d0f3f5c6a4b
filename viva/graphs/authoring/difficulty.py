"""How hard an item is expected to be. A guess from the item alone, and no more: examinees have the last word.

Item difficulty is told before anybody sits by what must be read and how near the options are (Embretson & Wetzel
1987; Gorin & Embretson 2006, on multiple-choice items about texts). Of that, four things can be counted here:
how often readers missed the key with the evidence before them, how many words of the stem the evidence does not use,
how near the options are to the key, and whether one stretch of text is enough.
"""

from __future__ import annotations

from viva.core.records import Difficulty, Item, ItemKind
from viva.core.text.overlap import normalised_tokens

EASY_BELOW, HARD_FROM = 0.24, 0.36
"""Thirds, about, of 625 items that the offline cast wrote from four corpora; each of these has all three levels."""
_MISSED, _DISTANCE, _CLOSENESS = 0.5, 0.35, 0.3
_KIND = {ItemKind.SINGLE_HOP: 0.0, ItemKind.MULTI_HOP: 0.15, ItemKind.UNANSWERABLE: 0.3}
_LONG = 4
"""Letters from which a word is one of content, in most languages."""


def expected_difficulty(item: Item) -> Difficulty:
    """Easy, medium or hard by `hardness`."""
    found = hardness(item)
    if found < EASY_BELOW:
        return Difficulty.EASY
    return Difficulty.HARD if found >= HARD_FROM else Difficulty.MEDIUM


def hardness(item: Item) -> float:
    """From 0, what stands in the evidence word for word and cannot be mistaken, to more than 1."""
    return _MISSED * _missed(item) + _DISTANCE * _distance(item) + _CLOSENESS * _closeness(item) + _KIND[item.kind]


def _missed(item: Item) -> float:
    """Share of readers' trials with the evidence that missed the key; 0 where nobody tried."""
    trials = [trial for trial in item.trials if trial.with_evidence]
    tried = sum(trial.tried for trial in trials)
    return 1 - sum(trial.picked for trial in trials) / tried if tried else 0.0


def _distance(item: Item) -> float:
    """Share of the stem's words that are not in the evidence; 0 without evidence."""
    if not item.evidence:
        return 0.0
    evidence = _words(" ".join(span.quote for span in item.evidence))
    stem = _words(item.stem)
    return len(stem - evidence) / len(stem) if stem else 0.0


def _words(text: str) -> set[str]:
    return {t for t in normalised_tokens(text) if len(t) >= _LONG or any(c.isdigit() for c in t)}


def _closeness(item: Item) -> float:
    """How much of the key's spelling the nearest wrong option shares: Jaccard similarity of letter trigrams."""
    key = _trigrams(item.key)
    return max((len(key & other) / len(key | other) for other in map(_trigrams, _wrong(item))), default=0.0)


def _wrong(item: Item) -> list[str]:
    return [distractor.text for distractor in item.distractors]


def _trigrams(text: str) -> set[str]:
    padded = f" {text.casefold()} "
    return {padded[n : n + 3] for n in range(max(len(padded) - 2, 1))}
