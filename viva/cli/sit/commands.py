"""`viva sit`: systems take the whole exam, or with --sample a random part of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.inspect.leaderboard import print_unread_choices
from viva.cli.inspect.look import unread_as_json
from viva.cli.run.options import SitOptions
from viva.cli.run.stages import edited_of, exam_folder, given_exam, print_taken, walk_stage
from viva.cli.settings import settings_given
from viva.cli.terminal.process import long_command
from viva.core.errors import UsageError
from viva.core.scores import SampleScore
from viva.exams.formats import import_exam
from viva.exams.formats.judged_sets import folder_format
from viva.graphs.assembly.own_questions import GivenExam
from viva.graphs.context import RunContext
from viva.graphs.runner import take_own_exam
from viva.graphs.sitting.sample import sit_sample
from viva.storage.run_place import found_place


def sit_run(given: SitOptions) -> None:
    """Run the command: a sitting of the whole exam, or of a sample; of a run's exam, or of one's own."""
    alone = _exam_alone(given)
    if alone is not None:
        own, folder = alone
        exists = found_place(folder, given.database_url) is not None
        context = RunContext(folder, settings_given(given, folder if exists else None))
        print_taken(take_own_exam(context, own))
        # its evidence and its copies are settled
        given = replace(given, run=folder, exam=None)
    if given.sample is not None:
        _sit_sample(given, given.sample)
        return
    walk_stage(given, "sit")
    if not given.json and alone is None:
        wide_console().print(plain(f"For open questions on all of the documents: viva oral {given.run} -e SPEC"))


def _exam_alone(given: SitOptions) -> tuple[GivenExam, Path] | None:
    """The exam of FILE and its run folder; None where RUN is a run."""
    place = given.run
    is_run = place.is_dir() and found_place(place, given.database_url) is not None
    if is_run or (place.is_dir() and not folder_format(place)) or not place.exists():
        if given.out is not None:
            raise UsageError(
                f"--out is for a file of questions, and {place} is none.",
                next_step="Leave --out out, or name a file.",
            )
        return None
    if given.exam is not None:
        raise UsageError(
            f"Both {place} and --exam {given.exam} are exams.",
            next_step="Name a run with --exam FILE, or one file alone.",
        )
    if not given.examinee:
        raise UsageError(
            f"{place} is sat without documents, and no system is named.",
            allowed="The panel of reference systems searches documents.",
            next_step=f"Name your system: viva sit {place} --examinee my_rag.py:answer. With documents: "
            f"viva run DOCS --exam {place}",
        )
    return GivenExam(import_exam(place), str(place)), exam_folder(place, given.out)


def _sit_sample(given: SitOptions, size: int) -> None:
    folder = given.run
    if not given.examinee:
        raise UsageError(
            "--sample is given, but no system is named.",
            next_step=f"Name a new system: viva sit {folder} --sample {size} -e my_rag.py:answer",
        )
    if given.again:
        raise UsageError("--again asks the whole exam, not a sample.", next_step="Leave out --sample or --again.")
    if given.repeats is not None:
        raise UsageError("--sample does not work with --repeats: a sample is asked once.", next_step="Leave one out.")
    if given.engine == "ray":
        raise UsageError("--sample does not work with --engine ray.", next_step="Leave --engine out.")
    # not remembered for later stages: the next sitting of the whole exam must not be this examinee's
    settings = settings_given(given, folder)
    with closing(RunContext(folder, settings)) as before:
        own = given_exam(given.exam) or edited_of(before, given.edited_exam, as_json=given.json)
    if own:
        print_taken(take_own_exam(RunContext(folder, settings), own))
    context = RunContext(folder, settings)
    with long_command() as watch:
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
