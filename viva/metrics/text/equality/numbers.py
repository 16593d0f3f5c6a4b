"""Numbers as they are written: in words or digits, with separators of any language, as fractions and ordinals."""

from __future__ import annotations

import itertools
import re

_ONES = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen"
        " eighteen nineteen".split()
    )
}
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_SMALL = {**_ONES, **_TENS}
_OTHER = {
    word: number
    for words, numbers in (
        ("null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", (0, *range(2, 13))),
        ("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", range(20, 100, 10)),
        ("deux trois quatre cinq huit neuf dix onze douze treize quatorze", (2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14)),
        ("vingt trente quarante cinquante soixante", range(20, 70, 10)),
        ("dos tres cuatro cinco seis siete ocho nueve diez doce trece", (*range(2, 11), 12, 13)),
        ("veinte treinta cuarenta cincuenta sesenta", range(20, 70, 10)),
    )
    for word, number in zip(words.split(), numbers, strict=True)
}
"""Number words of German, French and Spanish that mean nothing else in English."""
_ANY = "|".join(sorted([*_SMALL, *_SCALES], key=len, reverse=True))
_WORDED = re.compile(
    rf"\b(?:(?:{'|'.join(sorted(_SMALL, key=len, reverse=True))})|(?:a|half a) (?:{'|'.join(_SCALES)}))"
    rf"(?:(?:-| and | )(?:{_ANY}))*\b",
    re.IGNORECASE,
)
_OTHER_WORD = re.compile(rf"\b(?:{'|'.join(sorted(_OTHER, key=len, reverse=True))})\b", re.IGNORECASE)
_NO_COUNT = re.compile(r"\b(?:no|any|every|each|the|this|that|which|some|another|or|only)\s$", re.IGNORECASE)
_NOT_COUNTED = re.compile(r"\s+(?:of|another|is|can|may|must|who|that|or)\b|[^\w\s-]|\s*$")
_ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
        " fifteenth"
        " sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        1,
    )
}
_ORDINAL = re.compile(rf"(?<!\d )(?<!\d-)\b(?:(twenty|thirty)-)?({'|'.join(_ORDINALS)})\b(?!s\b)", re.IGNORECASE)
_BEFORE_SECOND = re.compile(r"\b(?:the|a|on|in|for|every)\s+$", re.IGNORECASE)
_GROUP_COMMA = re.compile(r"(?<=thousand|.million|.billion),\s+(?=\w+ hundred)", re.IGNORECASE)
_POINT = re.compile(r"(?<![\d.,])(\d+) point ((?:\d )*\d+)\b", re.IGNORECASE)
_HALF_MORE = re.compile(r"(?<![\d.,])(\d+) (?:and (?:a|one) half|et demie?|y medi[ao])\b", re.IGNORECASE)
_QUARTERS = re.compile(
    r"\b(?P<minutes>(?:a )?quarter|half) (?P<side>past|to) (?P<hour>[a-z]+|\d{1,2})\b", re.IGNORECASE
)
_ROMAN = re.compile(
    r"\b((?i:chapter|section|part|volume|appendix|article|act|book|phase|stage|level|class|type|kapitel|teil"
    r"|chapitre))"
    r"\s+(?=[IVXL])(X{0,3}|XL|L)(IX|IV|V?I{0,3})\b"
)
_ROMAN_TENS = {"": 0, "X": 10, "XX": 20, "XXX": 30, "XL": 40, "L": 50}
_ROMAN_ONES = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}


def in_digits(text: str) -> str:
    """The text with number words, ordinal words and Roman numerals of parts of a work in digits; "no one" stays."""
    text = _ROMAN.sub(lambda m: f"{m[1]} {_ROMAN_TENS[m[2]] + _ROMAN_ONES[m[3]]}", text)
    text = _QUARTERS.sub(_quarters, text)
    text = _ORDINAL.sub(_ordinal_digits, _GROUP_COMMA.sub(" ", text))
    text = _OTHER_WORD.sub(lambda m: str(_OTHER[m.group().lower()]), _WORDED.sub(_word_digits, text))
    return _HALF_MORE.sub(r"\1.5", _POINT.sub(lambda m: f"{m[1]}.{m[2].replace(' ', '')}", text))


def _quarters(match: re.Match[str]) -> str:
    word = match["hour"].lower()
    hour = _SMALL.get(word) or (int(word) if word.isdigit() else 0)
    minutes = 30 if match["minutes"].lower() == "half" else 15
    if not 1 <= hour <= 24 or (match["side"].lower() == "to" and minutes == 30):
        return match.group()
    total = hour * 60 + (minutes if match["side"].lower() == "past" else -minutes)
    return f"{total // 60}:{total % 60:02}"


def _ordinal_digits(match: re.Match[str]) -> str:
    alone = match.group().lower() == match.string.strip(" .").lower()
    if match[2].lower() == "second" and not alone and not _BEFORE_SECOND.search(match.string[: match.start()]):
        return match.group()
    fraction = re.search(r"\b(?:a|one)\s+$", match.string[: match.start()], re.IGNORECASE)
    if fraction and match[2].lower() not in {"first", "second"}:
        return match.group()
    number = {"twenty": 20, "thirty": 30}.get((match[1] or "").lower(), 0) + _ORDINALS[match[2].lower()]
    return f"{number}th"


def _word_digits(match: re.Match[str]) -> str:
    words = [word for word in re.split(r"[- ]", match.group().lower()) if word != "and"]
    text = match.string
    alone = words == ["one"] and (
        _NO_COUNT.search(text[max(0, match.start() - 10) : match.start()]) or _NOT_COUNTED.match(text, match.end())
    )
    # words in a row without a scale are several numbers, unless tens come before ones: "one two"
    if alone or not _is_one_number(words):
        return match.group() if alone else " ".join(str(_number([word])) for word in words)
    return f"{_number(words):.12g}"


def _is_one_number(words: list[str]) -> bool:
    pairs = itertools.pairwise(words)
    return all(
        second in _SCALES
        or first in _SCALES
        or (first in _TENS and 0 < _SMALL[second] < 10)
        or first in {"a", "half"}
        for first, second in pairs
    )


def _number(words: list[str]) -> float:
    total = current = 0.0
    for word in words:
        if word == "half":
            current += 0.5
        elif word == "a":
            current = current or 0.0
        elif word in _SMALL:
            current += _SMALL[word]
        elif word in {"hundred", "dozen"}:
            current = (current or 1) * _SCALES[word]
        else:
            total, current = total + (current or 1) * _SCALES[word], 0.0
    return total + current


DIGITS = r"\d{1,3}(?:[,.' ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
"""A number in digits, with thousands set apart or a decimal sign."""
_GROUPED = re.compile(r"\d{1,3}(?:[,.]\d{3})+")


def readings(digits: str) -> list[tuple[float, float]]:
    """(number, one in its last written place) of each way a DIGITS can be read: "1.500" is 1.5 or 1500."""
    text = digits.replace("'", "").replace(" ", "")
    if not text.replace(",", "").replace(".", "").isascii():
        return []
    marks = [char for char in text if char in ",."]
    if not marks:
        return [(float(text), 1.0)]
    if len(set(marks)) == 2:
        decimal = marks[-1]
        plain = text.replace("," if decimal == "." else ".", "")
        return [_decimal(plain.replace(",", "."))] if plain.count(decimal) == 1 else []
    grouped = _GROUPED.fullmatch(text) and not text.startswith("0")
    if grouped and (len(marks) > 1 or marks[0] == ","):
        return [(float(re.sub(r"[,.]", "", text)), 1.0)]
    if len(marks) > 1:
        return []
    found = [_decimal(text.replace(",", "."))]
    return [*found, (float(text.replace(".", "")), 1.0)] if grouped else found


def _decimal(text: str) -> tuple[float, float]:
    return float(text), 10.0 ** -len(text.partition(".")[2])
