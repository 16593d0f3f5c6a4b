"""A run in Python: let systems take its exam, and look at what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from viva.api.calling import in_thread, outside_loop
from viva.api.exams import ExamQuestions
from viva.api.pairs import PairResult
from viva.api.result import Column, Kind, Result, Table
from viva.api.run_scores import RunScores
from viva.api.systems import SystemPanel, specs_of
from viva.api.terminal import shown_progress
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.records import LiveSpec
from viva.graphs.context import RunContext
from viva.graphs.resources.run_settings import read_settings, run_folder, settings_of_run

if TYPE_CHECKING:
    from viva.core.accounts import OwnExam
    from viva.examinees.specs.records import Spec
    from viva.exams.review import Decision
    from viva.graphs.assembly.own_questions import GivenExam
    from viva.storage.corpus import DocumentSource


def open_run(folder: str | Path, *, database_url: str | None = None) -> Run:
    """Open a run folder. UsageError where it holds no run."""
    run = Run(Path(folder), database_url)
    with run.opened() as context:
        _ = context.store.run
    return run


class Run:
    """A run folder: its documents, its exam, and who took it. What is done is kept in the folder."""

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        """Name the folder; nothing is read yet."""
        self.folder = folder
        self._database_url = database_url
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
        """The drafts that became no question, with the verdict that stopped them."""
        with self.opened() as context:
            cells = tuple(
                (
                    each.unit.id[:8],
                    each.draft.stem if each.draft else each.unit.statement,
                    each.verdict.critic,
                    each.verdict.code,
                    each.verdict.reason,
                )
                for each in context.store.rejections()
            )
        columns = tuple(Column(name) for name in ("unit", "draft", "critic", "code", "reason"))
        return Result(f"{len(cells)} rejected drafts", (Table("Rejected drafts", columns, cells),))

    def trace(self, question: str) -> Result:
        """Give every step of the committee for a question or a rejected draft, named by its id or its words."""
        from viva.graphs.authoring.traces import steps_of

        with self.opened() as context:
            steps = steps_of(context.store, question, self.folder)
        columns = (
            Column("step", Kind.NUMBER),
            *(Column(name) for name in ("role", "verdict", "input", "output")),
            Column("time", Kind.SECONDS),
        )
        cells = tuple(
            (each.number, each.role, each.verdict or "", each.input or "", each.output or "", each.duration_s)
            for each in steps
        )
        record = {"steps": [each.model_dump(mode="json") for each in steps]}
        return Result(f"Trace of {question}", (Table(f"Trace of {question}", columns, cells),), (), record)

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
        from viva.api.failures import failure_sentences
        from viva.graphs.runner import run_stages
        from viva.graphs.sitting.kept_answers import sittings_of

        with self._sitting(specs, given, again=again) as context:
            run_stages(context, "sit", "score")
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
        from viva.graphs.sitting.sample import sit_sample

        with self._sitting(specs, given) as context:
            found = sit_sample(context, size)
        columns = (
            Column("system"),
            *(Column(name, Kind.NUMBER) for name in ("asked", "of", "failed")),
            Column("accuracy on the exam", Kind.SHARE),
        )
        cells = tuple(
            (each.examinee.name, each.asked, each.items, sum(each.failures.values()), each.accuracy) for each in found
        )
        record = {"sittings": [each.model_dump(mode="json") for each in found]}
        return Result("Sample of the exam", (Table("Sample of the exam", columns, cells),), (), record)

    @contextmanager
    def _sitting(
        self, specs: tuple[str | SystemPanel, ...], given: Mapping[str, Any], *, again: bool = False
    ) -> Iterator[RunContext]:
        chosen, systems = _parted(given)
        context = self._context(chosen)
        context.again = again
        found = specs_of(systems, specs, context.settings)
        context.systems = found
        with shown_progress() as watch:
            context.watch = watch
            context.candidates.check()
            called = self._called(context.candidates.specs)
            # a pair is named by the names that were given, which may have a version on the board
            pairs = tuple(
                " vs ".join(called.get(n, n) for n in pair.split(" vs ")) for pair in context.settings.pairs
            )
            context.settings = context.settings.model_copy(update={"pairs": pairs})
            yield context

    def score(self, **settings: Any) -> RunScores:
        """Score anew all who took the exam, with these settings of `viva score`, such as judge or pairs."""
        return outside_loop(partial(self._scored, settings))

    def _scored(self, settings: Mapping[str, Any]) -> RunScores:
        from viva.graphs.grading.graders import check_judge
        from viva.graphs.results import check_pairs
        from viva.graphs.runner import run_stages

        context = self._context(settings)
        check_judge(context)
        check_pairs(context)
        with shown_progress() as watch:
            context.watch = watch
            run_stages(context, "score", "score")
        return self.scores

    def compare(self, first: str, second: str) -> PairResult:
        """Compare two scored systems: the verdict, why they differ, what an answer of each takes."""
        from viva.graphs.results import compare_systems

        with self.opened() as context:
            return PairResult.of(compare_systems(context, first, second))

    def diagnose(self, *names: str, **systems: Any) -> Result:
        """Find out why systems answered wrong: ask those questions again, with other passages.

        `names`: of systems that this Run object has examined. Others are given again, as to `examine`.
        """
        return outside_loop(partial(self._diagnosed, names, systems))

    def _diagnosed(self, names: tuple[str, ...], given: Mapping[str, Any]) -> Result:
        from viva.graphs.diagnosis.diagnose import diagnose_run

        chosen, systems = _parted(given)
        context = self._context(chosen)
        context.systems = self._examined_before(names, systems, context.settings)
        with shown_progress() as watch:
            context.watch = watch
            found = diagnose_run(context)
        columns = (Column("system"), Column("cause"), Column("answers", Kind.NUMBER), Column("share", Kind.SHARE))
        cells = tuple(
            (each.examinee.name, row.blame.value, row.answers, row.share)
            for each in found
            for row in each.rows
            if row.answers
        )
        notes = tuple(f"{each.examinee.name}: {note}" for each in found for note in each.notes)
        record = {"diagnoses": [each.model_dump(mode="json") for each in found]}
        return Result("Causes of wrong answers", (Table("Causes of wrong answers", columns, cells),), notes, record)

    def oral(self, *names: str, questions: int | None = None, **systems: Any) -> Result:
        """Examine systems orally, until each knowledge unit of the documents has a verdict; a language model asks."""
        return outside_loop(partial(self._oral, names, questions, systems))

    def _oral(self, names: tuple[str, ...], questions: int | None, given: Mapping[str, Any]) -> Result:
        from viva.core.gone import GONE
        from viva.graphs.oral_exam.conduct import examine_orally
        from viva.graphs.oral_exam.state import Limits
        from viva.graphs.resources.casts import check_models

        chosen, systems = _parted(given)
        context = self._context(chosen)
        if not context.settings.model:
            raise UsageError(GONE["oral examination by rules"])
        context.systems = self._examined_before(names, systems, context.settings)
        with shown_progress() as watch:
            context.watch = watch
            context.candidates.check()
            check_models(context.settings, context.models)
            found = examine_orally(context, Limits() if questions is None else Limits(questions=questions))
        if context.stopped is not None:
            raise context.stopped
        columns = (
            Column("system"),
            *(Column(name, Kind.NUMBER) for name in ("questions", "correct", "incorrect", "given up", "open")),
        )
        scores = [each.score for each in found]
        cells = tuple((s.examinee.name, s.questions, s.correct, s.incorrect, s.given_up, s.open) for s in scores)
        notes = tuple(f"{s.examinee.name}: ended because {s.reason}." for s in scores)
        record = {"examinations": [s.model_dump(mode="json") for s in scores]}
        return Result("Oral examination", (Table("Oral examination", columns, cells),), notes, record)

    # --- pages

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML file that needs no network; where it is. UsageError without scores."""
        return outside_loop(partial(self._reported, path))

    def _reported(self, path: str | Path | None) -> Path:
        from viva.graphs.results import REPORT_FILE
        from viva.graphs.runner import run_stages
        from viva.reports.write import write_report

        context = self._context({})
        context.write_report = write_report
        with shown_progress() as watch:
            context.watch = watch
            run_stages(context, "report", "report")
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

    @contextmanager
    def opened(self) -> Iterator[RunContext]:
        """Open what the folder holds, to read it."""
        chosen = {"database_url": self._database_url} if self._database_url else {}
        with closing(RunContext(self.folder, read_arguments(chosen))) as context:
            yield context

    def record_decision(self, decision: Decision) -> None:
        """Record a person's decision about a question, and make the exam as it is then the latest."""
        from viva.exams.review import REVIEWS_FILE, ReviewLog
        from viva.graphs.stages import review
        from viva.storage.lock import run_lock

        log = ReviewLog(self.folder / REVIEWS_FILE)
        with self.opened() as context, run_lock(self.folder), context.store.server_lock():
            with log.deciding():
                log.append(decision)
            review(context, log.read())

    def _context(self, chosen: Mapping[str, Any]) -> RunContext:
        place = {"database_url": self._database_url} if self._database_url else {}
        return RunContext(self.folder, settings_of_run(self.folder, {**_tuples(chosen), **place}, _argument))

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

    @classmethod
    def read(cls, path: str | Path, format: str | None = None) -> Self:  # noqa: A002
        """Read an exam of viva or of another tool, or a table of questions and answers (docs/exam-file.md).

        UsageError for a file that holds none; `notes` say what was left out.
        """
        from viva.exams.formats import import_exam
        from viva.graphs.assembly.own_questions import GivenExam

        found = import_exam(Path(path), format)
        return cls(found.exam, notes=tuple(map(str, found.problems)), given=GivenExam(found, str(path)))

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

    def _examined(
        self,
        specs: tuple[str | SystemPanel, ...],
        docs: str | Path | DocumentSource | None,
        out: str | Path | None,
        systems: Mapping[str, Any],
    ) -> RunScores:
        if self.given is None:
            raise UsageError("These questions are of a run.", next_step="Let systems take them: run.examine(...)")
        run, taken = _taken(self.given, docs, out)
        return run.examine(*specs, **systems).with_notes(*taken.sentences)


def _taken(given: GivenExam, docs: str | Path | DocumentSource | None, out: str | Path | None) -> tuple[Run, OwnExam]:
    """Make these questions the exam of a run, with the documents or without."""
    from viva.graphs.runner import take_own_exam
    from viva.storage.corpus import documents_at
    from viva.storage.run_place import found_place

    source = documents_at(str(docs)) if isinstance(docs, str | Path) else docs
    file = Path(given.file)
    folder = run_folder(source or (file if file.is_dir() else file.with_suffix("")), Path(out) if out else None)
    chosen = settings_of_run(folder, {}, _argument) if found_place(folder, None) else read_arguments({})
    with shown_progress() as watch:
        taken = take_own_exam(RunContext(folder, chosen, documents_folder=source, watch=watch), given)
    return Run(folder), taken


def _versions(called: Mapping[str, str]) -> list[str]:
    return [
        f"{given} has changed: it is now “{name}” on the board." for given, name in called.items() if name != given
    ]


def read_arguments(chosen: Mapping[str, Any]) -> Settings:
    """Read the settings that a call names. UsageError for one that is not known or not allowed."""
    return read_settings(_tuples(chosen), _argument)


def _tuples(chosen: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}


def _argument(field: str) -> str:
    return f"The argument {field}"


def _parted(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part settings from systems, which are given by name too."""
    fields = Settings.model_fields
    return {n: v for n, v in given.items() if n in fields}, {n: v for n, v in given.items() if n not in fields}
