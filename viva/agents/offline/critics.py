"""Offline critics. Each says what is wrong and, in `code`, under which name it is counted."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Literal

from viva.agents.offline import leaning
from viva.agents.offline.corpus_facts import HEADER_FIELD, CorpusFacts
from viva.agents.offline.scope import asked_words, before_gap, needs_scope
from viva.agents.readers.option_reading import Reader
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import (
    CLOSING_PHRASE,
    PLAIN_PATTERNS,
    PREDICATE,
    Distractor,
    Draft,
    ExpertAnswer,
    Trial,
    Verdict,
)
from viva.core.text.prose import plain_sentence
from viva.core.text.words import content_words
from viva.metrics.item_writing.options import same_option
from viva.metrics.item_writing.wording import unscoped

_SURE = 0.09
"""Margin above which wording decides, not chance."""
_SHUFFLES = 3
_SPOKEN_OF = 25
"""Sentences of a corpus that speak of a subject, at most: of what is spoken of everywhere, nothing is the answer."""
_MOST, _FEWEST = 0.5, 10
"""Share of so many documents or more: 'Unsafe Rust' is as wide as 'unsafe' where all speak of Rust."""
_TOO_WIDE = "The documents say too much of what the stem names; it must ask about something narrower."


class StandAloneCritic:
    """Can the stem be understood, and its fact be found, by somebody who has the corpus but not this chunk?"""

    name = "stand-alone"

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails a stem that speaks of the document, names no subject, or fits other sentences as well."""
        if leaning.mentions_place_in_document(draft.stem):
            return self._failed("The stem speaks of the document; it must speak of its subject.")
        title = source.document.title
        if draft.pattern == PREDICATE and self._spoken_of(draft) > _SPOKEN_OF:
            return Verdict(critic=self.name, passed=False, reason=_TOO_WIDE, code="too_wide")
        bare = unscoped(draft.stem) == draft.stem and not _names(title, draft.stem)
        if bare and draft.language == "en" and draft.pattern in PLAIN_PATTERNS:
            return self._failed("The place of the fact would tell the key; without it the stem stands in none.")
        if draft.pattern == HEADER_FIELD or not bare:
            return Verdict(critic=self.name, passed=True, reason="The stem names its scope.")
        # of other languages only the words can be compared
        if draft.language == "en" and needs_scope(draft.stem, source.document):
            return self._failed("The stem names no subject that can be looked up; it must name its scope.")
        rivals = 0 if draft.pattern == PREDICATE else self._rivals(draft)
        if rivals:
            return self._failed(f"{rivals} other sentences match the stem as well; it must name its scope.")
        return Verdict(critic=self.name, passed=True, reason="The stem finds its own evidence.")

    def _spoken_of(self, draft: Draft) -> int:
        """How many sentences hold all words of what is asked about but those that most documents hold."""
        words = sorted(asked_words(draft.stem))
        held = [set(self._bank.postings.get(word, ())) for word in words]
        documents = len(self._bank.sentences_of)
        if documents >= _FEWEST:
            rare = [found for found in held if len({self._bank.document_of[n] for n in found}) <= _MOST * documents]
            held = rare or sorted(held, key=len)[:1]
        return len(set.intersection(*held)) if held else 0

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
        return Verdict(critic=self.name, passed=False, reason=reason, code="not_stand_alone")


class OfflineFaithfulnessCritic:
    """Is the key supported by the evidence span itself?"""

    name = "faithfulness"

    def __init__(self, least: float = 0.9) -> None:
        self._least = least

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails a key of which too small a share of the words stands in the evidence."""
        # the evidence itself: what a title adds to it, as a name for 'it', no passage shows
        read = [text for span in draft.unit.spans for text in (span.quote, plain_sentence(span.quote).text)]
        held = {word for text in read for word in content_words(text)}
        words = content_words(draft.key)
        share = sum(word in held for word in words) / len(words) if words else 0.0
        if any(draft.key.casefold() in text.casefold() for text in read):
            share = 1.0  # of 'A5:2017-Broken Access Control' no word is 'broken'
        if share >= self._least:
            return Verdict(critic=self.name, passed=True, reason="The evidence states the key.", score=share)
        reason = f"Only {share:.0%} of the key's words stand in the evidence."
        return Verdict(critic=self.name, passed=False, reason=reason, code="unfaithful", score=share)


class OfflineAnswerabilityCritic:
    """Does an expert who has only the chunk and the stem find the place that says the key?"""

    name = "answerability"

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails a draft whose stem leads the expert nowhere, or to a place without the key."""
        if answer is None:
            return self._failed("The expert finds no sentence in the chunk that answers the stem.")
        said, key = set(content_words(answer.text)), set(content_words(draft.key))
        if draft.key.casefold() in answer.text.casefold() or (key and key <= said):
            return Verdict(critic=self.name, passed=True, reason=f"The expert reads: {answer.text}", score=1.0)
        return self._failed(f"The expert, who has not seen the key, reads: {answer.text}", 0.0)

    def _failed(self, reason: str, score: float | None = None) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code="expert_disagrees", score=score)


class UniquenessCritic:
    """Is the key the only right option?"""

    name = "uniqueness"
    _SUPPORTED = 0.6

    def __init__(self, bank: CorpusFacts) -> None:
        self._bank = bank

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Fails a set in which options repeat one another or the corpus supports a wrong one."""
        options = [draft.key, *(d.text for d in distractors)]
        for n, first in enumerate(options):
            for second in options[n + 1 :]:
                if same_option(first, second, draft.language):
                    return self._failed(f"“{first}” and “{second}” say the same.", "options_overlap")
        for distractor in distractors:
            sentence = self._support(draft, distractor.text)
            if sentence is not None:
                return self._failed(f"The corpus may support “{distractor.text}”: {sentence}", "second_key")
        return Verdict(critic=self.name, passed=True, reason="No other option is supported by the corpus.")

    def _support(self, draft: Draft, option: str) -> str | None:
        """A sentence that holds the option and most of what the stem asks about.

        Within the draft's own document the words of its title are taken as said: no sentence there repeats them.
        """
        words = frozenset(content_words(option))
        if not words:
            return None
        asked = asked_words(draft.stem) - words
        document_id = draft.unit.evidence.document_id
        title = set(content_words(self._bank.titles.get(document_id, "")))
        own = frozenset(self._bank.sentences_of.get(document_id, ()))
        # "added as guests to ____": what else guests are added to may be right, whatever the statement adds
        near = before_gap(draft.stem) - words if draft.pattern == CLOSING_PHRASE else frozenset()
        rarest = min(sorted(words), key=lambda word: len(self._bank.postings.get(word, ())))
        for n in self._bank.postings.get(rarest, ()):
            held = self._bank.sentence_words[n]
            wanted = (asked - title or asked) if n in own else asked
            if words <= held and self._weight(wanted & held) >= self._SUPPORTED * self._weight(wanted) > 0:
                return self._bank.sentences[n]
            if near and words <= held and near <= held:
                return self._bank.sentences[n]
        return None

    def _weight(self, words: Set[str]) -> float:
        return sum(self._bank.weight(word) for word in sorted(words))

    def _failed(self, reason: str, code: str) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code=code, blames="options")


class SolvableCritic:
    """Lets readers try the finished item, with its evidence and without any document.

    With the chunk before it, some reader must pick the key: they try in turn until one does, for the cheapest mostly
    does. Without, none may be sure of it. An offline reader is deterministic up to ties, so three shufflings tell
    whether it goes by the order, not how sure it is; and of four options it picks the key blindly one time in four.
    So it counts as sure where it picks the key each time by a margin, in cosine to the stem, that no draw explains.
    """

    name = "solvable"

    def __init__(self, readers: Sequence[Reader], seed: int) -> None:
        """`readers`: the cheapest first."""
        self._readers = readers
        self._seed = seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        """Fails a key that the chunk does not bear out, or options whose wording alone gives it away."""
        options = [draft.key, *(d.text for d in distractors)]
        blind = [_attempt(reader, draft, options, (), self._seed) for reader in self._readers]
        read = list[Trial]()
        for reader in self._readers:
            read.append(_attempt(reader, draft, options, (source.text,), self._seed)[0])
            if read[-1].picked:
                break
        trials = (*(trial for trial, _ in blind), *read)
        if not read[-1].picked:
            return self._failed("No reader picks the key with the chunk before it.", "not_solvable", "key", trials)
        for trial, sure in blind:
            if sure:
                reason = f"The {trial.reader} reader is sure of the key without any chunk."
                return self._failed(reason, "guessable", "options", trials)
        reason = f"Solved with the chunk by the {read[-1].reader} reader."
        return Verdict(critic=self.name, passed=True, reason=reason, trials=trials)

    def _failed(
        self, reason: str, code: str, blames: Literal["key", "options"], trials: tuple[Trial, ...]
    ) -> Verdict:
        return Verdict(critic=self.name, passed=False, reason=reason, code=code, blames=blames, trials=trials)


def _names(title: str, stem: str) -> bool:
    label = title.split(":")[0]
    return title.lower() in stem.lower() or (len(label) > 3 and label.lower() in stem.lower())


def _attempt(
    reader: Reader, draft: Draft, options: Sequence[str], passages: Sequence[str], seed: int
) -> tuple[Trial, bool]:
    """How often the reader picks the key, and whether in every order and by more than chance explains.

    `options` hold the key once; `passages` may be none.
    """
    picked, margins = 0, []
    for shuffle in range(_SHUFFLES):
        shown = seeded_order(options, seed, "solve", draft.id, shuffle)
        key = shown.index(draft.key)
        answer = reader.read(draft.stem, shown, passages)
        picked += answer.choice == key
        margins.append(answer.scores[key] - max(s for n, s in enumerate(answer.scores) if n != key))
    trial = Trial(reader=reader.name, with_evidence=bool(passages), picked=picked, tried=_SHUFFLES)
    return trial, picked == _SHUFFLES and min(margins) > _SURE
