"""The fake model in the oral examination: names the sentences of a passage, and finds them again in an answer."""

from __future__ import annotations

import re

from pydantic import JsonValue

from fake_model import prose
from fake_model.reading import Reading

_POINT = re.compile(r"^(\d+)\. (.*?); source: (.*)$", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORDS_IN_A_KEYWORD = 4
_COVERED = 0.5
"""Share of a source's words that a sentence must hold to be about it."""


def units(reading: Reading) -> list[JsonValue]:
    """One unit for each sentence that can be asked about; its keyword leaves out numbers."""
    return [
        {
            "keyword": _keyword(fact),
            "description": " ".join(prose.one_line(fact).split()[:20]),
            "type": "quantity" if _NUMBER.search(fact) else "factoid",
            "quote": fact,
        }
        for fact in reading.facts
    ]


def _keyword(fact: str) -> str:
    words = [word.strip(",;:.()") for word in prose.one_line(fact).split() if not _NUMBER.search(word)]
    return " ".join(words[:_WORDS_IN_A_KEYWORD])


def covered(reading: Reading) -> list[JsonValue]:
    """The points that a sentence of the answer is about: right where it holds the same numbers."""
    answer = reading.request.inputs.get("answer", "")
    said = [sentence for line in answer.splitlines() for sentence in prose.sentences(line)]
    found: list[JsonValue] = []
    for number, _, source in _POINT.findall(reading.request.inputs.get("points", "")):
        words = prose.content(source)
        shares = [(len(words & prose.content(sentence)) / max(1, len(words)), -n) for n, sentence in enumerate(said)]
        share, place = max(shares, default=(0.0, 0))
        if share >= _COVERED:
            quote = said[-place]
            found.append(
                {
                    "point": int(number),
                    "quote": quote,
                    "reason": "It was held against the source's numbers.",
                    "correct": sorted(_NUMBER.findall(quote)) == sorted(_NUMBER.findall(source)),
                }
            )
    return found


def question(reading: Reading) -> str:
    """Asks for every point by its keyword."""
    points = re.findall(r"^\d+\. (.*?) \(\w+\)$", reading.request.inputs.get("points", ""), re.MULTILINE)
    return f"What do you know of {'; '.join(points)}?"
