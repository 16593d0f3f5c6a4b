"""Wordings of a right value, made by rule: cited, in a sentence, in another unit, form of date or of number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

CITED = tuple(
    form.replace("~", "\n")
    for form in (
        "{} [3]|{} [1][2]|{} [1, 2].|{} [4-6]|{} (p. 12)|{} (page 12)|{} (pp. 12-14)|{} (section 4.2)|{} §4.2|{} (1)"
        "|{} (see section 4.2, page 17)|{} (source: handbook.md)|{} (Source: handbook.md, p. 3)|{} [source 2]"
        "|{} [doc 2]|{} (doc 2)|{} [^1]|{}¹|{}.²|{}<sup>1</sup>|{}【4†source】|{} [S3]|{} [handbook.md]"
        "|{} [Handbook, p. 3]|{} (Handbook, 2021)|{}~~Source: handbook.md|{}~~Sources: [1], [3]|{}~[1] handbook.md"
        "|{} ([source](https://example.org/a/3))|{} (chapter 3, p. 41)"
    ).split("|")
)
WRAPPED = {
    language: tuple(forms.split("|"))
    for language, forms in {
        "en": "It is {}.|The answer is {}.|According to the handbook, {}.|{}, according to the documents.|Answer: {}"
        "|Based on the provided context, the answer is {}.|The correct answer is: {}|**{}**|“{}”|Final answer: {}"
        "|That would be {}.|The documents state that it is {}.|As stated in the text, it is {}.|It's {}."
        "|Yes, it is {}.|Sure! The answer is {}.|<answer>{}</answer>|{} is the answer.|The context says: {}."
        "|I think it is {}.|The value given in the document is {}.",
        "de": "Es ist {}.|Die Antwort ist {}.|Die Antwort lautet {}.|Laut Handbuch: {}.|Laut dem Dokument {}."
        "|Gemäß Abschnitt 4.2 ist es {}.|Antwort: {}",
        "fr": "C'est {}.|La réponse est {}.|D'après le document, {}.|Selon le manuel : {}.|Réponse : {}",
    }.items()
}
PLAIN: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.lower,
    str.capitalize,
    lambda key: f"{key.rstrip('.')}.",
    lambda key: key.rstrip("."),
    lambda key: f"the {key}",
    lambda key: re.sub(r"^(?:the|an?|der|die|das|le|la|les)\s+", "", key, flags=re.IGNORECASE),
    lambda key: f" {key} ",
    lambda key: f"{key}!",
    lambda key: key if re.search(r"\d|--", key) else key.replace("-", " "),
    lambda key: key if "--" in key else key.replace("-", "–"),
    lambda key: key.replace("'", "’"),
    lambda key: f"`{key}`",
    lambda key: f"- {key}",
)
_MONTHS = "January February March April May June July August September October November December".split()
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {**{w: n for n, w in enumerate(_ONES)}, **{w: 10 * n for n, w in enumerate(_TENS, 2)}}
_NUMBER = (
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b)"
)
_NAMES = (
    "litre liter litres liters L|millilitre millilitres mL|metre meter metres meters m|kilometre kilometer kilometres"
    " kilometers km|centimetre centimetres cm|millimetre millimetres mm|mile miles mi|kilogram kilograms kg"
    "|gram grams g|minute minutes min|hour hours h|second seconds s"
    "|millisecond milliseconds ms|byte bytes B|kilobyte kilobytes KB"
    "|megabyte megabytes MB|gigabyte gigabytes GB|knot knots kn|percent per-cent %|degree degrees °|watt watts W"
    "|kilowatt kilowatts kW|volt volts V"
)
_SHORT = {name.replace("-", " "): each.split()[-1] for each in _NAMES.split("|") for name in each.split()[:-1]}
_LONG = {each.split()[-1]: each.split()[-2].replace("-", " ") for each in _NAMES.split("|")}
_TIMES = {  # unit: (units that are as exact, with how many of them there are in one)
    "week": (("day", 7.0),), "day": (("hour", 24.0), ("week", 1 / 7)), "hour": (("minute", 60.0), ("day", 1 / 24)),
    "minute": (("second", 60.0), ("hour", 1 / 60)), "second": (("millisecond", 1000.0), ("minute", 1 / 60)),
    "year": (("month", 12.0),), "month": (("year", 1 / 12),), "km": (("m", 1000.0),),
    "kilometre": (("metre", 1000.0),),
    "metre": (("centimetre", 100.0),), "litre": (("millilitre", 1000.0),), "kilogram": (("gram", 1000.0),),
    "kg": (("g", 1000.0),), "MB": (("KB", 1000.0),), "GB": (("MB", 1000.0),), "millisecond": (("second", 0.001),),
    "megabyte": (("MB", 1.0),), "decade": (("year", 10.0),), "century": (("year", 100.0),),
}  # fmt: skip


def in_other_units(key: str) -> Iterator[str]:
    """The key with a quantity's unit abbreviated, written out, or exchanged: 240 L, 14 days as 2 weeks."""
    for match in re.finditer(rf"{_NUMBER}(?P<gap>[ -]?)(?P<unit>per cent|[^\W\d_]+|%|°)", key, re.IGNORECASE):
        number, unit = _value(match["number"]), match["unit"]
        head, tail = key[: match.start()], key[match.end() :]
        for name in filter(None, (_SHORT.get(unit.lower()), _LONG.get(unit))):
            tight = "" if name in {"%", "°"} else " "
            yield f"{head}{number:.12g}{tight}{name}{tail}"
            if name not in {"%", "°"} and len(name) <= 2 and match["gap"] != "-":
                yield f"{head}{number:.12g}{name}{tail}"
        one = unit if unit in _TIMES else unit.lower().removesuffix("s")
        for other, factor in _TIMES.get(one, ()):
            count = number * factor
            if abs(count * 2 - round(count * 2)) < 1e-9 and 0 < count < 1e6:
                plural = "" if count == 1 or len(other) <= 2 or match["gap"] == "-" else "s"
                yield f"{head}{round(count, 1):,.12g}{match['gap'] or ' '}{other}{plural}{tail}"


def in_other_dates(key: str) -> Iterator[str]:
    """The key with its date in other forms; in figures alone only where day and month cannot be exchanged."""
    named = "|".join(_MONTHS)
    patterns = (
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<m>{named}),? (?P<y>\d{{4}})",
        rf"(?P<m>{named}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})",
        rf"(?P<d>\d{{1,2}})-(?P<m>{'|'.join(name[:3] for name in _MONTHS)})-(?P<y>\d{{4}})",
        r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)",
    )
    for match in (m for pattern in patterns for m in re.finditer(pattern, key)):
        month = (
            int(match["m"])
            if match["m"].isdigit()
            else next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(match["m"]))
        )
        day = date(int(match["y"]), month, int(match["d"]))
        forms = ["%Y-%m-%d", "{d} %B %Y", "%B {d}, %Y", "{d} %b %Y", "%b {d}, %Y", "the {o} of %B %Y", "%B {o}, %Y",
                 "%d.%m.%Y", "{d} %B, %Y", "%Y/%m/%d", "%d-%b-%Y"]  # fmt: skip
        if day.day > 12 or day.day == day.month:
            forms += ["%d/%m/%Y", "%m/%d/%Y"]
        for form in forms:
            shown = day.strftime(form.replace("{d}", str(day.day)).replace("{o}", _ordinal(day.day)))
            yield key[: match.start()] + shown + key[match.end() :]
    for match in re.finditer(rf"^(?P<m>{named}) (?P<y>\d{{4}})$", key):
        month = _MONTHS.index(match["m"]) + 1
        yield from (f"{match['y']}-{month:02}", f"{match['m'][:3]} {match['y']}", f"{month:02}/{match['y']}")
    for match in re.finditer(r"^(?P<h>\d{1,2}):(?P<m>\d\d)$", key):
        hour, half = int(match["h"]), "am" if int(match["h"]) < 12 else "pm"
        yield from (
            f"{(hour - 1) % 12 + 1}:{match['m']} {half}",
            f"{hour:02}.{match['m']}",
            f"{match['h']}h{match['m']}",
        )


def in_other_numbers(key: str) -> Iterator[str]:
    """The key with a number in words, in figures, or with another sign between thousands; money by name."""
    for match in re.finditer(rf"(?<![\w.,:/$€£-]){_NUMBER}(?![\w:/]|[.,]\d|-\d)", key, re.IGNORECASE):
        number, written = _value(match["number"]), match["number"]
        head, tail = key[: match.start()], key[match.end() :]
        if written[0].isdigit():
            if number == int(number) < 100 and not tail.startswith(("%", "°")):
                yield f"{head}{_in_words(int(number))}{tail}"
        elif written.lower() != "one" or (not head and re.match(r"\s\w+", tail)):
            yield f"{head}{number:.12g}{tail}"
        if number >= 1000 and not (1000 <= number <= 2100 and "," not in written):
            yield from (f"{head}{number:,.0f}{tail}", f"{head}{number:.0f}{tail}")
            yield f"{head}{number:,.0f}{tail}".replace(",", "\u202f")
    for match in re.finditer(r"(?P<sign>[$€£])(?P<n>[\d,.]*\d)(?P<scale> (?:thousand|million|billion))?", key):
        name = {"$": "dollars", "€": "euros", "£": "pounds"}[match["sign"]]
        code = {"$": "USD", "€": "EUR", "£": "GBP"}[match["sign"]]
        amount = f"{match['n']}{match['scale'] or ''}"
        for shown in (f"{amount} {name}", f"{code} {amount}", f"{amount} {code}"):
            yield key[: match.start()] + shown + key[match.end() :]


def _value(number: str) -> float:
    word = number.lower()
    return float(_WORDS[word]) if word in _WORDS else float(number.replace(",", ""))


def _in_words(number: int) -> str:
    if number < 20:
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


def _ordinal(day: int) -> str:
    ending = "th" if day in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"
