"""What a unit's walk through the item graph has made so far, and who works on it."""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import Annotated, TypedDict

from viva.agents.roles import Cast, Source
from viva.core.records import (
    Distractor,
    Draft,
    ExpertAnswer,
    Item,
    ItemKind,
    KnowledgeUnit,
    Rejection,
    Step,
    Verdict,
)


@dataclass(frozen=True)
class Committee:
    """Who works on a chunk, and the limits they keep."""

    cast: Cast
    items_per_chunk: int
    revisions: int
    redos: int
    options: int = 4
    """an item's, with the key"""
    main: ItemKind = ItemKind.SINGLE_HOP
    """the kind that most items are of"""

    def most(self, kind: ItemKind) -> int:
        """Items that one source of this kind gives at most: of a kind that few are wanted of, one."""
        return self.items_per_chunk if kind is self.main else 1


class ItemRecord(TypedDict, total=False):
    """What a unit's walk has made: its whole record."""

    items: Annotated[list[Item], add]
    rejections: Annotated[list[Rejection], add]
    steps: Annotated[list[Step], add]
    """in walking order; the chunk's walk numbers them"""


class ItemState(ItemRecord, total=False):
    """One unit's walk."""

    source: Source
    """the chunk and its document"""
    unit: KnowledgeUnit
    """what is asked about"""
    refused: int
    """how many units brought no item, or one in reserve, in this one's place before

    `source`, `unit` and `refused` are the graph's input."""
    draft: Draft | None
    expert_answer: ExpertAnswer | None
    verdict: Verdict | None
    """that ended the round, or of the last critic that spoke"""
    read: tuple[Verdict, ...]
    """of the screen and of the question's reader, who see no answer"""
    round: tuple[Verdict, ...]
    """of all critics that spoke of this question with its answer, in the order they were asked"""
    distractors: tuple[Distractor, ...] | None
    """as many as an item has; of those that were just written, the spare ones too"""
    option_round: tuple[Verdict, ...] | None
    """of all critics that spoke of these options"""
    borne: tuple[tuple[Distractor, ...], tuple[Verdict, ...]] | None
    """the last wrong options of this key that had but a slight fault, and what was said of them"""
    redos: int
    """how often the distractors were written again"""
    disputes: int
    """how often the key was doubted"""
