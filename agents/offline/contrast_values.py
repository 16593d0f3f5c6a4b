"""A number of a statement exchanged for one so far off that nobody could take it for the other rounded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viva.core.ids import rng

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_UNITS = (
    r"years?|months?|weeks?|days?|hours?|minutes?|seconds?|milliseconds?|feet|foot|inch(?:es)?"
    r"|miles?|met(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|kilomet(?:er|re)s?|pounds?|ounces?|grams?|milligrams?"
    r"|kilograms?|lit(?:er|re)s?|gallons?|cups?|quarts?|calories|bits?|bytes?|kilobytes?|megabytes?|characters?"
    r"|degrees|beats|breaths|times|genes?|chromosomes?"
)
_COUNTED = (
    r"types|kinds|stages|phases|forms|groups|categories|parts|layers|lobes|chambers|pairs|components|levels|sections"
    r"|glands|valves|factors|dimensions|steps|classes|subtypes|functions|divisions|bones|muscles|cells|organs"
)
_MEASURED = re.compile(rf"(?<![\w.,-])(\d[\d,]*)(?: (?:{_UNITS})\b(?! (?:later|earlier|ago)))")
_AGED = re.compile(r"\b(?:age|ages) (\d\d)\b(?! (?:to|and|or|through))")
_COUNT = re.compile(
    rf"\b(two|three|four|five|six|seven|eight|nine|ten|twelve) (?:(?:main|major|basic|distinct|broad|primary) )?"
    rf"(?:[a-z]+ )?(?:{_COUNTED})\b"
)
_NUMBER = re.compile(
    rf"(?<![\w.,-])\d[\d,.]*\d|(?<![\w.,-])\d|\b(?:{'|'.join(_WORDS[1:])}|half|third|quarter|dozen|hundred|thousand"
    r"|million|billion|once|twice)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:type|stage|class|grade|level|phase|step|version|part|chapter|figure|table) \d|\d-\w|\w-\d")
_BOUNDED = re.compile(
    r"\b(?:than|least|most|up to|over|under|within|to|between|from|every|nearly|almost|by|and|or|below|above|past"
    r"|first|last|next|per|until|beyond|a further|every|after|before|older|younger|since)"
    r" (?:about |approximately |around )?(?:age |ages |the age of )?$",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"\bor (?:more|longer|older|less|fewer|later|earlier|so)\b")
_FACTORS = (0.3, 3.0)
_FAR = 30
"""Years of an age."""


def other_values(text: str) -> Iterator[tuple[str, str]]:
    """(statement, what was exchanged): the only number of the text exchanged for another of its kind, if it is plain.

    A number that bounds ("more than 5"), or stands in a name ("type 2"), is left alone.
    """
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1 or _NAMED.search(text) or _OR_MORE.search(text):
        return
    for pattern, name in ((_MEASURED, "amount"), (_AGED, "age"), (_COUNT, "count")):
        found = pattern.search(text)
        # 'X and Y are the two types': the number can be counted
        if found is None or (name == "count" and " and " in text) or _BOUNDED.search(text[: found.start(1)]):
            continue
        other = _other(found[1], found[0], text)
        if other:
            yield text[: found.start(1)] + other + text[found.end(1) :], name
            return


def _other(said: str, whole: str, text: str) -> str:
    draw = rng(0, "value", text)
    if said in _WORDS:
        at = _WORDS.index(said)
        return _WORDS[draw.choice([n for n in range(2, 9) if abs(n - at) > 1])]
    value = int(said.replace(",", ""))
    if whole.startswith("age"):
        return str(value - _FAR if value >= 2 * _FAR else value + _FAR)
    if value < 2:
        return ""
    factor = draw.choice(_FACTORS) if value > 6 else _FACTORS[1]
    other = round(value * factor)
    step = 10 ** max(0, len(str(other)) - 2)
    round_like = step if value % 5 else max(step, 5)
    other = max(2, round(other / round_like) * round_like)
    return f"{other:,}" if "," in said else str(other)
