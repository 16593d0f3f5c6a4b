"""From accepted items to an exam: which ones, in which order, with the key where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from viva.core.ids import content_hash, rng, seeded_order
from viva.core.records import Document, Exam, ExamItem, Item, WorkedExample

# shares of the exam that patterns of little interest may take; they fill up only what others leave
_SHARES = {"header-field": 0.15, "completion": 0.25}


def assemble_exam(
    items: Sequence[Item], documents: Sequence[Document], *, size: int, examples: int, seed: int
) -> tuple[Exam, dict[str, int]]:
    """The exam of at most `size` items, and how many accepted items were left out for which reason.

    Depends on the set of items and the seed, not on the order in which they were accepted.
    """
    distinct, repeated = _without_repeats(sorted(items, key=lambda item: item.id))
    order = _spread(distinct, seed)
    # at most one item in five is set aside: a small exam needs its questions more than its examples
    examples = min(examples, len(order) // 5)
    # worked examples come from what the exam has no room for; only if that is too little, from the exam's own
    room = min(size, max(0, len(order) - examples))
    chosen, rest = _within_shares(order, room)
    aside = [item for item in order if item.id in rest][:examples]
    left = Counter({"repeats another item": repeated, "no room": len(order) - len(chosen) - len(aside)})
    shown = _shown(sorted(chosen, key=lambda item: item.id), seed)
    texts = {document.id: document.text for document in documents}
    worked = tuple(_worked(item, texts, seed) for item in aside)
    exam_id = content_hash("exam", *(f"{s.item.id}:{s.options}" for s in shown), "|", *(w.stem for w in worked))
    return Exam(id=exam_id, items=tuple(shown), examples=worked), {k: n for k, n in sorted(left.items()) if n}


def _without_repeats(items: Sequence[Item]) -> tuple[list[Item], int]:
    seen: set[str] = set()
    kept = []
    for item in items:
        stem = " ".join(item.stem.casefold().split())
        if stem not in seen:
            seen.add(stem)
            kept.append(item)
    return kept, len(items) - len(kept)


def _spread(items: Sequence[Item], seed: int) -> list[Item]:
    """All items, so ordered that any beginning covers documents and question types evenly."""
    of_document: Counter[str] = Counter()
    of_type: Counter[str] = Counter()
    remaining = seeded_order(items, seed, "exam")
    place = {item.id: n for n, item in enumerate(remaining)}
    order = []
    while remaining:
        item = min(
            remaining,
            key=lambda i: (of_document[i.evidence.document_id] + 0.5 * of_type[i.question_type], place[i.id]),
        )
        remaining.remove(item)
        of_document[item.evidence.document_id] += 1
        of_type[item.question_type] += 1
        order.append(item)
    return order


def _within_shares(order: Sequence[Item], size: int) -> tuple[list[Item], set[str]]:
    """The first `size` items that keep to the shares, filled up with the others; and the ids of the rest."""
    taken: Counter[str] = Counter()
    chosen: list[Item] = []
    for item in order:
        share = _SHARES.get(item.provenance.pattern)
        if len(chosen) < size and (share is None or taken[item.provenance.pattern] < share * size):
            taken[item.provenance.pattern] += 1
            chosen.append(item)
    ids = {item.id for item in chosen}
    for item in order:
        if len(chosen) < size and item.id not in ids:
            chosen.append(item)
            ids.add(item.id)
    return chosen, {item.id for item in order} - ids


def _shown(items: Sequence[Item], seed: int) -> list[ExamItem]:
    """Options in a seeded order, the key at each position equally often (to within one)."""
    positions: list[int] = []
    width = max((1 + len(item.distractors) for item in items), default=1)
    while len(positions) < len(items):
        positions += seeded_order(range(width), seed, "positions", len(positions))
    return [_placed(item, position, seed) for item, position in zip(items, positions, strict=False)]


def _placed(item: Item, position: int, seed: int) -> ExamItem:
    position %= 1 + len(item.distractors)
    options = [distractor.text for distractor in item.distractors]
    rng(seed, "options", item.id).shuffle(options)
    options.insert(position, item.key)
    return ExamItem(item=item, options=tuple(options), key_position=position)


def _worked(item: Item, texts: dict[str, str], seed: int) -> WorkedExample:
    shown = _placed(item, rng(seed, "example", item.id).randrange(1 + len(item.distractors)), seed)
    text, evidence = texts[item.evidence.document_id], item.evidence
    context = text[max(0, evidence.start - 300) : evidence.end + 300]
    return WorkedExample(stem=item.stem, options=shown.options, key_position=shown.key_position, context=context)
