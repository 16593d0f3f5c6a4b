"""Untrusted text on its way into a prompt and back: fenced, and without what a format could read as its own.

Changes are few and visible: a middle dot breaks up a marker ("[·[ ## completed ## ]·]", "<·|im_start|>"), and
`restored` takes it out of what a model copied. Characters nobody sees are taken out for good: they carry orders
past a reader's eye.
"""

from __future__ import annotations

import re
from functools import lru_cache

from viva.core.ids import content_hash

MARK = "·"
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

_TURN = "system|developer|assistant|user|human"
_PLACES = (
    # DSPy's field markers, and the identifiers under which it reads images and files out of text
    r"(?<=[\[［])(?=[\[［]\s*[#＃]{2})",
    r"(?<=[#＃]{2}\])(?=\])|(?<=[#＃]{2}\s\])(?=\])|(?<=[#＃]{2}\s］)(?=］)",
    r"(?<=<)(?=<(?:CUSTOM-TYPE|/?SYS)\b)",
    # chat templates: <|im_start|>, <start_of_turn>, </s>, [INST]
    r"(?<=[<＜])(?=[|｜￨][^\n|｜￨<>＜＞]{1,60}[|｜￨][>＞])",
    r"(?<=<)(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn)>)",
    r"(?<=\[)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])",
    # our own fences
    r"(?<=[<＜])(?=[<＜]{2})",
    # a line that is a heading or a name and nothing else opens a turn: "### System:", "Assistant: ..."
    rf"(?<=\#)(?=[ \t]*(?:{_TURN}|instructions?|response|input)[ \t]*:?[ \t]*$)",
    *(rf"(?<=^{who})(?=[ \t]*:)" for who in _TURN.split("|")),
)
_MARKERS = re.compile("|".join(_PLACES), re.IGNORECASE | re.MULTILINE)
_MARKED = re.compile(
    rf"(?<=[\[\]<#［］＜＃]){MARK}|(?:{'|'.join(f'(?<=^{who})' for who in _TURN.split('|'))}){MARK}(?=[ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE_LINE = re.compile(r"<<<(?:end )?[\w -]{1,40} [0-9a-f]{8}>>>")


@lru_cache(maxsize=1024)
def fenced(text: str, label: str) -> str:
    """The text, neutralised, between two lines that bear the label and a hash of the text.

    No text can hold its own hash, so none can close its own fence, and a copied opening closes nothing.
    """
    tag = content_hash("fence", text)[:8]
    return f"<<<{label} {tag}>>>\n{neutralised(text)}\n<<<end {label} {tag}>>>"


def neutralised(text: str) -> str:
    """The text without unseen characters, every marker of a format broken up by a middle dot."""
    return _MARKERS.sub(MARK, seen(text))


def restored(text: str) -> str:
    """The text with markers whole again: undoes `neutralised`, but for unseen characters."""
    return _MARKED.sub("", text)


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
