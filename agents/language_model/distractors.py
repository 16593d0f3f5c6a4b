"""The distractor writer: wrong options, each with the reason why it is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.wording import is_catch_all, same_answer
from viva.agents.language_model.writer import LONGEST_KEY, option
from viva.agents.roles import Source
from viva.core.records import Distractor, Draft
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_SPARE = 2
"""Asked for beyond those needed: what a free check throws out need not be paid for again."""
_LOOKED_AT = 10
_LONGEST_REASON = 300


class WrongOption(BaseModel):
    """An option as the model gives it."""

    text: str = Field(description="the option")
    why_wrong: str = Field(description="the mistake that leads to it, and what the passage says instead")


BRIEF = Brief(
    role="distractors",
    prompt="distractor_writer",
    reads={
        **READS,
        "question": "the stem",
        "key": "the right option",
        "answer_form": "what each option must look like",
        "how_many": "wrong options wanted",
        "attempt": "1 for the first set",
    },
    gives={
        "rationale": (str, "the options' form, and the mistakes a reader could make, in one line"),
        "distractors": (list[WrongOption], "the most tempting first"),
    },
)


class ModelDistractorWriter:
    """Asks for two more than needed and keeps those that are nearest in length to the key."""

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._wanted = settings.options - 1

    async def write(self, draft: Draft, source: Source, attempt: int) -> tuple[Distractor, ...] | None:
        """Options - 1 distractors, distinct from the key and each other; None where too few of them are."""
        material = {
            **passage(source),
            "question": draft.stem,
            "key": draft.key,
            "answer_form": draft.answer_form,
        }
        # the attempt is part of the prompt: an equal prompt would be served the reply that was refused
        said = await BRIEF.ask(self._asks, material, how_many=self._wanted + _SPARE, attempt=attempt + 1)
        usable = list(islice(_usable(said.distractors, draft), _LOOKED_AT))
        return _alike(usable, draft.key, self._wanted) if len(usable) >= self._wanted else None


def _usable(written: Iterable[WrongOption], draft: Draft) -> Iterable[Distractor]:
    """Those that may stand beside the key and each other, in the model's order."""
    from viva.agents.offline.critics import same_option

    taken = [draft.key]
    for wrong in written:
        text = option(wrong.text)
        if not 0 < len(text) <= LONGEST_KEY or is_catch_all(text) or same_answer(text, draft.reference_answer):
            continue
        if not any(same_option(text, other) for other in taken):
            taken.append(text)
            yield Distractor(text=text, reason=one_line(wrong.why_wrong, _LONGEST_REASON))


def _alike(usable: Sequence[Distractor], key: str, wanted: int) -> tuple[Distractor, ...]:
    """The set whose mean length is nearest to the key's, so that length tells nothing; the first of equals."""

    def cost(chosen: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        mean = sum(len(usable[n].text) for n in chosen) / wanted
        return abs(mean - len(key)), chosen

    best = min(combinations(range(len(usable)), wanted), key=cost)
    return tuple(usable[n] for n in best)
