"""Edits of documents, and what a refresh finds of them: changed facts, moved passages, orphans, untouched questions.

    python benchmarks/refresh.py DOCS [--documents 60] [--items 200] [--seeds 5] [--run RUN]

An exam is written from the first documents, without a model (or taken of RUN). For each seed a copy of the documents
is edited: 30 passages moved (in their document, to another, to a new one; half of them wrapped anew), 20 reworded,
20 changed in a fact, 10 deleted, 20 of other documents added, and 6 documents wrapped anew. Then the copy is checked.
Figures of docs/refresh.md.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import viva
from viva.core.records import ExamItem
from viva.metrics.intervals import wilson

KINDS = {"moved": 30, "reworded": 20, "changed": 20, "deleted": 10}
EXPECTED = {
    "moved": {"valid"},
    "untouched": {"valid"},
    "reworded": {"valid", "changed"},
    "changed": {"changed"},
    "deleted": {"orphan"},
}
ADDED, WRAPPED = 20, 6
Place = tuple[str, int]
"""A file and a paragraph of it."""


@dataclass
class Copy:
    """The paragraphs of each file, and which items each edit is about."""

    files: dict[str, list[str]]
    items: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def edited(copy: Copy, items: list[ExamItem], others: list[str], draw: random.Random) -> None:
    """Edit the copy; items are noted by the kind of edit of their evidence."""
    of: dict[Place, list[ExamItem]] = defaultdict(list)
    for shown in items:
        found = [
            (path, n)
            for path, paragraphs in copy.files.items()
            for n, text in enumerate(paragraphs)
            if shown.item.evidence[0].quote in text
        ]
        if len(found) == 1:
            of[found[0]].append(shown)
    places = sorted(of)
    draw.shuffle(places)
    cuts, moves = list[Place](), list[str]()
    for kind, wanted in KINDS.items():
        done = 0
        while done < wanted and places:
            place = places.pop()
            if kind in ("moved", "deleted"):
                copy.items[kind] |= {each.item.id for each in of[place]}
                cuts.append(place)
                moves += [copy.files[place[0]][place[1]]] if kind == "moved" else []
                done += 1
            elif _sentence_edited(copy, place, of[place][0], kind, draw):
                copy.items[kind].add(of[place][0].item.id)
                done += 1
    for path, n in cuts:
        copy.files[path][n] = ""
    untouched = sorted(copy.files)
    for n, text in enumerate([*moves, *draw.sample(others, ADDED)]):
        wrapped = wrap(text, draw.choice([60, 100])) if n % 2 else text
        path = f"moved-{n}.rst" if n % 5 == 0 else draw.choice(untouched)
        paragraphs = copy.files.setdefault(path, [f"Notes {n}\n========"])
        paragraphs.insert(draw.randrange(1, len(paragraphs) + 1), wrapped)
    for path in draw.sample(untouched, WRAPPED):
        copy.files[path] = [wrap(text, 96) for text in copy.files[path]]


def wrap(text: str, width: int) -> str:
    """Wrap a paragraph of prose anew; others stay as they are."""
    lines = text.splitlines()
    is_prose = len(lines) > 1 and all(re.match(r"\w", line) for line in lines) and "::" not in text
    return textwrap.fill(" ".join(text.split()), width, break_on_hyphens=False) if is_prose else text


def _sentence_edited(copy: Copy, place: Place, shown: ExamItem, kind: str, draw: random.Random) -> bool:
    """Exchange the evidence for another wording, or for another fact, if a rule applies to it."""
    path, n = place
    quote = shown.item.evidence[0].quote
    rules = list(REWORDINGS if kind == "reworded" else CHANGES)
    draw.shuffle(rules)
    for rule in rules:
        new = rule(quote, shown, draw)
        if new and " ".join(new.split()) != " ".join(quote.split()):
            copy.files[path][n] = copy.files[path][n].replace(quote, new)
            return True
    return False


Rule = Callable[[str, ExamItem, random.Random], str]


def exchange(*pairs: tuple[str, str]) -> Rule:
    """A rule that exchanges the first word of these that there is."""

    def rule(text: str, _: ExamItem, draw: random.Random) -> str:
        order = list(pairs)
        draw.shuffle(order)
        for old, new in order:
            if re.search(rf"\b{old}\b", text):
                return re.sub(rf"\b{old}\b", new, text, count=1)
        return ""

    return rule


def clause_first(text: str, _: ExamItem, __: random.Random) -> str:
    found = re.fullmatch(r"(\w[^,;:.()]+)\s((?:if|when|because|until|unless)\s[^,;:.()]+)\.", text)
    return f"{found[2][0].upper()}{found[2][1:]}, {found[1][0].lower()}{found[1][1:]}." if found else ""


def other_number(text: str, _: ExamItem, draw: random.Random) -> str:
    # not in an address, which readers of the text do not see
    numbers = list(re.finditer(r"(?<![\w.\[#/-])\d+(?![\w\]/-])", text))
    if not numbers:
        return ""
    at = draw.choice(numbers)
    return f"{text[: at.start()]}{int(at[0]) + draw.choice([1, 2, 10])}{text[at.end() :]}"


def other_name(text: str, _: ExamItem, draw: random.Random) -> str:
    names = list(re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b", text))
    if not names:
        return ""
    at = draw.choice(names)
    return text[: at.start()] + draw.choice(["Ocaml", "Ellison", "Quillon", "Debian"]) + text[at.end() :]


def other_key(text: str, shown: ExamItem, draw: random.Random) -> str:
    """Another word in the place of one of the answer."""
    words = [word for word in re.findall(r"[a-z]{5,}", shown.item.key) if len(re.findall(rf"\b{word}\b", text)) == 1]
    if not words:
        return ""
    return re.sub(rf"\b{draw.choice(words)}\b", draw.choice(["harbour", "certificate", "optional", "weekly"]), text)


REWORDINGS: tuple[Rule, ...] = (
    exchange(("must", "has to"), ("cannot", "can not"), ("does not", "doesn't"), ("is not", "isn't")),
    exchange(("use", "utilize"), ("uses", "utilizes"), ("begin", "start"), ("each", "every"), ("shows", "displays")),
    exchange(("one", "1"), ("two", "2"), ("three", "3"), ("in order to", "to"), ("The", "Thus the")),
    exchange(("contains", "holds"), ("provides", "offers"), ("should", "ought to"), ("usually", "as a rule")),
    clause_first,
)
CHANGES: tuple[Rule, ...] = (
    exchange(("must", "may"), ("should", "need not"), ("can", "cannot"), ("will", "will not"), ("is", "is not")),
    exchange(("True", "False"), ("all", "some"), ("before", "after"), ("first", "second"), ("always", "seldom")),
    other_number,
    other_name,
    other_key,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--run", type=Path)
    given = parser.parse_args()
    paths = sorted(path for path in given.docs.iterdir() if path.is_file())
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "docs")
        folder.mkdir()
        for path in paths[: given.documents]:
            shutil.copy(path, folder)
        out = given.run or Path(place, "run")
        run = viva.open_run(out) if given.run else viva.write_exam(folder, items=given.items, out=out)
        pool = [p for path in paths[given.documents :] for p in path.read_text("utf-8").split("\n\n")]
        others = [text for text in pool if len(text.split()) > 25 and re.match(r"[A-Z]", text)]
        ends: dict[str, Counter[str]] = defaultdict(Counter)
        for seed in range(given.seeds):
            for kind, states in checked(run, folder, Path(place, f"edited-{seed}"), others, seed).items():
                ends[kind] += states
    for kind, states in ends.items():
        total = states.total()
        shares = ", ".join(f"{state} {n / total:.1%}" for state, n in sorted(states.items()))
        aside = wilson(total - states["valid"], total)
        interval = f"{aside.low:.1%} to {aside.high:.1%}" if aside else "-"
        print(f"{kind}: {total} questions: {shares}; set aside, 95% interval: {interval}")


def checked(run: viva.Run, folder: Path, copy: Path, others: list[str], seed: int) -> dict[str, Counter[str]]:
    """Edit a copy by the seed, check it, and count what is found by the kind of edit."""
    draw = random.Random(seed)
    items = list(run.exam.record.items)
    made = Copy({path.name: path.read_text("utf-8").split("\n\n") for path in sorted(folder.iterdir())})
    edited(made, items, others, draw)
    copy.mkdir()
    for name, paragraphs in made.files.items():
        Path(copy, name).write_text("\n\n".join(paragraphs), "utf-8")
    found = {each["item_id"]: each for each in run.refresh(copy, check=True).record["items"]}
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for shown in items:
        kind = next((kind for kind, ids in made.items.items() if shown.item.id in ids), "untouched")
        state = found[shown.item.id]["state"]
        ends[kind][state] += 1
        if state not in EXPECTED[kind]:
            print(f"seed {seed}, {kind}: {state}: {found[shown.item.id]['reason']}")
            print(f"    before: {found[shown.item.id]['before']!r}\n    after:  {found[shown.item.id]['after']!r}")
    return ends


if __name__ == "__main__":
    main()
