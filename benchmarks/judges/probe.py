"""How often irrelevant changes of an answer change a judge's score, and whether a model prefers its own words.

    python benchmarks/judges/probe.py correctness-offline
    python benchmarks/judges/probe.py correctness --model openai:gpt-4o-mini --data answers.csv --label-range 1-5
    python benchmarks/judges/probe.py preference --model openai:gpt-4o-mini --rival anthropic:claude-sonnet-4-5
    python benchmarks/judges/probe.py ... --json

The judge is a quality that --model judges, a quality with -offline at its end, or the name of a tuned judge. Calls
are kept in --out: the same command is answered from there. Without --data the cases are those of known_cases.py.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import asdict
from pathlib import Path

from judge_probes import CASES, ProbeFinding
from judge_probes import probe as probed
from judge_tricks import PROBES
from known_cases import known_cases
from self_preference import Model, probe_self_preference

from viva.agents.judges.roles import Judge
from viva.core.errors import UsageError
from viva.core.records.judging import LabelledCase, Quality
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import JudgePool, opened_judge_pool
from viva.graphs.grading.judge_lookup import Named, named_judge
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.metrics.intervals import wilson
from viva.optimizers.labelled import read_labelled, read_pairs, read_range
from viva.storage.lock import run_lock

SHOWN = 3
"""The most moved cases that are shown of each probe."""


def cases_of(quality: Quality, given: argparse.Namespace) -> Sequence[LabelledCase]:
    """The labelled cases of --data, or the invented ones."""
    if given.data is None:
        return known_cases(quality)
    words = (
        {name: float(value) for name, value in read_pairs(given.labels, "--labels").items()} if given.labels else {}
    )
    columns = read_pairs(given.columns, "--columns") if given.columns else {}
    return read_labelled(
        given.data, quality, columns=columns, label_range=read_range(given.label_range), label_words=words
    ).cases


async def found_by(named: Named, given: argparse.Namespace) -> tuple[ProbeFinding, ...]:
    """What the probes find of the judge."""
    cases = cases_of(named.quality, given)

    async def tried(judge: Judge) -> tuple[ProbeFinding, ...]:
        return await probed(judge, cases, seed=given.seed, most=given.cases)

    if not named.asks_a_model:
        return await tried(named.without_model(SentenceTransformerEmbedder("minilm", threads=1)))
    async with AsyncExitStack() as stack:
        own = await _pool(stack, given.out, given.model, given.base_url)
        found = await tried(named.at(own))
        if not given.rival:
            return found
        rival = await _pool(stack, given.out / "rival", given.rival, given.base_url)
        model = Model(own.models.asker, named.at(own))
        other = Model(rival.models.asker, rival.judge(named.quality))
        texts = [each.case for each in cases]
        return (*found, await probe_self_preference(model, other, texts, seed=given.seed, most=given.cases))


async def _pool(stack: AsyncExitStack, folder: Path, model: str | None, base_url: str | None) -> JudgePool:
    settings = Settings(model=(model,) if model else (), base_url=base_url)
    return await stack.enter_async_context(opened_judge_pool(folder, settings))


def shown(name: str, results: Sequence[ProbeFinding]) -> None:
    """A line for each probe, and some of the cases that it moved."""
    print(f"How often probes move the judge {name} (share of moved with its 95% interval; no room; unjudged)")
    for each in results:
        share = wilson(each.moved, each.tried)
        told = "-" if share is None else f"{share.value:.2f} [{share.low:.2f}, {share.high:.2f}]"
        figures = f"{each.moved:3} of {each.tried:3} {told:19} {each.no_room:3} {each.unjudged:3}"
        print(f"{each.probe:27} {figures}  {PROBES[each.probe]}")
        for example in each.examples[:SHOWN]:
            print(f"    {example.before:.2g} to {example.after:.2g}: {example.reason[:200]!a}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judge")
    parser.add_argument("--model", help="PROVIDER:MODEL that judges")
    parser.add_argument("--rival", help="of preference: PROVIDER:MODEL whose wordings stand beside the judge's own")
    parser.add_argument("--base-url", help="of the models' server")
    parser.add_argument("--data", type=Path, help="labelled cases, good and bad ones: CSV, TSV or JSONL")
    parser.add_argument(
        "--columns", help="answer=COLUMN,reference=COLUMN,label=COLUMN, where they have unusual names"
    )
    parser.add_argument("--label-range", default="0-1")
    parser.add_argument("--labels", help="the numbers that labels in words stand for: right=1,wrong=0")
    parser.add_argument("--cases", type=int, default=CASES, help="the most cases of each probe")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("viva-runs/judging"), help="folder that keeps the calls")
    parser.add_argument("--json", action="store_true", help="the figures for machines")
    given = parser.parse_args(arguments)
    try:
        named = named_judge(given.judge)
        if given.rival and (named.quality is not Quality.PREFERENCE or not named.asks_a_model):
            parser.error("--rival needs a language model that judges preference")
        with run_lock(given.out) if named.asks_a_model else nullcontext():
            if given.rival:
                (given.out / "rival").mkdir(exist_ok=True)
            results = asyncio.run(found_by(named, given))
    except UsageError as error:
        sys.exit(str(error))
    if given.json:
        told = [
            asdict(each) | {"examples": [one.model_dump(mode="json") for one in each.examples]} for each in results
        ]
        print(json.dumps(told, indent=1))
        return
    shown(named.name, results)


if __name__ == "__main__":
    main()
