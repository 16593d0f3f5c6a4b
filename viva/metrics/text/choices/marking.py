"""An answer in which one character stands for each mention of an option, whatever its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from viva.metrics.text.choices import lexicon
from viva.metrics.text.choices.letters import LetterFinder
from viva.metrics.text.choices.options import OptionTexts
from viva.metrics.text.choices.plain import folded
from viva.metrics.text.choices.result import NoChoice

MOST_OPTIONS = 0x400
_SURE, _FREE, _TEXT = 0xE000, 0xE400, 0xE800
UNKNOWN, CLASH = "\uf000", "\uf001"
_REASONS = list(NoChoice)
_REASON = 0xF010

_JOINT = re.compile(r"[\s\"'(\[]*(?:[-:=.,)|]|->)?[\s\"'(\[]*")
_HARD_JOINT = re.compile(r"[ \"']*(?:[-:=.)|(\[]|->)[ \"'(\[]*")
_BRACKET = re.compile(r"\s*[(\[]\s*")
_NEAR = 8
_CLOSING = re.compile(r"\s?[\"')\]]*")
_BARE_NUMBER = re.compile(r"[\s\"'(\[:]*(?P<number>\d[\d.,' ]*\d|\d)(?![\d%])")


class _Found(NamedTuple):
    start: int
    end: int
    char: str
    other: int | None = None
    paired: bool = False


def letter_mark(option: int, *, sure: bool = True) -> str:
    """The character for an option named by its letter."""
    return chr((_SURE if sure else _FREE) + option)


def text_mark(option: int) -> str:
    """The character for an option named by its words, or by an equal value."""
    return chr(_TEXT + option)


def reason_mark(why: NoChoice) -> str:
    """The character for a final statement that means no option."""
    return chr(_REASON + _REASONS.index(why))


def option_of(mark: str) -> int | None:
    """The option that a character stands for; None for one that stands for no option."""
    code = ord(mark)
    return (code - _SURE) % 0x400 if _SURE <= code < _TEXT + 0x400 else None


def reason_of(mark: str) -> NoChoice | None:
    """Why the final statement that a character stands for means no option."""
    if mark == UNKNOWN:
        return NoChoice.NOT_AN_OPTION
    if mark == CLASH:
        return NoChoice.CONTRADICTION
    place = ord(mark) - _REASON
    return _REASONS[place] if 0 <= place < len(_REASONS) else None


def is_letter(mark: str) -> bool:
    """Whether an option is named by its letter, or by its place."""
    return _SURE <= ord(mark) < _TEXT


def is_free(mark: str) -> bool:
    """Whether it is a letter that nothing marks as one: it may be part of a name."""
    return _FREE <= ord(mark) < _TEXT


def marked(text: str, options: OptionTexts, *, lettered: bool) -> str:
    """The normalised text without case and accents, every mention of an option as one character."""
    plain = folded(text)
    found = _apart(_texts(plain, options), [])
    if lettered:
        finder = LetterFinder(text, plain, min(options.count, MOST_OPTIONS))
        names = [(label, label.sure) for label in (*finder.places(), *finder.letters())]
        labels = [
            _Found(
                label.start,
                label.end,
                UNKNOWN if label.option is None else letter_mark(label.option, sure=sure),
                label.other,
            )
            for label, sure in names
        ]
        found = _apart(labels, found)
    found = _apart(_values(plain, options), found)
    pieces: list[str] = []
    position = 0
    for each in _joined(found, plain):
        pieces += [plain[position : each.start], _of_part(each, plain, options)]
        position = each.end
    return "".join([*pieces, plain[position:]])


def _texts(plain: str, options: OptionTexts) -> Iterator[_Found]:
    for start, end, index in options.found(plain):
        yield _Found(start, end, text_mark(index))
    for start, end, index in options.none_of(plain):
        yield _Found(start, end, text_mark(index))


def _of_part(found: _Found, plain: str, options: OptionTexts) -> str:
    """Its character; that of an open choice where the words around it make another option of an option's words."""
    meant = option_of(found.char)
    if meant is None or found.paired or is_letter(found.char) or not options.is_part(plain, *found[:2], meant):
        return found.char
    return reason_mark(NoChoice.UNDECIDED)


def _values(plain: str, options: OptionTexts) -> Iterator[_Found]:
    for start, end, index in options.equal(plain):
        yield _Found(start, end, UNKNOWN if index is None else text_mark(index))
    for begin in (0, *(match.end() for match in lexicon.LETTER_CUES.finditer(plain))):
        number = _BARE_NUMBER.match(plain, begin)
        if number and lexicon.ENDS.match(plain[number.end() : number.end() + 30]):
            index = options.of_number(number["number"])
            if index is not None:
                yield _Found(number.start("number"), number.end("number"), text_mark(index))


def _apart(new: Iterator[_Found] | Sequence[_Found], old: list[_Found]) -> list[_Found]:
    """Old and new ones by their place; of the new ones those that overlap with none, the longest first."""
    taken = bytearray()
    kept = list(old)
    for each in [*old, *sorted(new, key=lambda f: (f.start - f.end, f.start))]:
        if len(taken) < each.end:
            taken.extend(bytes(each.end - len(taken)))
        if any(taken[each.start : each.end]):
            continue
        taken[each.start : each.end] = b"\x01" * (each.end - each.start)
        kept.append(each)
    return sorted(set(kept) if old else kept, key=lambda f: f.start)


def _joined(found: list[_Found], plain: str) -> list[_Found]:
    """A letter and its option's words next to it are one mention; with another option's words they contradict."""
    return _paired(_paired(found, plain, _same), plain, _clash)


def _paired(found: list[_Found], plain: str, pair: Callable[[_Found, _Found, str], _Found | None]) -> list[_Found]:
    kept: list[_Found] = []
    for each in found:
        last = kept[-1] if kept else None
        fits = last is not None and each.start - last.end <= _NEAR and is_letter(last.char) != is_letter(each.char)
        both = pair(last, each, plain) if last and fits and not (last.paired or each.paired) else None
        if both is None:
            kept.append(each)
        else:
            kept[-1] = both
    return kept


def _same(first: _Found, second: _Found, plain: str) -> _Found | None:
    letter, text = (first, second) if is_letter(first.char) else (second, first)
    meant = option_of(text.char)
    if meant is None or meant not in {option_of(letter.char), letter.other}:
        return None
    if not _JOINT.fullmatch(plain, first.end, second.start):
        return None
    return _Found(first.start, _end_of(second, plain), letter_mark(meant), paired=True)


def _clash(first: _Found, second: _Found, plain: str) -> _Found | None:
    if option_of(first.char) is None or option_of(second.char) is None:
        return None
    between = plain[first.end : second.start]
    if is_letter(first.char):
        joined = _HARD_JOINT.fullmatch(between) or (not between.strip() and plain[first.end - 1] in ").:]")
    else:
        joined = _BRACKET.fullmatch(between) or plain[second.start] in "(["
    ended = lexicon.ENDS.match(plain[second.end : second.end + 30])
    if not joined or not ended or "\n" in between:
        return None
    return _Found(first.start, _end_of(second, plain), CLASH, paired=True)


def _end_of(found: _Found, plain: str) -> int:
    """The end of a mention with the brackets that close behind it."""
    closing = _CLOSING.match(plain, found.end)
    return closing.end() if closing and closing.group().strip() else found.end
