"""The answer that the documents do not say it, among the options of questions that they do answer too.

Where it stood in unanswerable items alone, whoever picks it would be right each time.
"""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.ids import rng, seeded_order
from viva.core.records import Distractor, Item, ItemKind
from viva.metrics.item_writing.not_stated import not_stated
from viva.metrics.item_writing.options import is_crossing, options_defects


def with_decoys(items: Sequence[Item], seed: int) -> list[Item]:
    """The items, in order, some answerable ones with the unanswerable ones' key among their wrong options.

    So that it is the key as often as any other option is: in one of four of the items that show it, where items
    have four options. Where there are too few answerable items, all of them show it.
    """
    showing: set[str] = set()
    fit = {item.id for item in items if not item.is_open and _can_show(item)}
    for sentence in dict.fromkeys(not_stated(item.language) for item in items):
        same = [item for item in items if not_stated(item.language) == sentence]
        wanted = sum(len(item.distractors) for item in same if item.kind is ItemKind.UNANSWERABLE)
        able = [
            item.id for item in same if item.kind is not ItemKind.UNANSWERABLE and item.evidence and not item.is_open
        ]
        order = seeded_order(sorted(able), seed, "decoys")
        showing.update(sorted(order, key=lambda item_id: item_id not in fit)[:wanted])
    return [_with_decoy(item, seed) if item.id in showing else item for item in items]


def _with_decoy(item: Item, seed: int) -> Item:
    quotes = " … ".join(span.quote for span in item.evidence)
    decoy = Distractor(
        text=not_stated(item.language),
        reason=f"The documents do say it: “{quotes}”",
        mistake="What was not found is taken for what is not there.",
    )
    draw, places = rng(seed, "decoy", item.id), _places(item, decoy)
    at = draw.choice(places)
    if _spoils(item, decoy, at):
        at = draw.choice([n for n in range(len(item.distractors)) if not _spoils(item, decoy, n)] or places)
    wrong = _with(item, decoy, at)
    identity = Item.id_of(item.stem, item.key, [d.text for d in wrong], item.evidence, item.history)
    # how readers fared with other options says nothing of these
    return item.model_copy(update={"id": identity, "distractors": wrong, "trials": ()})


def _places(item: Item, decoy: Distractor) -> Sequence[int]:
    """Where it tells nothing: the key crosses no two options that are left, and is as long beside them as before."""
    every = range(len(item.distractors))
    apart = [n for n in every if not _crossing(item, n)] or every
    return [n for n in apart if _longest(item, _with(item, decoy, n)) == _longest(item)] or apart


def _spoils(item: Item, decoy: Distractor, at: int) -> bool:
    """Whether the options that are left tell the key by a rule that all of them kept."""
    before, after = (
        {defect.code for defect in options_defects(item.stem, item.key, [d.text for d in wrong], item.language)}
        for wrong in (item.distractors, _with(item, decoy, at))
    )
    return not after <= before


def _crossing(item: Item, left_out: int) -> bool:
    kept = [wrong.text for n, wrong in enumerate(item.distractors) if n != left_out]
    return is_crossing(item.key, kept, item.language)


def _can_show(item: Item) -> bool:
    """Whether some option can be left out without making the key the crossing of the others."""
    return any(not _crossing(item, n) for n in range(len(item.distractors)))


def _with(item: Item, decoy: Distractor, at: int) -> tuple[Distractor, ...]:
    return (*item.distractors[:at], decoy, *item.distractors[at + 1 :])


def _longest(item: Item, distractors: Sequence[Distractor] | None = None) -> bool:
    """Whether the key is longer than all of these wrong options."""
    wrong = item.distractors if distractors is None else distractors
    return len(item.key) > max(len(each.text) for each in wrong)


def lacking_decoys(items: Sequence[Item]) -> str:
    """In words, how often the sentence is right where it is shown, if that is more often than another option is."""
    key = [item.kind is ItemKind.UNANSWERABLE for item in items]
    showing = [
        n
        for n, item in enumerate(items)
        if key[n] or not_stated(item.language) in [wrong.text for wrong in item.distractors]
    ]
    if not any(key):
        return ""
    share = sum(key) / len(showing)
    widest = max(1 + len(items[n].distractors) for n in showing)
    if share <= 1 / widest + 1 / len(showing):
        return ""
    return (
        f"“{not_stated('en')}” is right in {share:.0%} of the questions that show it: too few answerable ones"
        " can show it as a wrong option."
    )
