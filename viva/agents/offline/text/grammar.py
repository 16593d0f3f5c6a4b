"""A little English grammar: tagged words.

Words are tagged with HanTa (a morphological HMM tagger whose English model ships inside its package; tags
are those of the British National Corpus, C5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Protocol, cast

from viva.agents.offline.text.vocabulary import Vocabulary
from viva.core.text.prose import Sentence

_WORD = re.compile(
    r"[£$€]\s?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?(?:million|billion))?"  # money
    r"|\d{1,2}:\d{2}\b"
    r"|\d+(?:,\d{3})*(?:\.\d+)*%?(?![\w-])"  # number, version, percentage
    r"|\.?[^\W\d]\w*(?:(?:[-.'’/:@+]|::)\w+)*(?:\(\))?'?"  # word, dotted name, call
    r"|\w+(?:[-.'’/]\w+)*"
    r"|[^\w\s]"
)
_NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen eighteen twenty"
    " thirty forty fifty sixty ninety hundred dozen".split()
)
_NUMBER = re.compile(r"^(?:[£$€]\s?)?\d[\d,]*(?:\.\d+)*%?(?:\s?(?:million|billion))?$|^\d{1,2}:\d{2}$")
_IDENTIFIER = re.compile(r"^[A-Z]{1,6}[-/]?\d[\w-]*$|\w_\w|\(\)$|^[a-z_]\w*(?:\.\w+)+$|^_\w+|[a-z][A-Z]|::|^--?\w")

_LONGEST_WORD = 50
NOUN = frozenset({"NN0", "NN1", "NN2", "NP0", "UNC"})
FINITE_LEXICAL = frozenset({"VVZ", "VVD", "VVB"})
FINITE_BE = frozenset({"VBZ", "VBD", "VBB"})
FINITE_HAVE = frozenset({"VHZ", "VHD", "VHB"})
FINITE_DO = frozenset({"VDZ", "VDD", "VDB"})
FINITE = FINITE_LEXICAL | FINITE_BE | FINITE_HAVE | FINITE_DO | {"VM0"}
_CURRENCY = frozenset("£$€")
_WORDS_KEPT = 50_000


@dataclass(frozen=True)
class Token:
    """A word with its tag and lemma; `start`/`end` into the sentence's text."""

    text: str
    tag: str
    lemma: str
    start: int
    end: int
    code: bool = False


class _Tagger(Protocol):
    def tag_sent(self, words: list[str], *, taglevel: int) -> list[tuple[str, str, str]]: ...


@cache
def _tagger() -> _Tagger:
    from HanTa.HanoverTagger import HanoverTagger

    tagger = HanoverTagger("morphmodel_en.pgz")
    # a word's own analysis is most of the time, and most words of a corpus come again
    for analysis in ("analyze_forward", "analyze_viterbi"):
        setattr(tagger, analysis, lru_cache(_WORDS_KEPT)(getattr(tagger, analysis)))
    return cast(_Tagger, tagger)


def tag(sentence: Sentence, known: Vocabulary = Vocabulary()) -> tuple[Token, ...]:  # noqa: B008 - frozen
    """The sentence's words, tagged. What stood in code markup is one word and a name.

    `known` says which words keep their capital at a sentence's start and which owe it to the start alone.
    """
    spans = _word_spans(sentence)
    words = [sentence.text[start:end] for start, end, _ in spans]
    # the tagger's time grows faster than a word's length: what is so long is no word
    given = [
        "Name" if code or len(word) > _LONGEST_WORD else word for word, (_, _, code) in zip(words, spans, strict=True)
    ]
    if not given:
        return ()
    tagged = _tagger().tag_sent(given, taglevel=1)
    tokens = [
        _token(word, tag_, lemma, start, end, code=code, name=_may_be_name(word, number, known))
        for number, (word, (_, lemma, tag_), (start, end, code)) in enumerate(zip(words, tagged, spans, strict=True))
    ]
    return tuple(_retagged(tokens, number) for number in range(len(tokens)))


def _may_be_name(word: str, number: int, known: Vocabulary) -> bool | None:
    """Whether a capital makes the word a name; None where only the sentence's start gave it."""
    if number:
        return True
    if bare_name(word) in known.names or (bare_name(word) != word and bare_name(word).lower() not in known.common):
        return True
    return None if word.lower() in known.common else False


def bare_name(word: str) -> str:
    """A word without its possessive ending."""
    return word.removesuffix("'s").removesuffix("’s")


def _retagged(tokens: Sequence[Token], at: int) -> Token:
    """Errors the tagger often makes, mended by what stands around the word."""
    token = tokens[at]
    before = next((t for t in reversed(tokens[:at]) if t.tag not in {"AV0", "XX0"}), None)
    if before is None:
        return token
    if token.tag == "VVD" and before.tag[:2] in {"VB", "VH"}:
        return replace(token, tag="VVN")
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    following = tokens[at + 2] if at + 2 < len(tokens) else None
    earlier = next((t for t in reversed(tokens[: max(at - 1, 0)])), None)
    keeps = before.tag == "NN2" and earlier is not None and earlier.tag in {"NN1", "NP0", "UNC"}
    if token.tag == "VVD" and keeps and after is not None and after.tag in {"NN1", "NN2"}:
        return replace(token, tag="AJ0")  # "keeps cancelled tickets": the verb is the word before
    if token.tag == "VVZ" and before.tag in {"NN1", "AJ0"} and _is_complement(tokens, at):
        return replace(token, tag="NN2")  # 'Bollards are steel posts that ...'
    opens_object = after is not None and (
        after.tag in {"AT0", "DT0", "DPS", "CJT"}
        or after.text in {"that", "whether"}
        or (after.tag == "VVD" and following is not None and following.tag in {"NN1", "NN2"})
    )
    if (
        after is not None
        and (after.code or after.tag == "NP0" or after.text[:1] in _CURRENCY)
        and before.tag != "NP0"
    ):
        opens_object = True  # 'the purser files Form SF-118', 'the card costs £15'
    if token.tag == "NN2" and opens_object and before.tag in {"NN1", "NP0", "CRD", "UNC"} and not token.code:
        return replace(token, tag="VVZ")
    return token


def _is_complement(tokens: Sequence[Token], at: int) -> bool:
    """Whether 'are' and at most two words stand before: no other verb can follow."""
    return any(tokens[n].text == "are" for n in range(max(1, at - 3), at - 1) if n < at)


def _word_spans(sentence: Sentence) -> list[tuple[int, int, bool]]:
    spans: list[tuple[int, int, bool]] = []
    position = 0
    for start, end in (*sentence.code, (len(sentence.text), len(sentence.text))):
        spans += [(m.start(), m.end(), False) for m in _WORD.finditer(sentence.text, position, start)]
        if end > start:
            spans.append((start, end, True))
        position = end
    return spans


def _token(word: str, tag_: str, lemma: str, start: int, end: int, *, code: bool, name: bool | None) -> Token:
    identifier = code or bool(_IDENTIFIER.search(word))
    if identifier:
        return Token(word, "NP0", word, start, end, code=True)
    if _NUMBER.match(word) or word.lower() in _NUMBER_WORDS:
        return Token(word, "CRD", word, start, end)
    if word[:1].isdigit():
        return Token(word, "ORD" if re.match(r"^\d+(?:st|nd|rd|th)$", word) else "AJ0", word, start, end)
    if word.lower() in {"cannot", "can't", "won't", "mustn't", "shouldn't"}:
        return Token(word, "VM0", word.lower(), start, end)
    if word.isupper() and len(word) > 1:
        return Token(word, "NP0", word, start, end)
    if name and word[:1].isupper() and (tag_ in {"UNC", "AJ0", "NN1", "NN0"} or bare_name(word) != word):
        tag_, lemma = "NP0", word
    if name is None and tag_ in {"UNC", "NP0"} and word[1:].islower():
        tag_ = "NN1"
    if tag_ == "CRD":
        tag_ = "NN1"  # the tagger's guess for a word it does not know
    return Token(word, tag_, lemma, start, end)


def text_of(source: str, tokens: Sequence[Token]) -> str:
    """The words as they stand in the source."""
    return source[tokens[0].start : tokens[-1].end] if tokens else ""


def uncapitalised(source: str, tokens: Sequence[Token]) -> str:
    """The words as they stand, without the capital that only the sentence's start gave them."""
    words = text_of(source, tokens)
    if not tokens or tokens[0].code or tokens[0].tag in {"NP0", "UNC"} or not words[:1].isupper():
        return words
    first = tokens[0].text
    if any(letter.isupper() for letter in first[1:]):
        return words
    plural = first.endswith("s") and not first.endswith("ss")  # 'Neuroscientists Ada Brannoch and ...'
    if tokens[0].tag in {"NN0", "NN1", "AJ0"} and len(tokens) > 1 and tokens[1].text[:1].isupper() and not plural:
        return words
    return words[0].lower() + words[1:]


def capitalised(text: str) -> str:
    """The text with a capital first letter, unless it begins with an identifier."""
    first = text.split(" ", 1)[0]
    if not text or _IDENTIFIER.search(first) or not re.match(r"^[A-Za-z][a-z]*(?:-[a-z]+)*[,']?[a-z]*$", first):
        return text
    return text[0].upper() + text[1:]
