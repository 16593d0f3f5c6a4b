"""The stages of a run, from documents to report: what is checked and shown before they begin, and what they made.

Results, reports and the oral examination are imported where they are needed: a gate needs none, and starts sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viva.api.result import Result
from viva.api.settings import argument, read_arguments
from viva.api.terminal import shown_progress
from viva.core.accounts import OwnExam
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.exams.formats import import_exam
from viva.exams.formats.judged_sets import folder_format
from viva.graphs.assembly.own_questions import EDITED, GivenExam, settled_edits
from viva.graphs.context import RunContext
from viva.graphs.resources.casts import check_models
from viva.graphs.resources.run_settings import Naming, read_settings, run_folder, settings_of_run
from viva.graphs.runner import run_stages, take_own_exam
from viva.graphs.stages import Stage
from viva.storage.corpus.remote import documents_at
from viva.storage.corpus.source import DocumentSource
from viva.storage.run_place import found_place


def _unsaid(sentences: Iterable[str]) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Caller:
    """How a caller names settings, is informed before work begins, and is asked about an exam that was edited."""

    naming: Naming = argument
    say: Callable[[Iterable[str]], None] = _unsaid
    ask: Callable[[str], str | None] | None = None
    """take, restore, or None to stop"""
    brief: bool = False
    """whether questions beyond the exam are not announced"""


@dataclass(frozen=True)
class ExamChoice:
    """The exam of a run where it is not the one that the run wrote: a file, or the edited copy in its folder."""

    file: Path | None = None
    edited: str | None = None
    """take, or restore"""

    def given(self) -> GivenExam | None:
        """Read the file. UsageError where it is no exam."""
        return None if self.file is None else GivenExam(import_exam(self.file), str(self.file))

    def settled(self, context: RunContext, caller: Caller) -> GivenExam | None:
        """Give the file, or the edited copy if it is to be taken. UsageError where it is edited and nobody says."""
        if own := self.given():
            return own
        if self.edited is not None and self.edited not in EDITED:
            raise UsageError(f"--edited-exam is {self.edited!r}.", allowed="take, or restore.")
        ask = caller.ask
        choose = (lambda changed: EDITED.get(ask(changed) or "")) if ask else None
        return settled_edits(context, EDITED[self.edited] if self.edited else None, choose)


@contextmanager
def opened_folder(folder: Path, database_url: str | None = None) -> Iterator[RunContext]:
    """Open what a run folder holds, to read it."""
    with closing(RunContext(folder, read_arguments({"database_url": database_url} if database_url else {}))) as found:
        yield found


def documents_named(docs: str | None, loader: str | None) -> Path | DocumentSource:
    """Give the documents of a path, an address or a loader. UsageError for two, for none, and for a wrong name."""
    if docs is not None and loader is None:
        return documents_at(docs)
    if loader is not None and docs is None:
        from viva.graphs.resources.document_loader import LoaderSource

        return LoaderSource.of(loader)
    raise UsageError(
        "No documents are named." if docs is None else "Both DOCS and --loader are given.",
        allowed="DOCS is a folder, a file or an address; --loader names a LangChain document loader.",
        next_step="Give one of the two.",
    )


def exam_folder(file: Path, out: Path | None) -> Path:
    """Give the run folder of an exam without documents: the one named, or a folder named after the file."""
    return run_folder(file if file.is_dir() else file.with_suffix(""), out)


def run_from_documents(
    docs: str | None,
    loader: str | None,
    out: Path | None,
    chosen: Mapping[str, Any],
    last: Stage,
    *,
    exam: ExamChoice = ExamChoice(),
    caller: Caller = Caller(),
) -> Result:
    """Do the stages from the documents to the last one that is wanted. A file of questions needs no documents."""
    settings = read_settings(chosen, caller.naming)
    if chosen.get("oral_questions") and not settings.model:
        raise UsageError(GONE["oral examination by rules"])
    own = exam.given()
    if own and docs is None and loader is None:
        context = RunContext(exam_folder(Path(own.file), out), settings)
        return _performed(context, "sit", last, own, caller, chosen)
    documents = documents_named(docs, loader)
    folder = run_folder(documents, out)
    if last == "report" and not own and found_place(folder, settings.database_url) is not None:
        with closing(RunContext(folder, settings)) as before:
            own = exam.settled(before, caller)
    return _performed(RunContext(folder, settings, documents_folder=documents), "ingest", last, own, caller, chosen)


def run_stage(
    folder: Path,
    chosen: Mapping[str, Any],
    stage: Stage,
    *,
    exam: ExamChoice = ExamChoice(),
    again: bool = False,
    caller: Caller = Caller(),
) -> Result:
    """Do one stage of a run that is there."""
    settings = settings_of_run(folder, chosen, caller.naming)
    with closing(RunContext(folder, settings)) as before:
        own = exam.settled(before, caller)
    context = RunContext(folder, settings, again=again)
    if "judge" in chosen or "qualities" in chosen:
        from viva.graphs.grading.graders import check_judge

        # the run keeps the names for its next stages
        check_judge(context)
    if stage == "score" and not own:
        from viva.graphs.results import check_pairs

        # before the names are kept for later scores
        check_pairs(context)
    return _performed(context, stage, stage, own, caller, chosen)


def _performed(
    context: RunContext, first: Stage, last: Stage, own: GivenExam | None, caller: Caller, chosen: Mapping[str, Any]
) -> Result:
    from viva.api.results.run_state import stage_result

    done = perform(context, first, last, own=own, caller=caller, repeated="repeats" in chosen)
    examined = first in {"ingest", "sit"} and last in {"sit", "score", "report"}
    sat = done.candidates.specs if examined else ()
    with opened_folder(done.folder, done.settings.database_url) as found:
        return stage_result(found, last, sat, done.sittings)


def perform(
    context: RunContext,
    first: Stage,
    last: Stage,
    *,
    own: GivenExam | None = None,
    caller: Caller = Caller(),
    repeated: bool = False,
) -> RunContext:
    """Do the stages, with an exam that was given if there is one; the context that did them.

    What is wrong is reported before anything is asked. Raises as `run_stages` does.
    """
    from viva.reports.write import write_report

    examines = last in {"sit", "score", "report"} and first in {"ingest", "sit"}
    with shown_progress() as watch:
        context.watch, context.write_report = watch, write_report
        if examines:
            # a mistyped examinee is reported before the exam is written, not after
            context.candidates.check()
        if own:
            taken = take_own_exam(context, own)
            context, first = context.anew(), "sit" if first == "ingest" else first
            context.documents_folder = None
            if last not in {"score", "report"}:
                # their summary says it
                caller.say(taken.sentences)
        if examines:
            _announce(context, last, caller, repeated=repeated)
        if first in {"ingest", "write"} and last != "ingest":
            check_models(context.settings, context.models)
        run_stages(context, first, last)
    return context


def _announce(context: RunContext, last: Stage, caller: Caller, *, repeated: bool) -> None:
    """Say, before any system is asked, what it will be asked beyond the exam."""
    from viva.graphs.sitting.reference_examinees import budget, check_repeats

    if repeated:
        check_repeats(context)
    if not caller.brief:
        caller.say(budget(context, diagnosis=last == "report"))
    if last != "sit":
        from viva.graphs.grading.graders import check_judge
        from viva.graphs.oral_exam.stage import announced

        check_judge(context)
        caller.say(announced(context.settings, context.candidates.specs))


# --- a file of questions, and a sample --------------------------------------------------------------------


def exam_alone(place: Path, out: Path | None, chosen: Mapping[str, Any], exam: ExamChoice) -> GivenExam | None:
    """Give the exam of a file that is sat without documents; None where the place is a run folder."""
    is_run = place.is_dir() and found_place(place, chosen.get("database_url")) is not None
    if is_run or (place.is_dir() and not folder_format(place)) or not place.exists():
        if out is not None:
            raise UsageError(
                f"--out is for a file of questions, and {place} is none.",
                next_step="Leave --out out, or name a file.",
            )
        return None
    if exam.file is not None:
        raise UsageError(
            f"Both {place} and --exam {exam.file} are exams.",
            next_step="Name a run with --exam FILE, or one file alone.",
        )
    if not chosen.get("examinees"):
        raise UsageError(
            f"{place} is sat without documents, and no system is named.",
            allowed="The panel of reference systems searches documents.",
            next_step=f"Name your system: viva sit {place} --examinee my_rag.py:answer. With documents: "
            f"viva run DOCS --exam {place}",
        )
    return ExamChoice(place).given()


def take_given(
    own: GivenExam,
    out: Path | None,
    chosen: Mapping[str, Any],
    documents: Path | DocumentSource | None = None,
    caller: Caller = Caller(),
) -> tuple[Path, OwnExam]:
    """Make the exam of a file that of a run, with these documents or without; the run folder, and what was taken."""
    folder = exam_folder(Path(own.file), out) if documents is None else run_folder(documents, out)
    is_there = found_place(folder, chosen.get("database_url")) is not None
    settings = settings_of_run(folder, chosen, caller.naming) if is_there else read_settings(chosen, caller.naming)
    with shown_progress() as watch:
        taken = take_own_exam(RunContext(folder, settings, documents_folder=documents, watch=watch), own)
    caller.say(taken.sentences)
    return folder, taken


def run_sample(folder: Path, chosen: Mapping[str, Any], size: int, *, exam: ExamChoice, caller: Caller) -> Result:
    """Ask systems a random part of the exam. Not remembered: the next sitting of all of it must not be theirs."""
    settings = settings_of_run(folder, chosen, caller.naming)
    with closing(RunContext(folder, settings)) as before:
        own = exam.settled(before, caller)
    if own:
        caller.say(take_own_exam(RunContext(folder, settings), own).sentences)
    return sampled(RunContext(folder, settings), size)


def sampled(context: RunContext, size: int) -> Result:
    """Ask the context's systems so many questions, and estimate their accuracy on the whole exam."""
    from viva.api.results.run_state import sample_result
    from viva.graphs.sitting.sample import sit_sample

    with shown_progress() as watch:
        context.watch = watch
        found = sit_sample(context, size)
    with opened_folder(context.folder, context.settings.database_url) as sat:
        return sample_result(sat, found)
