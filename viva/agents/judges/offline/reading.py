"""An untrusted answer as its reader sees it, in parts.

Markup, characters nobody sees and letters that only look like others are folded away, in answers and sources alike;
nothing that an answer says of itself is read here at all.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
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


@lru_cache(maxsize=4096)
def parts(answer: str) -> tuple[str, ...]:
    """All that a reader would see of the answer: its sentences, lines and list items in their order, folded.

    Time is linear in the answer's characters.
    """
    text = _folded(answer)
    lines = (" ".join(text[start:end].split()) for start, end in _spans(text))
    return tuple(line for line in lines if line)


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """The text as it is compared: what a reader sees of it, in one line."""
    return " ".join(_folded(text).split())


def _folded(text: str) -> str:
    """The text without markup, hidden characters and look-alike letters; its line breaks stay."""
    visible = "".join(char for char in text if seen(char))
    for pattern, replacement in _FOLDS:
        visible = pattern.sub(replacement, visible)
    return "".join(map(_plain, visible))


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
