"""The words by which two texts are compared: stems, names, and the words next to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from viva.core.text.languages.english import ENGLISH
from viva.core.text.words import content_words, stemmed

_WORD = re.compile(r"[£$€]?\d+(?:[.,:]\d+)*%?(?![^\W_])|[^\W_]+(?:[._'’/:]+[^\W_]+)*(?:\(\))?|__?\w+")
_COUNTING = frozenset(
    {*ENGLISH.numbers, *"hundred thousand million billion dozen cent percent".split()} - {"one", "zero"}
)
_IRREGULAR = {
    form: base
    for base, forms in (
        pair.split(":")
        for pair in (
            "be:been build:built buy:bought bring:brought hold:held keep:kept make:made give:gave,given"
            " take:took,taken have:had find:found lead:led leave:left lose:lost mean:meant meet:met pay:paid run:ran"
            " say:said see:saw,seen sell:sold send:sent spend:spent stand:stood tell:told think:thought win:won"
            " write:wrote,written begin:began,begun break:broke,broken choose:chose,chosen draw:drew,drawn"
            " drive:drove,driven eat:ate,eaten fall:fell,fallen get:got,gotten go:went,gone grow:grew,grown"
            " know:knew,known rise:rose,risen show:shown speak:spoke,spoken throw:threw,thrown wear:wore,worn"
            " bind:bound feed:fed teach:taught catch:caught seek:sought lay:laid lie:lay,lain child:children man:men"
            " woman:women person:people foot:feet tooth:teeth mouse:mice datum:data analysis:analyses become:became"
            " feel:felt do:done come:came fight:fought hear:heard sit:sat swim:swam understand:understood"
        ).split()
    )
    for form in forms.split(",")
}  # fmt: skip


@dataclass(frozen=True)
class Word:
    """A word: `stem` is '' of a function word, `key` its stem all the same."""

    text: str
    lower: str
    stem: str
    key: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name or an identifier is."""
        marked = re.search(r"[A-Z]|\w[_.]\w|\(\)|[A-Za-z]\d|\d[A-Za-z]", self.text)
        return bool(marked) and bool(self.stem) and not self.is_number

    @property
    def is_number(self) -> bool:
        """Whether it is a figure or part of one, which is compared by what it amounts to."""
        if self.lower in _COUNTING:
            return True
        return self.text.strip("£$€%")[:1].isdigit() and not re.search(r"[A-Za-z]", self.text)


@lru_cache(maxsize=8192)
def words_of(text: str) -> tuple[Word, ...]:
    """All words of a (folded) text, from left to right; hyphens part them."""
    return tuple(_word(m.group(), m.start()) for m in _WORD.finditer(text))


@lru_cache(maxsize=65536)
def _stems(lower: str) -> tuple[str, str]:
    bare = lower.removesuffix("'s").removesuffix("()")
    base = _IRREGULAR.get(bare, bare)
    # 'uses' and 'use', 'focused' and 'focus' are one word
    key = base if base.endswith(("us", "is")) else stemmed(base)
    key = key.removesuffix("e") if len(key) > 2 else key
    # 'stopped' and 'stop', 'carried' and 'carry', 'permitted' and 'permit'
    if len(key) > 3 and key != base and key[-1] == key[-2] and key[-1] in "bdgmnprt":
        key = key[:-1]
    if len(key) > 2 and key.endswith("i"):
        key = key[:-1] + "y"
    return (key if content_words(base) else ""), key


def _word(text: str, start: int) -> Word:
    stem, key = _stems(text.lower())
    return Word(text, text.lower(), stem, key, start)


@lru_cache(maxsize=8192)
def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's content words, without its figures."""
    return frozenset(word.stem for word in words_of(text) if word.stem and not word.is_number)


@lru_cache(maxsize=4096)
def name_stems(text: str) -> frozenset[str]:
    """The stems of the names and identifiers of a (folded) text."""
    words = words_of(text)
    found = set[str]()
    at = 0
    while at < len(words):
        stop = at
        while stop < len(words) and words[stop].is_name and (stop == at or _adjoin(text, words, stop)):
            stop += 1
        run = words[at:stop]
        # a capital at the start alone makes no name, nor do letters in capitals all through
        if run and (at or len(run) > 1 or re.search(r"[A-Z_\d.].*[A-Z_\d(]|\w[_.]\w", run[0].text)):
            found.update(word.stem for word in run)
        at = max(stop, at + 1)
    return frozenset(found)


def _adjoin(text: str, words: Sequence[Word], at: int) -> bool:
    return text[words[at - 1].end : words[at].start] in {" ", "-"}


def neighbours(words: Sequence[Word], start: int, stop: int) -> frozenset[str]:
    """The stems of the content words next to some, on either side."""
    left = next((w.stem for w in reversed(words[:start]) if w.stem), "")
    right = next((w.stem for w in words[stop:] if w.stem), "")
    return frozenset({left, right} - {""})
