"""viva's own table (docs/exam-file.md): CSV for spreadsheets, a row per question."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeVar

from viva.core.records import Distractor, ExamItem, ItemKind, QuestionType
from viva.core.tables import Row
from viva.exams.file import compact
from viva.exams.formats.base import Seen
from viva.exams.formats.conversations import as_messages, turns_in
from viva.exams.formats.rows import RowFormat, text_of

NAME = "csv"
E = TypeVar("E", bound=StrEnum)

_DISTRACTOR = re.compile(r"distractor_(\d{1,4})")
_OPTION = re.compile(r"(?:option|choice|answer|wrong)?[ _]?(?:[a-h]|[1-9])", re.IGNORECASE)
"""How others call columns of options: without this they would be passed over and the question be an open one."""


def _see(row: Row) -> Seen:
    position = text_of(row, "position").strip()
    if position and not re.fullmatch(r"[1-9]\d{0,3}", position):
        raise ValueError("its position is no number from 1")
    if not any(_DISTRACTOR.fullmatch(name) for name in row):
        strange = [name for name in row if _OPTION.fullmatch(name)]
        if strange:
            raise ValueError(f"its options are to be in columns distractor_1, distractor_2 ..., not {strange[0]!r}")
    said = text_of(row, "history").strip()
    columns = sorted((int(found[1]), name) for name in row if (found := _DISTRACTOR.fullmatch(name)))
    wrong = [text for _, name in columns if (text := text_of(row, name))]
    return Seen(
        stem=text_of(row, "stem"),
        history=turns_in(said) if said else (),
        key=text_of(row, "key"),
        wrong=tuple(Distractor(text=text) for text in wrong),
        position=int(position) - 1 if position else None,
        reference=text_of(row, "reference"),
        topic=text_of(row, "topic"),
        language=text_of(row, "language").strip(),
        kind=_one_of(ItemKind, row, "kind", ItemKind.SINGLE_HOP),
        type=_one_of(QuestionType, row, "type", QuestionType.FACTOID),
    )


def _show(shown: ExamItem) -> Row:
    item = shown.item
    wrong = [text for n, text in enumerate(shown.options) if n != shown.key_position]
    return {
        **({"history": compact(as_messages(item.history))} if item.history else {}),
        "stem": item.stem,
        "key": item.key,
        **{f"distractor_{n}": text for n, text in enumerate(wrong, start=1)},
        "position": str(shown.key_position + 1),
        "reference": item.reference_answer,
        "evidence_quote": "\n\n".join(span.quote for span in item.evidence) or "\n\n".join(item.contexts),
        "topic": item.topic,
        "language": item.language,
        "type": str(item.question_type),
        "kind": str(item.kind),
        "bloom": ", ".join(item.bloom),
        "difficulty": str(item.difficulty or ""),
    }


def _one_of(kind: type[E], row: Row, name: str, default: E) -> E:
    text = text_of(row, name).strip().casefold()
    try:
        return kind(text) if text else default
    except ValueError:
        allowed = ", ".join(kind)
        raise ValueError(f"its {name} is {text!r}; it can be {allowed}") from None


TABLE = RowFormat(NAME, _see, _show, ("viva",))
