"""The run store: facts of one run, on SQLite or PostgreSQL; append-only but for answers that are asked for anew.

Inserting what is there already does nothing, so a replay after a crash never doubles a row.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property, lru_cache
from typing import Any, Generic

from sqlalchemy import Column, Table, delete, func, select, update

from viva.core.ids import content_hash
from viva.core.records import (
    Chunk,
    Document,
    Exam,
    Examinee,
    ExamItem,
    Exclusion,
    Extraction,
    Grade,
    Item,
    Rejection,
    RepeatedUnits,
    Response,
    Run,
    Step,
    Verdict,
    responses_to,
)
from viva.core.records.labels import Label
from viva.storage import schema
from viva.storage.database import outlasting
from viva.storage.rows import PARAMETERS_PER_QUERY, ROWS_AT_ONCE, R, append, claim, insert_new, latest, records, row
from viva.storage.run_connection import RunConnection

CHUNKS_HELD, DOCUMENTS_HELD = 5_000, 64
"""Records that were read last and stay in memory."""
SUPERSEDED = "superseded documents"
"""The result that lists the documents which a refreshed run has no more, by id."""


@outlasting
class RunStore(RunConnection):
    """One run's facts. Open it with `RunStore.create_or_open` or `RunStore.open`.

    Calls are synchronous and short, and may be repeated: while a database server is away they wait for it. They raise
    UsageError for a file or database that cannot be used or stays away, RunLocked while another process writes.
    """

    # --- the corpus --------------------------------------------------------------------------------------

    def add_corpus(
        self, documents: Sequence[Document], chunks: Sequence[Chunk], exclusions: Sequence[Exclusion]
    ) -> None:
        """Add all three, or nothing."""
        with self._writing() as connection:
            append(connection, schema.documents, (row(d, id=d.id) for d in documents))
            append(connection, schema.chunks, (row(c, id=c.id, document_id=c.document_id) for c in chunks))
            append(connection, schema.exclusions, [_exclusion_row(each) for each in exclusions])

    def renew_corpus(
        self,
        run: Run,
        documents: Sequence[Document],
        chunks: Iterable[Chunk],
        exclusions: Iterable[Exclusion],
        moved: Iterable[Document] = (),
    ) -> None:
        """Make these the documents of the run, or nothing. Others stay on record, and are found by their id alone.

        `moved`: those of them that have another path than before, or their pages and lines at other places.
        """
        now = {document.id for document in documents}
        with self._writing() as connection:
            append(connection, schema.documents, (row(d, id=d.id) for d in documents))
            for each in moved:
                place = update(schema.documents).where(schema.documents.c.id == each.id)
                connection.execute(place.values(body=each.model_dump_json()))
            append(connection, schema.chunks, (row(c, id=c.id, document_id=c.document_id) for c in chunks))
            connection.execute(delete(schema.exclusions))
            append(connection, schema.exclusions, [_exclusion_row(each) for each in exclusions])
            connection.execute(update(schema.run).values(row(run, id=run.id)))
            every = connection.scalars(select(schema.documents.c.id)).all()
            gone = json.dumps(sorted(set(every) - now))
            of_kind = schema.results.c.kind == SUPERSEDED
            position, _ = latest(connection, schema.results, schema.results.c.body, of_kind)
            insert_new(connection, schema.results, [{"kind": SUPERSEDED, "position": position + 1, "body": gone}])
        self.run = run
        self.__dict__.pop("superseded", None)

    @cached_property
    def superseded(self) -> frozenset[str]:
        """Ids of the documents that newer ones replaced."""
        return frozenset(self.latest_result(SUPERSEDED) or ())

    def documents(self) -> list[Document]:
        """In the order they were added."""
        return list(self.documents_by_id().values())

    def documents_by_id(self) -> StoredRecords[Document]:
        """In the order they were added, each read when it is asked for."""
        return StoredRecords(self, Document, schema.documents, held=DOCUMENTS_HELD)

    def chunks(self) -> list[Chunk]:
        """In the order they were added."""
        return list(self.chunks_by_id().values())

    def chunks_by_id(self) -> StoredRecords[Chunk]:
        """In the order they were added, each read when it is asked for."""
        return StoredRecords(self, Chunk, schema.chunks, held=CHUNKS_HELD)

    def find(self, kind: type[R], table: Table, id_: str) -> R | None:
        """The record of this id; None where there is none."""
        return next(iter(self._found(kind, select(table.c.body).where(table.c.id == id_))), None)

    def page(self, kind: type[R], table: Table, after: int) -> tuple[list[R], int]:
        """The records next in order behind this position (0: the first), and the position of the last of them."""
        columns = (table.c.body, table.c.position, _document_of(table))
        query = select(*columns).where(table.c.position > after).order_by(table.c.position)
        with self._reading() as connection:
            rows = connection.execute(query.limit(ROWS_AT_ONCE)).tuples().all()
        current = [body for body, _, document_id in rows if document_id not in self.superseded]
        return records(kind, current), rows[-1][1] if rows else after

    def ids(self, table: Table) -> list[str]:
        """In the order they were added."""
        query = select(table.c.id, _document_of(table)).order_by(table.c.position)
        with self._reading() as connection:
            found = connection.execute(query).tuples()
            return [id_ for id_, document_id in found if document_id not in self.superseded]

    def count(self, table: Table) -> int:
        """Count the rows of this table, of documents or chunks."""
        if self.superseded:
            return len(self.ids(table))
        with self._reading() as connection:
            return connection.scalar(select(func.count()).select_from(table)) or 0

    def exclusions(self) -> list[Exclusion]:
        """In the order they were added."""
        return self._in_order(Exclusion, schema.exclusions)

    # --- the item graph ----------------------------------------------------------------------------------

    def add_extraction(self, extraction: Extraction) -> None:
        """Record what the extractor found in one source. One that was read before stays as it was."""
        with self._writing() as connection:
            insert_new(connection, schema.extractions, [row(extraction, chunk_id=extraction.chunk_id)])

    def extractions(self) -> dict[str, Extraction]:
        """By source id."""
        found = records(Extraction, self._column(schema.extractions.c.body))
        return {each.chunk_id: each for each in sorted(found, key=lambda each: each.chunk_id)}

    def extraction(self, chunk_id: str) -> Extraction | None:
        """What was found in this source; None before it is read."""
        return self._of_source(Extraction, schema.extractions, chunk_id)

    def add_repeated_units(self, told: Sequence[RepeatedUnits]) -> None:
        """Record of all these sources which units repeat others, or of none. What was told before stays as it was."""
        with self._writing() as connection:
            insert_new(connection, schema.repeated_units, [row(each, chunk_id=each.chunk_id) for each in told])

    def repeated_units(self) -> dict[str, RepeatedUnits]:
        """By source id; of every source whose units were compared."""
        found = records(RepeatedUnits, self._column(schema.repeated_units.c.body))
        return {each.chunk_id: each for each in sorted(found, key=lambda each: each.chunk_id)}

    def repeated_units_of(self, chunk_id: str) -> RepeatedUnits | None:
        """Of this source; None before its units were compared."""
        return self._of_source(RepeatedUnits, schema.repeated_units, chunk_id)

    def _of_source(self, kind: type[R], table: Table, chunk_id: str) -> R | None:
        return next(iter(self._found(kind, select(table.c.body).where(table.c.chunk_id == chunk_id))), None)

    def finish_chunk(
        self,
        chunk_id: str,
        items: Sequence[Item],
        rejections: Sequence[Rejection],
        steps: Sequence[Step],
        *,
        units: int,
        failure: Verdict | None = None,
    ) -> None:
        """Record all a chunk's walk has made, or nothing. A chunk that has finished before stays as it was.

        `units` counts the knowledge units found in it, asked about or not; `failure` says why none could be found.
        """
        made = {"units": units, "items": len(items), "rejections": len(rejections), "steps": len(steps)}
        made["calls"] = len({key for step in steps for key in step.calls})
        counts = json.dumps({**made, **({"failure": failure.model_dump(mode="json")} if failure else {})})
        with self._writing() as connection:
            if not claim(connection, schema.chunk_walks, {"chunk_id": chunk_id, "body": counts}):
                return
            insert_new(connection, schema.items, [row(i, id=i.id, chunk_id=chunk_id) for i in items])
            insert_new(connection, schema.rejections, [row(r, id=r.id, chunk_id=chunk_id) for r in rejections])
            insert_new(connection, schema.steps, [row(s, number=s.number, chunk_id=chunk_id) for s in steps])

    def finished_chunks(self) -> set[str]:
        """Ids of the chunks whose item graph has finished."""
        return set(self._column(schema.chunk_walks.c.chunk_id))

    def has_walked(self, chunk_id: str) -> bool:
        """Whether this chunk's walk has finished."""
        of_chunk = schema.chunk_walks.c.chunk_id == chunk_id
        with self._reading() as connection:
            return connection.scalar(select(schema.chunk_walks.c.chunk_id).where(of_chunk)) is not None

    def walk_counts(self) -> dict[str, dict[str, int]]:
        """Of each finished chunk: how many units it held, and how many items, rejections and steps its walk made.

        `calls` counts the calls to models that it took, each once, whether they were paid for or served.
        """
        return {i: {name: n for name, n in made.items() if name != "failure"} for i, made in self._walks()}

    def failed_chunks(self) -> dict[str, Verdict]:
        """Of each finished chunk whose knowledge units could not be found: why."""
        return {i: Verdict.model_validate(made["failure"]) for i, made in self._walks() if "failure" in made}

    def _walks(self) -> list[tuple[str, dict[str, Any]]]:
        query = select(schema.chunk_walks.c.chunk_id, schema.chunk_walks.c.body)
        with self._reading() as connection:
            return [(chunk_id, json.loads(body)) for chunk_id, body in sorted(connection.execute(query).tuples())]

    def written(self) -> list[Item]:
        """Every item as its walk wrote it, sorted by id, then by chunk: overlapping chunks may write the same."""
        found = records(Item, self._column(schema.items.c.body))
        return sorted(found, key=lambda item: (item.id, item.provenance.chunk_id or ""))

    def items(self) -> list[Item]:
        """Sorted by id. Of an item that several overlapping chunks wrote, the one of the lowest chunk id."""
        return list({item.id: item for item in reversed(self.written())}.values())[::-1]

    def rejections(self) -> list[Rejection]:
        """Sorted by id, then by chunk."""
        found = records(Rejection, self._column(schema.rejections.c.body))
        return sorted(found, key=lambda rejection: (rejection.id, rejection.chunk_id))

    def steps(self, chunk_id: str) -> list[Step]:
        """The chunk's walk, in order; empty if it has not finished."""
        table = schema.steps.c
        return self._found(Step, select(table.body).where(table.chunk_id == chunk_id).order_by(table.number))

    # --- exams, examinees, responses ---------------------------------------------------------------------

    def add_exam(self, exam: Exam) -> None:
        """Make this the latest exam. One of the same questions may have other notes of people's reviews."""
        added = row(exam, id=exam.id)
        with self._writing() as connection:
            position, last = latest(connection, schema.exams, schema.exams.c.body)
            if last != added["body"]:
                insert_new(connection, schema.exams, [{**added, "position": position + 1}])

    def latest_exam(self) -> Exam | None:
        """The exam added last, or None."""
        with self._reading() as connection:
            _, body = latest(connection, schema.exams, schema.exams.c.body)
        return None if body is None else records(Exam, [body])[0]

    def exams(self) -> list[Exam]:
        """Each exam once, the latest last."""
        by_id: dict[str, Exam] = {}
        for exam in self._in_order(Exam, schema.exams):
            by_id.pop(exam.id, None)
            by_id[exam.id] = exam
        return list(by_id.values())

    def add_examinee(self, examinee: Examinee) -> None:
        """Add an examinee; its responses can be added from then on."""
        with self._writing() as connection:
            insert_new(connection, schema.examinees, [row(examinee, id=examinee.id)])

    def examinees(self) -> list[Examinee]:
        """Sorted by id."""
        found = records(Examinee, self._column(schema.examinees.c.body))
        return sorted(found, key=lambda examinee: examinee.id)

    def add_responses(self, responses: Sequence[Response]) -> None:
        """Add all, or nothing. Their examinees must be there."""
        rows = [row(r, id=r.id, examinee_id=r.examinee_id, item_id=r.item_id) for r in responses]
        with self._writing() as connection:
            insert_new(connection, schema.responses, rows)

    def responses(self) -> list[Response]:
        """All responses of the run, to whatever exam, sorted by examinee, item, id."""
        found = self._found(Response, select(schema.responses.c.body))
        return sorted(found, key=lambda r: (r.examinee_id, r.item_id, r.id))

    def responses_to(self, items: Collection[ExamItem], *, all_occasions: bool = False) -> list[Response]:
        """Responses to these items as they are shown (see `core.records.responses_to`), sorted by examinee, item."""
        table = schema.responses.c
        found: list[Response] = []
        with self._reading() as connection:
            ids = sorted({shown.item.id for shown in items})
            for start in range(0, len(ids), PARAMETERS_PER_QUERY):
                asked = table.item_id.in_(ids[start : start + PARAMETERS_PER_QUERY])
                found += records(Response, connection.scalars(select(table.body).where(asked)))
        given = responses_to(items, found, all_occasions=all_occasions)
        return sorted(given, key=lambda r: (r.examinee_id, r.item_id, r.occasion))

    def responses_of(self, examinee_id: str) -> list[Response]:
        """All that one examinee said, sorted by item, then by id."""
        table = schema.responses.c
        found = self._found(Response, select(table.body).where(table.examinee_id == examinee_id))
        return sorted(found, key=lambda response: (response.item_id, response.id))

    def response_ids(self, examinee_id: str) -> set[str]:
        """Ids of all that one examinee said."""
        of_examinee = schema.responses.c.examinee_id == examinee_id
        with self._reading() as connection:
            return set(connection.scalars(select(schema.responses.c.id).where(of_examinee)))

    def delete_responses(self, examinee_ids: Collection[str], kinds: Collection[str] = ()) -> int:
        """Delete all that these examinees said, with grades and labels, and results of these kinds, or nothing.

        Returns how many responses there were.
        """
        with self._writing() as connection:
            of_them = schema.responses.c.examinee_id.in_(sorted(examinee_ids))
            gone = set(connection.scalars(select(schema.responses.c.id).where(of_them)))
            told = connection.execute(select(schema.labels.c.position, schema.labels.c.body)).tuples()
            labels = [place for place, body in told if json.loads(body)["response_id"] in gone]
            for table, column, values in (
                (schema.grades, schema.grades.c.response_id, sorted(gone)),
                (schema.labels, schema.labels.c.position, labels),
                (schema.responses, schema.responses.c.id, sorted(gone)),
                (schema.results, schema.results.c.kind, sorted(kinds)),
            ):
                for start in range(0, len(values), PARAMETERS_PER_QUERY):
                    connection.execute(delete(table).where(column.in_(values[start : start + PARAMETERS_PER_QUERY])))
        return len(gone)

    def response_counts(self) -> dict[str, int]:
        """How many responses there are of each examinee, by its id."""
        of = schema.responses.c.examinee_id
        with self._reading() as connection:
            return {str(id_): int(n) for id_, n in connection.execute(select(of, func.count()).group_by(of)).tuples()}

    # --- grades of open answers ---------------------------------------------------------------------------

    def add_grades(self, judge: str, grades: Sequence[Grade]) -> None:
        """Add all that `judge` (its fingerprint) gave, or nothing. One grade of an answer stays as it is."""
        rows = [row(grade, response_id=grade.response_id, judge=judge) for grade in grades]
        with self._writing() as connection:
            insert_new(connection, schema.grades, rows)

    def grades(self, judge: str) -> dict[str, Grade]:
        """What this judge gave, by response id."""
        table = schema.grades.c
        found = self._found(Grade, select(table.body).where(table.judge == judge).order_by(table.response_id))
        return {grade.response_id: grade for grade in found}

    def add_labels(self, labels: Sequence[Label]) -> None:
        """Add all behind those that are there, in this order, or nothing."""
        with self._writing() as connection:
            append(connection, schema.labels, [row(label) for label in labels])

    def labels(self) -> list[Label]:
        """Every label ever given, in the order in which they were: of a person's on an answer the last holds."""
        return self._in_order(Label, schema.labels)

    # --- results -----------------------------------------------------------------------------------------

    def add_result(self, kind: str, value: object) -> None:
        """Make this JSON-able value the latest result of its kind. ValueError on NaN or infinity."""
        body = json.dumps(value, ensure_ascii=True, sort_keys=True, allow_nan=False)
        with self._writing() as connection:
            of_kind = schema.results.c.kind == kind
            position, last = latest(connection, schema.results, schema.results.c.body, of_kind)
            if last != body:
                insert_new(connection, schema.results, [{"kind": kind, "position": position + 1, "body": body}])

    def latest_result(self, kind: str) -> Any | None:
        """The JSON value added last under this kind, or None."""
        with self._reading() as connection:
            _, body = latest(connection, schema.results, schema.results.c.body, schema.results.c.kind == kind)
        return None if body is None else json.loads(body)

    def results(self, kind: str) -> list[Any]:
        """Every JSON value added under this kind, the latest last."""
        query = select(schema.results.c.body).where(schema.results.c.kind == kind).order_by(schema.results.c.position)
        with self._reading() as connection:
            return [json.loads(body) for body in connection.scalars(query)]


def _exclusion_row(left_out: Exclusion) -> dict[str, str | int]:
    return row(left_out, id=content_hash("exclusion", left_out.path, left_out.reason, left_out.detail))


def _document_of(table: Table) -> Column[str]:
    return table.c.document_id if "document_id" in table.c else table.c.id


class StoredRecords(Mapping[str, R], Generic[R]):
    """The records of one table, which must not change: a corpus may be larger than the memory.

    The `held` that were asked for last stay in memory.
    """

    def __init__(self, store: RunStore, kind: type[R], table: Table, *, held: int) -> None:
        self._store = store
        self._kind = kind
        self._table = table
        self._found = lru_cache(maxsize=held)(self._find)

    def __getitem__(self, id_: str) -> R:
        return self._found(id_)

    def __iter__(self) -> Iterator[str]:
        return iter(self._store.ids(self._table))

    def __len__(self) -> int:
        return self._length

    def values(self) -> ValuesView[R]:
        """All, a page at a time."""
        return _Pages(self)

    def pages(self) -> Iterator[list[R]]:
        """All in order; what was read is given up for the next page."""
        last = -1
        page, after = self._store.page(self._kind, self._table, 0)
        while after > last:
            if page:
                yield page
            last = after
            page, after = self._store.page(self._kind, self._table, last)

    @cached_property
    def _length(self) -> int:
        return self._store.count(self._table)

    def _find(self, id_: str) -> R:
        found = self._store.find(self._kind, self._table, id_)
        if found is None:
            raise KeyError(id_)
        return found


class _Pages(ValuesView[R]):
    _mapping: StoredRecords[R]

    def __iter__(self) -> Iterator[R]:
        for page in self._mapping.pages():
            yield from page
