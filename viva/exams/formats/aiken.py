"""Aiken (docs.moodle.org, Aiken format): the question on a line, 'A) option' lines, 'ANSWER: A'. It holds no more."""

from __future__ import annotations

import re

from viva.core.records import Distractor, Exam, ExamItem
from viva.core.tables import MAX_LINE
from viva.exams.formats.base import Read, Seen, original_of

NAME = "aiken"
_OPTION = re.compile(r"([A-Z])[).][ \t]+(.*)", re.DOTALL)
_ANSWER = re.compile(r"ANSWER:[ \t]*([A-Z])\b.*", re.DOTALL)
# a question that reads like an option or an answer gets a space that cannot break, which neither pattern knows
_LIKE_ONE = re.compile(r"([A-Z][).])(?=[ \t])|(ANSWER)(?=[ \t]*:)")
_KEPT_APART = re.compile(r"^([A-Z][).]|ANSWER)\u00a0")
MOST_OPTIONS = 26


def read(text: str) -> Read:
    """The questions of a file."""
    found = Read()
    block: list[str] = []
    began = 1
    for number, line in enumerate([*text.replace("\r\n", "\n").replace("\r", "\n").split("\n")], start=1):
        if not line.strip():
            continue
        if not block:
            began = number
        block.append(line.strip())
        if _ANSWER.fullmatch(block[-1]):
            _take(found, f"line {began}", block)
            block = []
    if block:
        found.refuse(f"line {began}", "there is no line 'ANSWER: X' that ends it")
    return found


def write(exam: Exam) -> str:
    """The questions with options; see `lost` for all that stays behind."""
    blocks = [_original_block(shown) or _block(shown) for shown in exam.items if can_hold(shown)]
    return "\n\n".join(blocks) + "\n"


def can_hold(shown: ExamItem) -> bool:
    """Whether the item has options, not more than there are letters, and not alike but for their spaces."""
    options = set(map(_line, shown.options))
    return (
        bool(_line(shown.item.stem))
        and 2 <= len(shown.options) <= MOST_OPTIONS
        and len(options | {""}) > len(shown.options)
    )


def as_held(text: str) -> str:
    """A stem or an option as the format gives it back."""
    return _line(text)


def _take(found: Read, where: str, block: list[str]) -> None:
    try:
        found.settle(where, _see("\n".join(block)), "\n".join(block), NAME)
    except ValueError as error:
        found.refuse(where, error)


def _see(block: object) -> Seen:
    if not isinstance(block, str) or len(block) > MAX_LINE:
        raise ValueError(f"no text, or longer than {MAX_LINE:,} characters")
    return _seen(block.split("\n"))


def _seen(lines: list[str]) -> Seen:
    answer = _ANSWER.fullmatch(lines[-1])
    stem: list[str] = []
    options: list[str] = []
    for line in lines[:-1]:
        option = _OPTION.fullmatch(line)
        if option:
            if ord(option[1]) - ord("A") != len(options):
                raise ValueError(f"option {option[1]} is out of order")
            options.append(option[2])
        elif options:
            raise ValueError(f"{line[:60]!r} is neither an option nor the answer")
        else:
            stem.append(line)
    position = ord(answer[1]) - ord("A") if answer else -1
    if not 0 <= position < len(options):
        raise ValueError("its answer is none of its options")
    wrong = tuple(Distractor(text=text) for n, text in enumerate(options) if n != position)
    return Seen(_KEPT_APART.sub(_apart, "\n".join(stem)), options[position], wrong, position)


def _apart(found: re.Match[str]) -> str:
    return f"{found[1]}{'' if found[1] == 'ANSWER' else ' '}"


def _original_block(shown: ExamItem) -> str | None:
    original = original_of(shown, NAME, _see)
    return original if isinstance(original, str) else None


def _block(shown: ExamItem) -> str:
    stem = _line(shown.item.stem)
    if like := _LIKE_ONE.match(stem):
        rest = stem[like.end() :]
        stem = f"{like[0]}\u00a0{rest if like[2] else rest.lstrip()}"
    letters = [f"{chr(ord('A') + n)}) {_line(option)}" for n, option in enumerate(shown.options)]
    return "\n".join([stem, *letters, f"ANSWER: {chr(ord('A') + shown.key_position)}"])


def _line(text: str) -> str:
    # a byte-order mark would vanish at the head of the file
    return " ".join(text.replace("\ufeff", "").split())
