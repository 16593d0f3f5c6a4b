"""Fractions and frequencies in running text: two thirds, 3 out of 10, twice a year."""

from __future__ import annotations

import re

from viva.metrics.text.equality.amounts import unit_of
from viva.metrics.text.equality.quantities import DAY_IN_SECONDS, UnitValue, Value
from viva.metrics.text.equality.units import SHARE, UNITS

_FRACTION_WORD = {
    "half": 0.5, "halves": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2,
    "fifths": 0.2, "sixth": 1 / 6, "sixths": 1 / 6, "tenth": 0.1, "tenths": 0.1, "eighth": 0.125, "eighths": 0.125,
    "hälfte": 0.5, "drittel": 1 / 3, "viertel": 0.25, "moitié": 0.5, "mitad": 0.5,
}  # fmt: skip
_ALONE = frozenset({"half", "hälfte", "moitié", "mitad"})
"""Fractions that need no number or article before them."""


FRACTION = re.compile(
    rf"(?<![\w/.])(?:(?P<a>\d+)\s+(?=\d+/\d))?(?P<n>\d+)\s?/\s?(?P<m>\d+)(?![\w/]|\.\d)"
    rf"|\b(?P<in>\d+)\s+(?:out of|of every|in every|in|von|sur|de cada)\s+(?:every\s+)?(?P<of>\d+)\b(?!\s?[%°])"
    rf"|\b(?:(?P<times>\d+|an?"
    rf"|one)[\s-])?(?P<word>{'|'.join(sorted(_FRACTION_WORD, key=len, reverse=True))})\b(?!\s+(?:past|to)\b)",
    re.IGNORECASE,
)


_PERIOD = {
    word: (count, dimension)
    for words, count, dimension in (
        ("hourly stündlich", 3600.0, "time"),
        ("daily nightly täglich", DAY_IN_SECONDS, "time"),
        ("weekly wöchentlich", 7 * DAY_IN_SECONDS, "time"),
        ("fortnightly biweekly", 14 * DAY_IN_SECONDS, "time"),
        ("monthly monatlich", 1.0, "months"),
        ("quarterly vierteljährlich", 3.0, "months"),
        ("semi-annually semiannually half-yearly biannually halbjährlich", 6.0, "months"),
        ("yearly annually annual jährlich", 12.0, "months"),
    )
    for word in words.split()
}


_PERIODS = "|".join(sorted(_PERIOD, key=len, reverse=True))
FREQUENCY = re.compile(
    rf"\b(?P<often>once|twice|thrice|\d+(?:\.\d+)?\s?(?:times|x))\s+(?P<adverb>{_PERIODS})\b"
    r"|\b(?P<times>once|twice|thrice|\d+(?:\.\d+)?\s?(?:times|x))\s+(?:(?:a|an|per|each|every|in|pro)\s+"
    r"|(?=1\s))(?P<n>\d+\s+)?(?P<unit>[^\W\d_]+)"
    r"|\bevery\s+(?P<each>half|\d+(?:\.\d+)?|other|2nd|second)?\s?-?(?P<of>[^\W\d_]+)"
    rf"|\b(?P<word>{_PERIODS})\b",
    re.IGNORECASE,
)


_EACH = {"other": 2.0, "2nd": 2.0, "second": 2.0, "half": 0.5}
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}


def frequency(match: re.Match[str]) -> UnitValue | None:
    """A frequency as the period between two times: twice a year is 6 months."""
    if match["word"]:
        period, dimension = _PERIOD[match["word"].lower()]
        return UnitValue(period, dimension, 0.0, period, match["word"].lower())
    if match["often"]:
        period, dimension = _PERIOD[match["adverb"].lower()]
        times = _times(match["often"])
        return UnitValue(period / times, dimension, 0.0, period / times, "every") if times else None
    unit = unit_of((match["unit"] or match["of"]).lower())
    if unit is None or unit.dimension not in {"time", "months"}:
        return None
    if match["times"]:
        times = _times(match["times"])
        count = float(match["n"] or 1) / times if times else 0.0
    else:
        each = (match["each"] or "1").lower()
        count = _EACH.get(each) or float(each)
    return UnitValue(count * unit.factor, unit.dimension, 0.0, count, "every") if count else None


def _times(word: str) -> float:
    return _TIMES.get(word.lower()) or float(re.sub(r"[^\d.]", "", word))


def fraction_at(match: re.Match[str], text: str) -> Value | None:
    if match["n"]:
        if float(match["m"]) == 0:
            return None
        number = float(match["a"] or 0) + float(match["n"]) / float(match["m"])
    elif match["in"]:
        if not 0 < float(match["in"]) <= float(match["of"]):
            return None
        number = float(match["in"]) / float(match["of"])
    else:
        word, times = match["word"].lower(), match["times"]
        if times is None and word not in _ALONE:
            return None
        number = (float(times) if times and times.isdigit() else 1.0) * _FRACTION_WORD[word]
    start, end = match.span()
    after = re.match(r"[\s-]+(?:an?\s+|of an?\s+|of one\s+)?(?:1\s+)?(?P<unit>[^\W\d_]+)", text[end : end + 40])
    if after and not match["in"] and (units := UNITS.get(after["unit"].lower())) and len(after["unit"]) > 1:
        found = tuple(UnitValue(number * u.factor + u.offset, u.dimension, 0.0, number, after["unit"]) for u in units)
        return Value(text[start : end + after.end()], start, end + after.end(), found)
    return Value(
        match.group(),
        start,
        end,
        (UnitValue(number, SHARE, 0.0, number, "fraction"), UnitValue(number, "", 0.0, number)),
    )
