"""Pairs of accepted items that may not go together in an exam: found by rules without cost, judged by a model.

Candidates are near each other in meaning (embedding of question and key), share words that few items have, such as
names, or the one holds the words of the other's key. Among the handbook's 72 accepted items 58 pairs reach `NEAR`.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from viva.agents.roles import ItemPairVerdict, PairCritic
from viva.core.records import Item, ItemKind
from viva.core.text.overlap import content_words
from viva.core.wording import counted
from viva.graphs.assembly.asking_in_groups import ask_in_groups
from viva.graphs.assembly.deduplication import GIVES_AWAY, Embed
from viva.metrics.text.cosines import cosines

NEAR = 0.75
"""What cosine, shared words and a key that is held must come to together, for a pair to be judged."""
HOLDS_KEY = 0.3
PAIRS_PER_ITEM = 1
"""Pairs that are judged at most in one round, for each item of an exam; the nearest first."""
MOST_PAIRS = 2
"""Pairs that are judged at most in all, for each item of an exam; a round that has begun ends."""
PAIRS_PER_CALL = 8
_REASONS = {
    ItemPairVerdict.GIVES_AWAY: GIVES_AWAY,
    ItemPairVerdict.SAME_FACT: "asks the same fact as another item",
    ItemPairVerdict.SAME_EVENT: "asks about the same event as another item",
}


@dataclass(frozen=True)
class JudgedPairs:
    """What a model found of pairs of accepted items."""

    apart: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """ids of two items that cannot stand in one exam, and why the one of them is left out"""
    asked: frozenset[tuple[str, str]] = frozenset()
    """ids of the two items of each pair that a model was asked about"""
    failed: int = 0
    """pairs that were asked about and not judged: both of their items may be in the exam"""

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about pairs that were not judged; none where all were."""
        note = (
            f"{counted(self.failed, 'pair')} of {len(self.asked)}, of questions that are near each other, could not "
            "be judged: both questions of such a pair may be in the exam, though one gives the other away. The same "
            "command asks again."
        )
        return (note,) if self.failed else ()


_NONE = JudgedPairs()


async def judged_pairs(
    critic: PairCritic, items: Sequence[Item], embed: Embed, before: JudgedPairs = _NONE
) -> JudgedPairs:
    """Ask about the nearest pairs of these items that were not asked about before, several in a call.

    A spent budget leaves pairs unjudged. Gives what was found before, too.
    """
    pairs = await asyncio.to_thread(near_pairs, items, embed, before.asked)
    verdicts = await ask_in_groups(critic.judge, pairs, PAIRS_PER_CALL, lambda pair: pair[0].provenance.chunk_id)
    found = zip(pairs, verdicts, strict=True)
    apart = {(one.id, other.id): _REASONS[verdict] for (one, other), verdict in found if verdict in _REASONS}
    asked = before.asked.union((one.id, other.id) for one, other in pairs)
    return JudgedPairs({**before.apart, **apart}, asked, before.failed + verdicts.count(None))


def fact_text(item: Item) -> str:
    """Give what is embedded of an item to find those near it."""
    return item.asked if item.kind is ItemKind.UNANSWERABLE else f"{item.asked} {item.key}"


def near_pairs(
    items: Sequence[Item], embed: Embed, but: Set[tuple[str, str]] = frozenset()
) -> list[tuple[Item, Item]]:
    """Find pairs, `but` for these, that may not go together, the nearest first; the same in any order of items."""
    items = sorted(items, key=lambda item: item.id)
    if len(items) < 2:
        return []
    facts = [fact_text(item) for item in items]
    vectors = embed(facts)
    cosine = cosines(vectors, vectors)
    words = [_Words.of(item, fact) for item, fact in zip(items, facts, strict=True)]
    of_items = Counter(word for each in words for word in each.fact)
    weight = {word: round(1000 * math.log((len(items) + 1) / count)) for word, count in of_items.items()}
    scored = []
    for m, one in enumerate(words):
        for n, other in enumerate(words[m + 1 :], m + 1):
            near = (
                float(cosine[m, n]) + one.shared(other, weight) + HOLDS_KEY * (one.holds(other) or other.holds(one))
            )
            if near >= NEAR and (items[m].id, items[n].id) not in but:
                scored.append((-round(near, 4), m, n))
    return [(items[m], items[n]) for _, m, n in sorted(scored)[: PAIRS_PER_ITEM * len(items)]]


@dataclass(frozen=True)
class _Words:
    """The words of an item."""

    fact: frozenset[str]
    """of question and key"""
    unasked: frozenset[str]
    """of the key, that the question does not have"""
    shown: frozenset[str]
    """of question and all options"""

    @classmethod
    def of(cls, item: Item, fact: str) -> _Words:
        asked, options = _set(item.asked, item), " ".join((item.key, *(d.text for d in item.distractors)))
        # of all that have no answer the key is one
        key = frozenset[str]() if item.kind is ItemKind.UNANSWERABLE else _set(item.key, item)
        return cls(_set(fact, item), key - asked, asked | _set(options, item))

    def holds(self, other: _Words) -> bool:
        """Tell whether it shows all words of the other's key that the other's question does not have."""
        return bool(other.unasked) and other.unasked <= self.shown

    def shared(self, other: _Words, weight: Mapping[str, int]) -> float:
        """Share of the words in common, by weight, of the one that has less; words that few items have weigh more."""
        mine, yours, both = (
            sum(weight[word] for word in words) for words in (self.fact, other.fact, self.fact & other.fact)
        )
        return both / min(mine, yours) if min(mine, yours) else 0.0


def _set(text: str, item: Item) -> frozenset[str]:
    return frozenset(content_words(text, item.language))
