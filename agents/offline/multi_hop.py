"""Multi-hop items: questions that bridge two chunks, and the trials that show that neither is enough.

That is checked, not hoped for: answers that one paragraph gives away are what such questions mostly suffer from (Min
et al. 2019; Trivedi et al. 2022, on MuSiQue).
"""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.attempts import Attempt, attempt_item
from viva.agents.offline.bank import Bank
from viva.agents.offline.bridges import bridges, sharing, unit_of
from viva.agents.offline.prose import plain_sentences
from viva.agents.offline.readers import Reader
from viva.agents.roles import DistractorWriter, Source
from viva.agents.rules.options import same_option
from viva.core.ids import seeded_order
from viva.core.records import (
    BloomLevel,
    Distractor,
    Draft,
    ExpertAnswer,
    ItemKind,
    KnowledgeUnit,
    Span,
    Verdict,
)

_MISTAKE = "The chunk with the answer is read without finding out what the question describes."
_ONE_SENTENCE = 0.7
"""Share of a stem, by weight, that one sentence with the key in it may not hold."""


class MultiHopUnits:
    """Names the pairs of facts that a bridge joins, one pair once."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        """Best question first."""
        units = (unit_of(bridge, source) for bridge in bridges(source, self._bank))
        return list({unit.id: unit for unit in units}.values())


class MultiHopWriter:
    """Asks the bridge's question; on a revision the next that joins the same two facts."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        """None when all were tried."""
        del feedback
        same = [bridge for bridge in bridges(source, self._bank) if unit_of(bridge, source).id == unit.id]
        at = previous.attempt + 1 if previous else 0
        if at >= len(same):
            return None
        bridge, question = same[at], same[at].question
        return Draft(
            unit=unit,
            attempt=at,
            stem=bridge.stem,
            key=question.key,
            reference_answer=f"{question.key}. {bridge.description.statement} {bridge.fact.statement}",
            question_type=question.question_type,
            bloom=tuple(dict.fromkeys((question.bloom, BloomLevel.ANALYZE))),
            kind=ItemKind.MULTI_HOP,
            answer_form=question.form,
            pattern=f"bridge-{question.pattern}",
        )


class MultiHopDistractors:
    """Values of the key's form from the very chunk that holds the key come first: they mislead who reads it alone."""

    def __init__(self, bank: Bank, single: DistractorWriter, *, options: int, seed: int) -> None:
        self._bank = bank
        self._single = single
        self._wanted = options - 1
        self._seed = seed

    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),
    ) -> tuple[Distractor, ...] | None:
        """Options - 1 of them; a later attempt draws others. None: too few."""
        second = draft.unit.second
        part = next(
            (p for p in source.parts if second and p.document.id == second.document_id and _inside(p, second)), None
        )
        if part is None:
            return None
        alone = Source(part.chunk, part.document)
        others = await self._single.write(draft, alone, attempt, feedback, refused) or ()
        chosen: list[Distractor] = []
        near = seeded_order(self._rivals(draft, alone), self._seed, "rivals", draft.id, attempt)
        for distractor in (*near, *others):
            if not any(same_option(distractor.text, taken.text) for taken in chosen):
                chosen.append(distractor)
        return tuple(chosen[: self._wanted]) if len(chosen) >= self._wanted else None

    def _rivals(self, draft: Draft, part: Source) -> list[Distractor]:
        text = " ".join(plain_sentences(part.chunk.text)).lower()
        found = []
        for candidate in self._bank.candidates.get(draft.answer_form, ()):
            option = candidate.text
            inside = candidate.document_id == part.document.id and option.lower() in text
            if (
                inside
                and _is_like(option, draft.key)
                and option.lower() not in f"{draft.stem} {draft.unit.statement}".lower()
            ):
                found.append(
                    Distractor(text=option, reason="stands beside the answer, about something else", mistake=_MISTAKE)
                )
        return found


def _inside(part: Source, span: Span) -> bool:
    return part.chunk.start <= span.start and span.end <= part.chunk.end


def _is_like(option: str, key: str) -> bool:
    """Whether two answers look alike: a word or several, figures or none, a capital or none, about as long."""
    if same_option(option, key) or (len(option.split()) == 1) != (len(key.split()) == 1):
        return False
    alike = option[:1].isdigit() == key[:1].isdigit() and option[:1].isupper() == key[:1].isupper()
    return alike and 0.5 <= len(option) / len(key) <= 2


class BridgeCritic:
    """Does the stem leave the name to be found out, and does only one thing answer?"""

    name = "bridge"

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """Fails a stem of which a sentence that holds the key holds as much as both facts leave open."""
        for n, share in sorted(sharing(draft.stem, self._bank).items()):
            sentence = self._bank.sentences[n]
            if share >= _ONE_SENTENCE and draft.key.lower() in sentence.lower():
                reason = f"One sentence is enough to answer it: {sentence}"
                return Verdict(critic=self.name, passed=False, reason=reason, code="one_hop", score=share)
        return Verdict(
            critic=self.name, passed=True, reason="No one sentence holds the key and most of what is asked."
        )


class TwoHopSolvable:
    """Lets every reader try the item without documents, with either chunk alone, and with both.

    Without documents no reader may be sure of the key. With one chunk none may be sure of it on the strength of a
    sentence that holds half of what the stem says: less cannot tell whether it is about the thing asked for. With
    both, one that reads two sentences as one must pick it each time.
    """

    name = "two hops"

    def __init__(self, readers: Sequence[Reader], two_hop: Reader, seed: int) -> None:
        self._readers = tuple(readers)
        self._two_hop = two_hop
        self._seed = seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        """Fails a key that both chunks do not bear out, that one alone decides, or that wording gives away."""
        options = [draft.key, *(d.text for d in distractors)]

        def tried(reader: Reader, passages: Sequence[str]) -> Attempt:
            return attempt_item(reader, draft, options, passages, self._seed)

        texts = [part.chunk.text for part in source.parts]
        read = [tried(reader, texts) for reader in (*self._readers, self._two_hop)]
        blind = [tried(reader, ()) for reader in self._readers]
        trials = tuple(a.trial for a in (*blind, *read))
        if not read[-1].always:
            reason = "Who reads both chunks as one does not arrive at the key."
            return Verdict(
                critic=self.name, passed=False, reason=reason, code="not_solvable", blames="key", trials=trials
            )
        guessed = next((a for a in blind if a.sure), None)
        if guessed:
            reason = f"The {guessed.trial.reader} reader is sure of the key without any chunk."
            return Verdict(
                critic=self.name, passed=False, reason=reason, code="guessable", blames="options", trials=trials
            )
        for text in texts:
            alone = next((a for a in (tried(reader, (text,)) for reader in self._readers) if a.decided), None)
            if alone:
                reason = f"One chunk is enough for the {alone.trial.reader} reader: {text[:80].strip()} …"
                return Verdict(
                    critic=self.name,
                    passed=False,
                    reason=reason,
                    code="one_chunk_decides",
                    blames="options",
                    trials=trials,
                )
        return Verdict(critic=self.name, passed=True, reason="Both chunks are needed, and enough.", trials=trials)
