"""The options of a question, prepared to be found in answers: by their words, and by values equal to theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from viva.metrics.text.choices import lexicon
from viva.metrics.text.choices.plain import folded, normalised, without_markup, without_private
from viva.metrics.text.choices.values import languages_of, value_of, values_in, without_odd_decimals

_ENDS = " .。,;:!\"'"
_ARTICLES = (
    "the an a der die das ein eine einen dem den le la les un une el los las una il lo gli o os as um uma de het een"
).split()
_ARTICLE = re.compile(rf"\A(?:(?:{'|'.join(_ARTICLES)}) |l'|un')(?=.{{2}})")
_BEFORE = re.compile(
    r"(?:^|[.,;:!?()\]\"'\n\ue000-\uf8ff]|\s-|->|(?<![a-z])(?:so|then|is|and|or|therefore|thus|says?))\s*[\"'(\[]*$"
)
_AFTER = re.compile(
    r"[\"')\]]*\s*(?:$|[,;:!?)\n\ue000-\uf8ff]|\.(?!\s?\d)|。|-\s|(?:and|or|because|since|as|et|und|y|e)(?![a-z]))"
)


def kind_of(char: str) -> str:
    """How words of its script are told apart from what stands next to them: '' for scripts without blanks."""
    if char.isdigit():
        return "number"
    code = ord(char)
    if 0x0900 <= code <= 0x0DFF:
        return "indic"
    if not char.isalpha() and char != "_":
        return ""
    if code < 0x0250 or 0x1E00 <= code < 0x1F00 or 0x0370 <= code < 0x0400:
        return "latin"
    if code < 0x0530:
        return "cyrillic"
    if code < 0x0900:
        return "arabic"
    return "hangul" if 0xAC00 <= code <= 0xD7A3 else ""


class OptionTexts:
    """The options without case, accents, markup and leading articles."""

    def __init__(self, options: Sequence[str], *, lettered: bool = True) -> None:
        self.count = len(options)
        tags = not any("<" in option for option in options)
        self._lettered = lettered
        self.tags = tags
        """whether tags in an answer are markup: not where options are made of them"""
        self.whole = tuple(_plain(option, tags) for option in options)
        stripped = [_ARTICLE.sub("", text, count=1) for text in self.whole]
        self.keys = tuple(
            short if stripped.count(short) == 1 else text for short, text in zip(stripped, self.whole, strict=True)
        )
        languages = languages_of(self.whole)
        self._values = tuple(value_of(text, languages) for text in self.whole)

    def found(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and index of each place where an option's words stand, the longest first where they overlap."""
        if self._pattern is None:
            return
        for match in self._pattern.finditer(text):
            index = self._places[_spaced(match.group())]
            if self._stands_alone(text, match) and (not self._weak[index] or _is_clause(text, *match.span())):
                yield match.start(), match.end(), index

    def equal(self, text: str) -> Iterator[tuple[int, int, int | None]]:
        """The same of values; None for one of the options' kinds that is none of theirs, or more than one."""
        kinds = {value.dimension for values in self._values for value in values}
        if not kinds:
            return
        for start, end, values in values_in(text):
            same = [n for n, own in enumerate(self._values) if own & values]
            if len(same) == 1 and self._values[same[0]] & without_odd_decimals(values):
                yield start, end, same[0]
            elif same or any(value.dimension in kinds - {""} for value in values):
                yield start, end, None

    def none_of(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Where the text says that none of the options is right, if one option alone says so too."""
        meant = [n for n, option in enumerate(self.whole) if lexicon.NONE_OF.match(option)]
        if len(meant) == 1:
            for match in lexicon.NONE_OF.finditer(text):
                yield match.start(), match.end(), meant[0]

    def of_number(self, text: str) -> int | None:
        """The one option whose number this is, where all options are amounts of one kind and it has no unit."""
        bare = value_of(text)
        kinds = {value.dimension for values in self._values for value in values}
        if not bare or not all(self._values) or len(kinds) != 1 or any(value.dimension for value in bare):
            return None
        unit = {re.sub(r"[\d.,\s]", "", option) for option in self.whole}
        same = [
            n
            for n, option in enumerate(self.whole)
            if (m := re.match(r"[\d.,' ]*\d", option)) and value_of(m.group()) & bare
        ]
        return same[0] if len(same) == 1 and len(unit) == 1 else None

    def is_part(self, text: str, start: int, end: int, option: int) -> bool:
        """Whether an option's words, found there, are only part of what is meant.

        The rest of a longer option's words is next to them ("on Tuesday and on Thursday", where both are an option
        too), or there is an exception to what an option says of all, or it is "half of" an option.
        """
        lead = _SENTENCE_END.split(text[max(0, start - _AROUND) : start])[-1]
        tail = _SENTENCE_END.split(text[end : end + _AROUND])[0]
        if (_OF_ALL.search(self.keys[option]) and _EXCEPT.match(tail)) or _PORTION.search(lead):
            return True
        before, after = _words(lead), _words(tail)
        return any(
            rest <= set(near) and not lexicon.NEGATES.search(" ".join(near))
            for rest in self._longer[option]
            for near in (before[-len(rest) - _JOINING :], after[: len(rest) + _JOINING])
        )

    @cached_property
    def _longer(self) -> tuple[tuple[frozenset[str], ...], ...]:
        """For each option what options with all its words, and more, have besides."""
        words = [frozenset(_words(key)) - _FUNCTION_WORDS for key in self.keys]
        return tuple(tuple(other - own for other in words if own and own < other) for own in words)

    @cached_property
    def _places(self) -> dict[str, int]:
        keys = [_spaced(key) for key in self.keys]
        found = {
            key: n
            for n, key in enumerate(keys)
            if key and keys.count(key) == 1 and not (self._lettered and self._is_label(key))
        }
        for words, pattern in (("yes", lexicon.YES), ("no", lexicon.NO)):
            meant = [n for n, key in enumerate(self.keys) if key and pattern.fullmatch(key)]
            if len(meant) == 1:
                found |= {word: meant[0] for word in _YES_NO[words] if word not in found}
        return found

    def _is_label(self, key: str) -> bool:
        """Whether it is the letter of an option: then that option is meant."""
        return len(key) == 1 and key.isascii() and key.isalpha() and ord(key) - ord("a") < self.count

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        keys = sorted(self._places, key=len, reverse=True)
        escaped = (_BETWEEN_WORDS.sub(r"[\\s-]", re.escape(key)).replace(r"\ ", r"\s") for key in keys)
        return re.compile("|".join(escaped)) if keys else None

    @cached_property
    def _weak(self) -> tuple[bool, ...]:
        """Options that are words of everyday use: only as a clause of their own do they mean themselves."""
        return tuple(
            len(key) == 1
            or any(
                each.fullmatch(key)
                for each in (lexicon.YES, lexicon.NO, lexicon.RIGHT, lexicon.WRONG, lexicon.NEGATES)
            )
            for key in self.keys
        )

    @staticmethod
    def _stands_alone(text: str, match: re.Match[str]) -> bool:
        """'30 litres' is not in '130 litres'; in Chinese and Japanese nothing stands between words."""
        start, end = match.span()
        before, first, last, after = text[start - 1 : start], text[start], text[end - 1], text[end : end + 1]
        kind = kind_of(first)
        if before and kind:
            if kind == "number" and (before in ".,-" and text[start - 2 : start - 1].isdigit()):
                return False
            joined = kind_of(before) in {
                kind,
                *({"latin"} if kind == "number" else {"number"} if kind == "latin" else ()),
            }
            if joined and not (kind == "arabic" and _ARABIC_PREFIX.search(text[max(0, start - 5) : start])):
                return False
        kind = kind_of(last)
        if after and kind:
            if kind == "number" and _HALF_OF_DAY.match(text, end):
                return False
            if kind == "number" and after in ".,/" and text[end + 1 : end + 2].isdigit():
                return False
            if kind == "hangul":
                return True
            return kind_of(after) not in {
                kind,
                *({"latin"} if kind == "number" else {"number"} if kind == "latin" else ()),
            }
        return True


_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])\\ (?=[^\W\d_])")
_HALF_OF_DAY = re.compile(r"\s?[ap]\.?m(?![a-z])")
_OF_ALL = re.compile(
    r"(?<![a-z])(?:every\w*|all|any\w*|each|always|alle\w*|jede\w*|immer|tou(?:s|t|tes?)|chaque|toujours|tod[oa]s?"
    r"|cada|siempre|tutt[ieoa]|ogni|sempre|iedere?|altijd|nobody|no one|nothing|none|niemand|nichts|personne|nadie"
    r"|nessuno)(?![a-z])|каждый|все|所有|每|全"
)
_EXCEPT = re.compile(
    r"[\s,(]*(?:(?:except|excluding|apart from|other than|but not|(?<=\s)but(?! (?:i|it|he|she|they|we|you|this|that"
    r"|there|then)(?![a-z]))|außer|ausgenommen|sauf|excepte?|hormis|excepto|salvo|menos|tranne|eccetto|exceto"
    r"|behalve)(?![a-z])|кроме|除了|以外|除外)"
)
_PORTION = re.compile(
    r"(?:%|(?<![a-z])(?:percent|half|third|quarter|twice|double|triple|times))\s(?:of\s)?(?:the |an? )?$"
)
_AROUND = 60
"""Characters on either side of an option's words that are searched for the rest of a longer option."""
_JOINING = 3
"""Words that may stand between the two."""
_FUNCTION_WORDS = frozenset([*_ARTICLES, *"and or of on in at to und oder y o e et ou en op im am".split()])
_SENTENCE_END = re.compile(r"[.!?;\n\ue000-\uf8ff]")
_ARABIC_PREFIX = re.compile("(?<![\u0620-\u064a])[وفبلك]?(?:ال|لل)?$")
_YES_NO = {
    "yes": "yes yep ja oui si sim да 是 是的 はい 네 예 نعم हाँ हां evet tak tyllä".split(),
    "no": "no nope nein non nao nee нет 否 不是 いいえ 아니요 아니오 لا नहीं nie hayir ei".split(),
}


def _plain(option: str, tags: bool) -> str:
    text = folded(normalised(without_private(without_markup(option, tags=tags)))).replace("\n", " ")
    return text.strip(_ENDS) or text or folded(option.strip())


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _spaced(text: str) -> str:
    """The words of an option or of its mention, hyphens between words as blanks."""
    return _HYPHEN.sub(" ", text.replace("\n", " "))


def _is_clause(text: str, start: int, end: int) -> bool:
    return _BEFORE.search(text[max(0, start - 24) : start]) is not None and _AFTER.match(text, end) is not None
