"""Tuning a judge on labels of people: the better judge is installed only if it agrees better with them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viva.api.calling import outside_loop
from viva.api.judges.agreement import Pairs, agreement_result, label_sentences, read_labels, worst_sentences
from viva.api.result import Column, Kind, Result, Table
from viva.api.terminal import shown_progress
from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Quality
from viva.core.records.tuning import CandidatePrompt, Cost, Data, TuningReport
from viva.core.settings import Settings
from viva.core.wording import counted, seconds
from viva.graphs.grading.judge_lookup import check_name, quality_named, usual_name
from viva.graphs.resources.run_settings import calls_folder, read_settings
from viva.metrics.judges.paired import LEAST_GROUPS
from viva.optimizers.efforts import EFFORTS
from viva.storage.lock import run_lock

if TYPE_CHECKING:
    from viva.graphs.grading.batch_judging import JudgePool
    from viva.optimizers.dspy_optimizers import Optimizer
    from viva.optimizers.splits import LabelSplit
    from viva.optimizers.tuning import Tuned

_SMALL = 50
_FEW_SOURCES = 20
"""With fewer test cases, or sources of them, only large differences can be detected."""


def tune(
    judge: str,
    labels: str | Path,
    *,
    test: str | Path | None = None,
    columns: Pairs = None,
    label_range: tuple[float, float] | str = (0.0, 1.0),
    label_words: Pairs = None,
    optimizer: str = "LabeledFewShot",
    effort: str = "light",
    name: str | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    dry_run: bool = False,
    settings: Settings | None = None,
    **chosen: Any,
) -> Result:
    """Make a judge of a quality agree better with people, and install it only if it does.

    The labels are split into three parts: to learn from, to choose by, and to report on (or `test`, a file of its
    own). `dry_run`: how they are read and split, and how many calls it needs. `chosen`: settings such as
    model="openai:gpt-4o-mini" and max_cost=2.0. What was paid for is kept in `out`, and not paid twice.
    """
    # tqdm reads this at its import: optimizers would draw a progress bar for every batch
    os.environ.setdefault("TQDM_DISABLE", "1")
    from viva.optimizers.dspy_optimizers import optimizer as optimizer_named
    from viva.optimizers.judge_agreement import data_of
    from viva.optimizers.splits import split

    quality = quality_named(judge)
    if name:
        check_name(name)
    how = optimizer_named(optimizer)
    if effort not in EFFORTS:
        raise UsageError(f"--effort is {effort!r}.", allowed=f"One of {', '.join(EFFORTS)}.")
    if isinstance(model := chosen.get("model"), str):
        chosen["model"] = (model,)
    settings = settings or read_settings({**chosen, "seed": seed}, lambda field: f"The argument {field}")
    read = [read_labels(Path(f), quality, columns, label_range, label_words) for f in (labels, test) if f]
    cases, tested = read[0], read[1] if test else None
    parts = split(cases.cases, tested.cases if tested else None)
    task = _Task(quality, how, effort, name, seed, settings, data_of(cases, tested, parts, seed=seed), parts)
    if dry_run:
        return task.plan()
    folder = calls_folder(Path(out) if out else None, f"tune-{quality.value}-{Path(labels).stem}")
    return outside_loop(partial(task.run, folder))


@dataclass(frozen=True)
class _Task:
    """One tuning: what is tuned how, and the labels as they were read and split."""

    quality: Quality
    how: Optimizer
    effort: str
    name: str | None
    seed: int
    settings: Settings
    data: Data
    split: LabelSplit

    def plan(self) -> Result:
        """Say how the labels are read and split, and the most calls that it needs."""
        from viva.optimizers.dspy_optimizers import expected_calls

        data, how = self.data, f"{self.how.name} ({self.effort})"
        calls = expected_calls(self.how, EFFORTS[self.effort], data.train, data.validation, data.test)
        # a preference is asked in both orders
        calls *= 2 if self.quality is Quality.PREFERENCE else 1
        needs = f"It would make about {counted(calls, 'call')}, or fewer if it finds little. No model was asked."
        record = {"quality": self.quality.value, "how": how, "calls": calls, "data": data.model_dump(mode="json")}
        return Result(f"Tuning {self.quality.value} by {how}", (), (*_data_sentences(data), needs), record)

    def run(self, folder: Path) -> Result:
        """Search, decide, install the judge if it was adopted, and write the report."""
        from viva.graphs.grading.batch_judging import opened_judge_pool
        from viva.llm.loops import BackgroundLoop
        from viva.optimizers.tuning import TuningSession, tune

        begun = time.monotonic()
        with shown_progress() as watch, run_lock(folder), BackgroundLoop() as background:
            stack = AsyncExitStack()
            try:
                pool = background.run(stack.enter_async_context(opened_judge_pool(folder, self.settings)))
                session = TuningSession(
                    gateway=pool.models.gateway,
                    background=background,
                    judge=lambda compiled: pool.judge(self.quality, program=compiled),
                    max_reply_tokens=self.settings.max_reply_tokens,
                    threads=self.settings.concurrency,
                    watch=watch,
                )
                tuned = tune(self.quality, self.split, self.how, EFFORTS[self.effort], session, seed=self.seed)
            finally:
                # requests that were sent reach the ledger, also after an error
                background.run(stack.aclose())
            report = self._kept(tuned, pool, time.monotonic() - begun)
            report = write_report(
                report, folder, *self.settings.model, self.settings.temperature, self.settings.base_url or ""
            )
        return report_result(report, folder)

    def _kept(self, tuned: Tuned, pool: JudgePool, took: float) -> TuningReport:
        """Store the figures of the base judge, and install the tuned judge if it was adopted."""
        from viva.storage.judges import install_program, remember

        model, data, spent = str(pool.models.roster.of("judge")), self.data, pool.models.spent
        name = self.name or usual_name(self.quality, model)
        labels = (data.test_name, data.test_fingerprint, tuned.people)
        remember(pool.judge(self.quality).card.model_copy(update={"measured": tuned.base.measured(*labels)}))
        installed = ""
        if tuned.compiled is not None and tuned.tuned is not None and tuned.decision.adopted:
            by = f"{self.how.name}, {self.effort}, seed {self.seed}, temperature {self.settings.temperature}"
            card = pool.judge(self.quality, program=tuned.compiled).card.model_copy(
                update={
                    "name": name,
                    "optimizer": by,
                    "trained_on": (f"{data.name} {data.fingerprint}",),
                    "measured": tuned.tuned.measured(*labels),
                }
            )
            installed = str(install_program(card, tuned.compiled.to_json()).file)
        return TuningReport(
            judge=name,
            quality=self.quality,
            model=model,
            optimizer=self.how.name,
            effort=self.effort,
            seed=self.seed,
            statistic="mcc" if tuned.base.figure("spearman") is None else "spearman",
            data=data,
            candidates=tuned.candidates,
            base=tuned.base,
            tuned=tuned.tuned,
            people=tuned.people,
            decision=tuned.decision,
            worst=tuned.worst,
            cost=Cost(requests=spent.requests, tokens=spent.tokens, dollars=spent.cost, seconds=round(took, 1)),
            instructions=tuned.compiled.instructions if tuned.compiled else "",
            demos=len(tuned.compiled.demos) if tuned.compiled else 0,
            installed=installed,
        )


def write_report(report: TuningReport, folder: Path, *asked: str | float) -> TuningReport:
    """Write the report as JSON and HTML, with the number of other tunings decided on the same test cases.

    `asked`: what the models were asked with, besides what the report says. Another tuning has another name.
    """
    from viva.reports.tuning import render_tuning

    data = report.data
    told = content_hash("tuning", report.model, data.fingerprint, data.test_fingerprint, *asked)[:8]
    parts = ("tuning", report.quality.value, report.optimizer, report.effort, str(report.seed), told)
    name = re.sub(r"[^\w.-]+", "-", "-".join(filter(None, parts))).lower()
    file = folder / f"{name}.json"
    earlier = sum(
        data.test_fingerprint in other.read_text(encoding="utf-8", errors="replace")
        for other in folder.glob("tuning-*.json")
        if other != file
    )
    report = report.model_copy(update={"earlier": earlier, "page": file.with_suffix(".html").name})
    write_whole(file, report.model_dump_json(indent=1) + "\n")
    write_whole(file.with_suffix(".html"), render_tuning(report))
    return report


# --- in words -----------------------------------------------------------------------------------------------


def report_result(report: TuningReport, folder: Path) -> Result:
    """Put a report into tables and sentences: the verdict, the labels, the candidates, the agreement."""
    title = f"Tuning {report.quality.value} by {report.optimizer} ({report.effort}) with {report.model}"
    judges = [(name, found) for name, found in (("base", report.base), ("tuned", report.tuned)) if found]
    agreement = agreement_result(
        judges, report.people, f"Agreement with people on {report.data.test} test cases, 95% intervals"
    )
    used = "tuned" if report.decision.adopted and report.tuned else "base"
    parts = [
        Result(title, (), (*_verdict(report), *_data_sentences(report.data))),
        _candidates(report),
        agreement,
        Result("", (), (*worst_sentences(report.worst, f"the {used} judge"), *_cost(report, folder))),
    ]
    return Result.joined(title, parts, report.model_dump(mode="json"))


def _verdict(report: TuningReport) -> Iterator[str]:
    decision = report.decision
    head = "Adopted." if decision.adopted else "Not adopted: the base judge stays in use."
    yield f"  {head} {decision.why}"
    if decision.fell_back:
        yield f"  {report.statistic} could not decide: {decision.fell_back}"
    if report.earlier:
        yield (
            f"  Other tunings in this folder that were decided on the same test cases: {report.earlier}. About one "
            "useless tuning in forty is adopted by chance. Check with new test cases: --test FILE"
        )


def _data_sentences(data: Data) -> Iterator[str]:
    yield from label_sentences(data, data.people)
    merged = f" ({data.merged} of them are several groups with nearly the same text)" if data.merged else ""
    yield (
        f"  Split by content, none of {counted(data.groups, 'source')} divided{merged}: {data.train} to learn from, "
        f"{data.validation} to choose by, {data.test} to report on."
    )
    if data.test < _SMALL or data.test_groups < _FEW_SOURCES:
        none = f"; with fewer than {LEAST_GROUPS} sources no judge is adopted"
        yield (
            f"  {counted(data.test, 'test case')} of {counted(data.test_groups, 'source')} are few: only a large "
            f"difference can be detected{none if data.test_groups < LEAST_GROUPS else ''}."
        )


def _candidates(report: TuningReport) -> Result:
    columns = (Column(report.statistic, Kind.NUMBER, 3), Column("candidate"), Column("chosen"), Column("note"))
    rows = tuple((each.value, each.how, each.chosen, _note(each)) for each in report.candidates)
    table = Table("Candidates on the validation part", columns, rows)
    return Result(table.title, (table,)) if rows else Result("", ())


def _note(each: CandidatePrompt) -> str:
    notes = [each.undefined, f"{each.unjudged} not judged" if each.unjudged else "", each.refused]
    return " ".join(note.rstrip(".") + "." for note in notes if note)


def _cost(report: TuningReport, folder: Path) -> Iterator[str]:
    cost = report.cost
    yield (
        f"  All tunings in {folder}: {cost.requests:,} requests, {cost.tokens:,} tokens, "
        f"${cost.dollars:.4f} where prices are known. This one took {seconds(cost.seconds)}."
    )
    if report.installed:
        yield f"  Installed as {report.judge}: {report.installed}"
    yield f"  The whole report: {folder / report.page}"
