"""The run store's rules, held on SQLite and on a real PostgreSQL server started for the purpose."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from exams_by_hand import exam_item
from postgres_server import PASSWORD, Server
from sqlalchemy import text
from sqlalchemy.exc import DataError

from viva.core.errors import RunLocked, RunMismatch, TransientError, UsageError
from viva.core.ids import content_hash
from viva.core.records import (
    BloomLevel,
    Chunk,
    Document,
    Draft,
    Exam,
    Examinee,
    ExamItem,
    Exclusion,
    ExclusionReason,
    Failure,
    FailureKind,
    Item,
    KnowledgeUnit,
    QuestionType,
    Rejection,
    Response,
    Run,
    Span,
    Step,
    Verdict,
)
from viva.graphs.authoring.accept import accepted
from viva.storage.runs import RunStore


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "sqlite" else request.getfixturevalue("server").url()


@pytest.fixture
def store(tmp_path: Path, database_url: str | None) -> Iterator[RunStore]:
    with RunStore.create_or_open(tmp_path / "run", database_url=database_url, run=run_of(tmp_path)) as store:
        yield store


# --- records ---------------------------------------------------------------------------------------------


def run_of(tmp_path: Path, **changes: str | int) -> Run:
    settings = {"seed": 0, "cast": "offline", **changes}
    # one database serves all tests: each has its own run id
    identity = content_hash(str(tmp_path))
    return Run(id=identity, documents_folder="docs", corpus_fingerprint="f00d", settings=settings)


def corpus(size: int = 3) -> tuple[list[Document], list[Chunk], list[Exclusion]]:
    hostile = "é \x00 '; DROP TABLE documents; --"
    documents = [Document.of(f"Text {n}. {hostile}", path=f"{n}.txt", title="t", format="text") for n in range(size)]
    chunks = [Chunk.of(document, 0, 6, 2) for document in documents]
    return documents, chunks, [Exclusion(path="a.bin", reason=ExclusionReason.BINARY, detail="zero bytes")]


def draft_of(chunk: Chunk, stem: str) -> Draft:
    evidence = Span(document_id=chunk.document_id, start=0, end=6, quote=chunk.text)
    return Draft(
        unit=KnowledgeUnit.of(chunk, "A fact.", evidence),
        attempt=0,
        stem=stem,
        key="yes",
        reference_answer="yes",
        question_type=QuestionType.NAME,
        bloom=(BloomLevel.REMEMBER,),
        answer_form="name",
        pattern="p",
    )


def item_of(chunk: Chunk, stem: str) -> Item:
    return accepted(draft_of(chunk, stem), (), (), topic="", cast="offline")


def rejection_of(chunk: Chunk, stem: str) -> Rejection:
    draft = draft_of(chunk, stem)
    return Rejection.of(draft.unit, draft, Verdict(critic="c", passed=False, reason="r"))


def step_of(chunk: Chunk, number: int) -> Step:
    return Step(chunk_id=chunk.id, number=number, role="writer", input="i", output="o", duration_s=0.5)


def exam_of(identity: str, item: Item) -> Exam:
    return Exam(id=identity, items=(ExamItem(item=item, options=("yes", "no"), key_position=0),))


# --- rules on both databases -----------------------------------------------------------------------------


def test_a_corpus_comes_back_in_the_order_it_was_added(store: RunStore) -> None:
    documents, chunks, exclusions = corpus(50)
    store.add_corpus(documents, chunks, exclusions)
    assert store.documents() == documents
    assert store.chunks() == chunks
    assert store.exclusions() == exclusions


def test_a_replay_doubles_nothing(store: RunStore) -> None:
    documents, chunks, exclusions = corpus()
    for _ in range(2):
        store.add_corpus(documents, chunks, exclusions)
        store.finish_chunk(
            chunks[0].id,
            [item_of(chunks[0], "q?")],
            [rejection_of(chunks[0], "r?")],
            [step_of(chunks[0], 0)],
            units=3,
        )
        store.add_examinee(Examinee(id="e", name="e", spec="s"))
        store.add_responses([Response(id="r", examinee_id="e", item_id="i", text="a")])
    assert (store.documents(), store.chunks(), store.exclusions()) == (documents, chunks, exclusions)
    assert [len(rows) for rows in (store.items(), store.rejections(), store.steps(chunks[0].id))] == [1, 1, 1]
    assert len(store.examinees()) == len(store.responses()) == 1


def test_later_documents_stand_behind_the_earlier_ones(store: RunStore) -> None:
    documents, chunks, _ = corpus(4)
    store.add_corpus(documents[2:], [], [])
    store.add_corpus(documents, chunks, [])
    assert store.documents() == [documents[2], documents[3], documents[0], documents[1]]


def test_a_chunk_that_has_finished_stays_as_it_was(store: RunStore) -> None:
    documents, chunks, _ = corpus()
    store.add_corpus(documents, chunks, [])
    store.finish_chunk(chunks[0].id, [item_of(chunks[0], "first?")], [], [step_of(chunks[0], 0)], units=3)
    store.finish_chunk(chunks[0].id, [item_of(chunks[0], "second?")], [], [], units=3)
    assert [item.stem for item in store.items()] == ["first?"]
    assert store.finished_chunks() == {chunks[0].id}
    assert store.walk_counts() == {chunks[0].id: {"units": 3, "items": 1, "rejections": 0, "steps": 1, "calls": 0}}


def test_a_chunk_with_nothing_to_ask_has_finished_too(store: RunStore) -> None:
    documents, chunks, _ = corpus()
    store.add_corpus(documents, chunks, [])
    store.finish_chunk(chunks[1].id, [], [], [], units=3)
    assert store.finished_chunks() == {chunks[1].id}
    assert store.items() == []


def test_what_fails_half_way_leaves_nothing_behind(store: RunStore) -> None:
    documents, chunks, _ = corpus()
    store.add_corpus(documents, chunks, [])
    too_big_for_a_column = step_of(chunks[0], 2**70)
    with pytest.raises((DataError, OverflowError)):
        store.finish_chunk(
            chunks[0].id, [item_of(chunks[0], "q?")], [], [step_of(chunks[0], 1), too_big_for_a_column], units=3
        )
    assert store.finished_chunks() == set()
    assert store.items() == []


@pytest.mark.parametrize("first", [0, 1])
def test_an_item_of_two_overlapping_chunks_is_one_item_whichever_finished_first(store: RunStore, first: int) -> None:
    document = Document.of("abcdef ghij", path="a", title="a", format="text")
    chunks = [Chunk.of(document, 0, 6, 1), Chunk.of(document, 0, 11, 2)]
    store.add_corpus([document], chunks, [])
    evidence = Span(document_id=document.id, start=0, end=6, quote="abcdef")
    drafts = [draft_of(c, "q?").model_copy(update={"unit": KnowledgeUnit.of(c, "A.", evidence)}) for c in chunks]
    items = [accepted(draft, (), (), topic="", cast="offline") for draft in drafts]
    for n in (first, 1 - first):
        store.finish_chunk(chunks[n].id, [items[n]], [], [], units=3)
    assert [item.provenance.chunk_id for item in store.items()] == [min(chunk.id for chunk in chunks)]
    assert sum(counts["items"] for counts in store.walk_counts().values()) == 2


def test_orders_do_not_come_from_the_database(store: RunStore) -> None:
    names = ["a", "B", "_", "Z", "é", "10", "9"]
    for name in names:
        store.add_examinee(Examinee(id=name, name=name, spec="s"))
    store.add_responses([Response(id=f"{e}{i}", examinee_id=e, item_id=i, text="a") for e in names for i in "bA"])
    assert [examinee.id for examinee in store.examinees()] == sorted(names)
    assert [(r.examinee_id, r.item_id) for r in store.responses()] == [(e, i) for e in sorted(names) for i in "Ab"]


def test_steps_come_in_walking_order(store: RunStore) -> None:
    documents, chunks, _ = corpus()
    store.add_corpus(documents, chunks, [])
    store.finish_chunk(chunks[0].id, [], [], [step_of(chunks[0], n) for n in (10, 2, 0)], units=3)
    assert [step.number for step in store.steps(chunks[0].id)] == [0, 2, 10]
    assert store.steps(chunks[1].id) == []


def test_the_latest_exam_is_the_one_added_last_even_if_it_was_there_before(store: RunStore) -> None:
    _, chunks, _ = corpus()
    assert store.latest_exam() is None
    first, second = (exam_of(name, item_of(chunks[0], "q?")) for name in ("x", "a"))
    for exam in (first, second, first, first):
        store.add_exam(exam)
    assert store.latest_exam() == first
    assert store.exams() == [second, first]


def test_failures_and_passages_of_responses_come_back_whole(store: RunStore) -> None:
    store.add_examinee(Examinee(id="e", name="n", spec="s", components={"retriever": "bm25"}))
    failed = Response(
        id="1",
        examinee_id="e",
        item_id="i",
        latency_s=1.5,
        failure=Failure(kind=FailureKind.RAISED, detail="\x00 boom"),
    )
    store.add_responses([failed])
    assert store.responses() == [failed]
    assert store.examinees()[0].components == {"retriever": "bm25"}


def test_responses_to_items_are_found_in_any_number_and_none_to_another_order_of_options(store: RunStore) -> None:
    store.add_examinee(Examinee(id="e", name="n", spec="s"))
    items = [exam_item(f"Question {n}?", ("yes", "no")) for n in range(1200)]
    turned = [item.model_copy(update={"options": ("no", "yes"), "key_position": 1}) for item in items[::3]]

    def given(item: ExamItem) -> Response:
        return Response(id=Response.id_of("e", item), examinee_id="e", item_id=item.item.id, choice=0)

    store.add_responses([given(item) for item in (*items[::2], *turned)])
    found = store.responses_to(items)
    assert {response.item_id for response in found} == {item.item.id for item in items[::2]}
    assert {response.id for response in found} == {Response.id_of("e", item) for item in items[::2]}
    assert store.responses_to([]) == []


def test_the_latest_result_is_kept_per_kind(store: RunStore) -> None:
    assert store.latest_result("irt") is None
    store.add_result("irt", {"reliability": 0.5})
    store.add_result("timing", [1, 2.5, None, "é"])
    store.add_result("irt", {"reliability": 0.75})
    assert store.latest_result("irt") == {"reliability": 0.75}
    assert store.latest_result("timing") == [1, 2.5, None, "é"]
    store.add_result("irt", {"reliability": 0.5})
    assert store.latest_result("irt") == {"reliability": 0.5}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_result_that_is_not_a_number_is_refused(store: RunStore, value: float) -> None:
    with pytest.raises(ValueError):
        store.add_result("irt", {"reliability": value})
    assert store.latest_result("irt") is None


def test_a_run_reopens_with_all_it_held(tmp_path: Path, database_url: str | None) -> None:
    documents, chunks, exclusions = corpus()
    with RunStore.create_or_open(tmp_path, database_url=database_url, run=run_of(tmp_path)) as store:
        store.add_corpus(documents, chunks, exclusions)
    with RunStore.create_or_open(tmp_path, database_url=database_url, run=run_of(tmp_path)) as store:
        assert store.chunks() == chunks
    with RunStore.open(tmp_path, database_url) as store:
        assert store.run == run_of(tmp_path)
        assert store.documents() == documents


def test_other_settings_or_documents_are_refused_by_name_and_value(tmp_path: Path, database_url: str | None) -> None:
    RunStore.create_or_open(tmp_path, database_url=database_url, run=run_of(tmp_path, chunk_tokens=256)).close()
    other = run_of(tmp_path, chunk_tokens=128).model_copy(update={"corpus_fingerprint": "beef"})
    with pytest.raises(RunMismatch) as caught:
        RunStore.create_or_open(tmp_path, database_url=database_url, run=other)
    message = str(caught.value)
    assert "chunk_tokens is 256 there and 128 here" in message
    assert "f00d there and beef here" in message
    assert "--out" in caught.value.next_step
    assert "seed" not in message


def test_ten_thousand_chunks_are_added_in_seconds(store: RunStore) -> None:
    document = Document.of("word " * 1000, path="a", title="a", format="text")
    chunks = [Chunk.of(document, n % 3000, n % 3000 + 1000 + n // 3000, 200) for n in range(10_000)]
    start = time.monotonic()
    store.add_corpus([document], chunks, [])
    assert time.monotonic() - start < 10
    assert len(store.chunks()) == 10_000


# --- rules of a server -----------------------------------------------------------------------------------


def test_two_runs_share_a_database_and_see_nothing_of_each_other(tmp_path: Path, server: Server) -> None:
    one, two = (run_of(tmp_path / name) for name in ("one", "two"))
    with (
        RunStore.create_or_open(tmp_path / "one", database_url=server.url(), run=one) as first,
        RunStore.create_or_open(tmp_path / "two", database_url=server.url(), run=two) as second,
    ):
        first.add_corpus(*corpus())
        assert second.documents() == []
        assert (first.run, second.run) == (one, two)


def test_the_folder_remembers_the_database_without_its_password(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunStore.create_or_open(tmp_path, database_url=server.url(), run=run_of(tmp_path)).close()
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"s3cret" not in written
    assert b"127.0.0.1" in written
    with pytest.raises(UsageError, match="PGPASSWORD"):
        RunStore.open(tmp_path)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    RunStore.open(tmp_path).close()
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv("VIVA_DATABASE_URL", server.url())
    RunStore.open(tmp_path).close()


def test_a_password_is_not_sent_to_a_database_it_was_not_given_for(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunStore.create_or_open(tmp_path, database_url=server.url(), run=run_of(tmp_path)).close()
    monkeypatch.setenv("VIVA_DATABASE_URL", server.url(database="another"))
    with pytest.raises(UsageError, match="no password"):
        RunStore.open(tmp_path)


def test_no_message_shows_the_password(
    tmp_path: Path, server: Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = [
        server.url(database="missing"),
        server.url(password="s3cret-but-wrong"),
        server.url().replace(f":{server.port}", ":1"),
        server.url() + "?no_such_option=1",
        server.url().replace(f":{server.port}", ":s3cret"),
        "postgresql://examiner:s3cret@more@127.0.0.1/x",
        server.url(password=None) + "?password=s3cret-but-wrong",
    ]
    shown = []
    for n, url in enumerate(wrong):
        with pytest.raises(UsageError) as caught:
            RunStore.create_or_open(tmp_path / str(n), database_url=url, run=run_of(tmp_path))
        shown += [str(caught.value), "".join(traceback.format_exception(caught.value))]
    with RunStore.create_or_open(tmp_path / "good", database_url=server.url(), run=run_of(tmp_path)) as store:
        store.add_corpus(*corpus())
        shown += [repr(store), str(vars(store))]
    shown += [caplog.text, *capfd.readouterr()]
    # the lines of source that a traceback quotes are this test's own
    assert [
        text for text in shown if "s3cret" in text.replace('s3cret-but-wrong")', "").replace('":s3cret"', "")
    ] == []


def test_a_second_machine_on_the_same_run_is_turned_away(tmp_path: Path, server: Server) -> None:
    run = run_of(tmp_path)
    with (
        RunStore.create_or_open(tmp_path / "here", database_url=server.url(), run=run) as here,
        RunStore.create_or_open(tmp_path / "there", database_url=server.url(), run=run) as there,
    ):
        with here.server_lock():
            with pytest.raises(RunLocked, match="another machine"), there.server_lock():
                pass
            here.add_corpus(*corpus())
        with there.server_lock():
            pass


def test_what_one_process_makes_alone_others_wait_for(tmp_path: Path, server: Server) -> None:
    run, order = run_of(tmp_path), list[str]()
    with (
        RunStore.create_or_open(tmp_path / "run", database_url=server.url(), run=run) as first,
        RunStore.open(tmp_path / "run", server.url()) as second,
    ):

        def follow() -> None:
            with second.alone("vectors"):
                order.append("second")

        with first.alone("vectors"), second.alone("other vectors"):
            waiting = threading.Thread(target=follow)
            waiting.start()
            waiting.join(0.5)
            order.append("first")
        waiting.join(10)
    assert order == ["first", "second"]


def test_a_lock_that_the_server_has_forgotten_is_taken_again_or_the_run_is_given_up(
    tmp_path: Path, server: Server
) -> None:
    run = run_of(tmp_path)
    with (
        RunStore.create_or_open(tmp_path / "here", database_url=server.url(), run=run) as here,
        RunStore.create_or_open(tmp_path / "there", database_url=server.url(), run=run) as there,
        here.server_lock(),
    ):
        server.stop()
        server.start()
        here.keep_lock()
        with pytest.raises(RunLocked), there.server_lock():
            pass
        server.stop()
        server.start()
        with there.server_lock(), pytest.raises(RunLocked, match="another machine"):
            here.keep_lock()


def test_the_lock_of_a_killed_process_is_gone(tmp_path: Path, server: Server) -> None:
    with RunStore.create_or_open(tmp_path, database_url=server.url(), run=run_of(tmp_path)) as store:
        code = (
            "import sys, time, pathlib; from viva.storage.runs import RunStore\n"
            "with RunStore.open(pathlib.Path(sys.argv[1]), sys.argv[2]).server_lock():\n"
            "    print('held', flush=True); time.sleep(60)"
        )
        child = subprocess.Popen([sys.executable, "-c", code, tmp_path, server.url()], stdout=subprocess.PIPE)
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"held\n"
            with pytest.raises(RunLocked), store.server_lock():
                pass
        finally:
            child.kill()
            child.wait()
        for _ in range(100):
            try:
                with store.server_lock():
                    return
            except RunLocked:
                time.sleep(0.05)
        pytest.fail("the lock outlived its process")


def test_a_lost_connection_may_be_tried_again(tmp_path: Path, server: Server) -> None:
    with RunStore.create_or_open(tmp_path, database_url=server.url(), run=run_of(tmp_path)) as store:
        with pytest.raises(TransientError, match="lost"), store._reading() as connection:
            connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        assert store.documents() == []


def test_a_database_that_lost_the_run_is_told_apart_from_one_that_has_it(tmp_path: Path, server: Server) -> None:
    run = run_of(tmp_path)
    RunStore.create_or_open(tmp_path, database_url=server.url(), run=run).close()
    with pytest.raises(UsageError, match="no longer holds the run"):
        RunStore.open(tmp_path, server.url(database="postgres"))


def test_a_run_of_another_schema_version_is_refused(tmp_path: Path, server: Server) -> None:
    run = run_of(tmp_path)
    with (
        RunStore.create_or_open(tmp_path, database_url=server.url(), run=run) as store,
        store._writing() as connection,
    ):
        connection.execute(text(f"UPDATE \"viva_{run.id}\".meta SET value = '99'"))
    with pytest.raises(RunMismatch, match="newer version"):
        RunStore.open(tmp_path, server.url())


def test_the_remembered_url_is_readable_json(tmp_path: Path, server: Server) -> None:
    RunStore.create_or_open(tmp_path, database_url=server.url(), run=run_of(tmp_path)).close()
    content = json.loads((tmp_path / "database.json").read_text(encoding="utf-8"))
    assert content["run"] == run_of(tmp_path).id
    (tmp_path / "database.json").write_text("{broken", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read"):
        RunStore.open(tmp_path, server.url())
