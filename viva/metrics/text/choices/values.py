"""Amounts, dates and times in answers and options: equal ones are equal, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from viva.core.text.languages.phrase_lookup import phrases
from viva.metrics.item_writing.quantities import numeric_value
from viva.metrics.text.choices.plain import folded, in_one_form

_MONTHS = """
january jan januar januari janvier enero gennaio janeiro stycznia leden января январь 1月 1월 يناير जनवरी
february feb februar februari fevrier fevr febrero febbraio fevereiro февраля февраль 2月 2월 فبراير फरवरी
march mar märz maart mars marzo março марта март 3月 3월 مارس मार्च
april apr avril abril aprile апреля апрель 4月 4월 أبريل अप्रैल
may mai mei mayo maggio maio мая май 5月 5월 مايو मई
june jun juni juin junio giugno junho июня июнь 6月 6월 يونيو जून
july jul juli juillet julio luglio julho июля июль 7月 7월 يوليو जुलाई
august aug augustus août agosto августа август 8月 8월 أغسطس अगस्त
september sep sept septembre septiembre settembre setembro сентября сентябрь 9月 9월 سبتمبر सितंबर
october oct oktober okt octobre octubre ottobre outubro октября октябрь 10月 10월 أكتوبر अक्टूबर
november nov novembre noviembre novembro ноября ноябрь 11月 11월 نوفمبر नवंबर
december dec dezember dez décembre diciembre dicembre dezembro декабря декабрь 12月 12월 ديسمبر दिसंबर
"""
_LANGUAGES = ("en", "de", "fr", "es")
_NUMBER = re.compile(
    r"(?<![\w.,/-])(?P<sign>[-+]?)(?P<money>[$€£¥]\s?)?\d+(?:[.,']\d+| \d{3}(?!\d))*(?:/\d+)?(?![\d/]|[.,]\d)"
    r"(?P<unit>\s?(?:[%‰]|°\s?[cfk]?|[$€£¥]|[^\W\d_]+))?(?P<second>[ -][^\W\d_]+)?"
)
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.|º|日|일)?"
_YEAR = r"(?P<y>\d{4})"
_BETWEEN = r"[\s,.]*(?:of|de|del|den|the)?\s*"


class OptionValue(NamedTuple):
    """One reading of an amount: its dimension, and its number in the base unit of that."""

    dimension: str
    number: float


Found = tuple[int, int, frozenset[OptionValue]]
"""Where a value stands in a text, and all that it may be read as."""


def languages_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The languages whose decimal sign these texts have: all, where none of them shows it."""
    written = " ".join(texts)
    point, comma = re.search(r"\d\.\d{1,2}(?!\d)", written), re.search(r"\d,\d{1,2}(?!\d)", written)
    if point and not comma:
        return ("en",)
    return ("de", "fr", "es") if comma and not point else _LANGUAGES


def values_in(text: str, languages: tuple[str, ...] = _LANGUAGES) -> Iterator[Found]:
    """The values in a text without case and accents, from left to right; each once."""
    position = 0
    for start, end, values in sorted(
        [*_dates(text), *_times(text), *_amounts(text, languages)], key=lambda f: (f[0], -f[1])
    ):
        if start >= position:
            yield start, end, values
            position = end


@lru_cache(maxsize=2048)
def value_of(text: str, languages: tuple[str, ...] = _LANGUAGES) -> frozenset[OptionValue]:
    """What a text that is one value and nothing else may be read as; empty for any other."""
    whole = text.strip(" .\"'()")
    for start, end, values in values_in(whole, languages):
        if start == 0 and end >= len(whole):
            return values
    return frozenset()


def without_odd_decimals(values: frozenset[OptionValue]) -> frozenset[OptionValue]:
    """Readings of one text without those that are odd: "12,000" is seldom 12."""
    most = {each.dimension: max(v.number for v in values if v.dimension == each.dimension) for each in values}
    return frozenset(v for v in values if v.dimension in {"date", "time of day"} or v.number == most[v.dimension])


def _amounts(text: str, languages: tuple[str, ...]) -> Iterator[Found]:
    for match in _NUMBER.finditer(text):
        number = text[match.start() : match.start("unit") if match["unit"] else match.end()]
        yield from _first_read(match, number, languages)
    for match in _number_words().finditer(text):
        yield from _first_read(match, match["number"], languages)


def _first_read(match: re.Match[str], number: str, languages: tuple[str, ...]) -> Iterator[Found]:
    """The longest reading: with two words behind it, with one, without any."""
    unit = match["unit"] or ""
    second = (match["second"] or "") if unit else ""
    for words in dict.fromkeys((unit + second, unit, "")):
        values = _readings(number + words, languages)
        end = match.start() + len(number) + len(words)
        if values and (not words or _is_unit(values)):
            yield match.start(), end, values
            return


def _is_unit(values: frozenset[OptionValue]) -> bool:
    return any(value.dimension for value in values)


@lru_cache(maxsize=4096)
def _readings(text: str, languages: tuple[str, ...]) -> frozenset[OptionValue]:
    """In English and in languages with a decimal comma: "1.500" may be either."""
    text = text.replace("µ", "μ")
    found = (numeric_value(text, language) for language in languages)
    return frozenset(OptionValue(each.dimension, round(each.value, 9)) for each in found if each is not None)


@cache
def _number_words() -> re.Pattern[str]:
    known = [each for language in _LANGUAGES if (each := phrases(language)) is not None]
    numbers = {word for each in known for word in each.numbers if len(word) > 2}
    alternatives = "|".join(sorted(map(re.escape, numbers), key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?P<number>{alternatives})(?P<unit> [^\W\d_]+)(?P<second>[ -][^\W\d_]+)?(?!\w)")


# --- dates and times -------------------------------------------------------------------------------------------


@cache
def _months() -> dict[str, int]:
    lines = folded(in_one_form(_MONTHS)).strip().splitlines()
    return {name: number for number, line in enumerate(lines, start=1) for name in line.split()}


@cache
def _date_patterns() -> tuple[re.Pattern[str], ...]:
    month = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
    named = rf"(?P<n>{month})(?![a-z])\.?"
    return (
        re.compile(rf"(?<!\d){_YEAR}[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})(?!\d)"),
        re.compile(rf"(?<!\d){_YEAR}\s?[年년]\s?(?P<n>\d{{1,2}}[月월])\s?{_DAY}(?!\d)"),
        re.compile(rf"(?<!\d){_DAY}[\s-]?(?:of |de |del |den )?{named}{_BETWEEN}{_YEAR}(?!\d)"),
        re.compile(rf"(?<![a-z]){named}\s{_DAY},?\s{_YEAR}(?!\d)"),
        re.compile(rf"(?<!\d)(?P<d>\d{{1,2}})[./-](?P<m>\d{{1,2}})[./-]{_YEAR}(?!\d)"),
    )


def _dates(text: str) -> Iterator[Found]:
    for number, pattern in enumerate(_date_patterns()):
        for match in pattern.finditer(text):
            told = match.groupdict()
            month = _months()[told["n"]] if told.get("n") else int(told["m"])
            pairs = {(month, int(told["d"])), *([(int(told["d"]), month)] if number == 4 else [])}
            values = {
                OptionValue("date", int(told["y"]) * 10_000 + m * 100 + d)
                for m, d in pairs
                if 1 <= m <= 12 and 1 <= d <= 31
            }
            if values:
                yield match.start(), match.end(), frozenset(values)


_TIME = re.compile(
    r"(?<![\d:.,])(?P<h>[01]?\d|2[0-4])(?:(?::|h)(?P<m>[0-5]\d))?(?![\d:])\s?(?P<half>[ap]\.?m\b\.?|uhr\b|h\b)?"
)


def _times(text: str) -> Iterator[Found]:
    for match in _TIME.finditer(text):
        half = (match["half"] or "").replace(".", "")
        if match["m"] is None and half not in {"am", "pm", "uhr"}:
            continue
        hour = int(match["h"]) % 12 + (12 if half == "pm" else 0) if half in {"am", "pm"} else int(match["h"])
        yield match.start(), match.end(), frozenset({OptionValue("time of day", hour * 60 + int(match["m"] or 0))})
