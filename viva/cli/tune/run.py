"""The work of `viva tune`: read and split the labels, tune, install the judge, write the report."""

from __future__ import annotations

import os
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viva.cli.settings import MODEL_SETTINGS, chosen_settings, settings_of
from viva.cli.terminal.process import long_command
from viva.cli.tune.options import TuneOptions
from viva.cli.tune.task import Task, read_labels, write_report
from viva.core.errors import UsageError
from viva.core.records.judging import Quality
from viva.core.records.tuning import Cost, TuningReport
from viva.core.settings import Settings
from viva.graphs.resources.run_settings import calls_folder
from viva.optimizers.splits import split
from viva.storage.lock import run_lock

if TYPE_CHECKING:
    from viva.graphs.context import Watcher
    from viva.graphs.grading.batch_judging import JudgePool
    from viva.optimizers.dspy_optimizers import Optimizer
    from viva.optimizers.efforts import Effort
    from viva.optimizers.tuning import Tuned


def _task(given: TuneOptions, quality: Quality) -> Task:
    labelled = read_labels(given.data, quality, given)
    test = read_labels(given.test, quality, given) if given.test else None
    return Task(quality, labelled, test, split(labelled.cases, test.cases if test else None), given.seed)


def run_tuning(given: TuneOptions) -> None:
    """Run the command."""
    # tqdm reads this at its import: optimizers would draw a progress bar for every batch
    os.environ.setdefault("TQDM_DISABLE", "1")
    from viva.cli.tune.names import check_name
    from viva.cli.tune.screen import print_plan, print_report
    from viva.graphs.grading.batch_judging import opened_judge_pool
    from viva.graphs.grading.judge_lookup import quality_named
    from viva.llm.loops import BackgroundLoop
    from viva.optimizers.dspy_optimizers import expected_calls, optimizer

    quality = quality_named(given.judge)
    if given.name:
        check_name(given.name)
    chosen, effort = optimizer(given.optimizer or "LabeledFewShot"), _effort(given.effort)
    settings = settings_of({**chosen_settings(given, MODEL_SETTINGS), "seed": given.seed})
    task = _task(given, quality)
    calls = expected_calls(chosen, effort, len(task.split.train), len(task.split.validation), len(task.split.test))
    if given.dry_run:
        # a preference is asked in both orders
        calls *= 2 if quality is Quality.PREFERENCE else 1
        print_plan(task.data, quality, f"{chosen.name} ({given.effort or 'light'})", calls, as_json=given.json)
        return
    folder = calls_folder(given.out, f"tune-{quality.value}-{given.data.stem}")
    begun = time.monotonic()
    with long_command() as watch, run_lock(folder), BackgroundLoop() as background:
        stack = AsyncExitStack()
        try:
            pool = background.run(stack.enter_async_context(opened_judge_pool(folder, settings)))
            tuned = _tuned(task, chosen, effort, pool, background, settings, watch)
        finally:
            # requests that were sent reach the ledger, also after an error
            background.run(stack.aclose())
        report = _kept(given, task, tuned, pool, chosen.name, time.monotonic() - begun, folder)
    print_report(report, folder, as_json=given.json)


def _tuned(
    task: Task,
    chosen: Optimizer,
    effort: Effort,
    pool: JudgePool,
    background: Any,
    settings: Settings,
    watch: Watcher,
) -> Tuned:
    from viva.optimizers.tuning import TuningSession, tune

    session = TuningSession(
        gateway=pool.models.gateway,
        background=background,
        judge=lambda compiled: pool.judge(task.quality, program=compiled),
        max_reply_tokens=settings.max_reply_tokens,
        threads=settings.concurrency,
        watch=watch,
    )
    return tune(task.quality, task.split, chosen, effort, session, seed=task.seed)


def _kept(
    given: TuneOptions, task: Task, tuned: Tuned, pool: JudgePool, chosen: str, seconds: float, folder: Path
) -> TuningReport:
    """Write the report, store the figures of the base judge, and install the tuned judge if it was adopted."""
    from viva.cli.tune.names import usual_name
    from viva.storage.judges import install_program, remember

    model, quality, data = str(pool.models.roster.of("judge")), task.quality, task.data
    settings = pool.models.settings
    name = given.name or usual_name(quality, model)
    base = pool.judge(quality).card.model_copy(
        update={"measured": tuned.base.measured(data.test_name, data.test_fingerprint, tuned.people)}
    )
    remember(base)
    installed = ""
    if tuned.compiled is not None and tuned.tuned is not None and tuned.decision.adopted:
        card = pool.judge(quality, program=tuned.compiled).card.model_copy(
            update={
                "name": name,
                "optimizer": f"{chosen}, {given.effort or 'light'}, seed {task.seed}, "
                f"temperature {settings.temperature}",
                "trained_on": (f"{data.name} {data.fingerprint}",),
                "measured": tuned.tuned.measured(data.test_name, data.test_fingerprint, tuned.people),
            }
        )
        installed = str(install_program(card, tuned.compiled.to_json()).file)
    report = TuningReport(
        judge=name,
        quality=quality,
        model=model,
        optimizer=chosen,
        effort=given.effort or "light",
        seed=task.seed,
        statistic="mcc" if tuned.base.figure("spearman") is None else "spearman",
        data=data,
        candidates=tuned.candidates,
        base=tuned.base,
        tuned=tuned.tuned,
        people=tuned.people,
        decision=tuned.decision,
        worst=tuned.worst,
        cost=_cost(pool, seconds),
        instructions=tuned.compiled.instructions if tuned.compiled else "",
        demos=len(tuned.compiled.demos) if tuned.compiled else 0,
        installed=installed,
    )
    return write_report(report, folder, *settings.model, settings.temperature, settings.base_url or "")


def _cost(pool: JudgePool, seconds: float) -> Cost:
    spent = pool.models.spent
    return Cost(requests=spent.requests, tokens=spent.tokens, dollars=spent.cost, seconds=round(seconds, 1))


def _effort(name: str | None) -> Effort:
    from viva.optimizers.efforts import EFFORTS

    if (name or "light") not in EFFORTS:
        raise UsageError(f"--effort is {name!r}.", allowed=f"One of {', '.join(EFFORTS)}.")
    return EFFORTS[name or "light"]
