"""Forms of answers: which belong together, near values of a number or date, minimal changes to a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.agents.offline.bank import Bank
from viva.agents.offline.expressions import MONTHS, code_kind
from viva.core.records import Draft

FAMILIES = frozenset({"object", "definition", "clause", "use", "place", "term", "code"})
"""Families of forms whose members may borrow options from one another, given like shape."""

_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_OPENINGS = (
    "it",
    "they",
    "because",
    "to",
    "so that",
    "when",
    "before",
    "after",
    "until",
    "if",
    "unless",
    "once",
    "a",
    "an",
    "the",
)


def shape(text: str) -> str:
    """How an option opens, and whether it is one word or several: options must be alike in it."""
    lowered = text.lower()
    opening = next((o for o in _OPENINGS if lowered.startswith(o + " ")), "")
    if opening in {"a", "an", "the"}:
        opening = ""
    if text[:1].isdigit():
        opening = "0"
    words = len(text.split())
    size = "word" if words == 1 else "words"
    kind = code_kind(text) if words == 1 else None
    return f"{opening}|{size}|{kind if kind in {'function', 'exception', 'dunder', 'option'} else ''}"


def size(text: str, form: str) -> float:
    """What a test-wise reader would compare options by: a number's value, a year, else the length of the text."""
    kind = form.split(":")[0]
    numbers = [float(m.group().replace(",", "")) for m in _NUMBER.finditer(text)]
    if kind == "date":
        year = next((n for n in numbers if n >= 1800), 0.0)
        month = next((n for n, name in enumerate(MONTHS) if name in text), 0)
        return year * 12 + month
    if kind in {"quantity", "interval", "money", "number", "time", "version"}:
        if numbers:
            return numbers[0]
        return next(
            (float(n) for n, word in enumerate(_WORDS, start=1) if re.search(rf"\b{word}\b", text, re.IGNORECASE)),
            0.0,
        )
    return float(len(text))


def reshaped(option: str, key: str, form: str) -> str:
    """The option with the key's capital or lack of it; a quantity with the key's own wording of the unit."""
    if is_quantity(form):
        return _with_unit_of(option, key)
    if not option or not key or code_kind(option.split(" ")[0].rstrip(",")) not in {"word", "class", None}:
        return option
    first = option.split(" ")[0]
    if key[0].isupper() and first.islower() and first.isalpha() and len(option.split()) > 1:
        return option[0].upper() + option[1:]
    return option


def is_quantity(form: str) -> bool:
    """Whether the form is a number with a unit."""
    return form.split(":")[0] in {"quantity", "interval"}


def _with_unit_of(option: str, key: str) -> str:
    mine, theirs = _NUMBER.search(option), _NUMBER.search(key)
    if mine is None or theirs is None:
        return option
    return key[: theirs.start()] + mine.group() + key[theirs.end() :]


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
    match = _NUMBER.search(key)
    if match is None:
        found = next((w for w in _WORDS if re.search(rf"\b{w}\b", key, re.IGNORECASE)), None)
        if found is not None:
            at = _WORDS.index(found)
            for step in (1, -1, 2, 3, -2):
                if 1 <= at + step < len(_WORDS):
                    yield _exchanged(key, found, _WORDS[at + step])
        return
    for value in _near(match.group()):
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
        factors = (1.5, 0.75, 2.0, 1.25, 0.5, 3.0, 4.0, 5.0)
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


def _other_numbers(key: str) -> Iterator[str]:
    """The key with each of its (at most three) plain numbers exchanged for a near one."""
    plain = [m for m in _NUMBER.finditer(key) if not re.search(r"[\w.]$", key[: m.start()])]
    if not 1 <= len(plain) <= 3 or any(re.match(r"[\w]", key[m.end() : m.end() + 1]) for m in plain):
        return
    for step in range(3):
        changed = key
        for match in reversed(plain):
            values = list(_near(match.group()))
            if len(values) > step:
                changed = changed[: match.start()] + values[step] + changed[match.end() :]
        values_of = [float(m.group().replace(",", "")) for m in _NUMBER.finditer(changed)]
        own = [float(m.group().replace(",", "")) for m in plain]
        # 'from 1 to 3' may become 'from 2 to 4', never 'from 4 to 2'
        if (sorted(own) == own) == (sorted(values_of) == values_of):
            yield changed
