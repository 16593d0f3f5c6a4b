"""How many reference contexts are found again in their documents, and how many in a wrong place.

    python benchmarks/found_contexts.py DOCS [--count 600] [--seed 1] [--json]

Passages are cut out of the documents and changed as tools change them: white space and line breaks, quotation marks
and dashes, marks of Markdown, ellipses, hyphenation, a word in 25 exchanged, and several of these together. A place
is wrong if it does not overlap the passage and holds other words; `repeated` are those that hold the same words
elsewhere. `inside` is the least share of the found characters that belong to the passage.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from viva.core.markup import dialect_of, unmarked
from viva.core.records import Document, Exam, ExamItem
from viva.exams.contexts import find_contexts
from viva.exams.formats.base import Seen, imported
from viva.storage.corpus.read import read_corpus

LENGTHS = (80, 150, 300, 600, 1200)
Change = Callable[[str, Document, random.Random], str]


def spaced(text: str, _: Document, draw: random.Random) -> str:
    return re.sub(r"\s+", lambda _: draw.choice([" ", "\n", "  "]), text)


def quoted(text: str, _: Document, __: random.Random) -> str:
    return text.translate(str.maketrans({'"': "“", "'": "’", "-": "‐"}))


def stripped(text: str, of: Document, _: random.Random) -> str:
    return unmarked(text, dialect_of(of.format)).text


def cut(text: str, _: Document, draw: random.Random) -> str:
    where = draw.randrange(3)
    if where == 0:
        return f"{text[: len(text) * 7 // 10]}..."
    if where == 1:
        return f"…{text[len(text) // 4 :]}"
    return f"{text[: len(text) * 2 // 5]} [...] {text[len(text) * 3 // 5 :]}"


def hyphenated(text: str, _: Document, draw: random.Random) -> str:
    words = text.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 8 and word.isalpha()]
    if long:
        place = draw.choice(long)
        words[place] = f"{words[place][:5]}-\n{words[place][5:]}"
    return " ".join(words)


def exchanged(text: str, _: Document, draw: random.Random) -> str:
    words = text.split(" ")
    for place in draw.sample(range(len(words)), max(1, len(words) // 25)):
        # numbers and names tell a passage from others
        words[place] = words[place] if re.search(r"[A-Z0-9]", words[place]) else "other"
    return " ".join(words)


def several(text: str, of: Document, draw: random.Random) -> str:
    return cut(spaced(quoted(stripped(text, of, draw), of, draw), of, draw), of, draw)


CHANGES: dict[str, Change] = {
    "as it is": lambda text, _, __: text,
    "white space": spaced,
    "quotation marks": quoted,
    "without marks": stripped,
    "ellipsis": cut,
    "hyphenation": hyphenated,
    "words exchanged": exchanged,
    "several": several,
}


def passage(documents: Sequence[Document], draw: random.Random) -> tuple[Document, int, str]:
    """Whole sentences of a document."""
    while True:
        of = draw.choice(documents)
        text = of.text
        start = draw.randrange(max(1, len(text) - 200))
        first = re.search(r"(?<=[.!?])\s+(?=[A-Z])|\n\n", text[start:])
        last = first and re.search(r"[.!?](?=\s)", text[start + first.end() + draw.choice(LENGTHS) :])
        if not first or not last:
            continue
        begin = start + first.end()
        end = len(text) - len(last.string) + last.end()
        if sum(char.isalnum() for char in text[begin:end]) > 40:
            return of, begin, text[begin:end]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sizes = {"max_file_mb": 20, "max_documents": None, "chunk_tokens": 254, "chunk_overlap": 32}
    documents = list(read_corpus(given.docs, count_tokens=lambda text: len(text.split()), **sizes).documents)
    draw = random.Random(given.seed)
    kinds = list(CHANGES)
    cuts = [(*passage(documents, draw), kinds[n % len(kinds)]) for n in range(given.count)]
    items = [
        imported(Seen(stem=f"Question {n}?", key="x", contexts=(CHANGES[kind](text, of, draw),)), "qa", "")
        for n, (of, _, text, kind) in enumerate(cuts)
    ]
    began = time.process_time()
    found = find_contexts(Exam.of(items), documents)
    told = measured(cuts, found.exam.items)
    told |= {"how": found.found, "several places": found.several, "CPU s": round(time.process_time() - began, 1)}
    print(json.dumps(told) if given.json else "\n".join(f"{name}: {value}" for name, value in told.items()))


def measured(cuts: Sequence[tuple[Document, int, str, str]], items: Sequence[ExamItem]) -> dict[str, object]:
    """Shares found and wrong, by the change."""
    every, lost, wrong = Counter[str](), Counter[str](), Counter[str]()
    repeated, inside = 0, 1.0
    for (of, start, text, kind), shown in zip(cuts, items, strict=True):
        every[kind] += 1
        spans, end = shown.item.evidence, start + len(text)
        if not spans:
            lost[kind] += 1
        elif any(s.document_id != of.id or s.end <= start or end <= s.start for s in spans):
            same = all(letters(span.quote) in letters(text) for span in spans)
            repeated += same
            wrong[kind] += not same
        else:
            held = sum(min(end, s.end) - max(start, s.start) for s in spans)
            inside = min(inside, held / sum(s.end - s.start for s in spans))
    share = 1 - lost.total() / every.total()
    told = {"contexts": every.total(), "found": share, "lost": dict(lost), "wrong": dict(+wrong)}
    return {**told, "repeated": repeated, "inside": inside}


def letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


if __name__ == "__main__":
    main()
