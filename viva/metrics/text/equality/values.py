"""The values that a running text states, with their places, joined to ranges and with their bounds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from viva.metrics.text.equality.amounts import amounts
from viva.metrics.text.equality.moments import Clock, Day, moments
from viva.metrics.text.equality.numbers import DIGITS, in_digits
from viva.metrics.text.equality.portions import FRACTION, FREQUENCY, fraction_at, frequency
from viva.metrics.text.equality.quantities import Code, Reading, UnitValue, Value, ValueRange
from viva.metrics.text.equality.units import CURRENCY_CODES, SCALES, UNITS

_SUMMED = frozenset({"time", "months", "length", "mass"})
"""Dimensions whose amounts are given in two units: 1 hour 30 minutes, 6 ft 2 in."""


_CODE = re.compile(
    r"https?://[^\s<>\"')\]]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
    r"|(?<![\w-])--?[A-Za-z][\w-]*"
    r"|(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+.]?[A-Za-z][\w.-]*)?(?![\w]|\.\d)"
    r"|(?<![\w./-])(?=[\w./-]{0,60}\d)(?=[\w./-]{0,60}[A-Za-z])[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*(?![\w])"
    r"|(?<![\w./-])[A-Za-z]\w*(?:_\w+)+(?!\w)"
)


_WEEKDAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b")
_BETWEEN = re.compile(r"\s*(?:-|to|and|bis|until|till|through|\.\.+|à|a|et|und|y|up to)\s*", re.IGNORECASE)


_OPENED = re.compile(r"\b(?:between|from|zwischen|von|entre|de)\s+[$€£]?$", re.IGNORECASE)


_LEAST = re.compile(
    r"\b(?:at (?:the )?least|(?:a )?minimum(?: of)?|(?:no|not) (?:less|fewer|earlier|shorter|lower) than|more than"
    r"|over|above"
    r"|exceeding|greater than|longer than|mindestens|mehr als|über|au moins|plus de|al menos|más de|≥|>=?)\s*$",
    re.IGNORECASE,
)


_MOST = re.compile(
    r"\b(?:at (?:the )?most|up to|(?:a )?maximum(?: of)?|(?:no|not) (?:more|longer|later|greater|higher) than"
    r"|less than|fewer than"
    r"|under|below|shorter than|within|höchstens|maximal|weniger als|unter|bis zu|au plus|moins de|como máximo"
    r"|menos de|≤|<=?)\s*$",
    re.IGNORECASE,
)


_OR_MORE = re.compile(
    r"\s*(?:or (?:more|longer|above|over|later|greater|higher)|and (?:above|over|up)|minimum|oder mehr)\b|\+",
    re.IGNORECASE,
)


_OR_LESS = re.compile(r"\s*(?:or (?:less|fewer|below|under|shorter|lower)|maximum|oder weniger)\b", re.IGNORECASE)


_ONE_OF = re.compile(
    r"\b(?:an?|one|ein(?:e[mnrs]?)?|une?|una?)\s+(?=(?:single\s+)?(?P<unit>[^\W\d_]+))", re.IGNORECASE
)


_ONE_AND_A_HALF = re.compile(r"\b(?:eineinhalb|anderthalb|one and a half|un et demi|uno y medio)\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """The values of a text that was `cleaned`, in their order. Time is linear in its characters."""
    text = as_read(text)
    found = list(_fixed(text))
    taken = bytearray(len(text))
    for value in found:
        taken[value.start : value.end] = b"\x01" * (value.end - value.start)
    found += [value for value in amounts(text) if not any(taken[value.start : value.end])]
    return tuple(sorted(_with_ranges(text, found), key=lambda value: value.start))


_HALF_AFTER = re.compile(
    r"\b(?P<whole>\d+)\s+(?P<unit>[^\W\d_]+)\s+(?:and (?:a|1|one) half|et demie?|y medi[oa]|und (?:ein|1) halb\w*)\b",
    re.IGNORECASE,
)
_CENTS_AFTER = re.compile(r"\b(\d+) (pounds?|euros?|dollars?|francs?) (\d\d)\b(?!\s*(?:[%€$£]|\w))", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]{2,}")
_TWICE = re.compile(r"\b(\d+) \(\1\)")
_RATES = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "hourly": "hour",
    "yearly": "year",
    "annually": "year",
}
_RATE = re.compile(rf"(?P<unit>[^\W\d_]+) (?P<rate>{'|'.join(_RATES)})\b", re.IGNORECASE)
_UNIT_BEFORE = re.compile(r"(?:(?P<unit>[^\W\d_]+)|[%€$£]|\d)\s+$")
_COUNTED = frozenset({*UNITS, "times"})
"""Words before the "a" of a rate."""


@lru_cache(maxsize=4096)
def as_read(text: str) -> str:
    """The text that the places of its values refer to: its numbers are in digits."""
    text = _ONE_AND_A_HALF.sub("1.5", _BLANKS.sub(" ", text))
    text = _TWICE.sub(r"\1", in_digits(_articles_as_one(_RATE.sub(_per_period, text))))
    return _CENTS_AFTER.sub(r"\1.\3 \2", _HALF_AFTER.sub(_with_half, text))


def _articles_as_one(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match["unit"].lower() not in UNITS or len(match["unit"]) <= 2:
            return match.group()
        before = _UNIT_BEFORE.search(text[max(0, match.start() - 24) : match.start()])
        # "25 cents a day" is a rate, and no two amounts
        is_rate = before is not None and (not before["unit"] or before["unit"].lower() in _COUNTED)
        return match.group() if is_rate and match.group().strip().lower() in {"a", "an"} else "1 "

    return _ONE_OF.sub(one, text)


def _per_period(match: re.Match[str]) -> str:
    if match["unit"].lower() not in UNITS or len(match["unit"]) < 2:
        return match.group()
    return f"{match['unit']} per {_RATES[match['rate'].lower()]}"


def _with_half(match: re.Match[str]) -> str:
    return f"{match['whole']}.5 {match['unit']}" if match["unit"].lower() in UNITS else match.group()


def _fixed(text: str) -> Iterator[Value]:
    """Yield the dates, times, identifiers, frequencies and fractions of a text."""
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
            yield Value(
                match.group(), *match.span(), (Code(code.removeprefix("v") if code[1:2].isdigit() else code),)
            )
    for match in _WEEKDAY.finditer(text):
        if free(*match.span()):
            yield Value(match.group(), *match.span(), (Code(match.group().casefold().removesuffix("s")),))
    for match in FREQUENCY.finditer(text):
        amount = frequency(match)
        if amount and free(*match.span()):
            yield Value(match.group(), *match.span(), (amount,))
    for match in FRACTION.finditer(text):
        fraction = fraction_at(match, text)
        if fraction and free(match.start(), fraction.end):
            yield fraction


def _as_amounts(text: str) -> tuple[Reading, ...]:
    """Read a time in digits as a number, too: 18.00, 1800 hours."""
    whole = [value for value in amounts(text) if (value.start, value.end) == (0, len(text))]
    return whole[0].readings if whole else ()


def _is_amount(token: str) -> bool:
    """Tell whether a token of digits and letters is a number with its unit, scale or ending: 5km, 1.5k, 2nd."""
    match = re.fullmatch(
        rf"(?:{DIGITS})(?P<rest>[^\W\d_]+(?:\^?[23])?|-[^\W\d_]+(?:-[^\W\d_]+)*|/\d+|/[^\W\d_]+)?", token
    )
    if match:
        rest = (match["rest"] or "").lower()
        return (
            rest.startswith(("-", "/"))
            or rest in UNITS
            or rest in SCALES
            or rest in {"", "st", "nd", "rd", "th", "m", "b", "x", "am", "pm"}
            or rest.rstrip("s") in UNITS
        )
    return bool(
        re.fullmatch(rf"(?:{'|'.join(c for c in CURRENCY_CODES if c.isalpha())}){DIGITS}", token, re.IGNORECASE)
    ) or bool(re.fullmatch(rf"{DIGITS}(?:[^\W\d_]+)?/[^\W\d_]+", token))


def _with_ranges(text: str, found: list[Value]) -> Iterator[Value]:
    """The values with two joined by "to", a dash or "between ... and" as one range, and with their bounds."""
    ordered = sorted(found, key=lambda value: value.start)
    place = 0
    while place < len(ordered):
        value, place = ordered[place], place + 1
        while place < len(ordered) and (
            joined := _sum(text, value, ordered[place]) or _span(text, value, ordered[place])
        ):
            value, place = joined, place + 1
        yield replace(value, bound=_bound(text, value))


def _sum(text: str, first: Value, second: Value) -> Value | None:
    """Add two amounts of one measurement: 1 hour 30 minutes."""
    if not re.fullmatch(r"\s?(?:,|and|und|et|y)?\s?", text[first.end : second.start], re.IGNORECASE):
        return None
    for one, two in itertools.product(first.readings, second.readings):
        if not (isinstance(one, UnitValue) and isinstance(two, UnitValue)) or "every" in {one.unit, two.unit}:
            continue
        if one.dimension == two.dimension in _SUMMED and 0 < two.value < one.value and two.step < one.step:
            total = one.value + two.value
            summed = replace(two, value=total, written=total, unit=f"{one.unit}+")
            return Value(text[first.start : second.end], first.start, second.end, (summed,))
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


def _ends(low: Reading, high: Reading) -> ValueRange | None:
    if isinstance(low, UnitValue) and isinstance(high, UnitValue):
        if high.value < 0 <= low.value:
            high = replace(high, value=-high.value, written=-high.written)
        if low.is_year and high.dimension == "" and low.value % 100 < high.value < 100:
            high = replace(high, value=low.value // 100 * 100 + high.value)
        low, high = _in_unit_of(low, high), _in_unit_of(high, low)
        return ValueRange(low, high) if low.dimension == high.dimension and low.value < high.value else None
    if type(low) is type(high) and isinstance(low, Day | Clock) and isinstance(high, Day | Clock):
        return ValueRange(low, high)
    return None


def _in_unit_of(bare: UnitValue, other: UnitValue) -> UnitValue:
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
