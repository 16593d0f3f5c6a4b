"""Whether the question bank leaked: a question, or its answer key, in a prompt, in instructions or in an article."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from viva.metrics.text.verbatim import words_of

LEAST_WORDS = 5
"""Words of a question that, standing together in a text, can be no coincidence."""
ASKED = 0.6
"""Share of a question's words within reach of its key from which on the text gives the answer away."""
REACH = 40
"""Words on either side of a key."""


Leaked = Literal["question", "answer key"]
"""What was found of a question; its key counts with most of the question's words around it."""


@dataclass(frozen=True)
class Leak:
    """One question found in one text."""

    question_id: str
    where: str
    what: Leaked
    quote: str


def leaks(
    questions: Iterable[tuple[str, str, str]], texts: Iterable[tuple[str, str]], *, keys: bool
) -> Iterator[Leak]:
    """Leaks of questions given as (id, stem, key; '' for none) in texts given as (where, text), in their order.

    `keys`: also look for answer keys; of articles, which are there to hold answers, only questions are a leak.
    """
    known = [(identity, words_of(stem), words_of(key)) for identity, stem, key in questions]
    for where, text in texts:
        words = words_of(text)
        places = _places(words)
        for identity, stem, key in known:
            at = _found(stem, words, places) if len(stem) >= LEAST_WORDS else -1
            if at >= 0:
                yield Leak(identity, where, "question", " ".join(words[at : at + len(stem)]))
                continue
            at = _given_away(stem, key, words, places) if keys and key else -1
            if at >= 0:
                near = words[max(0, at - 8) : at + len(key) + 8]
                yield Leak(identity, where, "answer key", " ".join(near))


def _places(words: list[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    return places


def _found(wanted: list[str], words: list[str], places: dict[str, list[int]]) -> int:
    """Where the words stand together; -1 where they do not."""
    starts = places.get(wanted[0], [])
    return next((at for at in starts if words[at : at + len(wanted)] == wanted), -1)


def _given_away(stem: list[str], key: list[str], words: list[str], places: dict[str, list[int]]) -> int:
    asked = set(stem) - set(key)
    for at in places.get(key[0], []):
        if words[at : at + len(key)] == key:
            near = set(words[max(0, at - REACH) : at + len(key) + REACH])
            if asked and len(asked & near) >= ASKED * len(asked):
                return at
    return -1
