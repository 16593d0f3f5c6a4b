"""`viva probe`: how often irrelevant changes of an answer change a judge's score."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.options import BaseUrl, CallTimeout, Concurrency, Json, MaxCalls, MaxCost, MaxTokens, Price, Rpm, Tpm
from viva.llm import interrupts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from viva.agents.judges.roles import Judge
    from viva.agents.roles import Progress
    from viva.core.records.judging import JudgeCard, LabelledCase, Probed, Quality
    from viva.core.settings import Settings
    from viva.graphs.grading.batch_judging import JudgePool
    from viva.graphs.grading.judge_lookup import Named
    from viva.graphs.robustness.probe_judge import Result

EPILOG = "Example: viva probe correctness --model openai:gpt-4o-mini --data answers.csv --label-range 1-5"
_SHOWN = 3
"""The most moved cases that are shown of each probe."""


def probe(
    judge: Annotated[
        str,
        typer.Argument(
            help="A quality that --model judges: correctness, rubric, answerability, faithfulness, relevance, "
            "groundedness, usefulness, stand_alone or preference; a quality with -offline at its end, such as "
            "correctness-offline; or the name of a tuned judge.",
            metavar="JUDGE",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="The language model that judges: PROVIDER:MODEL."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Labelled cases to try the probes on, good and bad ones: CSV, TSV or JSONL (default: the cases that "
            "come with viva).",
            metavar="FILE",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns of FILE, such as answer=COLUMN,reference=COLUMN,label=COLUMN (default: found by name)."
        ),
    ] = None,
    label_range: Annotated[str, typer.Option(help="The lowest and the highest label of FILE, such as 1-5.")] = "0-1",
    labels: Annotated[
        str | None, typer.Option(help='The numbers that labels in words stand for: "right=1,wrong=0".')
    ] = None,
    rival: Annotated[
        str | None,
        typer.Option(
            help="Another model, only for preference: does the judge prefer text that it wrote itself?",
            metavar="MODEL",
        ),
    ] = None,
    cases: Annotated[int, typer.Option(help="The most cases to try each probe on.", min=1)] = 40,
    seed: Annotated[int, typer.Option(help="Seed of the draw of cases.", min=0)] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps the calls to the model (default: viva-runs/judging).", metavar="DIR"),
    ] = None,
    base_url: BaseUrl = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    price: Price = None,
    concurrency: Concurrency = None,
    requests_per_minute: Rpm = None,
    tokens_per_minute: Tpm = None,
    call_timeout: CallTimeout = None,
    json: Json = False,
) -> None:
    """Try to mislead a judge: swap answers, make them longer, add praise or instructions. How often does it work?

    The result is stored with the judge, unless it has a result on more cases. If it is interrupted, run the same
    command again: it continues where it stopped.
    """
    given = {
        "base_url": base_url,
        "max_cost": max_cost,
        "max_tokens": max_tokens,
        "max_calls": max_calls,
        "price": tuple(price or ()),
        "concurrency": concurrency,
        "requests_per_minute": requests_per_minute,
        "tokens_per_minute": tokens_per_minute,
        "call_timeout_s": call_timeout,
        "model": (model,) if model else (),
    }
    from viva.cli.settings import settings_of
    from viva.cli.terminal.console import print_json
    from viva.cli.terminal.escape import output_kept_clean
    from viva.cli.terminal.progress import shown_progress
    from viva.graphs.grading.judge_lookup import named_judge
    from viva.graphs.robustness.probe_judge import with_probes
    from viva.storage.judges import outdone, remembered

    named = named_judge(judge)
    cases_at_hand = _cases(named.quality, data, columns, label_range, labels)
    settings = settings_of({name: value for name, value in given.items() if value not in (None, ())})
    work = _Work(named, cases_at_hand, seed, cases, settings, out, rival)
    with output_kept_clean(), shown_progress() as watch:
        card, results = work.done(lambda done, total: watch(f"probe {judge}", done, total))
    known = remembered(card)
    better = outdone(known, (result.probed for result in results if result.probed.tried))
    names = {each.probe for each in better}
    card = with_probes(known, [result for result in results if result.probed.probe not in names])
    if json:
        found = {"probes": [_told(result) for result in results], "kept": [each.model_dump() for each in better]}
        print_json({"card": card.model_dump(mode="json"), **found})
    else:
        _print(card, results, better)
    named.keep(card)


@dataclass(frozen=True)
class _Work:
    """The judge to probe, the cases, and the folder that keeps the calls."""

    named: Named
    cases: Sequence[LabelledCase]
    seed: int
    most: int
    settings: Settings
    out: Path | None
    rival: str | None

    def done(self, progress: Progress) -> tuple[JudgeCard, tuple[Result, ...]]:
        """The judge's card as it was, and the results. UsageError if model and judge do not go together."""
        from viva.core.errors import UsageError
        from viva.graphs.grading.batch_judging import FOLDER, at_the_bench

        if self.rival:
            self._check_rival()
        if self.named.asks_a_model:
            others = (self.rival,) if self.rival else ()
            return at_the_bench(
                self.out or FOLDER, self.settings, lambda pool: self._at(pool, progress), others=others
            )
        if self.settings.model or self.out:
            raise UsageError(
                f"The judge {self.named.name} uses no language model.", next_step="Leave out --model and --out."
            )
        from viva.llm.embeddings import SentenceTransformerEmbedder

        judge = self.named.without_model(SentenceTransformerEmbedder("minilm", threads=1))
        return judge.card, interrupts.run(self._probed(judge, progress))

    async def _at(self, pool: JudgePool, progress: Progress) -> tuple[JudgeCard, tuple[Result, ...]]:
        from viva.agents.judges.model.wording import Wording
        from viva.graphs.robustness.self_preference import Model, probe_self_preference

        judge = self.named.at(pool)
        results = await self._probed(judge, progress)
        if self.rival:
            asker, roles = pool.models.asker, pool.models.roles
            own = Model(Wording(asker, roles[0]), judge)
            rival = Model(Wording(asker, roles[1]), pool.judge(self.named.quality, place=1))
            texts = [each.case for each in self.cases]
            last = await probe_self_preference(own, rival, texts, seed=self.seed, most=self.most, progress=progress)
            results = (*results, last)
        return judge.card, results

    async def _probed(self, judge: Judge, progress: Progress) -> tuple[Result, ...]:
        from viva.graphs.robustness.probe_judge import probe as probed

        return await probed(judge, self.cases, seed=self.seed, most=self.most, progress=progress)

    def _check_rival(self) -> None:
        from viva.core.errors import UsageError
        from viva.core.records.judging import Quality

        if self.named.quality is not Quality.PREFERENCE or not self.named.asks_a_model:
            raise UsageError(
                f"--rival needs a language model that judges preference; {self.named.name} is not one.",
                next_step="For example: viva probe preference --model PROVIDER:MODEL --rival PROVIDER:MODEL",
            )


def _cases(
    quality: Quality, data: Path | None, columns: str | None, label_range: str, labels: str | None
) -> Sequence[LabelledCase]:
    from viva.graphs.robustness.known_cases import known_cases
    from viva.optimizers.labelled import read_labelled, read_pairs, read_range

    if data is None:
        return known_cases(quality)
    words = {name: float(value) for name, value in read_pairs(labels, "--labels").items()} if labels else None
    return read_labelled(
        data,
        quality,
        columns=read_pairs(columns, "--columns") if columns else None,
        label_range=read_range(label_range),
        label_words=words,
    ).cases


def _told(result: Result) -> dict[str, object]:
    counted = {"unjudged": result.unjudged, "no_room": result.no_room}
    examples = [example.model_dump(mode="json") for example in result.examples]
    return {**result.probed.model_dump(mode="json"), **counted, "examples": examples}


def _print(card: JudgeCard, results: Sequence[Result], better: Sequence[Probed]) -> None:
    """Print a table of how often each probe moved the judge, and some of the moved cases."""
    from rich.table import Table

    from viva.cli.terminal.console import wide_console
    from viva.cli.terminal.escape import plain
    from viva.cli.terminal.tables import percent_told
    from viva.graphs.robustness.perturbations import PROBES
    from viva.metrics.intervals import wilson

    console = wide_console()
    played = f" ({card.model})" if card.model else ""
    title = f"How often probes move the judge {card.name}{played}"
    table = Table(title=plain(title), title_justify="left", title_style="bold")
    for name in ("probe", "change"):
        table.add_column(name)
    for name in ("moved", "share (95%)", "no room", "unjudged"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        found = result.probed
        share = percent_told(wilson(found.moved, found.tried))
        moved = f"{found.moved} of {found.tried}"
        row = (found.probe, PROBES[found.probe], moved, share, str(result.no_room), str(result.unjudged))
        table.add_row(*(plain(cell) for cell in row))
    console.print(table)
    for result in results:
        for example in result.examples[:_SHOWN]:
            told = f"{example.before:.2g} to {example.after:.2g}: {example.reason[:200]}"
            console.print(plain(f"  {result.probed.probe}: {told}"))
    console.print(
        plain("  Moved: the score changed by a quarter of the scale or more. No room: it could not change so much.")
    )
    console.print(plain("  The result is stored with the judge; viva judges shows it."))
    for each in better:
        console.print(
            plain(f"  {each.probe}: the earlier result {each.moved} of {each.tried}, on more cases, is kept.")
        )
