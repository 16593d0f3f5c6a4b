"""Replies that repeat what they were asked about: fields in a copy of a text are the text's, not the model's."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import dspy

from viva.llm.formats.defects import Flawed
from viva.llm.formats.field_values import names_in_reply, shapes
from viva.llm.formats.lookalikes import folded
from viva.llm.formats.plain_lines import plain_name
from viva.llm.structures import MARK, Structure, fields
from viva.llm.untrusted import marked, seen, unfenced

Read = Callable[[type[dspy.Signature], str], dict[str, Any]]

_KEPT = re.compile(rf"[^\s{MARK}>*_`#|\"'\\“”‘’«»„~+=()•-]+")
"""What a copy has for certain; it may lack or add spaces, quotation marks, emphasis, the dots of `neutralised`."""
_REST = re.compile(r"[^\w\n]*\n?[^\n]*")
_REST_OF_JSON = re.compile(r"[^,}\n]*")
_MOST_DOUBTS = 20


def read_own(read: Read, signature: type[dspy.Signature], reply: str, given: Iterable[str]) -> dict[str, Any]:
    """What `read` makes of the reply, fields that are copied from the texts in `given` left aside. Raises Flawed.

    A copied field is broken up again, as it was in the prompt. Where the reply then lacks a field, one that looks
    copied may be the model's own: a judge may say `score: 1.0` of an answer that says so, too. It is taken if every
    such reading comes to the same, and never from a copy of a text that has several fields.
    """
    reply = seen(reply)
    echoes = _Echoes(reply, names_in_reply(signature), [unfenced(text) for text in given])
    if not echoes.copied:
        return read(signature, reply)
    try:
        return read(signature, echoes.broken_up())
    except Flawed:
        readings = _readings(read, signature, echoes) if echoes.leaves_own() else []
        judged = [name for name, shape in shapes(signature).items() if shape.kind != "text"]
        verdicts = [[reading[name] for name in judged] for reading in readings]
        if not readings or any(verdict != verdicts[-1] for verdict in verdicts):
            raise
        return readings[-1]


def _readings(read: Read, signature: type[dspy.Signature], echoes: _Echoes) -> list[dict[str, Any]]:
    """What comes of one doubtful field as the model's own; where nothing does, of all of them; then all but one."""
    doubtful = echoes.doubtful
    likely = [field for field in doubtful if echoes.has_own_value(field)] or doubtful
    last = doubtful[-_MOST_DOUBTS:]
    but_one = [[other for other in doubtful if other is not field] for field in last]
    for stage in ([[field] for field in likely[-_MOST_DOUBTS:]], [doubtful], but_one):
        readings: list[dict[str, Any]] = []
        for own in stage:
            with suppress(Flawed):
                readings.append(read(signature, echoes.broken_up(but=own)))
        if readings:
            return readings
    return []


class _Stream:
    """What a copy of a text has for certain, in a row, and where in the text each character of it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = folded(text)
        self.chars = "".join(_KEPT.findall(self._folded.text)).lower()

    @cached_property
    def _places(self) -> list[int]:
        text, places = self._folded
        return [places[at] for kept in _KEPT.finditer(text) for at in range(*kept.span())]

    def copies_of(self, chars: str) -> Iterator[tuple[int, int]]:
        """From and to which place of the text these characters are whole words."""
        at = self.chars.find(chars) if chars else -1
        while at >= 0:
            start, end = self._places[at], self._places[at + len(chars) - 1] + 1
            if not (self._inside_a_word(start) or self._inside_a_word(end)):
                yield start, end
            at = self.chars.find(chars, at + len(chars))

    def _inside_a_word(self, place: int) -> bool:
        return 0 < place < len(self.text) and self.text[place - 1 : place + 1].isalnum()


class _Whole(NamedTuple):
    """A copy of a whole text: from and to which place of the reply, and how many fields the text has."""

    start: int
    end: int
    fields: int


class _Echoes:
    """The fields of a reply, compared with the texts that it was asked about."""

    def __init__(self, reply: str, names: tuple[str, ...], given: Sequence[str]) -> None:
        self._reply = reply
        self._names = names
        self._found = fields(reply, names)
        self._given = [_Stream(text) for text in given] if self._found else []

    @cached_property
    def copied(self) -> list[Structure]:
        """Those within a copy of a whole text, and those that a text has with the same value."""
        heads = {_Stream(self._reply[field.start : field.end]).chars for field in self._found}
        if not any(head in text.chars for head in heads for text in self._given):
            return []
        return [field for field in self._found if self._wholes_with(field) or self._is_in_a_text(field)]

    @cached_property
    def doubtful(self) -> list[Structure]:
        """Copied ones, but those within a copy of a whole text that has several fields."""
        return [field for field in self.copied if all(whole.fields <= 1 for whole in self._wholes_with(field))]

    def leaves_own(self) -> bool:
        """Whether a field of the reply, or at least its value, is not copied."""
        wanted = {plain_name(name) for name in self._names}
        copied = frozenset(self.copied)
        own = (field for field in self._found if field not in copied or self.has_own_value(field))
        return any(plain_name(field.field) in wanted for field in own)

    def has_own_value(self, field: Structure) -> bool:
        """Whether a value follows it that no text has there."""
        value = re.compile(r"\w").search(self._reply, field.end, self._end_of_value(field))
        if value is None or self._is_in_a_text(field):
            return False
        return all(whole.end <= value.start() for whole in self._wholes_with(field))

    def broken_up(self, *, but: Collection[Structure] = ()) -> str:
        """The reply with the copied fields broken up, but for some of them."""
        return marked(self._reply, (mark for field in self.copied if field not in but for mark in field.marks))

    @cached_property
    def _wholes(self) -> list[_Whole]:
        stream = _Stream(self._reply)
        counted = [(text.chars, len(fields(text.text.replace(MARK, ""), self._names))) for text in self._given]
        return [_Whole(*span, count) for chars, count in counted if count for span in stream.copies_of(chars)]

    def _wholes_with(self, field: Structure) -> list[_Whole]:
        # signs around a field are no part of what a copy has for certain
        return [whole for whole in self._wholes if whole.start <= field.start + 1 and field.end <= whole.end + 1]

    def _is_in_a_text(self, field: Structure) -> bool:
        chars = _Stream(self._reply[field.start : self._end_of_value(field)]).chars
        return any(True for text in self._given for _ in text.copies_of(chars))

    def _end_of_value(self, field: Structure) -> int:
        """Where its line ends, or the next one if there are no words on it; in JSON, where the value may end."""
        before = self._reply[max(0, field.start - 1) : field.start]
        if before and before in "\"'“‘`{,":
            rest = _REST_OF_JSON.match(self._reply, field.end)
        else:
            rest = _REST.match(self._reply, field.end)
        return rest.end() if rest else len(self._reply)
