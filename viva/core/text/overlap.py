"""How much texts share: token F1, Jaccard similarity of n-grams, and words as the rules compare them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from viva.core.text.languages.phrase_lookup import phrases

# English articles, as in SQuAD: other languages keep theirs, on both sides alike
_ARTICLES = frozenset({"a", "an", "the"})
_ASCII_SYMBOLS = re.compile(r"[!-/:-@\[-`{-~]")
_SIGN = re.compile(r"(?<=\w)#|(?<=[\w+])\+(?!\d)|(?<!\w)[-–<>](?=\d)")
_KEPT = str.maketrans("#+-–<>", "♯＋−−＜＞")
_ARTICLE_LAST = re.compile(r"(?:^|\s)(?:an?|the)\W*$", re.IGNORECASE)


def caseless(text: str) -> str:
    """The text without differences of case and white space."""
    return " ".join(text.casefold().split())


@lru_cache(maxsize=4096)
def normalised_tokens(text: str) -> tuple[str, ...]:
    """Tokens for comparison: case-folded, without punctuation and English articles, split at white space.

    Source: the evaluation of SQuAD 1.1 (Rajpurkar et al. 2016), with Unicode punctuation besides the ASCII one.
    Punctuation is deleted, not split at: "U.S." gives "us".
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    kept = "".join(
        char for char in folded if not (unicodedata.category(char).startswith("P") or _ASCII_SYMBOLS.match(char))
    )
    return tuple(token for token in kept.split() if token not in _ARTICLES)


def holds(text: str, phrase: str) -> bool:
    """Whether the tokens of a phrase stand in a text, in a row and with their signs: "C" is not "C++", 5 not -5.

    A phrase without tokens, or that ends in an article ("Vitamin A"), must stand in the text as it is.
    """
    given, sought = (normalised_tokens(_SIGN.sub(lambda sign: sign[0].translate(_KEPT), t)) for t in (text, phrase))
    if not sought or _ARTICLE_LAST.search(phrase):
        words = (phrase.strip(" .") or phrase).split()
        as_it_is = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
        return re.search(as_it_is, text, re.IGNORECASE if sought else re.NOFLAG) is not None
    return any(given[n : n + len(sought)] == sought for n in range(len(given) - len(sought) + 1))


def token_f1(text: str, reference: str) -> float:
    """Harmonic mean of the shares of tokens found in the other text, in [0, 1], counting repeats.

    Two texts without tokens are equal (1.0); one without tokens shares nothing (0.0), as in SQuAD.
    """
    first, second = normalised_tokens(text), normalised_tokens(reference)
    if not first or not second:
        return float(first == second)
    shared = (Counter(first) & Counter(second)).total()
    return 2 * shared / (len(first) + len(second))


def ngram_jaccard(text: str, other: str, n: int = 3) -> float:
    """Share of distinct token n-grams that two texts have in common, in [0, 1].

    A text shorter than n tokens counts as one gram. Two texts without tokens are equal (1.0).
    """
    first, second = ngrams(normalised_tokens(text), n), ngrams(normalised_tokens(other), n)
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def ngrams(tokens: tuple[str, ...], n: int) -> frozenset[tuple[str, ...]]:
    """The distinct n-grams; all tokens as one gram where there are fewer than n."""
    if not tokens:
        return frozenset()
    return frozenset(tokens[i : i + n] for i in range(max(len(tokens) - n + 1, 1)))


_WORD = re.compile(r"[^\W_]+(?:[._'’+#-]*[^\W_]+)*(?:\+\+|#)?|[^\W]+")
_SHORTEST_STEM = 3
"""Letters that an ending must leave: "was" is no plural."""


def plain(text: str) -> str:
    """The text in one line, with plain apostrophes."""
    return " ".join(unicodedata.normalize("NFC", text).replace("’", "'").replace("\u00a0", " ").split())


def plain_words(text: str) -> list[str]:
    """Its words, case-folded, parted at apostrophes too."""
    return [part for word in _WORD.findall(plain(text).casefold()) for part in word.split("'") if part]


def content_words(text: str, language: str) -> list[str]:
    """Its words without function words, and without the endings that inflect them, where the language is known."""
    known = phrases(language)
    words = plain_words(text)
    if known is None:
        return words
    return [stemmed(word, known.endings) for word in words if word not in known.function_words]


def stemmed(word: str, endings: tuple[str, ...]) -> str:
    """A light stem: enough to match a plural with its singular."""
    if not word.isalpha():
        return word
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def within(part: str, whole: str) -> bool:
    """Whether the words of one text stand in the other, side by side."""
    words, among = normalised_tokens(part), normalised_tokens(whole)
    return bool(words) and any(among[n : n + len(words)] == words for n in range(len(among) - len(words) + 1))


_NEGATIONS = {
    *("no", "not", "never", "none", "neither", "nor", "without", "cannot"),
    *("nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "niemals", "ohne"),
    *("ne", "pas", "jamais", "aucun", "aucune", "sans", "ni"),
    *("nunca", "ningún", "ninguna", "sin", "jamás"),
}


def negated(text: str) -> bool:
    """Tell whether a text denies something, in any of the languages that rules exist for."""
    return "n't" in text or "n’t" in text or not _NEGATIONS.isdisjoint(normalised_tokens(text))
