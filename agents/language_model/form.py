"""The critic of the options' form, which knows that the key of an unanswerable item has one of its own."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.roles import Source
from viva.agents.rules.options import options_defects
from viva.agents.rules.wording import Defect
from viva.core.records import Distractor, Draft, ItemKind, Verdict

_OF_VALUES = frozenset(
    {"option_too_long", "empty_option", "catch_all_option", "options_overlap", "options_too_alike"}
)
"""Rules that wrong options must keep among themselves, whatever the key looks like."""


def form_defect(draft: Draft, distractors: Sequence[str]) -> Defect | None:
    """The first rule that the options break.

    The key of an unanswerable item is a sentence among values: nothing about its form is held against it. It gives
    nothing away in an exam that shows the same sentence as a wrong option of other items.
    """
    found = options_defects(draft.stem, draft.key, distractors, draft.language)
    absent = draft.kind is ItemKind.UNANSWERABLE
    return next((defect for defect in found if not absent or defect.code in _OF_VALUES), None)


class FormCritic:
    """Can the key be told from the other options by its form?"""

    name = "option form"

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Fails on the first rule that is broken; the distractor writer is to blame."""
        broken = form_defect(draft, [distractor.text for distractor in distractors])
        if broken:
            return Verdict(critic=self.name, passed=False, reason=broken.reason, code=broken.code, blames="options")
        return Verdict(critic=self.name, passed=True, reason="The key has the form of the others.")
