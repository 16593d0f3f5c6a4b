"""Wrong values made by rule: near values of a number, a date or an identifier."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.agents.offline.distractors.likeness import NUMBER, NUMBER_WORDS
from viva.agents.offline.text.expressions import MONTHS


def near_values(key: str, form: str) -> Iterator[str]:
    """Values of the same form near the key's, likeliest first; nothing for forms that hold no number."""
    kind = form.split(":")[0]
    if kind in {"quantity", "money"}:
        yield from _near_quantities(key)
    elif kind == "date":
        yield from _near_dates(key)
    elif kind == "time":
        yield from _near_times(key)
    elif kind == "id":
        yield from _near_numbers(key)


def _near_quantities(key: str) -> Iterator[str]:
    match = NUMBER.search(key)
    worded = re.search(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", key, re.IGNORECASE)
    if match is None and worded is not None:
        at = NUMBER_WORDS.index(worded.group().lower())
        # from the second on: 'one weeks' breaks grammar
        others = [NUMBER_WORDS[at + step] for step in (1, -1, 2, 3, -2) if 0 < at + step < len(NUMBER_WORDS)]
        for other in others:
            written = other.capitalize() if worded.group()[0].isupper() else other
            yield key[: worded.start()] + written + key[worded.end() :]
    if match is None:
        return
    share = re.match(r"\s?(?:%|per ?cent)", key[match.end() :]) and float(match.group().replace(",", "")) <= 100
    for value in _near(match.group()):
        if not share or float(value.replace(",", "")) <= 100:
            yield key[: match.start()] + value + key[match.end() :]


def _near(number: str) -> Iterator[str]:
    """Numbers written as this one is written: same decimals, commas, and roundness."""
    value = float(number.replace(",", ""))
    if re.fullmatch(r"(?:19|20)\d\d", number):
        yield from (f"{value + step:.0f}" for step in (1, -1, 2, -2, 3))
        return
    decimals = len(number.partition(".")[2])
    if decimals == 0 and value <= 12:
        steps = [value + step for step in (1, 2, -1, 3, -2, 4) if value + step >= 2]
    else:
        digits = str(int(value))
        # 100 may become 150, 42,000 becomes 52,000: as round as the key, but never rounder than its second digit
        roundness = 10 ** max(0, min(len(digits) - len(digits.rstrip("0")), len(digits) - 2))
        unit = roundness if decimals == 0 and roundness > 1 else 10**-decimals
        factors = (1.5, 0.75, 2.0, 1.25, 0.5, 0.6, 3.0, 1.75)
        steps = [max(unit, round(value * factor / unit) * unit) for factor in factors]
    for step in dict.fromkeys(steps):
        if step != value and not (decimals and step == int(step) and value != int(value)):
            yield (
                f"{step:,.{decimals}f}"
                if "," in number or (step >= 10_000 and decimals == 0)
                else f"{step:.{decimals}f}"
            )


def _near_dates(key: str) -> Iterator[str]:
    year = re.search(r"\b(1[89]|20)\d\d\b", key)
    for step in (1, -1, 2, -2, 3, -3):
        changed = key
        if year:
            changed = changed.replace(year.group(), str(int(year.group()) + step))
        month = next((m for m in MONTHS if m in changed), None)
        if month and step % 2 == 0:
            changed = changed.replace(month, MONTHS[(MONTHS.index(month) + step) % 12])
        day = re.search(r"\b\d{1,2}\b", changed)
        if day and (not year or step % 3 == 0):
            changed = changed[: day.start()] + str((int(day.group()) + 4 * step - 1) % 28 + 1) + changed[day.end() :]
        yield changed


def _near_times(key: str) -> Iterator[str]:
    hour, _, minute = key.partition(":")
    for step in (1, -1, 2, -2):
        yield f"{(int(hour) + step) % 24:02d}:{minute}"


def _near_numbers(key: str) -> Iterator[str]:
    match = re.search(r"\d+$", key)
    if match is None:
        return
    for step in (3, -2, 11, -7, 5):
        value = int(match.group()) + step
        if value > 0:
            yield key[: match.start()] + str(value).zfill(len(match.group()))
