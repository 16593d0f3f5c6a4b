"""What a model thought before it answered, taken out of its answer."""

from __future__ import annotations

import re

NAMES = (
    "think|thinking|thought|thoughts|reason|reasoning|reflection|reflections|scratch_?pad|analysis|monologue"
    "|inner_monologue|internal_monologue|chain_of_thought|cot|deliberation|rationale"
)
"""Of tags and of fields that hold thoughts."""

_TAG = re.compile(
    r"(?:(?P<angle><)|[\[◁])\s?\|?(?P<end>/|end_?(?:of_?)?|(?:begin|start)_?(?:of_?)?)?(?:[a-z]{1,12}:)?"
    rf"(?P<name>(?(angle)(?:{NAMES})|think(?:ing)?))(?:\s[^<>\[\]]{{0,200}})?\|?\s?[>\]▷]",
    re.IGNORECASE,
)
_ESCAPED = re.compile(rf"&lt;(/?(?:{NAMES}))&gt;", re.IGNORECASE)
_DETAILS = re.compile(r"<details\b[^<>]{0,100}\breasoning\b[^<>]{0,100}>", re.IGNORECASE)
_DETAILS_END = "</details>"
_CHANNEL = "<|channel|>"
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s?final[^<>]{0,40}<\|message\|>")
# the same without its special tokens
_BARE_ANALYSIS = re.compile(r"\s?analysis(?=[A-Z\s])")
_BARE_FINAL = "assistantfinal"
_TOKEN = re.compile(r"<\|[a-z_]{1,30}\|>|</?s>")


def without_thoughts(text: str) -> str:
    """The answer alone. A closing tag without its opening one ends thoughts; one that is never closed begins them."""
    text = _without_details(_ESCAPED.sub(r"<\1>", _last_channel(text)))
    kept: list[str] = []
    open_names: list[str] = []
    position = 0
    for tag in _TAG.finditer(text):
        if not open_names:
            kept.append(text[position : tag.start()])
        position = tag.end()
        name = tag["name"].lower()
        if not (tag["end"] or "").lower().startswith(("/", "end")):
            open_names.append(name)
        elif name in open_names:
            # thoughts that speak of their own tag open it twice and close it once
            del open_names[open_names.index(name) :]
        else:
            kept = []
    if not open_names:
        kept.append(text[position:])
    return _TOKEN.sub(" ", "\n".join(piece for piece in kept if piece.strip()))


def _without_details(text: str) -> str:
    """The text without foldable blocks of reasoning; other foldable blocks are part of the answer."""
    kept: list[str] = []
    position = 0
    while opening := _DETAILS.search(text, position):
        kept.append(text[position : opening.start()])
        end = text.find(_DETAILS_END, opening.end())
        if end < 0:
            return "\n".join(kept)
        position = end + len(_DETAILS_END)
    return "\n".join([*kept, text[position:]])


def _last_channel(text: str) -> str:
    """What stands in the last channel for answers, where a model writes into channels."""
    if _CHANNEL in text:
        finals = list(_FINAL_CHANNEL.finditer(text))
        return text[finals[-1].end() :] if finals else text.partition(_CHANNEL)[0]
    if _BARE_ANALYSIS.match(text) and _BARE_FINAL in text:
        return text.rpartition(_BARE_FINAL)[2]
    return text
