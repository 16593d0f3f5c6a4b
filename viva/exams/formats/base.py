"""What all formats share: how an item is made of what a file shows, and how nothing is lost on the way.

Both directions keep what the other side has no place for, and trust it only while it agrees with what can be seen:
a file that viva writes carries each item whole beside its visible form, an item that was imported carries its record
as the file had it. Where the visible form was changed since, the visible form wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from viva.core.ids import seeded_order
from viva.core.records import (
    Distractor,
    Exam,
    ExamItem,
    Item,
    ItemKind,
    Provenance,
    QuestionType,
    Record,
    Span,
    Turn,
    WorkedExample,
)
from viva.core.tables import parse_json
from viva.core.text.overlap import caseless
from viva.exams.file import check_example, check_shown, compact, with_id
from viva.exams.published import Publication

_QUOTED = re.compile(r"\s*\([^()]*\)|“[^”]*”|'[^']*'")


@dataclass(frozen=True)
class FormatProblem:
    """A question of a file that was not taken, or not as viva wrote it: where, and why."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"

    @property
    def kind(self) -> str:
        """The reason without what it says of this row alone, by which problems are counted."""
        reason = _QUOTED.sub("", self.reason).partition(", that of")[0]
        return " ".join(reason.removesuffix(": left out").split())


@dataclass(frozen=True)
class _Asked:
    """A question that was taken: its place in the file, and its right answer."""

    where: str
    key: str


@dataclass
class Read:
    """What a file in another tool's format held."""

    items: list[ExamItem] = field(default_factory=list)
    examples: tuple[WorkedExample, ...] = ()
    problems: list[FormatProblem] = field(default_factory=list)
    publication: Publication | None = None

    def settle(
        self,
        where: str,
        seen: Seen | None,
        record: object,
        format: str,  # noqa: A002
        carried: Carried | None = None,
        *again: Callable[[ExamItem], Seen],
    ) -> None:
        """Takes the item a record carries where it still says what the record shows, else what the record shows.

        `seen` is None where the record is, word for word, what viva writes of the item that it carries.
        `again` writes an item in a way of this format and reads back what can be seen. ValueError, in words, where
        the record shows no question that can be graded. What is carried counts as it is: a format may show two
        options alike that differ in white space only.
        """
        if carried is None:
            if seen is None:
                raise ValueError("there is no question")
            shown = imported(seen, format, record)
            self._check_asked_once(where, shown)
        else:
            self.examples = self.examples or carried.examples
            shown = carried.item
            named = shown.item.is_open and (shown.item.contexts or shown.item.evidence)
            _check_texts(
                [shown.item.stem, shown.item.key or ("-" if named else "")],
                [wrong.text for wrong in shown.item.distractors],
            )
            if seen is not None and not any(_shows(carried.item, seen, way) for way in again):
                shown = _edited(shown, imported(seen, format, record))
                self.problems.append(FormatProblem(where, "edited since viva wrote it: taken as the file shows it"))
        if shown.item.id in self._ids:
            self.problems.append(FormatProblem(where, "repeats an earlier question: left out"))
            return
        self._ids.add(shown.item.id)
        self.items.append(shown)

    def _check_asked_once(self, where: str, shown: ExamItem) -> None:
        """ValueError where it was asked before with the same answer, or where one of the two calls the other wrong.

        An open question has one answer. Of multiple choice only an option that is right in one row and wrong in
        the other is known to contradict: "Which of these is true?" may be asked of other options.
        """
        item = shown.item
        asked, key, *wrong = (caseless(t) for t in (item.asked, item.key, *(w.text for w in item.distractors)))
        if repeated := self._right.get((asked, key, item.is_open)):
            raise ValueError(f"repeats an earlier question, that of {repeated.where}: left out")
        before = [self._wrong.get((asked, key))]
        before += [self._right.get((asked, text, is_open)) for text in wrong for is_open in (False, True)]
        if item.is_open:
            before.append(self._open.get(asked))
        if other := next(filter(None, before), None):
            raise ValueError(
                f"contradicts an earlier question, that of {other.where}: its answer is “{_short(other.key)}” there, "
                f"“{_short(item.key)}” here: left out"
            )
        taken = self._right[asked, key, item.is_open] = _Asked(where, item.key)
        self._wrong |= {(asked, text): taken for text in wrong}
        if item.is_open:
            self._open.setdefault(asked, taken)

    _ids: set[str] = field(default_factory=set)
    _right: dict[tuple[str, str, bool], _Asked] = field(default_factory=dict)
    """by question, right answer, and whether it has no options"""
    _wrong: dict[tuple[str, str], _Asked] = field(default_factory=dict)
    """by question and wrong option"""
    _open: dict[str, _Asked] = field(default_factory=dict)

    def refuse(self, where: str, reason: object) -> None:
        """A question that cannot be taken."""
        self.problems.append(FormatProblem(where, str(reason)))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


class Carried(Record):
    """What a file that viva wrote carries beside each visible item; the first one carries the worked examples too."""

    item: ExamItem
    examples: tuple[WorkedExample, ...] = ()


def carried_of(value: object) -> Carried | None:
    """What a file carries for viva, or None where it is nothing of the kind: files are edited."""
    try:
        carried = Carried.model_validate(value)
        check_shown(carried.item)
        for example in carried.examples:
            check_example(example)
    except ValueError:
        return None
    return Carried(item=with_id(carried.item), examples=carried.examples)


def carry(exam: Exam) -> Iterable[tuple[ExamItem, dict[str, object]]]:
    """Each item with what its record is to carry, JSON-able."""
    for number, shown in enumerate(exam.items):
        value: dict[str, object] = {"item": shown.model_dump(mode="json")}
        if number == 0 and exam.examples:
            value["examples"] = [example.model_dump(mode="json") for example in exam.examples]
        yield shown, value


def original_of(shown: ExamItem, format: str, see: Callable[[object], Seen]) -> object | None:  # noqa: A002
    """The record an item was imported from, where the file was of this format and the item is still what it said."""
    provenance = shown.item.provenance
    if provenance.cast != cast_of(format) or not provenance.original:
        return None
    try:
        record = parse_json(provenance.original)
        return record if imported(see(record), format, record) == shown else None
    except ValueError:
        # exam files are edited, this field too
        return None


def cast_of(format: str) -> str:  # noqa: A002
    """Provenance.cast of what was imported from a format."""
    return f"imported: {format}"


@dataclass(frozen=True)
class Seen:
    """A question as a file shows it."""

    stem: str
    key: str
    wrong: tuple[Distractor, ...] = ()
    """in the order in which they are shown"""
    position: int | None = None
    """of the key among the options; None where the file gives no order"""
    reference: str = ""
    contexts: tuple[str, ...] = ()
    evidence: tuple[Span, ...] = ()
    topic: str = ""
    language: str = ""
    kind: ItemKind = ItemKind.SINGLE_HOP
    type: QuestionType = QuestionType.FACTOID
    keyless: bool = False
    """whether it may be without a right answer, since its documents are what is known: for retrieval alone"""
    history: tuple[Turn, ...] = ()
    """the conversation that it follows on"""


def imported(seen: Seen, format: str, original: object) -> ExamItem:  # noqa: A002
    """The item of what a file shows. ValueError, in words, where it is no question that can be graded."""
    from viva.core.text.language_detection import detect_language
    from viva.metrics.item_writing.classes import bloom_levels, question_word

    _check(seen)
    language = seen.language or detect_language(seen.stem)
    follows_on = bool(seen.history) and seen.kind is ItemKind.SINGLE_HOP
    identity = Item.id_of(seen.stem, seen.key, [wrong.text for wrong in seen.wrong], seen.evidence, seen.history)
    try:
        item = Item(
            id=identity,
            stem=seen.stem,
            history=seen.history,
            key=seen.key,
            distractors=seen.wrong,
            reference_answer=seen.reference or seen.key,
            evidence=seen.evidence,
            contexts=seen.contexts,
            kind=ItemKind.FOLLOW_UP if follows_on else seen.kind,
            question_type=seen.type,
            question_word=question_word(seen.stem, language),
            bloom=bloom_levels(seen.stem, language),
            topic=seen.topic,
            language=language,
            provenance=Provenance(cast=cast_of(format), original=compact(original)),
        )
    except ValidationError as error:
        raise ValueError(error.errors(include_url=False)[0]["msg"]) from error
    options = [wrong.text for wrong in seen.wrong]
    position = seen.position
    if position is None:
        options = seeded_order(options, 0, "options", identity)
        position = int(identity, 16) % (1 + len(options))
    options.insert(position, seen.key)
    return ExamItem(item=item, options=tuple(options), key_position=position)


def _check(seen: Seen) -> None:
    wrong = [each.text for each in seen.wrong]
    key = seen.key or ("-" if seen.keyless and not wrong else "")
    said = [turn.text for turn in seen.history]
    _check_texts([seen.stem, key, seen.reference, seen.topic, *seen.contexts, *said], wrong)
    if seen.position is not None and not 0 <= seen.position <= len(wrong):
        raise ValueError(f"there is no option {seen.position}")


def _check_texts(texts: Sequence[str], wrong: Sequence[str]) -> None:
    """ValueError, in words. `texts` begin with the question and its right answer; `wrong` are the other options."""
    stem, key = texts[:2]
    if not stem.strip():
        raise ValueError("there is no question")
    if not key.strip():
        raise ValueError("there is no right answer")
    if any("\0" in text or any("\ud800" <= c <= "\udfff" for c in text) for text in (*texts, *wrong)):
        raise ValueError("it holds characters that are no text")
    if not all(text.strip() for text in wrong):
        raise ValueError("one of its options is empty")
    if len({key, *wrong}) <= len(wrong):
        raise ValueError("two of its options are the same")


def _shows(carried: ExamItem, seen: Seen, again: Callable[[ExamItem], Seen]) -> bool:
    """Whether the item a record carries looks like what the record shows."""
    try:
        return again(carried) == seen
    except ValueError:
        # what a record carries may have been edited too
        return False


def _edited(carried: ExamItem, seen: ExamItem) -> ExamItem:
    """What the file shows, with what viva knew of the item and an edit leaves true."""
    before, now = carried.item, seen.item
    open_form = now.is_open and not before.is_open
    told = {wrong.text: wrong for wrong in before.distractors}
    asks_the_same = (now.stem, now.history) == (before.stem, before.history) and (open_form or now.key == before.key)
    the_same = asks_the_same and set(told) == {wrong.text for wrong in now.distractors}
    update = {
        "stem": now.stem,
        "history": now.history,
        "key": before.key if open_form else now.key,
        "distractors": before.distractors
        if open_form
        else tuple(told.get(wrong.text, wrong) for wrong in now.distractors),
        "reference_answer": now.reference_answer,
        "contexts": now.contexts or before.contexts,
        "topic": now.topic or before.topic,
        "difficulty": None,
        "trials": (),
        "known": before.known and asks_the_same,
        "guessable": before.guessable and the_same,
        "disputable": before.disputable and the_same,
        "doubts": before.doubts if asks_the_same else 0,
    }
    shown = carried if open_form else seen
    return with_id(shown.model_copy(update={"item": before.model_copy(update=update)}))
