"""Two editions of the handbook, changed by a generator or a list of edits; and pages of one form, which are none."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from shutil import copytree

from by_hand import document

from viva.core.records import Document
from viva.storage.corpus.editions.finding import EditionPair

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
_TEXT = {".md", ".txt", ".rst", ".html", ".csv", ".jsonl"}
_FIGURE = re.compile(r"(?<![\w.,:/#-])\d{1,4}(?![\w:/]|[.,]\d|\. [A-Z])")
_LINES = {".html": re.compile(r"<(?:p|tr|li|td)\b"), ".csv": re.compile(r"[A-Z]{3},"), ".jsonl": re.compile(r"\{")}


def two_editions(folder: Path, values: int = 64, seed: int = 1) -> list[tuple[str, str, str]]:
    """Write the handbook and its copy with so many figures changed; (path, text around the figure, same after)."""
    old, new = _copied(folder)
    places = [
        (path, found.start(), found.end())
        for path in sorted(old.rglob("*"))
        if path.suffix in _TEXT
        for found in _figures(path)
    ]
    chance = random.Random(seed)
    changed: list[tuple[str, str, str]] = []
    texts: dict[Path, str] = {}
    for path, start, end in sorted(chance.sample(places, values), reverse=True):
        relative = path.relative_to(old)
        text = texts.get(relative) or path.read_text(encoding="utf-8")
        value = str(int(text[start:end]) + chance.randint(1, 9))
        after = text[:start] + value + text[end:]
        changed.append(
            (
                relative.as_posix(),
                *(_around(t, start, start + n) for t, n in ((text, end - start), (after, len(value)))),
            )
        )
        texts[relative] = after
    for relative, text in texts.items():
        (new / relative).write_text(text, encoding="utf-8")
    return changed


def edited(folder: Path, edits: list[tuple[str, str, str]]) -> None:
    """Write the handbook and its copy with edits (path, words, other words). Each must stand in its file once."""
    _, new = _copied(folder)
    for path, words, others in edits:
        text = (new / path).read_text(encoding="utf-8")
        assert text.count(words) == 1, (path, words, text.count(words))
        (new / path).write_text(text.replace(words, others), encoding="utf-8")


def _copied(folder: Path) -> tuple[Path, Path]:
    return copytree(HANDBOOK, folder / "handbook"), copytree(HANDBOOK, folder / "handbook-2026")


def _figures(path: Path) -> list[re.Match[str]]:
    """Figures in its text: not in front matter, heads of files, markup or the metadata of a row."""
    text, wanted = path.read_text(encoding="utf-8"), _LINES.get(path.suffix)
    begin = text.index("\n---", 4) if text.startswith("---\n") else 0
    found = []
    for line in re.finditer(r".+", text):
        body = line[0].partition(', "metadata"')[0]
        if line.start() < begin or (wanted and not wanted.match(body)):
            continue
        skip = body.index('"text"') if path.suffix == ".jsonl" else 0
        found += _FIGURE.finditer(text, line.start() + skip, line.start() + len(body))
    return found


def _around(text: str, start: int, end: int) -> str:
    line = text[max(text.rfind("\n", 0, start) + 1, start - 18) : end + 12].partition("\n")[0]
    return " ".join(line.split())


BY_HAND = [
    ("finance/fares-and-refunds.md", "Children under five travel free", "Children under six travel free"),
    ("finance/fares-and-refunds.md", "is chaired by Lena Oskarby", "is chaired by Petra Holm"),
    ("finance/fares-and-refunds.md", "The two discounts cannot be combined.", "The two discounts can be combined."),
    ("fleet/morven-tern.md", "Dogs are welcome", "Dogs are not welcome"),
    ("fleet/morven-tern.md", "at Port Ellery on a Thursday night", "at Varnholm on a Monday night"),
    ("fleet/morven-tern.md", "only 380 millimetres", "only 410 millimetres"),
    ("history/founding-and-early-years.txt", "No lives were lost.", "Two lives were lost."),
    ("history/founding-and-early-years.txt", "Cormac Dell succeeded her.", "Bryn Tulloch succeeded her."),
    ("history/founding-and-early-years.txt", "had mistaken a farm lamp for", "had mistaken a tractor's lights for"),
    ("it/booking-system.md", "kept for ten years", "kept for twelve years"),
    ("it/booking-system.md", "every night at 02:15", "every night at 03:40"),
    (
        "it/shipboard-network.md",
        "No USB stick may be used on the bridge.",
        "A sealed USB stick may be used on the bridge.",
    ),
    ("it/shipboard-network.md", "within four hours", "within two working days"),
    ("it/tidectl-runbook.md", "on Tuesdays and Thursdays", "on Wednesdays"),
    (
        "operations/passenger-service.html",
        "Boarding chairs are kept at every staffed port except Ostrey Jetty",
        "Boarding chairs are kept at every staffed port",
    ),
    ("operations/passenger-service.html", "a voucher of £4 for a hot drink", "a voucher of £6.50 for a meal"),
    ("operations/passenger-service.html", "<td>Old Fulmar</td><td>11</td>", "<td>Old Fulmar</td><td>none</td>"),
    (
        "operations/port-register.csv",
        "Port Ellery is the home port of the fleet and has",
        "Port Ellery is the home port and still has",
    ),
    (
        "operations/port-register.csv",
        "scheduled tidal,1,42.0,2.3,0,Mags Harrow",
        "scheduled tidal,1,42.0,2.3,0,Ola Brand",
    ),
    (
        "people/leave-and-welfare.html",
        "Her advice binds the company but not the employee.",
        "Her advice binds neither the company nor the employee.",
    ),
    (
        "people/leave-and-welfare.html",
        "<td>Bereavement leave</td><td>6 days</td><td>Full</td>",
        "<td>Bereavement leave</td><td>8 days</td><td>Half</td>",
    ),
    ("safety/incident-reporting.rst", "on Mondays and does not", "on Mondays and Fridays and does not"),
    ("safety/incident-reporting.rst", "second Tuesday", "last Friday"),
    (
        "safety/incident-bulletins.jsonl",
        "Neither kayaker needed hospital treatment.",
        "Both kayakers needed hospital treatment.",
    ),
    ("safety/incident-bulletins.jsonl", "with an absorbent boom", "with sawdust"),
]
"""Words, names, negations, days and cells, as people change them."""
MOVED = ("fleet/morven-tern.md", "## Passenger spaces", "## Machinery")
"""A file, and the heading of a section that stands before another in the second edition."""


def moved(text: str, section: str, before: str) -> str:
    """The text with a section of Markdown moved before another heading."""
    start = text.index(f"\n{section}\n")
    end = text.index("\n## ", start + 1)
    place = text.index(f"\n{before}\n")
    return text[:place] + text[start:end] + text[place:start] + text[end:]


def unreported(documents: Iterable[Document], pairs: Sequence[EditionPair]) -> Iterator[tuple[str, str]]:
    """Words that differ between the two editions of a file and are in no difference."""
    reported: dict[str, list[tuple[int, int]]] = {}
    for span in (span for pair in pairs for each in pair.differences for span in (each.first, each.second)):
        reported.setdefault(span.document_id, []).append((span.start, span.end))
    by_path = {each.path: each for each in documents}
    both = ((each, by_path.get(f"handbook-2026/{path[9:]}")) for path, each in by_path.items() if path[8] == "/")
    for one, other in both:
        if other is None:
            continue
        words = [list(re.finditer(r"\w+", each.text)) for each in (one, other)]
        matcher = SequenceMatcher(None, *([word[0] for word in own] for own in words), autojunk=False)
        for tag, *places in matcher.get_opcodes():
            for each, found in ((one, words[0][places[0] : places[1]]), (other, words[1][places[2] : places[3]])):
                spans = reported.get(each.id, [])
                if (
                    tag != "equal"
                    and found
                    and not any(a <= found[0].start() and found[-1].end() <= b for a, b in spans)
                ):
                    yield each.path, each.text[found[0].start() : found[-1].end()]


# --- pages of one form ---

FORM = """Call the booking office before you travel on any of our ships.

Dogs travel free on a lead no longer than two metres.

Life jackets are kept under the seats and in lockers on deck.

All prices include port dues and the taxes of the islands.

In fog the master may delay the departure without notice.
"""
NAMES = "Heron Gannet Tern Fulmar Petrel Dunlin Plover Avocet Curlew Godwit".split()


def pages(style: str, count: int) -> Iterator[Document]:
    for n, name in enumerate(NAMES[:count], start=1):
        low = name.lower()
        path, title, head = {
            "name in the title": (f"{low}.md", f"MV {name}", f"# MV {name}\n\nShe carries {90 + n} people."),
            "name in the path": (f"{low}/sheet.md", "Sheet", f"# Sheet\n\nThe {name} carries {90 + n} people."),
            "name in a line": (f"sheet-{n}.md", "Sheet", f"# Sheet\n\nName: {name}\n\nSpeed: {9 + n} knots"),
            "number in the title": (f"b{n}.md", f"Berth {n}", f"# Berth {n}\n\nIt is {3 + n} metres deep."),
            "number of a year": (f"r{n}.md", f"Note {n}/2024", f"# Note {n}/2024\n\nOn {n} May 2024 a pump broke."),
            "code": (f"p{n}00.txt", f"P{n}00", f"P{n}00 pump\n\nIt moves {9 + n} litres a minute."),
        }[style]
        yield document(f"{head}\n\n{FORM}", path, title=title)


STYLES = "name in the title,name in the path,name in a line,number in the title,number of a year,code".split(",")
