"""What an exam is made of, before anybody sits it (after table 4 of auto-rag-eval, arXiv 2405.13622)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
from pydantic import Field

from viva.core.accounts import Funnel
from viva.core.estimates import Estimate
from viva.core.records import Exam, ExamItem, Item, Record
from viva.core.text.overlap import ngram_jaccard, normalised_tokens
from viva.core.wording import option_letter
from viva.metrics.exam import fixed_choice_baselines
from viva.metrics.intervals import wilson
from viva.metrics.item_writing.not_stated import not_stated
from viva.metrics.item_writing.wording import unchecked

UNKNOWN = "not known"


class Baseline(Record):
    """The share of items that a rule gets right which never reads a document."""

    name: str
    right: Estimate


class LengthSpread(Record):
    """Quartiles and extremes of a figure over items."""

    least: float
    lower: float
    median: float
    upper: float
    most: float


class OptionOverlap(Record):
    """Words in common (Jaccard, in [0, 1]), each the mean over an item's options, spread over items."""

    within_options: LengthSpread = Field(description="between the options of an item, two by two")
    key_and_stem: LengthSpread
    distractors_and_stem: LengthSpread


class Solving(Record):
    """How one reader fared with the items it tried: the mean over items of the share of its tries that were right."""

    reader: str
    with_evidence: bool
    items: int
    right: Estimate


class ExamStatistics(Record):
    """An exam in figures. None where there is nothing to take the figure of, or nobody recorded it."""

    exam_id: str
    items: int
    open_items: int = Field(description="those to be answered in words: no baseline counts them")
    options: dict[int, int] = Field(description="items by their number of options")
    candidates: int | None = Field(description="units that a question was to be written of; None: not recorded")
    funnel: Funnel | None = Field(description="where the candidates went; None: not recorded")
    chance: float | None = Field(description="the share right of somebody who chooses by lot")
    baselines: tuple[Baseline, ...] = Field(description="'always A' and so on first")
    stem_words: LengthSpread | None
    reading: tuple[Readability, ...] = Field(description="of the stems, by language")
    overlap: OptionOverlap | None
    shares: dict[str, dict[str, int]] = Field(description="items by class; of Bloom levels an item may have several")
    solving: tuple[Solving, ...]
    unchecked: dict[str, tuple[str, ...]] = Field(description="by language, the rules that do not exist for it")

    @property
    def best_fixed(self) -> Baseline | None:
        """The best of 'always A', 'always B' and so on."""
        fixed = [baseline for baseline in self.baselines if baseline.name.startswith("always ")]
        return max(fixed, key=lambda baseline: baseline.right.value, default=None)


def exam_statistics(exam: Exam, funnel: Funnel | None = None) -> ExamStatistics:
    """The exam in figures; `funnel` is that of the run it was written in."""
    items = [shown.item for shown in exam.items]
    closed = [shown for shown in exam.items if len(shown.options) > 1]
    return ExamStatistics(
        exam_id=exam.id,
        items=len(items),
        open_items=len(items) - len(closed),
        options=dict(sorted(Counter(len(shown.options) for shown in closed).items())),
        candidates=funnel.units - funnel.not_asked if funnel else None,
        funnel=funnel,
        chance=sum(1 / len(shown.options) for shown in closed) / len(closed) if closed else None,
        baselines=_baselines(Exam(id=exam.id, items=tuple(closed))),
        stem_words=_spread([len(words(item.stem)) for item in items]),
        reading=_reading(items),
        overlap=_overlap(closed),
        shares=_shares(items),
        solving=_solving(items),
        unchecked={language: missing for language in _languages(items) if (missing := unchecked(language))},
    )


# --- without reading --------------------------------------------------------------------------------------


def _baselines(closed: Exam) -> tuple[Baseline, ...]:
    measures: dict[str, Callable[[str, str], float]] = {
        "longest option": lambda option, _: len(option),
        "shortest option": lambda option, _: -len(option),
        "most words in common with the stem": _words_in_common,
    }
    count = len(closed.items)
    shares = [(f"always {option_letter(n)}", share) for n, share in enumerate(fixed_choice_baselines(closed))]
    shares += [(name, highest_option_baseline(closed.items, measure)) for name, measure in measures.items() if count]
    found = [Baseline(name=name, right=_estimate(share * count, count)) for name, share in shares]
    return (*found, *_that_they_do_not_say(closed.items))


def _that_they_do_not_say(closed: Sequence[ExamItem]) -> Iterator[Baseline]:
    """That the documents do not say it, wherever it is an option."""
    showing = [shown for shown in closed if not_stated(shown.item.language) in shown.options]
    right = sum(shown.item.key == not_stated(shown.item.language) for shown in showing)
    if showing:
        yield Baseline(name="documents do not say, where shown", right=_estimate(right, len(showing)))


def highest_option_baseline(closed: Sequence[ExamItem], measure: Callable[[str, str], float]) -> float:
    """Share right of choosing the option with the highest measure(option, stem); a tie of n counts 1/n."""
    right = 0.0
    for shown in closed:
        values = [measure(option, shown.item.stem) for option in shown.options]
        highest = max(values)
        right += (values[shown.key_position] == highest) / values.count(highest)
    return right / len(closed)


def _words_in_common(option: str, stem: str) -> float:
    return len(set(normalised_tokens(option)) & set(normalised_tokens(stem)))


def _estimate(successes: float, trials: int) -> Estimate:
    # a sum of many shares may pass the number of trials by a rounding error
    found = wilson(min(max(successes, 0.0), trials), trials)
    if found is None:
        raise AssertionError("no trials")
    return found


# --- wording ----------------------------------------------------------------------------------------------


def _spread(values: Sequence[float]) -> LengthSpread | None:
    if not values:
        return None
    least, lower, median, upper, most = (float(v) for v in np.quantile(values, (0, 0.25, 0.5, 0.75, 1)))
    return LengthSpread(least=least, lower=lower, median=median, upper=upper, most=most)


def _reading(items: Sequence[Item]) -> tuple[Readability, ...]:
    return tuple(
        readability([item.stem for item in items if item.language == language], language)
        for language in _languages(items)
    )


def _overlap(closed: Sequence[ExamItem]) -> OptionOverlap | None:
    within = _spread([_mean(ngram_jaccard(a, b, 1) for a, b in combinations(s.options, 2)) for s in closed])
    key = _spread([ngram_jaccard(s.options[s.key_position], s.item.stem, 1) for s in closed])
    wrong = _spread([_mean(ngram_jaccard(option, s.item.stem, 1) for option in wrong_options(s)) for s in closed])
    if within is None or key is None or wrong is None:
        return None
    return OptionOverlap(within_options=within, key_and_stem=key, distractors_and_stem=wrong)


def wrong_options(shown: ExamItem) -> list[str]:
    """The options but the key, in the order in which they are shown."""
    return [option for n, option in enumerate(shown.options) if n != shown.key_position]


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


# --- classes ----------------------------------------------------------------------------------------------


def _shares(items: Sequence[Item]) -> dict[str, dict[str, int]]:
    """Of each facet, how many items belong to which class; the most frequent first."""
    facets: dict[str, Callable[[Item], Sequence[str]]] = {
        "kind": lambda item: [item.kind.value],
        "type": lambda item: [item.question_type.value],
        "question word": lambda item: [item.question_word.value],
        "bloom": lambda item: [level.value for level in item.bloom] or [UNKNOWN],
        "topic": lambda item: [item.topic or UNKNOWN],
        "difficulty": lambda item: [item.difficulty.value if item.difficulty else UNKNOWN],
        "language": lambda item: [item.language],
    }
    found = {}
    for facet, classes in facets.items():
        counts = Counter(value for item in items for value in dict.fromkeys(classes(item)))
        found[facet] = dict(sorted(counts.items(), key=lambda c: (-c[1], c[0])))
    return found


def _languages(items: Sequence[Item]) -> list[str]:
    return sorted({item.language for item in items})


# --- readers ----------------------------------------------------------------------------------------------


def _solving(items: Sequence[Item]) -> tuple[Solving, ...]:
    """Tries of one item with its options shuffled are no independent tries: an item counts once.

    Who tried only some of what another tried is left out: those are the items that the other missed.
    """
    tries: dict[tuple[str, bool], dict[int, float]] = {}
    for place, item in enumerate(items):
        for trial in item.trials:
            if trial.tried:
                tries.setdefault((trial.reader, trial.with_evidence), {})[place] = trial.picked / trial.tried
    return tuple(
        Solving(reader=reader, with_evidence=with_evidence, items=len(of), right=_estimate(sum(of.values()), len(of)))
        for (reader, with_evidence), of in sorted(tries.items())
        if not any(of.keys() < other.keys() for (_, read), other in tries.items() if read == with_evidence)
    )


# --- readability --------------------------------------------------------------------------------------------


_WORD = re.compile(r"\w+(?:['’\-.]\w+)*")
_LONG = 6
"""letters that a word may have before it counts as long (Björnsson 1968)"""
_VOWELS = re.compile(r"[aeiouy]+")
# an e at the end is not spoken, unless it makes a syllable with an l (table) or is the only vowel (the)
_SILENT = re.compile(r"(?<![aeiouyl])e$|(?<=[aeiouy]l)e$|(?<=[^aeiouydt])ed$|(?<=[^aeiouyscgzx])es$")
UNSPACED = frozenset({"ja", "km", "lo", "my", "th", "zh"})
"""languages that set no spaces between words, by ISO 639-1"""


class Readability(Record):
    """How hard the texts of one language are to read. None where the formula does not hold for the language."""

    language: str
    texts: int
    lix: float | None = Field(description="below 30 very easy, above 60 very hard")
    grade: float | None = Field(description="years of schooling in the United States; English only")


def words(text: str) -> list[str]:
    """The words of a text; a hyphen, an apostrophe or a full stop inside one does not end it."""
    return _WORD.findall(text)


def readability(texts: Sequence[str], language: str) -> Readability:
    """Of all texts together, each taken as one sentence, as stems are.

    LIX (Björnsson 1968) is words per sentence and the percentage of words of more than six letters. The grade is
    Flesch and Kincaid's (Kincaid et al. 1975): 0.39 words per sentence + 11.8 syllables per word - 15.59.
    """
    found = [word for text in texts for word in words(text)]
    if not found or language in UNSPACED:
        return Readability(language=language, texts=len(texts), lix=None, grade=None)
    length = len(found) / len(texts)
    long = sum(len(word) > _LONG for word in found) / len(found)
    grade = 0.39 * length + 11.8 * sum(map(syllables, found)) / len(found) - 15.59
    return Readability(
        language=language, texts=len(texts), lix=length + 100 * long, grade=grade if language == "en" else None
    )


def syllables(word: str) -> int:
    """About how many syllables an English word has: its groups of vowels, without a silent e; one at least."""
    spoken = _SILENT.sub("", word.lower())
    return max(1, len(_VOWELS.findall(spoken)))
