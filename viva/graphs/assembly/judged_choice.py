"""What models find of the questions that were chosen for an exam, before it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from viva.agents.roles import Cast
from viva.core.records import Document, Item, ItemKind
from viva.graphs.assembly.blind_solving import BlindSolving, solve_blind
from viva.graphs.assembly.deduplication import Embed
from viva.graphs.assembly.final_reading import FinalReading, read_finally
from viva.graphs.assembly.pair_judging import MOST_PAIRS, JudgedPairs, judged_pairs


@dataclass(frozen=True)
class Lacking:
    """Places of an exam, meant for items of one kind, that no item fills which is fit to print and in no reserve."""

    unfilled: int
    """empty, or with an item of another kind, or with one that the final reader refused"""
    reserves: int
    """with an item in reserve"""


@dataclass(frozen=True)
class JudgedChoice:
    """What was found of all the items that were chosen so far, and what the exam of them lacks."""

    solving: BlindSolving = field(default_factory=BlindSolving)
    reading: FinalReading = field(default_factory=FinalReading)
    pairs: JudgedPairs = field(default_factory=JudgedPairs)
    sources: tuple[str, ...] = ()
    """ids of the sources whose items could be chosen, once all that were chosen of them are judged"""
    lacking: Mapping[ItemKind, Lacking] = field(default_factory=dict)
    """by kind, where that exam lacks any"""
    vain: int = 0
    """times in a row that further sources left as much lacking as before"""

    @property
    def asked(self) -> tuple[frozenset[str], frozenset[str], frozenset[tuple[str, str]]]:
        """What models were asked about."""
        return self.solving.tried, self.reading.read, self.pairs.asked

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what could not be judged."""
        return (*self.pairs.notes, *self.solving.notes, *self.reading.notes)

    def counted(self, items: Iterable[Item]) -> tuple[int, int]:
        """Count those that the final reader has not refused, and of these those that are in no reserve."""
        kept = [item for item in self.solving.marked(items) if item.id not in self.reading.refused]
        return len(kept), sum(not item.in_reserve for item in kept)

    def of_exam(self, chosen: Sequence[Item], sources: Sequence[str], wanted: Mapping[ItemKind, int]) -> Self:
        """Give it with what the exam of these items lacks, the best of these sources, of the items wanted by kind."""
        lacking = {}
        for kind, number in wanted.items():
            kept, sound = self.counted(item for item in chosen if item.kind is kind)
            if sound < number:
                lacking[kind] = Lacking(max(number - kept, 0), min(number, kept) - sound)
        vain = self.vain + 1 if self.sources and _number(lacking) >= _number(self.lacking) else 0
        return replace(self, sources=tuple(sources), lacking=lacking, vain=vain)


def _number(lacking: Mapping[ItemKind, Lacking]) -> tuple[int, int]:
    return sum(each.unfilled for each in lacking.values()), sum(each.reserves for each in lacking.values())


async def judge_choice(
    cast: Cast, chosen: Sequence[Item], documents: Mapping[str, Document], embed: Embed, before: JudgedChoice
) -> JudgedChoice:
    """Have what was not judged before tried without documents, read as an editor does, and held against the others.

    At most `MOST_PAIRS` pairs are judged for each chosen item.
    """
    solving, reading, pairs = before.solving, before.reading, before.pairs
    if cast.blind_solver is not None:
        solving = await solve_blind(cast.blind_solver, chosen, solving)
    if cast.final_reader is not None:
        reading = await read_finally(cast.final_reader, chosen, documents, solving.guesses, reading)
    if cast.pair_critic is not None and len(pairs.asked) < MOST_PAIRS * len(chosen):
        printed = [item for item in chosen if item.id not in reading.refused]
        pairs = await judged_pairs(cast.pair_critic, printed, embed, pairs)
    return replace(before, solving=solving, reading=reading, pairs=pairs)
