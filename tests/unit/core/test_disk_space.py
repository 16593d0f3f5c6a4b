"""A lack of room is known by what is behind an error, whoever raised it, and is told once, with the file."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from limits import files_of_at_most
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from viva.core.disk_space import no_room, room_for, write_whole
from viva.core.errors import DiskFull, RunLocked, UsageError

FULL = OSError(errno.ENOSPC, "No space left on device", "/data/run/scores.json")


def meanwhile(error: Exception, before: Exception = FULL) -> Exception:
    """The error as it is when it was raised, from nothing, while another one was dealt with."""
    error.__context__, error.__suppress_context__ = before, True
    return error


def because(error: Exception) -> Exception:
    """The error as it is when it was raised from a lack of room."""
    error.__cause__ = FULL
    return error


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EDQUOT, "the quota is used up"), (errno.EFBIG, "ulimit -f")],
)
def test_each_of_the_systems_words_for_it_is_known(number: int, words: str) -> None:
    found = no_room(OSError(number, "no", "/data/run/report.html"))
    assert found is not None
    assert found.problem.startswith("There is no room to write /data/run/report.html: ")
    assert words in found.problem
    assert "kept" in found.allowed
    assert "the same command" in found.next_step


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EACCES, "Permission denied"),
        OSError("no number"),
        ValueError("No space left on device"),
        RunLocked("-"),
    ],
)
def test_other_errors_are_none(error: Exception) -> None:
    assert no_room(error) is None
    with pytest.raises(type(error)) as caught, room_for("x"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    "error",
    [
        meanwhile(UsageError("run.sqlite cannot be used")),
        because(KeyError("x")),
        ExceptionGroup("two", [ValueError("x"), ExceptionGroup("one", [FULL])]),
    ],
    ids=["raised while it was dealt with", "raised because of it", "in a group"],
)
def test_it_is_found_behind_other_errors(error: BaseException) -> None:
    found = no_room(error)
    assert found is not None
    assert "/data/run/scores.json" in found.problem


def test_errors_that_came_of_each_other_have_an_end() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__context__, other.__context__ = other, one
    assert no_room(one) is None


def test_the_first_place_that_names_the_file_is_the_one_that_is_told() -> None:
    with pytest.raises(DiskFull, match="write inner: ") as caught, room_for("outer"), room_for("inner"):
        raise FULL
    assert no_room(meanwhile(ValueError("x"), caught.value), "outermost") is caught.value


def test_a_full_sqlite_file_is_known_also_through_sqlalchemy(tmp_path: Path) -> None:
    file = tmp_path / "small.sqlite"
    insert = "INSERT INTO t VALUES (zeroblob(100000))"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA max_page_count=4")
        with pytest.raises(DiskFull, match=r"small\.sqlite: the disk is full"), room_for(file):
            connection.execute(insert)
    engine = create_engine(f"sqlite:///{file}")
    with engine.connect() as connected:
        connected.execute(text("PRAGMA max_page_count=4"))
        with pytest.raises(OperationalError) as caught:
            connected.execute(text(insert))
    engine.dispose()
    assert no_room(caught.value, file) is not None


def test_a_sqlite_file_that_may_not_grow_is_known_although_sqlite_does_not_say_why(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "small.sqlite")) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
        with files_of_at_most(10_000), pytest.raises(DiskFull, match="ulimit -f"), room_for("small.sqlite"):
            connection.commit()


def test_a_sqlite_file_that_is_none_is_not_taken_for_a_lack_of_room(tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("no database" * 100)
    with (
        closing(sqlite3.connect(tmp_path / "text.sqlite")) as connection,
        pytest.raises(sqlite3.DatabaseError),
        room_for(tmp_path / "text.sqlite"),
    ):
        connection.execute("SELECT * FROM sqlite_master")
    with pytest.raises(sqlite3.OperationalError, match="unable to open"), room_for(tmp_path / "no/such.sqlite"):
        sqlite3.connect(tmp_path / "no/such.sqlite")


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_whole(file, "one\r\ntwo ü\n")
    assert file.read_bytes() == "one\r\ntwo ü\n".encode()
    with files_of_at_most(100), pytest.raises(DiskFull, match=r"report\.html"):
        write_whole(file, "x" * 1000)
    assert file.read_bytes() == "one\r\ntwo ü\n".encode()
    assert list(tmp_path.iterdir()) == [file]
