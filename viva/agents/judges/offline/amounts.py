"""Numbers, dates and times in running text, by what they amount to: 1,000 is 'one thousand', 50% is '50 percent'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from viva.agents.offline.text.expressions import MONTHS
from viva.core.text.languages.english import ENGLISH
from viva.core.text.words import content_words
from viva.metrics.item_writing.quantities import Quantity, numeric_value, same_quantity

_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_SMALL = {**ENGLISH.numbers, **_TENS}
_WORD = "|".join(sorted([*_SMALL, *_SCALES], key=len, reverse=True))
_WORDED = re.compile(
    rf"\b(?:(?:{'|'.join(sorted(_SMALL, key=len, reverse=True))})|a (?:{'|'.join(_SCALES)}))"
    rf"(?:(?:-| and | )(?:{_WORD}))*\b",
    re.IGNORECASE,
)
_NO_COUNT = re.compile(r"\b(?:no|any|every|each|the|this|that|which|some|another|or|only)\s$", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?P<currency>[£$€¥]\s?)?(?<![\w.])(?P<sign>(?<!\S)[-−])?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\.?\d)"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?(?P<share>\s?(?:%|per ?cent(?:age points?)?\b))?"
    r"(?:[ -](?P<scale>thousand|million|billion|trillion|dozen)\b)?(?P<after>(?:[ -][^\W\d_]+[.']?[^\W\d_]*){0,3})"
)
_ARTICLES = frozenset("a an the of and or to in at on by for from with per is are was were but than".split())
_JOINED = re.compile(r"^\s*(?:and|to|or|-|through)\s*$")
_MONTH = {name[:length].lower(): n for n, name in enumerate(MONTHS, 1) for length in (3, 4, len(name))}
_NAMED = "|".join(sorted((name for name in _MONTH if len(name) > 2), key=len, reverse=True))
_DATES = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)\b"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[ -](?:of )?(?P<n>{_NAMED})\.?(?:,?[ -](?P<y>\d{{4}}))?\b", re.IGNORECASE
    ),
    re.compile(
        rf"\b(?P<n>{_NAMED})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}}))?\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?P<n>{_NAMED})\.?,? (?:of )?(?P<y>\d{{4}})\b", re.IGNORECASE),
    re.compile(r"\b(?P<d>\d{1,2})[./](?P<m>\d{1,2})[./](?P<y>\d{4})\b"),
    re.compile(
        r"(?:(?<=\bin )|(?<=\bsince )|(?<=\buntil )|(?<=\bby )|(?<=\bfrom )|(?<=\bof )|(?<=\bfor )|(?<=\bto )"
        r"|(?<=\bafter )"
        r"|(?<=\bbefore )|(?<=\byear )|(?<=\bduring ))(?P<y>1\d{3}|20\d\d)(?![\w%,]|\.\d| [a-z]+s\b)"
    ),
    re.compile(r"(?<![\w.,£$€-])(?P<y>1\d{3}|20\d\d)(?=[.!?)]?$|[,;:)] )"),
    re.compile(rf"\b(?P<n>{'|'.join(MONTHS[:4] + MONTHS[5:])}|(?<=in )May|(?<=since )May|(?<=until )May)\b"),
)
_TIME = re.compile(
    r"\b(?P<h>[01]?\d|2[0-4])(?:[:.](?P<m>[0-5]\d))\s?(?P<half>[ap]\.?m\b\.?)?|\b(?P<h2>1?\d)\s?(?P<half2>[ap]\.?m\b\.?)"
    r"|\b(?P<named>noon|midnight)\b",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Amount:
    """A number in a text, and what it amounts to."""

    quantity: Quantity
    written: float
    """the number as it is written, whatever its unit"""
    counts: bool
    """whether content words after it name what it counts: '148 certified passengers'"""

    def equals(self, other: Amount) -> bool:
        """Whether two amounts are the same, where one may lack its unit."""
        if same_quantity(self.quantity, other.quantity):
            return True
        bare = "" in {self.quantity.dimension, other.quantity.dimension}
        return bare and abs(self.written - other.written) <= 1e-9 * max(abs(self.written), 1.0)


@dataclass(frozen=True)
class Moment:
    """A date, a time of day or a day of the week, as far as it is told."""

    parts: tuple[tuple[str, int], ...]
    """('y', 2004), ('m', 5), ('d', 2); ('t', minutes); ('w', number)"""

    def differs(self, other: Moment) -> bool | None:
        """Whether what both tell of differs; None where they tell of nothing in common."""
        mine, theirs = dict(self.parts), dict(other.parts)
        common = mine.keys() & theirs.keys()
        if "t" in common:
            apart = abs(mine["t"] - theirs["t"])
            unmarked = "h" in mine or "h" in theirs
            return apart != 0 and not (unmarked and apart == 720)
        return any(mine[part] != theirs[part] for part in common) if common else None


@dataclass(frozen=True)
class Amounts:
    """All amounts and moments of a text."""

    amounts: tuple[Amount, ...]
    moments: tuple[Moment, ...]


@lru_cache(maxsize=4096)
def figures(text: str) -> Amounts:
    """What a (folded) text tells in numbers. Time is linear in its characters."""
    found: list[Moment] = []
    rest = text
    for pattern in _DATES:
        for match in pattern.finditer(rest):
            moment = _date(match)
            if moment:
                found.append(moment)
                rest = rest[: match.start()] + "\x00" * len(match.group()) + rest[match.end() :]
    for match in _TIME.finditer(rest):
        moment = _time(match, rest)
        if moment:
            found.append(moment)
            rest = rest[: match.start()] + "\x00" * len(match.group()) + rest[match.end() :]
    days = "mon tue wed thu fri sat sun".split()
    found += [Moment((("w", days.index(m.group()[:3].lower())),)) for m in _WEEKDAYS.finditer(text)]
    return Amounts(tuple(_amounts(in_digits(rest))), tuple(found))


def in_digits(text: str) -> str:
    """The text with its number words as digits: 'one thousand two hundred' as '1200'; 'no one' stays."""

    def digits(match: re.Match[str]) -> str:
        words = re.split(r"[- ]", match.group().lower())
        if words == ["one"] and (
            _NO_COUNT.search(text[: match.start()])
            or not re.match(r"[ -][a-z]{3,}", text[match.end() :])
            or re.match(r" (?:of|another|or|is|can|may|who|that)\b", text[match.end() :])
        ):
            return match.group()
        return f"{_value(words)}"

    return _WORDED.sub(digits, text)


def _value(words: list[str]) -> int:
    total = current = 0
    for word in words:
        if word in _SMALL:
            current += _SMALL[word]
        elif word in {"hundred", "dozen"}:
            current = max(current, 1) * _SCALES[word]
        elif word in _SCALES:
            total, current = total + max(current, 1) * _SCALES[word], 0
    return total + current


def _amounts(text: str) -> Iterator[Amount]:
    held: tuple[Amount, int] | None = None
    for match in _NUMBER.finditer(text):
        read = _amount(match)
        if held is not None:
            first, end = held
            between = text[end : match.start()]
            if read and _JOINED.match(between) and not first.counts and not first.quantity.dimension:
                first = _in_unit_of(first, match) or first  # 'between 5 and 50 litres'
            yield first
        held = (read, match.end("digits")) if read else None
    if held is not None:
        yield held[0]


def _in_unit_of(first: Amount, second: re.Match[str]) -> Amount | None:
    same = _NUMBER.match(f"{first.written:g}{second.group('share') or ''}{second.group('after')}")
    return _amount(same) if same else None


def _amount(match: re.Match[str]) -> Amount | None:
    after = match["after"].replace("-", " ").split()
    number = f"{match['sign'] or ''}{match['digits']}"
    unit = after[0].casefold().rstrip(".") if after else ""
    scaled = f"{number} {match['scale']}" if match["scale"] else number
    quantity = None
    if match["currency"]:
        name = {"£": "pounds"}.get(match["currency"].strip(), match["currency"].strip())
        quantity = numeric_value(f"{scaled} {name}")
    elif unit and not match["share"]:
        quantity = numeric_value(f"{scaled} {unit}")
    if quantity is None or (quantity.dimension == unit and unit != "months"):
        quantity = numeric_value(scaled)
    if quantity is None:
        return None
    if match["share"] or match["ordinal"]:
        quantity = quantity._replace(dimension="%" if match["share"] else "rank")
    known = quantity.dimension not in {"", "%", "rank"}
    written = float(number.replace(",", "").replace("−", "-"))
    return Amount(quantity, written, counts=any(map(_counts, after[1:] if known else after)))


def _counts(word: str) -> bool:
    """Whether a word after a number may name what it counts."""
    return word.lower() not in _ARTICLES and any(stem[0].isalpha() for stem in content_words(word))


def _date(match: re.Match[str]) -> Moment | None:
    told = match.groupdict()
    parts: dict[str, int] = {name: int(told[name]) for name in ("y", "m", "d") if told.get(name)}
    if told.get("n"):
        parts["m"] = _MONTH[told["n"].lower()]
    if not 1 <= parts.get("m", 1) <= 12 or not 1 <= parts.get("d", 1) <= 31:
        return None
    return Moment(tuple(sorted(parts.items())))


def _time(match: re.Match[str], text: str) -> Moment | None:
    if match["named"]:
        return Moment((("t", 720 if match["named"].lower() == "noon" else 0),))
    half = (match["half"] or match["half2"] or "").lower()[:1]
    hour, minute = int(match["h"] or match["h2"]), int(match["m"] or 0)
    if not half and ":" not in match.group():
        return None  # 14.30 may be any number
    told = (hour % 12 + (12 if half == "p" else 0) if half else hour) * 60 + minute
    marked = () if half or hour > 12 or text[match.start()] == "0" else (("h", 12),)
    return Moment((("t", told), *marked))
