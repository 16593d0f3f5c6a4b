"""An exam in Python: its questions, what people decide about them, and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, overload

from viva.api.result import Column, Result, Table
from viva.api.settings import named_person
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.core.records import Exam, ExamItem, Turn
from viva.core.wording import counted, option_letter

if TYPE_CHECKING:
    from viva.exams.review import Decision, ReviewLog
    from viva.graphs.context import RunContext

_LISTED = 8
QUESTION_COLUMNS = tuple(
    map(Column, ("id", "question", "options", "answer", "type", "document", "known without documents"))
)


class ExamSource(Protocol):
    """The run that an exam is of."""

    folder: Path

    @property
    def exam(self) -> ExamQuestions: ...
    def opened(self) -> AbstractContextManager[RunContext]: ...
    def trace(self, question: str) -> Result: ...
    def document_paths(self) -> dict[str, str]: ...
    def review(self, *decisions: Decision) -> Path: ...


@dataclass(frozen=True)
class Question:
    """A question of an exam, as it is put to systems."""

    shown: ExamItem
    run: ExamSource | None = None

    @property
    def id(self) -> str:
        """Its id, a hash of its content."""
        return self.shown.item.id

    @property
    def text(self) -> str:
        """The question without its options."""
        return self.shown.item.stem

    @property
    def history(self) -> tuple[Turn, ...]:
        """The messages of the conversation that it follows on, each with role and text; () where it stands alone."""
        return self.shown.item.history

    @property
    def options(self) -> tuple[str, ...]:
        """The options in their order; () of an open question."""
        return self.shown.offered or ()

    @property
    def answer(self) -> str:
        """The right option, or the reference answer of an open question."""
        return self.shown.item.reference_answer if self.shown.item.is_open else self.shown.item.key

    @property
    def evidence(self) -> tuple[str, ...]:
        """The places in the documents that settle it, as text."""
        return tuple(span.quote for span in self.shown.item.evidence)

    def trace(self) -> Result:
        """Give every step of the committee for this question. UsageError for a question of no run."""
        if self.run is None:
            raise UsageError(
                "This question is of a file, and has no trace.", allowed="A question of run.exam has one."
            )
        return self.run.trace(self.id)

    def __str__(self) -> str:
        lines = [f"{self.id[:8]}  {self.text}"]
        for place, option in enumerate(self.options):
            mark = "*" if place == self.shown.key_position else " "
            lines.append(f"   {mark} {option_letter(place)}) {option}")
        if not self.options:
            lines.append(f"     {self.answer}")
        return "\n".join(lines)

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class ExamQuestions(Sequence[Question]):
    """The questions of an exam, of a run or of a file. It shows as a table."""

    record: Exam
    run: ExamSource | None = None
    notes: tuple[str, ...] = ()
    """what was left out of the file that it was read from"""
    path: Path | None = None
    """that file"""

    def write(self, path: str | Path, format: str | None = None) -> list[Path]:  # noqa: A002
        """Write the exam to a file, in viva's format or another tool's; the files that were written.

        Questions that are held back (`publish`) are left out.
        """
        from viva.exams.file import write_exam
        from viva.exams.formats import export_exam

        if format is not None:
            return export_exam(self._open, Path(path), format)
        write_exam(self._open, path)
        return [Path(path)]

    def export(self, path: str | Path, format: str) -> Result:  # noqa: A002
        """Write the exam to a new file in another tool's format; what that format cannot hold."""
        from viva.exams.formats import FORMATS, export_exam, lost

        shown = self._open
        size, held_back = len(shown.items), len(self) - len(shown.items)
        missing = lost(shown, format)
        files = [str(file) for file in export_exam(shown, Path(path), format, over=False)]
        told = [f"Wrote the exam of {size} questions to {', '.join(files)} ({FORMATS[format].title})."]
        told += [f"Held back: {counted(held_back, 'question')}."] if held_back else []
        told += ["What this format cannot hold:", *(f"  {each}" for each in missing)] if missing else []
        record = {"items": size, "format": format, "files": files, "lost": missing, "held_back": held_back}
        return Result("", (), tuple(told), record)

    @property
    def _open(self) -> Exam:
        """The exam without the questions that are held back."""
        if self.run is None:
            return self.record
        from viva.exams.published import without_secret
        from viva.graphs.sitting.exposure import published_so_far

        with self.run.opened() as context:
            return without_secret(self.record, published_so_far(context.store).secret)

    def publish(
        self, path: str | Path, *, licence: str = "", secret: float | None = None, baseline: str | None = None
    ) -> Result:
        """Write the exam of a run to one file, with parameters, scale, licence, canary and hash (docs/publishing.md).

        `secret`: a share of the questions, such as 0.2, that stays in the run folder from now on. `baseline`: the
        name of a system that has sat the exam, whose scores by question go into the file for viva gate.
        """
        from viva.api.results.publishing import published_result
        from viva.graphs.sitting.exposure import publish_exam

        with self._of_run().opened() as context:
            found = publish_exam(context, self.record, Path(path), licence=licence, secret=secret, baseline=baseline)
        return published_result(found, Path(path))

    def retire(self, after: int, by: str | None = None) -> Result:
        """Reject the questions that were put more than so often to systems that may learn from them."""
        from viva.api.results.publishing import retired_result
        from viva.graphs.sitting.exposure import exposure_of

        run = self._of_run()
        with run.opened() as context:
            times = exposure_of(context, self.record).times
        worn = {item: count for item, count in times.items() if count > after}
        if after < 1 or len(worn) == len(self):
            raise UsageError(
                f"After {after} times {len(worn)} of {len(self)} questions would be retired.",
                allowed="A number from 1 that leaves questions in the exam; viva exam exposure RUN shows the counts.",
            )
        if worn:
            run.review(*(self._decision(self[i], "reject", f"retired: put {n} times", by) for i, n in worn.items()))
        return retired_result(worn, after, len(self) - len(worn))

    def _of_run(self) -> ExamSource:
        if self.run is None:
            raise UsageError("This exam is of a file.", allowed="The exam of a run folder.")
        return self.run

    @property
    def table(self) -> Result:
        """The questions with answer, type and the document of their evidence."""
        paths = self.run.document_paths() if self.run else {}
        title = f"Exam of {len(self)} questions"
        table = Table(title, QUESTION_COLUMNS, tuple(question_cells(each.shown, paths) for each in self))
        return Result(title, (table,), self.notes, {"exam": self.record.model_dump(mode="json")})

    def to_pandas(self) -> Any:
        """Give the questions as a DataFrame."""
        return self.table.to_pandas()

    # --- what it asks for

    def statistics(self) -> Result:
        """Count what the exam asks for, and what it takes to answer without reading."""
        from viva.api.results.exam_checks import statistics_result
        from viva.graphs.authoring.account import funnel_of

        funnel = None
        if self.run is not None:
            with self.run.opened() as context:
                funnel = funnel_of(context.store)
        # an exam that was given is made of no candidates
        return statistics_result(self.record, self._head, None if funnel and funnel.own else funnel)

    def lint(self, *, embeddings: bool = False) -> Result:
        """Check the exam by the rules of item writing; `embeddings`: find near-duplicates by their meaning too."""
        from viva.api.results.exam_checks import lint_result
        from viva.exams.lint import lint_exam

        return lint_result(self.record, self._head, lint_exam(self.record, self._embed if embeddings else None))

    def diff(self, other: ExamQuestions) -> Result:
        """Compare with another exam: questions added, removed and changed."""
        from viva.api.results.exam_checks import diff_result
        from viva.exams.diff import exam_diff

        notes = [f"{each.source}: {note}" for each in (self, other) for note in each.notes]
        names = (f"{each.source} (exam {each.record.id})" for each in (self, other))
        return diff_result(" -> ".join(names), exam_diff(self.record, other.record), notes)

    @property
    def source(self) -> Path:
        """The run folder or the file that the exam is of."""
        return self.run.folder if self.run is not None else self.path or Path("exam")

    @property
    def _head(self) -> Result:
        title = f"{self.source}: exam {self.record.id}, {len(self)} questions"
        return Result(title, (), tuple(f"Note: {note}" for note in self.notes))

    def _embed(self, texts: Sequence[str]) -> Any:
        from viva.api.settings import Settings
        from viva.llm.embeddings import SentenceTransformerEmbedder

        if self.run is None:
            return SentenceTransformerEmbedder(Settings().embedding_model, threads=1).embed(texts)
        with self.run.opened() as context:
            return context.embedder.embed(texts)

    # --- what people decide

    def accept(self, question: str | Question, note: str = "", by: str | None = None) -> Self:
        """Record that a person accepts a question; the exam as it is then."""
        return self._decided(question, "accept", note, by)

    def reject(self, question: str | Question, note: str = "", by: str | None = None) -> Self:
        """Take a question out of the run's exam, recorded with who did it; the exam as it is then."""
        return self._decided(question, "reject", note, by)

    def _decided(
        self, question: str | Question, decision: Literal["accept", "reject"], note: str, by: str | None
    ) -> Self:
        if self.run is None:
            raise UsageError(
                "Decisions are kept in a run, and this exam is of a file.",
                next_step="Review it as a file: viva exam review FILE --export decisions.csv",
            )
        chosen = question if isinstance(question, Question) else self[question]
        self.run.review(self._decision(chosen, decision, note, by))
        return type(self)(self.run.exam.record, self.run)

    def _decision(
        self, chosen: Question, decision: Literal["accept", "reject"], note: str, by: str | None
    ) -> Decision:
        from viva.exams.review import Decision, checked_text

        return Decision(
            item=chosen.id,
            unit=chosen.shown.item.provenance.unit_id,
            decision=decision,
            by=named_person(by, "by"),
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            note=checked_text(note, "note") if note else "",
        )

    def write_decisions(self, path: str | Path) -> Result:
        """Write the questions to a .csv or .jsonl file in which people decide; how many are decided."""
        from viva.exams.decision_table import write_decision_table
        from viva.exams.review import standings

        write_decision_table(standings(self.record, self._log.read()), Path(path))
        return self._reviewed(None)

    def review(self, decisions: str | Path | None = None, by: str | None = None) -> Result:
        """Make the exam as people's decisions leave it: those made before, and those of such a file.

        The latest exam of the run is made so; of a file, a new one next to it. UsageError without any decision.
        """
        from viva.exams.decision_table import record_decision_table
        from viva.exams.file import write_exam
        from viva.exams.review import reviewed_exam, standings

        if decisions is not None:
            record_decision_table(self.record, self._log, Path(decisions), named_person(by, "by"))
        elif not self._log.read():
            raise UsageError(GONE["review in the terminal"])
        if self.run is not None:
            return self._reviewed(self.run.review())
        made = self.source.with_name(f"{self.source.stem}.reviewed.jsonl")
        write_exam(reviewed_exam(self.record, standings(self.record, self._log.read())), made)
        return self._reviewed(made)

    @property
    def _log(self) -> ReviewLog:
        """The decisions, in the run folder, or next to the file and named after it."""
        from viva.exams.review import REVIEWS_FILE, ReviewLog

        of_file = self.source.with_name(f"{self.source.stem}.{REVIEWS_FILE}")
        return ReviewLog(of_file if self.run is None else self.run.folder / REVIEWS_FILE)

    def _reviewed(self, made: Path | None) -> Result:
        from viva.exams.review import standings

        log = self._log
        found = standings(self.record, log.read())
        ended = Counter(each.settled for each in found)
        edited = sum(each.is_edited and each.settled == "accept" for each in found)
        accepted, rejected, undecided = ended["accept"], ended["reject"], ended[None]
        told = [f"Note: {note}" for note in self.notes]
        told.append(
            f"{accepted} accepted ({edited} of them edited), {rejected} rejected, {undecided} undecided. "
            f"Decisions: {log.path}"
        )
        told += [f"The reviewed exam: {made}"] if made else []
        record = {
            "questions": len(found),
            "accepted": accepted,
            "edited": edited,
            "rejected": rejected,
            "undecided": undecided,
            "log": str(log.path),
            "exam": str(made) if made else None,
        }
        return Result("", (), tuple(told), record)

    # --- as a sequence

    @overload
    def __getitem__(self, place: int | str) -> Question: ...
    @overload
    def __getitem__(self, place: slice) -> list[Question]: ...

    def __getitem__(self, place: int | str | slice) -> Question | list[Question]:
        """Give a question by its position, its id or the first characters of its id."""
        if isinstance(place, slice):
            return [Question(each, self.run) for each in self.record.items[place]]
        if isinstance(place, int):
            return Question(self.record.items[place], self.run)
        found = [each for each in self.record.items if each.item.id.startswith(place.casefold())] if place else []
        if len(found) == 1:
            return Question(found[0], self.run)
        raise UsageError(
            f"“{place}” names {len(found)} questions of this exam.",
            allowed=f"An id, or its first characters, such as {', '.join(q.id[:8] for q in self[:_LISTED])}.",
        )

    def __len__(self) -> int:
        return len(self.record.items)

    def __iter__(self) -> Iterator[Question]:
        return (Question(each, self.run) for each in self.record.items)

    def _repr_html_(self) -> str:
        return self.table.html()

    def __repr__(self) -> str:
        return self.table.text()


def question_cells(shown: ExamItem, paths: Mapping[str, str]) -> tuple[str | bool, ...]:
    """Give the cells of a question under QUESTION_COLUMNS; `paths` of the documents by their ids."""
    question = Question(shown)
    options = "; ".join(f"{option_letter(n)}) {text}" for n, text in enumerate(question.options))
    documents = dict.fromkeys(paths.get(span.document_id, "") for span in shown.item.evidence)
    return (
        question.id[:8],
        " / ".join([*(turn.line for turn in question.history), question.text]),
        options,
        question.answer,
        shown.item.question_type.value,
        ", ".join(filter(None, documents)),
        shown.item.known,
    )
