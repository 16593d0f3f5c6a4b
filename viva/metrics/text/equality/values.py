"""Values in running text - amounts with their units, ranges, dates, times, identifiers - and when two are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from viva.metrics.text.equality.moments import Clock, Day, moments
from viva.metrics.text.equality.numbers import DIGITS, in_digits, readings
from viva.metrics.text.equality.units import (
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    MONEY_SCALES,
    MONTHS_IN_DAYS,
    SCALES,
    SHARE,
    UNITS,
    Unit,
)

_EXACT, _MONTHS_APART = 1e-9, 0.025
"""Relative differences up to which two numbers are one, and months and days are one duration."""
_ROUNDED = 0.05
"""Share by which an amount in another unit may differ from the one it was rounded from."""
_DAY = 86400.0


@dataclass(frozen=True)
class Amount:
    """A number with its dimension: "" without a unit, "money:EUR", "length", "length/time"."""

    value: float
    dimension: str
    step: float
    """what one more in the last written place adds, in base units"""
    written: float
    unit: str = ""

    def equals(self, other: Amount) -> bool:
        """Whether the two are one amount; a number without a unit is compared as it is written."""
        mine, theirs = self.dimension, other.dimension
        if {mine, theirs} == {"months", "time"}:
            days = [each.value * MONTHS_IN_DAYS if each.dimension == "months" else each.value / _DAY for each in (self, other)]
            return _near(*days, _MONTHS_APART)
        if _same_dimension(mine, theirs):
            if _near(self.value, other.value, _EXACT):
                return True
            coarse = max(self.step, other.step)
            apart = abs(self.value - other.value)
            near = _near(self.value, other.value, _ROUNDED) or mine == "temperature"
            return self.unit != other.unit and apart <= coarse / 2 * (1 + _EXACT) and near
        return "" in {mine, theirs} and SHARE not in {mine, theirs} and _near(self.written, other.written, _EXACT) or (
            {mine, theirs} == {"", SHARE} and _near(self.written, other.written, _EXACT)
        )

    def rivals(self, other: Amount) -> bool:
        """Whether the two could answer one question, by their dimensions."""
        mine, theirs = self.dimension, other.dimension
        return _same_dimension(mine, theirs) or "" in {mine, theirs} or {mine, theirs} == {"months", "time"}


@dataclass(frozen=True)
class Span:
    """A range of two amounts, dates or times."""

    low: Amount | Day | Clock
    high: Amount | Day | Clock


@dataclass(frozen=True)
class Code:
    """A version, address, flag, path or other identifier: equal to the letter or not at all."""

    text: str


Reading = Amount | Span | Day | Clock | Code


@dataclass(frozen=True)
class Value:
    """A value of a text, with its place and all that it can be read as."""

    text: str
    start: int
    end: int
    readings: tuple[Reading, ...]
    bound: int = 0
    """1 for "at least" and "more than", -1 for "at most" and "less than" """

    def equals(self, other: Value) -> bool:
        """Whether some readings of the two are equal and their bounds are not opposite."""
        return self.bound * other.bound >= 0 and any(_equal(a, b) for a in self.readings for b in other.readings)

    def rivals(self, other: Value) -> bool:
        """Whether one could stand in the place of the other: both amounts of a dimension, both dates, ..."""
        return any(_rival(a, b) for a in self.readings for b in other.readings)

    @property
    def is_bare(self) -> bool:
        """Whether it is a number without a unit."""
        return all(isinstance(each, Amount) and each.dimension in {"", SHARE} for each in self.readings)


def _same_dimension(mine: str, theirs: str) -> bool:
    if mine.startswith("money:") and theirs.startswith("money:"):
        return mine == theirs or "money:" in {mine, theirs}
    return mine == theirs


def _near(first: float, second: float, share: float) -> bool:
    return abs(first - second) <= share * max(abs(first), abs(second), 1e-12)


def _equal(first: Reading, second: Reading) -> bool:
    match first, second:
        case (Amount(), Amount()):
            return first.equals(second)
        case (Span(), Span()):
            return _equal(first.low, second.low) and _equal(first.high, second.high)
        case (Day(), Day()):
            return first.equals(second)
        case (Clock(), Clock()):
            return first.equals(second)
        case (Code(), Code()):
            return first.text == second.text
        case (Day(), Amount()) | (Amount(), Day()):
            day, amount = (first, second) if isinstance(first, Day) else (second, first)
            assert isinstance(day, Day) and isinstance(amount, Amount)
            return day.month is None and amount.dimension == "" and day.year == amount.value
    return False


def _rival(first: Reading, second: Reading) -> bool:
    match first, second:
        case (Amount(), Amount()):
            return first.rivals(second)
        case (Span(), _):
            return _rival(first.low, second)
        case (_, Span()):
            return _rival(first, second.low)
    return type(first) is type(second)


_CODE = re.compile(
    r"https?://[^\s<>\"')\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w-])--?[A-Za-z][\w-]*"
    r"|(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+.]?[A-Za-z][\w.-]*)?(?![\w]|\.\d)"
    r"|(?<![\w./-])(?=[\w./-]{0,60}\d)(?=[\w./-]{0,60}[A-Za-z])[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*(?![\w])"
    r"|(?<![\w./-])[A-Za-z]\w*(?:_\w+)+(?!\w)"
)
_UNIT_AFTER = re.compile(
    r"(?P<gap>[\s-]?)(?P<unit>°\s?[CFcf]\b|[%‰°$€£¥₹]|(?:sq\s?m|[^\W\d_]+(?:\^?[23](?!\d))?|zł))(?P<more>[\s-](?:%|[^\W\d_]+))?"
)
_SCALE_AFTER = re.compile(rf"\s?-?(?P<scale>{'|'.join(sorted(SCALES, key=len, reverse=True))}|M|m|b|B)\b", re.IGNORECASE)
_PER = re.compile(r"\s?(?:/|\s(?:per|pro|par|por|a|an|each|every)\s)\s?(?P<per>[^\W\d_]+)", re.IGNORECASE)
_CURRENCY_BEFORE = re.compile(
    rf"(?:(?P<sign>[A-Z]{{0,2}}[{re.escape(CURRENCY_SIGNS)}])|\b(?P<code>{'|'.join(c for c in CURRENCY_CODES if c.isalpha())}))\s?-?$",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"(?<![A-Za-z_])(?<!\d[.,])(?<!\d)(?P<sign>-|\+|minus\s|minus-)?(?P<digits>{DIGITS})(?:\s?(?:x|\*)\s?10\^(?P<times>-?\d{{1,2}})|\^(?P<power>-?\d{{1,2}})|[eE](?P<e>[+-]?\d{{1,2}})(?!\w))?", re.IGNORECASE)
_ORDINAL_END = re.compile(r"(?:st|nd|rd|th|\.?º|ª)\b", re.IGNORECASE)
_BELOW_ZERO = re.compile(r"\s+(?:degrees?\s+)?(?:celsius\s+|centigrade\s+|fahrenheit\s+|°c\s+|°f\s+)?below\s+(?:zero|0)\b", re.IGNORECASE)
_FRACTION_WORD = {
    "half": 0.5, "halves": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2,
    "fifths": 0.2, "sixth": 1 / 6, "sixths": 1 / 6, "tenth": 0.1, "tenths": 0.1, "eighth": 0.125, "eighths": 0.125,
    "hälfte": 0.5, "drittel": 1 / 3, "viertel": 0.25, "moitié": 0.5, "mitad": 0.5,
}  # fmt: skip
_FRACTION = re.compile(
    rf"(?<![\w/.])(?:(?P<a>\d+)\s+(?=\d+/\d))?(?P<n>\d+)\s?/\s?(?P<m>\d+)(?![\w/]|\.\d)"
    rf"|\b(?P<in>\d+)\s+(?:out of|of every|in every|in|von|sur|de cada)\s+(?:every\s+)?(?P<of>\d+)\b(?!\s?[%°])"
    rf"|\b(?:(?P<times>\d+|an?|one)[\s-])?(?P<word>{'|'.join(sorted(_FRACTION_WORD, key=len, reverse=True))})\b(?!\s+(?:past|to)\b)",
    re.IGNORECASE,
)
_PERIOD = {
    "hourly": (3600.0, "time"), "daily": (_DAY, "time"), "weekly": (7 * _DAY, "time"), "fortnightly": (14 * _DAY, "time"),
    "biweekly": (14 * _DAY, "time"), "monthly": (1.0, "months"), "quarterly": (3.0, "months"), "yearly": (12.0, "months"),
    "annually": (12.0, "months"), "annual": (12.0, "months"), "nightly": (_DAY, "time"), "stündlich": (3600.0, "time"),
    "täglich": (_DAY, "time"), "wöchentlich": (7 * _DAY, "time"), "monatlich": (1.0, "months"), "jährlich": (12.0, "months"),
}  # fmt: skip
_FREQUENCY = re.compile(
    r"\b(?P<times>once|twice|thrice|\d+(?:\.\d+)?\s?(?:times|x))\s+(?:(?:a|an|per|each|every|in|pro)\s+|(?=1\s))(?P<n>\d+\s+)?(?P<unit>[^\W\d_]+)"
    r"|\bevery\s+(?P<each>\d+(?:\.\d+)?|other|2nd|second)?\s?-?(?P<of>[^\W\d_]+)"
    rf"|\b(?P<word>{'|'.join(_PERIOD)})\b",
    re.IGNORECASE,
)
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_BETWEEN = re.compile(r"\s*(?:-|to|and|bis|until|till|through|\.\.+|à|a|et|und|y|up to)\s*", re.IGNORECASE)
_OPENED = re.compile(r"\b(?:between|from|zwischen|von|entre|de)\s+[$€£]?$", re.IGNORECASE)
_LEAST = re.compile(
    r"\b(?:at (?:the )?least|(?:a )?minimum(?: of)?|(?:no|not) (?:less|fewer|earlier|shorter|lower) than|more than|over|above"
    r"|exceeding|greater than|longer than|mindestens|mehr als|über|au moins|plus de|al menos|más de|≥|>=?)\s*$",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:at (?:the )?most|up to|(?:a )?maximum(?: of)?|(?:no|not) (?:more|longer|later|greater|higher) than|less than|fewer than"
    r"|under|below|shorter than|within|höchstens|maximal|weniger als|unter|bis zu|au plus|moins de|como máximo|menos de|≤|<=?)\s*$",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"\s*(?:or (?:more|longer|above|over|later|greater|higher)|and (?:above|over|up)|minimum|oder mehr)\b|\+", re.IGNORECASE)
_OR_LESS = re.compile(r"\s*(?:or (?:less|fewer|below|under|shorter|lower)|maximum|oder weniger)\b", re.IGNORECASE)
_ONE_OF = re.compile(rf"\b(?:an?|one|ein(?:e[mnrs]?)?|une?|una?)\s+(?=(?:single\s+)?(?P<unit>[^\W\d_]+))", re.IGNORECASE)
_BY_CASE = {"MW": "megawatt", "Mw": "megawatt", "KN": "kilonewton", "kN": "kilonewton"}
_CAPITAL_ONLY = frozenset("acfjknpvw")
"""One-letter units that are no units in lower case after a blank."""


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """The values of a text that was `cleaned`, in their order. Time is linear in its characters."""
    text = as_read(text)
    found = list(_fixed(text))
    taken = bytearray(len(text))
    for value in found:
        taken[value.start : value.end] = b"\x01" * (value.end - value.start)
    amounts = [value for value in _amounts(text) if not any(taken[value.start : value.end])]
    return tuple(sorted(_with_ranges(text, [*found, *amounts]), key=lambda value: value.start))


def as_read(text: str) -> str:
    """The text that the places of its values refer to: its numbers are in digits."""
    return in_digits(_articles_as_one(text))


def _articles_as_one(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        return "1 " if match["unit"].lower() in UNITS and len(match["unit"]) > 2 else match.group()

    return _ONE_OF.sub(one, text)


def _fixed(text: str) -> Iterator[Value]:
    """Dates, times, identifiers, frequencies and fractions."""
    taken = bytearray(len(text))

    def free(start: int, end: int) -> bool:
        is_free = not any(taken[start:end])
        if is_free:
            taken[start:end] = b"\x01" * (end - start)
        return is_free

    for start, end, found in moments(text):
        if free(start, end):
            extra = _as_amounts(text[start:end]) if any(isinstance(each, Clock) for each in found) else ()
            yield Value(text[start:end], start, end, (*found, *extra))
    for match in _CODE.finditer(text):
        if not _is_amount(match.group()) and free(*match.span()):
            code = match.group().rstrip(".").casefold()
            yield Value(match.group(), *match.span(), (Code(code.removeprefix("v") if code[1:2].isdigit() else code),))
    for match in _FREQUENCY.finditer(text):
        amount = _frequency(match)
        if amount and free(*match.span()):
            yield Value(match.group(), *match.span(), (amount,))
    for match in _FRACTION.finditer(text):
        fraction = _fraction(match, text)
        if fraction and free(match.start(), fraction.end):
            yield fraction


def _as_amounts(text: str) -> tuple[Reading, ...]:
    """What a time in digits is as a number, too: 18.00, 1800 hours."""
    whole = [value for value in _amounts(text) if (value.start, value.end) == (0, len(text))]
    return whole[0].readings if whole else ()


def _is_amount(token: str) -> bool:
    """Whether a token of digits and letters is a number with its unit, scale or ending: 5km, 1.5k, 2nd, EUR85."""
    match = re.fullmatch(rf"(?:{DIGITS})(?P<rest>[^\W\d_]+(?:\^?[23])?|-[^\W\d_]+(?:-[^\W\d_]+)*|/\d+|(?:/[^\W\d_]+))?", token)
    if match:
        rest = (match["rest"] or "").lower()
        parts = rest.strip("-/").split("-")
        return rest.startswith(("-", "/")) or rest in UNITS or rest in SCALES or rest in {"", "st", "nd", "rd", "th", "m", "b", "x", "am", "pm"} or parts[0] in UNITS or rest.rstrip("s") in UNITS
    return bool(re.fullmatch(rf"(?:{'|'.join(c for c in CURRENCY_CODES if c.isalpha())}){DIGITS}", token, re.IGNORECASE)) or bool(
        re.fullmatch(rf"{DIGITS}(?:[^\W\d_]+)?/[^\W\d_]+", token)
    )


def _frequency(match: re.Match[str]) -> Amount | None:
    """A frequency as the period between two times: twice a year is 6 months."""
    if match["word"]:
        period, dimension = _PERIOD[match["word"].lower()]
        return Amount(period, dimension, 0.0, period, match["word"].lower())
    unit = _unit((match["unit"] or match["of"]).lower())
    if unit is None or unit.dimension not in {"time", "months"}:
        return None
    if match["times"]:
        word = match["times"].lower()
        times = _TIMES.get(word) or float(re.sub(r"[^\d.]", "", word))
        count = float(match["n"] or 1) / times if times else 0.0
    else:
        each = (match["each"] or "1").lower()
        count = 2.0 if each in {"other", "2nd", "second"} else float(each)
    return Amount(count * unit.factor, unit.dimension, 0.0, count, "every") if count else None


def _unit(name: str) -> Unit | None:
    return (UNITS.get(name) or UNITS.get(name.removesuffix("s")) or (None,))[0]


def _fraction(match: re.Match[str], text: str) -> Value | None:
    if match["n"]:
        if float(match["m"]) == 0:
            return None
        number = float(match["a"] or 0) + float(match["n"]) / float(match["m"])
    elif match["in"]:
        if not 0 < float(match["in"]) <= float(match["of"]):
            return None
        number = float(match["in"]) / float(match["of"])
    else:
        times = match["times"] or "1"
        if match["word"].lower() != "half" and match["times"] is None and match["word"].lower() not in {"hälfte", "moitié", "mitad"}:
            return None
        number = (float(times) if times.isdigit() else 1.0) * _FRACTION_WORD[match["word"].lower()]
    start, end = match.span()
    after = re.match(r"[\s-]+(?:an?\s+|of an?\s+|of one\s+)?(?:1\s+)?(?P<unit>[^\W\d_]+)", text[end : end + 40])
    if after and not match["in"] and (units := UNITS.get(after["unit"].lower())) and len(after["unit"]) > 1:
        found = tuple(Amount(number * u.factor + u.offset, u.dimension, 0.0, number, after["unit"]) for u in units)
        return Value(text[start : end + after.end()], start, end + after.end(), found)
    return Value(match.group(), start, end, (Amount(number, SHARE, 0.0, number, "fraction"), Amount(number, "", 0.0, number)))


def _amounts(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        # the places of the digits decide; what is read of a sign and a currency lies before them
        yield from _amount(match, text)


def _amount(match: re.Match[str], text: str) -> Iterator[Value]:
    before = text[: match.start()]
    sign = (match["sign"] or "").strip().lower()
    negative = sign.startswith("minus") or (sign == "-" and not re.search(r"[\w%°)]$", before[-1:]))
    currency = _CURRENCY_BEFORE.search(before[-6:]) or (_CURRENCY_BEFORE.search(f"{before[-6:]}-") if sign == "-" else None)
    end = match.end()
    ordinal = _ORDINAL_END.match(text, end)
    end = ordinal.end() if ordinal else end
    scale, end = _scale_after(text, end, bool(currency))
    if currency:
        name = currency.group().strip(" -").lower()
        units = UNITS.get(name) or UNITS.get(name[-1:]) or ()
        unit_name = name
    elif ordinal:
        units, unit_name = (), ""
    else:
        units, unit_name, end = _unit_after(text, end)
    below = _BELOW_ZERO.match(text, match.end())
    if below:
        negative, end = True, max(end, below.end())
        units = UNITS["°f" if "f" in below.group().lower() else "°c"]
    found = []
    for number, step in _powered(match):
        signed = (-number if negative else number) * scale
        for unit in units or (Unit("", 1.0),):
            value = signed * unit.factor + unit.offset
            name = f"{unit_name}x{scale:g}" if scale != 1 else unit_name
            found.append(Amount(value, unit.dimension, step * scale * unit.factor, signed, name))
        if not units and 0 <= number < 1 and scale == 1:
            found.append(Amount(signed, SHARE, 0.0, signed, "decimal"))
    if found:
        start = match.start() if negative or not match["sign"] else match.start("digits")
        start -= len(currency.group()) if currency else 0
        yield _per(Value(text[start:end], start, end, tuple(found)), text)


def _powered(match: re.Match[str]) -> Iterator[tuple[float, float]]:
    """The readings of a number with its power of ten or exponent: 2 x 10^6, 10^3, 1e6."""
    ten = match["times"] or match["e"]
    for number, step in readings(match["digits"]):
        if match["power"]:
            yield number ** int(match["power"]) if number else 0.0, 0.0
        else:
            factor = 10.0 ** int(ten) if ten else 1.0
            yield number * factor, step * factor


def _scale_after(text: str, end: int, is_money: bool) -> tuple[float, int]:
    match = _SCALE_AFTER.match(text, end)
    if not match:
        return 1.0, end
    word, attached = match["scale"], not match.group()[0].isspace()
    lower = word.lower()
    if lower in MONEY_SCALES and lower not in SCALES:
        money_after = re.match(rf"\s?(?:{'|'.join(map(re.escape, CURRENCY_CODES))}|[{re.escape(CURRENCY_SIGNS)}])", text[match.end() :], re.IGNORECASE)
        if not (is_money or money_after or (word == "M" and attached)):
            return 1.0, end
        return MONEY_SCALES[lower], match.end()
    if lower == "k" and not (attached or is_money):
        return 1.0, end
    second = re.match(r"\s?(?:million|billion)\b", text[match.end() :], re.IGNORECASE) if lower == "hundred" else None
    extra = SCALES[second.group().strip().lower()] if second else 1.0
    return SCALES[lower] * extra, match.end() + (second.end() if second else 0)


def _unit_after(text: str, end: int) -> tuple[tuple[Unit, ...], str, int]:
    match = _UNIT_AFTER.match(text, end)
    if not match:
        return (), "", end
    written = match["unit"].replace(" ", "")
    unit, more = written.lower(), (match["more"] or "").strip(" -").lower()
    if more and f"{unit}-{more}" in UNITS:
        return UNITS[f"{unit}-{more}"], f"{unit}-{more}", match.end()
    name = _BY_CASE.get(written, unit)
    if len(name) == 1 and match["gap"] and name in _CAPITAL_ONLY and written == unit:
        return (), "", end
    if name == "in" and match["gap"] and re.match(r"\s+\w", text[match.end("unit") :]):
        return (), "", end
    return UNITS.get(name, ()), name if name in UNITS else "", match.end("unit") if name in UNITS else end


def _per(value: Value, text: str) -> Value:
    """The value as a rate where "per hour", "/s" or "a day" follows its unit."""
    match = _PER.match(text, value.end)
    unit = _unit(match["per"].lower()) if match else None
    if not match or not unit or (unit.dimension in {"", "count"}) or len(match["per"]) == 1 and "/" not in match.group():
        return value
    found = tuple(
        replace(each, value=each.value / unit.factor, dimension=f"{each.dimension}/{unit.dimension}", step=each.step / unit.factor)
        for each in value.readings
        if isinstance(each, Amount) and each.dimension not in {SHARE}
    )
    speeds = tuple(replace(each, dimension="speed") for each in found if each.dimension == "length/time")
    plain = tuple(each for each in value.readings if isinstance(each, Amount) and each.dimension == "")
    if not found:
        return value
    return replace(value, text=text[value.start : match.end()], end=match.end(), readings=(*speeds, *found, *plain))


def _with_ranges(text: str, found: list[Value]) -> Iterator[Value]:
    """The values with two joined by "to", a dash or "between ... and" as one range, and with their bounds."""
    ordered = sorted(found, key=lambda value: value.start)
    place = 0
    while place < len(ordered):
        value, place = ordered[place], place + 1
        while place < len(ordered) and (joined := _sum(text, value, ordered[place]) or _span(text, value, ordered[place])):
            value, place = joined, place + 1
        yield replace(value, bound=_bound(text, value))


def _sum(text: str, first: Value, second: Value) -> Value | None:
    """One duration of two: 1 hour 30 minutes."""
    if not re.fullmatch(r"\s?(?:,|and|und|et|y)?\s?", text[first.end : second.start], re.IGNORECASE):
        return None
    for one in first.readings:
        for two in second.readings:
            if isinstance(one, Amount) and isinstance(two, Amount) and one.dimension == two.dimension in {"time", "months"}:
                if 0 < two.value < one.value and two.step < one.step and one.unit != "every" != two.unit:
                    total = replace(two, value=one.value + two.value, written=one.value + two.value, unit=f"{one.unit}+")
                    return Value(text[first.start : second.end], first.start, second.end, (total,))
    return None


def _span(text: str, first: Value, second: Value) -> Value | None:
    between = text[first.end : second.start]
    if not (_BETWEEN.fullmatch(between) if between.strip() else second.text.startswith("-")):
        return None
    opened = _OPENED.search(text[max(0, first.start - 12) : first.start])
    if between.strip().lower() in {"and", "und", "et", "y", "a", "à"} and not opened:
        return None
    pairs = (_ends(low, high) for low in first.readings for high in second.readings)
    found = tuple(span for span in pairs if span)
    return Value(text[first.start : second.end], first.start, second.end, found) if found else None


def _ends(low: Reading, high: Reading) -> Span | None:
    if isinstance(low, Amount) and isinstance(high, Amount):
        if high.value < 0 <= low.value:
            high = replace(high, value=-high.value, written=-high.written)
        low, high = _in_unit_of(low, high), _in_unit_of(high, low)
        return Span(low, high) if low.dimension == high.dimension and low.value < high.value else None
    if type(low) is type(high) and isinstance(low, Day | Clock) and isinstance(high, Day | Clock):
        return Span(low, high)
    return None


def _in_unit_of(bare: Amount, other: Amount) -> Amount:
    """A number without a unit in the unit of the other end of its range."""
    if bare.dimension or not other.dimension or not other.written:
        return bare
    is_offset = other.dimension == "temperature"
    factor = 1.0 if is_offset else abs(other.value / other.written)
    value = bare.written * factor + (other.value - other.written if is_offset else 0.0)
    return replace(bare, value=value, dimension=other.dimension, unit=other.unit, step=bare.step * factor)


def _bound(text: str, value: Value) -> int:
    before, after = text[max(0, value.start - 24) : value.start], text[value.end : value.end + 16]
    if _LEAST.search(before) or _OR_MORE.match(after):
        return 1
    return -1 if _MOST.search(before) or _OR_LESS.match(after) else 0
