"""A run as the pages read it: loaded when first asked for, and again when something was added to it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.core.accounts import Funnel, ModelUse
from viva.core.errors import UsageError
from viva.core.records import Document, Exam, Examinee, ExamItem, Item, Rejection, Run
from viva.core.scores import ItemFlag, ItemScore, Scores
from viva.core.settings import Settings
from viva.exams.review import REVIEWS_FILE, ReviewLog, ReviewProgress, standings
from viva.graphs.authoring.account import funnel_of, model_use_of, notes_of
from viva.graphs.context import RunContext
from viva.graphs.resources.model_client import ModelClient
from viva.storage.lock import at_work
from viva.storage.run_place import REMEMBERED_URL_FILE, SQLITE_FILE
from viva.storage.runs import RunStore

_READ_AGAIN_S = 2.0
"""Of a run at work, which changes all the time."""
IN_EXAM, ACCEPTED, REJECTED, FAILED = "in the exam", "accepted, not in the exam", "rejected", "failed"
FATES = (IN_EXAM, ACCEPTED, REJECTED, FAILED)


@dataclass(frozen=True)
class UnitFate:
    """One knowledge unit that was asked about, and its fate."""

    unit_id: str
    chunk_id: str
    fate: str
    kind: str
    stem: str
    key: str
    statement: str
    path: str
    topic: str
    code: str = ""
    """of the verdict that ended it"""
    critic: str = ""
    reason: str = ""
    item_id: str = ""

    def holds(self, text: str) -> bool:
        """Whether the text stands in it, whatever the case."""
        return text in f"{self.stem}\n{self.key}\n{self.statement}\n{self.reason}\n{self.unit_id}".casefold()


@dataclass(frozen=True)
class RecordedRun:
    """What was on record when the run was read."""

    run: Run
    documents: Mapping[str, Document]
    units: Sequence[UnitFate]
    exam: Exam | None
    standing: Sequence[ReviewProgress]
    """the exam's questions as people's decisions leave them, in its order"""
    scores: Scores | None
    """of this exam; None where they are of an earlier one, or there are none"""
    outdated: bool
    """whether there are scores of an earlier exam only"""
    examinees: Sequence[Examinee]
    funnel: Funnel
    uses: Sequence[ModelUse]
    notes: Sequence[str]

    def item_scores(self) -> dict[str, ItemScore]:
        """By item id."""
        return {each.item_id: each for each in self.scores.items} if self.scores else {}

    def item_flags(self, item_id: str) -> list[ItemFlag]:
        """What the checks find wrong with an item."""
        measured = self.scores.measurement if self.scores else None
        return [each for each in (measured.flags if measured else ()) if each.item_id == item_id]

    def set_aside(self) -> dict[str, str]:
        """By item id, why the scores leave the question out."""
        return {each.item_id: each.reason for each in self.scores.set_aside} if self.scores else {}

    def shown(self) -> list[ExamItem]:
        """The exam's questions as they stand."""
        return [each.shown for each in self.standing]


class LoadedRun:
    """One run folder. Its methods are called from one thread."""

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        """The folder need not hold a readable run: then `state` raises UsageError."""
        self.folder = folder
        self._database_url = database_url
        self._context: RunContext | None = None
        self._state: RecordedRun | None = None
        self._stamp: tuple[object, ...] = ()
        self._read_at = 0.0

    @property
    def name(self) -> str:
        """What the run is called in lists."""
        return self.folder.resolve().name

    @property
    def at_work(self) -> bool:
        """Whether a process holds the folder."""
        return at_work(self.folder)

    @property
    def context(self) -> RunContext:
        """The run as commands open it. UsageError where there is none, or it cannot be read."""
        if self._context is None:
            settings = Settings(database_url=self._database_url) if self._database_url else Settings()
            context = RunContext(self.folder, settings)
            _ = context.store
            self._context = context
        return self._context

    @property
    def reviews(self) -> ReviewLog:
        """People's decisions about its questions."""
        return ReviewLog(self.folder / REVIEWS_FILE)

    def state(self) -> RecordedRun:
        """What is on record; read again where something was added since. UsageError where it cannot be read."""
        stamp, now = self._changes(), time.monotonic()
        current = (stamp and stamp == self._stamp) or now - self._read_at < _READ_AGAIN_S
        if self._state is None or not current:
            self._state = _read(self.context.store, self.context.models, self.reviews)
            self._stamp, self._read_at = stamp, time.monotonic()
        return self._state

    def forget(self) -> None:
        """Read again when next asked: this process has added something."""
        self._state = None

    def close(self) -> None:
        """Give back the files. A later call opens them again."""
        if self._context is not None:
            self._context.close()
        self._context, self._state = None, None

    def _changes(self) -> tuple[object, ...]:
        """What differs when something was added to the files; () where the run is kept on a server."""
        if not (self.folder / SQLITE_FILE).exists():
            return ()
        return tuple(_changed(self.folder / name) for name in (SQLITE_FILE, f"{SQLITE_FILE}-wal", REVIEWS_FILE))


def _changed(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _read(store: RunStore, models: ModelClient, reviews: ReviewLog) -> RecordedRun:
    documents = {document.id: document for document in store.documents()}
    exam = store.latest_exam()
    found = store.latest_result("scores")
    scores = Scores.model_validate(found) if found and exam and found["exam_id"] == exam.id else None
    return RecordedRun(
        run=store.run,
        documents=documents,
        units=_units(store.items(), store.rejections(), exam, documents),
        exam=exam,
        standing=standings(exam, reviews.read()) if exam else (),
        scores=scores,
        outdated=bool(found) and scores is None,
        examinees=store.examinees(),
        funnel=funnel_of(store),
        uses=model_use_of(models),
        notes=notes_of(store),
    )


def _units(
    items: Sequence[Item], rejections: Sequence[Rejection], exam: Exam | None, documents: Mapping[str, Document]
) -> tuple[UnitFate, ...]:
    in_exam = {shown.item.provenance.unit_id: shown.item.id for shown in exam.items} if exam else {}

    paths = {id_: document.path for id_, document in documents.items()}
    topics = {id_: document.topic for id_, document in documents.items()}
    rows = [
        UnitFate(
            unit_id=item.provenance.unit_id or item.id,
            chunk_id=item.provenance.chunk_id or "",
            fate=IN_EXAM if item.provenance.unit_id in in_exam else ACCEPTED,
            kind=item.kind.value,
            stem=item.stem,
            key=item.key,
            statement="",
            path=paths.get(item.evidence[0].document_id, "") if item.evidence else "",
            topic=item.topic,
            item_id=in_exam.get(item.provenance.unit_id, item.id),
        )
        for item in items
    ]
    rows += [
        UnitFate(
            unit_id=rejection.unit.id,
            chunk_id=rejection.chunk_id,
            fate=FAILED if rejection.verdict.failed else REJECTED,
            kind=rejection.draft.kind.value if rejection.draft else "",
            stem=rejection.draft.stem if rejection.draft else "",
            key=rejection.draft.key if rejection.draft else "",
            statement=rejection.unit.statement,
            path=paths.get(rejection.unit.evidence.document_id, ""),
            topic=topics.get(rejection.unit.evidence.document_id, ""),
            code=rejection.verdict.code,
            critic=rejection.verdict.critic,
            reason=rejection.verdict.reason,
        )
        for rejection in rejections
    ]
    return tuple(sorted(rows, key=lambda row: (FATES.index(row.fate), row.path, row.unit_id)))


def found_runs(paths: Sequence[Path]) -> list[Path]:
    """Run folders: those given, and those in a folder that is none itself. UsageError where there is none."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} is not there.", allowed="Run folders, or a folder of them.")
        within = sorted(path.iterdir()) if path.is_dir() and not _is_run(path) else [path]
        found += [each for each in within if _is_run(each) and each not in found]
    if not found:
        named = ", ".join(map(str, paths))
        raise UsageError(
            f"No run lies in {named}.", next_step="Make one: viva run DOCS, then viva view with the folder it names."
        )
    return found


def _is_run(path: Path) -> bool:
    return any((path / name).is_file() for name in (SQLITE_FILE, REMEMBERED_URL_FILE))
