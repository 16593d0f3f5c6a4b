"""Wrong values made by rule: near values of a number or date, minimal changes to a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.agents.offline.bank import Bank
from viva.agents.offline.expressions import MONTHS, code_kind
from viva.agents.offline.likeness import NUMBER, NUMBER_WORDS
from viva.core.records import Draft


def near_values(key: str, form: str) -> Iterator[str]:
    """Values of the same form near the key's, likeliest first; nothing for forms that hold no number."""
    kind = form.split(":")[0]
    if kind in {"quantity", "interval", "money", "number"}:
        yield from _near_quantities(key)
    elif kind == "date":
        yield from _near_dates(key)
    elif kind == "version":
        yield from _near_versions(key)
    elif kind == "time":
        yield from _near_times(key)
    elif kind == "id":
        yield from _near_numbers(key)


def _near_quantities(key: str) -> Iterator[str]:
    match = NUMBER.search(key)
    if match is None:
        found = next((w for w in NUMBER_WORDS if re.search(rf"\b{w}\b", key, re.IGNORECASE)), None)
        if found is not None:
            at = NUMBER_WORDS.index(found)
            for step in (1, -1, 2, 3, -2):
                if 0 <= at + step < len(NUMBER_WORDS):
                    yield _exchanged(key, found, NUMBER_WORDS[at + step])
        return
    share = re.match(r"\s?(?:%|per ?cent)", key[match.end() :]) and float(match.group().replace(",", "")) <= 100
    for value in _near(match.group()):
        if not share or float(value.replace(",", "")) <= 100:
            yield key[: match.start()] + value + key[match.end() :]


def _exchanged(key: str, word: str, other: str) -> str:
    """The key with a number word exchanged, in the same case."""
    return re.sub(
        rf"\b{word}\b",
        lambda m: other.capitalize() if m.group()[0].isupper() else other,
        key,
        count=1,
        flags=re.IGNORECASE,
    )


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


def _near_versions(key: str) -> Iterator[str]:
    match = re.search(r"(\d+)(?:\.(\d+))?$", key)
    if match is None:
        return
    for step in (1, -1, 2, -2, 3):
        last = int(match.group(2) or match.group(1)) + step
        if last >= 0:
            yield key[: match.start()] + (f"{match.group(1)}.{last}" if match.group(2) else str(last))


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


def swapped(draft: Draft, bank: Bank) -> Iterator[str]:
    """The key, if it is a clause, with its one identifier or number exchanged for another of the same form."""
    if draft.answer_form.split(":")[0] not in {"clause", "object", "definition", "use"} or len(draft.key.split()) < 4:
        return
    yield from _other_numbers(draft.key)
    for word in draft.key.split():
        kind = code_kind(word.strip(".,"))
        if kind in {"exception", "function", "dunder"} or (kind == "constant" and "_" in word):
            for candidate in bank.candidates.get(f"code:{kind}", ())[:6]:
                yield draft.key.replace(word.strip(".,"), candidate.text)


# 'type 2' and 'step 4' are names; 'at least 2 minutes' is an amount
_COUNTS = re.compile(
    r"(?:^|\b(?:of|to|than|least|most|about|every|within|over|under|between|and|or|is|are|for|after|in|a)\s)$"
)


def _other_numbers(key: str) -> Iterator[str]:
    """The key with each of its (at most three) plain numbers exchanged for a near one."""
    plain = [
        m for m in NUMBER.finditer(key) if _COUNTS.search(key[: m.start()]) and key[m.end() : m.end() + 1] == " "
    ]
    if not 1 <= len(plain) <= 3 or any(re.match(r"[\w]", key[m.end() : m.end() + 1]) for m in plain):
        return
    for step in range(3):
        changed = key
        for match in reversed(plain):
            values = list(_near(match.group()))
            if len(values) > step:
                changed = changed[: match.start()] + values[step] + changed[match.end() :]
        values_of = [float(m.group().replace(",", "")) for m in NUMBER.finditer(changed)]
        own = [float(m.group().replace(",", "")) for m in plain]
        # 'from 1 to 3' may become 'from 2 to 4', never 'from 4 to 2'
        if (sorted(own) == own) == (sorted(values_of) == values_of):
            yield changed
