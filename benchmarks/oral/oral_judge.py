"""How far the judge of the oral examination agrees with the truth, by kind of answer.

    python benchmarks/oral/oral_judge.py --model openai:NAME --out FOLDER [--base-url URL] [DOCS ...]
                                                            # folders of documents; default: the bundled handbook
    python benchmarks/oral/oral_judge.py ... --turns 100 --points 4     # replies, and units of each
    python benchmarks/oral/oral_judge.py ... --labelled FOLDER          # answers that people labelled
    python benchmarks/oral/oral_judge.py ... --json                     # the figures for machines

Of units of the documents, which the model finds, replies are made whose truth is known
(benchmarks/oral/oral_answers.py): each speaks of some of 8 units of a document, rightly or wrongly, passes over
others, and says of some that it does not know. Answers made by rule are easier than what people write: `--labelled`
shows how the judge fares on those. The model's replies are kept in FOLDER's ledger: the same command goes on after an
interruption, and shows the same figures again without a call.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from oral_answers import RIGHT, WRONG, names_in

from viva.agents.language_model.oral.cast import language_model_oral_cast
from viva.agents.roles import OralCast, OralJudge, Source
from viva.core.errors import RoleFailed
from viva.core.records import Chunk, Document, OralUnit, QuestionForm, QuestionType, Span, UnitJudgement
from viva.core.settings import Settings
from viva.graphs.resources.model_client import ModelClient
from viva.metrics.intervals import share_in_groups

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
AT_ONCE = 8
"""Units that one reply may speak of, unless told otherwise."""
SHARES = {"known": 0.5, "wrong": 0.25, "ignored": 0.15, "unknown": 0.1}
NOT_COVERED, CORRECT, INCORRECT, UNJUDGED = "not covered", "correct", "incorrect", "unjudged"


@dataclass(frozen=True)
class OralReply:
    """An answer to a question about units of one document, and per unit the kind of what is said and the truth."""

    document_id: str
    answer: str
    units: tuple[OralUnit, ...]
    kinds: tuple[str, ...]
    truth: tuple[str, ...]


def verdict(judgement: UnitJudgement | None) -> str:
    """A judgement in the words of the truth."""
    if judgement is None:
        return UNJUDGED
    return NOT_COVERED if judgement.correct is None else CORRECT if judgement.correct else INCORRECT


def read(folders: Sequence[Path], seed: int) -> tuple[list[Chunk], dict[str, Document]]:
    """The chunks of the documents, and these by id; documents in an order drawn by the seed."""
    from viva.storage.corpus.read import read_corpus

    documents: dict[str, Document] = {}
    chunks_of: dict[str, list[Chunk]] = defaultdict(list)
    for folder in folders:
        corpus = read_corpus(
            folder,
            max_file_mb=20,
            max_documents=None,
            chunk_tokens=250,
            chunk_overlap=30,
            count_tokens=lambda text: len(text.split()),
        )
        documents |= {document.id: document for document in corpus.documents}
        for chunk in corpus.chunks:
            chunks_of[chunk.document_id].append(chunk)
    order = sorted(documents)
    Random(seed).shuffle(order)
    return [chunk for document_id in order for chunk in chunks_of[document_id]], documents


async def found_units(
    cast: OralCast, chunks: Sequence[Chunk], documents: dict[str, Document], wanted: int
) -> list[OralUnit]:
    """The first units of the chunks, as many as are wanted; a chunk that cannot be read has none."""
    found: dict[str, OralUnit] = {}
    for chunk in chunks:
        if len(found) >= wanted:
            break
        try:
            units = await cast.units.extract(Source(chunk, documents[chunk.document_id]))
        except RoleFailed as failed:
            print(f"A chunk failed ({failed.code}): {failed.reason}")
            continue
        found |= {unit.id: unit for unit in units}
    return list(found.values())[:wanted]


def replies(units: Sequence[OralUnit], seed: int, points: int) -> Iterator[OralReply]:
    """Every unit in one reply, with others of its document."""
    draw = Random(seed)
    names = names_in(units)
    groups: dict[str, list[OralUnit]] = defaultdict(list)
    for unit in units:
        groups[unit.evidence.document_id].append(unit)
    for document_id, group in groups.items():
        for at in range(0, len(group), points):
            asked = tuple(group[at : at + points])
            told = [said_of(unit, draw, names) for unit in asked]
            sentences = [text for _, _, text in told if text]
            draw.shuffle(sentences)
            answer = draw.choice([" ", "\n", "\n- ", " Also: "]).join(["Here is what I found.", *sentences])
            yield OralReply(
                document_id, answer, asked, tuple(kind for kind, _, _ in told), tuple(truth for _, truth, _ in told)
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


async def judged(cast: OralCast, reply: OralReply, title: str, n: int) -> list[UnitJudgement | None]:
    """What the judge finds in the reply to the n-th question about the document; None where it could not."""
    try:
        question = await cast.examiner.question(reply.units, subject=title, form=QuestionForm.BROAD, attempt=n)
    except RoleFailed as failed:
        print(f"A question failed ({failed.code}): {failed.reason}")
        return [None] * len(reply.units)
    return await found_by(cast.judge, question, reply.answer, reply.units)


async def found_by(
    judge: OralJudge, question: str, answer: str, units: Sequence[OralUnit]
) -> list[UnitJudgement | None]:
    """What the judge finds; None where it could not judge."""
    try:
        return [*await judge.judge(question, answer, units)]
    except RoleFailed as failed:
        print(f"A judgement failed ({failed.code}): {failed.reason}")
        return [None] * len(units)


async def agreement(cast: OralCast, said: Sequence[OralReply], titles: dict[str, str], show: int) -> dict[str, Any]:
    """Judge every reply; agreement by kind, and in all with its 95% interval."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    started = time.process_time()
    before = Counter[str]()
    turns = []
    for reply in said:
        turns.append(judged(cast, reply, titles[reply.document_id], before[reply.document_id]))
        # by another number, the examiner words its question otherwise
        before[reply.document_id] += len(reply.units)
    rows: list[tuple[int, bool]] = []
    for n, (reply, found) in enumerate(zip(said, await asyncio.gather(*turns), strict=True)):
        for unit, kind, truth, judgement in zip(reply.units, reply.kinds, reply.truth, found, strict=True):
            table[kind][f"{truth} -> {verdict(judgement)}"] += 1
            rows.append((n, truth == verdict(judgement)))
            if judgement is not None and not rows[-1][1] and sum(not right for _, right in rows) <= show:
                shown_as = f"{verdict(judgement)}: “{judgement.quote}” {judgement.reason}"
                print(f"[{kind}] {unit.type.value} [{unit.keyword}] {unit.description}")
                print(f"   {shown_as}\n   {reply.answer}")
    right = {
        kind: sum(n for way, n in counts.items() if len(set(way.split(" -> "))) == 1)
        for kind, counts in table.items()
    }
    agreed = share_in_groups([float(right) for _, right in rows], [n for n, _ in rows], seed=0)
    return {
        "turns": len(said),
        "units": len(rows),
        "agreement": agreed and [round(each, 4) for each in (agreed.value, agreed.low, agreed.high)],
        "by_kind": {
            kind: {"n": table[kind].total(), "agreement": right[kind] / table[kind].total(), **table[kind]}
            for kind in sorted(table)
        },
        "cpu_ms_per_unit": 1000 * (time.process_time() - started) / len(rows),
    }


@asynccontextmanager
async def cast_by(given: argparse.Namespace) -> AsyncIterator[OralCast]:
    """The language model's cast, its replies kept in a folder."""
    settings = Settings(
        model=(given.model,),
        base_url=given.base_url,
        concurrency=given.concurrency,
        call_timeout_s=given.call_timeout,
    )
    given.out.mkdir(parents=True, exist_ok=True)
    async with aclosing(ModelClient(given.out, settings, lambda: "oral-judge")) as models:
        models.check()
        yield language_model_oral_cast(models.asker, lambda _: False)


def measured(given: argparse.Namespace) -> dict[str, Any]:
    """Examiner and judge on replies whose truth is known."""
    wanted = given.turns * given.points if given.turns else given.units
    chunks, documents = read(given.docs or [HANDBOOK], given.seed)
    titles = {document.id: document.title for document in documents.values()}

    async def at_work() -> dict[str, Any]:
        async with cast_by(given) as cast:
            units = await found_units(cast, chunks, documents, wanted)
            said = [*islice(replies(units, given.seed, given.points), given.turns)]
            return await agreement(cast, said, titles, given.show)

    return asyncio.run(at_work())


def labelled(given: argparse.Namespace) -> dict[str, Any]:
    """The judge on pairs that people labelled: the reference as the unit, the other text as the answer."""
    from oral_labelled import SETS, of_another_question

    found = {name: pairs(given.labelled, given.most) for name, pairs in SETS.items() if name in (given.sets or SETS)}

    async def at_work() -> dict[str, Any]:
        async with cast_by(given) as cast:
            return {
                name: await figures_of(cast.judge, name, [*pairs, *of_another_question(pairs)])
                for name, pairs in found.items()
                if pairs
            }

    return asyncio.run(at_work())


def labelled_unit(name: str, reference: str) -> OralUnit:
    """A reference of one of the sets as a unit."""
    kind = QuestionType.NAME if name == "evouna" else QuestionType.FACTOID
    evidence = Span(document_id="", start=0, end=len(reference), quote=reference)
    return OralUnit.of(chunk_id="", topic="", type=kind, keyword="", description=reference, evidence=evidence)


async def figures_of(
    judge: OralJudge, name: str, pairs: Sequence[tuple[str, str, str, str]]
) -> dict[str, dict[str, int]]:
    """(question, reference, answer, label) judged; how often each label got each verdict."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    units = [labelled_unit(name, reference) for _, reference, _, _ in pairs]
    found = await asyncio.gather(
        *(
            found_by(judge, question, answer, [unit])
            for unit, (question, _, answer, _) in zip(units, pairs, strict=True)
        )
    )
    for judgements, (_, _, _, label) in zip(found, pairs, strict=True):
        counts[label][verdict(judgements[0])] += 1
    return {label: dict(sorted(counts[label].items())) for label in sorted(counts)}


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", nargs="*", type=Path)
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--turns", type=int, help="replies judged, at most")
    parser.add_argument("--points", type=int, default=AT_ONCE, metavar="N", help="units that one reply may speak of")
    parser.add_argument("--model", required=True, help="openai:NAME, ollama:NAME, ...")
    parser.add_argument("--out", type=Path, default=Path("viva-runs/oral-judge"), help="keeps a model's replies")
    parser.add_argument("--base-url")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--call-timeout", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N disagreements")
    parser.add_argument("--labelled", type=Path, metavar="FOLDER")
    parser.add_argument("--most", type=int, default=400, metavar="N", help="labelled pairs of each set")
    parser.add_argument("--sets", nargs="+", help="labelled sets; default: all")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = labelled(given) if given.labelled else measured(given)
    print(json.dumps(found, indent=None if given.json else 2))


if __name__ == "__main__":
    main()
