"""Small sound exams made by hand, for tests of what is done with an exam as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.records import (
    BloomLevel,
    Distractor,
    Exam,
    ExamItem,
    Item,
    Provenance,
    QuestionType,
    QuestionWord,
    Span,
)

TUGS = ("Bramble Jack", "Merry Otter", "Grey Widgeon", "Sable Hen", "Quiet Anna", "Old Tern", "Lady Moss", "Pike")
STEMS = (
    "What does the harbour tug {} pull at most?",
    "In which year was the ferry {} launched?",
    "Who repaired the rudder of the barge {}?",
    "Where does the pilot boat {} lie in winter?",
)
_NAMES = "Ella Piet Mara Joan".split()
_FAMILIES = "Voss Haan Lind Aske Moor Reed Holt Tarn".split()
_PLACES = "Holm Ness Cove Skaw Firt Bank Rock Sand".split()
_BERTHS = "Quay Dock Pool Mole".split()


def _answers(fact: int, tug: int) -> list[str]:
    """The key and three wrong options, all as long, none of them used elsewhere."""
    numbers = [20 + 9 * n + tug for n in range(4)]
    return [
        [f"{number} tonnes" for number in numbers],
        [f"19{number}" for number in numbers],
        [f"{_NAMES[n]} {_FAMILIES[(n + tug) % 8]}" for n in range(4)],
        [f"{_PLACES[(n + tug) % 8]} {_BERTHS[(n + 2 * tug) % 4]}" for n in range(4)],
    ][fact]


def exam_item(
    stem: str,
    options: Sequence[str],
    key: int = 0,
    *,
    document: str = "log",
    quote: str = "",
    bloom: tuple[BloomLevel, ...] = (BloomLevel.REMEMBER,),
    **more: object,
) -> ExamItem:
    """An item with its options in this order; with one option it is open."""
    wrong = tuple(Distractor(text=option) for n, option in enumerate(options) if n != key)
    text = quote or f"{stem} {options[key]}."
    evidence = (Span(document_id=document, start=0, end=len(text), quote=text),) if document else ()
    fields: dict[str, object] = {
        "reference_answer": options[key],
        "question_type": QuestionType.FACTOID,
        "question_word": QuestionWord.WHAT,
        "topic": "tugs",
        "provenance": Provenance(cast="by hand"),
        **more,
    }
    item = Item(
        id=Item.id_of(stem, options[key], [d.text for d in wrong], evidence),
        stem=stem,
        key=options[key],
        distractors=wrong,
        evidence=evidence,
        bloom=bloom,
        **fields,
    )
    return ExamItem(item=item, options=tuple(options), key_position=key)


def sound_item(number: int, **more: object) -> ExamItem:
    """One of up to 32 sound items; keys stand at A, B, C, D, A ..."""
    fact, tug = number % 4, number // 4
    right, *options = _answers(fact, tug)
    options.insert(fact, right)
    return exam_item(STEMS[fact].format(TUGS[tug]), options, fact, document=f"log {number}", **more)


def sound_exam(count: int = 4) -> Exam:
    """As many of them, in order."""
    return Exam.of([sound_item(n) for n in range(count)])
