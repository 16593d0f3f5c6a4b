"""The letters of options in an answer, and their places in the list; articles, pronouns and initials are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from viva.core.text.patterns import late_pattern
from viva.metrics.text.choices import lexicon
from viva.metrics.text.choices.language import Script
from viva.metrics.text.choices.options import kind_of

_NATIVE = {
    "cyrillic": "абвгдежзик",
    "greek": "αβγδεζηθικ",
    "arabic": "ابجدهوزحطي",
    "hindi": "कखगघङचछजझञ",
    "katakana": "アイウエオカキクケコ",
    "hangul": "가나다라마바사아자차",
    "han": "甲乙丙丁戊己庚辛壬癸",
}
"""Letters that number options in other scripts."""
_NAMES = {"ए": 0, "बी": 1, "सी": 2, "डी": 3, "ई": 4, "एफ": 5}
"""Latin letters by their names, in Hindi."""
_LOOK_ALIKE = {**dict(zip("авсенк", "abcehk", strict=True)), **dict(zip("αβεηικ", "abehik", strict=True))}
"""Letters that look like a Latin one in upper case."""
_OWN_ORDER = frozenset("бгджзи")
"""Where one of these is an option's letter, the others are in the order of their alphabet too."""
LAST = 10
"""The number of the last place among ordinals."""
_WORDS = frozenset("aei")
"""Latin letters that are words by themselves in some language."""
_LABEL = late_pattern(
    "(?P<open>[\"'(\\[{]{0,3})(?P<letter>[A-Za-z]|[А-Яа-яΑ-Ωα-ω]|[اأبجدهوزحطي]|बी|सी|डी|एफ|[एई]|[क-ञ]|[アイウエオカキクケコ가나다라마바사아자차甲乙丙丁戊己庚辛壬癸])"
    "(?P<close>[\"')\\]}.:、|]{0,4})"
)
_CONTINUES = late_pattern(
    rf"\s*(?:{lexicon.words('because')}|{lexicon.words('chosen')}|{lexicon.words('excludes_after')}|{lexicon.words('option_after')}|{lexicon.words('copula')}|{lexicon.words('either')}|{lexicon.words('both')}|{lexicon.words('negates')}|{lexicon.words('negates_before')}"
    rf"|{lexicon.words('right')}|{lexicon.words('wrong')}|{lexicon.words('hedges')}|{lexicon.words('it_is')}|{lexicon.words('corrects')}|[<>](?=\s))"
)
_MARKED_NUMBER = late_pattern(r"#(?=\d)")
"""A number that a sign makes a place in the list, not an amount."""
_LONGEST_BRACKET = 60
_PORTUGUESE_ARTICLE = late_pattern(r"\s(?:(?:alternativa|opcao|resposta|letra)\s)?(?:corret|cert|verdadeir)a\se\s")
_PLACE_NUMBER = late_pattern(r"[#(]?(\d{1,2})\)?(?![\d.,]*\d|\s?[%°])")
_LINE_START = late_pattern(r"(?:^|\n)[\s\d.)\"'(\[-]{0,6}$")


class FoundLetter(NamedTuple):
    """A letter or a place in an answer, and the option it stands for."""

    start: int
    end: int
    option: int | None
    """None: it is beyond the options"""
    other: int | None
    """the option that it stands for if letters are those of its own alphabet, not those that look like them"""
    sure: bool
    """marked as a letter: by brackets, by a noun, by its place in the line"""


class LetterFinder:
    """Finds letters of so many options in one text; `folded` is that text without case and accents."""

    def __init__(self, text: str, folded: str, count: int) -> None:
        self._text = text
        self._folded = folded
        self._count = count
        self._alone = sum(map(str.isalnum, text)) == 1
        self._cued = {match.end() for match in lexicon.LETTER_CUES.finditer(folded)}
        self._nouns = {match.end(): match.start() for match in lexicon.OPTION_NOUN.finditer(folded)}

    def letters(self) -> Iterator[FoundLetter]:
        """Every letter that may be an option, from left to right."""
        found = [(match["letter"], label) for match in _LABEL.finditer(self._text) if (label := self._label(match))]
        own = any(letter.lower() in _OWN_ORDER for letter, _ in found)
        for _, label in found:
            yield label._replace(option=label.other, other=None) if own and label.other is not None else label

    def places(self) -> Iterator[FoundLetter]:
        """Every place in the list: "the second option", "option 2", "the last one"."""
        for pattern, option in _places(self._count) if _any_place().search(self._folded) else ():
            for match in pattern.finditer(self._folded):
                yield FoundLetter(
                    match.start(), match.end(), option if option < self._count else None, None, sure=True
                )
        for end in self._cued:
            found = _ordinal().match(self._folded, end)
            if found and found.lastgroup and lexicon.ENDS.match(self._folded[found.end() : found.end() + 30]):
                option = int(found.lastgroup[1:])
                option = self._count - 1 if option == LAST else option
                yield FoundLetter(
                    found.start(), found.end(), option if option < self._count else None, None, sure=True
                )
        marked = (match.start() for match in _MARKED_NUMBER.finditer(self._folded))
        for end, start in {**{place: place for place in marked if place in self._cued}, **self._nouns}.items():
            number = _PLACE_NUMBER.match(self._folded, end)
            if number and int(number[1]) >= 1:
                option = int(number[1]) - 1
                yield FoundLetter(start, number.end(), option if option < self._count else None, None, sure=True)

    def _label(self, match: re.Match[str]) -> FoundLetter | None:
        start, end = match.span()
        letter, close = match["letter"], match["close"]
        if not self._is_apart(match):
            return None
        option, other = _meant(letter)
        if option is None:
            return None
        noun = next((n for n in (start, start + len(match["open"])) if n in self._nouns), None)
        cued = noun is not None or start in self._cued
        lone = self._alone
        bracketed = (")" in close and ("(" in match["open"] or not self._is_enclosed(start))) or (
            match["open"][-1:] in "([{" and close[:1] in ")]}" and bool(close) and bool(match["open"])
        )
        begins = _LINE_START.search(self._text[max(0, start - 8) : start]) is not None
        if not self._is_letter(match, cued=cued, lone=lone, bracketed=bracketed, begins=begins):
            return None
        sure = noun is not None or lone or bracketed or (begins and close[:1] in {".", ":", "、", "]"})
        known = option < self._count or (other is not None and other < self._count)
        if not known and not (cued or lone or (begins and (bracketed or close))):
            return None
        if not (cued or lone or sure) and lexicon.NAMED.search(self._folded[max(0, start - 20) : start]):
            return None
        end -= len(close) - len(close.rstrip(".:、|"))
        after = lexicon.NOUN_AFTER.match(self._folded, end)
        end = after.end() if after and not close else end
        return FoundLetter(
            self._nouns[noun] if noun is not None else start,
            end,
            option if option < self._count else None,
            other if other is not None and other < self._count else None,
            sure=sure or (after is not None and not close),
        )

    def _is_enclosed(self, start: int) -> bool:
        """Whether a bracket is open there: the one behind "(see Fig. A)" does not mark the letter."""
        before = self._text[max(0, start - _LONGEST_BRACKET) : start].rpartition("\n")[2]
        return before.rfind("(") > before.rfind(")")

    def _is_apart(self, match: re.Match[str]) -> bool:
        """Whether no letter of its script, and nothing that makes it part of a name, stands next to it."""
        text, (start, end) = self._text, match.span()
        letter, close = match["letter"], match["close"]
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        kind = kind_of(letter[0])
        native = kind != "latin"
        if before and not match["open"]:
            if (kind and kind_of(before) == kind) or before.isdigit() or before in "_-&@#+.":
                return False
            if before == "'" and not text[start - 2 : start - 1].isalpha():
                return False
            if before == "/" and not (text[start - 2 : start - 1].isupper() and letter.isupper()):
                return False
        if close[-1:] == "'" and after.isalpha():
            return False
        if close:
            # "U.S.", "e.g.", "a.m."
            return not (close[-1] == "." and after.isalnum() and kind_of(after) == kind and len(close) == 1)
        if after and (
            (kind and kind_of(after) == kind)
            or after.isdigit()
            or after in "_&@+#"
            or (native and kind_of(after) == "indic")
        ):
            return False
        if after == "'":
            return not text[end + 1 : end + 2].isalpha()
        if after in {"-", "/"}:
            following = text[end + 1 : end + 2]
            return not following.isalnum() or (after == "/" and following.isupper() and letter.isupper())
        return True

    def _is_letter(self, match: re.Match[str], *, cued: bool, lone: bool, bracketed: bool, begins: bool) -> bool:
        letter, close = match["letter"], match["close"]
        ended = bool(close) or lexicon.ENDS.match(self._folded[match.end() : match.end() + 30]) is not None
        plain = letter.lower()
        if lone:
            return True
        looks = plain in _LOOK_ALIKE and letter.isupper()
        if not letter.isascii() and not looks:
            return (bracketed and begins) or (cued and (ended or bracketed))
        if letter.isupper():
            if plain == "a" and _PORTUGUESE_ARTICLE.match(self._folded, match.end()):
                return False
            if bracketed:
                return True
            if plain not in _WORDS and not looks:
                return True
            follows = _CONTINUES.match(self._folded, match.end()) is not None
            if cued:
                # behind a colon a sentence may begin: "Answer: A pump is open"
                return (
                    ended
                    or follows
                    or plain == "e"
                    or not self._folded[: match.start()].rstrip().endswith((":", "."))
                )
            return ended or follows
        if plain in _WORDS:
            return (cued or begins) and (bracketed or (cued and ended))
        return (cued and (ended or bracketed or _CONTINUES.match(self._folded, match.end()) is not None)) or (
            begins and close[:1] in {")", "]", ".", ":"}
        )


def _meant(letter: str) -> tuple[int | None, int | None]:
    """The option's number by the Latin letter it is or looks like, and by its own alphabet."""
    if letter in _NAMES:
        return _NAMES[letter], None
    plain = letter.lower().replace("أ", "ا")
    own = next((alphabet.index(plain) for alphabet in _NATIVE.values() if plain in alphabet), None)
    if plain.isascii():
        return ord(plain) - ord("a"), None
    if plain in _LOOK_ALIKE and letter.isupper():
        return ord(_LOOK_ALIKE[plain]) - ord("a"), own
    return own, None


@cache
def _any_place() -> re.Pattern[str]:
    """Sooner searched than all places: most answers name none."""
    ordinals = "|".join(lexicon.listed("ordinals", number) for number in range(10))
    cardinals = "|".join(lexicon.listed("numbers", number) for number in range(10))
    options = lexicon.words("option", *lexicon.SPACED)
    return re.compile(rf"{ordinals}|{lexicon.words('last')}|(?:{options})\s(?:\w+\s)?(?:{cardinals})")


@cache
def _ordinal() -> re.Pattern[str]:
    """An ordinal without a noun: "the answer is the second"."""
    groups = [rf"(?P<n{number}>{lexicon.listed('ordinals', number)})" for number in range(10)]
    return re.compile("|".join([*groups, rf"(?P<n{LAST}>{lexicon.words('last')})"]))


@cache
def _places(count: int) -> tuple[tuple[re.Pattern[str], int], ...]:
    """Patterns of places in the list, with the option of each."""
    listed = [
        (re.compile(_place(lexicon.listed("ordinals", number), lexicon.listed("numbers", number))), number)
        for number in range(LAST)
    ]
    return (*listed, (re.compile(_place(lexicon.words("last"))), count - 1))


def _place(ordinal: str, cardinal: str = "") -> str:
    """The second option, opción segunda, 第二个选项, option two."""
    spaced = lexicon.words("ordinal_noun", *lexicon.SPACED)
    unspaced = lexicon.words("ordinal_noun", Script.UNSPACED)
    article = rf"(?:(?:{lexicon.words('article')})\s?)?"
    ways = [
        rf"{article}(?:{ordinal})\s(?:{spaced})",
        rf"{article}(?:{spaced})\s(?:{ordinal})",
        rf"(?:{ordinal})的?(?:{unspaced})",
    ]
    if cardinal:
        # "one" and "a" are one word in some languages: "opción un mes"
        follows = "|".join(lexicon.words(field) for field in ("copula", "right", "wrong", "negates"))
        options = lexicon.words("option", *lexicon.SPACED)
        ways.append(
            rf"{article}(?:{options})\s(?:number\s|nummer\s|numero\s)?(?:{cardinal})(?=[\s\"')\]]*(?:$|[.,;:!?)\n]|{follows}))"
        )
    return "|".join(ways)
