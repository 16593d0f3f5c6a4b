"""A run store in a folder: what it makes, what it refuses, what survives a kill."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from viva.core.errors import RunLocked, RunMismatch, UsageError
from viva.core.records import Chunk, Document, Run
from viva.storage.database import parse_postgres_url, translated, without_secrets
from viva.storage.runs import RunStore

RUN = Run(id="r1", documents_folder="docs", corpus_fingerprint="f00d", settings={"seed": 0, "max_file_mb": 20.0})


def create(folder: Path, run: Run = RUN) -> RunStore:
    return RunStore.create_or_open(folder, database_url=None, run=run)


def execute(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "run.sqlite")
    with connection:
        connection.execute(statement)
    connection.close()


def test_a_missing_folder_is_made_and_a_run_put_in_it(tmp_path: Path) -> None:
    with create(tmp_path / "deep" / "run") as store:
        assert store.run == RUN
    assert (tmp_path / "deep" / "run" / "run.sqlite").is_file()


def test_opening_a_folder_without_a_run_says_how_to_make_one_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run") as caught:
        RunStore.open(tmp_path / "none")
    assert "viva run" in caught.value.next_step
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "exam.jsonl").touch()
    with pytest.raises(UsageError, match="is a file, and no run folder"):
        RunStore.open(tmp_path / "exam.jsonl")


def test_an_empty_file_left_by_a_kill_is_no_run_and_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").touch()
    with pytest.raises(UsageError, match="holds no run"):
        RunStore.open(tmp_path)
    create(tmp_path).close()
    RunStore.open(tmp_path).close()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    content = b"these are not the tables you are looking for" * 100
    (tmp_path / "run.sqlite").write_bytes(content)
    for attempt in (lambda: create(tmp_path), lambda: RunStore.open(tmp_path)):
        with pytest.raises(UsageError, match="not a database"):
            attempt()
    assert (tmp_path / "run.sqlite").read_bytes() == content


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        document = Document.of("x" * 50_000, path="a", title="a", format="text")
        store.add_corpus([document], [Chunk.of(document, 0, 9, 1)], [])
    file = tmp_path / "run.sqlite"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(UsageError, match=r"run\.sqlite cannot be used"), RunStore.open(tmp_path) as store:
        store.documents()


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    execute(tmp_path, "CREATE TABLE bookmarks (url TEXT)")
    before = (tmp_path / "run.sqlite").read_bytes()
    for attempt in (lambda: create(tmp_path), lambda: RunStore.open(tmp_path)):
        with pytest.raises(UsageError, match="other tables"):
            attempt()
    assert (tmp_path / "run.sqlite").read_bytes() == before


@pytest.mark.parametrize(("version", "age"), [("99", "newer"), ("0", "older"), ("old", "older")])
def test_a_run_of_another_schema_version_is_refused(tmp_path: Path, version: str, age: str) -> None:
    create(tmp_path).close()
    execute(tmp_path, f"UPDATE meta SET value = '{version}'")
    with pytest.raises(RunMismatch, match=f"{age} version"):
        create(tmp_path)


def test_a_record_of_another_form_is_refused_by_name(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add_corpus([Document.of("x", path="a", title="a", format="text")], [], [])
        execute(tmp_path, """UPDATE documents SET body = '{"id": "1"}'""")
        with pytest.raises(RunMismatch, match="Document"):
            store.documents()


def test_a_setting_that_is_new_or_gone_is_a_difference(tmp_path: Path) -> None:
    create(tmp_path).close()
    other = RUN.model_copy(update={"settings": {"seed": 0, "cast": "offline"}})
    with pytest.raises(RunMismatch) as caught:
        create(tmp_path, other)
    assert 'cast is not set there and "offline" here' in str(caught.value)
    assert "max_file_mb is 20.0 there and not set here" in str(caught.value)


def test_a_moved_documents_folder_is_no_difference(tmp_path: Path) -> None:
    create(tmp_path).close()
    create(tmp_path, RUN.model_copy(update={"documents_folder": "elsewhere", "id": "other"})).close()


def test_a_run_in_a_file_is_not_continued_in_a_server(tmp_path: Path) -> None:
    create(tmp_path).close()
    with pytest.raises(RunMismatch, match=r"run\.sqlite, not in a database server"):
        RunStore.create_or_open(tmp_path, database_url="postgresql://u:p@localhost/x", run=RUN)


def test_a_run_in_a_file_opens_whatever_database_is_configured(tmp_path: Path) -> None:
    create(tmp_path).close()
    with RunStore.open(tmp_path, "postgresql://u:p@localhost/x") as store:
        assert store.run == RUN


def test_a_chunk_of_an_unknown_document_is_refused(tmp_path: Path) -> None:
    document = Document.of("abc", path="a", title="a", format="text")
    with create(tmp_path) as store, pytest.raises(Exception, match="FOREIGN KEY"):
        store.add_corpus([], [Chunk.of(document, 0, 3, 1)], [])


def test_a_file_in_use_by_another_writer_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viva.storage.database.BUSY_TIMEOUT_MS", 50)
    with create(tmp_path) as store:
        other = sqlite3.connect(tmp_path / "run.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RunLocked, match="Another process is writing"):
            store.add_result("timing", 1)
        assert store.latest_result("timing") is None
        other.execute("ROLLBACK")
        other.close()
        store.add_result("timing", 1)


@pytest.mark.slow
def test_kill_9_never_leaves_half_a_chunk(tmp_path: Path) -> None:
    code = """if True:
        import pathlib, sys
        from viva.core.records import Chunk, Document, Run, Step
        from viva.storage.runs import RunStore
        run = Run(id="r1", documents_folder="docs", corpus_fingerprint="f00d", settings={})
        document = Document.of("x" * 9000, path="a", title="a", format="text")
        chunks = [Chunk.of(document, n, n + 9, 1) for n in range(3000)]
        with RunStore.create_or_open(pathlib.Path(sys.argv[1]), database_url=None, run=run) as store:
            store.add_corpus([document], chunks, [])
            for chunk in chunks:
                walk = dict(chunk_id=chunk.id, role="r", input="i" * 999, output="o", duration_s=0)
                store.finish_chunk(chunk.id, [], [], [Step(number=n, **walk) for n in range(50)], units=1)
                print("one", flush=True)
        """
    child = subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"one\n"
    time.sleep(0.2)
    assert child.poll() is None
    child.kill()
    child.wait()
    with RunStore.open(tmp_path) as store:
        finished = store.finished_chunks()
        assert finished
        assert len(store.chunks()) == 3000
        assert {len(store.steps(chunk.id)) for chunk in store.chunks() if chunk.id in finished} == {50}
        assert not any(store.steps(chunk.id) for chunk in store.chunks() if chunk.id not in finished)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:s3cret@h/x",
        "sqlite:///s3cret.db",
        "postgresql://u:s3cret@h:port/x",
        "postgresql://u:s3cret@more@h/x",
        "s3cret",
        "",
    ],
)
def test_a_url_that_is_not_postgresqls_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_postgres_url(url)
    assert "s3cret" not in str(caught.value)
    assert "postgresql://" in caught.value.allowed or "%40" in caught.value.allowed


def test_secrets_are_taken_out_of_a_url_wherever_they_stand() -> None:
    url = parse_postgres_url("postgres://u:s3cret@h:5433/x?sslmode=require&password=s3cret&sslpassword=s3cret")
    shown = without_secrets(url).render_as_string(hide_password=False)
    assert shown == "postgresql+psycopg://u@h:5433/x?sslmode=require"


def test_what_a_driver_says_is_shown_without_the_password() -> None:
    url = parse_postgres_url("postgresql://u:s3%40cret@h/x?sslpassword=other")
    said = Exception("cannot use s3@cret, s3%40cret or other\nfor that")
    with pytest.raises(UsageError, match=r"cannot use \*\*\*, \*\*\* or \*\*\* for that"), translated(url):
        raise OperationalError("SELECT 1", {}, said)


def test_a_run_that_could_not_be_made_whole_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("viva.storage.run_place.insert_new", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            create(tmp_path)
    with pytest.raises(UsageError, match="holds no run"):
        RunStore.open(tmp_path)
    create(tmp_path).close()


def test_a_run_id_that_would_not_fit_a_schema_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name a run"):
        RunStore.create_or_open(
            tmp_path, database_url="postgresql://u:p@h/x", run=RUN.model_copy(update={"id": "x" * 59})
        )
