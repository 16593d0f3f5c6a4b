"""What is wrong with an exam, whoever wrote it: each item by the rules of item writing, then the exam as a whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from viva.core.records import Exam, Record
from viva.core.text.overlap import caseless, ngrams, normalised_tokens
from viva.core.wording import option_letter
from viva.exams.statistics import highest_option_baseline, wrong_options
from viva.metrics.item_writing.defects import defects
from viva.metrics.item_writing.wording import unchecked
from viva.metrics.text.cosines import Vectors, cosines_of_whole, whole

Embed = Callable[[Sequence[str]], Vectors]
"""Texts to unit vectors of shape (texts, d)."""

NEAR_WORDING, NEAR_MEANING = 0.6, 0.95
"""Jaccard similarity of word trigrams, and cosine, from which two stems ask nearly the same"""
ENOUGH_ITEMS = 20
"""below that many, a share says little about an exam"""
LONGEST_MARGIN = 0.10
"""how far the share of keys that are the longest option may lie from chance: 15% to 35% with four options"""
UNLIKELY = 0.01
"""the chance at which an uneven spread of the key is no accident"""
OFTEN = 0.10
"""share of the items that may show one and the same wrong option"""
_GRAM = 3
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class Finding(Record):
    """One thing to mend (error) or to look at (warning)."""

    level: Literal["error", "warning"]
    code: str
    reason: str
    items: tuple[str, ...] = Field(description="ids of the items it is about; none: the whole exam")
    numbers: tuple[int, ...] = Field(description="the same by the number they are asked as, from 1")


class Lint(Record):
    """All that was found, item by item, then what is about several or all."""

    exam_id: str
    items: int
    findings: tuple[Finding, ...]
    unchecked: dict[str, tuple[str, ...]] = Field(description="by language, the rules that do not exist for it")
    skipped: tuple[str, ...] = Field(description="checks of the whole exam that could not be made, and why")

    @property
    def errors(self) -> int:
        """How many findings must be mended."""
        return sum(finding.level == "error" for finding in self.findings)


def lint_exam(exam: Exam, embed: Embed | None = None) -> Lint:
    """All that rules find; with `embed`, near-duplicate questions by meaning too."""
    closed = [n for n, shown in enumerate(exam.items) if len(shown.options) > 1]
    findings = [*_of_items(exam), *_near_duplicates(exam, embed), *_positions(exam, closed)]
    skipped = []
    if len(closed) >= ENOUGH_ITEMS:
        findings += [*_longest(exam, closed), *_worn_options(exam, closed)]
    else:
        skipped.append(
            f"Length of the key and repeated options, over the exam: {len(closed)} questions with options are too "
            f"few ({ENOUGH_ITEMS})."
        )
    languages = sorted({shown.item.language for shown in exam.items})
    return Lint(
        exam_id=exam.id,
        items=len(exam.items),
        findings=tuple(findings),
        unchecked={language: missing for language in languages if (missing := unchecked(language))},
        skipped=tuple(skipped),
    )


def _finding(
    exam: Exam, level: Literal["error", "warning"], code: str, reason: str, places: Sequence[int] = ()
) -> Finding:
    ids = tuple(exam.items[place].item.id for place in places)
    return Finding(level=level, code=code, reason=reason, items=ids, numbers=tuple(place + 1 for place in places))


# --- item by item -----------------------------------------------------------------------------------------


def _of_items(exam: Exam) -> Iterator[Finding]:
    for place, shown in enumerate(exam.items):
        item = shown.item
        for defect in defects(item.stem, item.key, [wrong.text for wrong in item.distractors], item.language):
            yield _finding(exam, "error", defect.code, defect.reason, [place])


# --- two items asking the same ----------------------------------------------------------------------------


def _near_duplicates(exam: Exam, embed: Embed | None) -> Iterator[Finding]:
    stems = [shown.item.asked for shown in exam.items]
    found = dict(near_pairs(stems))
    for (a, b), similarity in sorted(found.items()):
        level: Literal["error", "warning"] = "error" if similarity == 1 else "warning"
        said = "ask the same" if similarity == 1 else f"ask nearly the same (similarity of wording {similarity:.2f})"
        yield _finding(exam, level, "repeated question", f"Questions {a + 1} and {b + 1} {said}.", [a, b])
    if embed is None or len(stems) < 2:
        return
    vectors = whole(embed(stems))
    for a in range(len(stems) - 1):
        cosines = cosines_of_whole(vectors[a + 1 :], vectors[a])
        for b in (int(near) + a + 1 for near in np.flatnonzero(cosines >= NEAR_MEANING)):
            if (a, b) not in found and _same_numbers(stems[a], stems[b]):
                reason = f"Questions {a + 1} and {b + 1} mean nearly the same (cosine {cosines[b - a - 1]:.2f})."
                yield _finding(exam, "warning", "repeated question", reason, [a, b])


def near_pairs(texts: Sequence[str]) -> Iterator[tuple[tuple[int, int], float]]:
    """Places of two texts, the earlier first, with the Jaccard similarity of their word trigrams where it is high.

    Texts that name different numbers are about different things, however alike.
    """
    # texts of signs alone are alike
    grams = [ngrams(normalised_tokens(text), _GRAM) or frozenset({()}) for text in texts]
    holders: dict[tuple[str, ...], list[int]] = {}
    for place, own in enumerate(grams):
        shared = Counter(other for gram in own for other in holders.get(gram, ()))
        for other, common in sorted(shared.items()):
            similarity = common / (len(own) + len(grams[other]) - common)
            if similarity >= NEAR_WORDING and _same_numbers(texts[other], texts[place]):
                yield (other, place), similarity
        for gram in own:
            holders.setdefault(gram, []).append(place)


def _same_numbers(a: str, b: str) -> bool:
    return sorted(_NUMBER.findall(a)) == sorted(_NUMBER.findall(b))


# --- the exam as a whole ----------------------------------------------------------------------------------


def _positions(exam: Exam, closed: Sequence[int]) -> Iterator[Finding]:
    """The most frequent place of the key, by an exact binomial test, times the places there are (Bonferroni)."""
    from scipy.stats import binomtest

    by_width: dict[int, list[int]] = {}
    for place in closed:
        by_width.setdefault(len(exam.items[place].options), []).append(place)
    for width, places in sorted(by_width.items()):
        counts = Counter(exam.items[place].key_position for place in places)
        position, count = min(counts.items(), key=lambda c: (-c[1], c[0]))
        p = min(1.0, width * float(binomtest(count, len(places), 1 / width, alternative="greater").pvalue))
        if p < UNLIKELY:
            reason = (
                f"The key is {option_letter(position)} in {count} of {len(places)} questions with {width} options; "
                f"{len(places) / width:.0f} are expected (exact binomial test, p {_shown(p)})."
            )
            yield _finding(exam, "warning", "key position", reason)


def _shown(p: float) -> str:
    return f"= {p:.4f}" if p >= 0.0001 else "< 0.0001"


def _longest(exam: Exam, closed: Sequence[int]) -> Iterator[Finding]:
    shown = [exam.items[place] for place in closed]
    share = highest_option_baseline(shown, lambda option, _: len(option))
    chance = sum(1 / len(s.options) for s in shown) / len(shown)
    low, high = max(0.0, chance - LONGEST_MARGIN), chance + LONGEST_MARGIN
    if not low <= share <= high:
        reason = (
            f"The key is the longest option in {share:.0%} of the questions; {low:.0%} to {high:.0%} is fair. Length "
            "gives the key away."
        )
        yield _finding(exam, "warning", "longest option", reason)


def _worn_options(exam: Exam, closed: Sequence[int]) -> Iterator[Finding]:
    """Wrong options that stand in so many questions that they are known to be wrong."""
    places: dict[str, list[int]] = {}
    for place in closed:
        for text in dict.fromkeys(map(caseless, wrong_options(exam.items[place]))):
            places.setdefault(text, []).append(place)
    keys = {caseless(exam.items[place].item.key) for place in closed}
    for text, where in places.items():
        if len(where) > OFTEN * len(closed) and text not in keys:
            reason = f"“{text}” is a wrong option of {len(where)} questions and the key of none."
            yield _finding(exam, "warning", "repeated option", reason, where)
