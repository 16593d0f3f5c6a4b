"""The distractor writer: wrong options, each with the reason why it is wrong and the mistake that leads to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, islice

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.replies import option
from viva.agents.roles import Source
from viva.agents.rules.critics import form_defect
from viva.core.records import Distractor, Draft, ItemKind, Verdict
from viva.core.settings import Settings
from viva.core.text.overlap import ngram_jaccard
from viva.llm.untrusted import one_line
from viva.metrics.item_writing.options import same_answer

_SPARE = 2
"""Asked for beyond those needed: what a free check throws out need not be paid for again."""
_LOOKED_AT = 10
_TELLING = 0.25
"""Sets whose length and repetitions differ by less are equally good."""
_FIRST = 0.75
"""What the writer's first option, which tempts most, may add to a set's cost before it is left out."""
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
def brief(*, absent: bool = False, guessed: bool = False, nearby: bool = False, redo: bool = False) -> Brief:
    """What the distractor writer reads and gives; `absent`: nothing answers the question, any value is wrong."""
    found = {**(_GUESSES if guessed else {}), **(_NEARBY if nearby else {})}
    told = {**(_FACT if absent else _KEY), **_WANTED, **found, **(_REFUSED if redo else {})}
    return Brief(
        role="distractors",
        prompt="plausible_values" if absent else "distractor_writer",
        reads={**READS, "question": "the stem", **told},
        gives=_GIVES,
    )


class ModelDistractorWriter:
    """Asks for two more than needed; rules and similarity choose among them.

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
        """Options - 1 distractors, distinct from the key and each other; None where too few of them are."""
        absent, redo = draft.kind is ItemKind.UNANSWERABLE, bool(attempt or feedback)
        told = {"fact": draft.unit.statement} if absent else {"key": draft.key}
        material = {**passage(source), "question": draft.shown, **told, "answer_form": draft.answer_form}
        ours = {"how_many": self._wanted + _SPARE}
        query = f"{draft.asked} {draft.unit.statement if absent else draft.key}"
        nearby = await self._corpus.apart(lambda: self._corpus.nearby(query, source), [query])
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
        asked = brief(absent=absent, guessed=bool(guesses), nearby=bool(nearby), redo=redo)
        said = await asked.ask(self._asks, material, **ours)
        written = list(islice(_written(said.distractors, draft), _LOOKED_AT))
        return _best_set(written, draft, self._wanted) if len(written) >= self._wanted else None


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


def _best_set(written: Sequence[Distractor], draft: Draft, wanted: int) -> tuple[Distractor, ...]:
    """The first set that costs at most 0.25 more than the best: in length, the key's in the mean, and in repetitions.

    Sets that break no rule come before those that do. The writer puts those first that tempt most and make a set
    together: the first of all is kept where a set with it costs at most 0.75 more than the best. Beside the sentence
    that is an unanswerable item's key, values may have any length. Where every set breaks a rule, the critic of the
    options' form says which, and the writer is asked again.
    """

    def cost(chosen: tuple[int, ...]) -> float:
        texts = [written[n].text for n in chosen]
        length = abs(sum(map(len, texts)) / wanted - len(draft.key)) / max(1, len(draft.key))
        length *= draft.kind is not ItemKind.UNANSWERABLE
        shared = max(ngram_jaccard(a, b, 2) for a, b in combinations([draft.key, *texts], 2))
        return round(length + shared, 6)

    sets = list(combinations(range(len(written)), wanted))
    sound = [each for each in sets if form_defect(draft, [written[n].text for n in each]) is None] or sets
    costs = {each: cost(each) for each in sound}
    best = min(costs.values())
    rivals = [each for each in sound if 0 in each and costs[each] <= best + _FIRST] or sound
    least = min(costs[each] for each in rivals)
    chosen = next(each for each in rivals if costs[each] <= least + _TELLING)
    return tuple(written[n] for n in chosen)
