"""A person's decisions about the items of an exam: recorded one by one, and the exam that comes of them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.core.records import Exam, ExamItem, Item, Record, Review
from viva.exams.file import with_id
from viva.metrics.item_writing.classes import bloom_levels, question_word

REVIEWS_FILE = "reviews.jsonl"
"""In a run folder."""
_WAIT_S = 5.0
EditedField = Literal["stem", "key", "option", "reference"]


class Overtaken(UsageError):
    """Somebody else has decided meanwhile."""


class Edit(Record):
    """Another wording for one part of an item; of an option, `before` says which."""

    field: EditedField
    before: str
    after: str


class Decision(Record):
    """One line of the log. An edited item stays undecided until it is accepted or rejected."""

    item: str = Field(description="id of the item as it stood when this was decided")
    unit: str | None = Field(
        default=None, description="id of the knowledge unit it asks about: the same whatever options it is shown with"
    )
    decision: Literal["accept", "edit", "reject", "undo"] = Field(
        description="undo takes back the last decision about the item that still holds"
    )
    by: str
    at: str = Field(description="ISO 8601, UTC")
    note: str = ""
    edit: Edit | None = None

    @property
    def review(self) -> Review:
        """The same as the item's provenance keeps it."""
        if self.decision == "undo":
            raise AssertionError("a decision that was taken back is none of the item's")
        if self.edit is None:
            return Review(decision=self.decision, by=self.by, at=self.at, note=self.note)
        note = f"{self.edit.field}, before: {self.edit.before}"
        return Review(decision=self.decision, by=self.by, at=self.at, note=note, before=self.item)


@dataclass(frozen=True)
class ReviewProgress:
    """How an item stands after the decisions about it."""

    shown: ExamItem

    @property
    def reviews(self) -> tuple[Review, ...]:
        """What was decided, the latest last."""
        return self.shown.item.provenance.reviews

    @property
    def settled(self) -> Literal["accept", "reject"] | None:
        """The decision that ends the matter; None while there is none."""
        last = self.reviews[-1].decision if self.reviews else None
        return None if last == "edit" else last

    @property
    def is_edited(self) -> bool:
        """Whether a person changed its wording."""
        return any(review.decision == "edit" for review in self.reviews)

    @property
    def seen(self) -> str:
        """What whoever decides has seen of the decisions, so that a later one is not overwritten."""
        last = self.reviews[-1] if self.reviews else None
        return f"{len(self.reviews)} {last.at} {last.by}" if last else "0"

    def check_seen(self, seen: str) -> None:
        """Overtaken where it was decided about since it was seen."""
        if seen == self.seen:
            return
        last = self.reviews[-1] if self.reviews else None
        told = f"{last.by} decided “{last.decision}” at {last.at}" if last else "a decision was taken back"
        raise Overtaken(
            f"Meanwhile {told}: what you saw is no longer so, and nothing was recorded.",
            next_step="Read the question again, then decide.",
        )

    def lacks(self, edit: Edit | None) -> bool:
        """Whether the edit is of a wording that is no longer there: another edit or another exam has exchanged it."""
        item = self.shown.item
        there = {
            "stem": (item.stem,),
            "key": (item.key,),
            "option": tuple(wrong.text for wrong in item.distractors),
            "reference": _answers(item, edit),
        }
        return edit is not None and edit.before not in there[edit.field]

    def after(self, decision: Decision) -> ReviewProgress:
        """With one more decision, which must be about the item as it stands."""
        shown = edited(self.shown, decision.edit) if decision.edit else self.shown
        return ReviewProgress(_reviewed(shown, decision.review))


def in_force(decisions: Iterable[Decision]) -> list[Decision]:
    """The decisions that nobody took back, in the order they were made.

    An undo names the item as it stood, and its unit: it takes back the last decision about either.
    """
    held: list[Decision] = []
    for decision in decisions:
        if decision.decision != "undo":
            held.append(decision)
            continue
        same = (
            n
            for n, earlier in reversed(list(enumerate(held)))
            if earlier.item == decision.item or (decision.unit and earlier.unit == decision.unit)
        )
        n = next(same, None)
        if n is not None:
            del held[n]
    return held


def standings(exam: Exam, decisions: Iterable[Decision]) -> list[ReviewProgress]:
    """How each item of the exam stands, in its order.

    Decisions about items that the exam does not hold are passed over: they are of an exam before or after it. So are
    those that its items carry already, and edits of a wording that is no longer there. UsageError for an edit that
    does not fit the item it names.
    """
    found = [ReviewProgress(shown) for shown in exam.items]
    place = {standing.shown.item.id: n for n, standing in enumerate(found)}
    by_unit = {unit: n for n, standing in enumerate(found) if (unit := standing.shown.item.provenance.unit_id)}
    for decision in in_force(decisions):
        n = place.get(decision.item, by_unit.get(decision.unit or ""))
        if n is None or decision.review in found[n].reviews or found[n].lacks(decision.edit):
            continue
        before = found[n].shown.item.id
        found[n] = found[n].after(decision)
        del place[before]
        place[found[n].shown.item.id] = n
    return found


def reviewed_items(items: Sequence[Item], decisions: Sequence[Decision]) -> list[Item]:
    """The items as they stand, without the rejected ones."""
    if not decisions:
        return list(items)
    options = [(item.key, *(wrong.text for wrong in item.distractors)) for item in items]
    shown = [ExamItem(item=i, options=o, key_position=0) for i, o in zip(items, options, strict=True)]
    return [each.shown.item for each in standings(Exam.of(shown), decisions) if each.settled != "reject"]


def reviewed_exam(exam: Exam, standing: Sequence[ReviewProgress]) -> Exam:
    """The exam as its items stand, without the rejected ones. UsageError where none is left."""
    kept = [each.shown for each in standing if each.settled != "reject"]
    if not kept:
        raise UsageError("Every question was rejected: there is no exam left.")
    return Exam.of(kept, exam.examples)


def _answers(item: Item, edit: Edit | None) -> tuple[str, ...]:
    """What an edit of the reference answer may have found there: a corrected key may have taken its place since."""
    return (item.reference_answer, *([edit.before] if edit and item.reference_answer == item.key else []))


def edited(shown: ExamItem, edit: Edit) -> ExamItem:
    """The item with one part reworded, and what was known of the old wording forgotten (how readers fared with it).

    UsageError where the new wording cannot be (it is empty, or is another option's) or the old one is not there.
    """
    after = checked_text(edit.after, "The new wording")
    item = shown.item
    if edit.field in ("key", "option"):
        return with_id(_option_edited(shown, edit.field, edit.before, after))
    if edit.before not in ((item.stem,) if edit.field == "stem" else _answers(item, edit)):
        raise UsageError(f"The {edit.field} of item {item.id} is no longer the one that was edited.")
    if edit.field == "reference":
        return shown.model_copy(update={"item": item.model_copy(update={"reference_answer": after})})
    update = {
        "stem": after,
        "question_word": question_word(after, item.language),
        "bloom": bloom_levels(after, item.language),
        "trials": (),
        "known": False,
        "guessable": False,
        "disputable": False,
        "doubts": 0,
        "difficulty": None,
    }
    return with_id(shown.model_copy(update={"item": item.model_copy(update=update)}))


def _option_edited(shown: ExamItem, field: EditedField, before: str, after: str) -> ExamItem:
    item = shown.item
    known = [item.key] if field == "key" else [wrong.text for wrong in item.distractors]
    if before not in known:
        raise UsageError(f"Item {item.id} has no {field} “{before}”.")
    if after in (option for option in shown.options if option != before):
        raise UsageError(f"“{after}” is another option of this question already.")
    n = shown.key_position if field == "key" else shown.options.index(before)
    # why the old wording was wrong says nothing of the new one
    reworded = {"text": after, "reason": "", "mistake": ""}
    distractors = tuple(
        wrong.model_copy(update=reworded) if field == "option" and wrong.text == before else wrong
        for wrong in item.distractors
    )
    # whether the new options lead to the key nobody has said
    update: dict[str, object] = {
        "distractors": distractors,
        "trials": (),
        "guessable": False,
        "disputable": False,
        "difficulty": None,
    }
    if field == "key":
        update |= {"key": after, "known": False, "doubts": 0}
        if item.reference_answer.strip() == before:
            update["reference_answer"] = after
    options = (*shown.options[:n], after, *shown.options[n + 1 :])
    return shown.model_copy(update={"item": item.model_copy(update=update), "options": options})


def checked_text(text: str, name: str) -> str:
    """The text without white space around it. UsageError where nothing is left, or it cannot be written or shown."""
    kept = text.strip()
    if not kept:
        raise UsageError(f"{name} is empty.")
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in kept):
        raise UsageError(f"{name} holds control characters.", allowed="One line of text in UTF-8.")
    return kept


def _reviewed(shown: ExamItem, review: Review) -> ExamItem:
    provenance = shown.item.provenance
    reviews = (*provenance.reviews, review)
    item = shown.item.model_copy(update={"provenance": provenance.model_copy(update={"reviews": reviews})})
    return shown.model_copy(update={"item": item})


class ReviewLog:
    """Decisions in a file, one line of JSON each, on the disk before the next question is asked."""

    def __init__(self, path: Path) -> None:
        """The log at `path`, which need not be there yet."""
        self.path = path

    def read(self) -> list[Decision]:
        """All decisions, in the order they were made. UsageError, with the line, where one cannot be read."""
        return [self._decision(n, line) for n, line in enumerate(self._lines(), start=1) if line.strip()]

    def append(self, decision: Decision) -> None:
        """Record one decision. UsageError where the file cannot be written."""
        line = f"{decision.model_dump_json()}\n".encode()
        try:
            self._cut_off_rest()
            with room_for(self.path), self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UsageError(f"The decision cannot be recorded in {self.path}: {error.strerror or error}.") from error

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """One person at a time, over all viewers and reviews of these questions."""
        try:
            with FileLock(self.path.with_suffix(".lock"), timeout=_WAIT_S):
                yield
        except Timeout as error:
            raise UsageError(
                "Somebody else is recording a decision.", next_step="Do it again in a moment."
            ) from error
        except OSError as error:
            raise UsageError(
                f"Nothing can be recorded in {self.path.parent}: {error.strerror or error}.",
                next_step="Make the folder writable, or copy it.",
            ) from error

    def _cut_off_rest(self) -> None:
        """Half a line, left by a kill or a full disk, must not spoil the next one."""
        if self.path.exists() and not self.path.read_bytes().endswith(b"\n"):
            os.truncate(self.path, sum(len(whole) + 1 for whole in self._lines()))

    def _lines(self) -> list[bytes]:
        """The whole lines: one that lacks its end is no decision."""
        try:
            return self.path.read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    def _decision(self, number: int, line: bytes) -> Decision:
        try:
            return Decision.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(
                f"Line {number} of {self.path} is no decision about an item.",
                next_step="Mend or remove that line; the others stand.",
            ) from error
