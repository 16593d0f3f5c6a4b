"""One process at a time on a run folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from limits import files_of_at_most

from viva.core.disk_space import make_private, write_whole
from viva.core.errors import DiskFull, RunLocked, UsageError
from viva.storage.lock import HOLDER_FILE, run_lock

HOLD = """
import pathlib, sys, time
from viva.storage.lock import run_lock
with run_lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    yield child
    child.kill()
    child.wait()


def test_a_second_process_is_told_which_one_holds_the_folder(tmp_path: Path, holder: subprocess.Popen[bytes]) -> None:
    with pytest.raises(RunLocked, match=f"Process {holder.pid} works on"), run_lock(tmp_path):
        pass


def test_the_lock_of_a_killed_process_blocks_nobody(tmp_path: Path, holder: subprocess.Popen[bytes]) -> None:
    holder.kill()
    holder.wait()
    assert (tmp_path / HOLDER_FILE).is_file()
    with run_lock(tmp_path):
        assert (tmp_path / HOLDER_FILE).read_text() == f"{os.getpid()}\n"


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"12 34"])
def test_an_unreadable_process_id_still_says_that_the_folder_is_held(
    tmp_path: Path, holder: subprocess.Popen[bytes], content: bytes | None
) -> None:
    (tmp_path / HOLDER_FILE).unlink()
    if content is not None:
        (tmp_path / HOLDER_FILE).write_bytes(content)
    with pytest.raises(RunLocked, match="Another process works on"), run_lock(tmp_path):
        pass


def test_a_second_caller_in_the_same_process_is_turned_away_too(tmp_path: Path) -> None:
    with run_lock(tmp_path), pytest.raises(RunLocked, match=str(os.getpid())), run_lock(tmp_path):
        pass


def test_the_folder_is_free_again_after_use_and_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), run_lock(tmp_path / "new"):
        raise ZeroDivisionError
    with run_lock(tmp_path / "new"):
        pass
    assert not (tmp_path / "new" / HOLDER_FILE).exists()


def test_a_folder_that_cannot_be_made_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be locked"), run_lock(tmp_path / "file" / "run"):
        pass


def test_a_folder_without_room_is_told_and_not_held(tmp_path: Path) -> None:
    with files_of_at_most(0), pytest.raises(DiskFull, match="no room to write"), run_lock(tmp_path):
        pass
    with run_lock(tmp_path):
        pass


def test_a_run_folder_is_its_owners_alone_and_a_folder_of_ones_own_keeps_its_mode(tmp_path: Path) -> None:
    own, made = tmp_path / "own", tmp_path / "made"
    own.mkdir(mode=0o755)
    for folder in (own, made):
        with run_lock(folder):
            (folder / "vectors").mkdir(mode=0o755)
            (folder / "vectors" / "a.json").write_text("{}")
            (folder / "exam.jsonl").write_text("")
    modes = {str(path.relative_to(tmp_path)): path.stat().st_mode & 0o777 for path in (made, *made.rglob("*"))}
    assert {mode for name, mode in modes.items() if (tmp_path / name).is_dir()} == {0o700}
    assert {mode for name, mode in modes.items() if (tmp_path / name).is_file()} == {0o600}
    assert own.stat().st_mode & 0o777 == 0o755


def test_a_file_written_into_a_private_folder_is_private(tmp_path: Path) -> None:
    make_private(tmp_path / "run")
    (tmp_path / "open").mkdir(mode=0o755)
    for folder in ("run", "open"):
        write_whole(tmp_path / folder / "report.html", "<p>")
    assert (tmp_path / "run" / "report.html").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "open" / "report.html").stat().st_mode & 0o077
