"""What two texts have in common and in what they contradict each other, as figures: no model but the embedder's."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from viva.agents.judges.offline.amounts import Amounts, figures
from viva.agents.judges.offline.polarity import claims_nothing, opposite
from viva.agents.judges.offline.reading import folded, parts
from viva.agents.judges.offline.terms import name_stems, stems_of
from viva.core.text.overlap import ngrams, normalised_tokens, token_f1

_LEAST_ALTERNATIVE = 3
"""Characters of the shortest alternative that a stroke may part: 'TCP/IP' and 'km/h' are one word each."""
_LONGEST_ALTERNATIVE = 10
"""Words that most of them have at most."""
_PROSE = re.compile(r"https?:|[a-z]{3}[.!?]\s+[A-Z]")
_EXAMPLE = re.compile(r"\b(?:e\. ?g\.?,?|for example|for instance|such as)[^.;)]*", re.IGNORECASE)
"""What a source gives as an example: another example contradicts nothing."""
_SENTENCE = 40
"""Words of a text that can contradict another by one number or one negation."""


@dataclass(frozen=True)
class TextComparison:
    """How a text stands to a source. Shares are in [0, 1]."""

    held: float
    """share of the text's content words that the source has"""
    told: float
    """share of the source's content words that the text has"""
    pairs_held: float
    """share of the text's pairs of neighbouring words that the source has"""
    tokens_held: float
    """share of the text's words, little ones too, that the source has; 0 without any"""
    f1: float
    """token F1"""
    names_held: float
    """share of the text's names that the source has; 1 without names"""
    figures_held: float
    """share of the text's numbers and dates that the source has; 1 without any"""
    figures_told: float
    """share of the source's numbers and dates that the text has; 1 without any"""
    other_figure: float
    """1 where a number or date of the text stands in the place of another of the source's nearest sentence"""
    opposite: float
    """1 where one of the two, the text and the source's nearest sentence, denies what the other says"""
    claims_nothing: float
    """1 where the text only asks, supposes, or says that it does not know"""
    source_length: float
    """logarithm of one more than the source's tokens"""


def compare(text: str, source: str) -> TextComparison:
    """The text against the source, both as a reader sees them. Time is linear in their characters."""
    said, given = folded(text), folded(source)
    tokens, others = normalised_tokens(said), normalised_tokens(given)
    mine, theirs = figures(said), figures(given)
    facing = _facing(said, source)
    return TextComparison(
        held=_share(stems_of(said), stems_of(given)),
        told=_share(stems_of(given), stems_of(said)),
        pairs_held=_share(ngrams(tokens, 2), ngrams(others, 2)),
        tokens_held=_share_of_all(tokens, frozenset(others)),
        f1=token_f1(said, given),
        names_held=_share(name_stems(said), stems_of(given)),
        figures_held=_figures_in(mine, theirs),
        figures_told=_figures_in(theirs, mine),
        other_figure=float(bool(facing) and _other_figure(mine, figures(_EXAMPLE.sub(" ", facing)))),
        opposite=float(bool(facing) and opposite(said, facing)),
        claims_nothing=float(claims_nothing(said, given)),
        source_length=math.log1p(len(others)),
    )


def _facing(said: str, source: str) -> str:
    """The sentence of the source that shares most with the text; "" where either is too long to be set against it.

    A long text has numbers and negations about many things: they contradict nothing by themselves.
    """
    if len(said.split()) > _SENTENCE:
        return ""
    stems = stems_of(said)
    best = max(parts(source), key=lambda text: len(stems & stems_of(text)), default="")
    return best if len(best.split()) <= _SENTENCE else ""


def _other_figure(mine: Amounts, theirs: Amounts) -> bool:
    return _figures_in(mine, theirs) < 1 and _figures_in(theirs, mine) < 1


def alternatives(reference: str) -> tuple[str, ...]:
    """The wordings that a reference gives side by side, parted by strokes: 'six/6'; else the reference alone."""
    found = [part.strip() for part in reference.split("/")]
    wordings = [part for part in found if part]
    short = sum(len(part.split()) <= _LONGEST_ALTERNATIVE for part in wordings)
    words = max(map(len, wordings), default=0) >= _LEAST_ALTERNATIVE
    if len(wordings) < 2 or 2 * short <= len(wordings) or not words or _PROSE.search(reference):
        return (reference,)
    return tuple(dict.fromkeys(wordings))


def nearest(answer: str, wordings: Sequence[str]) -> str:
    """The wording that the answer has most of, the first of the best."""
    if len(wordings) == 1:
        return wordings[0]
    tokens, stems = f" {' '.join(normalised_tokens(answer))} ", stems_of(folded(answer))

    def standing(wording: str) -> tuple[bool, float, int]:
        words = normalised_tokens(wording)
        own = stems_of(folded(wording))
        return bool(words) and f" {' '.join(words)} " in tokens, _share(own, stems) if own else 0.0, -len(words)

    return max(wordings, key=standing)


def _share(wanted: Set[object], found: Set[object]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 1.0


def _share_of_all(words: Sequence[str], found: Set[str]) -> float:
    return sum(word in found for word in words) / len(words) if words else 0.0


def _figures_in(mine: Amounts, theirs: Amounts) -> float:
    """Share of the one's numbers and dates that are among the other's."""
    known = [any(a.equals(b) for b in theirs.amounts) for a in mine.amounts]
    known += [any(a.differs(b) is False for b in theirs.moments) for a in mine.moments]
    return sum(known) / len(known) if known else 1.0
