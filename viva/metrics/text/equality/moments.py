"""Dates and times of day in running text, in the usual forms of six languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from viva.metrics.text.equality.units import SCALES, UNITS

_MONTH_NAMES = (
    "january jan januar januari janvier enero ene gennaio janeiro",
    "february feb februar februari février fevrier febrero febbraio fevereiro",
    "march mar märz maart mars marzo março",
    "april apr avril avr abril aprile",
    "may mai mei mayo maggio maio",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug augustus août agosto ago",
    "september sept sep septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez december décembre diciembre dic dicembre dezembro",
)
_MONTH = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_NAME = rf"(?P<n>{'|'.join(sorted(_MONTH, key=len, reverse=True))})\b\.?"
_D, _Y = r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.|er|º)?", r"(?P<y>\d{4})"
_OF = r"(?:\s*,?\s+|-)(?:of |de |del |the )?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)(?:T[\d:.]+Z?)?",
        r"\b(?P<y>\d{4})年\s?(?P<m>\d{1,2})月\s?(?P<d>\d{1,2})日",
        r"\b(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})\b",
        rf"(?<![\d.,]){_D}{_OF}{_NAME}{_OF}{_Y}\b",
        rf"\b{_NAME}{_OF}{_D}(?!\d|:|\s?[ap]\.?m)\s*,?\s*{_Y}\b",
        rf"\b{_NAME}{_OF}{_Y},?\s+(?:on |am )?(?:the )?{_D}(?![\d:])",
        rf"(?<![\d.,]){_D}{_OF}{_NAME}(?!\w)",
        rf"\b{_NAME}{_OF}{_D}(?![\d:]|\.\d|\s?[ap]\.?m)",
        rf"\b{_NAME}{_OF}{_Y}\b",
        r"(?<![\d./-])(?P<y>1\d{3}|20\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d/-])",
        r"(?<![\d./-])(?P<m>0[1-9]|1[0-2])[./](?P<y>1\d{3}|20\d\d)(?![\d./-]\d|\d)",
    )
)
_MONTH_ALONE = re.compile(
    r"\b(?P<n>January|February|March|April|June|July|August|September|October|November|December|Januar|Februar|März|Juni"
    r"|Juli|Oktober|Dezember|janvier|février|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|septiembre"
    r"|octubre|noviembre|diciembre|(?:(?<=in )|(?<=until )|(?<=since )|(?<=by )|^)May)\b"
)
_NUMERIC = re.compile(r"(?<![\d.,/-])(?P<a>\d{1,2})(?P<s>[./-])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4}|\d\d)(?![\d./-]\d|\d)")
_TIMES = (
    re.compile(
        r"(?<![\d:.,$€£¥₹])(?<![$€£¥₹] )(?<!usd )(?<!eur )(?<!gbp )(?<!chf )(?P<h>[01]?\d|2[0-4])"
        r"(?:[:.]|(?P<french>\s?(?:h|heures)\s?))(?P<m>[0-5]\d)(?::[0-5]\d)?"
        r"(?!\s?(?:min|[$€£¥₹%]|(?:euros?|eur|usd|gbp|chf|dollars?|pounds?)\b))\s?(?P<half>[ap]\.?m\b\.?)?"
        r"(?![\d:%]|[.,]\d)(?P<mark>\s?(?:uhr|hrs|o'clock|heures))?",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<![\d:.,])(?P<h>[01]?\d|2[0-4])(?P<m>)\s?(?:(?P<half>[ap]\.?m\b\.?)|(?P<mark>uhr\b|o'clock\b|h(?=\s|$)))",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<![\d:.,])(?P<h>[01]\d|2[0-4])(?P<m>[0-5]\d)\s?(?P<mark>hours|hrs|uhr|h)\b(?P<half>)", re.IGNORECASE
    ),
)
_OF_DAY = re.compile(
    r"\s*(?:o'clock\s*)?(?:in the|at|am|de la|du|le)\s+(?P<part>morning|afternoon|evening|night|morgen|nachmittag"
    r"|abend"
    r"|matin|soir|mañana|tarde|noche)",
    re.IGNORECASE,
)
_HOUR_OF_DAY = re.compile(
    r"(?<![\d:.,])(?P<h>1?\d)(?=\s+(?:o'clock\s+)?(?:in the|at)\s+(?:morning|afternoon|evening|night))", re.IGNORECASE
)
_NAMED = re.compile(
    r"\b(?P<named>noon|midday|midnight|mittags?|mitternacht|midi|minuit|mediodía|medianoche)\b", re.IGNORECASE
)
_WORD_AFTER = re.compile(r"[\s-]?(?P<word>[^\W\d_]+|[%°€$£¥₹])")
_NO_UNIT = frozenset("h hr hrs hour hours uhr heures a p in".split())
"""What follows a time; some of them are units elsewhere."""
_LATE = frozenset("afternoon evening night nachmittag abend soir tarde noche".split())


_ALONE = {(True, False, False), (False, True, False)}


@dataclass(frozen=True)
class Day:
    """A date, as far as it is given; parts that are not are None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def parts(self) -> tuple[int | None, int | None, int | None]:
        """Year, month and day."""
        return self.year, self.month, self.day

    def equals(self, other: Day) -> bool:
        """Tell whether the two agree in what both give: two parts at least, or all that one of them gives."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        common = [(a, b) for a, b in pairs if a is not None and b is not None]
        # a year alone, or a month alone, is all that one of them gives
        given = {tuple(part is not None for part in each) for each in (self.parts, other.parts)}
        enough = len(common) >= 2 or (len(common) == 1 and bool(given & _ALONE))
        return enough and all(a == b for a, b in common)

    def differs(self, other: Day) -> bool:
        """Tell whether the two give a part that is not the same."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return any(a is not None and b is not None and a != b for a, b in pairs)


@dataclass(frozen=True)
class Clock:
    """A time of day in minutes; `is_open` where it may be of the morning or of the evening."""

    minutes: int
    is_open: bool = False

    def equals(self, other: Clock) -> bool:
        """Tell whether the two are one time; "6 o'clock" is also 18:00."""
        apart = abs(self.minutes - other.minutes) % 1440
        return apart == 0 or (apart == 720 and (self.is_open or other.is_open))


Found = tuple[int, int, tuple[Day | Clock, ...]]


def moments(text: str) -> Iterator[Found]:
    """(start, end, readings) of each date and time, none within another; "01/05/2024" has two readings."""
    taken = bytearray(len(text))
    for pattern in (*_DATES, _MONTH_ALONE, _NUMERIC, _NAMED, *_TIMES, _HOUR_OF_DAY):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            found, end = _readings(match, text, end)
            if found:
                taken[start:end] = b"\x01" * (end - start)
                yield start, end, found


def _readings(match: re.Match[str], text: str, end: int) -> tuple[tuple[Day | Clock, ...], int]:
    parts = match.groupdict()
    if "a" in parts:
        return _numeric_days(int(parts["a"]), int(parts["b"]), parts["y"]), end
    if "y" in parts or "n" in parts:
        return _named_day(parts), end
    if parts.get("named"):
        noon = parts["named"].lower() in {"noon", "midday", "mittag", "mittags", "midi", "mediodía"}
        return (Clock(720 if noon else 0),), end
    return _clock(match, text, end)


def _numeric_days(first: int, second: int, year: str) -> tuple[Day, ...]:
    full = int(year) if len(year) == 4 else 2000 + int(year)
    days = dict.fromkeys(((first, second), (second, first)))
    return tuple(Day(full, month, day) for day, month in days if 1 <= month <= 12 and 1 <= day <= 31)


def _named_day(parts: dict[str, str | None]) -> tuple[Day, ...]:
    month = _MONTH[str(parts["n"]).lower()] if parts.get("n") else int(str(parts["m"]))
    day = int(str(parts["d"])) if parts.get("d") else None
    year = int(str(parts["y"])) if parts.get("y") else None
    return (Day(year, month, day),) if 1 <= month <= 12 and (day is None or 1 <= day <= 31) else ()


def _clock(match: re.Match[str], text: str, end: int) -> tuple[tuple[Clock, ...], int]:
    parts = match.groupdict()
    after = _WORD_AFTER.match(text, end)
    if "." in match.group() and not parts.get("half") and not parts.get("mark") and after:
        word = after["word"].lower()
        # "1.34 million" and "6.30 km" are amounts
        if word not in _NO_UNIT and (word in UNITS or word in SCALES):
            return (), end
    hour, minute = int(parts["h"]), int(parts.get("m") or 0)
    half = (parts.get("half") or "").lower()[:1]
    later = _OF_DAY.match(text, end)
    if later and not half:
        half, end = ("p" if later["part"].lower() in _LATE else "a"), later.end()
    if half and hour <= 12:
        return (Clock((hour % 12 + (12 if half == "p" else 0)) * 60 + minute),), end
    is_of_24 = parts.get("french") or (parts.get("mark") or "").strip().lower() in {"uhr", "h", "heures"}
    is_open = 1 <= hour <= 12 and text[match.start()] != "0" and not is_of_24
    return (Clock(hour % 24 * 60 + minute, is_open),), end
