"""Questions in tables and records of any tool, by the usual names of columns (core/case_cells.py).

A row is a question of multiple choice where it has options, else an open one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from viva.core.case_cells import cell_of, opened
from viva.core.records import Distractor, ExamItem, Turn
from viva.core.tables import Row
from viva.core.text import prose
from viva.exams.formats.base import Seen
from viva.exams.formats.conversations import (
    as_messages,
    conversation_cell,
    is_messages,
    turns_in,
    value_of,
    with_plain_messages,
)
from viva.exams.formats.lm_eval import position_of
from viva.exams.formats.rows import RowFormat

NAME = "qa"
_TEXTS = ("text", "page_content", "content", "contents", "passage", "document", "value", "answer", "quote")
_OPTION = re.compile(r"(?:options?|choices?|answers?|endings?|op)[ _]?([a-h]|\d{1,2})|([A-H])")
_WRONG = re.compile(
    r"(?:distractor|incorrect|wrong|incorrect_answer|wrong_answer|false_answer)[ _]?(?:[a-h]|\d{1,2})"
)
_GISKARD = re.compile(r"(?:^|\n+)(?:-{3,}\n+)?Document [^\s:]{1,80}: ")
_LISTED = 4_000
"""Characters up to which a text with | between its parts is taken for a list of options."""


def see(row: Row) -> Seen:
    """The question of a row. ValueError, in words, where it has none that can be graded."""
    cells = opened(with_plain_messages(row))
    asked = cell_of(cells, "question") or conversation_cell(cells)
    stem, history = question_in(cells[asked], asked) if asked else ("", ())
    rest = {name: value for name, value in cells.items() if name != asked}
    keyed = cell_of(rest, "answer")
    given = _last_said(rest[keyed]) if keyed else None
    options, labels = _options({name: value for name, value in rest.items() if name != keyed})
    wrong = _wrong(rest)
    held = cell_of({name: value for name, value in rest.items() if name != keyed}, "passages")
    passages = tuple(_settling(passages_in(rest[held]), given)) if held else ()
    topic, language = (cell_of(rest, field) for field in ("topic", "language"))
    seen = Seen(
        stem=stem,
        key="",
        history=history or _history(rest, stem),
        contexts=passages,
        topic=_plain(rest[topic]) if topic else "",
        language=_code(rest[language]) if language else "",
    )
    if options:
        position = position_of(_single(given), options, labels)
        others = tuple(Distractor(text=text) for n, text in enumerate(options) if n != position)
        return replace(seen, key=options[position], wrong=others, position=position)
    wordings = answers_in(given, keyed or "answer")
    others = tuple(Distractor(text=text) for text in wrong)
    return replace(seen, key=wordings[0] if wordings else "", wrong=others, reference=" / ".join(wordings))


def show(shown: ExamItem) -> Row:
    """A row of an exam's question: question, answer, contexts, and the options if it has any."""
    item = shown.item
    row: Row = {
        "question": item.stem,
        "answer": item.reference_answer or item.key if item.is_open else item.key,
        "contexts": list(item.contexts) or [span.quote for span in item.evidence],
    }
    row |= {"history": as_messages(item.history)} if item.history else {}
    return row if item.is_open else {**row, "options": list(shown.options)}


QA = RowFormat(NAME, see, show, ("viva",))


def question_in(value: object, name: str) -> tuple[str, tuple[Turn, ...]]:
    """The question, and what was said before it where the cell holds messages: the last of the user's is asked."""
    if is_messages(value):
        turns = turns_in(value)
        last = max((n for n, turn in enumerate(turns) if turn.role == "user"), default=None)
        if last is None:
            raise ValueError("its conversation has no message of a user")
        return turns[last].text, turns[:last]
    value = value_of(value)
    if not isinstance(value, str):
        raise ValueError(f"its {name} is no text")  # noqa: TRY004 - the file is wrong, not our call
    return value, ()


def _history(cells: Mapping[str, object], stem: str) -> tuple[Turn, ...]:
    """What was said before the question, by the usual names of columns; not the question once more."""
    held = cell_of(cells, "history")
    value = value_of(cells[held]) if held else None
    if not isinstance(value, str | list) or not value:
        return ()
    try:
        turns = turns_in(value)
    except ValueError:
        if "history" in str(held):
            raise
        # of what else is called so, as a text named dialogue, nothing is known
        return ()
    asked = next((n for n, turn in enumerate(turns) if turn == Turn(role="user", text=stem.strip())), len(turns))
    return turns[:asked]


def _last_said(value: object) -> object:
    """The assistant's last words, where an answer is a list of messages."""
    if not is_messages(value):
        return value
    return next((turn.text for turn in reversed(turns_in(value)) if turn.role == "assistant"), None)


def answers_in(value: object, name: str) -> list[str]:
    """The wordings of the right answer, each once. ValueError where it is no text, number or list of such."""
    value = value_of(value)
    if isinstance(value, Mapping):
        inner = next((value[key] for key in _TEXTS if value.get(key) not in (None, "", [])), None)
        more = value.get("aliases")
        value = [inner, *more] if isinstance(more, list) and isinstance(inner, str) else inner
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(text for each in value for text in answers_in(each, name)))
    if value is None or value == "":
        return []
    if isinstance(value, bool):
        return ["Yes" if value else "No"]
    if isinstance(value, int | float):
        return [str(value)] if value == value else []
    if not isinstance(value, str):
        raise ValueError(f"its {name} is no text")  # noqa: TRY004 - the file is wrong, not our call
    return [value] if value.strip() else []


def passages_in(value: object) -> list[str]:
    """The passages of a cell: a text, a list of texts or of objects with a text, or titles with sentences."""
    value = value_of(value)
    if isinstance(value, Mapping):
        sentences, contexts = value.get("sentences"), value.get("contexts")
        if isinstance(sentences, list):
            return [_joined(each) for each in sentences if _joined(each)]
        if isinstance(contexts, list):
            return passages_in(contexts)
        value = next((value[key] for key in _TEXTS if isinstance(value.get(key), str | list)), None)
    if isinstance(value, list | tuple):
        if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], list):
            # a title and its sentences
            return [text for text in [_joined(value[1])] if text]
        return [text for each in value for text in passages_in(each)]
    if not isinstance(value, str) or not value.strip():
        return []
    parts = [part.strip() for part in _GISKARD.split(value)] if _GISKARD.match(value.lstrip()) else [value]
    return [part for part in parts if part.strip()]


def _settling(passages: list[str], answers: object) -> list[str]:
    """Of a paragraph in which a data set names the place of the answer, the sentence that holds it."""
    first = next((each for each in answers if isinstance(each, Mapping)), None) if isinstance(answers, list) else None
    told = first or (answers if isinstance(answers, Mapping) else {})
    start, text = (
        value[0] if isinstance(value, list) and value else value for value in map(told.get, ("answer_start", "text"))
    )
    if len(passages) != 1 or not isinstance(start, int) or not isinstance(text, str) or not text:
        return passages
    end = start + len(text)
    if passages[0][start:end] != text:
        return passages
    holding = [each for each in prose.sentences(passages[0]) if each.start < end and start < each.end]
    return [passages[0][holding[0].start : holding[-1].end]] if holding else passages


def _joined(sentences: object) -> str:
    if not isinstance(sentences, list):
        return str(sentences or "")
    return "".join(each if not n or each[:1].isspace() else f" {each}" for n, each in enumerate(map(str, sentences)))


def _options(cells: Mapping[str, object]) -> tuple[list[str], list[str]]:
    """The texts to choose from, and the labels by which an answer may name them."""
    held = cell_of(cells, "options")
    if held:
        value = value_of(cells[held])
        if isinstance(value, str):
            value = [part.strip() for part in re.split(r"\n|\||;", value)] if len(value) <= _LISTED else None
        if isinstance(value, Mapping) and isinstance(value.get("text"), list):
            labels = value.get("label")
            return _texts(value["text"]), [str(each) for each in labels] if isinstance(labels, list) else []
        if isinstance(value, Mapping):
            return _texts(value.values()), [str(each) for each in value]
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            return _texts(each.get("text", each.get("value")) for each in value), _told(value)
        return _texts(value if isinstance(value, list) else ()), []
    inner = {n: v for n, v in cells.items() if n.split(".")[0] in ("options", "choices") and "." in n}
    if len(inner) > 1:
        return _texts(inner.values()), [name.rpartition(".")[2] for name in inner]
    named = {name: value for name, value in cells.items() if _OPTION.fullmatch(name.strip())}
    if len(named) > 1:
        labels = [re.sub(r".*?[ _]?([A-Za-z]|\d{1,2})$", r"\1", name.strip()) for name in named]
        kept = [
            (label, value) for label, value in zip(labels, named.values(), strict=True) if value not in (None, "")
        ]
        return _texts(value for _, value in kept), [label for label, _ in kept]
    return [], []


def _told(options: Sequence[Mapping[str, object]]) -> list[str]:
    return [str(each.get("label", each.get("id", each.get("key", "")))) for each in options]


def _texts(values: Iterable[object]) -> list[str]:
    found = list(values)
    if not all(isinstance(each, str | int | float) for each in found):
        raise ValueError("its options are no list of texts")
    return [str(each) for each in found]


def _wrong(cells: Mapping[str, object]) -> list[str]:
    held = cell_of(cells, "wrong")
    if held:
        value = value_of(cells[held])
        return _texts(value if isinstance(value, list) else [value])
    named = [value for name, value in cells.items() if _WRONG.fullmatch(name.strip()) and value not in (None, "")]
    return _texts(named)


def _single(value: object) -> object:
    value = value_of(value)
    if isinstance(value, list):
        if len(value) != 1:
            raise ValueError(f"it has {len(value)} right options, and one is asked for")
        value = value[0]
    return value


def _plain(value: object) -> str:
    return " ".join(value.split())[:200] if isinstance(value, str) else ""


def _code(value: object) -> str:
    return (
        value.strip().casefold()[:2]
        if isinstance(value, str) and re.match(r"\s*[A-Za-z]{2}(?:$|[-_\s])", value)
        else ""
    )
