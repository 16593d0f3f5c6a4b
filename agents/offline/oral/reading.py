"""An untrusted answer as its reader sees it, in parts, each with its place in the answer to the character.

Markup, characters nobody sees and letters that only look like others are folded away, in answers and sources alike;
nothing that an answer says of itself is read here at all.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from viva.core.markup import Dialect, unmarked
from viva.llm.untrusted import seen

_HIDDEN = re.compile(r"<(script|style|template)\b[^<>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[\w+-]*[ \t]*$", re.MULTILINE)
"""Around an answer in a code block: what is in it is said all the same."""
# letters of Cyrillic and Greek that no reader tells from Latin ones
_ALIKE = str.maketrans(
    "аеорсухіјѕԁԛԝһӏⅼցոսАВЕКМНОРСТУХІЈЅԌԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανιıｌ‐‑‒–—−‘’‛“”„ʼʹ´′",
    "aeopcyxijsdqwhllgnuABEKMHOPCTYXIJSGWABEZHIKMNOPTYXoaviil------'''\"\"\"''''",
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs?|approx|Dr|Mr|Mrs|Ms|Prof|St|No|Fig|Inc|Ltd|Co|a\.m|p\.m|U\.S|[A-Z])|^\s*\d{1,3})\.$"
)
_END = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$)|;(?=\s|$)|。|！|？")
_BULLET = re.compile(r"\s*(?:[-•▪◦+#>|{}\[\]]|\d{1,3}[.)]\s|[a-z][.)]\s)")
_SHORT_LINE = 60
"""Characters: a line so short was not broken because it was full."""
_LONGEST = 600
"""Characters of a part: text without full stops is cut, so that work stays linear."""


@dataclass(frozen=True)
class AnswerPart:
    """A sentence, line or list item: folded text, and where it stands in the answer."""

    text: str
    start: int
    end: int


def parts(answer: str) -> list[AnswerPart]:
    """All that a reader would see of the answer, in order. Time is linear in its characters."""
    text, places = _folded(answer)
    found: list[AnswerPart] = []
    for start, end in _spans(text):
        said = text[start:end]
        if said.strip():
            first, last = start + len(said) - len(said.lstrip()), start + len(said.rstrip()) - 1
            found.append(AnswerPart(" ".join(said.split()), places[first], places[last] + 1))
    return found


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """The text as it is compared: what a reader sees of it, in one line."""
    return " ".join(_folded(text)[0].split())


def _folded(text: str) -> tuple[str, list[int]]:
    """The folded text and, for each of its characters, the place of the one it came from."""
    # what is unseen could part a mark before it is known as one, and come out of one that is decoded
    kept = [at for at, char in enumerate(text) if seen(char)]
    bare = _HIDDEN.sub(_blank, "".join(text[at] for at in kept))
    shown = unmarked(_FENCE.sub(_blank, bare), Dialect.MARKDOWN)
    signs = ((sign, kept[at]) for sign, at in zip(shown.text, shown.places, strict=True) if seen(sign))
    pairs = [(char, at) for sign, at in signs for char in _plain(sign)]
    return "".join(char for char, _ in pairs), [at for _, at in pairs]


def _blank(hidden: re.Match[str]) -> str:
    return " " * len(hidden.group())


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    if char.isascii():
        return char
    decomposed = unicodedata.normalize("NFKD", seen(char))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_ALIKE)


def _spans(text: str) -> list[tuple[int, int]]:
    """Sentences, lines and list items; never more than _LONGEST characters each."""
    found: list[tuple[int, int]] = []
    for left, right in _lines(text):
        start = left
        for match in _END.finditer(text, left, right):
            if _ABBREVIATION.search(text[max(start, match.end() - 12) : match.end()]):
                continue
            found.append((start, match.end()))
            start = match.end()
        found.append((start, right))
    return [(at, min(at + _LONGEST, end)) for start, end in found for at in range(start, end, _LONGEST)]


def _lines(text: str) -> list[tuple[int, int]]:
    """Stretches that belong together: a line that was only wrapped continues the one before."""
    found: list[tuple[int, int]] = []
    offset = 0
    open_line = False
    for line in text.splitlines(keepends=True):
        start, offset = offset, offset + len(line)
        words = line.strip()
        if not words:
            open_line = False
            continue
        if open_line and not _BULLET.match(line):
            found[-1] = (found[-1][0], offset)
        else:
            found.append((start, offset))
        open_line = not words.endswith((".", "!", "?", ":", ";")) and (
            len(words) >= _SHORT_LINE or _continues(text, offset)
        )
    return found


def _continues(text: str, at: int) -> bool:
    """Whether what follows begins in the middle of a sentence."""
    return text[at : at + 80].lstrip(" \t")[:1].islower()
