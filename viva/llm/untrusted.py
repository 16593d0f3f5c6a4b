"""Untrusted text on its way into a prompt and back: fenced, and without what a format could read as its own.

Changes are few and visible: a middle dot breaks up a marker ("[·[ ## completed ## ]·]", "<·|im_start|>"), and
`restored` takes it out of what a model copied. Characters nobody sees are taken out for good: they carry orders
past a reader's eye.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from viva.core.ids import content_hash
from viva.llm.structures import MARK, named_fields, structures

_CUT = " …"

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
# Persian, Hindi and emoji need their joiners; beside a Latin letter, or in a row, one only hides something
_JOINER = re.compile(
    "(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\u200c\u200d])|[\u200c\u200d]{2,}"
)

_FENCE_LINE = re.compile(r"<<<(?:end )?[\w -]{1,40} [0-9a-f]{8}>>>")


@lru_cache(maxsize=1024)
def fenced(text: str, label: str) -> str:
    """The text, neutralised, between two lines that bear the label and a hash of the text.

    No text can hold its own hash, so none can close its own fence, and a copied opening closes nothing.
    """
    tag = content_hash("fence", text)[:8]
    return f"<<<{label} {tag}>>>\n{neutralised(text)}\n<<<end {label} {tag}>>>"


def unfenced(text: str) -> str:
    """The text without the lines of fences."""
    return _FENCE_LINE.sub("", text)


def neutralised(text: str) -> str:
    """The text without unseen characters, every structure broken up by a middle dot; all its words stay."""
    visible = seen(text)
    return marked(visible, (mark for each in structures(visible) for mark in each.marks))


def without_fields(text: str, names: tuple[str, ...]) -> str:
    """The text, its lines and JSON keys that give a value to one of these fields broken up by a middle dot."""
    visible = seen(text)
    places = [mark for each in named_fields(visible, names) for mark in each.marks]
    # a text that gives none is left as it is, and so is the request that it is part of
    return marked(visible, places) if places else text


def marked(text: str, places: Iterable[int]) -> str:
    """The text with a middle dot at each of the places."""
    start, pieces = 0, []
    for place in sorted(set(places)):
        pieces.append(text[start:place])
        start = place
    return MARK.join([*pieces, text[start:]])


def restored(text: str) -> str:
    """The text with structures whole again: undoes `neutralised`, but for unseen characters."""
    if MARK not in text:
        return text
    whole = text.replace(MARK, "")
    places = {mark for each in (*structures(whole), *named_fields(whole)) for mark in each.marks}
    pieces = text.split(MARK)
    kept, place = [pieces[0]], len(pieces[0])
    for piece in pieces[1:]:
        kept += [piece] if place in places else [MARK, piece]
        places.discard(place)
        place += len(piece)
    return "".join(kept)


def seen(text: str) -> str:
    """The text without control, zero-width, direction and tag characters, its lines ended by line feeds."""
    if text.isascii() and text.isprintable():
        return text
    return _JOINER.sub("", _UNSEEN.sub("", _LINE_ENDS.sub("\n", text)))


def one_line(text: str, most: int) -> str:
    """What a model wrote as one line of at most `most` characters: restored, without fences, all of it visible.

    What is longer ends with its last whole word and "…"; a single word of that length is cut.
    """
    line = " ".join(_FENCE_LINE.sub(" ", restored(seen(text))).split())
    if len(line) <= most:
        return line
    room = most - len(_CUT)
    kept = line[: room + 1].rpartition(" ")[0].rstrip() or line[:room]
    return f"{kept}{_CUT}"
