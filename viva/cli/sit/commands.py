"""`viva sit`: systems take the whole exam, or with --adaptive a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from rich.console import Console

from viva.cli.run.options import SitOptions
from viva.cli.run.stages import walk_stage
from viva.cli.settings import settings_given
from viva.cli.terminal.console import print_json, wide_console
from viva.cli.terminal.escape import output_kept_clean, plain
from viva.cli.terminal.progress import shown_progress
from viva.core.errors import UsageError
from viva.core.records import Response
from viva.core.scores import AdaptiveScore, Estimate
from viva.graphs.context import RunContext
from viva.graphs.sitting.adaptive import AdaptiveOutcome, Aims, sit_adaptively
from viva.metrics.irt.adaptive.bank import ENOUGH_EXAMINEES
from viva.metrics.unread_choices import examples_of, is_noted

_AIMS = {each.name: each.default for each in fields(Aims)}
_REASONS = {
    "precise": "the standard error of the ability is as small as asked for",
    "budget": "the budget of questions is used up",
    "bank exhausted": "every question was asked",
}


def sit_run(given: SitOptions) -> None:
    """Run the command: a plain or an adaptive sitting."""
    aims = {name: value for name in _AIMS if (value := getattr(given, name)) is not None}
    if given.adaptive:
        _sit_adaptively(given, Aims(**aims))
        return
    if aims:
        option = next(iter(aims)).replace("target_se", "se-target")
        raise UsageError(f"--{option} has no effect without --adaptive.", next_step="Add --adaptive.")
    walk_stage(given, "sit")
    if not given.json:
        wide_console().print(plain(f"For open questions on all of the documents: viva oral {given.run} -e SPEC"))


def _sit_adaptively(given: SitOptions, aims: Aims) -> None:
    folder = given.run
    if not given.examinee:
        raise UsageError(
            "--adaptive is given, but no system is named.",
            next_step=f"Name a new system: viva sit {folder} --adaptive -e my_rag.py:answer",
        )
    if given.engine == "ray":
        raise UsageError("--adaptive does not work with --engine ray.", next_step="Leave --engine out.")
    # not remembered for later stages: the next plain sitting must not be this examinee's
    context = RunContext(folder, settings_given(given, folder))
    with output_kept_clean(), shown_progress() as watch:
        context.watch = watch
        outcomes = sit_adaptively(context, aims)
    if given.json:
        print_json({"folder": str(folder), "aims": asdict(aims), "sittings": [_as_json(o) for o in outcomes]})
        return
    console = wide_console()
    for outcome in outcomes:
        _print_outcome(console, outcome, aims)
    console.print(
        plain(f"These systems have a table of their own; they are not on the leaderboard. Next: viva score {folder}")
    )


def _as_json(outcome: AdaptiveOutcome) -> dict[str, Any]:
    record = outcome.record
    return {
        **outcome.score.model_dump(mode="json"),
        "asked_now": outcome.asked_now,
        "calibrated_by": list(record.calibrated_by),
        "prior": {"mean": record.prior_mean, "sd": record.prior_sd},
        "path": [
            {
                "item": response.item_id,
                "phase": phase,
                "right": right,
                "ability": known[0] if known else None,
                "se": known[1] if known else None,
            }
            for response, phase, right, known in _steps(outcome)
        ],
    }


def _steps(outcome: AdaptiveOutcome) -> Sequence[tuple[Response, str, bool | None, tuple[float, float] | None]]:
    return list(zip(outcome.responses, outcome.phases, outcome.right, outcome.path, strict=True))


def _print_outcome(console: Console, outcome: AdaptiveOutcome, aims: Aims) -> None:
    score, record = outcome.score, outcome.record
    earlier = score.asked - outcome.asked_now
    console.print(plain(score.examinee.name, style="bold"))
    for number, (response, phase, right, known) in enumerate(_steps(outcome), start=1):
        said = {None: "failed", True: "right", False: "wrong"}[right]
        ability = f"{known[0]:+.2f} ± {known[1]:.2f}" if known else "not measured"
        drawn = "  (drawn at random)" if phase == "random" else ""
        console.print(plain(f"  {number:3d}  {response.item_id[:8]}  {said:6}  {ability}{drawn}"))
    if score.ability and score.accuracy and score.ability_se is not None:
        console.print(plain(f"  Ability: {_interval(score.ability, '+.2f')}, standard error {score.ability_se:.2f}."))
        console.print(
            plain(f"  Estimated accuracy on all {score.items} questions: {_interval(score.accuracy, '.0%')}.")
        )
    else:
        console.print(
            plain(f"  Ability and accuracy were not measured, because all {score.asked} responses are failures.")
        )
    console.print(
        plain(
            f"  Asked: {score.asked} of {score.items} questions, {score.drawn} of them drawn at random"
            + (f"; {earlier} were answered before" if earlier else "")
            + f". Failed: {score.ungraded}{_kinds(score)}. No choice (wrong): {score.no_choice}."
        )
    )
    for line in _unread(outcome):
        console.print(plain(f"  {line}"))
    reason = _REASONS.get(score.reason, score.reason)
    aim = f" ({aims.target_se:g})" if score.reason == "precise" else ""
    console.print(plain(f"  Ended: {reason}{aim}."))
    count = len(record.calibrated_by)
    console.print(
        plain(
            f"  The questions were calibrated on {count} examinees. The interval of the ability takes them as known."
        )
    )
    if record.told_by < ENOUGH_EXAMINEES:
        enough = f"{ENOUGH_EXAMINEES} examinees that answer differently"
        console.print(plain(f"  No question was chosen for its information: that needs {enough}."))


def _unread(outcome: AdaptiveOutcome) -> list[str]:
    """A note on answers that mean no option, where there are many."""
    score = outcome.score
    if not is_noted(score.no_choice, score.asked - score.ungraded):
        return []
    texts = [r.text for r in outcome.responses if r.failure is None and r.choice is None]
    told = "; ".join(f"“{each}”" for each in examples_of(texts))
    return [f"No option could be read in {score.no_choice} of its answers, for example: {told}."]


def _kinds(score: AdaptiveScore) -> str:
    told = ", ".join(f"{kind} {count}" for kind, count in score.failures.items())
    return f" ({told})" if told else ""


def _interval(found: Estimate, form: str) -> str:
    return f"{found.value:{form}} (95%: {found.low:{form}} to {found.high:{form}})"
