"""The rules as critics. They cost no call and are asked first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from viva.agents.roles import Source
from viva.core.records import Distractor, Draft, ExpertAnswer, ItemKind, Verdict
from viva.core.text.language_detection import UNKNOWN, detect_language
from viva.metrics.item_writing.options import options_defects, value_defects
from viva.metrics.item_writing.wording import Defect, key_defect, stem_defect

_SENTENCE = 8
"""Words of a text whose language can be told whatever names are in it."""


class WordingCritic:
    """Is the stem a question that may stand in an exam at all?"""

    name = "wording"

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails on the first rule that is broken; the reason says what must change."""
        return _verdict(self.name, stem_defect(draft.stem, draft.language), "Worded as it should be.")


class LanguageCritic:
    """Is the question, and once there is an answer the answer, in the language that was asked for?"""

    name = "language"

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails where another language is found; in a few words, which may all be names, none is looked for."""
        text = answer.reference if answer else draft.stem
        found = detect_language(text) if len(text.split()) >= _SENTENCE else UNKNOWN
        if draft.language == UNKNOWN or found in {draft.language, UNKNOWN}:
            return Verdict(critic=self.name, passed=True, reason="No other language is found.")
        reason = f"It is written in another language ({found}) than its source. Write it in “{draft.language}”."
        blames: Literal["question", "key"] = "key" if answer else "question"
        return Verdict(critic=self.name, passed=False, reason=reason, code="another_language", blames=blames)


class KeyCritic:
    """Is the key an answer that may stand beside the stem?"""

    name = "key"

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails on the first rule that is broken; the reason says what must change."""
        broken = key_defect(draft.key, draft.stem, draft.language)
        return _verdict(self.name, broken, "The stem does not give it away.")


def _verdict(critic: str, broken: Defect | None, fine: str) -> Verdict:
    if broken:
        return Verdict(critic=critic, passed=False, reason=broken.reason, code=broken.code)
    return Verdict(critic=critic, passed=True, reason=fine)


def form_defect(draft: Draft, distractors: Sequence[str]) -> Defect | None:
    """The first rule that the options break; of an unanswerable item's, the first of those on values."""
    rules = value_defects if draft.kind is ItemKind.UNANSWERABLE else options_defects
    return next(rules(draft.stem, draft.key, distractors, draft.language), None)


class OptionFormCritic:
    """Can the key be told from the other options by its form?"""

    name = "option form"

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Fails on the first rule that is broken; the distractor writer is to blame."""
        broken = form_defect(draft, [distractor.text for distractor in distractors])
        if broken:
            return Verdict(critic=self.name, passed=False, reason=broken.reason, code=broken.code, blames="options")
        return Verdict(critic=self.name, passed=True, reason="The key has the form of the others.")
