"""How far the offline judge of the oral examination agrees with the truth, by kind of answer.

    python benchmarks/oral_judge.py [DOCS ...]              # folders of documents; default: the bundled handbook
    python benchmarks/oral_judge.py DOCS --units 1000       # units drawn
    python benchmarks/oral_judge.py --labelled FOLDER       # answers and pairs of sentences that people labelled
    python benchmarks/oral_judge.py ... --json              # the figures for machines

Of units of the documents replies are made whose truth is known (benchmarks/oral_answers.py): each speaks of some
of 8 units
of a document, rightly or wrongly, passes over others, and says of some that it does not know. Answers made by
rule are easier
than what people write: `--labelled` shows how the correctness check fares on those.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from oral_answers import RIGHT, WRONG, names_in

from viva.agents.offline.bank import Bank
from viva.agents.offline.bank_building import build_bank
from viva.agents.offline.oral.cast import offline_oral_cast
from viva.agents.offline.oral.checks import compared
from viva.agents.offline.oral.reading import folded
from viva.agents.roles import Source
from viva.core.records import Document, OralUnit, QuestionForm, QuestionType, Span, UnitJudgement
from viva.llm.embeddings import SentenceTransformerEmbedder

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook"
AT_ONCE = 8
SHARES = {"known": 0.5, "wrong": 0.25, "ignored": 0.15, "unknown": 0.1}
NOT_COVERED, CORRECT, INCORRECT = "not covered", "correct", "incorrect"


@dataclass(frozen=True)
class Reply:
    """A question, the answer made for it, and per unit the kind of what was said of it and the truth."""

    question: str
    answer: str
    units: tuple[OralUnit, ...]
    kinds: tuple[str, ...]
    truth: tuple[str, ...]


def verdict(judgement: UnitJudgement) -> str:
    """A judgement in the words of the truth."""
    return NOT_COVERED if judgement.correct is None else CORRECT if judgement.correct else INCORRECT


def read(folders: Sequence[Path], units: int, seed: int) -> tuple[Bank, list[OralUnit], dict[str, Document]]:
    """The bank of the documents (in an order drawn by the seed, as many as hold the units), and those units."""
    from viva.storage.corpus import read_corpus

    documents: list[Document] = []
    chunks_of: dict[str, list[Any]] = defaultdict(list)
    for folder in folders:
        corpus = read_corpus(
            folder,
            max_file_mb=20,
            max_documents=None,
            chunk_tokens=250,
            chunk_overlap=30,
            count_tokens=lambda text: len(text.split()),
        )
        documents += corpus.documents
        for chunk in corpus.chunks:
            chunks_of[chunk.document_id].append(chunk)
    by_id = {document.id: document for document in documents}
    order = sorted(by_id)
    Random(seed).shuffle(order)
    # some 3 units a chunk; the bank is built of no more documents than are needed
    taken: list[str] = []
    while order and sum(len(chunks_of[d]) for d in taken) * 1.2 < units:
        taken.append(order.pop())
    chunks = [chunk for d in taken for chunk in chunks_of[d]]
    bank = build_bank([by_id[d] for d in taken], chunks)
    extractor = offline_oral_cast(bank, SentenceTransformerEmbedder("minilm", threads=1)).units
    found: dict[str, OralUnit] = {}
    for chunk in chunks:
        for unit in asyncio.run(extractor.extract(Source(chunk, by_id[chunk.document_id]))):
            found[unit.id] = unit
    return bank, list(found.values())[:units], by_id


def replies(units: Sequence[OralUnit], cast: Any, titles: dict[str, str], seed: int) -> Iterator[Reply]:
    """Every unit in one reply, with others of its document."""
    draw = Random(seed)
    names = names_in(units)
    groups: dict[str, list[OralUnit]] = defaultdict(list)
    for unit in units:
        groups[unit.evidence.document_id].append(unit)
    for document_id, group in groups.items():
        for at in range(0, len(group), AT_ONCE):
            asked = tuple(group[at : at + AT_ONCE])
            told = [said_of(unit, draw, names) for unit in asked]
            question = asyncio.run(
                cast.examiner.question(asked, subject=titles[document_id], form=QuestionForm.BROAD, attempt=at)
            )
            sentences = [text for _, _, text in told if text]
            draw.shuffle(sentences)
            answer = draw.choice([" ", "\n", "\n- ", " Also: "]).join(["Here is what I found.", *sentences])
            yield Reply(
                question, answer, asked, tuple(kind for kind, _, _ in told), tuple(truth for _, truth, _ in told)
            )


def said_of(unit: OralUnit, draw: Random, names: Sequence[str]) -> tuple[str, str, str]:
    """(kind, truth, sentence) of what the reply says of a unit."""
    fate = draw.choices(list(SHARES), list(SHARES.values()))[0]
    if fate == "ignored":
        return fate, NOT_COVERED, ""
    if fate == "unknown":
        return fate, NOT_COVERED, f"I do not know anything about {unit.keyword}."
    makers = list((RIGHT if fate == "known" else WRONG).items())
    draw.shuffle(makers)
    for kind, make in makers:
        text = make(unit, draw, names)
        if text:
            return kind, CORRECT if fate == "known" else INCORRECT, text
    return "verbatim", CORRECT, RIGHT["verbatim"](unit, draw, names) or ""


def agreement(bank: Bank, units: Sequence[OralUnit], titles: dict[str, str], seed: int, show: int) -> dict[str, Any]:
    """Judge every reply; agreement by kind, and in all."""
    cast = offline_oral_cast(bank, SentenceTransformerEmbedder("minilm", threads=1))
    table: dict[str, Counter[str]] = defaultdict(Counter)
    started, judged = time.process_time(), 0
    shown = 0
    for reply in replies(units, cast, titles, seed):
        found = asyncio.run(cast.judge.judge(reply.question, reply.answer, reply.units))
        for unit, kind, truth, judgement in zip(reply.units, reply.kinds, reply.truth, found, strict=True):
            judged += 1
            table[kind][f"{truth} -> {verdict(judgement)}"] += 1
            if truth != verdict(judgement) and shown < show:
                shown += 1
                shown_as = f"{verdict(judgement)}: “{judgement.quote}” {judgement.reason}"
                print(f"[{kind}] {unit.type.value} [{unit.keyword}] {unit.description}\n   {shown_as}")
    right = {
        kind: sum(n for way, n in counts.items() if len(set(way.split(" -> "))) == 1)
        for kind, counts in table.items()
    }
    return {
        "units": judged,
        "agreement": sum(right.values()) / judged,
        "by_kind": {
            kind: {"n": table[kind].total(), "agreement": right[kind] / table[kind].total(), **table[kind]}
            for kind in sorted(table)
        },
        "cpu_ms_per_unit": 1000 * (time.process_time() - started) / judged,
    }


def labelled(folder: Path, most: int) -> dict[str, Any]:
    """The judge on pairs that people labelled: the reference as the unit, the other text as the answer."""
    from oral_labelled import SETS, of_another_question

    found = {name: pairs(folder, most) for name, pairs in SETS.items()}
    return {name: figures_of(name, [*pairs, *of_another_question(pairs)]) for name, pairs in found.items() if pairs}


def labelled_unit(name: str, reference: str) -> OralUnit:
    """A reference of one of the sets as a unit."""
    kind = QuestionType.NAME if name == "evouna" else QuestionType.FACTOID
    evidence = Span(document_id="", start=0, end=len(reference), quote=reference)
    return OralUnit.of(chunk_id="", topic="", type=kind, keyword="", description=reference, evidence=evidence)


def figures_of(name: str, pairs: Sequence[tuple[str, str, str, str]]) -> dict[str, Any]:
    """(question, reference, answer, label) judged; how often each label got each verdict."""
    bank = Bank()
    judge = offline_oral_cast(bank, SentenceTransformerEmbedder("minilm", threads=1)).judge
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    checked: dict[str, Counter[str]] = defaultdict(Counter)
    for question, reference, answer, label in pairs:
        unit = labelled_unit(name, reference)
        counts[label][verdict(asyncio.run(judge.judge(question, answer, [unit]))[0])] += 1
        finding = compared(folded(answer), unit, question)
        checked[label][{None: "tells no value", True: "agrees", False: "is against"}[finding.agrees]] += 1
    return {
        label: {
            "judge": dict(sorted(counts[label].items())),
            "correctness check alone": dict(sorted(checked[label].items())),
        }
        for label in sorted(counts)
    }


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", nargs="*", type=Path)
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N disagreements")
    parser.add_argument("--labelled", type=Path, metavar="FOLDER")
    parser.add_argument("--most", type=int, default=400, metavar="N", help="labelled pairs of each set")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.labelled:
        found = labelled(given.labelled, given.most)
    else:
        bank, units, documents = read(given.docs or [HANDBOOK], given.units, given.seed)
        found = agreement(bank, units, {d.id: d.title for d in documents.values()}, given.seed, given.show)
    print(json.dumps(found, indent=None if given.json else 2))


if __name__ == "__main__":
    main()
