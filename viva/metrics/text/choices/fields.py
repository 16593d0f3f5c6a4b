"""Answers in fields: JSON objects, alone or within a text, and what looks like them; thoughts in fields count not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viva.metrics.text.choices.marking import letter_mark, reason_mark, text_mark
from viva.metrics.text.choices.plain import CUE
from viva.metrics.text.choices.result import ChoiceReading, NoChoice, ReadFrom
from viva.metrics.text.choices.thoughts import NAMES

Read = Callable[[str], ChoiceReading]

_MOST_OBJECTS = 20
_DEEPEST = 6
_MOST_DIFFERENT = 20
"""Answers in one list; more of them are not read one by one."""
_NOUN = (
    "answers?|choice|option|response|solution|letter|selection|prediction|result|output|pick|antwort|r[eé]ponse|respuesta|risposta|resposta|antwoord"
    "|ответ|答案|回答|选项|選項|答え|解答|정답|답|الإجابة|الجواب|उत्तर|जवाब|cevap"
)
_ANSWER = re.compile(
    rf"(?:(?:final|correct|selected|chosen|best|my|the|predicted|your|right)_?)*(?:{_NOUN}|final|selected|chosen|label)(?:_?(?:letter|text|option|choice|id|key|label|value|index))?"
)
_HOLDS = re.compile("choices|message|messages|content|text|data|generation|generated_?text|value")
"""Fields of replies that hold the answer, where none says that it is one."""
_THOUGHTS = re.compile(
    rf"(?:{NAMES}|explanations?|justification|evidence|context|passages?|sources?|question|options|steps|notes?|confidence|score|why|reasons)(?:_\w{{1,20}})?"
)
_FENCED = re.compile(r"\s*```[A-Za-z]{0,12}\s(.*)```\s*", re.DOTALL)
_STRING = r"(?:\"(?:[^\"\\]|\\.)*+(?:\"|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z))"
_THOUGHT_FIELD = re.compile(rf"[\"']{_THOUGHTS.pattern}[\"']\s*:\s*{_STRING}", re.IGNORECASE | re.DOTALL)
_ANSWER_FIELD = re.compile(rf"[\"']{_ANSWER.pattern}[\"']\s*:\s*", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)


def meant_by_whole(text: str, read: Read) -> ChoiceReading | None:
    """What a text that is one JSON object or list means; None for any other text."""
    fenced = _FENCED.fullmatch(text)
    whole = (fenced[1] if fenced else text).strip()
    if whole[:1] not in {"{", "["} or whole[-1:] not in {"}", "]"}:
        return None
    try:
        found = _meant(json.loads(whole, strict=False), read, _DEEPEST)
    except (ValueError, RecursionError):
        return None
    return ChoiceReading.none(NoChoice.NOT_AN_OPTION) if found.why_none is NoChoice.NO_OPTION else found


def fields_marked(text: str, read: Read) -> str:
    """The text with the option that each object means in the place of the object."""
    if "{" not in text and _ANSWER_FIELD.search(text) is None:
        return text
    return _ANSWER_FIELD.sub(f"\n{CUE} ", _THOUGHT_FIELD.sub(" ", _objects_marked(text, read)))


def _objects_marked(text: str, read: Read) -> str:
    pieces: list[str] = []
    position, start = 0, text.find("{")
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        if isinstance(value, dict) and any(_ANSWER.fullmatch(_name(key)) for key in value):
            pieces += [text[position:start], _mark(_meant(value, read, _DEEPEST))]
            position = end
        start = text.find("{", end)
    return "".join([*pieces, text[position:]])


def _mark(reading: ChoiceReading) -> str:
    if reading.option is not None:
        mark = letter_mark if reading.read_from is ReadFrom.LETTER else text_mark
        return f"\n{CUE} {mark(reading.option)}\n"
    why = reading.why_none or NoChoice.NO_OPTION
    return f"\n{CUE} {reason_mark(NoChoice.NOT_AN_OPTION if why is NoChoice.NO_OPTION else why)}\n"


def _meant(value: Any, read: Read, depth: int) -> ChoiceReading:
    if depth == 0 or value is None:
        return ChoiceReading.none(NoChoice.NO_OPTION)
    if isinstance(value, Mapping):
        return _of_object(value, read, depth)
    if isinstance(value, list):
        different = {repr(each): each for each in value}
        if len(different) > _MOST_DIFFERENT:
            return ChoiceReading.none(NoChoice.SEVERAL_ANSWERS)
        return one_of_several([_meant(each, read, depth - 1) for each in different.values()])
    return read(str(value))


def one_of_several(readings: Sequence[ChoiceReading]) -> ChoiceReading:
    """What several answers mean: the option that all of them mean, or none."""
    if not readings:
        return ChoiceReading.none(NoChoice.EMPTY)
    if len({reading.option for reading in readings}) == 1:
        return readings[0]
    return ChoiceReading.none(NoChoice.SEVERAL_ANSWERS)


def _of_object(value: Mapping[str, Any], read: Read, depth: int) -> ChoiceReading:
    for wanted in (_ANSWER, _HOLDS):
        found = [_meant(each, read, depth - 1) for key, each in value.items() if wanted.fullmatch(_name(key))]
        meant = {reading.option for reading in found if reading.option is not None}
        if len(meant) > 1:
            return ChoiceReading.none(NoChoice.CONTRADICTION)
        if found:
            return next((reading for reading in found if reading.option is not None), found[0])
    lines = [f"{key}: {each}" for key, each in value.items() if not _THOUGHTS.fullmatch(_name(key))]
    return read("\n".join(lines))


def _name(key: object) -> str:
    """A field's name in one form: finalAnswer, "Final Answer" and final-answer are final_answer."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(key)[:60])
    return re.sub(r"[\s_-]+", "_", spaced.strip()).lower()
