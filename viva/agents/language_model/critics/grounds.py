"""What a rule can tell of the expert's answer, and which questions hold in one passage alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.language_model.context import plain_quote, title_of
from viva.agents.language_model.corpus import AHEAD, CorpusSearch
from viva.agents.roles import ExpertAnswerer, Source
from viva.core.records import Distractor, Draft, ExpertAnswer, ItemKind, Span, Verdict
from viva.core.settings import Settings
from viva.core.text.overlap import negated, token_f1
from viva.metrics.item_writing.options import same_option

_SAME = 0.7
"""Token F1 from which two sentences may say the same."""
_LURES = 2
"""Wrong options that a search with the bare question must find nearly as soon as the key."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class AnswerabilityCritic:
    """0 or 1: does an expert who has only source and stem arrive at the fact, or at both facts, that it asks for?"""

    name = "answerability"

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Passes an answer that rests on the unit's own evidence, all of it, or on words that say the same elsewhere.

        Of an unanswerable item, no answer is what passes.
        """
        if draft.kind is ItemKind.UNANSWERABLE:
            return self._absent(answer)
        fact = _quoted(draft.unit.spans)
        if answer is None:
            reason = f"An expert cannot answer it from the passage. The fact to ask for: {fact}"
            return self._verdict(reason, "not_answerable")
        if all(any(_overlap(found, meant) for found in answer.evidence) for meant in draft.unit.spans):
            return self._verdict("The expert goes by the words that the question was written from.")
        quoted = _quoted(answer.evidence)
        if all(any(_same_words(found, meant) for found in answer.evidence) for meant in draft.unit.spans):
            return self._verdict(f"The expert goes by words that say the same: {quoted}")
        reason = f"The question leads an expert to other words of the passage: {quoted}. It must lead to: {fact}"
        return self._verdict(reason, "expert_disagrees")

    def _absent(self, answer: ExpertAnswer | None) -> Verdict:
        if answer is None:
            return self._verdict("Neither the passage nor what a search finds besides answers it.")
        grounds = f", by {_quoted(answer.evidence)}" if answer.evidence else ""
        reason = f"An expert answers it after all: “{answer.text}”{grounds}. Ask for what is not said there."
        return self._verdict(reason, "answerable_after_all")

    def _verdict(self, reason: str, code: str = "") -> Verdict:
        return Verdict(critic=self.name, passed=not code, reason=reason, code=code, score=0.0 if code else 1.0)


class GroundednessCritic:
    """Does the source settle the question, by the rating of the expert who has read both and nothing else?

    Source of the scale: the groundedness critique of Hugging Face's RAG evaluation cookbook.
    """

    name = "groundedness"

    def __init__(self, settings: Settings) -> None:
        self._least = settings.min_rating

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Score (rating - 1) / 4. An expert who gave no rating is not held against the question."""
        if answer is None or answer.groundedness is None:
            return Verdict(critic=self.name, passed=True, reason="The expert rated nothing.")
        passed = answer.groundedness >= self._least
        advice = "" if passed else " The question must name the thing and the condition that leave one answer only."
        return Verdict(
            critic=self.name,
            passed=passed,
            reason=f"{answer.groundedness} of 5: how clearly the passage settles the question.{advice}",
            code="" if passed else "ungrounded",
            score=(answer.groundedness - 1) / 4,
        )


def says_the_same(first: str, second: str) -> bool:
    """Whether two sentences share most words (token F1 at least 0.7), and all numbers and negations."""
    return (
        token_f1(first, second) >= _SAME
        and sorted(_NUMBER.findall(first)) == sorted(_NUMBER.findall(second))
        and negated(first) == negated(second)
    )


def _quoted(spans: Sequence[Span]) -> str:
    return " and ".join(f"“{plain_quote(span)}”" for span in spans)


def _same_words(found: Span, meant: Span) -> bool:
    return _overlap(found, meant) or says_the_same(found.quote, meant.quote)


def _overlap(found: Span, meant: Span) -> bool:
    return found.document_id == meant.document_id and found.start < meant.end and meant.start < found.end


class OnePassageCritic:
    """Asks the expert again with one passage at a time; an item that is answered from one is no multi-hop item.

    That both are needed must be tried, not hoped for: most questions of HotpotQA can be answered from a single
    paragraph (Min et al. 2019, arXiv 1906.02900).
    """

    name = "one passage"

    def __init__(self, expert: ExpertAnswerer) -> None:
        self._expert = expert

    async def judge(
        self,
        draft: Draft,
        answer: ExpertAnswer | None,  # noqa: ARG002
        source: Source,
    ) -> Verdict | tuple[Verdict, ...]:
        """Nothing to say of a source of one passage. Otherwise at most two calls: the first that succeeds ends it."""
        if source.second is None:
            return ()
        # the passage that holds the key's words is the one that may be enough
        for part in sorted(source.parts, key=lambda p: draft.key.casefold() not in p.chunk.text.casefold()):
            alone = Source(part.chunk, part.document)
            found = await self._expert.answer(draft.stem, draft.answer_form, alone)
            if found is not None and _arrives_at(found.text, draft):
                return self._enough(found, part)
        return Verdict(critic=self.name, passed=True, reason="Neither passage alone leads to the key.", score=1.0)

    def _enough(self, found: ExpertAnswer, part: Source) -> Verdict:
        quoted = " ".join(map(plain_quote, found.evidence))
        told = (
            f"The passage from “{title_of(part.document)}” alone is enough to answer it: “{quoted}”. The question"
            " must leave to be looked up what the other passage says."
        )
        return Verdict(critic=self.name, passed=False, reason=told, code="one_passage_is_enough", score=0.0)


class BareQuestionCritic:
    """Searches for a follow-up without its conversation: one that leads straight to its passage is none.

    An expert who read the bare question among passages arrived at the key for none of 29 that the search let pass.
    """

    name = "bare question"

    def __init__(self, corpus: CorpusSearch) -> None:
        self._corpus = corpus

    async def judge(
        self,
        draft: Draft,
        answer: ExpertAnswer | None,  # noqa: ARG002
        source: Source,
    ) -> Verdict | tuple[Verdict, ...]:
        """Fail a follow-up whose passage a word search puts far ahead of all others. No call, no answer needed.

        Nothing to say of other kinds.
        """
        if draft.kind is not ItemKind.FOLLOW_UP:
            return ()
        telling = await self._corpus.apart(lambda: self._corpus.telling(draft.stem, source))
        if not telling:
            passed = "A search with the bare question does not find its passage far ahead of others."
            return Verdict(critic=self.name, passed=True, reason=passed, score=1.0)
        words = ", ".join(f"“{word}”" for word in telling)
        told_why = (
            f"A search with the bare question finds its passage at once, by {words}. Ask in words that fit other"
            " things of the kind as well; if the fact is of this one alone, there is nothing to ask."
        )
        return Verdict(critic=self.name, passed=False, reason=told_why, code="stands_alone", score=0.0)


class BareOptionsCritic:
    """Searches with a follow-up's bare question for its options: one that finds the key alone answers it."""

    name = "bare search"

    def __init__(self, corpus: CorpusSearch) -> None:
        self._corpus = corpus

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Pass where two wrong options, or all, are found nearly as soon as the key. Passes other kinds; no call."""
        if draft.kind is not ItemKind.FOLLOW_UP:
            return Verdict(critic=self.name, passed=True, reason="It follows on no conversation.")
        options = [draft.key, *(each.text for each in distractors)]
        key, *wrong = await self._corpus.apart(lambda: [self._corpus.pull(draft.stem, each) for each in options])
        if sum(found >= AHEAD * key for found in wrong) >= min(_LURES, len(wrong)):
            return Verdict(
                critic=self.name, passed=True, reason="A search with the bare question finds other options too."
            )
        told_why = (
            f"A search with the bare question finds “{draft.key}” and hardly another option. Take"
            " options, word for word, from what the library says of other things that the last line could be about:"
            " short values and names."
        )
        return Verdict(critic=self.name, passed=False, reason=told_why, code="found_bare", blames="options")


def _arrives_at(text: str, draft: Draft) -> bool:
    return same_option(text, draft.key, draft.language) or says_the_same(text, draft.key)
