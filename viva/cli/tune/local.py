"""The work of `viva tune local`: train, compare with the shipped judge on the test part, install if better."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from viva.cli.terminal.escape import output_kept_clean
from viva.cli.terminal.progress import shown_progress
from viva.cli.tune.options import TuneOptions
from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Make
from viva.core.records.tuning import Agreement, Cost, TuningReport
from viva.llm import interrupts
from viva.storage.lock import run_lock

if TYPE_CHECKING:
    from viva.agents.judges.roles import Judge
    from viva.agents.roles import Progress
    from viva.cli.tune.task import Task
    from viva.graphs.context import Watcher
    from viva.llm.embeddings import Embedder
    from viva.optimizers.objectives import Said

_HOW = "local training"
LEARNED = "learned.txt"
"""Beside the weights: hashes of the cases that they learned from or were chosen by, and of those cases' sources."""


def run_local(given: TuneOptions, task: Task) -> None:
    """Train on the labels of the task."""
    from viva.agents.judges.local.judge import LocalJudge
    from viva.cli.tune.names import check_name
    from viva.cli.tune.screen import print_plan, print_report
    from viva.cli.tune.task import out_folder, write_report
    from viva.llm.embedding_models import BUNDLED
    from viva.llm.embeddings import SentenceTransformerEmbedder
    from viva.optimizers.local_training import expected_steps
    from viva.optimizers.splits import unknown_to

    quality = task.quality
    own = f"{quality.value.replace('_', '-')}-{Make.LOCAL}"
    name = check_name(given.name or own, own)
    start = _start(given.start, task)
    before = _learned_by(start, given)
    task = replace(task, split=unknown_to(task.split, before))
    if given.dry_run:
        steps = expected_steps(quality, task.split.train)
        print_plan(task.data, quality, _HOW, 0, steps=steps, as_json=given.json)
        return
    folder = out_folder(given, f"tune-local-{quality.value}-{given.data.stem}")
    begun = time.monotonic()
    with output_kept_clean(), shown_progress() as watch, run_lock(folder):

        def told(done: int, total: int) -> None:
            watch("Training", done, total)

        embedder = SentenceTransformerEmbedder(BUNDLED)
        base = _base(task, embedder)
        weights = folder / "judge"
        card = _trained(task, start, weights, told)
        write_whole(weights / LEARNED, "\n".join(sorted(before | task.split.learned)))
        learned = f"{task.data.name} {task.data.fingerprint}, {task.data.train} cases"
        card = card.model_copy(update={"name": name, "trained_on": (learned,)})
        measured = _measured(task, card, base, LocalJudge.load(weights, embedder), weights, watch)
        seconds = round(time.monotonic() - begun, 1)
        report = measured.model_copy(update={"cost": Cost(seconds=seconds)})
        report = write_report(report, folder, given.start or "")
    print_report(report, folder, as_json=given.json)


def _trained(task: Task, start: Path | None, weights: Path, progress: Progress) -> JudgeCard:
    """Train, unless the same training has ended in this folder before."""
    from viva.agents.judges.local.storing import read_card
    from viva.core.ids import content_hash
    from viva.optimizers.labelled import fingerprint
    from viva.optimizers.local_training import train_local

    train, validation = task.split.train, task.split.validation
    begun = read_card(start).content if start else ""
    stamp = content_hash("trained", task.quality, fingerprint(train), fingerprint(validation), task.seed, begun)
    done = weights / ".trained"
    if done.is_file() and done.read_text("ascii", errors="replace") == stamp:
        return read_card(weights)
    done.unlink(missing_ok=True)
    card = train_local(task.quality, train, validation, out=weights, seed=task.seed, progress=progress, base=start)
    done.write_text(stamp, encoding="ascii")
    return card


def _start(name: str | None, task: Task) -> Path | None:
    """The folder of the judge whose weights training starts from; None for the bundled MiniLM."""
    from viva.agents.judges.local.storing import shipped
    from viva.graphs.grading.judge_lookup import SHIPPED
    from viva.storage.judges import find_judge

    if name is None:
        return None
    if name == SHIPPED:
        return shipped(task.quality)
    found = find_judge(name, (SHIPPED,))
    if found.card.make is not Make.LOCAL or found.weights is None:
        raise UsageError(
            f"--start {name} has no weights.", allowed="A local judge that viva judges lists, or shipped."
        )
    return found.weights


def _learned_by(start: Path | None, given: TuneOptions) -> frozenset[str]:
    """What these weights learned from, as hashes: none of it may be in the test part."""
    from viva.graphs.grading.judge_lookup import SHIPPED

    # docs/local-judge.md names the public data of the judges that ship
    if start is None or given.start == SHIPPED:
        return frozenset()
    try:
        return frozenset((start / LEARNED).read_text("ascii").split())
    except OSError:
        if given.test:
            return frozenset()
        raise UsageError(
            f"It is not recorded which cases --start {given.start} learned from: some could be in the test part.",
            next_step="Name cases that it has not seen: --test FILE. Or train it again, and start from that.",
        ) from None


def _base(task: Task, embedder: Embedder) -> Judge:
    """The judge without training: the shipped local judge, else the rule-based one."""
    from viva.agents.judges.local.judge import LocalJudge
    from viva.agents.judges.offline.judge import OfflineJudge

    try:
        return LocalJudge.shipped(task.quality, embedder)
    except UsageError:
        return OfflineJudge(task.quality, embedder)


def _measured(
    task: Task, card: JudgeCard, base: Judge, trained: Judge, weights: Path, watch: Watcher
) -> TuningReport:
    """Measure both judges on the test part, decide, and install the trained one if it is adopted."""
    from viva.agents.judges.local.storing import write_card
    from viva.optimizers.adoption import decide
    from viva.optimizers.judge_agreement import agreement_of, worst_of
    from viva.optimizers.objectives import objective_for
    from viva.storage.judges import install_weights, remember

    objective, test, data = objective_for(task.quality, task.split.train), task.split.test, task.data

    def said(judge: Judge, stage: str) -> Said:
        cases = [each.case for each in test]
        return interrupts.run(judge.judge(cases, lambda done, total: watch(stage, done, total)))

    def agreement(what: Said) -> Agreement:
        return agreement_of(test, what, in_classes=objective.in_classes, seed=task.seed)

    before, after = said(base, f"Judging: {base.card.name}"), said(trained, "Judging: the trained judge")
    decision = decide(objective, test, before, after, seed=task.seed)
    plain, tuned = agreement(before), agreement(after)
    remember(base.card.model_copy(update={"measured": plain.measured(data.test_name, data.test_fingerprint)}))
    card = card.model_copy(update={"measured": tuned.measured(data.test_name, data.test_fingerprint)})
    write_card(weights, card)
    return TuningReport(
        judge=card.name,
        quality=task.quality,
        model="",
        base_name=base.card.name,
        optimizer=_HOW,
        seed=task.seed,
        statistic=objective.name,
        data=data,
        base=plain,
        tuned=tuned,
        decision=decision,
        worst=worst_of(test, after if decision.adopted else before),
        weights=str(weights),
        installed=str(install_weights(card, weights).file) if decision.adopted else "",
    )
