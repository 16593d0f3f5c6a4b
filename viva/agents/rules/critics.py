"""The rules as critics. They cost no call and are asked first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

from viva.agents.roles import Source
from viva.core.records import Distractor, Draft, ExpertAnswer, ItemKind, Verdict
from viva.core.text.language_detection import UNKNOWN, detect_language
from viva.core.text.overlap import content_words, ngram_jaccard, within
from viva.metrics.item_writing.options import options_defects, value_defects
from viva.metrics.item_writing.wording import Defect, key_defect, stem_defect, stem_defects

_SENTENCE = 8
"""Words of a text whose language can be told whatever names are in it."""
_TELLING = 0.25
"""Sets of options whose length and repetitions differ by less are equally good."""
_FIRST = 0.75
"""What the writer's first option, which tempts most, may add to a set's cost before it is left out."""


class WordingCritic:
    """Is the stem a question that may stand in an exam at all?"""

    name = "wording"

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails on the first rule that is broken; the reason says what must change.

        A follow-up may point back to what the conversation names.
        """
        broken = (defect for defect in stem_defects(draft.stem, draft.language) if not _points_back(draft, defect))
        return _verdict(self.name, next(broken, None), "Worded as it should be.")


def _points_back(draft: Draft, defect: Defect) -> bool:
    return bool(draft.history) and defect.code == "pronoun_without_antecedent"


class FollowUpCritic:
    """Does a follow-up leave it to the conversation what it is about, and its answer to the documents?"""

    name = "follow-up"

    async def judge(
        self,
        draft: Draft,
        answer: ExpertAnswer | None,
        source: Source,  # noqa: ARG002
    ) -> Verdict | tuple[Verdict, ...]:
        """Fails on the first rule that is broken. Nothing to say of other kinds."""
        if draft.kind is not ItemKind.FOLLOW_UP:
            return ()
        return _verdict(self.name, next(_follow_up_defects(draft, answer), None), "It leans on its conversation.")


def _follow_up_defects(draft: Draft, answer: ExpertAnswer | None) -> Iterator[Defect]:
    first, language = next((turn.text for turn in draft.history if turn.role == "user"), ""), draft.language
    broken = stem_defect(first, language)
    if broken:
        yield Defect("first_question", f"The first question has a fault. {broken.reason}")
    if not within(draft.subject, first):
        told = f"The first question must name the subject in the very words of `subject`: “{draft.subject}”."
        yield Defect("subject_not_named", told)
    named = set(content_words(draft.subject, language)) & set(content_words(draft.stem, language))
    if named:
        words = ", ".join(f"“{word}”" for word in sorted(named))
        told = f"The follow-up names its subject, and can be understood alone: it must not say {words}."
        yield Defect("names_subject", told)
    if answer and any(within(draft.key, turn.text) for turn in draft.history):
        told = "The conversation gives the answer away. Ask first for something else, or word it without this answer."
        yield Defect("answer_in_history", told)


class LanguageCritic:
    """Is the question, and once there is an answer the answer, in the language that was asked for?"""

    name = "language"

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails where another language is found; in a few words, which may all be names, none is looked for."""
        text = answer.reference if answer else draft.asked
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
    return next(rules(draft.asked, draft.key, distractors, draft.language), None)


class OptionFormCritic:
    """Can the key be told from the other options by its form?"""

    name = "option form"

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Fails on the first rule that is broken; the distractor writer is to blame."""
        broken = form_defect(draft, [distractor.text for distractor in distractors])
        if broken:
            return Verdict(critic=self.name, passed=False, reason=broken.reason, code=broken.code, blames="options")
        return Verdict(critic=self.name, passed=True, reason="The key has the form of the others.")


def best_set(written: Sequence[Distractor], draft: Draft, wanted: int) -> tuple[Distractor, ...]:
    """Choose the first set that costs at most 0.25 more than the best: in length, the key's in the mean, and in
    repetitions.

    Sets that break no rule come before those that do. The writer puts those first that tempt most and make a set
    together: the first of all is kept where a set with it costs at most 0.75 more than the best. Next to the sentence
    that is an unanswerable item's key, values may have any length. Where every set breaks a rule, the critic of the
    options' form names it, and the writer is asked again.
    """
    if len(written) <= wanted:
        return tuple(written)

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
