"""Amounts in running text: numbers with their scale, unit, currency and rate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from viva.metrics.text.equality.numbers import DIGITS, readings
from viva.metrics.text.equality.quantities import UnitValue, Value
from viva.metrics.text.equality.units import (
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    MONEY_SCALES,
    SCALES,
    SHARE,
    UNITS,
    UnitOfMeasure,
)

_UNIT_AFTER = re.compile(
    r"(?P<gap>[\s-]?)(?P<unit>°\s?[CFcf]\b|[%‰°$€£¥₹]|(?:sq\s?m|[^\W\d_]+(?:\^?[23](?!\d))?|zł))(?P<more>[\s-](?:%"
    r"|[^\W\d_]+))?"
)


_SCALE_AFTER = re.compile(
    rf"\s?-?(?P<scale>{'|'.join(sorted(SCALES, key=len, reverse=True))}|M|m|b|B)\b", re.IGNORECASE
)


_PER = re.compile(
    r"\s?(?:/|\s(?:per|pro|par|por|a|an|each|every|for each|for every)\s)\s?(?P<per>[^\W\d_]+)", re.IGNORECASE
)


_CURRENCY_BEFORE = re.compile(
    rf"(?:(?P<sign>[A-Z]{{0,2}}[{re.escape(CURRENCY_SIGNS)}])"
    rf"|\b(?P<code>{'|'.join(c for c in CURRENCY_CODES if c.isalpha())}))\s?-?$",
    re.IGNORECASE,
)


_NUMBER = re.compile(
    rf"(?<![A-Za-z_])(?<!\d[.,])(?<!\d)(?P<sign>-|\+|minus\s|minus-)?(?P<digits>{DIGITS})(?:\s?(?:x"
    rf"|\*)\s?10\^(?P<times>-?\d{{1,2}})|\^(?P<power>-?\d{{1,2}})|[eE](?P<e>[+-]?\d{{1,2}})(?!\w))?",
    re.IGNORECASE,
)


_ORDINAL_END = re.compile(r"(?:st|nd|rd|th|\.?º|ª)\b", re.IGNORECASE)


_BELOW_ZERO = re.compile(
    r"\s+(?:degrees?\s+)?(?:celsius\s+|centigrade\s+|fahrenheit\s+|°c\s+|°f\s+)?below\s+(?:zero|0)\b", re.IGNORECASE
)


_BY_CASE = {"MW": "megawatt", "Mw": "megawatt", "KN": "kilonewton", "kN": "kilonewton"}


_CAPITAL_ONLY = frozenset("acfjknpvw")
"""One-letter units that are no units in lower case after a blank."""


def amounts(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        # the places of the digits decide; what is read of a sign and a currency lies before them
        yield from _amount(match, text)


def _amount(match: re.Match[str], text: str) -> Iterator[Value]:
    before = text[: match.start()]
    sign = (match["sign"] or "").strip().lower()
    negative = sign.startswith("minus") or (sign == "-" and not re.search(r"[\w%°)]$", before[-1:]))
    currency = _CURRENCY_BEFORE.search(before[-6:]) or (
        _CURRENCY_BEFORE.search(f"{before[-6:]}-") if sign == "-" else None
    )
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
        for unit in units or (UnitOfMeasure("", 1.0),):
            if unit.dimension == "count":
                # a dozen is twelve of anything
                signed, unit = signed * unit.factor, UnitOfMeasure("", 1.0)
            value = signed * unit.factor + unit.offset
            name = f"{unit_name}x{scale:g}" if scale != 1 else unit_name
            found.append(UnitValue(value, unit.dimension, step * scale * unit.factor, signed, name))
        if not units and 0 <= number < 1 and scale == 1:
            found.append(UnitValue(signed, SHARE, 0.0, signed, "decimal"))
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
        money_after = re.match(
            rf"\s?(?:{'|'.join(map(re.escape, CURRENCY_CODES))}|[{re.escape(CURRENCY_SIGNS)}])",
            text[match.end() :],
            re.IGNORECASE,
        )
        if not (is_money or money_after or (word == "M" and attached)):
            return 1.0, end
        return MONEY_SCALES[lower], match.end()
    if lower == "k" and not (attached or is_money):
        return 1.0, end
    second = re.match(r"\s?(?:million|billion)\b", text[match.end() :], re.IGNORECASE) if lower == "hundred" else None
    extra = SCALES[second.group().strip().lower()] if second else 1.0
    return SCALES[lower] * extra, match.end() + (second.end() if second else 0)


def _unit_after(text: str, end: int) -> tuple[tuple[UnitOfMeasure, ...], str, int]:
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
    unit = unit_of(match["per"].lower()) if match else None
    if (
        not match
        or not unit
        or (unit.dimension in {"", "count"})
        or (len(match["per"]) == 1 and "/" not in match.group())
    ):
        return value
    found = tuple(
        replace(
            each,
            value=each.value / unit.factor,
            dimension=f"{each.dimension}/{unit.dimension}",
            step=each.step / unit.factor,
        )
        for each in value.readings
        if isinstance(each, UnitValue) and each.dimension != SHARE
    )
    speeds = tuple(replace(each, dimension="speed") for each in found if each.dimension == "length/time")
    plain = tuple(each for each in value.readings if isinstance(each, UnitValue) and each.dimension == "")
    if not found:
        return value
    return replace(value, text=text[value.start : match.end()], end=match.end(), readings=(*speeds, *found, *plain))


def unit_of(name: str) -> UnitOfMeasure | None:
    return (UNITS.get(name) or UNITS.get(name.removesuffix("s")) or (None,))[0]
