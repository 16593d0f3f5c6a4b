"""What a reader is handed instead of its own passages: nothing, the evidence, distracting passages, all shuffled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from viva.core.ids import rng, seeded_order
from viva.core.records import Chunk, ExamItem, Passage, Span
from viva.core.text.overlap import caseless
from viva.examinees.retrievers import ChunkIndex, Ranked, as_passages
from viva.metrics.retrieval.evidence_recall import evidence_recall_at

Context = Literal["own", "none", "shuffled", "distracted", "oracle", "oracle-distracted"]
CONTEXTS: tuple[Context, ...] = get_args(Context)
OF_OWN: frozenset[Context] = frozenset({"own", "shuffled", "distracted"})
"""Made of the passages that the system told it had."""
OF_EVIDENCE: frozenset[Context] = frozenset({"oracle", "oracle-distracted"})
DISTRACTORS = 4
"""Distracting passages that are mixed in."""
_LOOKED_AT = 20
_TOLERATED = 0.2
"""Share of the evidence that a distracting passage may hold at most: chunks overlap."""


@dataclass(frozen=True)
class Interventions:
    """Passages by context and question. `own` holds those a system told, by item id; all draws hang on the seed."""

    index: ChunkIndex
    own: Mapping[str, Sequence[Passage]]
    others: Sequence[ExamItem]
    """questions whose evidence may distract from another's of the same topic"""
    seed: int
    _held: dict[str, Ranked] = field(default_factory=dict)

    def can(self, context: Context, shown: ExamItem) -> bool:
        """Whether there is something to hand: a system's own passages, or the evidence."""
        if context in OF_OWN:
            return bool(self.own.get(shown.item.id))
        return context not in OF_EVIDENCE or bool(self._holding(shown))

    def passages(self, context: Context, shown: ExamItem) -> tuple[Passage, ...]:
        """What the reader is handed with this question; () is a closed book."""
        match context:
            case "none":
                return ()
            case "own":
                return self._own(shown)
            case "shuffled":
                return self._shuffled(self._own(shown), shown)
            case "distracted":
                return self._among_distractors(self._own(shown), shown)
            case "oracle":
                return as_passages(self._holding(shown))
            case "oracle-distracted":
                return self._among_distractors(as_passages(self._holding(shown)), shown)

    def distractors(self, shown: ExamItem, beside: Sequence[Passage]) -> tuple[Passage, ...]:
        """Passages that look right and do not answer: high ranked for the question, then from questions of its topic.

        None of them holds the evidence, or the key's words, or stands among `beside`.
        """
        ranked = [chunk for chunk, _ in self.index.hybrid(shown.item.stem, _LOOKED_AT)]
        same = [each for each in self.others if each.item.topic == shown.item.topic and each.item.id != shown.item.id]
        near = (
            chunk
            for each in seeded_order(same, self.seed, "distract", shown.item.id)
            for chunk, _ in self._holding(each)
        )
        taken = {caseless(passage.text) for passage in beside}
        found: list[Chunk] = []
        for chunk in (*ranked, *near):
            if len(found) == DISTRACTORS:
                break
            if caseless(chunk.text) not in taken and not _tells(chunk, shown):
                taken.add(caseless(chunk.text))
                found.append(chunk)
        return as_passages([(chunk, 0.0) for chunk in found])

    def _holding(self, shown: ExamItem) -> Ranked:
        # all chunks are looked through for it
        if shown.item.id not in self._held:
            self._held[shown.item.id] = self.index.holding(shown)
        return self._held[shown.item.id]

    def _own(self, shown: ExamItem) -> tuple[Passage, ...]:
        return tuple(self.own.get(shown.item.id, ()))

    def _shuffled(self, passages: Sequence[Passage], shown: ExamItem) -> tuple[Passage, ...]:
        return tuple(seeded_order(passages, self.seed, "shuffle", shown.item.id))

    def _among_distractors(self, passages: Sequence[Passage], shown: ExamItem) -> tuple[Passage, ...]:
        """The passages in their order, distractors at places drawn between them."""
        mixed = list(passages)
        draw = rng(self.seed, "mix", shown.item.id)
        for each in self.distractors(shown, passages):
            mixed.insert(draw.randint(0, len(mixed)), each)
        return tuple(mixed)


def _tells(chunk: Chunk, shown: ExamItem) -> bool:
    """Whether the chunk may answer the question."""
    if caseless(shown.item.key) in caseless(chunk.text):
        return True
    passage = as_passages([(chunk, 0.0)])
    return any(_held(passage, span) > _TOLERATED for span in shown.item.evidence)


def _held(passage: Sequence[Passage], span: Span) -> float:
    return evidence_recall_at(1, passage, span) or 0.0
