"""Conversations in files of other tools: their messages, and a row for each of their turns that has an answer.

A turn is asked after the turns before it, in the file's own words: those of the assistant are its reference answers.
So every system is asked the same, as in CoQA and QuAC (dialogues.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from viva.core.case_cells import OF_EXAM, cell_of, even_name, opened
from viva.core.records import Turn
from viva.core.tables import BadRow, Row, parse_json
from viva.exams.formats.rows import Placed

UNREVIEWED = "the assistant's words in the conversation are taken as the right answer; review them"
UNANSWERED = "has no reference answer: its turn of the conversation is left out"
_SPEAKERS: dict[str, Literal["user", "assistant", ""]] = {
    **dict.fromkeys("user human customer client question q prompter student".split(), "user"),
    **dict.fromkeys("assistant ai bot gpt model chatbot agent answer a response teacher".split(), "assistant"),
    **dict.fromkeys("system developer tool function ipython".split(), ""),
}
_BY = ("role", "type", "from", "speaker", "author", "sender")
_SAID = ("content", "value", "text", "message", "utterance")
_ASKED = ("question", "user", "human", "input", "query", "prompt", "q")
_ANSWERED = ("answer", "assistant", "ai", "output", "response", "bot", "a")
_OWN_QUESTION = frozenset({"question", "query", "stem", "questiontext", "userquery"})
_LINE = re.compile(r"\s*(\w{1,12})\s*:\s*(.*)", re.DOTALL)


# --- the messages of a cell ---------------------------------------------------------------------------------


def turns_in(value: object) -> tuple[Turn, ...]:
    """The messages of a cell, those of one speaker in a row joined. ValueError, in words, where it holds none.

    A list of messages as chats, LangChain, ShareGPT and evaluation tools have them, of pairs of a question and an
    answer, of texts of which the first is the user's; the same in JSON or Python; a text with a speaker in each line.
    What systems and tools say is passed over.
    """
    value = value_of(value)
    said = list(_from_text(value)) if isinstance(value, str) else list(_messages(value))
    found: list[Turn] = []
    for role, text in said:
        if found and found[-1].role == role:
            found[-1] = Turn(role=role, text=f"{found[-1].text}\n{text}")
        else:
            found.append(Turn(role=role, text=text))
    return tuple(found)


def is_messages(value: object) -> bool:
    """Tell whether it is a list of messages, each with its speaker, or such a list in a text."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return False
    value = value_of(value)
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(each, Mapping) and _speaker(_plain(each)) is not None for each in value)


def value_of(value: object) -> object:
    """The list or object that a text shows in JSON or Python; else the value."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{") or value.rstrip()[-1:] not in ("]", "}"):
        return value
    for read in (parse_json, ast.literal_eval):
        try:
            found: object = read(value.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return found if isinstance(found, list | dict) else value
    return value


_Said = Iterator[tuple[Literal["user", "assistant"], str]]


def _messages(value: object) -> _Said:
    if isinstance(value, Mapping):
        inner = next((value[name] for name in ("messages", "turns") if isinstance(value.get(name), list)), [value])
        value = inner
    if not isinstance(value, list | tuple):
        raise ValueError("its conversation is no list of messages")  # noqa: TRY004 - of the file, not of our call
    if value and all(isinstance(each, str) for each in value):
        for n, text in enumerate(value):
            yield from _one("assistant" if n % 2 else "user", text)
        return
    for each in value:
        if isinstance(each, list | tuple) and len(each) == 2:
            yield from _one("user", each[0])
            yield from _one("assistant", each[1])
        elif isinstance(each, Mapping):
            yield from _of_message(_plain(each))
        else:
            raise ValueError("its conversation is no list of messages")


def _of_message(message: Mapping[str, object]) -> _Said:
    speaker = _speaker(message)
    if speaker is not None:
        said = next((message[name] for name in _SAID if message.get(name) is not None), "")
        yield from _one(speaker, said)
        return
    asked, answered = (next((message[n] for n in names if n in message), None) for names in (_ASKED, _ANSWERED))
    if asked is None and answered is None:
        raise ValueError("its conversation has a message that names no speaker")
    yield from _one("user", asked)
    yield from _one("assistant", answered)


def _speaker(message: Mapping[str, object]) -> Literal["user", "assistant", ""] | None:
    """Who speaks; '' of what is no part of the conversation, None where nobody is named."""
    named = (message[name] for name in _BY if isinstance(message.get(name), str))
    return next((_SPEAKERS[each] for name in named if (each := str(name).casefold()) in _SPEAKERS), None)


def _plain(message: Mapping[str, object]) -> Mapping[str, object]:
    """The message within what LangChain stores of it."""
    inner = message.get("kwargs", message.get("data"))
    if not isinstance(inner, Mapping):
        return message
    kind = message.get("id")
    named = str(kind[-1]).removesuffix("Chunk").removesuffix("Message") if isinstance(kind, list) and kind else ""
    return {"type": named or message.get("type"), **inner}


def _one(role: Literal["user", "assistant", ""], said: object) -> _Said:
    if isinstance(said, list):
        parts = [each.get("text") if isinstance(each, Mapping) else each for each in said]
        said = "\n".join(part for part in parts if isinstance(part, str))
    if isinstance(said, Mapping):
        said = next((said[name] for name in _SAID if isinstance(said.get(name), str)), "")
    if role and isinstance(said, str) and said.strip():
        yield role, said.strip()


def _from_text(text: str) -> _Said:
    role: Literal["user", "assistant", ""] | None = None
    lines: list[str] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        speaker = _SPEAKERS.get(found[1].casefold()) if found else None
        if found is None or speaker is None:
            lines.append(line)
            continue
        yield from _one(role or "", "\n".join(lines))
        role, lines = speaker, [found[2]]
    if role is None:
        raise ValueError("its conversation names no speakers, such as “User:” and “Assistant:”")
    yield from _one(role, "\n".join(lines))


def with_plain_messages(row: Mapping[str, object], depth: int = 2) -> Row:
    """The row with the text of what is one message, in place of the object."""
    found: Row = {}
    for name, value in row.items():
        if isinstance(value, Mapping) and {"role", "content"} <= value.keys():
            found[name] = value["content"]
        else:
            found[name] = with_plain_messages(value, depth - 1) if isinstance(value, Mapping) and depth else value
    return found


# --- a row for each turn ------------------------------------------------------------------------------------


def conversation_cell(cells: Mapping[str, object]) -> str | None:
    """The column of an opened row that holds messages: a history, or a question that is one; None where none does."""
    places = {even_name(name): place for place, name in enumerate((*OF_EXAM["history"], *OF_EXAM["question"]))}
    named = [name for name in cells if even_name(name.rpartition(".")[2]) in places]
    known = [name for name in named if is_messages(cells[name])]
    # those outside objects first: within one may be what viva keeps of the item
    return min(known, key=lambda name: (name.count("."), places[even_name(name.rpartition(".")[2])]), default=None)


def _usual_row(asked: Sequence[Turn], answer: str) -> Row:
    return {"question": asked[-1].text, "answer": answer, "history": as_messages(asked[:-1])}


@dataclass(frozen=True)
class TurnStyle:
    """How a format shows the turns of a conversation."""

    shown: Callable[[Sequence[Turn], str], Row] = _usual_row
    """a row of a conversation, the question last, and its answer"""
    answers: Sequence[str] = ()
    """the fields that state an answer; () for the usual names"""
    of_last: bool = False
    """whether these state the answer to a last question alone"""


_USUAL = TurnStyle()


class Turns:
    """Rows, those with a whole conversation made a row for each of its turns."""

    def __init__(self, rows: Placed, style: TurnStyle = _USUAL) -> None:
        self._rows = rows
        self._style = style
        self.unreviewed = 0
        """turns whose right answer is what the assistant said"""

    def __iter__(self) -> Placed:
        for where, row in self._rows:
            turns = () if isinstance(row, BadRow) else self._whole(row)
            if isinstance(row, BadRow) or not turns:
                yield where, row
                continue
            rest = self._rest(row)
            for n, (asked, answer) in enumerate(_answered(turns), start=1):
                self.unreviewed += bool(answer)
                shown = {**rest, **self._style.shown(asked, answer)} if answer else BadRow(UNANSWERED)
                yield f"{where}, turn {n}", shown

    def _whole(self, row: Row) -> tuple[Turn, ...]:
        """The row's conversation, if its answers are all that the row states; () else."""
        cells = opened(with_plain_messages(row))
        held = conversation_cell(cells)
        if held is None or "history" in held.casefold():
            return ()
        try:
            found = turns_in(cells[held])
        except ValueError:
            return ()
        rest = {name: value for name, value in cells.items() if name != held}
        asked = next((str(value).strip() for name, value in rest.items() if even_name(name) in _OWN_QUESTION), "")
        if asked and asked not in [turn.text for turn in found]:
            # after the conversation, which is its history
            return ()
        said = any(turn.role == "assistant" for turn in found)
        stated = self._has_answer(rest)
        return () if not said or (stated and not (self._style.of_last and found[-1].role == "assistant")) else found

    def _has_answer(self, cells: Mapping[str, object]) -> bool:
        if self._style.answers:
            return any(cells.get(name) not in (None, "", [], {}) for name in self._style.answers)
        return cell_of(cells, "answer") is not None

    @staticmethod
    def _rest(row: Row) -> Row:
        """What the row says beside its conversation: its passages, and the rest that is no question."""
        cells = opened(row)
        left = {conversation_cell(cells), cell_of(cells, "question")}
        return {name: value for name, value in row.items() if left.isdisjoint(opened({name: value}))}


def _answered(turns: Sequence[Turn]) -> Iterator[tuple[Sequence[Turn], str]]:
    """The conversation up to each question of the user's, which is its last turn, and the answer; '' for none."""
    for n, turn in enumerate(turns):
        if turn.role == "user":
            yield turns[: n + 1], turns[n + 1].text if n + 1 < len(turns) else ""


def as_messages(history: Sequence[Turn]) -> list[dict[str, str]]:
    """The messages as chats have them."""
    return [{"role": turn.role, "content": turn.text} for turn in history]
