"""What a rule can tell about a draft or a set of options costs no call. These critics are asked first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from viva.agents.language_model.writer import LONGEST_KEY, LONGEST_STEM
from viva.agents.roles import Source
from viva.core.records import Distractor, Draft, Verdict
from viva.metrics.overlap import normalised_tokens

STANDS_OUT = 1.8
"""A key this many times as long as the mean distractor, or as short, is found without reading."""
_SLIGHT = 6
"""Characters by which lengths may always differ: '4 knots' beside '12 knots'."""

# sure signs only: "above £5,000", "the page cache" and "see" are words of a subject too, and a revision costs calls
_TEXT = r"(?:documents?|texts?|sections?|chapters?|pages?|articles?|paragraphs?|tables?|figures?|authors?|writers?)"
_SAYS = (
    r"(?:says?|states?|gives?|describes?|mentions?|lists?|explains?|defines?|recommends?|suggests?|refers?|provides?)"
)
_DOCUMENT = re.compile(
    rf"\baccording to (?:the|this) (?:\w+ )?(?:{_TEXT}|passage|information|material|context|source)\b(?! code)"
    r"|\b(?:the|this|given|provided) (?:passage|excerpt|snippet)\b(?! (?:of|through|between|to|plan|time))"
    r"|\b(?:the|this|given|provided) context\b(?=[?,]| (?:provided|given|above))"
    rf"|\b(?:this|given|provided) {_TEXT}\b|\b(?:in|by|from) the {_TEXT}\b(?=[?,])"
    rf"|\bthe {_TEXT} (?:above|below|{_SAYS})\b"
    r"|\b(?:is|are|was|were|as) (?:mentioned|stated|described|outlined|discussed)(?=[?,]| in the )",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"\bof (?:the following|these (?:options|answers|statements))\b|\bthe following\?", re.IGNORECASE
)
# NOT NULL and the NOT operator are subjects like any other
_NEGATIVE = re.compile(
    r"\bNOT\b(?! [A-Z]{2}| operator| gate)|\b(?:except|EXCEPT) (?:for )?(?:which|what|who|one)\b"
    r"|\bis (?:false|incorrect|untrue)\?"
)
_CATCH_ALL = re.compile(
    r"\b(?:all|none|any|both|neither|either) of (?:the|these|them)\b|^(?:both )?[A-F] (?:and|or) [A-F]$|^all of it$",
    re.IGNORECASE,
)
_ENDS = ("?", "？", "؟", ";")
_STEM_RULES: tuple[tuple[str, Callable[[str], object], str], ...] = (
    ("no_stem", lambda stem: not stem, "There is no question."),
    ("not_a_question", lambda stem: not stem.endswith(_ENDS), "The stem must be one full question ending with “?”."),
    ("too_long", lambda stem: len(stem) > LONGEST_STEM, f"The stem may have {LONGEST_STEM} characters at most."),
    ("speaks_of_document", _DOCUMENT.search, "The stem speaks of a text, and the user knows of none."),
    ("leans_on_options", _OPTIONS.search, "The stem must be a full question without its options too."),
    ("asks_negatively", _NEGATIVE.search, "The stem must ask for what is so, not for what is not."),
)


def stem_defect(stem: str) -> tuple[str, str] | None:
    """Code and reason of the first rule that the stem breaks."""
    return next(((code, reason) for code, broken, reason in _STEM_RULES if broken(stem)), None)


def key_defect(key: str, stem: str) -> tuple[str, str] | None:
    """Code and reason of the first rule that the key breaks."""
    if not key:
        return "no_key", "There is no intended answer."
    if len(key) > LONGEST_KEY:
        return "key_too_long", f"The key may have {LONGEST_KEY} characters at most."
    if is_catch_all(key):
        return "catch_all_key", "The key must be an answer of its own."
    if _within(key, stem):
        return "key_in_stem", f"The stem gives its answer away: it contains “{key}”."
    return None


class WordingCritic:
    """Is the stem a question, and the key an answer, that may stand in an exam at all?"""

    name = "wording"

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails on the first rule that is broken; the reason says what must change."""
        code, reason = stem_defect(draft.stem) or key_defect(draft.key, draft.stem) or ("", "Worded as it should be.")
        return Verdict(critic=self.name, passed=not code, reason=reason, code=code)


class OptionFormCritic:
    """Can the key be told from the other options by its form?"""

    name = "option form"

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Fails options that repeat one another, and a key far longer or shorter than the others."""
        from viva.agents.offline.critics import same_option

        options = [draft.key, *(d.text for d in distractors)]
        for n, first in enumerate(options):
            for second in options[n + 1 :]:
                if same_option(first, second):
                    return self._failed(f"“{first}” and “{second}” say the same.", "options_overlap")
        if stands_out(draft.key, options[1:]):
            return self._failed("The key stands out by its length.", "key_stands_out")
        return Verdict(critic=self.name, passed=True, reason="The key has the form of the others.")

    def _failed(self, reason: str, code: str) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code=code)


def stands_out(key: str, others: Sequence[str]) -> bool:
    """Whether the key is at least 1.8 times as long as the others are in the mean, or they as it."""
    if not others:
        return False
    mean = sum(map(len, others)) / len(others)
    long, short = max(len(key), mean), min(len(key), mean)
    return long - short > _SLIGHT and long > STANDS_OUT * short


def is_catch_all(option: str) -> bool:
    """Whether an option speaks of the other options instead of answering."""
    return bool(_CATCH_ALL.search(option))


def same_answer(first: str, second: str) -> bool:
    """Whether two answers are equal but for case, English articles, white space, and what ends a sentence.

    Signs inside count: neither "1.5" and "15" nor "C" and "C++" are the same.
    """
    return _plain(first) == _plain(second)


def _plain(text: str) -> str:
    words = text.casefold().rstrip(" .!").split()
    return " ".join(word for word in words if word not in {"a", "an", "the"}) or " ".join(words)


def _within(part: str, whole: str) -> bool:
    """Whether the words of one text stand in the other, side by side."""
    words, among = normalised_tokens(part), normalised_tokens(whole)
    return bool(words) and any(among[n : n + len(words)] == words for n in range(len(among) - len(words) + 1))
