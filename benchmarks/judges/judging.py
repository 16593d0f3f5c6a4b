"""What a judgement costs: requests, tokens and CPU for each quality, with demonstrations, and when it is repeated.

    python benchmarks/judges/judging.py                    # 240 cases of each quality
    python benchmarks/judges/judging.py --cases 1000 --json

The model is the fake one of the tests, so that nothing is paid: tokens are estimated (a token per four bytes). The
CPU of the first time holds what the fake model thinks; that of the second, served from the ledger, is judge, DSPy and
models.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/support"))

from fake_model import provider
from known_cases import known_cases

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.forms import FORMS
from viva.core.records.judging import Case, Quality
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import judge_cases, opened_judge_pool

SHOWN = 4
"""Demonstrations of a compiled judge."""


@dataclass(frozen=True)
class JudgingCost:
    """Per case."""

    quality: str
    demos: int
    requests: float
    tokens: float
    cpu_ms: float
    again_ms: float
    """when the ledger serves it"""


def cases_of(quality: Quality, wanted: int) -> list[Case]:
    """As many different cases: the known ones, numbered."""
    known, made = known_cases(quality), list[Case]()
    for number in count():
        for each in known:
            if len(made) == wanted:
                return made
            question = f"{each.case.question} ({number})" if number else each.case.question
            made.append(each.case.model_copy(update={"question": question}))
    return made


async def measured(quality: Quality, wanted: int, demos: int) -> JudgingCost:
    """One quality at a door of its own."""
    cases = cases_of(quality, wanted)
    program = _program(quality, demos) if demos else None
    with TemporaryDirectory() as folder:
        async with opened_judge_pool(Path(folder), Settings(model=("fake:any",), concurrency=64)) as pool:
            await judge_cases(pool.judge(quality, program=program), cases[:1])
            before, begun = pool.models.spent, time.process_time()
            await judge_cases(pool.judge(quality, program=program), cases)
            cpu, spent = time.process_time() - begun, pool.models.spent
            begun = time.process_time()
            await judge_cases(pool.judge(quality, program=program), cases)
            again = time.process_time() - begun
    asked = len(cases) - 1
    return JudgingCost(
        quality.value,
        demos,
        (spent.requests - before.requests) / asked,
        (spent.tokens - before.tokens) / asked,
        1000 * cpu / asked,
        1000 * again / len(cases),
    )


def _program(quality: Quality, demos: int) -> Compiled:
    form = FORMS[quality]
    shown = []
    for each in known_cases(quality)[:demos]:
        gives = dict.fromkeys(form.brief.gives, "The passages say so.")
        shown.append({**form.inputs(each.case), **gives, **form.label(each.label)})
    return Compiled(form.brief.signature.instructions, tuple(shown))


def main() -> None:
    parser = argparse.ArgumentParser(description="What a judgement costs.")
    parser.add_argument("--cases", type=int, default=240)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    provider.register()
    found = [asyncio.run(measured(quality, told.cases, 0)) for quality in Quality]
    # a judgement of claims has no label that could be shown
    found.append(asyncio.run(measured(Quality.CORRECTNESS, told.cases, SHOWN)))
    if told.json:
        print(json.dumps([asdict(cost) for cost in found], indent=1))
        return
    print("quality          demos  requests  tokens  CPU ms  CPU ms again   (per case)")
    for cost in found:
        print(
            f"{cost.quality:16s} {cost.demos:5d}  {cost.requests:8.2f}  {cost.tokens:6.0f}"
            f"  {cost.cpu_ms:6.1f}  {cost.again_ms:12.1f}"
        )


if __name__ == "__main__":
    main()
