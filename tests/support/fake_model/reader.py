"""The fake model as the reader of a RAG system: a letter from fenced passages and options, or a sentence of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase

from fake_model import prose
from fake_model.reading import Reading
from fake_model.requests import FENCE, Request
from viva.core.calls import Message

UNKNOWN = "I do not know."
_PASSAGE = re.compile(r"passage \d+")


def read(messages: Sequence[Message]) -> str | None:
    """What the reader replies to the last turn; None where that puts no question to a reader.

    Solved questions in turns before it change nothing. Without passages a letter is drawn by the question's words.
    """
    turn = messages[-1].text if messages else ""
    fences = [(match["label"], match["text"]) for match in FENCE.finditer(turn)]
    told = dict(fences)
    if "question" not in told:
        return None
    passages = [text for label, text in fences if _PASSAGE.fullmatch(label)]
    inputs = {"question": told["question"]}
    inputs |= {"passage": "\n\n".join(passages)} if passages else {}
    inputs |= {"options": told["options"]} if "options" in told else {}
    reading = Reading(Request("prose", (), inputs, turn))
    if reading.options:
        return ascii_uppercase[_choice(reading, passages) % len(ascii_uppercase)]
    return " ".join(reading.grounds) if passages and reading.grounds else UNKNOWN


def _choice(reading: Reading, passages: Sequence[str]) -> int:
    """The option that comes first in the sentence that holds one and shares most words with the question."""
    asked = prose.content(reading.question)
    told = [sentence for passage in passages for sentence in prose.sentences(passage)]
    for sentence in sorted(told, key=lambda sentence: -len(asked & prose.content(sentence))):
        held = {place: n for n, option in enumerate(reading.options) if (place := _place(sentence, option)) >= 0}
        if held and asked & prose.content(sentence):
            return held[min(held)]
    return reading.choice


def _place(text: str, option: str) -> int:
    """Where the option's words stand in the text; -1: nowhere."""
    found = re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text, re.IGNORECASE)
    return found.start() if found else -1
