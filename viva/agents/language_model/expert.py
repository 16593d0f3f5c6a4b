"""The expert answerer, who quotes the words the answer rests on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated

from pydantic import Field

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.context import place_of
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.language_model.replies import LONGEST_QUOTE, LONGEST_SENTENCES, option, says_nothing, statement
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import ExpertAnswer, ItemKind, Verdict
from viva.core.text.language_detection import UNKNOWN, first_known
from viva.core.text.overlap import content_words, negated
from viva.llm.untrusted import one_line

_READS = {**READS, "question": "what the user asks", "answer_form": "what the answer must look like"}
_AROUND = {"around": "what stands just before and after the passage"}
_DOUBT = {"doubt": "why another reader of the passage doubted an earlier answer"}
_QUOTE = {"quote": (str, "the words of the passage that answer the question, copied letter for letter, or NONE")}
_SECOND = {"second_quote": (str, "the words of the other part that are needed besides, or NONE")}
_ANSWER = {
    "answerable": (bool, "True or False: these words settle the question"),
    "answer": (str, "the shortest full answer, or NONE"),
    "reference": (str, "the answer in one or two sentences, or NONE"),
    "groundedness": (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5"),
}


@cache
def brief(*, joined: bool = False, around: bool = False, doubted: bool = False) -> Brief:
    """What the expert reads and gives; `joined`: two passages lie before it, and words of both are wanted."""
    return Brief(
        role="expert",
        prompt="expert_two_passages" if joined else "expert_answerer",
        reads={**_READS, **(_AROUND if around else {}), **(_DOUBT if doubted else {})},
        gives={**_QUOTE, **(_SECOND if joined else {}), **_ANSWER},
    )


class ModelExpert:
    """Has seen neither an intended answer nor options, nor learns what kind of item is to come of the question."""

    def __init__(self, asks: Asks, corpus: CorpusSearch) -> None:
        self._asks = asks
        self._corpus = corpus

    async def answer(
        self, stem: str, answer_form: str, source: Source, dispute: Verdict | None = None
    ) -> ExpertAnswer | None:
        """Give the answer; None where the model says there is none, or quotes what the source has not.

        A reference that brings in words of its own is left out: the answer takes its place, which the item reviewer
        holds against the passage. For an unanswerable item the passages that a search for the stem finds are read
        too, in the same call, and an answer counts whether or not its words are found: what anybody may take for
        answered will not do. Of a single passage what stands before and after it is shown too, for there a key may be
        widened or contradicted.
        RoleFailed where it leaves the scale on which it rates how clearly the source settles the question.
        """
        absent = source.kind is ItemKind.UNANSWERABLE
        read = await self._corpus.apart(lambda: self._corpus.around(stem, source), [stem]) if absent else source
        material = {**passage(read), "question": stem, "answer_form": answer_form}
        around = self._corpus.beside(source) if read.second is None else ""
        if around:
            material["around"] = around
        if dispute is not None:
            material["doubt"] = dispute.reason
        joined = source.kind is ItemKind.MULTI_HOP
        asked = brief(joined=joined, around=bool(around), doubted=dispute is not None)
        said = await asked.ask(self._asks, material)
        text, evidence = option(said.answer), EvidenceFinder(read)
        quotes = [one_line(quote, LONGEST_QUOTE) for quote in (said.quote, getattr(said, "second_quote", ""))]
        looked_up = (evidence.find(quote) for quote in quotes if not says_nothing(quote))
        spans = tuple(span for span in looked_up if span is not None)
        if not said.answerable or says_nothing(text) or not (spans or absent):
            return None
        if not 1 <= said.groundedness <= 5:
            raise RoleFailed("rating_off_scale", f"The expert rated {said.groundedness} on a scale from 1 to 5.")
        reference = statement(said.reference, LONGEST_SENTENCES)
        kept = not says_nothing(reference) and _adds_nothing(reference, (text, stem, *quotes), read)
        return ExpertAnswer(
            text=text,
            reference=reference if kept else text,
            evidence=spans,
            groundedness=said.groundedness,
        )


def _adds_nothing(reference: str, given: Sequence[str], source: Source) -> bool:
    """Tell whether a sentence has no content word and no denial beyond those of the source and the texts given."""
    language = first_known(source.text, source.document.text) or UNKNOWN
    known = set(content_words(" ".join([*given, source.text, *map(place_of, source.parts)]), language))
    denies = negated(reference) and not any(map(negated, given))
    return known.issuperset(content_words(reference, language)) and not denies
