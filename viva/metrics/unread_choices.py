"""Answers to multiple-choice questions in which no option can be read: they count as wrong, so that is noted."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from viva.core.notes import Note, NoteCode
from viva.core.records import NO_CHOICE, Exam, Examinee, Response

LEAST_SHARE = 0.1
"""Of a system's answers, from which on it is noted."""
MOST_EXAMPLES = 2
LONGEST_EXAMPLE = 80
"""Characters."""


def is_noted(count: int, of: int) -> bool:
    """Whether so many unread answers of so many are worth a note."""
    return count > 0 and count >= LEAST_SHARE * of


def examples_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The beginnings of the first different ones, each on one line, without characters that hide or reorder text."""
    different = dict.fromkeys(_beginning(text) for text in texts)
    return tuple(different)[:MOST_EXAMPLES]


def unread_choice_notes(exam: Exam, examinees: Sequence[Examinee], responses: Sequence[Response]) -> Iterator[Note]:
    """One for each examinee of whose answers a tenth or more mean no option."""
    shows_options = {shown.item.id for shown in exam.items if not shown.item.is_open}
    given: dict[str, list[Response]] = {examinee.id: [] for examinee in examinees}
    for response in responses:
        answered = response.failure is None and not response.is_retrieval
        if response.examinee_id in given and answered and response.item_id in shows_options:
            given[response.examinee_id].append(response)
    for examinee in examinees:
        own = given[examinee.id]
        unread = [response for response in own if response.choice is None]
        if is_noted(len(unread), len(own)):
            reasons = Counter(reason for response in unread if (reason := response.meta.get(NO_CHOICE)))
            yield Note(
                code=NoteCode.CHOICES_UNREAD,
                examinees=(examinee.id,),
                count=len(unread),
                of=len(own),
                examples=examples_of([response.text for response in unread]),
                reason=reasons.most_common(1)[0][0] if reasons else "",
            )


def _beginning(text: str) -> str:
    visible = "".join(
        char
        for char in text[: 4 * LONGEST_EXAMPLE]
        if unicodedata.category(char) not in {"Cc", "Cf"} or char.isspace()
    )
    line = " ".join(visible.split())
    cut = len(line) > LONGEST_EXAMPLE or len(text) > 4 * LONGEST_EXAMPLE
    return f"{line[: LONGEST_EXAMPLE - 1]}…" if cut else line
