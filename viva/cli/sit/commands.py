"""`viva sit`: systems take the whole exam, or with --sample a random part of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from viva.cli.inspect.leaderboard import print_unread_choices
from viva.cli.inspect.look import unread_as_json
from viva.cli.run.options import SitOptions
from viva.cli.run.stages import walk_stage
from viva.cli.settings import settings_given
from viva.cli.terminal.console import output_kept_clean, plain, print_json, shown_progress, wide_console
from viva.core.errors import UsageError
from viva.core.scores import SampleScore
from viva.graphs.context import RunContext
from viva.graphs.sitting.sample import sit_sample


def sit_run(given: SitOptions) -> None:
    """Run the command: a sitting of the whole exam, or of a sample."""
    if given.sample is not None:
        _sit_sample(given, given.sample)
        return
    walk_stage(given, "sit")
    if not given.json:
        wide_console().print(plain(f"For open questions on all of the documents: viva oral {given.run} -e SPEC"))


def _sit_sample(given: SitOptions, size: int) -> None:
    folder = given.run
    if not given.examinee:
        raise UsageError(
            "--sample is given, but no system is named.",
            next_step=f"Name a new system: viva sit {folder} --sample {size} -e my_rag.py:answer",
        )
    if given.repeats is not None:
        raise UsageError("--sample does not work with --repeats: a sample is asked once.", next_step="Leave one out.")
    if given.engine == "ray":
        raise UsageError("--sample does not work with --engine ray.", next_step="Leave --engine out.")
    # not remembered for later stages: the next sitting of the whole exam must not be this examinee's
    context = RunContext(folder, settings_given(given, folder))
    with output_kept_clean(), shown_progress() as watch:
        context.watch = watch
        found = sit_sample(context, size)
    with closing(RunContext(folder, settings_given(given, folder))) as sat:
        _show(sat, found, as_json=given.json)


def _show(context: RunContext, found: Sequence[SampleScore], *, as_json: bool) -> None:
    folder = context.folder
    if as_json:
        sittings = [score.model_dump(mode="json") for score in found]
        print_json({"folder": str(folder), "sittings": sittings, "unread_choices": unread_as_json(context)})
        return
    console = wide_console()
    for score in found:
        console.print(plain(score.examinee.name, style="bold"))
        for line in _lines(score):
            console.print(plain(f"  {line}"))
    print_unread_choices(console, context)
    console.print(plain(f"These systems are not on the leaderboard. Next: viva score {folder}"))


def _lines(score: SampleScore) -> list[str]:
    kinds = ", ".join(f"{kind} {count}" for kind, count in score.failures.items())
    asked = (
        f"Asked: {score.asked} of {score.items} questions, drawn at random. Not graded: {score.ungraded}"
        f"{f' ({kinds})' if kinds else ''}. No choice (wrong): {score.no_choice}."
    )
    share = score.accuracy
    if share is None:
        return [asked, "Accuracy was not measured, because no answer was graded."]
    how = "" if score.by_model else ", by the share of right answers alone: too few systems have taken the whole exam"
    interval = f"{share.value:.0%} (95%: {share.low:.0%} to {share.high:.0%})"
    return [asked, f"Estimated accuracy on all {score.items} questions: {interval}{how}."]
