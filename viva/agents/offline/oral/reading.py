"""An untrusted answer as its reader sees it, in parts, each with its place in the answer to the character.

Markup, characters nobody sees and letters that only look like others are folded away, in answers and sources alike;
nothing that an answer says of itself is read here at all.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from viva.llm.untrusted import seen

_HIDDEN = re.compile(r"<!--.*?-->|<(script|style|template)\b[^<>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_INLINE = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)"
    r"(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-z][a-z0-9-]*(?:\s[^<>]{0,300})?/?>|<!doctype[^<>]*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,31}\d{0,2});", re.IGNORECASE)
_MARKUP = re.compile(r"\*+|`+|~~|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|\\(?=[^\w\s])")
_GONE, _BREAK = "", "\n"
_FOLDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_HIDDEN, lambda _: _BREAK),
    (_INLINE, lambda _: _GONE),
    (_TAG, lambda _: _BREAK),
    (_ENTITY, lambda m: html.unescape(m.group())),
    (_MARKUP, lambda _: _GONE),
)
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
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            found.append(AnswerPart(" ".join(text[start:end].split()), places[start], places[end - 1] + 1))
    return found


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """The text as it is compared: what a reader sees of it, in one line."""
    return " ".join(_folded(text)[0].split())


def _folded(text: str) -> tuple[str, list[int]]:
    """The folded text and, for each of its characters, the place of the one it came from."""
    characters = [(char, at) for at, char in enumerate(text) if seen(char)]
    for pattern, replacement in _FOLDS:
        now = "".join(char for char, _ in characters)
        if not pattern.search(now):
            continue
        kept: list[tuple[str, int]] = []
        done = 0
        for match in pattern.finditer(now):
            kept += characters[done : match.start()]
            kept += [(char, characters[match.start()][1]) for char in replacement(match)]
            done = match.end()
        characters = kept + characters[done:]
    pairs = [(plain, at) for char, at in characters for plain in _plain(char)]
    return "".join(char for char, _ in pairs), [at for _, at in pairs]


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
