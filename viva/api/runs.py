"""A run in Python: let systems take its exam, and look at what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from viva.api.calling import in_thread, outside_loop
from viva.api.exams import ExamQuestions
from viva.api.result import Column, Kind, Result, Table
from viva.api.run_scores import RunScores
from viva.api.settings import argument, as_settings, named_person, parted
from viva.api.systems import SystemPanel, specs_of
from viva.api.terminal import say, shown_progress
from viva.api.text import shortened
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.records import LiveSpec
from viva.graphs.context import RunContext
from viva.graphs.resources.run_settings import Naming, settings_of_run

if TYPE_CHECKING:
    from viva.api.pairs import PairResult
    from viva.api.results.gate import GateResult
    from viva.core.accounts import OwnExam
    from viva.examinees.specs.records import Spec
    from viva.exams.published import GateAnswers, Publication
    from viva.exams.review import Decision
    from viva.graphs.assembly.own_questions import GivenExam
    from viva.storage.corpus.source import DocumentSource


_LISTED = 50
"""The most that is listed of what was left out of a file."""
_ANSWERS = 5
"""The most wrong answers that are printed one by one."""


def open_run(folder: str | Path, *, database_url: str | None = None) -> Run:
    """Open a run folder. UsageError where it holds no run."""
    run = Run(Path(folder), database_url)
    with run.opened() as context:
        _ = context.store.run
    return run


def view_runs(
    *folders: Path,
    host: str = "127.0.0.1",
    port: int = 8321,
    read_only: bool = False,
    by: str | None = None,
    database_url: str | None = None,
    browser: bool = True,
    at: str | None = None,
    export: Path | None = None,
) -> None:
    """Serve the pages of runs until an interrupt, or write them to the folder `export`.

    `by`: who reviews and labels; `at`: the id of a question, knowledge unit or system whose page is opened.
    """
    from viva.viewer.serving import View, export_pages, serve

    wanted = View(folders, host, port, read_only, named_person(by, "by"), database_url)
    if export is not None:
        export_pages(wanted, export)
    else:
        serve(wanted, browser=browser, at=at)


def open_exam(path: str | Path, format: str | None = None, *, database_url: str | None = None) -> Exam:  # noqa: A002
    """Open the latest exam of a run folder, or the exam of a file in a format that can be read."""
    from viva.exams.formats.judged_sets import folder_format

    path = Path(path)
    if not path.is_dir() or folder_format(path):
        return Exam.read(path, format)
    if format:
        raise UsageError(
            f"--format {format} is for a file, and {path} is a run folder.", next_step="Leave --format out."
        )
    return Run(path, database_url).exam


class Run:
    """A run folder: its documents, its exam, and who took it. What is done is kept in the folder."""

    def __init__(self, folder: Path, database_url: str | None = None, naming: Naming = argument) -> None:
        """Name the folder, and how the caller names settings; nothing is read yet."""
        self.folder = folder
        self._database_url = database_url
        self._naming = naming
        self._systems: dict[str, Spec] = {}

    # --- what is there

    @property
    def exam(self) -> Exam:
        """The latest exam. UsageError where none was written."""
        from viva.graphs.stages import exam_of

        with self.opened() as context:
            return Exam(exam_of(context.store, self.folder), self)

    @property
    def scores(self) -> RunScores:
        """The latest scores. UsageError where nothing was scored."""
        from viva.graphs.results import scores_of

        with self.opened() as context:
            return RunScores(scores_of(context.store, self.folder), self)

    @property
    def documents(self) -> Result:
        """The documents that were read, and the files that were left out, with the reason."""
        with self.opened() as context:
            chunks = Counter(chunk.document_id for chunk in context.chunks.values())
            read = tuple((each.path, chunks[each.id]) for each in context.documents.values())
            left_out = tuple((each.path, each.reason, each.detail) for each in context.store.exclusions())
        return Result(
            f"{len(read)} documents, {len(left_out)} left out",
            (
                Table("Documents", (Column("document"), Column("chunks", Kind.NUMBER)), read),
                Table("Left out", (Column("file"), Column("reason"), Column("detail")), left_out),
            ),
        )

    @property
    def rejected(self) -> Result:
        """The drafts that became no question, and the questions that the final reader would not print, with why."""
        return self.drafts_rejected()

    def drafts_rejected(self, type: str | None = None, contains: str | None = None, limit: int = 0) -> Result:  # noqa: A002
        """List what became no question, or is not printed: of this type, with this text, so many (0: all)."""
        from viva.api.results.listings import rejections_result

        with self.opened() as context:
            return rejections_result(context, type, contains, limit)

    def questions(self, type: str | None = None, contains: str | None = None, limit: int = 0) -> Result:  # noqa: A002
        """List the questions of the exam: of this type, with this text, so many (0: all)."""
        from viva.api.results.listings import questions_result

        with self.opened() as context:
            return questions_result(context, type, contains, limit)

    @property
    def state(self) -> Result:
        """Documents, what became of the knowledge units, leaderboard, failures, causes, spending."""
        from viva.api.results.run_state import state_result

        with self.opened() as context:
            return state_result(context)

    @property
    def spent(self) -> Result:
        """What was asked of language models and what it cost, by role and model."""
        from viva.api.results.spending import spent_result

        with self.opened() as context:
            return spent_result(context)

    def trace(self, question: str) -> Result:
        """Give every step of the committee for a question or a rejected draft, named by its id or its words."""
        from viva.api.results.listings import trace_result

        with self.opened() as context:
            return trace_result(context, question, self.folder)

    def document_paths(self) -> dict[str, str]:
        """Give the path of each document by its id."""
        with self.opened() as context:
            return {i: document.path for i, document in context.documents.items()}

    # --- who takes it

    def examine(self, *specs: str | SystemPanel, again: bool = False, **systems: Any) -> RunScores:
        """Let systems take the exam, and score all who took it; nobody is asked a question twice.

        `systems`: NAME=SYSTEM. A system is a function of the question, an object with a method answer or invoke (such
        as LangChain's and LangGraph's), or a spec of `viva sit -e`, such as "bm25+openai:gpt-4o-mini". `specs`:
        further ones, which name themselves, and viva.panel(). `again`: ask anew what was answered before. Settings of
        `viva sit`, such as timeout_s, are given by name too. Raises UsageError for a system that cannot be asked;
        what it raises later is a failed response.
        """
        return outside_loop(partial(self._examined, specs, systems, again=again))

    async def examine_async(self, *specs: str | SystemPanel, again: bool = False, **systems: Any) -> RunScores:
        """Let systems take the exam as `examine` does, while this event loop goes on."""
        return await in_thread(partial(self._examined, specs, systems, again=again))

    def _examined(self, specs: tuple[str | SystemPanel, ...], given: Mapping[str, Any], *, again: bool) -> RunScores:
        from viva.api.results.run_state import failure_sentences
        from viva.api.stages import perform
        from viva.graphs.sitting.kept_answers import sittings_of

        context = perform(self._sitting(specs, given, again=again), "sit", "score")
        examined, ended = context.candidates.specs, context.sittings
        called = self._called(examined)
        with self.opened() as context:
            told = [each.sentence for each in sittings_of(context.store, examined, ended) if each.kept]
            told += _versions(called)
            told += failure_sentences(context, [spec.examinee.id for spec in examined])
        return replace(self.scores, called=called).with_notes(*told)

    def _called(self, examined: Sequence[Spec]) -> dict[str, str]:
        """By the name that was given, that on the board; a changed system has a version there."""
        found = {spec.examinee.spec if isinstance(spec, LiveSpec) else "": spec.examinee.name for spec in examined}
        found.pop("", None)
        self._systems.update({given: spec for spec in examined if (given := spec.examinee.spec) in found})
        self._systems.update({spec.examinee.name: spec for spec in examined})
        return found

    def examine_sample(self, size: int, *specs: str | SystemPanel, **systems: Any) -> Result:
        """Ask systems a random part of the exam; their accuracy on all of it is estimated."""
        return outside_loop(partial(self._sampled, size, specs, systems))

    def _sampled(self, size: int, specs: tuple[str | SystemPanel, ...], given: Mapping[str, Any]) -> Result:
        from viva.api.stages import sampled

        return sampled(self._sitting(specs, given), size)

    def gate(
        self,
        system: Any = None,
        *,
        baseline: str | Path | GateAnswers | None = None,
        max_drop: float = 3,
        alpha: float = 0.05,
        power: float = 0.8,
        save: str | Path | None = None,
        again: bool = False,
        **systems: Any,
    ) -> GateResult:
        """Tell whether one system is worse than a baseline, with as few questions as will do (docs/gate.md).

        `system`: as for `examine`, or NAME=SYSTEM. `baseline`: the name of a system that has sat this exam, or a file
        that `save` wrote. `max_drop`: the drop in points of accuracy that must not pass. `alpha`: at most so often a
        system that is no worse is called worse; `power`: at least so often a drop of `max_drop` does not pass.
        `save`: ask all of the exam and write the answers, as the baseline of later gates.
        """
        from viva.api.gate import gate_rule, hold_gate

        rule = gate_rule(max_drop, alpha, power)
        named = {} if system is None or isinstance(system, str) else {_name_of(system): system}
        specs = (system,) if isinstance(system, str) else ()

        def work() -> GateResult:
            context = self._sitting(specs, {**named, **systems}, again=again)
            with shown_progress() as context.watch:
                return hold_gate(context, baseline, rule, save)

        return outside_loop(work)

    def _sitting(
        self, specs: tuple[str | SystemPanel, ...], given: Mapping[str, Any], *, again: bool = False
    ) -> RunContext:
        chosen, systems = parted(given)
        context = self._context(chosen)
        context.again = again
        context.systems = specs_of(systems, specs, context.settings)
        context.candidates.check()
        called = self._called(context.candidates.specs)
        # a pair is named by the names that were given, which may have a version on the board
        pairs = tuple(" vs ".join(called.get(n, n) for n in pair.split(" vs ")) for pair in context.settings.pairs)
        context.settings = context.settings.model_copy(update={"pairs": pairs})
        return context

    def score(self, **settings: Any) -> RunScores:
        """Score anew all who took the exam, with these settings of `viva score`, such as judge or pairs."""
        return outside_loop(partial(self._scored, settings))

    def _scored(self, settings: Mapping[str, Any]) -> RunScores:
        from viva.api.stages import run_stage

        run_stage(self.folder, self._chosen(settings), "score")
        return self.scores

    def refine(self, rounds: int = 3, *, replenish: bool = False, **settings: Any) -> Result:
        """Drop questions that say little about systems; with `replenish`, write others and ask systems these too."""
        return outside_loop(partial(self._refined, rounds, settings, replenish=replenish))

    def _refined(self, rounds: int, settings: Mapping[str, Any], *, replenish: bool) -> Result:
        from viva.api.results.listings import refinement_result
        from viva.graphs.refinement.refine import refine_run
        from viva.graphs.resources.casts import check_models

        context = self._context(settings)
        with shown_progress() as watch:
            context.watch = watch
            if replenish:
                check_models(context.settings, context.models)
            return refinement_result(self.folder, refine_run(context, rounds, replenish=replenish))

    def refresh(self, docs: str | Path | DocumentSource, *, check: bool = False, **settings: Any) -> Result:
        """Compare the exam with newer documents: valid questions stay, changed ones and orphans are set aside.

        As many questions are written for documents that are new or changed, and the run goes on with these documents
        (docs/refresh.md). `check`: only say what would be done. Raises UsageError where nothing of the evidence is in
        the documents, BudgetReached where the budget ended the writing: the same call goes on.
        """
        return outside_loop(partial(self._refreshed, docs, settings, check=check))

    def _refreshed(self, docs: str | Path | DocumentSource, settings: Mapping[str, Any], *, check: bool) -> Result:
        from viva.api.results.refresh import refresh_result
        from viva.graphs.refinement.refresh import refresh_run
        from viva.storage.corpus.remote import documents_at

        context = self._context(settings)
        context.documents_folder = documents_at(str(docs)) if isinstance(docs, str | Path) else docs
        with shown_progress() as context.watch:
            return refresh_result(self.folder, refresh_run(context, check=check), check=check)

    def compare(self, first: str, second: str) -> PairResult:
        """Compare two scored systems: the verdict, why they differ, what an answer of each takes."""
        from viva.api.pairs import PairResult
        from viva.graphs.results import compare_systems

        with self.opened() as context:
            return PairResult.of(compare_systems(context, first, second))

    def exposure(self) -> Result:
        """Show who was put the questions how often, and whether published ones are answered better."""
        from viva.api.results.publishing import exposure_result
        from viva.graphs.sitting.exposure import exposure_of
        from viva.graphs.stages import exam_of

        with self.opened() as context:
            return exposure_result(exposure_of(context, exam_of(context.store, self.folder)))

    def diagnose(self, *names: str, **systems: Any) -> Result:
        """Find out why systems answered wrong: ask those questions again, with other passages.

        `names`: of systems that this Run object has examined. Others are given again, as to `examine`.
        """
        return outside_loop(partial(self._diagnosed, names, systems))

    def _diagnosed(self, names: tuple[str, ...], given: Mapping[str, Any]) -> Result:
        from viva.api.results.causes import causes_result
        from viva.graphs.diagnosis.diagnose import diagnose_run

        context = self._asking(names, given)
        with shown_progress() as watch:
            context.watch = watch
            return causes_result(diagnose_run(context), _ANSWERS, {"folder": str(self.folder)})

    def oral(
        self,
        *names: str,
        questions: int | None = None,
        tries: int | None = None,
        flat: int | None = None,
        **systems: Any,
    ) -> Result:
        """Examine systems orally, until each knowledge unit of the documents has a verdict; a language model asks.

        Raises BudgetReached where the budget ended it; its `result` is what was found by then.

        `questions`: the most for each system; `tries`: the most about one unit alone; `flat`: so many in a row that
        settle no unit end the examination.
        """
        limits = {"questions": questions, "tries": tries, "flat": flat}
        return outside_loop(partial(self._oral, names, {n: v for n, v in limits.items() if v is not None}, systems))

    def _oral(self, names: tuple[str, ...], limits: Mapping[str, Any], given: Mapping[str, Any]) -> Result:
        from viva.api.results.oral import oral_result
        from viva.core.gone import GONE
        from viva.graphs.oral_exam.conduct import examine_orally
        from viva.graphs.oral_exam.state import Limits
        from viva.graphs.resources.casts import check_models

        context = self._asking(names, given)
        if not context.settings.model:
            raise UsageError(GONE["oral examination by rules"])
        with shown_progress() as watch:
            context.watch = watch
            check_models(context.settings, context.models)
            found = oral_result(examine_orally(context, Limits(**limits)), {"folder": str(self.folder)})
        if context.stopped is not None:
            context.stopped.result = found
            raise context.stopped
        return found

    def _asking(self, names: tuple[str, ...], given: Mapping[str, Any]) -> RunContext:
        """Open the run to ask these systems, or those of the setting examinees; their names are not remembered."""
        chosen, systems = parted(given)
        context = self._context(chosen)
        if names or systems or not chosen.get("examinees"):
            context.systems = self._examined_before(names, systems, context.settings)
        context.candidates.check()
        return context

    # --- pages

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML file that needs no network; where it is. UsageError without scores."""
        return outside_loop(partial(self._reported, path))

    def _reported(self, path: str | Path | None) -> Path:
        from viva.api.stages import perform
        from viva.graphs.results import REPORT_FILE

        perform(self._context({}), "report", "report")
        written = self.folder / REPORT_FILE
        if path is None:
            return written
        from viva.exams.file import write_file

        write_file(written.read_bytes(), path)
        return Path(path)

    def view(self, port: int = 0) -> str:
        """Serve the run's pages on this machine until Python ends, read-only; the address."""
        from viva.viewer.serving import View, serve_in_background

        return serve_in_background(View((self.folder,), "127.0.0.1", port, True, "", self._database_url))

    # --- the folder

    def opened(self) -> AbstractContextManager[RunContext]:
        """Open what the folder holds, to read it."""
        from viva.api.stages import opened_folder

        return opened_folder(self.folder, self._database_url)

    def review(self, *decisions: Decision) -> Path:
        """Make the exam as people's decisions and these leave it; its file. UsageError if nothing is left."""
        from viva.exams.review import REVIEWS_FILE, ReviewLog
        from viva.graphs.assembly.own_questions import EXAM_FILE
        from viva.graphs.stages import review
        from viva.storage.lock import run_lock

        log = ReviewLog(self.folder / REVIEWS_FILE)
        with self.opened() as context, run_lock(self.folder), context.store.server_lock():
            for decision in decisions:
                with log.deciding():
                    log.append(decision)
            review(context, log.read())
        return self.folder / EXAM_FILE

    def _context(self, chosen: Mapping[str, Any]) -> RunContext:
        return RunContext(self.folder, settings_of_run(self.folder, self._chosen(chosen), self._naming))

    def _chosen(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        return {**as_settings(chosen), **({"database_url": self._database_url} if self._database_url else {})}

    def _examined_before(self, names: tuple[str, ...], systems: Mapping[str, Any], settings: Settings) -> list[Spec]:
        unknown = [name for name in names if name not in self._systems]
        if unknown:
            raise UsageError(
                f"{unknown[0]} was not examined by this Run object, so that it cannot be asked again.",
                allowed=f"One of {', '.join(self._systems) or 'none yet'}; or the system itself: NAME=SYSTEM.",
            )
        known = [self._systems[name] for name in names]
        return [*known, *(specs_of(systems, (), settings) if systems or not known else [])]

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"


@dataclass(frozen=True, repr=False)
class Exam(ExamQuestions):
    """The questions of an exam, of a run or of a file; systems can take them. It shows as a table."""

    given: GivenExam | None = None
    """the file that it was read from"""

    @property
    def published(self) -> Publication | None:
        """What a published file holds beyond its questions: parameters, scale, licence, canary, baseline."""
        return self.given.found.publication if self.given else None

    @classmethod
    def read(cls, path: str | Path, format: str | None = None) -> Self:  # noqa: A002
        """Read an exam of viva or of another tool, or a table of questions and answers (docs/exam-file.md).

        UsageError for a file that holds none; `notes` say what was left out.
        """
        from viva.exams.formats import import_exam
        from viva.graphs.assembly.own_questions import GivenExam

        found = import_exam(Path(path), format)
        notes = tuple(map(str, found.problems))
        return cls(found.exam, notes=notes, path=Path(path), given=GivenExam(found, str(path)))

    def convert(self, out: str | Path) -> Result:
        """Write the questions of another tool's file to a new exam file; what was left out or changed."""
        from viva.exams.file import check_free

        if self.given is None:
            raise UsageError("These questions are of a run.", next_step="Write them to a file: exam.write(PATH)")
        check_free(Path(out))
        self.write(out)
        found = self.given.found
        problems = [{"where": problem.where, "reason": problem.reason} for problem in found.problems]
        told = [f"Wrote {len(self)} questions of {self.path} ({found.title}) to {out}."]
        if problems:
            reasons = ", ".join(f"{reason}: {n}" for reason, n in found.reasons.items())
            told.append(f"Left out or changed: {len(problems)} ({reasons}).")
        record = {"exam": found.exam.id, "items": len(self), "format": found.format, "out": str(out)}
        record = {**record, "problems": problems, "reasons": found.reasons}
        return Result("", (), (*told, *shortened(self.notes, _LISTED)), record)

    def examine(
        self,
        *specs: str | SystemPanel,
        docs: str | Path | DocumentSource | None = None,
        out: str | Path | None = None,
        **systems: Any,
    ) -> RunScores:
        """Let systems take these questions, as Run.examine does.

        Of a file's questions: with `docs`, their contexts are found in these documents and retrieval is scored; `out`
        is the run folder (viva-runs/ and the name of the documents or the file).
        """
        return outside_loop(partial(self._examined, specs, docs, out, systems))

    async def examine_async(
        self,
        *specs: str | SystemPanel,
        docs: str | Path | DocumentSource | None = None,
        out: str | Path | None = None,
        **systems: Any,
    ) -> RunScores:
        """Let systems take these questions as `examine` does, while this event loop goes on."""
        return await in_thread(partial(self._examined, specs, docs, out, systems))

    def gate(
        self,
        system: Any = None,
        *,
        docs: str | Path | DocumentSource | None = None,
        out: str | Path | None = None,
        **asked: Any,
    ) -> GateResult:
        """Tell whether a system is worse than a baseline on these questions, as Run.gate does.

        `docs` and `out` are as for `examine`; the questions alone will do.
        """
        if isinstance(self.run, Run):
            return self.run.gate(system, **asked)
        from viva.api.gate import read_baseline

        named = asked.get("baseline") or (self.published.baseline if self.published else None)
        known = {"baseline": read_baseline(named, self.record)} if named else {}
        folder, taken = self._taken(docs, out)
        if taken.replacement:
            say(taken.replacement)
        return Run(folder).gate(system, **{**asked, **known})

    def _examined(
        self,
        specs: tuple[str | SystemPanel, ...],
        docs: str | Path | DocumentSource | None,
        out: str | Path | None,
        systems: Mapping[str, Any],
    ) -> RunScores:
        folder, taken = self._taken(docs, out)
        return Run(folder).examine(*specs, **systems).with_notes(*taken.sentences)

    def _taken(self, docs: str | Path | DocumentSource | None, out: str | Path | None) -> tuple[Path, OwnExam]:
        """Make these questions those of a run. UsageError where they are one's already."""
        if self.given is None:
            raise UsageError("These questions are of a run.", next_step="Let systems take them: run.examine(...)")
        from viva.api.stages import take_given
        from viva.storage.corpus.remote import documents_at

        source = documents_at(str(docs)) if isinstance(docs, str | Path) else docs
        return take_given(self.given, Path(out) if out else None, {}, source)


def _name_of(system: Any) -> str:
    """Give the name of a function, or of the class of an object."""
    return str(getattr(system, "__name__", type(system).__name__))


def _versions(called: Mapping[str, str]) -> list[str]:
    return [
        f"{given} has changed: it is now “{name}” on the board." for given, name in called.items() if name != given
    ]
