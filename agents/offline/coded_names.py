"""What a code names, where documents list codes with their names: 'CWE-384: Session Fixation', '## API4:2023 ...'.

The names that other codes of the series have are the wrong options: each names something else, whatever a reader
knows of the subject. Only whole lines are read (entries of lists, headings): in running text nobody marks where a
name ends.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from viva.agents.offline.embedding import Embed
from viva.agents.offline.words import roots
from viva.agents.rules.options import options_defect
from viva.core.ids import rng
from viva.metrics.cosines import cosines

_LINE = re.compile(
    r"^[ \t]*(?:[-*+•·]|#{1,6})[ \t]*(?:\*\*|__|\[|`)*"
    r"(?P<code>[A-Z]{2,5}(?: SP)?[ ‑-]?\d[\dA-Z‑-]*(?::\d{4})?|[A-Z]\d{1,2}:\d{4})"
    r"(?:\]\([^()\s]*\))?[`*]*(?:[ \t]*[:–—‑-][ \t]*|,?[ \t]+)"
    r"(?P<name>[A-Z][^\n()\[\]|;:*]{2,80}?)"
    r"[ \t]*(?:\([^()\n]*\)[ \t]*)?(?:\]|\*\*|;|[ \t][–—][ \t](?![A-Z])|$)",
    re.MULTILINE,
)
_GOES_ON = re.compile(r"[ \t]*\n[ \t]*[A-Za-z(]")
"""The line after it is neither empty nor an entry: the name may have been broken in two."""
_SMALL = frozenset("a an and as at by for from in into of on or per the to via with within without & /".split())
_ISSUED = frozenset("RFC NIST FIPS ISO IEC EN DIN ITU IEEE ANSI BSI SP STD BCP".split())
"""Series of documents: these have titles."""
_NO_NAME = re.compile(r"(?:Revision|Part|Section|Chapter|Version|Table|Level|Appendix|Draft|Edition)\b")
_MOST_WORDS = 10
_SERIES = 6
"""Names that a series must have for the question to ask for more than the rest of a list."""
_LARGEST = 500
"""Names of a series that are looked at."""
_OTHERS = 3
_ALIKE = 0.7
"""Share of the words of the shorter name from which on two names are read as one."""
_NEAREST = 8
"""Names of the series that are nearest to the key, of which the wrong options are drawn."""


@dataclass(frozen=True)
class CodedName:
    """`code` has `name`, as the characters [start, end) of a document say it."""

    code: str
    name: str
    document_id: str
    chunk_id: str
    start: int
    end: int

    @property
    def series(self) -> str:
        """What its code has in common with others: CWE, RFC, A of 2017."""
        year = re.search(r":\d{4}$", self.code)
        return re.split(r"[\d ‑-]", self.code, maxsplit=1)[0] + (year.group() if year else "")

    @property
    def stem(self) -> str:
        """The question that the name answers."""
        return f"What is the {'title' if self.series in _ISSUED else 'name'} of {self.code}?"

    @property
    def statement(self) -> str:
        """What the document says."""
        return f"{self.code}: {self.name}"


def code_in(stem: str) -> str:
    """The code that a question asks about; '' where it asks about none."""
    found = re.fullmatch(r"What is the (?:name|title) of (\S.*)\?", stem)
    return found[1] if found else ""


@lru_cache(maxsize=8)
def coded(text: str) -> tuple[tuple[str, str, int, int], ...]:
    """(code, name, start, end) of each line that says what a code names, in order.

    Remembered for a few texts: every chunk of a document asks for it.
    """
    return tuple(_coded(text))


def _coded(text: str) -> Iterator[tuple[str, str, int, int]]:
    for match in _LINE.finditer(text):
        name = match["name"].rstrip(" .,:`_-–—")
        words = re.findall(r"\S+", name)
        if match.group().endswith(name) and _GOES_ON.match(text, match.end()):
            continue
        if _NO_NAME.match(name):
            continue
        if 0 < len(words) <= _MOST_WORDS and all(map(_is_capital, words)) and words[-1].lower() not in _SMALL:
            yield match["code"], name, match.start("code"), match.start("name") + len(name)


def _is_capital(word: str) -> bool:
    return word.lower() in _SMALL or word[:1].isupper() or word[:1].isdigit()


def with_one_name(found: Iterable[CodedName]) -> list[CodedName]:
    """The first mention of each code that has one name, which no other code of its series has, in order."""
    names: dict[str, dict[frozenset[str], CodedName]] = defaultdict(dict)
    for one in found:
        names[_folded(one.code)].setdefault(frozenset(roots(one.name)), one)
    single = [next(iter(by_name.values())) for by_name in names.values() if len(by_name) == 1]
    codes: dict[tuple[str, frozenset[str]], int] = defaultdict(int)
    for one in single:
        codes[one.series, frozenset(roots(one.name))] += 1
    return [one for one in single if codes[one.series, frozenset(roots(one.name))] == 1]


def _folded(code: str) -> str:
    return re.sub(r"[ ‑-]", "", re.sub(r"^([A-Z]+) [A-Z]+(?= ?\d)", r"\1", code))  # 'NIST 800-63', 'NIST SP 800-63'


def named_beside(known: Sequence[CodedName], embed: Embed) -> dict[str, tuple[CodedName, ...]]:
    """By code: three others of its series whose names are near in meaning; codes of short series are left out."""
    series: dict[str, list[CodedName]] = defaultdict(list)
    for one in known:
        series[one.series].append(one)
    found: dict[str, tuple[CodedName, ...]] = {}
    for members in series.values():
        held = members[:_LARGEST]
        if len(held) < _SERIES:
            continue
        rows = embed([one.name for one in held])
        by_nearness = np.argsort(-cosines(rows, rows), axis=1, kind="stable").tolist()
        for n, one in enumerate(held):
            near = [held[m] for m in by_nearness[n] if m != n]
            chosen = _chosen(one, [other for other in near if _is_apart(one, other)][:_NEAREST])
            if chosen:
                found[one.code] = chosen
    return found


def _is_apart(one: CodedName, other: CodedName) -> bool:
    """Whether neither name says most of what the other says."""
    mine, theirs = roots(one.name), roots(other.name)
    return len(mine & theirs) < _ALIKE * min(len(mine), len(theirs))


def _chosen(one: CodedName, near: Sequence[CodedName]) -> tuple[CodedName, ...]:
    """Three of the near ones, drawn so that the key is not the one that all are near to."""
    sets = list(combinations(near, _OTHERS))
    rng(0, "coded", one.code).shuffle(sets)
    fits = (
        three
        for three in sets
        if all(_is_apart(a, b) for a, b in combinations(three, 2))
        and options_defect(one.stem, one.name, [other.name for other in three], "en") is None
    )
    return next(fits, ())
