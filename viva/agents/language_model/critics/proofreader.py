"""The proofreader: reads an item once more whose wording was edited, and has not been told its key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from viva.agents.language_model.asks import READS, Asks, Brief, one_of, passage, some_of
from viva.agents.language_model.critics.review_brief import LETTERS, NONE
from viva.agents.language_model.replies import reason
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, ItemKind, Verdict
from viva.core.settings import Settings

REFUSED_EDITS = "edits_refused"
"""Code of a verdict that leaves the wording as it was."""


@cache
def brief(options: int) -> Brief:
    """State what the proofreader of so many options reads and gives."""
    letters = LETTERS[:options]
    return Brief(
        role="judge.edits",
        prompt="proofreader",
        reads={
            **READS,
            "question": "the stem",
            "options": "one to a line, each after its letter",
            "before": "question and options as they were, with the same letters",
        },
        gives={
            "quote": (str, "the words of the passage that answer the question, copied letter for letter, or NONE"),
            "rationale": (str, "what the passage says of the options; whether the sense was changed"),
            "best_option": (one_of((*letters, NONE)), "the letter of the right option; N if there is none"),
            "stated": (bool, "True or False: the passage says all that this option says"),
            "also_correct": (some_of(letters), "right by the passage too"),
            "same_meaning": (bool, "True or False: question and options mean what they meant"),
            "better": (bool, "True or False: an editor would rather print this"),
        },
    )


class Proofreader:
    """Lets edits of an item's wording stand if its key still answers it, alone, and nothing means anything else.

    Edits are asked for by a reviewer who has read documents, which may have misled it: so another call reads what
    would be printed, and the key is not marked.
    """

    name = "proofreading"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed

    async def read(
        self,
        draft: Draft,
        distractors: Sequence[Distractor],
        before: tuple[Draft, Sequence[Distractor]],
        source: Source,
    ) -> Verdict:
        """Judge the edited item.

        Options are shown in an order drawn for the draft, so that their place tells nothing.
        """
        unedited, were = before
        texts = [draft.key, *(each.text for each in distractors)]
        of_old = dict(zip(texts, [unedited.key, *(each.text for each in were)], strict=True))
        options = seeded_order(texts, self._seed, "proofreading", draft.id)
        material = {
            **passage(source),
            "question": draft.shown,
            "options": _listed(options),
            "before": f"{unedited.stem}\n{_listed([of_old[text] for text in options])}",
        }
        said = await brief(len(options)).ask(self._asks, material)
        stated = said.stated or draft.kind is ItemKind.UNANSWERABLE
        right = stated and said.best_option == LETTERS[options.index(draft.key)]
        others = set(said.also_correct) - {said.best_option}
        passed = right and not others and said.same_meaning and said.better
        return Verdict(
            critic=self.name,
            passed=passed,
            reason=reason(said.rationale),
            code="" if passed else REFUSED_EDITS,
            blames="options",
        )


def _listed(options: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
