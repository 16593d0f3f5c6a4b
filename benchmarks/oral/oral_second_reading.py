"""Would a trained judge find the right answers that the offline judge of the oral examination misses?

    python benchmarks/oral/oral_second_reading.py DOCS ... --data FOLDER

Of units that the offline judge finds not covered, the trained local judges (of faithfulness, of correctness) are
asked whether the three sentences of the answer nearest to the unit say it; a find counts only where no number, date,
name or negation speaks against it. Units are references of people (FOLDER: the calibration sets) beside right
answers, wrong ones and answers to another question, and sentences of DOCS beside replies made by rule that pass them
over, and beside words in no order. Of the judge of correctness, parts of both sets were trained on.

The threshold is chosen on half of the groups (questions; of DOCS units, by hash): the lowest at which at most 2% of
what must not be found is found. Printed are the finds in the other half, at this threshold and at others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from oral_judge import AT_ONCE, NOT_COVERED, labelled_unit, read, replies, verdict
from oral_labelled import evouna, of_another_question, student_answers

from viva.agents.judges.local.judge import LocalJudge
from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.oral.cast import offline_oral_cast
from viva.agents.offline.oral.checks import compared
from viva.agents.offline.oral.polarity import claims_nothing
from viva.agents.offline.oral.reading import folded, parts
from viva.agents.offline.oral.terms import stems_of
from viva.agents.oral_roles import OralJudge
from viva.core.ids import content_hash
from viva.core.records import OralUnit, QuestionForm
from viva.core.records.judging import Case, Judgement, Quality
from viva.graphs.oral_exam.chance_baseline import scrambled
from viva.llm.embeddings import SentenceTransformerEmbedder

THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FEW = 0.02
NEAREST = 3
RIGHT = frozenset({"True", "Correct"})
UNCLEAR = frozenset({"Partially correct"})


@dataclass(frozen=True)
class Left:
    """A unit that the offline judge left open, and what the answer says nearest to it."""

    data: str
    label: str
    group: str
    unit: OralUnit
    question: str
    said: str

    @property
    def for_choosing(self) -> bool:
        return int(content_hash("second reading", self.group), 16) % 2 == 0


def left_open(
    judge: OralJudge, row: tuple[str, str, str], question: str, answer: str, unit: OralUnit
) -> Iterator[Left]:
    """The case, if the judge does not find the unit covered; `row` is data, label and group."""
    claimed = [part.text for part in parts(answer) if not claims_nothing(part.text, "")]
    (found,) = asyncio.run(judge.judge(question, answer, [unit]))
    if claimed and verdict(found) == NOT_COVERED:
        wanted = stems_of(folded(unit.description))
        ranked = sorted(range(len(claimed)), key=lambda n: (-len(stems_of(claimed[n]) & wanted), n))[:NEAREST]
        yield Left(*row, unit, question, " ".join(claimed[n] for n in sorted(ranked)))


def labelled(folder: Path, most: int, embedder: SentenceTransformerEmbedder) -> Iterator[Left]:
    """Of what people labelled."""
    judge = offline_oral_cast(CorpusFacts(), embedder).judge
    for name, pairs in (("evouna", evouna(folder, most)), ("saf_asag", student_answers(folder, most))):
        for question, reference, answer, label in [*pairs, *of_another_question(pairs)]:
            row = (name, label, question)
            yield from left_open(judge, row, question, answer, labelled_unit(name, reference))


def of_documents(folder: Path, most: int, embedder: SentenceTransformerEmbedder) -> Iterator[Left]:
    """Of units that made replies pass over, and of all units beside words of the corpus in no order."""
    bank, units, documents = read([folder], most, 0)
    cast = offline_oral_cast(bank, embedder)
    words = [word for unit in units for word in unit.evidence.quote.split()]
    titles = {document.id: document.title for document in documents.values()}
    for number, reply in enumerate(replies(units, 0, AT_ONCE)):
        question = asyncio.run(
            cast.examiner.question(
                reply.units, subject=titles[reply.document_id], form=QuestionForm.BROAD, attempt=number
            )
        )
        noise = scrambled(words, len(reply.answer.split()), Random(number))
        for unit, truth in zip(reply.units, reply.truth, strict=True):
            if truth == NOT_COVERED:
                row = (folder.name, "passed over", unit.id)
                yield from left_open(cast.judge, row, question, reply.answer, unit)
                yield from left_open(cast.judge, (folder.name, "no order", unit.id), question, noise, unit)


def scores(quality: Quality, cases: Sequence[Left], embedder: SentenceTransformerEmbedder) -> list[float]:
    """How surely each is said; 0 where a rule speaks against it."""
    judge = LocalJudge.shipped(quality, embedder, threads=1)
    units = [folded(case.unit.description) for case in cases]
    if quality is Quality.FAITHFULNESS:
        found = [float(each) for each in judge.support(units, [case.said for case in cases])]
    else:
        pairs = [Case(reference=unit, answer=case.said) for unit, case in zip(units, cases, strict=True)]
        judged = asyncio.run(judge.judge(pairs))
        found = [each.score or 0.0 if isinstance(each, Judgement) else 0.0 for each in judged]
    allowed = [compared(case.said, case.unit, case.question).agrees for case in cases]
    return [score if agrees else 0.0 for score, agrees in zip(found, allowed, strict=True)]


def chosen(cases: Sequence[Left], found: Sequence[float]) -> float | None:
    """The lowest threshold with few false finds in the half for choosing; None where none has."""
    of_none = [
        s for case, s in zip(cases, found, strict=True) if case.for_choosing and case.label not in RIGHT | UNCLEAR
    ]
    return next((t for t in THRESHOLDS if sum(s >= t for s in of_none) <= FEW * len(of_none)), None)


def figures(quality: Quality, cases: Sequence[Left], embedder: SentenceTransformerEmbedder) -> dict[str, object]:
    """The threshold, and what is found in the half that it was not chosen on."""
    started = time.process_time()
    found = scores(quality, cases, embedder)
    cost = 1000 * (time.process_time() - started) / len(cases)
    held_out: dict[str, list[float]] = {}
    for case, score in zip(cases, found, strict=True):
        if not case.for_choosing:
            held_out.setdefault(f"{case.data}: {case.label}", []).append(score)
    counts = {
        key: {"left open": len(own), **{f"from {t}": sum(score >= t for score in own) for t in THRESHOLDS}}
        for key, own in sorted(held_out.items())
    }
    return {"threshold": chosen(cases, found), "ms of CPU per unit": round(cost, 1), "found": counts}


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--most", type=int, default=250, metavar="N", help="labelled pairs, or units, of each set")
    given = parser.parse_args()
    embedder = SentenceTransformerEmbedder("minilm", threads=1)
    cases = list(labelled(given.data, given.most, embedder))
    for folder in given.docs:
        cases += of_documents(folder, given.most, embedder)
    for quality in (Quality.FAITHFULNESS, Quality.CORRECTNESS):
        print(json.dumps({"judge": quality.value, **figures(quality, cases, embedder)}, indent=2), flush=True)


if __name__ == "__main__":
    main()
