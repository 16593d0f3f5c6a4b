"""What is written into the files of the test set: eight kinds of documents, and what a reader must find in each."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

KINDS = ("manual", "prices", "faq", "minutes", "rules", "study", "notice", "register")
"""The same eight kinds in each type of file."""
_WHO = "The warden|Each skipper|A visiting crew|The night clerk|Every tenant|The pilot of the day".split("|")
_DOES = "reports|returns|inspects|signs for|closes|prepares|counts".split("|")
_WHAT = "the spare winch|both fuel cocks|the berth list|an emptied locker|the tide board|two mooring lines".split("|")
_WHEN = (
    "before {n} boats have left|within {n} minutes of mooring|once {n} litres are used|"
    "by {n} o'clock of the harbour clock"
).split("|")
_WHERE = "at quay {n}|in shed number {n}|beside lamp {n}|near the old gate {n}".split("|")
_WORDS = (
    "beacon capstan dredger eyelet fender galley hawser inlet jetty keelson lantern marl netting oakum pontoon "
    "reef spar thole"
).split()
Span = tuple[str, str]
"""Words, and how they are set: "", bold, italic, link, struck, hidden, power, mark (of a note)."""


@dataclass
class WrittenTable:
    """Rows of cells, the header first. In `spans` the columns and rows that a cell covers, by its row and column."""

    rows: list[list[str]]
    title: str = ""
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def covered(self) -> set[tuple[int, int]]:
        """Places that a merged cell covers besides its own."""
        return {
            (row + down, column + right)
            for (row, column), (columns, rows) in self.spans.items()
            for down in range(rows)
            for right in range(columns)
            if down or right
        }


@dataclass
class Block:
    """A heading, a paragraph, an item, an aside, a table, a note, code, or what a page repeats (furniture)."""

    kind: str
    spans: list[Span] = field(default_factory=list)
    level: int = 1
    table: WrittenTable | None = None

    @property
    def text(self) -> str:
        """The words that a reader must find, without those struck out or hidden."""
        shown = (f"^{words}" if how == "power" else words for words, how in self.spans if how not in _UNSEEN)
        return "".join(shown)


_UNSEEN = frozenset(("struck", "hidden", "mark"))


@dataclass
class Wanted:
    """What must be found of a file: sentences in order, others anywhere, cells; and what must not."""

    sentences: list[str]
    anywhere: list[str]
    tables: list[list[list[str]]]
    furniture: list[str]


def wanted_of(blocks: Sequence[Block], *, furniture: Sequence[str] = (), anywhere: Sequence[str] = ()) -> Wanted:
    """The truth about a file that shows these blocks, with what its type adds."""
    ordered = [block.text for block in blocks if block.kind not in {"table", "note", "running"}]
    tables = [block.table for block in blocks if block.table is not None]
    return Wanted(
        sentences=[sentence for text in ordered for sentence in re.split(r"(?<=[.?!]) ", text)],
        anywhere=[
            *anywhere,
            *(block.text for block in blocks if block.kind == "note"),
            *(table.title for table in tables if table.title),
        ],
        tables=[table.rows for table in tables],
        furniture=[
            *furniture,
            *(words.strip() for block in blocks for words, how in block.spans if how in {"struck", "hidden"}),
        ],
    )


class Draw:
    """Draws sentences and tables of one document; none comes twice."""

    series = ""
    """Another name gives another test set of the same kinds."""

    def __init__(self, name: str) -> None:
        self._random = random.Random(f"{self.series}readers {name}")
        self._used: set[str] = set()

    def number(self, low: int = 11, high: int = 989) -> int:
        """A number between these."""
        return self._random.randint(low, high)

    def pick(self, options: Sequence[str]) -> str:
        """One of the options."""
        return self._random.choice(options)

    def sentence(self) -> str:
        """A sentence that the document does not hold yet."""
        while True:
            when, where = (self.pick(each).format(n=self.number()) for each in (_WHEN, _WHERE))
            start = f"{self.pick(_WHO)} {self.pick(_DOES)} {self.pick(_WHAT)}"
            text = f"{start} {self.pick((when, where))}{self.pick(('', f', not {where}'))}."
            if text not in self._used:
                self._used.add(text)
                return text

    def paragraph(self, sentences: int = 3) -> Block:
        """A paragraph of plain sentences."""
        return Block("p", [(" ".join(self.sentence() for _ in range(sentences)), "")])

    def heading(self, level: int = 2) -> Block:
        """A heading of three words."""
        words = self._random.sample(_WORDS, 3)
        return Block("h", [(f"{' '.join(words).capitalize()} {self.number()}", "")], level)

    def items(self, count: int, deepest: int = 3) -> Iterator[Block]:
        """Items of a nested list."""
        level = 1
        for _ in range(count):
            yield Block("li", [(self.sentence(), "")], level)
            level = self._random.randint(1, min(level + 1, deepest))

    def table(self, rows: int, columns: int, *, empty: float = 0.0, title: str = "") -> WrittenTable:
        """A header of words, rows that begin with a name; this share of the other cells is empty."""
        header = ["Item", *(f"{self.pick(_WORDS)} {mark}" for mark in "ABCDEFGH"[: columns - 1])]
        body = [
            [f"{self.pick(_WORDS)}-{self.number()}", *(self._cell(empty) for _ in range(columns - 1))]
            for _ in range(rows)
        ]
        return WrittenTable([header, *body], title)

    def _cell(self, empty: float) -> str:
        if self._random.random() < empty:
            return ""
        return self.pick(
            (
                f"{self.number()} kg",
                f"{self.number()},50",
                f"{self.pick(_WORDS)} {self.number()}",
                "no",
                f"-{self.number()}",
            )
        )


def blocks_of(kind: str, draw: Draw) -> list[Block]:
    """The document of a kind."""
    return [Block("h", [(f"Handbook of the {kind} {draw.number()}", "")], 1), *_BODIES[kind](draw)]


def _table(table: WrittenTable) -> Block:
    return Block("table", table=table)


def _manual(draw: Draw) -> Iterator[Block]:
    """Sections with nested lists, warnings, code and a table with empty cells."""
    for part in range(4):
        yield draw.heading()
        yield draw.paragraph(4)
        yield Block("aside", [(f"Warning: never open valve {draw.number()} under load.", "")])
        yield from draw.items(5)
        if part == 1:
            yield _table(draw.table(8, 4, empty=0.3))
    yield Block("code", [("pump --start 7", "")])
    yield draw.paragraph(2)


def _prices(draw: Draw) -> Iterator[Block]:
    """A long table whose rows are grouped by merged cells, and prices that are no longer valid."""
    table = draw.table(24, 5)
    for row in range(1, 25):
        table.rows[row][0] = table.rows[row - (row - 1) % 4][0]
    table.spans = {(row, 0): (1, 4) for row in range(1, 25, 4)}
    yield draw.paragraph(2)
    yield _table(table)
    old, new = draw.number(100, 499), draw.number(500, 900)
    yield Block(
        "p", [("A berth for the night costs ", ""), (f"{old} crowns ", "struck"), (f"{new} crowns in all.", "")]
    )
    yield Block(
        "p", [("The deposit stays at the office.", ""), (f" Draft remark {draw.number()} to the editor.", "hidden")]
    )
    yield draw.paragraph(5)


def _faq(draw: Draw) -> Iterator[Block]:
    """Questions as headings, short answers, links in them."""
    for _ in range(9):
        yield Block("h", [(f"How long may {draw.pick(_WHAT)} stay at berth {draw.number()}?", "")], 3)
        yield Block(
            "p",
            [
                ("The answer is in ", ""),
                (f"rule {draw.number()}", "link"),
                (f" for berth {draw.number()}. {draw.sentence()}", ""),
            ],
        )
    yield _table(draw.table(5, 3, empty=0.2))


def _minutes(draw: Draw) -> Iterator[Block]:
    """Names with accents, values set in bold, text from right to left where the type holds it."""
    for name in ("Çelik", "Ångström", "Núñez", "Müller", "Öztürk"):
        yield draw.heading(3)
        yield Block(
            "p",
            [(f"{name} asked for ", ""), (f"{draw.number()} days", "bold"), (f" of leave. {draw.sentence()}", "")],
        )
        yield Block("p", [(draw.sentence(), "italic")])
    yield Block("rtl", [(f"تغلق البوابة عند الساعة {draw.number(10, 23)} في الشتاء.", "")])
    yield Block("rtl", [(f"השער נסגר בשעה {draw.number(10, 23)} בחורף.", "")])
    for _ in range(5):
        yield draw.paragraph(6)


def _rules(draw: Draw) -> Iterator[Block]:
    """Numbered sections with notes behind figures."""
    for number in range(1, 6):
        yield draw.heading(2)
        fee = draw.number()
        yield Block(
            "p",
            [(f"Stay {number} costs {fee}", ""), (str(number), "mark"), (f" crowns a night. {draw.sentence()}", "")],
        )
        yield draw.paragraph(3)
    for number in range(1, 6):
        yield Block("note", [(f"In winter stay {number} is free for {draw.number()} crews.", "")], number)


def _study(draw: Draw) -> Iterator[Block]:
    """Powers and units, two columns where pages are printed, a merged header."""
    for part in range(9):
        yield draw.heading()
        yield Block(
            "p",
            [
                (f"The basin holds {draw.number()} times 10", ""),
                (str(draw.number(3, 8)), "power"),
                (f" litres on {draw.number()} m", ""),
                ("2", "power"),
                (f" of ground. {draw.sentence()} {draw.sentence()}", ""),
            ],
        )
        yield draw.paragraph(4)
        if part == 2:
            table = draw.table(6, 5, empty=0.25)
            table.rows.insert(0, ["Item", "Spring", "Spring", "Autumn", "Autumn"])
            table.spans = {(0, 1): (2, 1), (0, 3): (2, 1), (0, 0): (1, 2)}
            table.rows[1][0] = "Item"
            yield _table(table)


def _notice(draw: Draw) -> Iterator[Block]:
    """Long paragraphs over several pages, and hardly a heading."""
    for _ in range(11):
        yield draw.paragraph(6)


def _register(draw: Draw) -> Iterator[Block]:
    """Several tables with titles and empty cells."""
    for number in range(1, 4):
        yield draw.heading()
        yield _table(
            draw.table(10, 3 + number, empty=0.35, title=f"Register {number} of the year {draw.number(1900, 1999)}")
        )
        yield draw.paragraph(2)


_BODIES = {kind: globals()[f"_{kind}"] for kind in KINDS}
