"""Labels as people write them, brought to 0 to 1: numbers with points or commas, percentages, words and signs."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from viva.core.errors import UsageError
from viva.optimizers.labelled_rows import LabelledRow, LabelTable

_GOOD = (
    "true|yes|y|right|correct|pass|passed|good|accept|accepted|approved|ok|okay|supported|relevant|faithful|answerable"
    "|grounded|attributable|helpful|thumbs up|thumbsup|upvote|like|👍|✅|✓|✔|☑|ja|richtig|korrekt|wahr|oui|vrai|juste"
    "|si|sí|correcto|verdadero"
)
_BAD = (
    "false|no|n|wrong|incorrect|not correct|fail|failed|bad|reject|rejected|not ok|unsupported|not supported"
    "|irrelevant|not relevant|unfaithful|not faithful|unanswerable|not answerable|ungrounded|not grounded"
    "|not attributable|unhelpful|not helpful|thumbs down|thumbsdown|downvote|dislike|👎|❌|✗|✘|nein|falsch|inkorrekt"
    "|non|faux|incorrecto|falso"
)
_HALF = "partial|partially|partly|partially correct|partly correct|partly right|teilweise|teilweise richtig"
WORDS: Mapping[str, float] = {
    word: value for words, value in ((_GOOD, 1.0), (_BAD, 0.0), (_HALF, 0.5)) for word in words.split("|")
}
"""What is known without --labels; the two ends of every range, and its middle."""
NONE = frozenset({"", "na", "n/a", "nan", "none", "null", "-", "–"})
# a number with at least one mark: which of the two marks is the decimal one depends on the column
_MARKED = re.compile(r"[+-]?([.,\d]*[.,]\d+)")
_TOPS = (1, 2, 3, 4, 5, 6, 7, 10, 20, 100)
_LONGEST = 1e9
_SHOWN = 5
_LONGEST_SHOWN = 60


@dataclass
class LabelReader:
    """Reads the labels of a file. `words` says what labels mean on the range; `known` collects other words met."""

    path: Path
    low: float
    high: float
    words: Mapping[str, float]
    comma: bool
    seen: tuple[float, float] | None
    unknown: Sequence[str]
    known: dict[str, float] = field(default_factory=dict)

    def read(self, row: LabelledRow, column: str) -> float | None:
        """The label of a row, 0 to 1, or None where there is none. UsageError, by place, for what is no label."""
        cell = row.cells.get(column)
        label = word(cell)
        if label in self.words:
            return self._scaled(row, self.words[label])
        if label in NONE:
            return None
        if label in WORDS:
            if isinstance(cell, str):
                self.known[label] = WORDS[label]
            return WORDS[label]
        value, share = number(cell, comma=self.comma)
        if value is None:
            raise self._no_label(row, column, cell)
        if share and not 0 <= value <= 100:
            raise UsageError(
                f"{row.place} of {self.path}: the label {value:g}% lies outside 0% to 100%.",
                next_step="Correct it, or leave the cell empty.",
            )
        return self._scaled(row, value / 100 * (self.high - self.low) + self.low if share else value)

    def _scaled(self, row: LabelledRow, value: float) -> float:
        if self.low <= value <= self.high:
            return (value - self.low) / (self.high - self.low)
        raise UsageError(
            f"{row.place} of {self.path}: the label {value:g} lies outside {self.low:g} to {self.high:g}.",
            next_step=f"Say which range the labels have: {_ranges(*(self.seen or (value, value)))}",
        )

    def _no_label(self, row: LabelledRow, column: str, cell: JsonValue) -> UsageError:
        short = [each for each in self.unknown if len(each) <= _LONGEST_SHOWN]
        named = ",".join(f"{each.replace(',', ',,')}=NUMBER" for each in short[:_SHOWN])
        label = json.dumps(cell if isinstance(cell, str) else word(cell), ensure_ascii=False)[:_LONGEST_SHOWN]
        return UsageError(
            f"{row.place} of {self.path}: the label in {column} is {label}.",
            allowed="A number, a percentage, a word such as yes, no, right, wrong, pass, fail, or nothing where "
            "there is no label.",
            next_step=f'Say what words mean: --labels "{named or "attributable=1,not attributable=0"}"',
        )


def label_reader(
    path: Path,
    table: LabelTable,
    columns: Sequence[str],
    label_range: tuple[float, float],
    words: Mapping[str, float],
) -> LabelReader:
    """A reader of these columns. UsageError where it is unclear which is the decimal mark, or words are nowhere."""
    low, high = label_range
    known = {word(name): value for name, value in words.items()}
    cells = [(row.place, row.cells.get(column)) for row in table.rows for column in columns]
    _check_words(path, [cell for _, cell in cells], columns, words)
    left = [(place, cell) for place, cell in cells if word(cell) not in known.keys() | NONE | WORDS.keys()]
    comma = _has_decimal_comma(path, left, semicolons=table.delimiter == ";")
    read = {word(cell): number(cell, comma=comma) for _, cell in left}
    plain = [value for value, share in read.values() if value is not None and not share]
    unknown = [label for label, (value, _) in read.items() if value is None]
    seen = (min(plain), max(plain)) if plain else None
    return LabelReader(path, low, high, known, comma, seen, unknown)


def is_label(cell: JsonValue) -> bool:
    """Whether a cell may hold a label that needs no explanation, or nothing."""
    label = word(cell)
    return label in NONE or label in WORDS or any(number(cell, comma=comma)[0] is not None for comma in (False, True))


def word(cell: JsonValue) -> str:
    """A label as --labels may name it, whatever kind of file it is in."""
    if isinstance(cell, dict | list):
        return "[...]"
    if not isinstance(cell, str):
        return json.dumps(cell).casefold()
    # signs come with variants of colour and style
    bare = re.sub("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]", "", cell)
    return " ".join(bare.replace("_", " ").split()).casefold()


def number(cell: JsonValue, *, comma: bool) -> tuple[float | None, bool]:
    """The number of a cell and whether it is a percentage. None for what is no finite number.

    `comma`: the decimal mark is a comma, and points separate thousands.
    """
    if not isinstance(cell, str):
        value = float(cell) if isinstance(cell, int | float) and abs(cell) < 1e300 else math.nan
        return (value if math.isfinite(value) else None), False
    text = _bare(cell)
    share = text.endswith("%")
    text = text.rstrip("%").rstrip()
    decimal, thousands = (",", ".") if comma else (".", ",")
    if thousands in text and not re.fullmatch(rf"[+-]?\d{{1,3}}(\{thousands}\d{{3}})+(\{decimal}\d+)?", text):
        return None, share
    try:
        value = float(text.replace(thousands, "").replace(decimal, "."))
    except ValueError:
        return None, share
    return (value if math.isfinite(value) else None), share


def _bare(cell: str) -> str:
    return unicodedata.normalize("NFKC", cell).replace("−", "-").strip()


def _has_decimal_comma(path: Path, cells: Iterable[tuple[str, JsonValue]], *, semicolons: bool) -> bool:
    """Whether commas are the decimal mark, decided by all labels together.

    A comma before other than three digits, or after a sole 0, is decimal; so is a point. Where every comma is before
    three digits, it is decimal if semicolons separate the cells (they do so because the comma has another use) and
    otherwise unclear: UsageError. So are labels of both kinds.
    """
    first = dict[str, tuple[str, str]]()
    for place, cell in cells:
        text = _bare(cell).rstrip("%").rstrip() if isinstance(cell, str) else ""
        if match := _MARKED.fullmatch(text):
            first.setdefault(_mark(match[1]), (place, text))
    if "," in first and "." in first:
        (place, text), (other, point) = first[","], first["."]
        raise UsageError(
            f"{place} of {path}: the label “{text}” has a decimal comma, and “{point}” in {other} a decimal point.",
            next_step="Write all labels in one way.",
        )
    if "?" in first and "," not in first and "." not in first and not semicolons:
        place, text = first["?"]
        raise UsageError(
            f"{place} of {path}: the label “{text}” may be {text.replace(',', '')} or {text.replace(',', '.')}, and "
            "no other label shows which.",
            next_step=f'Write it with a point, or say what it means: --labels "{text.replace(",", ",,")}=1"',
        )
    return "," in first or ("?" in first and "." not in first)


def _mark(text: str) -> str:
    """The decimal mark that a number shows; "?" for `1,000`, "" for `1.000`, which is 1 unless others have commas."""
    last = "," if text.rfind(",") > text.rfind(".") else "."
    whole, _, digits = text.rpartition(last)
    other = "." if last == "," else ","
    if other in whole or (last not in whole and (len(digits) != 3 or whole in {"", "0"} or len(whole) > 3)):
        return last
    if last in whole:
        return other
    return "?" if last == "," else ""


def _check_words(path: Path, cells: Sequence[JsonValue], columns: Sequence[str], words: Mapping[str, float]) -> None:
    """UsageError for a word that is no label here, where some labels have no word: it was to be one of those."""
    there = {*map(word, cells)}
    known = {word(name): name for name in words}
    unused, unnamed = sorted(known.keys() - there), sorted(there - known.keys() - NONE)
    if unused and unnamed:
        raise UsageError(
            f"--labels names {known[unused[0]]!r}, and no row of {path} has this label.",
            allowed=f"Labels in {', '.join(columns)} that it does not name: "
            f"{', '.join(each[:_LONGEST_SHOWN] for each in unnamed[:_SHOWN])}.",
            next_step="Name labels as the file has them, or leave the word out.",
        )


def _ranges(least: float, most: float) -> str:
    """The options that give labels from `least` to `most` a range."""
    most = max(most, -least)
    top = next((each for each in _TOPS if each >= most), f"{most:g}" if most > _LONGEST else math.ceil(most))
    if least < 0:
        return f"--label-range -{top}..{top}"
    if least >= 1 and most > 1:
        return f"--label-range 1-{top} if 1 is the lowest grade, --label-range 0-{top} if 0 is"
    return f"--label-range 0-{top}"
