"""A disk that is full, a file that may not grow: said in one sentence, nothing lost, and the same command goes on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import VIVA, Done, viva
from harbour import PANEL, asked, begun
from model_server import serve
from standing import count, facts, latest

pytestmark = pytest.mark.slow

STAGES: dict[str, list[str]] = {
    "ingest": ["--items-per-chunk", "8"],
    "write": ["--items", "40", "--worked-examples", "2"],
    "sit": asked(*PANEL[:3]),
    "score": [],
    "report": [],
}
LIMITED = "the file would be larger than is allowed here (ulimit -f, or the file system)"
WRITTEN = re.compile(r"There is no room to write (\S+): (.*)\.\n")


def command(stage: str, corpus: Path, run: Path) -> list[str | Path]:
    where: list[str | Path] = [corpus, "--out", run] if stage == "ingest" else [run]
    return [stage, *where, *STAGES[stage]]


def told(done: Done, run: Path, why: str) -> str:
    """It ended with the one sentence, and why; the file in the run folder that it names."""
    assert done.code == 2, done.said
    assert "Traceback" not in done.said
    assert "damaged or not viva's" not in done.said
    found = WRITTEN.search(done.err)
    assert found, done.err
    assert found[2] == why
    assert done.err.count("There is no room") == 1
    assert "All earlier work is kept" in done.err
    assert "Free some space, then run the same command again: it continues where it stopped." in done.err
    return Path(found[1]).relative_to(run).parts[0]


@pytest.fixture(scope="module")
def whole(corpus: Path, finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the same stages with all the room it needs."""
    run = begun(tmp_path_factory.mktemp("whole") / "run", finished)
    for stage in STAGES:
        done = viva(*command(stage, corpus, run))
        assert done.code == 0, done.err
    return run


def assert_same_end(run: Path, whole: Path) -> None:
    assert (run / "exam.jsonl").read_bytes() == (whole / "exam.jsonl").read_bytes()
    assert facts(run) == facts(whole)
    assert latest(run, "scores") == latest(whole, "scores")
    assert count(run, "exams") == 1
    assert (run / "report.html").is_file()
    assert not list(run.glob("*.part"))


# --- a disk ----------------------------------------------------------------------------------------------


class Disk:
    """A small file system of its own, as full as it is told to be."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._ballast = place / "ballast"

    def leave(self, room: int | None) -> None:
        """So many bytes are left; None: all of them."""
        self._ballast.unlink(missing_ok=True)
        if room is not None:
            state = os.statvfs(self.place)
            self._ballast.write_bytes(bytes(max(state.f_bavail * state.f_frsize - room, 0)))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    mounted = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("no file system can be mounted here: that takes the superuser")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def sweep(corpus: Path, run: Path, disk: Disk | None, sizes: tuple[int, ...], why: str) -> set[str]:
    """Each stage with ever more room until it ends well; the files that were named where there was too little."""
    named = set()
    for stage in STAGES:
        for size in sizes:
            if disk:
                disk.leave(size)
            done = viva(*command(stage, corpus, run), environment={} if disk else {"VIVA_TEST_MOST_BYTES": str(size)})
            if done.code == 0:
                break
            named.add(told(done, run, why))
        if disk:
            disk.leave(None)
        done = viva(*command(stage, corpus, run))
        assert done.code == 0, done.said
    return named


def test_every_stage_on_a_full_disk_says_so_and_goes_on_in_the_same_exam(
    corpus: Path, finished: Path, whole: Path, disk: Disk
) -> None:
    run = begun(disk.place / "run", finished)
    named = sweep(corpus, run, disk, (0, 16_384, 131_072), "the disk is full")
    assert named >= {"run.sqlite", "report.html"}
    assert_same_end(run, whole)


def test_a_run_folder_on_a_full_disk_is_looked_at_or_said_to_need_room(whole: Path, disk: Disk) -> None:
    run = shutil.copytree(whole, disk.place / "run")
    disk.leave(0)
    # to be read, too, SQLite's log needs some room beside it
    assert told(viva("show", run), run, "the disk is full") == "run.sqlite"
    disk.leave(131_072)
    assert "questions" in viva("show", run).out


# --- a limit on the size of files ------------------------------------------------------------------------


def test_every_stage_that_may_write_no_longer_files_says_so_and_goes_on_in_the_same_exam(
    corpus: Path, finished: Path, whole: Path, tmp_path: Path
) -> None:
    run = begun(tmp_path / "run", finished)
    named = sweep(corpus, run, None, (4_096, 65_536), LIMITED)
    assert named >= {"embeddings.sqlite", "run.sqlite", "report.html"}
    assert_same_end(run, whole)


def test_a_run_with_a_model_pays_nothing_twice_for_a_full_disk(corpus: Path, finished: Path, tmp_path: Path) -> None:
    model = ("--items", "4", "--items-per-chunk", "2", "--worked-examples", "1", *asked("bm25+lexical"))
    with serve() as server:
        line = [*model, "--model", "openai:scripted", "--base-url", server.url, "--concurrency", "4"]
        whole, run = (begun(tmp_path / name, finished) for name in ("whole", "run"))
        assert viva("run", corpus, "--out", whole, *line).code == 0
        paid, limits = server.paid, (150_000, 250_000, 300_000)
        named = set()
        for most in limits:
            done = viva("run", corpus, "--out", run, *line, environment={"VIVA_TEST_MOST_BYTES": str(most)})
            named.add(told(done, run, LIMITED))
        assert "ledger.sqlite" in named
        done = viva("run", corpus, "--out", run, *line)
        assert done.code == 0, done.said
        # four are in flight at most
        assert 2 * paid <= server.paid <= 2 * paid + 4 * len(limits)
    assert (run / "exam.jsonl").read_bytes() == (whole / "exam.jsonl").read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device here that is always full")
def test_what_cannot_be_printed_for_want_of_room_is_told(whole: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [str(VIVA), "show", str(whole)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    assert "There is no room to write" in ran.stderr
    assert "the disk is full" in ran.stderr
