"""What of an exam a format cannot hold, in words."""

from __future__ import annotations

from collections.abc import Iterator

from viva.core.records import Exam
from viva.core.wording import counted
from viva.exams.formats import aiken


def lost(exam: Exam, format: str) -> list[str]:  # noqa: A002
    """A phrase for each thing that stays behind; [] where reading the file back gives an equal exam."""
    if format == "aiken":
        return list(_by_aiken(exam))
    if format == "lm-eval":
        return list(_open(exam))
    if format == "gift":
        return list(_refused_by_moodle(exam))
    return []


def _by_aiken(exam: Exam) -> Iterator[str]:
    yield from _open(exam)
    refused = sum(not shown.item.is_open and not aiken.can_hold(shown) for shown in exam.items)
    if refused:
        named = counted(refused, "question")
        yield f"{named} with over {aiken.MOST_OPTIONS} options or two alike but for spaces: left out"
    held = [shown for shown in exam.items if aiken.can_hold(shown)]
    spaced = sum(any(aiken.as_held(text) != text for text in (s.item.stem, *s.options)) for s in held)
    if spaced:
        yield f"line breaks and repeated spaces of {counted(spaced, 'question')}"
    items = [shown.item for shown in held]
    kept_back = {
        "reference answers": any(item.reference_answer not in ("", item.key) for item in items),
        "evidence and contexts": any(item.evidence or item.contexts for item in items),
        "why each wrong option is wrong": any(w.reason or w.mistake for item in items for w in item.distractors),
        "topics": any(item.topic for item in items),
        "trials, reviews and provenance": any(item.provenance.chunk_id or item.trials for item in items),
        "worked examples": bool(exam.examples),
    }
    yield from (name for name, is_there in kept_back.items() if is_there)


def _open(exam: Exam) -> Iterator[str]:
    count = sum(shown.item.is_open for shown in exam.items)
    if count:
        yield f"{counted(count, 'open question')} (without options): left out"


def _refused_by_moodle(exam: Exam) -> Iterator[str]:
    arrows = sum(shown.item.is_open and "->" in shown.item.key for shown in exam.items)
    if arrows:
        yield f"{counted(arrows, 'open question')} whose answer holds '->': viva reads them back, Moodle refuses them"
