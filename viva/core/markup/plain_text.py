"""Text without marks, and where each of its characters stands in the source."""

from __future__ import annotations

import html
import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

from viva.core.markup.block_reader import Dialect, blocks, open_fence
from viva.core.markup.emphasis import Construct, Delimiters

_TAGS = frozenset(
    "a abbr b bdi bdo big blockquote br caption center cite code dd del details dfn div dl dt em figcaption figure"
    " font h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strike strong sub summary sup"
    " table tbody td tfoot th thead tr tt u ul var".split()
)
"""Tags of prose. Others are kept: `<name>` more often stands for a value than for a tag that nobody knows."""
_WITHIN_WORDS = frozenset(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u"
    " var".split()
)
"""Tags that part no words; of another a blank is left."""

_LINKLESS = re.compile(r"\\[!-/:-@\[-`{-~]|`+|<(?=[A-Za-z/!])|&(?=[#A-Za-z])|\*+|_+")
_MARKS = {
    Dialect.MARKDOWN: re.compile(rf"{_LINKLESS.pattern}|!?\[|\]"),
    Dialect.RESTRUCTURED: re.compile(r"\\[!-/:-@\[-`{-~ ]|`+|\*+"),
}
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]{0,20})(?:\s[^<>]{0,2000})?/?>")
_ADDRESS = re.compile(r"<(?:[a-z][a-z0-9+.-]{1,20}:[^\s<>]{1,2000}|[^\s<>@]{1,100}@[^\s<>@]{1,100})>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TARGET = re.compile(
    r"\(\s{0,9}(?:<[^<>\n]{0,2000}>|[^\s()]{0,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500}){0,9})"
    r"(?:\s{1,9}(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,9}\)"
)
_NAMED_TARGET = re.compile(r"\[[^\[\]\n]{0,200}\]")
_ROLE = re.compile(r":[A-Za-z][\w:.+-]{0,60}:\Z")
_ROLE_REACH = 64
_SUFFIX = re.compile(r"__?(?!\w)")
_BACKTICKS = re.compile("`+")


@dataclass(frozen=True)
class Unmarked:
    """`text` as a reader sees it; its n-th character stands at `places[n]` of the source. Places rise."""

    source: str
    text: str
    places: Sequence[int]
    longer: Mapping[int, int]
    """by place, where what a character stands for ends, if it is more than one: an entity, a tag"""
    constructs: tuple[Construct, ...]
    """links, code and emphasis in the source"""

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]`, which must not be empty, stands in the source."""
        last = self.places[end - 1]
        return self.places[start], self.longer.get(last, last + 1)

    def within(self, start: int, end: int) -> str:
        """What a reader sees of `source[start:end]`."""
        return self.text[bisect_left(self.places, start) : bisect_left(self.places, end)]

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source, longer where it would cut a mark from its partner: so it can be read alone."""
        changed = True
        while changed:
            changed = False
            for opens, inside, outside, closes in self.constructs:
                apart = end <= opens or closes <= start
                between = inside <= start and end <= outside
                if not apart and not between and not (start <= opens and closes <= end):
                    start, end, changed = min(start, opens), max(end, closes), True
        return start, end


@lru_cache(maxsize=256)
def unmarked(text: str, dialect: Dialect, fence: str = "") -> Unmarked:
    """The text without marks: of emphasis, code, links, headings, quotations, tables' rules, entities, tags, escapes.

    Code blocks stay as they are, and so does what only looks like a mark. Linear in the text, whatever it holds.
    `fence` is that of the code block in which the text begins, '' for none.
    """
    found = blocks(text, dialect, fence)
    work = _Work(text, dialect)
    for start, end in found.dropped:
        work.drop(start, end)
    if dialect in _MARKS:
        for start, end in found.paragraphs:
            work.paragraph(start, end)
    return work.done()


def unmarked_part(text: str, start: int, end: int, dialect: Dialect) -> Unmarked:
    """The same of `text[start:end]`, which may begin inside a code block of the text."""
    return unmarked(text[start:end], dialect, open_fence(text, start, dialect))


def plain_line(text: str, dialect: Dialect = Dialect.MARKDOWN) -> str:
    """A heading, a title or other words on one line, without marks."""
    line = " ".join(text.split())
    work = _Work(line, dialect)
    if dialect in _MARKS:
        work.paragraph(0, len(line))
    return " ".join(work.done().text.split())


class _Work:
    """Marks to be dropped, noted one after the other."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._kept = bytearray(b"\x01") * len(text)
        self._instead: dict[int, tuple[int, str]] = {}
        self._constructs: list[Construct] = []

    def drop(self, start: int, end: int) -> None:
        """What stands there is a mark."""
        self._kept[start:end] = bytes(end - start)

    def put(self, start: int, end: int, char: str) -> None:
        """What stands there stands for this character."""
        self.drop(start, end)
        self._kept[start] = 1
        self._instead[start] = end, char

    def done(self) -> Unmarked:
        """The text without what was noted."""
        chars = list(self._text) if self._instead else self._text
        if isinstance(chars, list):
            for place, (_, char) in self._instead.items():
                chars[place] = char
        return Unmarked(
            source=self._text,
            text="".join(compress(chars, self._kept)),
            places=array("L", compress(range(len(self._text)), self._kept)),
            longer={place: end for place, (end, _) in self._instead.items()},
            constructs=tuple(self._constructs),
        )

    def paragraph(self, start: int, end: int) -> None:
        """Note the marks inside a paragraph."""
        text, marks = self._text, _MARKS[self._dialect]
        if text.find("](", start, end) < 0 and text.find("][", start, end) < 0 and self._dialect is Dialect.MARKDOWN:
            marks = _LINKLESS
        self._runs = self._backticks(start, end)
        self._brackets: list[tuple[int, int]] = []
        self._no_comment = False
        pairs: list[Construct] = []
        emphasis = Delimiters(text, pairs)
        place = start
        while (mark := marks.search(text, place, end)) is not None:
            at, sign = mark.start(), mark.group()
            place = mark.end()
            if sign[0] == "\\":
                self._kept[at] = 0
                self._kept[at + 1] = sign[1] != " "
            elif sign[0] == "`":
                place = self._code(at, place)
            elif sign == "<":
                place = self._angle(at, end)
            elif sign == "&":
                place = self._entity(at, end)
            elif sign in {"[", "!["}:
                self._brackets.append((at, place))
            elif sign == "]":
                place = self._link(at, end)
            else:
                emphasis.take(at, place)
        for opens, inside, outside, closes in pairs:
            self.drop(opens, inside)
            self.drop(outside, closes)
        self._constructs += pairs

    def _backticks(self, start: int, end: int) -> dict[int, list[int]]:
        """Where runs of backticks of each length begin, the last first."""
        runs: dict[int, list[int]] = {}
        for run in _BACKTICKS.finditer(self._text, start, end):
            runs.setdefault(run.end() - run.start(), []).append(run.start())
        return {length: places[::-1] for length, places in runs.items()}

    def _code(self, at: int, after: int) -> int:
        """Of code its marks go; the place after it, or after the run where nothing closes it."""
        length = after - at
        places = self._runs.get(length, [])
        while places and places[-1] < after:
            places.pop()
        if not places:
            return after
        closing = places.pop()
        opens, inside, outside, closes = at, after, closing, closing + length
        inner = self._text[inside:outside]
        if self._dialect is Dialect.RESTRUCTURED and length == 1:
            opens, outside, closes = self._role(at, inside, outside, closes)
        elif inner.strip() and inner[0] == inner[-1] == " ":
            inside, outside = inside + 1, outside - 1
        self.drop(opens, inside)
        self.drop(outside, closes)
        self._constructs.append((opens, inside, outside, closes))
        return closes

    def _role(self, at: int, inside: int, outside: int, closes: int) -> tuple[int, int, int]:
        """Where the marks around interpreted text open, leave off and close: roles and targets are among them."""
        text = self._text
        role = _ROLE.search(text, max(0, at - _ROLE_REACH), at)
        target = text.rfind("<", inside + 1, outside) if text[outside - 1] == ">" else -1
        told = text[inside:target].rstrip() if target > 0 else ""
        if told:
            outside = inside + len(told)
        suffix = _SUFFIX.match(text, closes)
        return (role.start() if role else at), outside, suffix.end() if suffix else closes

    def _angle(self, at: int, end: int) -> int:
        text = self._text
        if text.startswith("<!--", at):
            closing = -1 if self._no_comment else text.find("-->", at, end)
            self._no_comment = closing < 0
            if closing >= 0:
                self.drop(at, closing + 3)
                return closing + 3
            return at + 1
        if address := _ADDRESS.match(text, at, end):
            self.drop(at, at + 1)
            self.drop(address.end() - 1, address.end())
            self._constructs.append((at, at + 1, address.end() - 1, address.end()))
            return address.end()
        tag = _TAG.match(text, at, end)
        if tag is None or tag.group(1).lower() not in _TAGS:
            return at + 1
        if tag.group(1).lower() in _WITHIN_WORDS:
            self.drop(at, tag.end())
        else:
            self.put(at, tag.end(), " ")
        return tag.end()

    def _entity(self, at: int, end: int) -> int:
        entity = _ENTITY.match(self._text, at, end)
        told = html.unescape(entity.group()) if entity else ""
        if entity is None or len(told) != 1:
            return at + 1
        self.put(at, entity.end(), told)
        return entity.end()

    def _link(self, at: int, end: int) -> int:
        """A bracket closes: of a link its text stays, of an image what is told instead of it."""
        if not self._brackets:
            return at + 1
        opens, inside = self._brackets.pop()
        target = _TARGET.match(self._text, at + 1, end)
        if target is None and self._is_worded(opens, inside, at):
            target = _NAMED_TARGET.match(self._text, at + 1, end)
        if target is None:
            return at + 1
        self.drop(opens, inside)
        self.drop(at, target.end())
        self._constructs.append((opens, inside, at, target.end()))
        return target.end()

    def _is_worded(self, opens: int, inside: int, at: int) -> bool:
        """Whether brackets before brackets hold words: `rows[i][j]` is no link."""
        before = self._text[opens - 1] if opens else " "
        return at - inside > 1 and not before.isalnum() and before not in "_])"
