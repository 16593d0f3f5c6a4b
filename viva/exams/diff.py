"""What changed from one exam to another: which questions came, went, or were mended, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import Field

from viva.core.records import Exam, ExamItem, Item, Record, Span
from viva.core.text.overlap import normalised_tokens

NEAR_STEM = 0.8
"""share of distinct words in common (Dice) from which two stems are wordings of one question"""
SAME_EVIDENCE = 0.3
"""the same where both rest on the same evidence"""
_METADATA = "kind question_type question_word bloom topic language difficulty known guessable disputable".split()

T = TypeVar("T")


class Change(Record):
    """One thing about an item that is not as it was; "" on the side that has nothing."""

    what: str = Field(
        description="conversation, stem, key, option, order, reference answer, evidence, or a metadata field"
    )
    before: str
    after: str


class ItemRef(Record):
    """An item by the number it is asked as, from 1."""

    number: int
    id: str
    stem: str


class ItemChange(Record):
    """One question in both exams, not the same in both."""

    before: ItemRef
    after: ItemRef
    changes: tuple[Change, ...]


class ExamDiff(Record):
    """From the first exam to the second. `equal`: the same questions shown in the same way and order."""

    first_id: str
    second_id: str
    equal: bool
    added: tuple[ItemRef, ...]
    removed: tuple[ItemRef, ...]
    changed: tuple[ItemChange, ...]
    same: int = Field(description="questions that are the same in every respect")
    reordered: bool = Field(description="whether the questions in both come in another order")
    examples_changed: bool = Field(description="whether the worked examples are others")


def exam_diff(first: Exam, second: Exam) -> ExamDiff:
    """What makes the second exam of the first."""
    pairs = _paired(first.items, second.items)
    of_second = {after: before for before, after in pairs.items()}
    changed = [
        ItemChange(before=_ref(first, before), after=_ref(second, after), changes=changes)
        for before, after in pairs.items()
        if (changes := _changes(first.items[before], second.items[after]))
    ]
    places = [pairs[before] for before in sorted(pairs)]
    added = tuple(_ref(second, n) for n in range(len(second.items)) if n not in of_second)
    removed = tuple(_ref(first, n) for n in range(len(first.items)) if n not in pairs)
    reordered, examples_changed = places != sorted(places), first.examples != second.examples
    return ExamDiff(
        first_id=first.id,
        second_id=second.id,
        equal=not (added or removed or changed or reordered or examples_changed),
        added=added,
        removed=removed,
        changed=tuple(sorted(changed, key=lambda change: change.before.number)),
        same=len(pairs) - len(changed),
        reordered=reordered,
        examples_changed=examples_changed,
    )


def _ref(exam: Exam, place: int) -> ItemRef:
    item = exam.items[place].item
    return ItemRef(number=place + 1, id=item.id, stem=item.stem)


# --- which question is which ------------------------------------------------------------------------------


def _paired(first: Sequence[ExamItem], second: Sequence[ExamItem]) -> dict[int, int]:
    """Places in the first exam -> places in the second: by id, then by stem, then by nearness."""
    pairs: dict[int, int] = {}
    for name in (lambda item: item.id, lambda item: normalised_tokens(item.asked)):
        _pair_by(name, first, second, pairs)
    taken = set(pairs.values())
    rest = [(n, _Wording(s.item)) for n, s in enumerate(first) if n not in pairs]
    others = [(n, _Wording(s.item)) for n, s in enumerate(second) if n not in taken]
    near = [(-nearness, n, m) for n, a in rest for m, b in others if (nearness := a.nearness(b)) > 0]
    for _, n, m in sorted(near):
        if n not in pairs and m not in taken:
            pairs[n] = m
            taken.add(m)
    return pairs


def _pair_by(
    name: Callable[[Item], object], first: Sequence[ExamItem], second: Sequence[ExamItem], pairs: dict[int, int]
) -> None:
    """Pair what has the same name, the earliest with the earliest."""
    taken = set(pairs.values())
    waiting: dict[object, list[int]] = {}
    for m in reversed(range(len(second))):
        if m not in taken:
            waiting.setdefault(name(second[m].item), []).append(m)
    for n, shown in enumerate(first):
        if n not in pairs and (found := waiting.get(name(shown.item))):
            pairs[n] = found.pop()


class _Wording:
    """What two wordings of one question are known by."""

    def __init__(self, item: Item) -> None:
        self._words = frozenset(normalised_tokens(item.stem))
        self._key = normalised_tokens(item.key)
        self._evidence = item.evidence
        # a document that was edited elsewhere has another id, the quote is the same
        quoted = (part for span in item.evidence for part in (span.document_id, span.quote))
        self._anchors = frozenset([*quoted, *item.contexts])

    def nearness(self, other: _Wording) -> float:
        """0 where they are two questions, above 1 where they rest on the same evidence.

        One piece of evidence may carry two questions. Near stems over different evidence are questions about
        different things (this pump, that pump) unless the key is the same.
        """
        same_key = self._key == other._key
        if not self._anchors.isdisjoint(other._anchors) and self._same_evidence(other):
            return 1 + shared if (shared := self._shared(other)) >= SAME_EVIDENCE or same_key else 0.0
        if same_key or not self._evidence or not other._evidence:
            return shared if (shared := self._shared(other)) >= NEAR_STEM else 0.0
        return 0.0

    def _same_evidence(self, other: _Wording) -> bool:
        common = self._anchors & other._anchors - {span.document_id for span in (*self._evidence, *other._evidence)}
        return bool(common) or any(_overlapping(a, b) for a in self._evidence for b in other._evidence)

    def _shared(self, other: _Wording) -> float:
        total = len(self._words) + len(other._words)
        return 2 * len(self._words & other._words) / total if total else 0.0


def _overlapping(a: Span, b: Span) -> bool:
    return a.document_id == b.document_id and a.start < b.end and b.start < a.end


# --- what is not as it was --------------------------------------------------------------------------------


def _changes(before: ExamItem, after: ExamItem) -> tuple[Change, ...]:
    old, new = before.item, after.item
    found = [
        *_changed("conversation", _said(old), _said(new)),
        *_changed("stem", old.stem, new.stem),
        *_changed("key", old.key, new.key),
        *_options(old, new),
        *_order(before, after),
        *_changed("reference answer", old.reference_answer, new.reference_answer),
        *_changed("evidence", _quotes(old), _quotes(new)),
        *_changed("contexts", " | ".join(old.contexts), " | ".join(new.contexts)),
        *(change for name in _METADATA for change in _changed(name, _told(old, name), _told(new, name))),
        *_changed("reviews", _reviews(old), _reviews(new)),
        *_changed("trials", _trials(old), _trials(new)),
    ]
    return tuple(found)


def _changed(what: str, before: str, after: str) -> list[Change]:
    return [] if before == after else [Change(what=what.replace("_", " "), before=before, after=after)]


def _options(old: Item, new: Item) -> list[Change]:
    """Wrong options that came or went; one of each at the same place is one that was reworded."""
    before, after = [w.text for w in old.distractors], [w.text for w in new.distractors]
    gone, come = _without(before, after), _without(after, before)
    width = max(len(gone), len(come))
    pad = [""] * width
    return [
        Change(what="option", before=a, after=b)
        for a, b in zip([*gone, *pad][:width], [*come, *pad][:width], strict=True)
    ]


def _without(values: Sequence[T], others: Sequence[T]) -> list[T]:
    left = list(others)
    kept = []
    for value in values:
        if value in left:
            left.remove(value)
        else:
            kept.append(value)
    return kept


def _order(before: ExamItem, after: ExamItem) -> list[Change]:
    """Only where the options are the same: others stand in no order to compare."""
    if sorted(before.options) != sorted(after.options):
        return []
    return _changed("option order", " | ".join(before.options), " | ".join(after.options))


def _said(item: Item) -> str:
    return " | ".join(turn.line for turn in item.history)


def _quotes(item: Item) -> str:
    return " | ".join(span.quote for span in item.evidence)


def _told(item: Item, name: str) -> str:
    value = getattr(item, name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else value or ""


def _reviews(item: Item) -> str:
    return ", ".join(f"{review.decision} by {review.by}" for review in item.provenance.reviews)


def _trials(item: Item) -> str:
    return ", ".join(
        f"{trial.reader} {'with evidence' if trial.with_evidence else 'blind'} {trial.picked}/{trial.tried}"
        for trial in item.trials
    )
