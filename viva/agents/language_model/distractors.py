"""The distractor writer: wrong options, each with the reason why it is wrong and the mistake that leads to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import FOLLOWS, IT_FOLLOWS, READS, Asks, Brief, passage
from viva.agents.language_model.corpus import NEARBY, SIBLINGS, CorpusSearch
from viva.agents.language_model.replies import option
from viva.agents.roles import Source
from viva.core.records import Distractor, Draft, ItemKind, Verdict
from viva.core.settings import Settings
from viva.llm.untrusted import one_line
from viva.metrics.item_writing.options import same_answer

_SPARE = 2
"""Asked for beyond those needed: what a free check throws out need not be paid for again."""
_LONGEST_REASON = 300


class WrongOption(BaseModel):
    """An option as the model gives it."""

    text: str = Field(description="the option")
    why_wrong: str = Field(description="what the passage says instead")
    mistake: str = Field(description="the mistake or belief that leads to it")


_KEY = {"key": "the right option"}
_FACT = {"fact": "what the passage does say, near the question"}
_WANTED = {"answer_form": "what each option must look like", "how_many": "wrong options wanted"}
_GUESSES = {"guesses": "what readers answer who have no documents, the likeliest first"}
_NEARBY = {"nearby": "what other places of the same library say of like things"}
_REFUSED = {
    "attempt": "1 for the first set",
    "refused": "the last set, an option to a line",
    "feedback": "why it was refused",
}
_GIVES = {
    "rationale": (str, "the options' form, and the mistakes a reader could make, in one line"),
    "distractors": (list[WrongOption], "the most tempting first"),
}


@cache
def brief(
    *, absent: bool = False, follows: bool = False, guessed: bool = False, nearby: bool = False, redo: bool = False
) -> Brief:
    """State what the distractor writer reads and gives.

    `absent`: nothing answers the question, any value is wrong; `follows`: it follows on a conversation.
    """
    found = {**(FOLLOWS if follows else {}), **(_GUESSES if guessed else {}), **(_NEARBY if nearby else {})}
    told = {**(_FACT if absent else _KEY), **_WANTED, **found, **(_REFUSED if redo else {})}
    return Brief(
        role="distractors",
        prompt="plausible_values" if absent else "distractor_writer",
        reads={**READS, "question": "the stem", **told},
        gives=_GIVES,
    )


class ModelDistractorWriter:
    """Asks for two more than needed; the item reviewer throws out, and rules choose among the rest.

    It reads what somebody without documents would answer, which tempts most where it is wrong, and what the corpus
    says of like things: names and values that exist tempt more than invented ones.
    """

    def __init__(self, asks: Asks, settings: Settings, corpus: CorpusSearch) -> None:
        self._asks = asks
        self._corpus = corpus
        self._wanted = settings.options - 1

    async def write(
        self, draft: Draft, source: Source, attempt: int, feedback: Verdict | None, refused: Sequence[Distractor] = ()
    ) -> tuple[Distractor, ...] | None:
        """Options - 1 distractors or more, distinct from the key and each other; None where too few of them are."""
        absent, redo = draft.kind is ItemKind.UNANSWERABLE, bool(attempt or feedback)
        told = {"fact": draft.unit.statement} if absent else {"key": draft.key}
        material = {**passage(source), "question": draft.shown, **told, "answer_form": draft.answer_form}
        ours: dict[str, str | int] = {"how_many": self._wanted + _SPARE}
        follows = draft.kind is ItemKind.FOLLOW_UP
        if follows:
            ours["follow_up"] = IT_FOLLOWS
        # of the bare question, other things of the kind are found
        query = draft.stem if follows else f"{draft.asked} {draft.unit.statement if absent else draft.key}"
        most = SIBLINGS if follows else NEARBY
        nearby = await self._corpus.apart(lambda: self._corpus.nearby(query, source, most), [query])
        guesses = _wrong_guesses(draft)
        if guesses:
            material["guesses"] = "\n".join(f"- {guess}" for guess in guesses)
        if nearby:
            material["nearby"] = "\n\n".join(nearby)
        if redo:
            # the attempt is part of the prompt: an equal prompt would be served the reply that was refused
            ours["attempt"] = attempt + 1
            material["refused"] = "\n".join(f"- {wrong.text}" for wrong in refused) or "NONE"
            material["feedback"] = feedback.reason if feedback else "There were too few that could be used."
        asked = brief(absent=absent, follows=follows, guessed=bool(guesses), nearby=bool(nearby), redo=redo)
        said = await asked.ask(self._asks, material, **ours)
        written = list(islice(_written(said.distractors, draft), self._wanted + _SPARE))
        if follows:
            # what the library says of other things tempts those who were not given the conversation
            pull = self._corpus.pull
            pulls = await self._corpus.apart(lambda: {wrong.text: pull(draft.stem, wrong.text) for wrong in written})
            written.sort(key=lambda wrong: -pulls[wrong.text])
        return tuple(written) if len(written) >= self._wanted else None


def _wrong_guesses(draft: Draft) -> tuple[str, ...]:
    guesses = draft.recall.guesses if draft.recall else ()
    return tuple(guess for guess in guesses if not same_answer(guess, draft.key))


def _written(wrong_options: Iterable[WrongOption], draft: Draft) -> Iterable[Distractor]:
    """Those that are no repetition of the key or of another, in the model's order."""
    taken = [draft.key, draft.reference_answer]
    for wrong in wrong_options:
        text = option(wrong.text)
        if not text or any(same_answer(text, other) for other in taken):
            continue
        taken.append(text)
        yield Distractor(
            text=text,
            reason=one_line(wrong.why_wrong, _LONGEST_REASON),
            mistake=one_line(wrong.mistake, _LONGEST_REASON),
        )
