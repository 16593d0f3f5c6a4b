"""The proofreader: reads an item once more whose wording was edited; the key is not marked."""

from __future__ import annotations

from functools import cache

from viva.agents.language_model.asks import READS, Asks, Brief, one_of, passage, some_of
from viva.agents.language_model.critics.review_brief import LETTERS, NONE, lettered
from viva.agents.language_model.replies import reason
from viva.agents.roles import Source, Worded
from viva.core.ids import seeded_order
from viva.core.records import ItemKind, Verdict
from viva.core.settings import Settings


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

    async def read(self, edited: Worded, before: Worded, source: Source) -> Verdict:
        """Judge the edited item.

        Options are shown in an order drawn for the draft, so that their place tells nothing.
        """
        draft, texts = edited[0], _options(edited)
        of_old = dict(zip(texts, _options(before), strict=True))
        options = seeded_order(texts, self._seed, "proofreading", draft.id)
        material = {
            **passage(source),
            "question": draft.shown,
            "options": lettered(options),
            "before": f"{before[0].stem}\n{lettered([of_old[text] for text in options])}",
        }
        said = await brief(len(options)).ask(self._asks, material)
        stated = said.stated or draft.kind is ItemKind.UNANSWERABLE
        right = stated and said.best_option == LETTERS[options.index(draft.key)]
        others = set(said.also_correct) - {said.best_option}
        passed = right and not others and said.same_meaning and said.better
        return Verdict(critic=self.name, passed=passed, reason=reason(said.rationale))


def _options(worded: Worded) -> list[str]:
    """Give the key, then the wrong options."""
    draft, distractors = worded
    return [draft.key, *(each.text for each in distractors)]
