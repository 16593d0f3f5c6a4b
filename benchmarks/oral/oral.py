"""Does an oral examination find out what a system knows, and for how many tokens?

    python benchmarks/oral/oral.py                         # 1,000 units in 20 clusters
    python benchmarks/oral/oral.py --topics 4 --known 0.6 --wrong 0.2

A simulated target whose knowledge is fixed beforehand (oral_simulator.py) is examined through the oral graph by the
offline examiner and judge, until every unit has a verdict. Printed are the verdicts, how many agree with the truth
(known: covered, correct; wrong: covered, incorrect; unknown: given up), and the tokens of examiner and judge as a
share of the per-unit baseline: one question for each unit, and one judgement of its answer with the reference. Tokens
are counted (one per four bytes) on the prompts that the language-model cast sends for the same questions and
judgements, and on what its models would write. In the examination no model words a question for one unit alone, as in
graphs/oral_exam/cast.py (--model-asks-all: as if it did); in the baseline a model words every one. Beside it stands
the saving that RecKon (arXiv 2504.00756) reports.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import dspy
from oral_simulator import KNOWN, UNKNOWN, WRONG, Target, World, make_world

from viva.agents.language_model.oral.cast import language_model_oral_cast
from viva.agents.offline.corpus_reading import read_facts
from viva.agents.offline.oral.cast import offline_oral_cast
from viva.agents.oral_roles import Examiner, OralCast, OralJudge
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import OralCluster, OralPlan, OralTurn, OralUnit, QuestionForm, UnitJudgement, UnitStatus
from viva.examinees.adapters.langchain import as_tool
from viva.graphs.oral import examine
from viva.graphs.oral_exam.session import OralSession
from viva.graphs.oral_exam.state import Limits, OralProgress
from viva.llm.embeddings import Embedder, SentenceTransformerEmbedder
from viva.llm.formats.adapters import TextAdapter
from viva.llm.tokens import estimated_tokens

RECKON_SAVING = 0.565
_REASON = "The quote says what the source says, in other words, and the numbers are the same."
TRUE_STATUS = {KNOWN: UnitStatus.CORRECT, WRONG: UnitStatus.INCORRECT, UNKNOWN: UnitStatus.GIVEN_UP}


class Sent:
    """Counts the prompts that the roles of the language-model cast send, and answers none of them."""

    def __init__(self) -> None:
        self.tokens = 0
        self._adapter = TextAdapter()

    async def ask(self, role: str, signature: type[dspy.Signature], /, **inputs: object) -> Any:  # noqa: ARG002
        """RoleFailed, once the prompt is counted."""
        self.tokens += sum(estimated_tokens(each["content"]) for each in self._adapter.format(signature, [], inputs))
        raise RoleFailed("not_sent", "Only counted.")


class Prompts:
    """What a language model would be sent for the same question and the same judgement, in tokens."""

    def __init__(self) -> None:
        self._sent = Sent()
        self._cast = language_model_oral_cast(self._sent)
        self.units_per_judgement = self._cast.units_per_judgement

    async def of_question(self, units: Sequence[OralUnit], **told: Any) -> int:
        """By the examiner."""
        return await self._tokens(self._cast.examiner.question(units, **told))

    async def of_judgement(self, question: str, answer: str, units: Sequence[OralUnit]) -> int:
        """By the judge."""
        return await self._tokens(self._cast.judge.judge(question, answer, units))

    async def _tokens(self, work: Awaitable[object]) -> int:
        before = self._sent.tokens
        with suppress(RoleFailed):
            await work
        return self._sent.tokens - before


@dataclass
class CallCounter:
    """Examiner and judge that count what their work would have taken of a language model."""

    examiner: Examiner
    by: OralJudge
    prompts: Prompts
    target: Target | None = None
    sparing: bool = False
    """as graphs.oral_exam.cast.SparingExaminer: no model words a question for one unit alone"""
    tokens: Counter[str] = field(default_factory=Counter)

    async def question(self, units: Sequence[OralUnit], *, form: QuestionForm, **told: Any) -> str:
        """As the examiner words it; the target is told for which units."""
        asked = await self.examiner.question(units, form=form, **told)
        if not (self.sparing and form is QuestionForm.SINGLE):
            sent = await self.prompts.of_question(units, form=form, **told)
            self._count("question", sent + estimated_tokens(asked))
        if self.target is not None:
            self.target.asked, self.target.form = units, form
        return asked

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]:
        """As the judge finds."""
        found = await self.by.judge(question, answer, units)
        sent = await self.prompts.of_judgement(question, answer, units)
        self._count("judgement", sent + estimated_tokens(_written(found)))
        return found

    def _count(self, what: str, tokens: int) -> None:
        self.tokens[what] += tokens
        self.tokens[f"calls: {what}"] += 1


def _written(judgements: Sequence[UnitJudgement]) -> str:
    """What the judge's model writes: each covered unit by its number, with quote, reason and verdict."""
    covered = [(n, each) for n, each in enumerate(judgements, start=1) if each.covered]
    return json.dumps([{"point": n, "quote": j.quote, "reason": _REASON, "correct": j.correct} for n, j in covered])


async def examined(
    world: World, cast: OralCast, embedder: Embedder, prompts: Prompts, seed: int, *, sparing: bool = True
) -> tuple[OralProgress, Counter[str], list[OralTurn]]:
    """The oral examination of the simulated target, to the end."""
    target = Target(world, Random(seed + 1))
    counted = CallCounter(cast.examiner, cast.judge, prompts, target, sparing)
    turns: dict[int, OralTurn] = {}
    session = OralSession(
        examinee=target.examinee,
        target=as_tool(target),
        cast=replace(cast, examiner=counted, judge=counted, units_per_judgement=prompts.units_per_judgement),
        sources=[Source(c, d) for c, d in zip(world.chunks, world.documents, strict=True)],
        embed=embedder.embed,
        # every unit is to have a verdict, however many are unknown
        limits=Limits(flat=0),
        keep_turn=lambda turn: turns.update({turn.number: turn}),
        plan=_plan(world),
    )
    standing, _ = await examine(session, [])
    return standing, counted.tokens, list(turns.values())


async def baseline(world: World, cast: OralCast, prompts: Prompts, seed: int) -> Counter[str]:
    """One question for each unit, and one judgement of what the target says to it."""
    target = Target(world, Random(seed + 2))
    counted = CallCounter(cast.examiner, cast.judge, prompts, target)
    for unit in world.units:
        asked = await counted.question([unit], subject=unit.topic, form=QuestionForm.SINGLE)
        answer = await target.answer(asked)
        await counted.judge(asked, answer.text, [unit])
    return counted.tokens


def _plan(world: World) -> OralPlan:
    topics = list(dict.fromkeys(unit.topic for unit in world.units))
    clusters = tuple(
        OralCluster(number=n, name=topic, unit_ids=tuple(u.id for u in world.units if u.topic == topic))
        for n, topic in enumerate(topics)
    )
    return OralPlan(
        id="simulated", units=tuple(world.units), clusters=clusters, how_clustered="By topic, as written."
    )


def figures(
    world: World, standing: OralProgress, turns: Sequence[OralTurn], oral: Counter[str], single: Counter[str]
) -> dict[str, Any]:
    """What is printed."""
    found = {unit_id: unit.status for unit_id, unit in standing.units.items()}
    agree = sum(found[i] is TRUE_STATUS[truth] for i, truth in world.truth.items())
    confusion = Counter(f"{truth} -> {found[i].value}" for i, truth in world.truth.items())
    cost = {name: oral[name] for name in ("question", "judgement")}
    base = {name: single[name] for name in ("question", "judgement")}
    return {
        "units": len(found),
        "clusters": len({unit.topic for unit in world.units}),
        "with_a_verdict": sum(status is not UnitStatus.OPEN for status in found.values()),
        "agreement": agree / len(found),
        "questions": len(turns),
        "forms": dict(sorted(Counter(turn.form.value for turn in turns).items())),
        "judgement_calls": oral["calls: judgement"],
        "tokens": cost,
        "baseline_tokens": base,
        "share_of_baseline": sum(cost.values()) / sum(base.values()),
        "saving": 1 - sum(cost.values()) / sum(base.values()),
        "reckon_saving": RECKON_SAVING,
        "verdicts": dict(sorted(confusion.items())),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=20, help="clusters, of 50 units each")
    parser.add_argument("--known", type=float, default=0.80)
    parser.add_argument("--wrong", type=float, default=0.12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model-asks-all", action="store_true", help="questions for one unit, too, are a model's")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    world = make_world(given.topics, (given.known, given.wrong), given.seed)
    embedder = SentenceTransformerEmbedder("minilm", threads=1)
    cast = offline_oral_cast(read_facts(world.documents, world.chunks), embedder)
    prompts = Prompts()
    started = time.perf_counter()
    standing, oral, turns = asyncio.run(
        examined(world, cast, embedder, prompts, given.seed, sparing=not given.model_asks_all)
    )
    single = asyncio.run(baseline(world, cast, prompts, given.seed))
    made = {**figures(world, standing, turns, oral, single), "seconds": round(time.perf_counter() - started, 1)}
    if given.json:
        print(json.dumps(made, indent=2))
        return
    for line in told(made):
        print(line)


def told(made: dict[str, Any]) -> list[str]:
    """The figures in words."""
    return [
        f"{made['with_a_verdict']} of {made['units']} units in {made['clusters']} clusters have a verdict",
        f"{made['agreement']:.1%} of the verdicts agree with the truth: {made['verdicts']}",
        f"{made['share_of_baseline']:.1%} of the tokens of one question and one judgement per unit",
        f"a saving of {made['saving']:.1%} (RecKon: {RECKON_SAVING:.1%})",
        f"{made['questions']} questions {made['forms']}, {made['judgement_calls']} judgements",
        f"tokens {made['tokens']}, per unit {made['baseline_tokens']}; {made['seconds']} s",
    ]


if __name__ == "__main__":
    main()
