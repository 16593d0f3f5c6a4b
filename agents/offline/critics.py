"""Offline critics. Each says what is wrong and, in `code`, under which name it is counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.offline import leaning
from viva.agents.offline.bank import Bank, needs_scope
from viva.agents.offline.readers import Reader
from viva.agents.offline.words import content_words
from viva.agents.offline.writer import NOT_STAND_ALONE
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, Verdict
from viva.metrics.overlap import token_f1


class StandAloneCritic:
    """Can the stem be understood, and its fact be found, by somebody who has the corpus but not this chunk?"""

    name = "stand-alone"

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails a stem that speaks of the document, names no subject, or fits other sentences as well."""
        if leaning.mentions_place_in_document(draft.stem):
            return self._failed("The stem speaks of the document; it must speak of its subject.")
        title = source.document.title
        if draft.pattern == "header-field" or _names(title, draft.stem):
            return Verdict(critic=self.name, passed=True, reason="The stem names its scope.")
        if needs_scope(draft.stem, source.document):
            return self._failed("The stem names no subject that can be looked up; it must name its scope.")
        rivals = self._rivals(draft)
        if rivals:
            return self._failed(f"{rivals} other sentences match the stem as well; it must name its scope.")
        return Verdict(critic=self.name, passed=True, reason="The stem finds its own evidence.")

    def _rivals(self, draft: Draft) -> int:
        """How many other sentences of the corpus hold as much of the stem as the evidence does."""
        asked = set(content_words(draft.stem))
        telling = sorted(asked, key=lambda word: (-self._bank.weight(word), word))[:4]
        mine = self._share(asked, frozenset(content_words(draft.unit.statement)))
        near = {n for word in telling for n in self._bank.postings.get(word, ())}
        return sum(
            self._share(asked, self._bank.sentence_words[n]) >= mine
            for n in near
            if self._bank.sentences[n] != draft.unit.statement
        )

    def _share(self, asked: set[str], held: frozenset[str]) -> float:
        return sum(self._bank.weight(word) for word in sorted(asked & held))

    def _failed(self, reason: str) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code=NOT_STAND_ALONE)


class FaithfulnessCritic:
    """Is the key supported by the evidence span itself?"""

    name = "faithfulness"

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails a key of which less than nine tenths of the words stand in the evidence."""
        held = set(content_words(draft.unit.evidence.quote)) | set(content_words(draft.unit.statement))
        words = content_words(draft.key)
        share = sum(word in held for word in words) / len(words) if words else 0.0
        if share >= 0.9:
            return Verdict(critic=self.name, passed=True, reason="The evidence states the key.", score=share)
        reason = f"Only {share:.0%} of the key's words stand in the evidence."
        return Verdict(critic=self.name, passed=False, reason=reason, code="unfaithful", score=share)


class AnswerabilityCritic:
    """Does an expert who has only the chunk and the stem arrive at the key?"""

    name = "answerability"
    _AGREEMENT = 0.5

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails a draft whose key the expert does not arrive at (token F1 below one half)."""
        if expert_answer is None:
            return self._failed("The expert finds no sentence in the chunk that answers the stem.", None)
        agreement = 1.0 if same_option(expert_answer, draft.key) else token_f1(expert_answer, draft.key)
        if agreement >= self._AGREEMENT:
            return Verdict(critic=self.name, passed=True, reason=f"The expert says: {expert_answer}", score=agreement)
        return self._failed(f"The expert, who has not seen the key, says: {expert_answer}", agreement)

    def _failed(self, reason: str, score: float | None) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code="expert_disagrees", score=score)


class UniquenessCritic:
    """Is the key the only right option?"""

    name = "uniqueness"
    _SUPPORTED = 0.6

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Fails a set in which options repeat one another or the corpus supports a wrong one."""
        options = [draft.key, *(d.text for d in distractors)]
        for n, first in enumerate(options):
            for second in options[n + 1 :]:
                if same_option(first, second):
                    return self._failed(f"“{first}” and “{second}” say the same.", "options_overlap")
        asked = set(content_words(draft.stem))
        for distractor in distractors:
            sentence = self._support(asked, distractor.text)
            if sentence is not None:
                return self._failed(f"The corpus may support “{distractor.text}”: {sentence}", "second_key")
        return Verdict(critic=self.name, passed=True, reason="No other option is supported by the corpus.")

    def _support(self, asked: set[str], option: str) -> str | None:
        """A sentence that holds the option and most of what the stem asks about."""
        words = frozenset(content_words(option))
        total = sum(self._bank.weight(word) for word in sorted(asked - words))
        if not words or not total:
            return None
        rarest = min(sorted(words), key=lambda word: len(self._bank.postings.get(word, ())))
        for n in self._bank.postings.get(rarest, ()):
            held = self._bank.sentence_words[n]
            if words <= held:
                covered = sum(self._bank.weight(word) for word in sorted((asked - words) & held))
                if covered / total >= self._SUPPORTED:
                    return self._bank.sentences[n]
        return None

    def _failed(self, reason: str, code: str) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code=code)


class SolvableCritic:
    """With the chunk some reader must pick the key; without it none may be sure of it."""

    name = "solvable"
    _SURE = 0.12

    def __init__(self, readers: Sequence[Reader], seed: int) -> None:
        self._readers = readers
        self._seed = seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        """Fails a set that the chunk does not decide, or that the wording alone gives away."""
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "solve", draft.id)
        key = options.index(draft.key)
        picked = [r.name for r in self._readers if r.read(draft.stem, options, (source.chunk.text,)).choice == key]
        if not picked:
            return self._failed("No reader picks the key with the chunk before it.", "not_solvable")
        for reader in self._readers:
            blind = reader.read(draft.stem, options, ())
            others = max(score for n, score in enumerate(blind.scores) if n != key)
            if blind.scores[key] - others > self._SURE:
                return self._failed(f"The {reader.name} reader is sure of the key without any chunk.", "guessable")
        return Verdict(critic=self.name, passed=True, reason=f"Solved with the chunk by: {', '.join(picked)}.")

    def _failed(self, reason: str, code: str) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code=code)


def _names(title: str, stem: str) -> bool:
    label = title.split(":")[0]
    return title.lower() in stem.lower() or (len(label) > 3 and label.lower() in stem.lower())


def same_option(first: str, second: str) -> bool:
    """Whether two options are equal, or one contains the other, but for case, articles and punctuation."""
    a, b = (_bare(text) for text in (first, second))
    return a == b or f" {a} " in f" {b} " or f" {b} " in f" {a} "


def _bare(text: str) -> str:
    words = re.sub(r"\b(?:a|an|the)\b|[^\w.%]+", " ", text.lower()).split()
    return " ".join(word.rstrip(".") for word in words)
