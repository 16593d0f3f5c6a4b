"""Content words: what two texts must share to speak of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

_STOP = frozenset(
    "a an and are as at be been being but by can could did do does done for from had has have how if in"
    " into is it its may might must no nor not of on one or out over own same shall should so some such"
    " than that the their them then there these they this those to too under until up was we were what"
    " when where which while who whom whose why will with within without would you your any each every"
    " other more most much many also only very just happen happens name term many often completes said"
    " statement context".split()
)
_ROOT = 6
_WORD = re.compile(r"[^\W_]+(?:[._'’-][^\W_]+)*|\w+")


def content_words(text: str) -> list[str]:
    """Lower-case words without function words, plural and verb endings folded."""
    return [stemmed(word) for word in (w.lower() for w in _WORD.findall(text)) if word not in _STOP]


@lru_cache(maxsize=50_000)
def stemmed(word: str) -> str:
    """A light stem: enough to match 'raises' with 'raise', 'passwords' with 'password', 'stored' with 'store'."""
    if len(word) < 4 or not word.isalpha():
        return word
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + kept
            break
    return word.removesuffix("e")


def roots(text: str) -> set[str]:
    """Its content words, forms of one word folded: 'biologic', 'biological'."""
    return {word[:_ROOT] for word in content_words(text)}
